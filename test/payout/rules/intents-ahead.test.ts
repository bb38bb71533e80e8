import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeAhead, noSendTimes, withSendTime } from '../../../src/payout/rules/intents-ahead.ts';

const alone = { limit: 32, machines: 1, inDoubtMax: 200, inDoubt: 0 };

describe('the intents that are recorded ahead', () => {
  test.each([
    { commitMs: undefined, sendMs: undefined, ahead: 8 },
    { commitMs: 20, sendMs: undefined, ahead: 8 },
    { commitMs: 10, sendMs: 20, ahead: 16 },
    { commitMs: 20, sendMs: 10, ahead: 64 },
    { commitMs: 90, sendMs: 10, ahead: 96 },
    { commitMs: 20, sendMs: 400, ahead: 8 },
    { commitMs: 0, sendMs: 0, ahead: 8 },
    { commitMs: 90, sendMs: 10, ahead: 48, machines: 2, inDoubtMax: 1_000 },
    { commitMs: 90, sendMs: 10, ahead: 24, machines: 4, inDoubtMax: 1_000 },
    { commitMs: 90, sendMs: 10, ahead: 12, machines: 8, inDoubtMax: 1_000 },
    // All that is under way may come to be in doubt: three quarters of what halts, at most.
    { commitMs: 90, sendMs: 10, ahead: 43, machines: 2 },
    { commitMs: 90, sendMs: 10, ahead: 8, inDoubtMax: 40 },
    { commitMs: 90, sendMs: 10, ahead: 86, limit: 64 },
    { commitMs: 90, sendMs: 10, ahead: 32, limit: 128 },
    { commitMs: 90, sendMs: 10, ahead: 1, limit: 1, inDoubtMax: 1 },
    // A machine that has died has left some: with those of the next one they would halt.
    { commitMs: 90, sendMs: 10, ahead: 18, inDoubt: 100 },
    { commitMs: 90, sendMs: 10, ahead: 9, machines: 2, inDoubt: 67 },
    { commitMs: 90, sendMs: 10, ahead: 8, inDoubt: 150 },
  ])(
    'are $ahead where a commit takes $commitMs ms and a send $sendMs ms ($limit at once, $machines machines)',
    ({ ahead, commitMs, sendMs, ...bounds }) => {
      expect(computeAhead({ commitMs, sendMs }, { ...alone, ...bounds })).toBe(ahead);
    },
  );

  test('of all machines leave room for other doubt, unless what is sent at once takes it up', () => {
    const times = fc.record({ commitMs: fc.nat(500), sendMs: fc.nat(500) });
    const bounds = fc.record({
      limit: fc.integer({ min: 1, max: 300 }),
      machines: fc.integer({ min: 1, max: 9 }),
      inDoubtMax: fc.integer({ min: 1, max: 1_000 }),
      inDoubt: fc.nat(1_000),
    });
    fc.assert(
      fc.property(times, bounds, (taken, { limit, machines, inDoubtMax, inDoubt }) => {
        const ahead = computeAhead(taken, { limit, machines, inDoubtMax, inDoubt });
        expect(ahead).toBeGreaterThanOrEqual(limit / 4);
        if (ahead > Math.ceil(limit / 4))
          expect(machines * (limit + ahead) + inDoubt).toBeLessThanOrEqual(0.75 * inDoubtMax);
      }),
    );
  });

  test('follow what the steps take, and no single one of them', () => {
    let times = noSendTimes;
    for (const step of ['commitMs', 'sendMs'] as const)
      for (let sends = 0; sends < 10; sends += 1) times = withSendTime(times, step, 10);
    expect(computeAhead(times, alone)).toBe(32);
    expect(computeAhead(withSendTime(times, 'sendMs', 30), alone)).toBeGreaterThan(28);
    for (let sends = 0; sends < 200; sends += 1) times = withSendTime(times, 'sendMs', 30);
    expect(computeAhead(times, alone)).toBe(11);
  });
});
