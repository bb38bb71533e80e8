/** PostgreSQL for tests: each has databases of its own, on the server that was found before them. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { describe } from 'vitest';
import { databasePrefix } from './postgres-server.ts';

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

async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  // It is cut off with its database.
  client.on('error', () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** An empty database that goes when its owner does, whoever is connected to it. */
export async function makeDatabase(template = 'template0'): Promise<TestDatabase> {
  const name = `${databasePrefix}${Date.now().toString(36)}_${randomBytes(6).toString('hex')}`;
  await atServer(async (server) => {
    await server.query(`create database ${name} template ${template} encoding 'UTF8'`);
    // As with their folders: waiting for the disk would be most of what tests take, and none can see a power cut.
    await server.query(`alter database ${name} set synchronous_commit = off`);
  });
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  return {
    url,
    connect: () => connect(url),
    [Symbol.asyncDispose]: () =>
      atServer(async (server) => {
        await server.query(`drop database ${name} with (force)`);
      }),
  };
}
