import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../src/core/payout.ts';
import {
  computeNextInquiryAtMs,
  computeTrustAtMs,
  mayBytesLeaveAgain,
  mayBytesLeaveFirst,
  maySendAgain,
  withUnansweredTrial,
  withSendTimes,
} from '../../../src/payout/rules/resend.ts';
import { makeSubmitted, noonMs, policy } from '../../support/core-fixtures.ts';

const trusted = noonMs + policy.notFoundTrustMs;
const attemptOf = (changes: Partial<Attempt> = {}, intentAtMs = noonMs): Attempt =>
  makeSubmitted(intentAtMs, { status: 'sent', lastFinding: 'not-found', ...changes }).attempt;
const both = (timeMs: number) => ({ nowMs: timeMs, bankNowMs: timeMs });
/** Bangkok midnight after the noon of the fixtures. */
const midnightMs = noonMs + 12 * 3_600_000;

describe('the moment from which a not-found is trusted', () => {
  const trust = policy.notFoundTrustMs;
  test.each<[string, Partial<Attempt>, number, number | undefined, number]>([
    ['after the last send, by both clocks', {}, noonMs + 5_000, noonMs + 5_000, noonMs + trust],
    ['by ours alone while the bank has not told its time', {}, noonMs, undefined, noonMs + trust],
    [
      'by ours alone when the bank’s was a year ahead',
      { lastSentBankMs: noonMs + 365 * 86_400_000 },
      noonMs + 5_000,
      noonMs + 5_000,
      noonMs + trust,
    ],
    ['at once when nothing ever left', { lastSentAtMs: null }, noonMs, noonMs, noonMs],
    ['later when our clock has run ahead', {}, noonMs + trust, noonMs + 10_000, noonMs + 2 * trust - 10_000],
    [
      'by the bank’s alone when ours has gone back',
      {},
      noonMs - 9_000,
      noonMs + 10_000,
      noonMs - 9_000 + trust - 10_000,
    ],
  ])('%s', (_name, changes, nowMs, bankNowMs, expected) => {
    expect(computeTrustAtMs(attemptOf(changes), policy, { nowMs, bankNowMs })).toBe(expected);
  });
});

