/** `apply` of the simulated journal: the same guards as the real one, on records in memory. */
import {
  type Attempt,
  canMoveAttempt,
  claimReleasingStatuses,
  type PayoutStatus,
} from '../../../src/core/payout.ts';
import { decideNextNumber } from '../../../src/core/attempt-numbers.ts';
import { formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import type { AttemptKey, Batch, Change } from '../../../src/core/ports.ts';
import { isReferenceOf, readAttemptNumber } from '../../../src/core/reference.ts';
import { findDayExcess } from '../../../src/payout/rules/limits.ts';
import { readDayUse, readPayeeUse } from './reads.ts';
import { keepHand, markDecided } from './proposals.ts';
import {
  claimKey,
  findPlaces,
  isStopped,
  type MemoryStore,
  moveRow,
  put,
  requireBatch,
  requireRow,
  type StoredClaim,
  type Undo,
} from './store.ts';

const isReleased = (status: PayoutStatus): boolean => claimReleasingStatuses.includes(status);

/** What is asked besides where several machines send from one journal. */
export interface MemoryGuards {
  /** Whether whoever sends has the right to. */
  fence(): boolean;
  mayIntend(change: Change, companyId: string): boolean;
  noteSend(sent: AttemptKey): void;
  noteApplied(change: Change, payer: Pick<Batch, 'companyId' | 'payerAccount'>): void;
}

/**
 * Applies the changes of one call: all that hold, or, when one is a bug, none.
 * @returns true for each applied, false for each whose guard no longer held
 */
export function applyCall(store: MemoryStore, changes: readonly Change[], guards?: MemoryGuards): boolean[] {
  const undo: Undo = [];
  try {
    return changes.map((change) => {
      if (guards !== undefined && !isGuardRight(store, change, guards)) return false;
      const isApplied = applyChange(store, change, undo);
      const { attempt, isIntent, isRepetition } = change;
      if (isApplied && attempt !== undefined && (isIntent ?? isRepetition) === true)
        guards?.noteSend(attempt);
      if (isApplied) guards?.noteApplied(change, requireBatch(store, change.before.batchId));
      return isApplied;
    });
  } catch (error) {
    for (const takeBack of undo.toReversed()) takeBack();
    throw error;
  }
}

function isGuardRight(store: MemoryStore, change: Change, guards: MemoryGuards): boolean {
  const { isIntent, isRepetition, before } = change;
  if (isIntent !== true && isRepetition !== true) return true;
  const { companyId } = requireBatch(store, before.batchId);
  return guards.fence() && (isIntent !== true || guards.mayIntend(change, companyId));
}

function applyChange(store: MemoryStore, change: Change, undo: Undo): boolean {
  const {
    before,
    after,
    event,
    attempt,
    isIntent,
    isRepetition,
    adopts = [],
    isValidated = false,
    decision,
  } = change;
  const { companyId, payerAccount, status } = requireBatch(store, before.batchId);
  const made = isIntent === true ? [attempt, ...adopts] : adopts;
  if (made.some((one) => !isOrderOf(one, companyId, payerAccount))) {
    throw new Error(`payout ${before.seq}: the order names another company or payer account`);
  }
  const isOwn = (one: Attempt | undefined): boolean =>
    one !== undefined && isReferenceOf(one.order.transRefNo, companyId, before.instruction.payoutId);
  if (!made.every(isOwn)) throw new Error(`payout ${before.seq}: the order bears another payout’s reference`);
  const isSend = isIntent === true || isRepetition === true;
  if (isSend && (status !== 'running' || isStopped(store, companyId, payerAccount))) return false;
  const row = requireRow(store, before.seq);
  if (row.payout.version !== before.version || row.payout.status !== before.status) return false;
  const key = claimKey(companyId, before.instruction.payoutId);
  if (isIntent === true && !bearsRightNumber(store, change, companyId)) return false;
  if (!isClaimRight(change, store.claims.get(key))) return false;
  if (!isWithinLimits(store, change, companyId)) return false;
  if (decision !== undefined && !markDecided(store, decision, undo)) return false;
  if (decision !== undefined && change.isCorrected === true) keepHand(store, decision, before.batchId, undo);
  moveClaim(store, change, key, undo);
  for (const shown of change.failedItems ?? []) keepFailedItem(store, shown, undo);
  if (attempt !== undefined) keepAttempt(store, attempt, isIntent === true, undo);
  for (const adopted of adopts) keepAttempt(store, adopted, true, undo);
  const detail = JSON.stringify(event.detail);
  const latest = store.latestEventSeq;
  undo.push(() => {
    store.rows.set(before.seq, row);
    store.events.length -= 1;
    store.latestEventSeq = latest;
  });
  const { isCorrected = false } = change;
  moveRow(store, { row, after, cause: event.cause, atMs: event.atMs, detail, isValidated, isCorrected });
  return true;
}

/** An intent keeps the limits of its day. */
function isWithinLimits(store: MemoryStore, { limits, after }: Change, companyId: string): boolean {
  if (limits === undefined || after.submittedAtMs === null) return true;
  const date = formatBangkokDate(after.submittedAtMs);
  const { amountSatang, proxyNo } = after.instruction;
  const use = readDayUse(store, companyId, date, after.batchId);
  const payeeSatang = readPayeeUse(store, companyId, date, proxyNo);
  return findDayExcess(limits, amountSatang, use, payeeSatang, after.submittedAtMs).length === 0;
}

const isOrderOf = (attempt: Attempt | undefined, companyId: string, payerAccount: string): boolean =>
  attempt?.order.companyId === companyId && attempt.order.payerAccount === payerAccount;

/** The number of an intent is the one that may go, by every attempt of the payoutId, of whatever file. */
function bearsRightNumber(
  store: MemoryStore,
  { before, attempt, failedItems = [] }: Change,
  companyId: string,
): boolean {
  if (attempt === undefined) return false;
  const isShown = (one: AttemptKey): boolean =>
    failedItems.some((key) => key.payoutSeq === one.payoutSeq && key.attemptNo === one.attemptNo);
  const earlier = findPlaces(store, before.instruction.payoutId)
    .flatMap(({ payout }) => store.attempts.get(payout.seq) ?? [])
    .filter(({ order }) => order.companyId === companyId)
    .map((one) => ({ ...one, hasFailedItem: one.hasFailedItem || isShown(one) }));
  const next = decideNextNumber(earlier, attempt.order, before.acceptedHolds.includes('resend'));
  return next.kind === 'free' && next.number === readAttemptNumber(attempt.order.transRefNo);
}

/** What the claim must say before a payout may change. */
function isClaimRight(
  { before, after, isIntent, adopts, event }: Change,
  claim: StoredClaim | undefined,
): boolean {
  if (isIntent === true || adopts !== undefined || event.cause === 'released')
    return claim?.payoutSeq === before.seq;
  const takesItBack = isReleased(before.status) && !isReleased(after.status) && after.status !== 'paid';
  if (!takesItBack || claim === undefined) return true;
  return claim.payoutSeq === null || claim.payoutSeq === before.seq;
}

function moveClaim(store: MemoryStore, change: Change, key: string, undo: Undo): void {
  const { before, after, event, attempt, isIntent, adopts = [] } = change;
  const [lowest] = adopts;
  if (lowest !== undefined) raiseCount(store, change, key, lowest.attemptNo, undo);
  const claim = store.claims.get(key) ?? { payoutSeq: null, attemptsRecorded: 0 };
  const giveTo = (payoutSeq: number | null): void => put(store.claims, key, { ...claim, payoutSeq }, undo);
  if (isIntent === true && attempt !== undefined) {
    if (claim.attemptsRecorded !== attempt.attemptNo - 1)
      throw new Error(`payout ${before.seq}: attempt ${attempt.attemptNo} is not the next one`);
    put(store.claims, key, { ...claim, attemptsRecorded: attempt.attemptNo }, undo);
  } else if (event.cause === 'late-proof') {
    if (!isHeldByPaid(store, claim)) giveTo(before.seq);
  } else if (isReleased(after.status) || event.cause === 'released') {
    if (claim.payoutSeq === before.seq) giveTo(null);
  } else if (isReleased(before.status) && claim.payoutSeq === null) {
    giveTo(before.seq);
  }
}

/** Skips the numbers of attempts that were found after a loss. */
function raiseCount(
  store: MemoryStore,
  { before, after }: Change,
  key: string,
  lowest: number,
  undo: Undo,
): void {
  const claim = store.claims.get(key);
  if (claim === undefined || claim.attemptsRecorded >= lowest)
    throw new Error(`payout ${before.seq}: attempt ${lowest} is known already`);
  put(store.claims, key, { ...claim, attemptsRecorded: after.attemptNo }, undo);
}

function isHeldByPaid(store: MemoryStore, { payoutSeq }: StoredClaim): boolean {
  if (payoutSeq === null) return false;
  const { status } = requireRow(store, payoutSeq).payout;
  return status === 'paid' || status === 'disputed';
}

function keepAttempt(store: MemoryStore, attempt: Attempt, isNew: boolean, undo: Undo): void {
  const { payoutSeq, attemptNo, status, order } = attempt;
  const known = store.attempts.get(payoutSeq) ?? [];
  if (isNew) {
    const rows = store.references.get(order.transRefNo) ?? [];
    put(store.references, order.transRefNo, [...new Set([...rows, payoutSeq])], undo);
    put(store.attempts, payoutSeq, [...known, attempt], undo);
    return;
  }
  const present = known.find((one) => one.attemptNo === attemptNo);
  if (present === undefined) throw new Error(`payout ${payoutSeq} has no attempt ${attemptNo}`);
  if (!canMoveAttempt(present.status, status)) {
    throw new Error(
      `attempt ${attemptNo} of payout ${payoutSeq} is ${present.status} and cannot become ${status}`,
    );
  }
  const kept = known.map((one) => (one === present ? keepFacts(present, attempt) : one));
  put(store.attempts, payoutSeq, kept, undo);
}

/** The bank has shown a failed item for it. */
function keepFailedItem(store: MemoryStore, { payoutSeq, attemptNo }: AttemptKey, undo: Undo): void {
  const kept = (store.attempts.get(payoutSeq) ?? []).map((one) =>
    one.attemptNo === attemptNo ? { ...one, hasFailedItem: true, acknowledged: true } : one,
  );
  put(store.attempts, payoutSeq, kept, undo);
}

/** What an attempt sends never changes, and what the bank knows is never forgotten. */
function keepFacts(present: Attempt, changed: Attempt): Attempt {
  const { order, orderHash, intentAtMs } = present;
  return {
    ...changed,
    order,
    orderHash,
    intentAtMs,
    acknowledged: present.acknowledged || changed.acknowledged,
    referenceConflict: present.referenceConflict || changed.referenceConflict,
    hasFailedItem:
      changed.status === 'unresolved'
        ? changed.hasFailedItem
        : present.hasFailedItem || changed.hasFailedItem,
  };
}
