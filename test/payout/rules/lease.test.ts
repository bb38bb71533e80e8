import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  complainAboutTimes,
  computeAttemptWaitMs,
  hasWaitedTooLong,
  isLeaseAhead,
  isLeaseRunning,
  lastSendOverMs,
  type LastSend,
  type Lease,
  leaseMs,
  listGaps,
  mayBytesLeave,
  mayRenew,
  renewEveryMs,
} from '../../../src/payout/rules/lease.ts';
import { noonMs } from '../../support/core-fixtures.ts';

const dayMs = 86_400_000;
const renewedAt = { wallMs: noonMs, elapsedMs: 1_000 };
const after = (wallMs: number, elapsedMs = wallMs) => ({
  wallMs: renewedAt.wallMs + wallMs,
  elapsedMs: renewedAt.elapsedMs + elapsedMs,
});

describe('bytes', () => {
  test.each([
    { name: 'at the moment of the renewal', now: after(0), may: true },
    { name: '5 s after it began', now: after(5_000), may: true },
    { name: 'later', now: after(5_001), may: false },
    { name: 'when the wall clock was set forward', now: after(3_600_000, 1_000), may: false },
    { name: 'when it was set back', now: after(-3_600_000, 1_000), may: false },
    {
      name: 'when the machine has slept, and its time was not set since',
      now: after(1_000, 8_000),
      may: false,
    },
    { name: 'when another machine goes on from where this one was', now: after(1_000, -1), may: false },
  ])('$name', ({ now, may }) => {
    expect(mayBytesLeave(renewedAt, now)).toBe(may);
  });

  test('before the first renewal leave never', () => {
    expect(mayBytesLeave(undefined, renewedAt)).toBe(false);
  });

  test('leave while half of the lease is left, however late its renewal reached the database', () => {
    const ages = fc.record({ wallMs: fc.integer({ min: -dayMs, max: dayMs }), elapsedMs: fc.nat(dayMs) });
    fc.assert(
      fc.property(ages, fc.nat(5_000), ({ wallMs, elapsedMs }, underWayMs) => {
        fc.pre(mayBytesLeave(renewedAt, after(wallMs, elapsedMs)));
        // The lease runs from when the database took the renewal.
        expect(underWayMs + leaseMs - elapsedMs).toBeGreaterThanOrEqual(leaseMs / 2);
      }),
      { examples: [[{ wallMs: 5_000, elapsedMs: 5_000 }, 0]] },
    );
  });

  test('need no renewal in time but every second one', () => {
    expect(mayBytesLeave(renewedAt, after(2 * renewEveryMs))).toBe(true);
  });
});

const running: Lease = { leaseUntilMs: noonMs + leaseMs, endedAtMs: null, supersededAtMs: null };

describe('a lease', () => {
  test.each<{ name: string; lease: Lease; atMs: number; runs: boolean; renews: boolean }>([
    { name: 'runs until its end', lease: running, atMs: noonMs + leaseMs - 1, runs: true, renews: true },
    {
      name: 'is over then, and may be renewed',
      lease: running,
      atMs: noonMs + leaseMs,
      runs: false,
      renews: true,
    },
    {
      name: 'whose place was taken is over',
      lease: { ...running, supersededAtMs: noonMs },
      atMs: noonMs,
      runs: false,
      renews: false,
    },
    {
      name: 'that was given back is over',
      lease: { ...running, endedAtMs: noonMs },
      atMs: noonMs,
      runs: false,
      renews: false,
    },
  ])('$name', ({ lease, atMs, runs, renews }) => {
    expect(isLeaseRunning(lease, atMs)).toBe(runs);
    expect(mayRenew(lease)).toBe(renews);
  });
});

describe('a lease that lies ahead', () => {
  const until = (leaseUntilMs: number): Lease => ({ leaseUntilMs, endedAtMs: null, supersededAtMs: null });
  test.each([
    { name: 'just given', lease: until(noonMs + leaseMs), is: false },
    { name: 'by less than another whole one', lease: until(noonMs + 2 * leaseMs), is: false },
    { name: 'by more', lease: until(noonMs + 2 * leaseMs + 1), is: true },
    { name: 'over', lease: until(noonMs - 1), is: false },
    { name: 'given back', lease: { ...until(noonMs + dayMs), endedAtMs: noonMs }, is: false },
    { name: 'taken over', lease: { ...until(noonMs + dayMs), supersededAtMs: noonMs }, is: false },
  ])('$name: $is', ({ lease, is }) => {
    expect(isLeaseAhead(lease, noonMs)).toBe(is);
  });
});

