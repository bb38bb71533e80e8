/** Tables are made once, whoever comes first, and never by an older program. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { JournalRefusedError } from '../../../src/store/connection.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import {
  migrateTables,
  readTablesVersion,
  tablesHistory,
  tablesVersion,
} from '../../../src/store/postgres/migrations.ts';
import { makeWorkerStore } from '../../../src/store/postgres/workers.ts';
import { describePostgres, makeDatabase, makeJournalDatabase } from '../../support/postgres.ts';

type TablesMigration = Parameters<typeof migrateTables>[1];

type TablesChange = (typeof tablesHistory)['changes'][number];

const opening: TablesMigration = { journal: 'test at 127.0.0.1', nowMs: 7 };

const versionsOf = async (client: Client) =>
  (await client.query('select version::int, applied_at_ms::int from paydrop.schema_version order by 1')).rows;

const expected = [{ version: tablesVersion, applied_at_ms: 7 }];

describePostgres('the tables on PostgreSQL', () => {
  test('are made at the first opening, and found at the next', async () => {
    await using database = await makeDatabase();
    await using client = await database.connect();
    expect(await readTablesVersion(client)).toBe(0);
    expect(await migrateTables(client, opening)).toBe(0);
    expect(await migrateTables(client, { ...opening, nowMs: 8 })).toBe(tablesVersion);
    expect(await readTablesVersion(client)).toBe(tablesVersion);
    expect(await versionsOf(client)).toEqual(expected);
  });

  test('are made over a connection of the journal, which reads flags as numbers', async () => {
    await using database = await makeDatabase();
    await using engine = makePostgresEngine(database.url);
    const client = await engine.pool.connect();
    try {
      expect(await migrateTables(client, opening)).toBe(0);
      expect(await migrateTables(client, opening)).toBe(tablesVersion);
    } finally {
      client.release(true);
    }
  });

  test('are made by one of several machines, while the others wait', async () => {
    await using database = await makeDatabase();
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
    const before = await Promise.all(clients.map((client) => migrateTables(client, opening)));
    expect(before.filter((version) => version === 0)).toHaveLength(1);
    expect(await versionsOf(clients[0]!)).toEqual(expected);
  });

  test('are not there when what belongs to them fails', async () => {
    await using database = await makeDatabase();
    await using client = await database.connect();
    const failing = async () => {
      await client.query(`insert into meta values ('journalId', 'x')`);
      throw new Error('the disk is full');
    };
    await expect(migrateTables(client, { ...opening, alongWith: failing })).rejects.toThrow(
      'the disk is full',
    );
    expect(await readTablesVersion(client)).toBe(0);
    const seen: number[] = [];
    await migrateTables(client, { ...opening, alongWith: async (before) => void seen.push(before) });
    await migrateTables(client, { ...opening, alongWith: async (before) => void seen.push(before) });
    expect(seen).toEqual([0]);
    expect((await client.query('select * from paydrop.meta')).rows).toEqual([]);
  });

  test('of a newer program are left alone', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await client.query('insert into paydrop.schema_version values (99, 0, 99)');
    const refused = migrateTables(client, opening);
    await expect(refused).rejects.toThrow(JournalRefusedError);
    await expect(refused).rejects.toThrow(
      `the journal in test at 127.0.0.1 was written by a newer paydrop (tables 99, this one knows ${tablesVersion}): use that one`,
    );
  });

  test('from before the first release are refused, and another database has a new journal', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await client.query('update paydrop.schema_version set version = 6, program_from = 6');
    const refused = migrateTables(client, opening);
    await expect(refused).rejects.toThrow(JournalRefusedError);
    await expect(refused).rejects.toThrow(
      `the journal in test at 127.0.0.1 was written by a paydrop from before the first release (tables 6, this one knows ${tablesVersion} and later)`,
    );
    await expect(refused).rejects.toThrow('another database in journal.url, too');
    await using another = await makeDatabase();
    await using fresh = await another.connect();
    expect(await migrateTables(fresh, opening)).toBe(0);
  });

  test('are not made among those of another program', async () => {
    await using database = await makeDatabase();
    await using client = await database.connect();
    await client.query('create schema paydrop');
    expect(await readTablesVersion(client)).toBe(0);
    await client.query('create table paydrop.other (id bigint)');
    const refused = migrateTables(client, opening);
    await expect(refused).rejects.toThrow(JournalRefusedError);
    await expect(refused).rejects.toThrow('the schema paydrop of the database is another program’s');
  });

  test('are made by a role that may make no schema, in those that were made for it', async () => {
    await using database = await makeDatabase();
    await using admin = await database.connect();
    await using client = await database.connect();
    const role = new URL(database.url).pathname.slice(1);
    await admin.query(`create role ${role}; grant ${role} to current_user`);
    try {
      await client.query(`set role ${role}`);
      for (const name of ['paydrop', 'paydrop_whole']) {
        const making = `create schema ${name} authorization ${role}`;
        const refused = migrateTables(client, opening);
        await expect(refused).rejects.toThrow(JournalRefusedError);
        await expect(refused).rejects.toThrow(`may not make the schema ${name} in the database ${role}`);
        await expect(refused).rejects.toThrow(`"${making}"`);
        await admin.query(making);
      }
      expect(await migrateTables(client, opening)).toBe(0);
      expect(await readTablesVersion(client)).toBe(tablesVersion);
    } finally {
      await admin.query(`drop owned by ${role} cascade; drop role ${role}`);
    }
  });

  test('are not made in an encoding that loses letters', async () => {
    await using database = await makeDatabase(`template0 encoding 'SQL_ASCII' locale 'C'`);
    await using client = await database.connect();
    await expect(migrateTables(client, opening)).rejects.toThrow(
      'the database is in SQL_ASCII: make one in UTF8',
    );
  });
});

describePostgres('an upgrade while others work', () => {
  const adds: TablesChange = { tables: 'create table one_more (id bigint);', isForPreviousToo: true };
  const changes: TablesChange = {
    tables: 'alter table worker add column other bigint;',
    isForPreviousToo: false,
  };
  const historyOf = (...more: readonly TablesChange[]) => ({
    whole: [tablesHistory.whole, ...more.map(({ tables }) => tables)].join('\n'),
    changes: [...tablesHistory.changes, ...more],
  });
  const [next, changed] = [historyOf(adds), historyOf(changes)];
  const afterNext = historyOf(adds, { ...adds, tables: 'create table and_one (id bigint);' });

  /** A process of this version that works the journal. */
  async function openWorked() {
    const database = await makeJournalDatabase();
    const client = await database.connect();
    const engine = makePostgresEngine(database.url);
    const workers = makeWorkerStore(engine);
    const name = { machine: 'pay-1', pid: 11, command: 'watch' };
    const close = async (): Promise<void> => {
      await engine[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
    return { client, workers, name, [Symbol.asyncDispose]: close };
  }

  test('goes on beside the version before, where a step only adds', async () => {
    await using worked = await openWorked();
    const { client, workers, name } = worked;
    await workers.joinAsHelper(name);
    expect(await migrateTables(client, opening, next)).toBe(tablesVersion);
    expect(await readTablesVersion(client, tablesVersion + 1)).toBe(tablesVersion + 1);
    // To this version they are what it knows, also when it is started again.
    expect(await readTablesVersion(client)).toBe(tablesVersion);
    expect(await migrateTables(client, opening)).toBe(tablesVersion);
    expect(await workers.takeSenderPlace(name)).toMatchObject({ kind: 'taken' });
  });

  test('waits until nobody of two versions before is there, who is refused afterwards', async () => {
    await using worked = await openWorked();
    const { client, workers, name } = worked;
    const workerId = await workers.joinAsHelper(name);
    await migrateTables(client, opening, next);
    const early = migrateTables(client, opening, afterNext);
    await expect(early).rejects.toThrow(
      'an older paydrop works with this journal ("paydrop watch", process 11 on pay-1), which may not go on beside this one',
    );
    expect(await readTablesVersion(client, tablesVersion + 2)).toBe(tablesVersion + 1);
    await workers.endWorker(workerId);
    expect(await migrateTables(client, opening, afterNext)).toBe(tablesVersion + 1);
    await expect(migrateTables(client, opening)).rejects.toThrow('was written by a newer paydrop');
    await expect(workers.joinAsHelper(name)).rejects.toThrow(
      'a newer paydrop has brought the journal up to date',
    );
  });

  test('that changes what the version before needs waits for all of that, and not for the dead', async () => {
    await using worked = await openWorked();
    const { client, workers, name } = worked;
    await workers.takeSenderPlace(name);
    const refused = migrateTables(client, opening, changed);
    await expect(refused).rejects.toThrow(JournalRefusedError);
    await expect(refused).rejects.toThrow(
      'stop every paydrop process of that version first, on all machines',
    );
    await client.query('update paydrop.worker set lease_until_ms = 0');
    expect(await migrateTables(client, opening, changed)).toBe(tablesVersion);
    await expect(workers.takeSenderPlace(name)).rejects.toThrow(JournalRefusedError);
  });
});
