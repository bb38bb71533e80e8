/** What the server answers to a transaction that it has not begun, or to those who ask after one that has failed. */
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import type { Tables } from '../../../src/store/schema.ts';
import { type Body, define, query, type Reading, select, together } from '../../../src/store/statements.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';

const insert = define((values: Tables['meta']) => query.insertInto('meta').values(values));
const lookUp = define(({ key }: { key: string }) =>
  query.selectFrom('meta').select('value').where('key', '=', key),
);

const readKeys = function* (): Reading<readonly string[]> {
  const kept = yield* select(
    query.selectFrom('meta').select('key').where('key', 'like', 'row %').orderBy('key'),
  );
  return kept.map(({ key }) => key);
};

const add = (place: number) => insert.run({ key: `row ${place}`, value: '' });

/** The server fails the next `begin`, as it does when that is cancelled or takes too long. */
function failBegin(): void {
  const { query: asked } = Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  let hasFailed = false;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function ask(this: Client, ...given: unknown[]) {
    const isNext = given[0] === 'begin' && !hasFailed;
    if (isNext) hasFailed = true;
    return Reflect.apply(asked, this, isNext ? ['select 1 / 0'] : given) as never;
  });
}

describePostgres('a transaction of a pipeline', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('keeps nothing where it has not begun', async () => {
    await using database = await makeJournalDatabase();
    await using engine = makePostgresEngine(database.url);
    const addLater = function* (): Body<void> {
      yield* lookUp.get({ key: 'row 1' });
      yield* insert.note({ key: 'row 1', value: '' });
      yield* add(2);
      yield* lookUp.get({ key: 'row 2' });
      yield* add(3);
    };
    failBegin();
    await expect(engine.write(addLater)).rejects.toThrow(/division by zero/);
    expect(await engine.read(readKeys)).toEqual([]);
    await engine.write(addLater);
    expect(await engine.read(readKeys)).toEqual(['row 1', 'row 2', 'row 3']);
  });

  test('fails for what has failed, and not for what was asked for the first time after that', async () => {
    await using database = await makeJournalDatabase();
    {
      await using engine = makePostgresEngine(database.url);
      await engine.write(() => add(1));
    }
    // Nobody has asked anything on this connection.
    await using engine = makePostgresEngine(database.url);
    const find = () => lookUp.get({ key: 'row 1' });
    const both = function* (): Body<unknown> {
      return yield* together([add(2), find(), find(), add(1)]);
    };
    await expect(engine.write(both)).rejects.toThrow(/duplicate key/);
  });
});