describe('the settings of a machine that sends beside others', () => {
  const usual = { timeoutMs: 30_000, notFoundTrustMs: 120_000 };
  test.each([
    { name: 'the usual ones', times: usual, is: undefined },
    {
      name: 'longer waits',
      times: { ...usual, timeoutMs: 30_001 },
      is: /bank\.timeoutMs is 30001.*to 30000$/,
    },
    {
      name: 'earlier trust',
      times: { ...usual, notFoundTrustMs: 119_999 },
      is: /settle\.notFoundTrustMs is 119999.*to 120000$/,
    },
  ])('$name', ({ times, is }) => {
    const complaint = complainAboutTimes(times, true);
    if (is === undefined) expect(complaint).toBeUndefined();
    else expect(complaint).toMatch(is);
  });

  test('may hurry in a rehearsal, and wait no longer even there', () => {
    expect(complainAboutTimes({ ...usual, notFoundTrustMs: 300 }, false)).toBeUndefined();
    expect(complainAboutTimes({ timeoutMs: 45_000, notFoundTrustMs: 300 }, false)).toContain('timeoutMs');
  });

  test('leave a request over when the next attempt is made, also of one that froze as its bytes left', () => {
    expect(lastSendOverMs).toBeGreaterThanOrEqual(2 * usual.timeoutMs);
  });

  test('leave a request over before "not found" counts, however long its intent has waited for a place', () => {
    const mayWaitMs = usual.notFoundTrustMs - lastSendOverMs;
    for (const [waitedMs, isTooLong] of [
      [0, false],
      [mayWaitMs, false],
      [mayWaitMs + 1, true],
    ] as const)
      expect(hasWaitedTooLong({ intentAtMs: noonMs }, noonMs + waitedMs)).toBe(isTooLong);
  });
});

describe('the next attempt', () => {
  const me = 1;
  const send = fc.record({
    workerId: fc.integer({ min: me, max: 4 }),
    sentAtMs: fc.integer({ min: noonMs - dayMs, max: noonMs + dayMs }),
    endedAtMs: fc.option(fc.constant(noonMs)),
  }) satisfies fc.Arbitrary<LastSend>;

  test.each<{ name: string; sends: LastSend[]; waitMs: number }>([
    { name: 'waits for none', sends: [], waitMs: 0 },
    {
      name: 'does not wait for what this worker sent',
      sends: [{ workerId: me, sentAtMs: noonMs, endedAtMs: null }],
      waitMs: 0,
    },
    {
      name: 'waits for what another has just sent',
      sends: [{ workerId: 2, sentAtMs: noonMs, endedAtMs: null }],
      waitMs: lastSendOverMs,
    },
    {
      name: 'does not wait for who has ended',
      sends: [{ workerId: 2, sentAtMs: noonMs, endedAtMs: noonMs }],
      waitMs: 0,
    },
    {
      name: 'waits for the latest',
      sends: [
        { workerId: 2, sentAtMs: noonMs - 50_000, endedAtMs: null },
        { workerId: 3, sentAtMs: noonMs - 20_000, endedAtMs: null },
      ],
      waitMs: 40_000,
    },
    {
      name: 'waits for none of long ago',
      sends: [{ workerId: 2, sentAtMs: noonMs - lastSendOverMs, endedAtMs: null }],
      waitMs: 0,
    },
  ])('$name', ({ sends, waitMs }) => {
    expect(computeAttemptWaitMs(sends, me, noonMs)).toBe(waitMs);
  });

  test('waits until nothing of others that may be there can be on its way, and no longer', () => {
    fc.assert(
      fc.property(fc.array(send), (sends) => {
        const endsAtMs = noonMs + computeAttemptWaitMs(sends, me, noonMs);
        const others = sends.filter(({ workerId, endedAtMs }) => workerId !== me && endedAtMs === null);
        for (const { sentAtMs } of others) expect(endsAtMs - sentAtMs).toBeGreaterThanOrEqual(lastSendOverMs);
        expect(computeAttemptWaitMs(sends, me, endsAtMs)).toBe(0);
        if (endsAtMs > noonMs) expect(computeAttemptWaitMs(sends, me, endsAtMs - 1)).toBe(1);
      }),
    );
  });
});

describe('the gaps between shards', () => {
  const range = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.nat(6))
    .map(([fromRow, more]) => ({ fromRow, toRow: fromRow + more }));

  test('are all rows after one that no shard has, and no others', () => {
    fc.assert(
      fc.property(fc.array(range), fc.nat(50), (ranges, afterRow) => {
        const taken = ranges.toSorted((one, other) => one.fromRow - other.fromRow);
        const gaps = [...listGaps(taken, afterRow)];
        for (let row = 1; row <= 60; row += 1) {
          const isTaken = taken.some(({ fromRow, toRow }) => fromRow <= row && row <= toRow);
          const inGaps = gaps.filter((gap) => gap.afterRow < row && row < gap.beforeRow).length;
          expect(inGaps).toBe(!isTaken && row > afterRow ? 1 : 0);
        }
      }),
    );
  });
});