describe('sending the same attempt again', () => {
  test('is allowed when every condition holds', () => {
    expect(maySendAgain(attemptOf(), policy, both(trusted))).toBe(true);
  });

  test.each<[string, Partial<Attempt>, number, number | undefined]>([
    ['the last inquiry did not say not found', { lastFinding: 'in-process' }, trusted, trusted],
    ['nothing was inquired', { lastFinding: null }, trusted, trusted],
    ['the last send is too recent', {}, trusted - 1, trusted - 1],
    ['the bank once acknowledged it', { acknowledged: true }, trusted, trusted],
    ['the reference may be another’s', { referenceConflict: true }, trusted, trusted],
    ['it was sent again twice already', { sends: 3 }, trusted, trusted],
    ['too little time has passed by the bank’s clock', {}, trusted, trusted - 1],
    ['the intent is too old', {}, noonMs + policy.intentMaxAgeMs + 1, noonMs + policy.intentMaxAgeMs + 1],
    ['our clock went backwards', {}, noonMs - 1, noonMs - 1],
    ['the bank’s clock is unknown', {}, trusted, undefined],
    ['the bank’s day is another', {}, trusted, trusted + 86_400_000],
    ['our day is another', {}, trusted + 86_400_000, trusted],
    ['the bank had not told its time when it left', { lastSentBankMs: null }, trusted, trusted],
    ['its day was another when it left', { lastSentBankMs: noonMs - 86_400_000 }, trusted, trusted],
  ])('is refused when %s', (_name, changes, nowMs, bankNowMs) => {
    expect(maySendAgain(attemptOf(changes), policy, { nowMs, bankNowMs })).toBe(false);
  });

  test('is allowed all day when the age of the intent is not bounded', () => {
    const unbound = { ...policy, intentMaxAgeMs: 0 };
    const evening = both(midnightMs - 15 * 60_000);
    expect(maySendAgain(attemptOf(), unbound, evening)).toBe(true);
    expect(maySendAgain(attemptOf(), policy, evening)).toBe(false);
    expect(mayBytesLeaveFirst(attemptOf(), unbound, both(midnightMs - 60_000))).toBe(true);
    expect(mayBytesLeaveFirst(attemptOf(), unbound, both(midnightMs - 59_999))).toBe(false);
  });

  test('does not count what the gateway turned away', () => {
    expect(maySendAgain(attemptOf({ sends: 4, uncountedSends: 2 }), policy, both(trusted))).toBe(true);
    expect(maySendAgain(attemptOf({ sends: 4, uncountedSends: 1 }), policy, both(trusted))).toBe(false);
  });

  test('does not count what only tried whether transfers are answered again', () => {
    const sent = (sends: number, uncountedSends: number): Attempt => attemptOf({ sends, uncountedSends });
    expect(maySendAgain(sent(90, 88), policy, both(trusted))).toBe(true);
    expect(maySendAgain(sent(90, 87), policy, both(trusted))).toBe(false);
    expect(maySendAgain(sent(1, 0), { ...policy, resendsMax: 0 }, both(trusted))).toBe(false);
    expect(withUnansweredTrial(sent(2, 0)).uncountedSends).toBe(1);
    // The first send is no repetition, nor is one after those that the gateway turned away.
    expect(withUnansweredTrial(sent(1, 0)).uncountedSends).toBe(0);
    expect(withUnansweredTrial(attemptOf({ sends: 3, refusals: 2 })).uncountedSends).toBe(0);
  });

  test.each(['lostUntilMs', 'missesSinceMs'] as const)(
    'is refused for what another journal may have sent since (%s), and not for what came after it',
    (gap) => {
      const refused = { ...policy, [gap]: noonMs };
      expect(maySendAgain(attemptOf(), refused, both(trusted))).toBe(false);
      expect(mayBytesLeaveAgain(attemptOf(), refused, both(trusted))).toBe(false);
      expect(maySendAgain(attemptOf(), { ...policy, [gap]: noonMs - 1 }, both(trusted))).toBe(true);
    },
  );

  test.each([
    [16, true],
    [14, false],
    [0, false],
    [-1, false],
  ])('with %i minutes left to midnight, by either clock: %s', (minutes, allowed) => {
    const attempt = attemptOf({}, midnightMs - 20 * 60_000);
    const nearMs = midnightMs - minutes * 60_000;
    const farMs = midnightMs - 17 * 60_000;
    const lenient = { ...policy, intentMaxAgeMs: 86_400_000 };
    expect(mayBytesLeaveAgain(attempt, lenient, { nowMs: nearMs, bankNowMs: farMs })).toBe(allowed);
    expect(mayBytesLeaveAgain(attempt, lenient, { nowMs: farMs, bankNowMs: nearMs })).toBe(allowed);
  });
});

describe('the first bytes', () => {
  test('may leave up to a minute before midnight by both clocks, and not long after the intent', () => {
    const attempt = attemptOf({}, midnightMs - 61_000);
    const lastMs = midnightMs - 60_000;
    expect(mayBytesLeaveFirst(attempt, policy, both(lastMs))).toBe(true);
    for (const wrong of [1, 60_000, 86_400_000]) {
      expect(mayBytesLeaveFirst(attempt, policy, { nowMs: lastMs, bankNowMs: lastMs + wrong })).toBe(false);
      expect(mayBytesLeaveFirst(attempt, policy, both(lastMs + wrong))).toBe(false);
    }
    expect(mayBytesLeaveFirst(attempt, policy, { nowMs: lastMs, bankNowMs: undefined })).toBe(true);
    const slept = noonMs + policy.intentMaxAgeMs + 1;
    expect(mayBytesLeaveFirst(attemptOf(), policy, both(slept))).toBe(false);
  });
});

describe('the delay to the next inquiry', () => {
  test('doubles up to the limit', () => {
    const delays = [0, 1, 2, 7, 8, 60].map((inquiries) =>
      computeNextInquiryAtMs({ attempt: attemptOf({ inquiries }), policy, nowMs: 0 }),
    );
    expect(delays).toEqual([2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
  });
});

describe("the bank's time of a send that is told with the reply", () => {
  const sentAt = (lastSentAtMs: number) => attemptOf({ lastSentAtMs, lastSentBankMs: null });

  test.each<[string, number, number | undefined, number | null]>([
    ['is that of the reply on the same day', midnightMs + 60_000, midnightMs + 60_000, midnightMs + 60_000],
    ['stays unknown when midnight came between', midnightMs + 10_000, midnightMs + 10_000, null],
    ['stays unknown without a Date', midnightMs + 60_000, undefined, null],
  ])('%s', (_name, nowMs, bankNowMs, expected) => {
    const timed = withSendTimes(sentAt(nowMs - 30_000), 30_000, { nowMs, bankNowMs });
    expect(timed.lastSentBankMs).toBe(expected);
  });
});
