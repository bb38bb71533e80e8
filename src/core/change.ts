/** How guarded changes are composed; every decision goes through here. */
import type { Reason } from './classify.ts';
import type { Attempt, HoldReason, Payout, PayoutCause, SettledBy } from './payout.ts';
import type { Change } from './ports.ts';

export type PayoutPatch = Partial<Omit<Payout, 'seq' | 'batchId' | 'rowNo' | 'instruction' | 'version'>>;

interface Move {
  readonly payout: Payout;
  readonly patch: PayoutPatch;
  readonly cause: PayoutCause;
  readonly nowMs: number;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly attempt?: Attempt;
}

/** Composes a guarded change: the payout as it was read, what changes, and the event that records why. */
export function move({ payout, patch, cause, nowMs, detail = {}, attempt }: Move): Change {
  const after: Payout = { ...payout, ...patch };
  const event = { cause, atMs: nowMs, detail };
  return attempt === undefined ? { before: payout, after, event } : { before: payout, after, event, attempt };
}

/** The payout after a change was applied: the store raises the version by one. */
export function afterChange(change: Change): Payout {
  return { ...change.after, version: change.before.version + 1 };
}

export const reasonPatch = (reason: Reason): PayoutPatch => ({
  reasonCode: reason.code,
  reason: reason.text,
});

export const settled = (by: SettledBy, nowMs: number): PayoutPatch => ({ settledBy: by, settledAtMs: nowMs });

/** Adds a hold to the set. */
function withHold(holds: readonly HoldReason[], hold: HoldReason): readonly HoldReason[] {
  return holds.includes(hold) ? holds : [...holds, hold];
}

/** A guarded change that holds a ready or held payout for one more reason. */
export function decideHold(payout: Payout, hold: HoldReason, reason: Reason, nowMs: number): Change {
  return move({
    payout,
    patch: { status: 'held', holds: withHold(payout.holds, hold), ...reasonPatch(reason) },
    cause: 'hold-added',
    nowMs,
    detail: { hold, code: reason.code },
  });
}

/** Puts a payout back that has moved no money: held until the line goes on, then its next attempt. */
export function putBack(
  payout: Payout,
  attempt: Attempt,
  hold: HoldReason,
  reason: Reason,
  nowMs: number,
  detail: object,
): Change {
  return move({
    payout,
    patch: { status: 'held', holds: withHold(payout.holds, hold), ...reasonPatch(reason) },
    cause: 'refused-for-line',
    nowMs,
    attempt: { ...attempt, nextInquiryAtMs: null },
    detail: { hold, code: reason.code, ...detail },
  });
}

/** Inquiries are used up, or it may not be sent again: people, a statement or a late inquiry settle it. */
export function giveUp(
  payout: Payout,
  attempt: Attempt,
  reason: Reason,
  nowMs: number,
  detail: object,
): Change {
  return move({
    payout,
    patch: { status: 'unresolved', ...reasonPatch(reason) },
    cause: 'given-up',
    nowMs,
    attempt: { ...attempt, status: 'unresolved', nextInquiryAtMs: null },
    detail: { ...detail, code: reason.code },
  });
}
