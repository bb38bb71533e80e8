/** How a body is driven: its statements run where it yields them, and what they throw is thrown there. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { inTransaction } from '../../src/store/connection.ts';
import {
  type Body,
  change,
  define,
  drive,
  isInPlace,
  pick,
  query,
  select,
  selectFirst,
  together,
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

/** Inserts a row that is there already, and says what it met. */
function* keepAgain(how: 'run' | 'note'): Body<string> {
  try {
    yield* keep[how]({ key: 'a', value: '2' });
  } catch (error) {
    return (error as Error).message;
  }
  return 'kept';
}

test('on SQLite statements run where they stand: nothing is yielded', () => {
  using db = openMeta();
  function* keepAndRead(): Body<readonly unknown[]> {
    yield* keep.note({ key: 'a', value: '1' });
    yield* keep.run({ key: 'b', value: '2' });
    return yield* together([valueOf.get({ key: 'a' }), valueOf.all({ key: 'b' }), keepAgain('run')]);
  }
  const body = keepAndRead();
  const next = vi.spyOn(body, 'next');
  const [first, others, met] = drive(db, body);
  expect(JSON.stringify([first, others])).toBe('[{"value":"1"},[{"value":"2"}]]');
  expect(met).toMatch('UNIQUE');
  expect(next).toHaveBeenCalledOnce();
  expect(drive(db, keepAgain('note'))).toMatch('UNIQUE');
});

test('of bodies that run together the failure of one is met where they were asked for, and none after it runs', () => {
  using db = openMeta();
  function* keepTogether(): Body<unknown> {
    const bodies = ['a', 'a', 'b'].map((key) => keep.run({ key, value: '1' }));
    try {
      return yield* together(bodies);
    } catch (error) {
      return (error as Error).message;
    }
  }
  expect(drive(db, keepTogether())).toMatch('UNIQUE');
  expect(drive(db, select(query.selectFrom('meta').select('key')))).toHaveLength(1);
});

test('within a body another may be driven elsewhere: each keeps to its own connection, also after a failure', () => {
  using one = openMeta();
  using other = openMeta();
  function* keepInBoth(): Body<unknown> {
    yield* keep.run({ key: 'a', value: 'one' });
    drive(other, keep.run({ key: 'a', value: 'other' }));
    expect(() => drive(other, keep.run({ key: 'a', value: 'again' }))).toThrow('UNIQUE');
    return yield* valueOf.get({ key: 'a' });
  }
  expect(drive(one, keepInBoth())).toEqual(expect.objectContaining({ value: 'one' }));
  expect(drive(other, valueOf.get({ key: 'a' }))?.value).toBe('other');
});

test('what is driven step by step never meets the connection of another', async () => {
  using db = openMeta();
  function* keepTwice(): Body<boolean> {
    yield* keep.run({ key: 'a', value: '1' });
    const answers = yield* together([keep.run({ key: 'b', value: '1' })]);
    return answers[0] === 7;
  }
  const body = keepTwice();
  const first = body.next();
  expect(first.value).toMatchObject({ wanted: 'run', values: { key: 'a' } });
  // What is driven on SQLite in between is done, or has failed, before the next step.
  drive(db, keep.run({ key: 'a', value: '2' }));
  expect(() => drive(db, keep.run({ key: 'a', value: '2' }))).toThrow('UNIQUE');
  await Promise.resolve();
  expect(isInPlace()).toBe(false);
  expect(body.next(1).value).toMatchObject({ together: [expect.anything()] });
  expect(body.next([7])).toEqual({ done: true, value: true });
  expect(drive(db, valueOf.get({ key: 'b' }))).toBeUndefined();
});
