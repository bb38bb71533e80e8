/**
 * When bytes may leave (design: "Sending the same attempt again"). The bank refuses a duplicate only on the
 * same Bangkok day (§4 rule 2), so an attempt of another day, or one that the bank may know, never leaves again.
 */
import { computeBackoffMs } from '../../core/backoff.ts';
import { formatBangkokDate, isSameBangkokDay, msFromBangkokMidnight } from '../../core/bangkok-time.ts';
import type { Attempt } from '../../core/payout.ts';
import { computeOrderHash } from '../../core/reference.ts';
import { type ClockReading, firstSendMarginMs } from './clock-skew.ts';

export interface SettlePolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly giveUpAfterMs: number;
  readonly notFoundTrustMs: number;
  readonly resendsMax: number;
  /** No attempt leaves whose intent is older; 0: as long as it is the attempt's day. */
  readonly intentMaxAgeMs: number;
  /**
   * Attempts whose intent is not later may have been sent by a part of the journal that was lost: they never leave
   * again. Undefined when it was never lost.
   */
  readonly lostUntilMs?: number | undefined;
  /**
   * Attempts whose intent is not later may have gone on in the original of this adopted journal: they never leave again.
   * Undefined when it is no such journal.
   */
  readonly missesSinceMs?: number | undefined;
}

/** Nothing is sent again nearer to midnight than this: the bank's day may already be another. */
const midnightMarginMs = 15 * 60_000;

/** Delay before the next inquiry: growing by doubling, up to the setting's limit. */
export function computeNextInquiryAtMs({
  attempt,
  policy,
  nowMs,
}: {
  readonly attempt: Pick<Attempt, 'inquiries'>;
  readonly policy: SettlePolicy;
  readonly nowMs: number;
}): number {
  const backoff = { baseMs: policy.firstDelayMs, maxMs: policy.maxDelayMs };
  return nowMs + computeBackoffMs(backoff, attempt.inquiries);
}

function isAttemptsDay(attempt: Attempt, nowMs: number): boolean {
  return formatBangkokDate(nowMs) === attempt.order.tranDate;
}

/** Bounded by the attempt's day alone, unless the setting bounds it further. */
function isFresh(attempt: Attempt, policy: SettlePolicy, nowMs: number): boolean {
  const ageMs = nowMs - attempt.intentAtMs;
  return ageMs >= 0 && (policy.intentMaxAgeMs === 0 || ageMs <= policy.intentMaxAgeMs);
}

function isFromBeforeLoss({ intentAtMs }: Attempt, { lostUntilMs }: SettlePolicy): boolean {
  return lostUntilMs !== undefined && intentAtMs <= lostUntilMs;
}

/** True when another journal, or a lost part of this one, may have used the reference of the attempt again. */
export const mayHaveGoneUnseen = (attempt: Attempt, policy: SettlePolicy): boolean =>
  isFromBeforeLoss(attempt, policy) ||
  (policy.missesSinceMs !== undefined && attempt.intentAtMs <= policy.missesSinceMs);

/** Asked when the bytes of a first send are about to leave: a suspended machine may have slept past the day. */
export function mayBytesLeaveFirst(
  attempt: Attempt,
  policy: SettlePolicy,
  { nowMs, bankNowMs = nowMs }: ClockReading,
): boolean {
  const isDaySure = [nowMs, bankNowMs].every(
    (timeMs) => isAttemptsDay(attempt, timeMs) && msFromBangkokMidnight(timeMs) >= firstSendMarginMs,
  );
  return isDaySure && isFresh(attempt, policy, nowMs);
}

/** Asked when the bytes of a repetition are about to leave; the bank's clock must be known and agree. */
export function mayBytesLeaveAgain(
  attempt: Attempt,
  policy: SettlePolicy,
  { nowMs, bankNowMs }: ClockReading,
): boolean {
  if (bankNowMs === undefined || mayHaveGoneUnseen(attempt, policy)) return false;
  return (
    [nowMs, bankNowMs].every(
      (timeMs) => isAttemptsDay(attempt, timeMs) && msFromBangkokMidnight(timeMs) >= midnightMarginMs,
    ) && isFresh(attempt, policy, nowMs)
  );
}

/** A bank's clock that has gone back by more than this was wrong before. */
const glitchMs = 3_600_000;

/** Sends that may have reached the bank's books: those that ended in a proven refusal did nothing. */
export function countDelivered(attempt: Pick<Attempt, 'sends' | 'refusals'>): number {
  return attempt.sends - attempt.refusals;
}

/** True when every send that may have done anything was refused, but without our requestUID. */
export function isRefusedUnproven(
  attempt: Pick<Attempt, 'sends' | 'refusals' | 'unprovenRefusals'>,
): boolean {
  return attempt.unprovenRefusals > 0 && countDelivered(attempt) === attempt.unprovenRefusals;
}

