/** Whether a row is one of those that a signed approval of its batch names. */
import type { Payout, TransferOrder } from '../core/payout.ts';
import type { Batch, BatchReason } from '../core/ports.ts';
import { computeInstructionDigest } from '../core/reference.ts';
import { formatBaht } from '../core/money.ts';
import type { WorkerContext } from './context.ts';

/** The code of a halt for want of a signed approval. */
const unsigned = 'approval-unproved';

/**
 * Halts the batch of a row that no signed approval names, where the settings ask for one.
 * @param order the content that is sent again; undefined for a row of which a new send is made
 * @returns true when nothing more of the batch may be sent
 */
export async function haltUnlessProved(
  { journal, clock, gate, log, provedRows }: WorkerContext,
  batch: Batch,
  { rowNo, instruction }: Payout,
  order?: TransferOrder,
): Promise<boolean> {
  if (provedRows === undefined) return false;
  const { batchId, companyId } = batch;
  const digest = computeInstructionDigest({ companyId, batchId, rowNo }, instruction);
  const isOrdered =
    order === undefined ||
    (order.proxyType === instruction.proxyType &&
      order.proxyNo === instruction.proxyNo &&
      order.amountText === formatBaht(instruction.amountSatang));
  const found = isOrdered ? await provedRows.whyNot(batch, { rowNo, digest }) : 'it is to be sent otherwise';
  if (found === undefined) return false;
  const reason = `row ${rowNo} is not what a signed approval names: ${found}`;
  const remedy = `Find out who has changed the journal ("paydrop audit"); then "paydrop cancel ${batchId}", and hand the file in again`;
  const why: BatchReason = { code: unsigned, reason, remedy };
  gate.haltFor(why);
  await journal.moveBatch(batchId, 'halted', why, clock.now());
  log('error', 'a row is to be paid without a signed approval', { batchId, rowNo, reason });
  return true;
}
