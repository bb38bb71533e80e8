/** Nothing of a journal is forgotten when it is moved: each of its tables is named, and each of their columns goes along. */
import { expect, test } from 'vitest';
import { movedTables, ownTable, requireKnownColumns } from '../../../src/app/move/tables.ts';
import { openConnection } from '../../../src/store/connection.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';

function openTables() {
  const db = openConnection(':memory:');
  migrate(db, 0);
  return db;
}

test('every table of the file is carried, once', () => {
  using db = openTables();
  const found = db.prepare(`select name from sqlite_master where type = 'table' and name <> ?`).all(ownTable);
  expect(movedTables.map(({ name }) => name).toSorted()).toEqual(
    found.map(({ name }) => String(name)).toSorted(),
  );
});

test('each table comes after those that it refers to', () => {
  using db = openTables();
  for (const [place, { name }] of movedTables.entries()) {
    const references = db.prepare('select "table" from pragma_foreign_key_list(?)').all(name);
    const earlier = new Set<unknown>(movedTables.slice(0, place + 1).map((one) => one.name));
    expect([name, references.filter(({ table }) => !earlier.has(table))]).toEqual([name, []]);
  }
});

test('rows that name others of their table go in one statement, and an order of their own is carried', () => {
  expect(movedTables.filter(({ namesItself }) => namesItself).map(({ name }) => name)).toEqual(['person']);
  const ordered = movedTables.filter(({ columns }) => columns.some(({ name }) => name === 'rowid'));
  expect(ordered.map(({ name }) => name)).toEqual(['batch', 'registration_batch']);
});

describePostgres('the tables on both sides', () => {
  test('have the same columns', async () => {
    using db = openTables();
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await requireKnownColumns(db, client);
  });

  test.each([
    'alter table paydrop.payout add column more text',
    'alter table paydrop.daily_job drop column date',
    'alter table paydrop.claim rename to claims',
  ])('are not carried where they differ: %s', async (change) => {
    using db = openTables();
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await client.query(change);
    await expect(requireKnownColumns(db, client)).rejects.toThrow('has other columns');
  });
});
