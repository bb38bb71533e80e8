/** Facts for a decision about an attempt, and the endings shared by several decisions. */
import { message } from '../../core/message.ts';
import { isSameContent } from '../../core/attempt-numbers.ts';
import { addHold, move, type Reason, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, HoldReason, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { areOf, isShownFailed } from './inquiry-items.ts';
import type { InquiryReading } from './read-reply.ts';
import type { ClockReading } from './clock-skew.ts';
import { mayHaveGoneUnseen, type SettlePolicy } from './resend.ts';

/** One attempt, its payout and the news about it, with the time by both clocks. */
export interface Case extends ClockReading {
  readonly payout: Payout;
  readonly attempt: Attempt;
  /**
   * Other attempts under the same transRefNo, oldest first: a refused reference is sent again with the row as it is
   * then.
   */
  readonly sameReference: readonly Attempt[];
  /** Facts of the reply that the history stores. */
  readonly facts: object;
  readonly policy: SettlePolicy;
}

/** True when another content was sent under the same reference: an inquiry does not tell which one was completed. */
export const hasOtherContent = ({ attempt, sameReference }: Case): boolean =>
  sameReference.some(({ sends, order }) => sends > 0 && !isSameContent(order, attempt.order));

/** True when the bank has a send whose day and time are none of ours; another journal may have made it. */
export const isOfUnknownSend = (
  { attempt, sameReference, policy }: Case,
  { moments }: Extract<InquiryReading, { readonly moments: unknown }>,
): boolean =>
  mayHaveGoneUnseen(attempt, policy) &&
  !areOf(
    moments,
    [...sameReference, attempt].filter(({ sends }) => sends > 0).map(({ order }) => order),
  );

/**
 * Reason when a reference was sent with two contents: an inquiry shows neither amount nor payee, so only a statement
 * tells which one was completed.
 */
export const twoContents: Reason = {
  code: 'two-contents',
  text: message('attempt.two-contents'),
};

/** Reason when another journal may have made the send; an inquiry does not show its content. */
export const sentByAnother: Reason = {
  code: 'found-after-loss',
  text: message('attempt.sent-by-another'),
};

export const isInDoubt = ({ status }: Pick<Payout, 'status'>): boolean =>
  status === 'submitted' || status === 'unresolved';

/** Holds a payout that has moved no money, until the account's breaker allows its next attempt. */
export function returnUnsent(known: Case, hold: HoldReason, reason: Reason): Change {
  const { payout, attempt, facts } = known;
  return move({
    ...known,
    patch: { status: 'held', holds: addHold(payout.holds, hold), ...reasonPatch(reason) },
    cause: 'refused-for-line',
    attempt: { ...attempt, nextInquiryAtMs: null },
    detail: { hold, code: reason.code, ...facts },
  });
}

const failedCauses = { reply: 'refused-for-payout', inquiry: 'inquiry-failed' } as const;

/** Ends the attempt with the bank's outcome, and its payout with it. */
export function settleCase(
  known: Case,
  status: 'paid' | 'failed',
  reason: Reason,
  by: 'reply' | 'inquiry',
): Change {
  const { attempt, facts, nowMs } = known;
  return move({
    ...known,
    patch: { status, ...reasonPatch(reason), ...settled(by, nowMs) },
    cause: status === 'paid' ? 'proved' : failedCauses[by],
    attempt: { ...attempt, status, nextInquiryAtMs: null },
    detail: { ...facts, code: reason.code },
  });
}

/**
 * Calls a payout unresolved: its inquiries are used up, or it may not be sent again. A decision, a statement or a late
 * inquiry settles it.
 */
export function giveUp(known: Case, reason: Reason): Change {
  return move({
    ...known,
    patch: { status: 'unresolved', ...reasonPatch(reason) },
    cause: 'given-up',
    attempt: { ...known.attempt, status: 'unresolved', nextInquiryAtMs: null },
    detail: { ...known.facts, code: reason.code },
  });
}

/** Weight of an answer: possible money counts more than no answer, and no answer more than a failure. */
const weights = {
  'not-found': 0,
  failed: 1,
  'nothing-said': 2,
  'in-process': 3,
  complete: 4,
} as const satisfies Record<InquiryReading['kind'], number>;

/** True when one answer outweighs the other, about the same reference on another day or terminal. */
export const isStronger = (one: InquiryReading, than: InquiryReading): boolean =>
  weights[one.kind] > weights[than.kind];

/** Joins the answers about one reference for two days or terminals. */
export function combine(one: InquiryReading, other: InquiryReading): InquiryReading {
  if (one.kind !== 'failed' || other.kind !== 'failed') return isStronger(other, one) ? other : one;
  const moments = [...one.moments, ...other.moments];
  return { ...(one.isOfLast ? one : other), sends: [...one.sends, ...other.sends], moments };
}

/** True when the bank works, or has worked, on the transfer: no other day can say less. */
export const mayHaveMoved = ({ kind }: InquiryReading): boolean =>
  kind === 'complete' || kind === 'in-process';

/** The attempt with the result of an inquiry. */
export function withInquiry(
  { attempt, nowMs }: Pick<Case, 'attempt' | 'nowMs'>,
  reading: InquiryReading,
): Attempt {
  const { kind } = reading;
  const isKnown = kind === 'complete' || kind === 'in-process' || kind === 'failed';
  const acknowledged = attempt.acknowledged || isKnown;
  return {
    ...attempt,
    inquiries: attempt.inquiries + 1,
    lastInquiryAtMs: nowMs,
    lastFinding: kind,
    acknowledged,
    hasFailedItem: attempt.hasFailedItem || isShownFailed(reading, attempt.order),
    // A reference that never left us and that the bank knows belongs to another transfer.
    referenceConflict: attempt.referenceConflict || (attempt.sends === 0 && acknowledged),
  };
}
