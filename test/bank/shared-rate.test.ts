import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSharedRateLimiter, type ReserveSlots } from '../../src/bank/rate.ts';
import type { Clock } from '../../src/core/ports.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const never = new AbortController().signal;

/** One row by the clock of a database that shows another time, and answers after so many milliseconds. */
function makeReserve(clock: Clock, aheadMs: number, answerMs: () => number): ReserveSlots {
  let nextMs = 0;
  return async (count, intervalMs) => {
    await clock.sleep(answerMs());
    const nowMs = clock.now() + aheadMs;
    const firstMs = Math.max(nextMs, nowMs);
    nextMs = firstMs + count * intervalMs;
    await clock.sleep(answerMs());
    return { firstMs, intervalMs, count, nowMs };
  };
}

/** Most of these moments that are within one second. */
const mostInASecond = (moments: readonly number[]): number =>
  Math.max(...moments.map((from) => moments.filter((at) => at >= from && at < from + 1_000).length));

/** @param ways how long each call takes from its turn until it is counted */
async function play(
  machines: number,
  perSecond: number,
  calls: number,
  answers: readonly number[],
  ways: readonly number[] = [0],
) {
  const clock = makeVirtualClock();
  let asked = 0;
  const reserve = makeReserve(clock, 3_600_000, () => answers[(asked += 1) % answers.length] ?? 0);
  const moments: number[] = [];
  const all = Array.from({ length: machines }, async () => {
    const takeTurn = makeSharedRateLimiter(perSecond, clock, reserve);
    await Promise.all(
      Array.from({ length: calls }, async () => {
        await takeTurn(never);
        moments.push(clock.now() + (ways[moments.length % ways.length] ?? 0));
      }),
    );
  });
  for (let step = 0; step < 2_000 && moments.length < machines * calls; step += 1) await clock.advance(5_000);
  await Promise.all(all);
  return moments;
}

describe('the rate of several machines', () => {
  test('no second has more calls than were set, however late a machine hears of its turns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 40 }),
        // A machine that stands still, or a database that is slow, hears of them after seconds.
        fc.array(
          fc.oneof(
            { weight: 3, arbitrary: fc.integer({ min: 0, max: 40 }) },
            fc.integer({ min: 100, max: 3_000 }),
          ),
          { minLength: 1, maxLength: 5 },
        ),
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 5 }),
        async (machines, perSecond, answers, ways) => {
          const moments = await play(machines, perSecond, 20, answers, ways);
          expect(moments).toHaveLength(machines * 20);
          expect(mostInASecond(moments)).toBeLessThanOrEqual(perSecond);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('together they come near to what was set', async () => {
    const moments = await play(4, 20, 50, [1]);
    const tookMs = Math.max(...moments) - Math.min(...moments);
    expect((moments.length / tookMs) * 1_000).toBeGreaterThan(16);
  });

  test('while turns cannot be reserved nothing is sent, and it goes on when they can', async () => {
    const clock = makeVirtualClock();
    const reserve = makeReserve(clock, 0, () => 1);
    let failures = 3;
    const takeTurn = makeSharedRateLimiter(10, clock, async (...asked) => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      return reserve(...asked);
    });
    let isThrough = false;
    const turn = takeTurn(never).then(() => (isThrough = true));
    await clock.advance(1_000);
    expect(isThrough).toBe(false);
    await clock.advance(5_000);
    await turn;
  });

  test('nobody waits for turns that cannot be reserved once told to stop', async () => {
    const clock = makeVirtualClock();
    const takeTurn = makeSharedRateLimiter(10, clock, () => new Promise(() => {}));
    const stop = new AbortController();
    const turn = takeTurn(stop.signal);
    await clock.quieten();
    stop.abort();
    expect(await turn).toBeUndefined();
  });
});
