/** What a decision about an attempt is taken on, and the endings that several decisions have in common. */
import { addHold, move, type Reason, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, HoldReason, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import type { InquiryReading } from './read-reply.ts';
import type { ClockReading } from './clock-skew.ts';
import type { SettlePolicy } from './resend.ts';

/** One attempt, its payout and what was just learnt about it, with the time by both clocks. */
export interface Case extends ClockReading {
  readonly payout: Payout;
  readonly attempt: Attempt;
  /** What the history keeps of the reply. */
  readonly facts: object;
  readonly policy: SettlePolicy;
}

export const isInDoubt = ({ status }: Payout): boolean => status === 'submitted' || status === 'unresolved';

/** Holds a payout that has moved no money, until the account's breaker lets its next attempt be made. */
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

/** The bank has told how the attempt ended, and its payout ends with it. */
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

/** Inquiries are used up, or it may not be sent again: a decision, a statement or a late inquiry settles it. */
export function giveUp(known: Case, reason: Reason): Change {
  return move({
    ...known,
    patch: { status: 'unresolved', ...reasonPatch(reason) },
    cause: 'given-up',
    attempt: { ...known.attempt, status: 'unresolved', nextInquiryAtMs: null },
    detail: { ...known.facts, code: reason.code },
  });
}

/** The attempt with what an inquiry about it has shown. */
export function withInquiry(
  { attempt, nowMs }: Pick<Case, 'attempt' | 'nowMs'>,
  { kind }: InquiryReading,
): Attempt {
  const isKnown = kind === 'complete' || kind === 'in-process' || kind === 'failed';
  const acknowledged = attempt.acknowledged || isKnown;
  return {
    ...attempt,
    inquiries: attempt.inquiries + 1,
    lastInquiryAtMs: nowMs,
    lastFinding: kind,
    acknowledged,
    // A reference that never left us and that the bank knows all the same is somebody else's.
    referenceConflict: attempt.referenceConflict || (attempt.sends === 0 && acknowledged),
  };
}
