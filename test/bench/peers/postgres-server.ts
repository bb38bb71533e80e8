/** The PostgreSQL server of the peers: databases that go when they are done with, and what a server has done and used. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { databasePrefix, endClients, findFault, usualUrl } from '../../support/postgres-server.ts';
import { readCpuMs } from '../processes.ts';

/** What a server has done so far. Each counts up; only a difference says something. */
export interface ServerCounts {
  /** Transactions of the one database that have committed, what only reads among them. */
  readonly commits: number;
  /** Transactions that have written, in all databases. */
  readonly writes: number;
  /** Transactions of other databases that have committed. */
  readonly elsewhere: number;
  /** User and system time of all of the server's processes, in milliseconds; NaN where it is another machine's. */
  readonly cpuMs: number;
}

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Waits until nobody is connected, since a connection may tell what it has done when it ends, and not before. */
  count(): Promise<ServerCounts>;
  /** @param what "table where …": the payouts that were paid */
  readSettledMs(what: string): Promise<readonly number[]>;
}

export interface PostgresServer extends AsyncDisposable {
  /** Its version, and whether a commit waits for the disk. */
  readonly description: string;
  createDatabase(): Promise<TestDatabase>;
}

const quietMs = 20_000;
const lookMs = 20;

/**
 * Connects to the server that `PAYDROP_TEST_POSTGRES` names, else to the one of this machine.
 * @returns why not where none answers
 */
export async function openPostgresServer(): Promise<PostgresServer | { readonly why: string }> {
  const url = process.env['PAYDROP_TEST_POSTGRES'] ?? usualUrl;
  const fault = url === '' ? 'PAYDROP_TEST_POSTGRES is empty' : await findFault(url);
  if (fault !== undefined)
    return {
      why: `no PostgreSQL (${fault}): PAYDROP_TEST_POSTGRES names one, and a role that may make databases`,
    };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    description: await describe(client),
    createDatabase: () => createDatabase(client, url),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function readOne<Row extends object>(
  client: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const { rows } = await client.query<Row>(text, [...values]);
  const [row] = rows;
  if (row === undefined) throw new Error(`no row: ${text}`);
  return row;
}

async function describe(client: pg.Client): Promise<string> {
  const { version, fsync, sync } = await readOne<{ version: string; fsync: string; sync: string }>(
    client,
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as sync`,
  );
  const short = version.replace(/ .*/, '');
  return `PostgreSQL ${short} (fsync ${fsync}, synchronous_commit ${sync})`;
}

async function createDatabase(client: pg.Client, serverUrl: string): Promise<TestDatabase> {
  const name = `${databasePrefix}${Date.now().toString(36)}_${randomBytes(6).toString('hex')}`;
  await client.query(`create database ${name} template template0 encoding 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const postmaster = await findPostmaster(client);
  return {
    url: url.href,
    count: async () => {
      await waitUntilQuiet(client, name);
      return readCounts(client, name, postmaster);
    },
    readSettledMs: async (what) => {
      const own = new pg.Client(url.href);
      await own.connect();
      const { rows } = await own.query<{ settled_at_ms: string }>(`select settled_at_ms from ${what}`);
      await own.end();
      return rows.map((row) => Number(row.settled_at_ms));
    },
    [Symbol.asyncDispose]: async () => {
      // A connection that is closing would end with an error.
      await waitUntilQuiet(client, name).catch(() => client.query(endClients, [name]));
      await client.query(`drop database ${name}`);
    },
  };
}

async function waitUntilQuiet(client: pg.Client, name: string): Promise<void> {
  const untilMs = performance.now() + quietMs;
  const text = `select count(*)::int as connected from pg_stat_activity where datname = $1 and backend_type = 'client backend'`;
  while ((await readOne<{ connected: number }>(client, text, [name])).connected > 0) {
    if (performance.now() > untilMs) throw new Error(`somebody stays connected to ${name}`);
    await wait(lookMs);
  }
}

async function readCounts(
  client: pg.Client,
  name: string,
  postmaster: number | undefined,
): Promise<ServerCounts> {
  const texts = await readOne<Record<'commits' | 'elsewhere' | 'writes', string>>(
    client,
    `select sum(xact_commit) filter (where datname = $1) as commits,
      sum(xact_commit) filter (where datname <> $1 and datname <> current_database()) as elsewhere,
      pg_snapshot_xmax(pg_current_snapshot())::text as writes
    from pg_stat_database`,
    [name],
  );
  return {
    commits: Number(texts.commits),
    elsewhere: Number(texts.elsewhere),
    writes: Number(texts.writes),
    cpuMs: postmaster === undefined ? NaN : readFamilyCpuMs(postmaster),
  };
}

// ---------------------------------------------------------------- processes

function readStatus(pid: number | string): { readonly name: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const read = (key: string): string => new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
    return { name: read('Name'), parent: Number(read('PPid')) };
  } catch {
    return undefined;
  }
}

/** The process that all others of the server are children of; undefined where the server is not of this machine. */
async function findPostmaster(client: pg.Client): Promise<number | undefined> {
  const { pid } = await readOne<{ pid: number }>(client, 'select pg_backend_pid() as pid');
  const backend = readStatus(pid);
  if (backend?.name !== 'postgres') return undefined;
  return readStatus(backend.parent)?.name === 'postgres' ? backend.parent : undefined;
}

/** Of a process, its children and those that have ended. */
export function readFamilyCpuMs(parent: number): number {
  const children = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && readStatus(pid)?.parent === parent,
  );
  const ofChildren = children.map((pid) => readCpuMs(Number(pid))).filter((ms) => !Number.isNaN(ms));
  return ofChildren.reduce((sum, ms) => sum + ms, readCpuMs(parent, true));
}
