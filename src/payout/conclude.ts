/** Concludes a batch: nothing is left to send or to ask, or it waits for an operator or the next run. */
import { message } from '../core/message.ts';
import type { HoldReason } from '../core/payout.ts';
import type { Batch, BatchReader, BatchReason } from '../core/ports.ts';
import { describeWaiting } from '../review/rules/approval.ts';
import type { BatchStanding, BatchStore, PayoutJournal, PayoutStore } from './ports.ts';
import type { WorkerContext } from './context.ts';
import { endCancelled, endHalted, isCancelled } from './operator.ts';
import { haltOf } from './circuit-breaker.ts';
import { describePause } from './rules/circuit-breaker.ts';
import { accountHolds, isAnyToRun } from './rules/operator.ts';

/** True when a done batch needs no run. A batch whose rows an operator released needs one. */
export async function isNothingLeft(journal: BatchReader, batch: Batch): Promise<boolean> {
  if (batch.status !== 'done') return false;
  const totals = await journal.totals(batch.batchId);
  return !isAnyToRun(totals, await journal.holdTotals(batch.batchId));
}

/** The events of a run that matter for its end. */
interface RunOutcome {
  /** The process was asked to stop. */
  readonly isInterrupted: boolean;
  /** Held rows were released when the run began. */
  readonly isLifted: boolean;
  /** The payer account was halted for another batch before the run began. */
  readonly isOthersHalt: boolean;
}

type ConcludeContext = Pick<WorkerContext, 'journal' | 'clock' | 'gate'>;

/**
 * Halts a batch whose account is halted; for another batch's halt, only while rows of it are not sent yet.
 * @returns the halt that keeps the rest of the batch from being sent, its own or that of its account; undefined for none
 */
async function haltRest(
  { journal, clock, gate }: ConcludeContext,
  batchId: string,
  isOthersHalt: boolean,
): Promise<BatchReason | undefined> {
  if (gate.state.status !== 'halted') return undefined;
  const batch = await journal.batch(batchId);
  if (batch?.status === 'halted') return haltOf(batch);
  const waits = async (): Promise<boolean> =>
    (await journal.readyPage(batchId, 0, 1)).length > 0 ||
    hasHeldRows(journal, batchId, [...accountHolds, 'approval']);
  return isOthersHalt && !(await waits()) ? undefined : journal.haltWithPayer(batchId, clock.now());
}

/** Records the status of a run's batch, and the reason. */
export async function conclude(
  context: ConcludeContext,
  { batchId }: Batch,
  { isInterrupted, isLifted, isOthersHalt }: RunOutcome,
): Promise<void> {
  const { journal, clock, gate } = context;
  const nowMs = clock.now();
  if (await isCancelled(journal, batchId)) {
    await endCancelled(journal, batchId, nowMs);
    return;
  }
  const waiting = describeWaiting(batchId);
  await journal.holdUnapproved(batchId, waiting, nowMs);
  const halt = await haltRest(context, batchId, isOthersHalt);
  if (halt !== undefined) {
    await journal.holdReady(batchId, 'halted', halt, nowMs);
    await endHalted(journal, batchId, nowMs);
    return;
  }
  if (isInterrupted) {
    await journal.moveBatch(batchId, 'paused', interruptedReason, nowMs);
    return;
  }
  // Rows that wait for the account again get the same reason and time as all others.
  if (isLifted && gate.isPausing) await journal.liftHolds(batchId, ['paused'], nowMs);
  const why = describePause(gate.state) ?? waitOverReason;
  const heldNow = await journal.holdReady(batchId, 'paused', why, nowMs);
  if (heldNow > 0 || (await hasHeldRows(journal, batchId, ['paused', 'halted']))) {
    await journal.moveBatch(batchId, 'paused', why, nowMs);
  } else if (await hasHeldRows(journal, batchId, ['approval'])) {
    await journal.moveBatch(batchId, 'paused', waiting, nowMs);
  } else {
    await endWithoutDoubt(journal, batchId, nowMs);
  }
}

