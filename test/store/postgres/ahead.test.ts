/**
 * Bodies that go on before the server has said what a statement changed: whatever they do, they end as on SQLite, where
 * each statement is done before the next.
 */
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/store/connection.ts';
import { makePostgresEngine, type PostgresEngine } from '../../../src/store/postgres/engine.ts';
import { functions } from '../../../src/store/postgres/tables/functions.ts';
import type { Tables } from '../../../src/store/schema.ts';
import {
  type Body,
  define,
  drive,
  query,
  type Reading,
  select,
  together,
} from '../../../src/store/statements.ts';
import { listen } from './postgres-talk.ts';
import { describePostgres, makeDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Any table of the journal will do that has texts. */
type Meta = Tables['meta'];

interface Move {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

const insert = define((values: Meta) => query.insertInto('meta').values(values));
const move = define(({ key, from, to }: Move) =>
  query.updateTable('meta').set({ value: to }).where('key', '=', key).where('value', '=', from),
);
/** Changes as many rows as there are that say something else. */
const moveAll = define(({ key, to }: Omit<Move, 'from'>) =>
  query.updateTable('meta').set({ value: to }).where('key', 'like', key).where('value', '<>', to),
);
const lookUp = define(({ key }: { key: string }) =>
  query.selectFrom('meta').select('value').where('key', '=', key),
);
const readAll = (): Reading<Meta[]> => select(query.selectFrom('meta').selectAll().orderBy('key'));

type Deed =
  | { readonly kind: 'assume' | 'insist' | 'note'; readonly from: string; readonly to: string }
  | { readonly kind: 'assumeAll' | 'insert' | 'look'; readonly to: string };

const refused = 'a guard no longer holds';

function* doOne(key: string, deed: Deed): Body<unknown> {
  switch (deed.kind) {
    case 'assume':
      return yield* move.assumeOne({ key, ...deed });
    case 'insist': {
      const changed = yield* move.assumeOne({ key, ...deed });
      if (changed !== 1) throw new Error(`${refused}: ${key}`);
      return changed;
    }
    case 'note':
      return yield* move.note({ key, ...deed });
    case 'assumeAll':
      return yield* moveAll.assumeOne({ key: `${key}%`, ...deed });
    case 'insert':
      return yield* insert.note({ key: `${key} ${deed.to}`, value: deed.to });
    case 'look':
      return (yield* lookUp.get({ key }))?.value;
  }
}

/** Ends at the first guard that does not hold, as a change of a payout does. */
function* doAll(key: string, deeds: readonly Deed[]): Body<readonly unknown[]> {
  const told: unknown[] = [];
  for (const deed of deeds) {
    const one = yield* doOne(key, deed);
    told.push(one);
    if (deed.kind === 'assume' && one === 0) return told;
  }
  return told;
}

const value = fc.constantFrom('0', '1', '2');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'assume', from: '0', to: '0' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('assume', 'note', 'insist'), from: value, to: value }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('look', 'insert', 'assumeAll'), to: value }) },
);
/** Of each body of a transaction, what it does to its row. */
const transaction = fc.array<readonly Deed[]>(fc.array(deed, { maxLength: 5 }), {
  minLength: 1,
  maxLength: 6,
});

/** One of them changes two rows, the other none: as many as there are of them. */
const oneForBoth: readonly (readonly Deed[])[] = [
  [
    { kind: 'insert', to: '1' },
    { kind: 'assumeAll', to: '2' },
  ],
  [
    { kind: 'insert', to: '0' },
    { kind: 'assumeAll', to: '0' },
  ],
];

interface End {
  readonly told: readonly unknown[] | 'failed';
  readonly kept: readonly Meta[];
}

let database: TestDatabase;
let engine: PostgresEngine;
/** Stays: each connection costs the server a process. */
let beside: Awaited<ReturnType<TestDatabase['connect']>>;
let rounds = 0;

const keyOf = (place: number): string => `row ${place}`;

