/** Nothing of a journal is forgotten when it is moved: each of its tables is named, and each of their columns goes along. */
import { expect, test } from 'vitest';
import { describeTables, movedTables, ownTable } from '../../../src/app/move/tables.ts';
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
  expect([...movedTables].toSorted()).toEqual(found.map(({ name }) => String(name)).toSorted());
});

test('each table comes after those that it refers to', () => {
  using db = openTables();
  for (const [place, name] of movedTables.entries()) {
    const references = db.prepare('select "table" from pragma_foreign_key_list(?)').all(name);
    const earlier = [...movedTables.slice(0, place), name];
    expect([name, references.filter(({ table }) => !earlier.includes(String(table)))]).toEqual([name, []]);
  }
});

describePostgres('the tables on both sides', () => {
  test('have the same columns', async () => {
    using db = openTables();
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    const tables = await describeTables(db, client);
    expect(tables.map(({ name }) => name)).toEqual(movedTables);
    expect(tables.filter(({ namesItself }) => namesItself).map(({ name }) => name)).toEqual(['person']);
    expect(tables.filter(({ columns }) => columns.some(({ name }) => name === 'rowid'))).toHaveLength(2);
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
    await expect(describeTables(db, client)).rejects.toThrow('has other columns in the file');
  });
});
