/** Bodies that ask the same statement at once, and reads that are asked for together, on a real PostgreSQL. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change } from '../../../src/core/ports.ts';
import { hashEvent, textOf } from '../../../src/review/rules/payout-chain.ts';
import { readChainPage } from '../../../src/store/payouts/chain.ts';
import { makePostgresEngine, type PostgresEngine } from '../../../src/store/postgres/engine.ts';
import type { Tables } from '../../../src/store/schema.ts';
import { type Body, define, query, type Reading, together } from '../../../src/store/statements.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { openCluster } from '../../support/cluster.ts';
import { intentOf } from '../../support/journal-fixtures.ts';
import { listen } from './postgres-talk.ts';
import { describePostgres, makeDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Any table of the journal will do that has texts and numbers. */
type Meta = Tables['meta'];

const insert = define((values: Meta) => query.insertInto('meta').values(values));
const update = define(({ key, from, to }: { key: string; from: string; to: string }) =>
  query.updateTable('meta').set({ value: to }).where('key', '=', key).where('value', '=', from),
);
const lookUp = define(({ key }: { key: string }) =>
  query.selectFrom('meta').select(['key', 'value']).where('key', '=', key).orderBy('value').limit(1),
);
const count = define((_values: object) =>
  query.selectFrom('meta').select((eb) => eb.fn.countAll<number>().as('rows')),
);
const divide = define(({ by }: { by: number }) =>
  query.selectFrom('meta').select(sql<number>`1 / cast(${by} as bigint)`.as('quotient')),
);

const many = <Result>(bodies: readonly Body<Result>[]) => together([...bodies]);

let database: TestDatabase;
let engine: PostgresEngine;

/** What was asked of the server meanwhile. */
async function statements(one: PostgresEngine, work: () => Promise<unknown>): Promise<readonly string[]> {
  const heard = await listen(one, work);
  return heard.flatMap((line) => /^asked (.*)/s.exec(line)?.[1] ?? []);
}

