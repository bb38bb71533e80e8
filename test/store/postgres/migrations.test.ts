/** Tables are made once, whoever comes first, and never by an older program. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { JournalRefusedError } from '../../../src/store/connection.ts';
import {
  migrateTables,
  readTablesVersion,
  type TablesMigration,
  tablesVersion,
} from '../../../src/store/postgres/migrations.ts';
import { describePostgres, makeDatabase, makeJournalDatabase } from '../../support/postgres.ts';

const opening: TablesMigration = { journal: 'test at 127.0.0.1', nowMs: 7 };

const versionsOf = async (client: Client) =>
  (await client.query('select version::int, applied_at_ms::int from paydrop.schema_version order by 1')).rows;

const expected = Array.from({ length: tablesVersion }, (_one, index) => ({
  version: index + 1,
  applied_at_ms: 7,
}));

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
    await client.query('insert into paydrop.schema_version values (99, 0)');
    const refused = migrateTables(client, opening);
    await expect(refused).rejects.toThrow(JournalRefusedError);
    await expect(refused).rejects.toThrow(
      `the journal in test at 127.0.0.1 was written by a newer paydrop (tables 99, this one knows ${tablesVersion}): use that one`,
    );
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

  test('are not made in an encoding that loses letters', async () => {
    await using database = await makeDatabase(`template0 encoding 'SQL_ASCII' locale 'C'`);
    await using client = await database.connect();
    await expect(migrateTables(client, opening)).rejects.toThrow(
      'the database is in SQL_ASCII: make one in UTF8',
    );
  });
});
