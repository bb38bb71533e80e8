/** Which calls of one commit may be applied side by side. */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { groupIndependent, makeGroupCommit } from '../../src/store/group-commit.ts';
import { type Body, drive, together } from '../../src/store/statements.ts';

const touched = fc.array(fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 })));
/** Nothing is asked of it. */
const noDatabase = {} as DatabaseSync;

const turns = async (): Promise<void> => {
  for (let left = 8; left > 0; left -= 1) await turn();
};

const keysOf = touched.map((calls) => calls.map((keys) => keys ?? undefined));

describe('waves of one commit', () => {
  test('none writeSet what another of its wave does', () => {
    expect(groupIndependent([['a'], ['b'], ['a'], undefined, ['c'], ['d', 'c']])).toEqual([
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
        expect(groupIndependent(calls).flat()).toEqual(calls.map((_, place) => place));
      }),
    );
  });

  test('one that may touch anything is alone, and others share nothing', () => {
    fc.assert(
      fc.property(keysOf, (calls) => {
        for (const wave of groupIndependent(calls)) {
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
  /**
   * How many calls the commits of an engine had.
   * @param whenWritten a commit is done when it resolves
   */
  function makeCounted(
    { callsMax = Infinity, callsNext = Infinity } = {},
    whenWritten: () => Promise<void> = async () => {},
  ) {
    const sizes: number[] = [];
    const engine = {
      gathering: { everyMs: 10, callsMax, callsNext },
      write: async <Result>(makeBody: () => Body<Result>): Promise<Result> => {
        // As for a connection that is free: whoever is told meanwhile goes on first.
        for (let hops = 0; hops < 5; hops += 1) await Promise.resolve();
        const result = drive(noDatabase, makeBody());
        await whenWritten();
        return result;
      },
    };
    const commit = makeGroupCommit(engine, {
      *begin(asked: readonly number[]): Body<void> {
        yield* together([]);
        sizes.push(asked.length);
      },
      writeSet: () => {
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
      const { sizes, commit } = makeCounted();
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

  /**
   * Commits that end when they are told to, of three calls at most, and the calls that were told, in that order.
   * @param callsNext so many do not wait until those before them are told
   */
  function makeHeldBack(callsNext: number) {
    const ends: (() => void)[] = [];
    const told: number[] = [];
    /** For each that was told, how many commits had begun by then. */
    const begunBefore: number[] = [];
    const made = makeCounted({ callsMax: 3, callsNext }, () => new Promise((end) => void ends.push(end)));
    const askOne = async (asked: number): Promise<void> => {
      told.push(await made.commit.ask(asked));
      begunBefore.push(made.sizes.length);
    };
    const ask = (asked: number): void => void askOne(asked);
    const endNext = async (): Promise<void> => {
      ends.shift()?.();
      await turns();
    };
    return { ...made, ask, endNext, told, begunBefore };
  }

  test('those that are too many for one go on in the next, which begins before they are told', async () => {
    const { sizes, ask, endNext, told, begunBefore } = makeHeldBack(3);
    for (let asked = 1; asked <= 8; asked += 1) ask(asked);
    await turns();
    expect([sizes, told]).toEqual([[3], []]);
    await endNext();
    expect([sizes, told]).toEqual([
      [3, 3],
      [1, 2, 3],
    ]);
    expect(begunBefore).toEqual([2, 2, 2]);
  });

  test('a few begin as early, and fewer only when those before them are told', async () => {
    const { sizes, ask, endNext, begunBefore } = makeHeldBack(2);
    for (let asked = 1; asked <= 5; asked += 1) ask(asked);
    await turns();
    await endNext();
    expect(sizes).toEqual([3, 2]);
    ask(6);
    await endNext();
    expect(sizes).toEqual([3, 2]);
    expect(begunBefore).toEqual([2, 2, 2, 2, 2]);
  });

  test('none is left when it ends, however many wait', async () => {
    const { sizes, commit, ask, endNext, told } = makeHeldBack(3);
    for (let asked = 1; asked <= 10; asked += 1) ask(asked);
    await turns();
    let hasEnded = false;
    const ended = commit.end().then(() => (hasEnded = true));
    for (const writing of [3, 6, 9]) {
      expect(hasEnded).toBe(false);
      await endNext();
      expect(told).toHaveLength(writing);
    }
    await endNext();
    await ended;
    expect(sizes).toEqual([3, 3, 3, 1]);
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});