/**
 * Halts a batch before its first row is sent, until an operator resumes it: also one that another process has begun, or
 * let go on, since it was seen.
 * @returns false when it has ended, or was halted for another cause of its own
 */
export async function haltUnsent(
  journal: BatchStore,
  seen: Batch,
  why: BatchReason,
  nowMs: number,
): Promise<boolean> {
  const { batchId } = seen;
  if (seen.status === 'done' && !(await beginRunning(journal, seen, nowMs))) return false;
  // The batch moves before its rows are held: a run lifts the holds of a batch that is not halted itself.
  if (!(await journal.moveBatch(batchId, 'halted', why, nowMs))) return false;
  await journal.holdReady(batchId, 'halted', why, nowMs);
  return true;
}

/**
 * Starts a batch that was seen waiting. A batch that an operator has cancelled or halted since stays as it is.
 * @returns true when it runs
 */
export async function beginRunning(
  journal: Pick<BatchStore, 'moveBatch' | 'batch'>,
  seen: Batch,
  nowMs: number,
): Promise<boolean> {
  if (seen.status === 'running') return true;
  if (await journal.moveBatch(seen.batchId, 'running', null, nowMs, seen)) return true;
  const current = await journal.batch(seen.batchId);
  // Resumed, or started by a process that sent before.
  return current?.status === 'running';
}

/** Code of the pause of a batch whose run was asked to stop. */
export const interruptedCode = 'interrupted';

/** A watcher finds the file in work/ at its next start, so it must not be dropped again. */
const goOn = message('batch.run-again');

export const interruptedReason: BatchReason = {
  code: interruptedCode,
  reason: message('batch.interrupted'),
  remedy: goOn,
};

export const waitOverReason: BatchReason = {
  code: 'wait-over',
  reason: message('batch.wait-over'),
  remedy: goOn,
};

async function endWithoutDoubt(
  journal: BatchStore & PayoutStore,
  batchId: string,
  nowMs: number,
  seen?: BatchStanding,
): Promise<void> {
  if ((await journal.nextInquiryAtMs(batchId)) === undefined)
    await journal.moveBatch(batchId, 'done', null, nowMs, seen);
}

/** True when rows of the batch have one of these holds; by default the hold of a paused account. */
export async function hasHeldRows(
  journal: BatchReader,
  batchId: string,
  wanted: readonly HoldReason[] = ['paused'],
): Promise<boolean> {
  const holds = await journal.holdTotals(batchId);
  return holds.some(({ hold, rows }) => rows > 0 && wanted.includes(hold));
}

/** Holds of rows that wait for the account, or for an operator's decision on the whole batch. */
const waitingHolds: readonly HoldReason[] = ['paused', 'halted', 'approval'];

/**
 * Ends a batch whose last doubt was settled outside a run, if nothing is left to send.
 * @returns true when the batch is done by that
 */
export async function endWhenSettled(
  journal: PayoutJournal,
  batchId: string,
  nowMs: number,
): Promise<boolean> {
  const batch = await journal.batch(batchId);
  if (await isCancelled(journal, batchId)) await endCancelled(journal, batchId, nowMs);
  else if (batch?.status === 'running' || batch?.status === 'paused') {
    const [ready] = await journal.readyPage(batchId, 0, 1);
    const isToGoOn = ready !== undefined || (await hasHeldRows(journal, batchId, waitingHolds));
    if (!isToGoOn) await endWithoutDoubt(journal, batchId, nowMs, batch);
  } else await endHalted(journal, batchId, nowMs);
  return batch?.status !== 'done' && (await journal.batch(batchId))?.status === 'done';
}

/** True when reports are due: the batch is concluded, now or earlier. */
export async function isConcluded(journal: BatchReader, batchId: string): Promise<boolean> {
  const status = (await journal.batch(batchId))?.status;
  if (status === 'done' || status === 'paused' || status === 'halted') return true;
  return status === 'running' && (await journal.reports(batchId)).length > 0;
}
