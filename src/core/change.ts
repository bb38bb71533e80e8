/** Guarded changes: how decisions compose them, and the checks before a store applies one. */
import type { Message } from './message.ts';
import {
  type Attempt,
  canMovePayout,
  type HoldReason,
  type Payout,
  type PayoutCause,
  quietCauses,
  type SettledBy,
} from './payout.ts';
import type { Change } from './ports.ts';

/** A code (the bank's, or our own in lower case) and its text for people. */
export interface Reason {
  readonly code: string;
  readonly text: Message;
}

export type PayoutPatch = Partial<Omit<Payout, 'seq' | 'batchId' | 'rowNo' | 'instruction' | 'version'>>;

interface Move {
  readonly payout: Payout;
  readonly patch: PayoutPatch;
  readonly cause: PayoutCause;
  readonly nowMs: number;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly attempt?: Attempt | undefined;
}

/** Composes a guarded change: the payout as read, the fields that change, and the event that records why. */
export function move({ payout, patch, cause, nowMs, detail = {}, attempt }: Move): Change {
  // An acknowledgement holds only while the payout stays as the person saw it.
  const isAcknowledged = payout.isAcknowledged && quietCauses.includes(cause);
  const after: Payout = { ...payout, isAcknowledged, ...patch };
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

/** The holds with one added. */
export const addHold = (holds: readonly HoldReason[], hold: HoldReason): readonly HoldReason[] =>
  holds.includes(hold) ? holds : [...holds, hold];

/** A guarded change that adds a hold to a ready or held payout. */
export function decideHold(payout: Payout, hold: HoldReason, reason: Reason, nowMs: number): Change {
  return move({
    payout,
    patch: { status: 'held', holds: addHold(payout.holds, hold), ...reasonPatch(reason) },
    cause: 'hold-added',
    nowMs,
    detail: { hold, code: reason.code },
  });
}

/** A change that no table allows: a bug in the code that composed it. Nothing of its call is applied. */
export class ForbiddenChangeError extends Error {
  override readonly name = 'ForbiddenChangeError';
}

/** @throws ForbiddenChangeError for a change that no store may apply */
export function requireAllowed(change: Change): void {
  const why = findForbidden(change) ?? findForbiddenAdoption(change);
  if (why !== undefined) throw new ForbiddenChangeError(`payout ${change.before.seq}: ${why}`);
}

function findForbidden({
  before,
  after,
  event,
  attempt,
  isIntent,
  isRepetition,
}: Change): string | undefined {
  if (!canMovePayout(before.status, after.status, event.cause)) {
    return `${before.status} cannot become ${after.status} because of "${event.cause}"`;
  }
  if (after.seq !== before.seq) return `the change is composed for payout ${after.seq}`;
  if (attempt !== undefined && attempt.payoutSeq !== before.seq) return 'the attempt is another payout’s';
  const isSubmitted = event.cause === 'intent-recorded';
  if (isSubmitted !== (isIntent === true)) return 'an intent, and nothing else, is marked as one';
  const isSentAgain = event.cause === 'sending-again';
  if (isSentAgain !== (isRepetition === true)) return 'a repetition, and nothing else, is marked as one';
  const isNew = attempt !== undefined && attempt.attemptNo > before.attemptNo;
  if (isSubmitted !== isNew) return 'an intent, and nothing else, makes a new attempt';
  if (isNew && attempt.attemptNo !== after.attemptNo) return 'the new attempt is not the payout’s latest';
  return undefined;
}

function findForbiddenAdoption({ before, after, event, adopts = [] }: Change): string | undefined {
  const isFound = event.cause === 'found-after-loss';
  if (isFound !== adopts.length > 0) return 'what was found after a loss, and nothing else, is adopted';
  let highest = before.attemptNo;
  for (const { payoutSeq, attemptNo } of adopts) {
    if (payoutSeq !== before.seq) return 'the adopted attempt is another payout’s';
    if (attemptNo <= highest) return `adopted attempt ${attemptNo} does not follow ${highest}`;
    highest = attemptNo;
  }
  if (isFound && after.attemptNo !== highest) return 'the last adopted attempt is not the payout’s latest';
  return undefined;
}
