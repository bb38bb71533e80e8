/**
 * When bytes may leave (design: "Sending the same attempt again"). The bank refuses a duplicate only on the
 * same Bangkok day (§4 rule 2), so an attempt of another day, or one that the bank may know, never leaves again.
 */
import { formatBangkokDate, msFromBangkokMidnight } from './bangkok-time.ts';
import type { Attempt } from './payout.ts';
import { computeOrderHash } from './reference.ts';

export interface SettlePolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly giveUpAfterMs: number;
  readonly notFoundTrustMs: number;
  readonly resendsMax: number;
  readonly intentMaxAgeMs: number;
}

/** Our time, and the bank's as its latest `Date` header tells; undefined before it has spoken. */
export interface ClockReading {
  readonly nowMs: number;
  readonly bankNowMs: number | undefined;
}

/** Nothing is sent again nearer to midnight than this: the bank's day may already be another. */
const midnightMarginMs = 15 * 60_000;

/** Delay before the next inquiry: growing by doubling, up to the setting's limit. */
export function computeNextInquiryAtMs(attempt: Attempt, policy: SettlePolicy, nowMs: number): number {
  const delayMs = policy.firstDelayMs * 2 ** Math.min(attempt.inquiries, 30);
  return nowMs + Math.min(delayMs, policy.maxDelayMs);
}

function isAttemptsDay(attempt: Attempt, nowMs: number): boolean {
  return formatBangkokDate(nowMs) === attempt.order.tranDate;
}

function isFresh(attempt: Attempt, policy: SettlePolicy, nowMs: number): boolean {
  const ageMs = nowMs - attempt.intentAtMs;
  return ageMs >= 0 && ageMs <= policy.intentMaxAgeMs;
}

/** Asked when the bytes of a first send are about to leave: a suspended machine may have slept past the day. */
export function mayBytesLeaveFirst(attempt: Attempt, policy: SettlePolicy, nowMs: number): boolean {
  return isAttemptsDay(attempt, nowMs) && isFresh(attempt, policy, nowMs);
}

/** Asked when the bytes of a repetition are about to leave; the bank's clock must be known and agree. */
export function mayBytesLeaveAgain(
  attempt: Attempt,
  policy: SettlePolicy,
  { nowMs, bankNowMs }: ClockReading,
): boolean {
  if (bankNowMs === undefined) return false;
  return (
    [nowMs, bankNowMs].every(
      (timeMs) => isAttemptsDay(attempt, timeMs) && msFromBangkokMidnight(timeMs) >= midnightMarginMs,
    ) && isFresh(attempt, policy, nowMs)
  );
}

/** True when the same attempt may be sent again after an inquiry that found nothing. */
export function maySendAgain(attempt: Attempt, policy: SettlePolicy, clock: ClockReading): boolean {
  const isTrusted =
    attempt.lastSentAtMs === null || clock.nowMs - attempt.lastSentAtMs >= policy.notFoundTrustMs;
  const resends = Math.max(0, attempt.sends - 1);
  return (
    computeOrderHash(attempt.order) === attempt.orderHash &&
    attempt.lastFinding === 'not-found' &&
    isTrusted &&
    !attempt.acknowledged &&
    !attempt.contested &&
    resends < policy.resendsMax &&
    mayBytesLeaveAgain(attempt, policy, clock)
  );
}
