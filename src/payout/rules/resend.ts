/**
 * Decides when bytes may leave (design: "Sending the same attempt again"). The bank refuses a duplicate only on the
 * same Bangkok day (§4 rule 2), so an attempt of another day, or one that the bank may know, is never sent again.
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
  /** Highest age in ms of an intent that is sent; 0: only the attempt's day limits it. */
  readonly intentMaxAgeMs: number;
  /**
   * Time up to which intents may have been sent by a lost part of the journal; such attempts are never sent again.
   * Undefined when it was never lost.
   */
  readonly lostUntilMs?: number | undefined;
  /**
   * Time up to which intents may have been sent by the original of this adopted journal; such attempts are never sent
   * again. Undefined for any other journal.
   */
  readonly missesSinceMs?: number | undefined;
}

/** Least distance from midnight in ms of a repetition: the bank's day may already be another. */
const midnightMarginMs = 15 * 60_000;

/** Time of the next inquiry; the delay doubles each time, up to the setting's limit. */
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

/** True while only the attempt's day limits it, or its age is within the setting. */
function isFresh(attempt: Attempt, policy: SettlePolicy, nowMs: number): boolean {
  const ageMs = nowMs - attempt.intentAtMs;
  return ageMs >= 0 && (policy.intentMaxAgeMs === 0 || ageMs <= policy.intentMaxAgeMs);
}

function isFromBeforeLoss({ intentAtMs }: Attempt, { lostUntilMs }: SettlePolicy): boolean {
  return lostUntilMs !== undefined && intentAtMs <= lostUntilMs;
}

/** True when another journal, or a lost part of this one, may have used the attempt's reference again. */
export const mayHaveGoneUnseen = (attempt: Attempt, policy: SettlePolicy): boolean =>
  isFromBeforeLoss(attempt, policy) ||
  (policy.missesSinceMs !== undefined && attempt.intentAtMs <= policy.missesSinceMs);

/** Asked just before the bytes of a first send leave: a suspended machine may have slept past the day. */
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

/** Asked just before the bytes of a repetition leave; the bank's clock must be known and agree. */
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

/** A bank's clock that goes back by more than this was wrong before. */
const glitchMs = 3_600_000;

/** Number of sends that the bank may have processed; a send that ended in a proven refusal had no effect. */
export function countDelivered(attempt: Pick<Attempt, 'sends' | 'refusals'>): number {
  return attempt.sends - attempt.refusals;
}

/** True when every send that may have had an effect was refused, but without our requestUID. */
export function isRefusedUnproven(
  attempt: Pick<Attempt, 'sends' | 'refusals' | 'unprovenRefusals'>,
): boolean {
  return attempt.unprovenRefusals > 0 && countDelivered(attempt) === attempt.unprovenRefusals;
}

/**
 * Time from which "not found" is trusted: `notFoundTrustMs` after the last send, by our clock and by the bank's, since
 * either may jump. Epoch milliseconds of our clock; in the past when there was no send.
 */
export function computeTrustAtMs(
  attempt: Pick<Attempt, 'lastSentAtMs' | 'lastSentBankMs'>,
  policy: Pick<SettlePolicy, 'notFoundTrustMs'>,
  { nowMs, bankNowMs }: ClockReading,
): number {
  const { lastSentAtMs, lastSentBankMs } = attempt;
  if (lastSentAtMs === null) return nowMs;
  // Our clock has gone back since the send, and does not show the time passed.
  const byOursMs = lastSentAtMs > nowMs ? nowMs : lastSentAtMs + policy.notFoundTrustMs;
  if (bankNowMs === undefined || lastSentBankMs === null) return byOursMs;
  const passedMs = bankNowMs - lastSentBankMs;
  // The bank's clock was far ahead for a while, and does not show the time passed.
  if (passedMs < -glitchMs) return byOursMs;
  const byBanksMs = nowMs + policy.notFoundTrustMs - passedMs;
  return Math.max(byOursMs, byBanksMs);
}

/**
 * Number of times the same attempt may still be sent. Refusals for the payer or the service, and sends that only tried
 * whether transfers are answered again, do not count: otherwise an outage would use up `resendsMax`, and only people
 * could end the doubt. All other rules hold: one send in `notFoundTrustMs`, on the attempt's own day, on which the bank
 * refuses a duplicate.
 */
function countRepetitionsLeft(
  attempt: Pick<Attempt, 'sends' | 'uncountedSends'>,
  { resendsMax }: Pick<SettlePolicy, 'resendsMax'>,
): number {
  if (resendsMax === 0) return 0;
  const resends = Math.max(0, attempt.sends - 1 - attempt.uncountedSends);
  return resendsMax - resends;
}

/** The attempt after a send without an answer, while no other transfer got one either. */
export const withUnansweredTrial = (attempt: Attempt): Attempt =>
  countDelivered(attempt) > 1 ? { ...attempt, uncountedSends: attempt.uncountedSends + 1 } : attempt;

/**
 * True when the bank's day at the send was the attempt's. With a wrong clock of ours the bank may have booked it under
 * another day, on which it would not recognise it. False when the bank had not told its time by then.
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
 * The attempt with the times of its send corrected by its exchange: a slow commit or token comes between the decision
 * and the bytes. If the bank had told no time before, the time of the reply counts: the send left on its day, and later
 * is on the safe side.
 * @param elapsedMs length of the exchange; undefined when there was none
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
