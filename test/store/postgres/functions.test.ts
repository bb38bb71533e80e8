/** What statements call by SQLite's names says on PostgreSQL what it says there. */
import fc from 'fast-check';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitTo, hashEvent } from '../../../src/review/rules/payout-chain.ts';
import { openConnection } from '../../../src/store/connection.ts';
import { schemaName } from '../../../src/store/postgres/pool.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { describePostgres, makeJournalDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Any that a column of either engine can hold: with neither a NUL nor half a surrogate pair. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...`aZ09 /\\"'\n\t-_é\u212A\u0130ก😀`),
      fc.string({ unit: anyCharacter, maxLength: 1 }),
    ),
  )
  .map((letters) => letters.join('').replaceAll('\0', ' '));

const word = fc.string({ unit: fc.constantFrom(...'aZ09-_'), minLength: 1 });
const integer = fc.integer({ min: -5, max: 5 });

/** As many in one statement: what is slow is the way to the server. */
const many = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: 1, maxLength: 60 });
const runs = { numRuns: 25 };

type Asked = readonly (string | number | null)[];

describePostgres('on PostgreSQL', () => {
  const sqlite = openConnection(':memory:');
  let database: TestDatabase;
  let client: Client & AsyncDisposable;

  beforeAll(async () => {
    database = await makeJournalDatabase();
    client = await database.connect();
    await client.query(`set search_path = ${schemaName}, pg_catalog`);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    sqlite.close();
  });

  /** What an expression says of each of some texts, or pairs of them: `one`, `two` … in it. */
  async function ask(expression: string, asked: readonly Asked[], type = 'text'): Promise<(string | null)[]> {
    const columns = (asked[0] ?? []).map((_value, at) => asked.map((values) => values[at] ?? null));
    const names = ['one', 'two', 'three'].slice(0, columns.length);
    const { rows } = await client.query<{ readonly answer: string | null }>(
      `select (${expression})::text as answer
       from unnest(${names.map((_name, at) => `$${at + 1}::${type}[]`).join(', ')}) with ordinality as asked (${names.join(', ')}, place)
       order by place`,
      columns,
    );
    return rows.map(({ answer }) => answer);
  }

  /** The same, of SQLite. */
  const askSqlite = (expression: string, asked: readonly Asked[]): (string | null)[] =>
    asked.map((values) => {
      const names = values.map((_value, at) => `? as ${['one', 'two', 'three'][at]}`).join(', ');
      const answer = sqlite.prepare(`select ${expression} as answer from (select ${names})`).get(...values)?.[
        'answer'
      ];
      return answer === null ? null : String(answer);
    });

  const expectSame = async (expression: string, asked: readonly Asked[], type?: string): Promise<void> =>
    expect(await ask(expression, asked, type)).toEqual(askSqlite(expression, asked));

  test('event_hash_of is hashEvent, after nothing, a hash, or a digest and a salt', async () => {
    const event = fc.record({ digest: fc.option(word), salt: fc.option(word), told: text });
    const property = fc.asyncProperty(many(event), async (events) => {
      const asked = events.map(({ digest, salt, told }) => [
        digest === null || salt === null ? digest : `${digest} ${salt}`,
        told,
      ]);
      const hashes = events.map(({ digest, salt, told }) => hashEvent(commitTo(digest, salt), told));
      expect(await ask('event_hash_of(one, two)', asked)).toEqual(hashes);
      await expectSame('event_hash_of(one, two)', asked);
    });
    await fc.assert(property, runs);
  });

  test('json_extract and ->> find the same', async () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'proxyNo'), tie('value'), { maxKeys: 3 }),
    }));
    const path = fc
      .array(fc.constantFrom('.a', '.b', '.proxyNo', '[0]', '[1]', '[2]'), { maxLength: 3 })
      .map((steps) => `$${steps.join('')}`);
    const property = fc.asyncProperty(many(fc.tuple(value, path)), async (documents) => {
      const asked = documents.map(([document, of]) => [JSON.stringify(document), of]);
      await expectSame('json_extract(one, two)', asked);
      await expectSame('one ->> two', asked);
    });
    await fc.assert(property, runs);
    await expectSame('json_extract(one, two)', [[null, '$.a']]);
  });

  test('json_extract says a flag in words, and reads what PostgreSQL cannot keep', async () => {
    const flags = [
      ['{"a":true}', '$.a'],
      ['{"a":false}', '$.a'],
    ];
    expect(await ask('json_extract(one, two)', flags)).toEqual(['true', 'false']);
    const odd = JSON.stringify({ a: 'x\0y\ud800z\\u0000', b: 'kept' });
    expect(
      await ask('json_extract(one, two)', [
        [odd, '$.a'],
        [odd, '$.b'],
      ]),
    ).toEqual(['x\ufffdy\ufffdz\\u0000', 'kept']);
  });

  test('json_set changes one member', async () => {
    const document = fc.dictionary(fc.constantFrom('name', 'bytes', 'sha256', 'ก'), fc.oneof(text, integer), {
      noNullPrototype: true,
    });
    const property = fc.asyncProperty(many(fc.tuple(document, word)), async (documents) => {
      const asked = documents.map(([of, name]) => [JSON.stringify(of), name]);
      await expectSame(`json_set(one, '$.name', two)`, asked);
    });
    await fc.assert(property, runs);
    await expectSame(`json_set(one, '$.name', two)`, [[null, 'x']]);
  });

  test('the greatest and the least of several, the aggregates beside them', async () => {
    const numbers = fc.tuple(fc.option(integer), fc.option(integer), fc.option(integer));
    const property = fc.asyncProperty(many(numbers), async (asked) => {
      for (const which of ['max', 'min']) {
        await expectSame(`${which}(one, two)`, asked, 'bigint');
        await expectSame(`${which}(one, two, three)`, asked, 'bigint');
        await expectSame(`${which}(one, 0)`, asked, 'bigint');
      }
    });
    await fc.assert(property, runs);
    const { rows } = await client.query(
      `select max(n) as most, min(n) as least, max(max(n), 9) as of_both, max(t) as last from (values (1, 'a'), (3, 'b')) v (n, t)`,
    );
    expect(rows).toEqual([{ most: 3, least: 1, of_both: '9', last: 'b' }]);
  });

  test('places in a text, and one of two', async () => {
    const property = fc.asyncProperty(many(fc.tuple(text, fc.option(text))), async (asked) => {
      await expectSame('instr(one, two)', asked);
      await expectSame(`iif(one = '', 'empty', two)`, asked);
      await expectSame(
        `iif(one < two, 1, 0)`,
        asked.map(([one]) => [one, 'Z']),
      );
    });
    await fc.assert(property, runs);
    await expectSame('iif(one is null, null, one)', [['a'], [null]]);
  });
});
