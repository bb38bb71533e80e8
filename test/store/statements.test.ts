/** How a body is driven: its statements run where it yields them, and what they throw is thrown there. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { inTransaction } from '../../src/store/connection.ts';
import {
  type Body,
  change,
  define,
  drive,
  pick,
  query,
  select,
  selectFirst,
} from '../../src/store/statements.ts';

function openMeta(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  db.exec('create table meta (key text primary key, value text not null) strict');
  return db;
}

const keep = define((values: { key: string; value: string }) =>
  query.insertInto('meta').values(pick(values, ['key', 'value'])),
);
const valueOf = define((values: { key: string }) =>
  query.selectFrom('meta').select('value').where('key', '=', values.key),
);

function* keepBoth(): Body<readonly unknown[]> {
  const rows = yield* keep.run({ key: 'a', value: '1' });
  const again = yield* change(query.insertInto('meta').values({ key: 'b', value: '2' }));
  const found = yield* valueOf.get({ key: 'a' });
  const missing = yield* selectFirst(query.selectFrom('meta').selectAll().where('key', '=', 'c'));
  return [rows, again, found, missing, yield* select(query.selectFrom('meta').select('key').orderBy('key'))];
}

test('a body gets the rows of each of its statements', () => {
  using db = openMeta();
  const expected = [1, 1, { value: '1' }, undefined, [{ key: 'a' }, { key: 'b' }]];
  expect(JSON.stringify(drive(db, keepBoth()))).toBe(JSON.stringify(expected));
});

test('a statement is compiled once on each connection, whoever drives it', () => {
  let built = 0;
  const counted = define((_values: object) => {
    built += 1;
    return query.selectFrom('meta').select('key');
  });
  using one = openMeta();
  using other = openMeta();
  for (const db of [one, other, one, other]) expect(drive(db, counted.all({}))).toEqual([]);
  expect(built).toBe(2);
});

test('no limit is a bound value: SQLite would compile the statement anew for each', () => {
  using db = openMeta();
  const seen: string[] = [];
  const prepare = (sql: string) => {
    seen.push(sql);
    return db.prepare(sql);
  };
  const connection = { prepare } as DatabaseSync;
  drive(connection, change(query.insertInto('meta').values({ key: 'a', value: '1' })));
  const page = define((values: { limit: number }) =>
    query.selectFrom('meta').select('key').limit(values.limit),
  );
  const first = query.selectFrom('meta').select('key').limit(1);
  expect(drive(connection, select(first))).toHaveLength(1);
  expect(drive(connection, page.all({ limit: 1 }))).toHaveLength(1);
  expect(drive(connection, page.all({ limit: 0 }))).toEqual([]);
  const limits = seen.flatMap((sql) => /limit .*$/.exec(sql)?.[0] ?? []);
  expect(limits).toEqual(['limit 1', 'limit (? + 0)']);
});

test('what a statement throws is thrown where the body stands, and ends its transaction when nobody takes it', () => {
  using db = openMeta();
  function* keepTwice(isTaken: boolean): Body<string> {
    yield* keep.run({ key: 'a', value: '1' });
    try {
      yield* keep.run({ key: 'a', value: '2' });
    } catch (error) {
      if (!isTaken) throw error;
      return 'taken';
    }
    return 'kept';
  }
  expect(() => inTransaction(db, () => drive(db, keepTwice(false)))).toThrow('UNIQUE');
  expect(drive(db, valueOf.get({ key: 'a' }))).toBeUndefined();
  expect(inTransaction(db, () => drive(db, keepTwice(true)))).toBe('taken');
  expect(drive(db, valueOf.get({ key: 'a' }))?.value).toBe('1');
});
