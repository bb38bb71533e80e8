import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRateLimiter, type TakeTurn } from '../../src/bank/rate.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const never = new AbortController().signal;

/** Asks for `count` turns at once and returns when each came, by the caller's place in the queue. */
function askForTurns(takeTurn: TakeTurn, count: number, now: () => number) {
  const turns: { readonly place: number; readonly atMs: number }[] = [];
  const startMs = now();
  const all = Array.from({ length: count }, async (_, place) => {
    await takeTurn(never);
    turns.push({ place, atMs: now() - startMs });
  });
  return { turns, all: Promise.all(all) };
}

describe('the rate limit', () => {
  test('spaces calls evenly, first come first served', async () => {
    const clock = makeVirtualClock();
    const { turns, all } = askForTurns(makeRateLimiter(4, clock), 5, clock.now);
    await clock.advance(10_000);
    await all;
    expect(turns).toEqual([0, 250, 500, 750, 1_000].map((atMs, place) => ({ place, atMs })));
  });

  test('lets a call go at once after a quiet time, but saves up no turns', async () => {
    const clock = makeVirtualClock();
    const takeTurn = makeRateLimiter(1, clock);
    await takeTurn(never);
    await clock.advance(60_000);
    const { turns, all } = askForTurns(takeTurn, 3, clock.now);
    await clock.advance(10_000);
    await all;
    expect(turns.map((turn) => turn.atMs)).toEqual([0, 1_000, 2_000]);
  });

  test('law: no second holds more turns than allowed, whatever the rate', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0.1, max: 500, noNaN: true }), async (perSecond) => {
        const clock = makeVirtualClock();
        const { turns, all } = askForTurns(makeRateLimiter(perSecond, clock), 12, clock.now);
        await clock.advance(1_000_000);
        await all;
        expect(turns.map((turn) => turn.place)).toEqual([...turns.keys()]);
        for (const [index, turn] of turns.entries()) {
          expect(turn.atMs).toBeGreaterThanOrEqual((index * 1_000) / perSecond - 1e-3);
          expect(turn.atMs).toBeLessThanOrEqual((index * 1_000) / perSecond + 1);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('outlives a clock that is set back', async () => {
    const clock = makeVirtualClock();
    const takeTurn = makeRateLimiter(1, clock);
    await takeTurn(never);
    clock.set(clock.now() - 3_600_000);
    const { turns, all } = askForTurns(takeTurn, 1, clock.now);
    await clock.advance(1_000);
    await all;
    expect(turns).toEqual([{ place: 0, atMs: 1_000 }]);
  });

  test('ends every wait when it is told to', async () => {
    const clock = makeVirtualClock();
    const takeTurn = makeRateLimiter(0.001, clock);
    const closing = new AbortController();
    const all = Promise.all([takeTurn(closing.signal), takeTurn(closing.signal), takeTurn(closing.signal)]);
    await clock.quieten();
    expect(clock.sleepers).toBe(2);
    closing.abort();
    await all;
  });

  test('gives the turns of those who have left to those who come, and none twice', async () => {
    const clock = makeVirtualClock();
    const takeTurn = makeRateLimiter(1, clock);
    const leaving = new AbortController();
    const first = askForTurns(takeTurn, 2, clock.now);
    const gone = [takeTurn(leaving.signal), takeTurn(leaving.signal)];
    const behind = askForTurns(takeTurn, 1, clock.now);
    await clock.quieten();
    leaving.abort();
    expect(await Promise.all(gone)).toEqual([undefined, undefined]);
    const late = askForTurns(takeTurn, 3, clock.now);
    await clock.advance(10_000);
    await Promise.all([first.all, behind.all, late.all]);
    const atMs = [first, behind, late].map(({ turns }) => turns.map((turn) => turn.atMs));
    expect(atMs).toEqual([[0, 1_000], [4_000], [2_000, 3_000, 5_000]]);
  });

  test('turns that passed while the process stood still are not made up for at once', async () => {
    const clock = makeVirtualClock();
    const { turns, all } = askForTurns(makeRateLimiter(10, clock), 40, clock.now);
    await clock.quieten();
    clock.skip(3_555);
    await clock.advance(60_000);
    await all;
    const late = turns.map(({ atMs }) => atMs).filter((atMs) => atMs > 0);
    const within = (fromMs: number): number =>
      late.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1_000).length;
    expect(late).toHaveLength(39);
    expect(Math.max(...late.map(within))).toBe(10);
  });
});
