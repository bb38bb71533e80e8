/** Which calls of one commit may be applied side by side. */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { formWaves, makeGroupCommit } from '../../src/store/group-commit.ts';
import { type Body, drive, together } from '../../src/store/statements.ts';

const touched = fc.array(fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 })));
/** Nothing is asked of it. */
const noDatabase = {} as DatabaseSync;

const turns = async (): Promise<void> => {
  for (let left = 8; left > 0; left -= 1) await turn();
};

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

describe('how calls gather', () => {
  /** Commits of an engine that is done at once: how many calls each had. */
  function makeCounted(gatherMs: number) {
    const sizes: number[] = [];
    const engine = {
      gatherMs,
      write: async <Result>(makeBody: () => Body<Result>): Promise<Result> => {
        return drive(noDatabase, makeBody());
      },
    };
    const commit = makeGroupCommit(engine, {
      *begin(asked: readonly number[]): Body<void> {
        yield* together([]);
        sizes.push(asked.length);
      },
      touches: () => {
        throw new Error('nobody asks where one goes after the other');
      },
      *apply(_shared: void, asked: number): Body<number> {
        yield* together([]);
        return asked;
      },
      *end() {},
      onCommit: () => {},
    });
    return { sizes, commit };
  }

  test('the first at once, those soon after it together, and many do not wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { sizes, commit } = makeCounted(10);
      void commit.ask(1);
      await turns();
      expect(sizes).toEqual([1]);
      for (const asked of [2, 3, 4]) {
        void commit.ask(asked);
        await turns();
      }
      expect(sizes).toEqual([1]);
      await vi.advanceTimersByTimeAsync(10);
      await turns();
      expect(sizes).toEqual([1, 3]);
      for (let asked = 0; asked < 16; asked += 1) void commit.ask(asked);
      await turns();
      expect(sizes).toEqual([1, 3, 16]);
      void commit.ask(5);
      await commit.end();
      expect(sizes).toEqual([1, 3, 16, 1]);
    } finally {
      vi.useRealTimers();
    }
  });
});
