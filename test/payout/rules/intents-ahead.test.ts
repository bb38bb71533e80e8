import { describe, expect, test } from 'vitest';
import { computeAheadShare, noSendTimes, withSendTime } from '../../../src/payout/rules/intents-ahead.ts';

describe('the share of intents that are recorded ahead', () => {
  test.each([
    { commitMs: undefined, sendMs: undefined, share: 0.25 },
    { commitMs: 20, sendMs: undefined, share: 0.25 },
    { commitMs: 10, sendMs: 20, share: 0.5 },
    { commitMs: 20, sendMs: 10, share: 1 },
    { commitMs: 20, sendMs: 400, share: 0.25 },
    { commitMs: 0, sendMs: 0, share: 0.25 },
    { commitMs: 20, sendMs: 10, share: 0.5, machines: 2 },
    { commitMs: 20, sendMs: 10, share: 0.25, machines: 8 },
  ])(
    'is $share where a commit takes $commitMs ms and a send $sendMs ms',
    ({ share, machines = 1, ...times }) => {
      expect(computeAheadShare(times, machines)).toBe(share);
    },
  );

  test('follows what the steps take, and no single one of them', () => {
    let times = noSendTimes;
    for (const step of ['commitMs', 'sendMs'] as const)
      for (let sends = 0; sends < 10; sends += 1) times = withSendTime(times, step, 10);
    expect(computeAheadShare(times, 1)).toBe(1);
    expect(computeAheadShare(withSendTime(times, 'sendMs', 30), 1)).toBeGreaterThan(0.9);
    for (let sends = 0; sends < 200; sends += 1) times = withSendTime(times, 'sendMs', 30);
    expect(computeAheadShare(times, 1)).toBeCloseTo(1 / 3, 2);
  });
});