/**
 * From when a not-found is to be trusted: `notFoundTrustMs` after the last send by our clock and by the bank's, since
 * either of them may jump. Epoch milliseconds of our clock; the past when nothing was ever sent.
 */
export function computeTrustAtMs(
  attempt: Pick<Attempt, 'lastSentAtMs' | 'lastSentBankMs'>,
  policy: Pick<SettlePolicy, 'notFoundTrustMs'>,
  { nowMs, bankNowMs }: ClockReading,
): number {
  const { lastSentAtMs, lastSentBankMs } = attempt;
  if (lastSentAtMs === null) return nowMs;
  // Ours has gone back since: it says nothing about the time that has passed.
  const byOursMs = lastSentAtMs > nowMs ? nowMs : lastSentAtMs + policy.notFoundTrustMs;
  if (bankNowMs === undefined || lastSentBankMs === null) return byOursMs;
  const passedMs = bankNowMs - lastSentBankMs;
  // The bank's clock was far ahead for a while: it says nothing of the time that has passed.
  if (passedMs < -glitchMs) return byOursMs;
  const byBanksMs = nowMs + policy.notFoundTrustMs - passedMs;
  return Math.max(byOursMs, byBanksMs);
}

/**
 * How often the same attempt may still be sent again. A refusal for the payer or the service, and a send that only tried
 * whether transfers are answered again, do not count: an outage would use up `resendsMax`, and only people could end the
 * doubt. All other rules hold: it goes once in `notFoundTrustMs`, on the attempt's own day, on which the bank refuses a
 * duplicate.
 */
function countRepetitionsLeft(
  attempt: Pick<Attempt, 'sends' | 'uncountedSends'>,
  { resendsMax }: Pick<SettlePolicy, 'resendsMax'>,
): number {
  if (resendsMax === 0) return 0;
  const resends = Math.max(0, attempt.sends - 1 - attempt.uncountedSends);
  return resendsMax - resends;
}

/** The attempt whose latest send got no answer, as no other transfer did meanwhile. */
export const withUnansweredTrial = (attempt: Attempt): Attempt =>
  countDelivered(attempt) > 1 ? { ...attempt, uncountedSends: attempt.uncountedSends + 1 } : attempt;

/**
 * Whether the bank's day was the attempt's when it left: with a wrong clock of ours the bank may have booked it under
 * another day, on which it would not know it again. Unknown where the bank had not told its time by then.
 */
function hasLeftOnItsDay(attempt: Attempt): boolean {
  const { lastSentBankMs } = attempt;
  return countDelivered(attempt) === 0 || (lastSentBankMs !== null && isAttemptsDay(attempt, lastSentBankMs));
}

/** True when the same attempt may be sent again after an inquiry that found nothing. */
export function maySendAgain(attempt: Attempt, policy: SettlePolicy, clock: ClockReading): boolean {
  const isTrusted = clock.nowMs >= computeTrustAtMs(attempt, policy, clock);
  return (
    computeOrderHash(attempt.order) === attempt.orderHash &&
    attempt.lastFinding === 'not-found' &&
    isTrusted &&
    !attempt.acknowledged &&
    !attempt.referenceConflict &&
    hasLeftOnItsDay(attempt) &&
    countRepetitionsLeft(attempt, policy) > 0 &&
    mayBytesLeaveAgain(attempt, policy, clock)
  );
}

/**
 * The attempt with the times of its send corrected by what its exchange tells: a slow commit or token comes between
 * the decision and the bytes. The bank's time, where it had told none before, is that of the reply, on whose day it
 * must have left: later is on the safe side.
 * @param elapsedMs of the exchange; undefined when there was none
 */
export function withSendTimes(
  attempt: Attempt,
  elapsedMs: number | undefined,
  { nowMs, bankNowMs = null }: { readonly nowMs: number; readonly bankNowMs?: number | null | undefined },
): Attempt {
  if (elapsedMs === undefined) return attempt;
  const isDayTold = bankNowMs !== null && isSameBangkokDay(bankNowMs - elapsedMs, bankNowMs);
  const lastSentBankMs = attempt.lastSentBankMs ?? (isDayTold ? bankNowMs : null);
  const leftAtMs = Math.round(nowMs - elapsedMs);
  const decidedAtMs = attempt.lastSentAtMs ?? leftAtMs;
  const lateMs = Math.max(0, leftAtMs - decidedAtMs);
  return {
    ...attempt,
    lastSentAtMs: decidedAtMs + lateMs,
    lastSentBankMs: lastSentBankMs === null ? null : lastSentBankMs + lateMs,
  };
}
