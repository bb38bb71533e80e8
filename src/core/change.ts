/** How guarded changes are composed; every decision goes through here. */
import type { Reason } from '../payout/rules/read-reply.ts';
import { canMovePayout } from './payout.ts';
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

// ---- What every change must hold before a store looks at it, whatever the store: the tables, and how attempts follow.

/** A change that no table allows: a bug of whoever composed it. Nothing of its call is applied. */
export class ForbiddenChangeError extends Error {
  override readonly name = 'ForbiddenChangeError';
}

/** @throws ForbiddenChangeError for a change that no store may apply */
export function requireAllowed(change: Change): void {
  checkChange(change);
  checkAdopts(change);
}

function checkChange({ before, after, event, attempt, isIntent }: Change): void {
  const refuse = (why: string): never => {
    throw new ForbiddenChangeError(`payout ${before.seq}: ${why}`);
  };
  if (!canMovePayout(before.status, after.status, event.cause)) {
    refuse(`${before.status} cannot become ${after.status} because of "${event.cause}"`);
  }
  if (after.seq !== before.seq) refuse(`the change is composed for payout ${after.seq}`);
  if (attempt !== undefined && attempt.payoutSeq !== before.seq) refuse('the attempt is another payout’s');
  const isSubmitted = event.cause === 'intent-recorded';
  if (isSubmitted !== (isIntent === true)) refuse('an intent, and nothing else, is marked as one');
  const isNew = attempt !== undefined && attempt.attemptNo > before.attemptNo;
  if (isSubmitted !== isNew) refuse('an intent, and nothing else, makes a new attempt');
  if (isNew && attempt.attemptNo !== after.attemptNo) refuse('the new attempt is not the payout’s latest');
}

function checkAdopts({ before, after, event, adopts = [] }: Change): void {
  const refuse = (why: string): never => {
    throw new ForbiddenChangeError(`payout ${before.seq}: ${why}`);
  };
  const isFound = event.cause === 'found-after-loss';
  if (isFound !== adopts.length > 0) refuse('what was found after a loss, and nothing else, is adopted');
  let highest = before.attemptNo;
  for (const { payoutSeq, attemptNo } of adopts) {
    if (payoutSeq !== before.seq) refuse('the adopted attempt is another payout’s');
    if (attemptNo <= highest) refuse(`adopted attempt ${attemptNo} does not follow ${highest}`);
    highest = attemptNo;
  }
  if (isFound && after.attemptNo !== highest) refuse('the last adopted attempt is not the payout’s latest');
}
