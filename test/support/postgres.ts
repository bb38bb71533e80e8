/** PostgreSQL for tests: each has databases of its own, on the server that was found before them. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Client } from 'pg';
import { describe } from 'vitest';
import { migrateTables, rolesScript, tablesHistory } from '../../src/store/postgres/migrations.ts';
import { databasePrefix, endClients } from './postgres-server.ts';

const serverUrl = process.env['PAYDROP_TEST_POSTGRES_FOUND'] ?? '';

/** `describe`, of tests that are skipped where no server answers. */
export const describePostgres: typeof describe.skip = serverUrl === '' ? describe.skip : describe;

export interface TestDatabase extends AsyncDisposable {
  /** Of a role that owns it, and may make roles. */
  readonly url: string;
  /** One more connection; it ends when its owner does, at the latest with the database. */
  connect(): Promise<Client & AsyncDisposable>;
}

/** On the server's own database, where others are made and dropped. */
async function atServer<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Maker {
  readonly client: Client;
  readonly socket: Socket;
}

let maker: Promise<Maker> | undefined;
/** Who waits for it. */
let users = 0;

async function openMaker(): Promise<Maker> {
  const socket = new Socket();
  const client = new Client({ connectionString: serverUrl, stream: () => socket });
  client.on('error', () => {});
  client.once('end', () => (maker = undefined));
  await client.connect();
  return { client, socket };
}

/** On a connection to the server that stays for what this process makes and drops: each costs the server a process. */
async function atMaker<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  maker ??= openMaker();
  const { client, socket } = await maker.catch((error: unknown) => {
    maker = undefined;
    throw error;
  });
  users += 1;
  socket.ref();
  try {
    return await work(client);
  } finally {
    users -= 1;
    // A process whose work is over ends.
    if (users === 0) socket.unref();
  }
}

async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  // It is cut off with its database.
  client.on('error', () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Runs SQL beside a journal, among its tables; rows come as text. */
export async function openSqlBeside(url: string) {
  const client = await connect(url);
  await client.query('set search_path = paydrop, pg_catalog');
  const run = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows;
  return Object.assign(run, { [Symbol.asyncDispose]: () => client.end() });
}

const emptyTemplate = `template0 encoding 'UTF8'`;

const makeName = (): string =>
  `${databasePrefix}${Date.now().toString(36)}_${randomBytes(6).toString('hex')}`;

const urlOf = (name: string): string => Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;

const drop = (name: string): Promise<void> =>
  atMaker(async (server) => {
    // A program that is cut off comes back at once.
    await server.query(`alter database ${name} with allow_connections false`);
    await server.query(endClients, [name]);
    await server.query(`drop database ${name}`);
  });

/** On a disk, copying files takes longer: it waits until they, and all others of the server, are written. */
const copying = process.env['PAYDROP_TEST_POSTGRES_IN_MEMORY'] === 'true' ? 'strategy file_copy' : '';

/**
 * A database that goes when its owner does, whoever is connected to it.
 * @param template what it is copied from, and what is said of it besides
 */
export async function makeDatabase(template = emptyTemplate): Promise<TestDatabase> {
  const name = makeName();
  await atMaker(async (server) => {
    await server.query(`create database ${name} template ${template} ${copying}`);
    // As with their folders: waiting for the disk would be most of what tests take, and none can see a power cut.
    await server.query(`alter database ${name} set synchronous_commit = off`);
  });
  return {
    url: urlOf(name),
    connect: () => connect(urlOf(name)),
    [Symbol.asyncDispose]: () => drop(name),
  };
}

/** Tells the tables of one state of the source from those of another. */
function hashTables(): string {
  const hash = createHash('sha256').update(JSON.stringify(tablesHistory)).update(rolesScript);
  for (const file of ['migrations', 'workers'])
    hash.update(readFileSync(new URL(`../../src/store/postgres/${file}.ts`, import.meta.url)));
  return hash.digest('hex').slice(0, 16);
}

/** Processes of tests that make a template wait for one another. */
const templateLock = 20_261_123;

/** Makes what is in a template besides the journal's tables. */
export type Prepare = (url: string) => Promise<void>;

/** A database with the journal's tables, which others are copied from: that is faster than making them anew. */
const findTemplate = (kind: string, prepare: Prepare): Promise<string> =>
  atServer(async (server) => {
    const ending = `_of_${kind}_${hashTables()}`;
    await server.query(`select pg_advisory_lock(${templateLock})`);
    const known = await server.query<{ readonly datname: string }>(
      'select datname from pg_database where starts_with(datname, $1) and right(datname, length($2)) = $2',
      [databasePrefix, ending],
    );
    const [template] = known.rows;
    if (template !== undefined) return template.datname;
    const name = makeName();
    await server.query(`create database ${name} template ${emptyTemplate}`);
    {
      await using client = await connect(urlOf(name));
      await migrateTables(client, { journal: name, nowMs: Date.now() });
    }
    await prepare(urlOf(name));
    // Only one that is whole is found.
    await server.query(`alter database ${name} rename to ${name}${ending}`);
    return `${name}${ending}`;
  });

/** What PostgreSQL says where a database is not there: another run removes templates that are old. */
const noDatabase = '3D000';

/** What makes databases with the journal's tables and what is said besides. @param kind tells them from others */
export function makeJournalDatabases(kind: string, prepare: Prepare): () => Promise<TestDatabase> {
  let template: Promise<string> | undefined;
  return async () => {
    try {
      return await makeDatabase(await (template ??= findTemplate(kind, prepare)));
    } catch (error) {
      template = undefined;
      if ((error as { readonly code?: string }).code !== noDatabase) throw error;
      return makeDatabase(await (template = findTemplate(kind, prepare)));
    }
  };
}

/** A database with the journal's tables, empty; else as `makeDatabase`. */
export const makeJournalDatabase = makeJournalDatabases('empty', async () => {});

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

/** A copy of a database to which nobody is connected. */
export const copyDatabase = (database: TestDatabase): Promise<TestDatabase> => makeDatabase(nameOf(database));

/** Puts a copy of another in the place of a database, whoever is connected to it. */
export async function replaceDatabase(database: TestDatabase, by: TestDatabase): Promise<void> {
  const name = nameOf(database);
  await drop(name);
  await atMaker(
    async (server) => void (await server.query(`create database ${name} template ${nameOf(by)} ${copying}`)),
  );
}
