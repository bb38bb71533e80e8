/** Whether a row is one of those that a signed approval of its batch names. */
import type { Payout, TransferOrder } from '../core/payout.ts';
import type { Batch, BatchReason } from '../core/ports.ts';
import { computeInstructionDigest } from '../core/reference.ts';
import { isSameContent } from '../core/attempt-numbers.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { composeContent } from './rules/intent.ts';

/** The code of a halt for want of a signed approval. */
const unsigned = 'approval-unproved';

/**
 * Halts the batch of a row that no signed approval names, where the settings ask for one.
 * @param order the content that is sent again; undefined for a row of which a new send is made
 * @returns true when nothing more of the batch may be sent
 */
export async function haltUnlessProved(
  context: WorkerContext,
  batch: Batch,
  payout: Payout,
  order?: TransferOrder,
): Promise<boolean> {
  const { journal, clock, gate, log, provedRows } = context;
  const { rowNo, instruction } = payout;
  if (provedRows === undefined) return false;
  const { batchId, companyId } = batch;
  const digest = computeInstructionDigest({ companyId, batchId, rowNo }, instruction);
  const content = composeContent({ payout, payer: payerOf(context, batch), nowMs: clock.now() });
  const isOrdered = order === undefined || isSameContent(order, content);
  const found = isOrdered ? await provedRows.whyNot(batch, { rowNo, digest }) : 'it is to be sent otherwise';
  if (found === undefined) return false;
  const reason = `row ${rowNo} is not what a signed approval names: ${found}`;
  const remedy =
    'Find out who has changed the journal ("paydrop audit"), or approval.keys; then ' +
    `"paydrop cancel ${batchId}", and hand its rows in as a new file, under other payoutIds or once "paydrop release" has freed theirs`;
  const why: BatchReason = { code: unsigned, reason, remedy };
  gate.haltFor(why);
  await journal.moveBatch(batchId, 'halted', why, clock.now());
  log('error', 'a row is to be paid without a signed approval', { batchId, rowNo, reason });
  return true;
}