describePostgres('several who ask the same', () => {
  beforeAll(async () => {
    database = await makeDatabase();
    await using client = await database.connect();
    await client.query(`create schema paydrop; create table paydrop.meta (key text primary key, value text);
      create table paydrop.write_mark (writer text primary key, mark bigint not null, at_ms bigint)`);
    engine = makePostgresEngine(database.url);
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const texts = fc.string({ unit: anyCharacter, maxLength: 8 }).map((text) => text.replaceAll('\0', ''));
  const keys = fc.uniqueArray(fc.oneof(texts, fc.constantFrom('NULL', '{}', '"', '\\', 'a,b')), {
    minLength: 1,
    maxLength: 12,
  });

  test('each is told what it would have been told alone', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(keys, texts, async (named, value) => {
        run += 1;
        const own = named.map((key) => `${run} ${key}`);
        const added = await engine.write(() => many(own.map((key) => insert.run({ key, value }))));
        expect(added).toEqual(own.map(() => 1));
        const [first = ''] = own;
        const froms = own.map((key) => ({ key, from: key === first ? `not ${value}` : value, to: 'NULL' }));
        const changed = await engine.write(() => many(froms.map((from) => update.run(from))));
        expect(changed).toEqual(own.map((key) => (key === first ? 0 : 1)));
        const asked = [...own, `${run} nobody's\n`.repeat(3)];
        const found = await engine.write(() => many(asked.map((key) => lookUp.get({ key }))));
        const alone = [];
        for (const key of asked) alone.push(await engine.read(() => lookUp.get({ key })));
        expect(found).toEqual(alone);
        expect(await Promise.all(asked.map((key) => engine.look(() => lookUp.get({ key }))))).toEqual(alone);
      }),
      { numRuns: 30 },
    );
  });

  test('nothing is nothing, whatever the database takes NULL for by default', async () => {
    await using client = await database.connect();
    await client.query(
      'alter database current set array_nulls = off'.replace('current', client.database ?? ''),
    );
    await using other = makePostgresEngine(database.url);
    const keep = define((values: { key: string; value: string | null }) =>
      query.insertInto('meta').values({ key: values.key, value: sql<string>`${values.value}` }),
    );
    const add = (mark: string) =>
      other.write(() => many([1, 2].map((key) => keep.run({ key: `${mark} ${key}`, value: null }))));
    await add('none');
    await add('none again');
    const kept = ['none 1', 'none again 1', 'none again 2'].map((key) =>
      other.read(() => lookUp.get({ key })),
    );
    expect((await Promise.all(kept)).map((row) => row?.value)).toEqual([null, null, null]);
  });

  test('who wants the first row and who wants all of them are told so', async () => {
    const keyed = [1, 2].map((place) => ({ key: `wanted ${place}`, value: 'x' }));
    await engine.write(() => many(keyed.map((one) => insert.run(one))));
    const firsts = () => engine.write(() => many(keyed.map(({ key }) => lookUp.get({ key }))));
    await firsts();
    expect(await firsts()).toEqual(keyed);
    expect(await engine.write(() => many(keyed.map(({ key }) => lookUp.all({ key }))))).toEqual(
      keyed.map((one) => [one]),
    );
    const mixed = (): Body<unknown[]> => together([count.get({}), count.all({})]);
    const [one, all] = await engine.write(mixed);
    expect(all).toEqual([one]);
  });

  test('they ask once', async () => {
    const ask = (mark: string) =>
      engine.write(() => many([1, 2, 3].map((key) => insert.run({ key: `${mark} ${key}`, value: 'x' }))));
    await ask('first');
    const sent = await statements(engine, () => ask('second'));
    expect(sent.filter((text) => text.startsWith('insert into "meta"'))).toHaveLength(1);
    const looks = await statements(engine, () =>
      Promise.all([1, 2, 3].map((key) => engine.look(() => lookUp.get({ key: `second ${key}` })))),
    );
    // Nobody waits for the end of what has only read.
    expect(looks.slice(0, 2).map((text) => text.split(' ')[0])).toEqual(['begin', 'select']);
    expect(looks.length).toBeLessThanOrEqual(3);
    const same = await statements(engine, () =>
      Promise.all([1, 2, 3].map(() => engine.look(() => count.get({})))),
    );
    expect(same.filter((text) => text.startsWith('select'))).toHaveLength(1);
  });

  test('the one that a constraint refuses is told of, and nobody else', async () => {
    const told: string[] = [];
    const insertOne = function* (key: string): Body<number> {
      try {
        return yield* insert.run({ key, value: 'one' });
      } catch (error) {
        told.push(key);
        throw error;
      }
    };
    const add = (named: readonly string[]) => engine.write(() => many(named.map(insertOne)));
    await add(['there', 'there, too']);
    await expect(add(['new', 'there', 'newer'])).rejects.toThrow(/duplicate key/);
    expect(told[0]).toBe('there');
    expect(told).not.toContain('new');
    expect(await engine.read(() => lookUp.get({ key: 'new' }))).toBeUndefined();
    expect(await add(['new', 'newer'])).toEqual([1, 1]);
  });

  test('a body that waits for several fails with one of them, and goes on as it likes', async () => {
    const fail = function* (): Body<number> {
      yield* lookUp.get({ key: 'there' });
      throw new Error('of its own');
    };
    const passOver = function* (): Body<string> {
      try {
        yield* together([fail(), lookUp.get({ key: 'there' })]);
      } catch (error) {
        return (error as Error).message;
      }
      return 'not met';
    };
    expect(await engine.write(() => many([passOver(), passOver()]))).toEqual(['of its own', 'of its own']);
  });

  test('a read that fails is no other’s failure', async () => {
    const failing = function* (): Reading<number> {
      yield* count.get({});
      throw new Error('of its own');
    };
    const [own, zero, two, rows] = await Promise.allSettled([
      engine.look(failing),
      engine.look(() => divide.get({ by: 0 })),
      engine.look(() => divide.get({ by: 1 })),
      engine.look(() => count.get({})),
    ]);
    expect(own).toMatchObject({ reason: { message: 'of its own' } });
    expect(zero).toMatchObject({ reason: { message: 'division by zero' } });
    expect(two).toEqual({ status: 'fulfilled', value: { quotient: 1 } });
    expect(rows).toEqual({ status: 'fulfilled', value: await engine.read(() => count.get({})) });
  });

  test('reads that fail leave no transaction open, and fail nobody who reads after them', async () => {
    // Known to the server: from here on it is asked once for all of them.
    for (let round = 0; round < 2; round += 1)
      await Promise.all([1, 2].map((by) => engine.look(() => divide.get({ by }))));
    for (let round = 0; round < 5; round += 1) {
      const asked = [1, 0, 0].map((by) => engine.look(() => divide.get({ by })));
      const ends = await Promise.allSettled([...asked, engine.look(() => count.get({}))]);
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      await using client = await database.connect();
      const idle = `select count(*)::int as open from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`;
      expect((await client.query<{ open: number }>(idle)).rows).toEqual([{ open: 0 }]);
    }
  });

  test('what was written before it was asked for is seen', async () => {
    for (let round = 0; round < 20; round += 1) {
      const others = Promise.all([1, 2, 3].map(() => engine.look(() => count.get({}))));
      await engine.write(() => insert.run({ key: `seen ${round}`, value: 'x' }));
      expect(await engine.look(() => lookUp.get({ key: `seen ${round}` }))).toBeDefined();
      await others;
    }
  });
});

describePostgres('payouts that are changed at once', () => {
  test('cost the statements of one, and each is told what has become of it', async () => {
    await using cluster = await openCluster();
    const rows = Array.from({ length: 30 }, (_one, place) => place + 1);
    await cluster.ready(...rows);
    const machine = cluster.open();
    machine.workerId = await machine.workers.joinAsHelper({ machine: 'pay-1', pid: 1, command: 'watch' });
    const payouts = await Promise.all(rows.map((row) => machine.payout(row)));
    const applyAll = (changes: readonly Change[]) =>
      Promise.allSettled(changes.map((change) => machine.apply([change])));
    const intents = payouts.map((payout) => intentOf(payout));
    await applyAll(intents.slice(0, 10).map(({ change }) => change));
    // Of these one has changed meanwhile, and of another an attempt was counted.
    await cluster.sql('update payout set version = 7 where seq = 12');
    await cluster.sql('update claim set attempts_recorded = 1 where payout_seq = 14');
    const ends = await applyAll(intents.slice(10, 20).map(({ change }) => change));
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value[0] : 'refused'))).toEqual(
      rows.slice(10, 20).map((row) => (row === 12 ? false : row === 14 ? 'refused' : true)),
    );
    const sent = await statements(machine.engine, () =>
      applyAll(intents.slice(20).map(({ change }) => change)),
    );
    expect(sent.filter((text) => text.includes('update "payout"'))).toHaveLength(1);
    expect(sent.length).toBeLessThan(20);
    const page = await machine.engine.read(() => readChainPage(0));
    expect(page?.chains.map(({ events }) => events.length)).toEqual(
      rows.map((row) => (row === 12 || row === 14 ? 0 : 1)),
    );
    for (const { start, events } of page?.chains ?? [])
      for (const event of events) expect(event.hash).toBe(hashEvent(start, textOf(event)));
  });
});
