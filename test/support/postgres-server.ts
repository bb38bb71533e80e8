/**
 * Before the tests: finds a PostgreSQL server once. `PAYDROP_TEST_POSTGRES` names it (a URL of a role that may make
 * databases and roles; empty: none); else it is one of the run's own, in memory, where the machine has what that takes, or
 * the one that `.ci/run` sets up. Where none answers, what needs it is skipped.
 */
import { statfsSync } from 'node:fs';
import { Client } from 'pg';
import { findPostgresPrograms, openOwnPostgres, type PostgresPlan } from './own-postgres.ts';
import { findMemoryFolder } from './quick-folder.ts';

/** Of the server that `.ci/run` sets up. */
export const usualUrl = 'postgres://paydrop:paydrop@127.0.0.1:5432/postgres';
const versionMin = 150_000;
const waitMs = 3_000;
/** A run that was killed leaves its databases; another run may still use what is younger. */
const keptForMs = 3_600_000;

/** Begins the name of every database that tests make; when it was made (milliseconds, base 36) follows. */
export const databasePrefix = 'paydrop_test_';

/**
 * Ends the connections to a database before it is dropped. Not by force: that takes a superuser while a vacuum of the
 * server's own is in it, which a drop ends itself.
 */
export const endClients = `
select pg_terminate_backend(pid) from pg_stat_activity
where datname = $1 and usesysid is not null and pg_has_role(usesysid, 'member')`;

async function removeOld(client: Client): Promise<void> {
  const named = await client.query<{ readonly datname: string }>(
    `select datname from pg_database where starts_with(datname, $1) and pg_has_role(datdba, 'member')`,
    [databasePrefix],
  );
  for (const { datname: name } of named.rows) {
    const madeAtMs = Number.parseInt(name.slice(databasePrefix.length), 36);
    // Another run may remove it, too.
    if (!(madeAtMs > Date.now() - keptForMs))
      await client.query(`drop database if exists "${name}"`).catch(() => {});
  }
}

/** Why a server does not do; undefined when it does. Drops what tests have left there. */
export async function findFault(url: string): Promise<string | undefined> {
  let client: Client | undefined;
  try {
    client = new Client({ connectionString: url, connectionTimeoutMillis: waitMs });
    await client.connect();
    const { rows } = await client.query<{ readonly version: number; readonly may_make: boolean }>(
      `select current_setting('server_version_num')::int as version, rolsuper or (rolcreatedb and rolcreaterole) as may_make
       from pg_roles where rolname = current_user`,
    );
    if (!((rows[0]?.version ?? 0) >= versionMin)) return 'it is older than 15';
    if (rows[0]?.may_make !== true) return 'the role may not make databases and roles';
    await removeOld(client);
    return undefined;
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return message === '' ? code : message;
  } finally {
    await client?.end().catch(() => {});
  }
}

/** Many times what the databases and the log of all tests hold at any moment. */
const memoryBytesMin = 4 * 2 ** 30;

/**
 * Each test makes a database and drops it, which waits for the disk at each of its hundreds of files: on a disk that is
 * most of what such a test takes. The server says that it waits, since the program refuses one that does not.
 */
const planIn = (parent: string): PostgresPlan => ({
  parent,
  asksForPasswords: true,
  // No database lives for as long as it takes to need a vacuum, and each was looked into by one again and again.
  settings: { max_connections: '300', max_wal_size: '512MB', autovacuum: 'off' },
});

const ownRole = 'paydrop';

/** Gives the role of the tests what `.ci/run` gives it. Scram would cost each of its connections thousands of hashes. */
async function allowMaking(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`set password_encryption = 'md5'`);
    await admin.query(`alter role ${ownRole} createdb createrole password '${ownRole}'`);
  } finally {
    await admin.end();
  }
}

interface RunningServer {
  readonly url: string;
  end(): Promise<void>;
}

/** Undefined where the machine has no programs for it, or no memory. */
async function startOwn(): Promise<RunningServer | undefined> {
  const [programs, memory] = [findPostgresPrograms(), findMemoryFolder()];
  if (programs === undefined || memory === undefined) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < memoryBytesMin) return undefined;
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await openOwnPostgres(programs, planIn(memory)));
  await allowMaking(server.adminUrl);
  const url = `postgres://${ownRole}:${ownRole}@127.0.0.1:${server.port}/postgres`;
  const owned = stack.move();
  return { url, end: () => owned.disposeAsync() };
}

async function startIfUnnamed(): Promise<RunningServer | undefined> {
  if (process.env['PAYDROP_TEST_POSTGRES'] !== undefined) return undefined;
  try {
    return await startOwn();
  } catch (error) {
    console.warn('No PostgreSQL of the run’s own, another is looked for:', error);
    return undefined;
  }
}

/** Called by vitest. The processes of the tests inherit what it finds. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const own = await startIfUnnamed();
  if (own !== undefined) process.env['PAYDROP_TEST_POSTGRES'] = own.url;
  process.env['PAYDROP_TEST_POSTGRES_IN_MEMORY'] = String(own !== undefined);
  const url = process.env['PAYDROP_TEST_POSTGRES'] ?? usualUrl;
  const fault = url === '' ? 'PAYDROP_TEST_POSTGRES is empty' : await findFault(url);
  process.env['PAYDROP_TEST_POSTGRES_FOUND'] = fault === undefined ? url : '';
  if (fault !== undefined) console.warn(`No PostgreSQL, the tests that need it are skipped: ${fault}`);
  return own?.end;
}
