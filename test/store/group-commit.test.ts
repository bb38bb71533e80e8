/** Which calls of one commit may be applied side by side. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formWaves } from '../../src/store/group-commit.ts';

const touched = fc.array(fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 })));
const keysOf = touched.map((calls) => calls.map((keys) => keys ?? undefined));

describe('waves of one commit', () => {
  test('none touches what another of its wave does', () => {
    expect(formWaves([['a'], ['b'], ['a'], undefined, ['c'], ['d', 'c']])).toEqual([
      [0, 1],
      [2],
      [3],
      [4],
      [5],
    ]);
  });

  test('every call is in one wave, in the order of the calls', () => {
    fc.assert(
      fc.property(keysOf, (calls) => {
        expect(formWaves(calls).flat()).toEqual(calls.map((_, place) => place));
      }),
    );
  });

  test('one that may touch anything is alone, and others share nothing', () => {
    fc.assert(
      fc.property(keysOf, (calls) => {
        for (const wave of formWaves(calls)) {
          const keys = wave.map((place) => calls[place]);
          if (keys.includes(undefined)) expect(wave).toHaveLength(1);
          for (const [at, one] of keys.entries())
            for (const other of keys.slice(at + 1))
              expect(one?.some((key) => other?.includes(key))).toBe(false);
        }
      }),
    );
  });
});
