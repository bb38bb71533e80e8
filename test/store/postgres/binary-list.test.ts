/** Lists in PostgreSQL's binary format, as the server reads them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ElementType, encodeBinaryList, isElementType } from '../../../src/store/postgres/compile.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { describePostgres, makeDatabase, type TestDatabase } from '../../support/postgres.ts';

type Connection = Awaited<ReturnType<TestDatabase['connect']>>;

const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const bigints = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const safe = fc.maxSafeInteger();
const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom('', 'NULL', '{"a":"b\\\\c"}', '\0', 'ก'.repeat(40_000)),
);

describePostgres('a list', () => {
  let database: TestDatabase;
  let connection: Connection;
  beforeAll(async () => {
    database = await makeDatabase();
    connection = await database.connect();
  });
  afterAll(async () => {
    await connection[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const readBack = async (type: ElementType, values: readonly unknown[]) => {
    const read = `select value::text from unnest($1::${type}[]) with ordinality as list (value, n) order by n`;
    const { rows } = await connection.query<{ value: string | null }>(read, [encodeBinaryList(type, values)]);
    return rows.map(({ value }) => value);
  };
  const asTexts = (values: readonly (bigint | number | string | null)[]) =>
    values.map((value) => (value === null ? null : String(value).replaceAll('\0', '\uFFFD')));

  const lists: [ElementType, fc.Arbitrary<(bigint | number | string | null)[]>][] = [
    ['bigint', fc.array(orNull(fc.oneof(bigints, safe)))],
    ['integer', fc.array(orNull(fc.integer()))],
    ['text', fc.array(orNull(fc.oneof(texts, safe)))],
  ];
  test.each(lists)('of %s is read as it was written', async (type, values) => {
    await fc.assert(
      fc.asyncProperty(values, async (list) => {
        expect(await readBack(type, list)).toEqual(asTexts(list));
      }),
      { numRuns: 60 },
    );
  });

  test('has flags as 0 and 1, what is left out as null, and digits as a number', async () => {
    expect(await readBack('bigint', [true, false, undefined, '-12'])).toEqual(['1', '0', null, '-12']);
    expect(await readBack('text', [true, false, undefined, '-12'])).toEqual(['1', '0', null, '-12']);
  });

  test('stays as it is while the next is written', async () => {
    const first = encodeBinaryList('text', ['one']);
    encodeBinaryList('text', ['another']);
    const read = 'select $1::text[] as list';
    expect((await connection.query<{ list: string[] }>(read, [first])).rows).toEqual([{ list: ['one'] }]);
  });
});

test('a long text is whole, however little was written before it', () => {
  const text = 'ก'.repeat(1_000_000);
  const list = encodeBinaryList('text', ['', text, 'x']);
  expect(list.length).toBe(20 + 3 * 4 + 3_000_000 + 1);
  expect(list.subarray(28, -5).toString() === text).toBe(true);
});

describe('what is no value of the type', () => {
  test.each<[ElementType, unknown]>([
    ['bigint', 2n ** 63n],
    ['bigint', 2 ** 63],
    ['bigint', 2 ** 53],
    ['bigint', 0.5],
    ['bigint', Number.NaN],
    ['bigint', ''],
    ['bigint', '0x10'],
    ['bigint', {}],
    ['integer', 2 ** 31],
    ['integer', -(2 ** 31) - 1],
    ['integer', 0.5],
    ['text', {}],
  ])('is refused: %s of %s', (type, value) => {
    expect(() => encodeBinaryList(type, [1, value])).toThrow();
  });

  test('is any value of another type', () => {
    expect(['bigint', 'integer', 'text', 'numeric', 'toString'].map(isElementType)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
