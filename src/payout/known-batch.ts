/** What is looked at before a batch is run, for the first time or again. */
import type { Batch, BatchReader } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { Log } from './context.ts';
import type { BatchStore } from './ports.ts';
import { rerunHolds } from './rules/operator.ts';

const openStatuses = ['ready', 'submitted', 'unresolved'];

/** A batch that is done stays done; one whose rows a person let go on is running again. */
export async function isNothingLeft(journal: BatchReader, batch: Batch): Promise<boolean> {
  if (batch.status !== 'done') return false;
  const totals = await journal.totals(batch.batchId);
  if (totals.some(({ status, rows }) => rows > 0 && openStatuses.includes(status))) return false;
  const holds = await journal.holdTotals(batch.batchId);
  return !holds.some(({ hold, rows }) => rows > 0 && rerunHolds.includes(hold));
}

/**
 * A payer account that was corrected in the settings holds for what is still to be sent, once nothing of the batch is
 * in doubt under the old one.
 */
export async function followPayer(
  journal: BatchStore,
  batch: Batch,
  payerAccount: string,
  log: Log,
): Promise<Batch> {
  if (payerAccount === batch.payerAccount) return batch;
  const isMoved = await journal.movePayer(batch.batchId, payerAccount);
  const accounts = { before: maskDigits(batch.payerAccount), now: maskDigits(payerAccount), isMoved };
  log('warn', 'the settings name another payer account than the batch', {
    batchId: batch.batchId,
    ...accounts,
  });
  return isMoved ? { ...batch, payerAccount } : batch;
}
