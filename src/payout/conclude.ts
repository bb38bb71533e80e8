/** When a batch has come to rest: nothing is left to send or to ask, or it waits for a person or the next run. */
import type { HoldReason } from '../core/payout.ts';
import type { BatchReader } from '../core/ports.ts';
import { cancelledReason } from './operator.ts';
import type { BatchStore, PayoutStore } from './ports.ts';

/** A person has cancelled the batch while transfers were under way: what came back unsent is cancelled too. */
export async function isCancelled(journal: BatchReader, batchId: string): Promise<boolean> {
  const batch = await journal.batch(batchId);
  return batch?.status === 'halted' && batch.reasonCode === cancelledReason.code;
}

/** Cancels what came back unsent of a cancelled batch; done when nothing is in doubt any more. */
export async function endCancelled(
  journal: BatchStore & PayoutStore,
  batchId: string,
  nowMs: number,
): Promise<void> {
  await journal.cancelUnsent(batchId, nowMs);
  if ((await journal.nextInquiryAtMs(batchId)) === undefined)
    await journal.moveBatch(batchId, 'done', null, nowMs);
}

/** True when rows wait for the line to go on. */
export const hasPausedRows = (journal: BatchReader, batchId: string): Promise<boolean> =>
  hasHeldRows(journal, batchId, ['paused']);

async function hasHeldRows(
  journal: BatchReader,
  batchId: string,
  wanted: readonly HoldReason[],
): Promise<boolean> {
  const holds = await journal.holdTotals(batchId);
  return holds.some(({ hold, rows }) => rows > 0 && wanted.includes(hold));
}

/** Holds of rows that wait for the line, or for a person's word about the whole batch. */
const waitingHolds: readonly HoldReason[] = ['paused', 'halted', 'approval'];

/**
 * Ends a batch whose last doubt was settled outside a run, if nothing of it is left to send.
 * @returns true when it is done by that
 */
export async function endWhenSettled(
  journal: BatchStore & PayoutStore,
  batchId: string,
  nowMs: number,
): Promise<boolean> {
  const batch = await journal.batch(batchId);
  if (await isCancelled(journal, batchId)) await endCancelled(journal, batchId, nowMs);
  else if (batch?.status === 'running' || batch?.status === 'paused') {
    const [ready] = await journal.readyPage(batchId, 0, 1);
    const isOpen = ready !== undefined || (await journal.nextInquiryAtMs(batchId)) !== undefined;
    const isToGoOn = isOpen || (await hasHeldRows(journal, batchId, waitingHolds));
    if (!isToGoOn) await journal.moveBatch(batchId, 'done', null, nowMs);
  }
  return batch?.status !== 'done' && (await journal.batch(batchId))?.status === 'done';
}

/** True when reports are due: the batch has come to rest, now or before. */
export async function isAtRest(journal: BatchReader, batchId: string): Promise<boolean> {
  const status = (await journal.batch(batchId))?.status;
  if (status === 'done' || status === 'paused' || status === 'halted') return true;
  return status === 'running' && (await journal.reports(batchId)).length > 0;
}