function* begin(bodies: number): Body<void> {
  for (let place = 0; place < bodies; place += 1) yield* insert.run({ key: keyOf(place), value: '0' });
}

const bodiesOf = (deeds: readonly (readonly Deed[])[]) => () =>
  together(deeds.map((one, place) => doAll(keyOf(place), one)));

async function endOnPostgres(deeds: readonly (readonly Deed[])[]): Promise<End> {
  await beside.query('delete from paydrop.meta');
  await engine.write(() => begin(deeds.length));
  let told: End['told'];
  try {
    told = await engine.write(bodiesOf(deeds));
  } catch {
    told = 'failed';
  }
  return { told, kept: await engine.read(readAll) };
}

function endOnSqlite(deeds: readonly (readonly Deed[])[]): End {
  using db = new DatabaseSync(':memory:');
  db.exec('create table meta (key text primary key, value text not null) strict');
  drive(db, begin(deeds.length));
  let told: End['told'];
  try {
    told = inTransaction(db, () => drive(db, bodiesOf(deeds)()));
  } catch {
    told = 'failed';
  }
  return { told, kept: drive(db, readAll()) };
}

/** Two rows that are looked at, then moved. */
const moveFrom = (from: string) =>
  bodiesOf(
    [1, 2].map(() => [
      { kind: 'look', to: '' },
      { kind: 'assume', from, to: '1' },
    ]),
  );

describePostgres('bodies that go on before they are told', () => {
  beforeAll(async () => {
    database = await makeDatabase();
    beside = await database.connect();
    await beside.query(`create schema paydrop; set search_path = paydrop, pg_catalog;
      create table meta (key text collate "C" primary key, value text not null);
      create table write_mark (writer text primary key, mark bigint not null, at_ms bigint); ${functions}`);
    engine = makePostgresEngine(database.url);
    // The server has to have seen each statement alone before it is asked for several.
    const once = (one: Deed) => endOnPostgres([[one], [one]]);
    for (const kind of ['assume', 'note'] as const) await once({ kind, from: '0', to: '1' });
    for (const kind of ['insert', 'look', 'assumeAll'] as const) await once({ kind, to: '1' });
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await beside[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  test('end as they would one statement after the other', async () => {
    await fc.assert(
      fc.asyncProperty(transaction, async (deeds) => {
        rounds += 1;
        expect(await endOnPostgres(deeds)).toEqual(endOnSqlite(deeds));
      }),
      { numRuns: 80, examples: [[oneForBoth]] },
    );
  });

  test('do not wait: the commit is asked for before the change is answered', async () => {
    await endOnPostgres([[], []]);
    const heard = await listen(engine, () => engine.write(moveFrom('0')));
    const changed = heard.findIndex((one) => one.startsWith('answered with changed'));
    expect(heard.indexOf('asked commit')).toBeLessThan(changed);
    expect(heard.filter((one) => one.startsWith('asked with changed'))).toHaveLength(1);
  });

  test('run again, on the same connection, where what they went on from was not so', async () => {
    await endOnPostgres([[], []]);
    const backends = async () =>
      engine.write(() =>
        select(query.selectFrom('meta').select((eb) => eb.fn('pg_backend_pid', []).as('pid'))),
      );
    const before = await backends();
    const heard = await listen(engine, async () => {
      expect(await engine.write(moveFrom('elsewhere'))).toEqual([0, 0].map((none) => ['0', none]));
    });
    expect(heard.filter((one) => one === 'asked begin')).toHaveLength(2);
    expect(await backends()).toEqual(before);
  });

  test('wait for their answers where the server cannot require what they went on from', async () => {
    await endOnPostgres([[], []]);
    await beside.query('drop function paydrop.require_one_each');
    const heard = await listen(engine, async () => {
      expect(await engine.write(moveFrom('0'))).toEqual([1, 1].map((one) => ['0', one]));
      expect(await engine.write(moveFrom('0'))).toEqual([0, 0].map((none) => ['1', none]));
    });
    expect(heard.filter((one) => one === 'asked begin')).toHaveLength(3);
  });
});
