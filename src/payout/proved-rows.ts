/** Rows that a signed approval of their batch must name, where the settings ask for signatures. */
import type { Payout, TransferOrder } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import { computeInstructionDigest } from '../core/reference.ts';
import { isSameContent } from '../core/attempt-numbers.ts';
import { describeTakenBack } from '../review/rules/approval.ts';
import { payerOf, type WorkerContext } from './context.ts';
import type { RowProof } from './ports.ts';
import { composeContent } from './rules/intent.ts';
import { searchDaysMax } from './rules/lost-journal.ts';
import { dayMs } from '../core/bangkok-time.ts';

/**
 * Looks for the signed approval that names a row as it is. A signature counts for as long as the bank can be asked what was
 * sent since.
 */
export async function proveRow(
  { provedRows, clock }: Pick<WorkerContext, 'provedRows' | 'clock'>,
  batch: Batch,
  { rowNo, instruction }: Payout,
): Promise<RowProof> {
  if (provedRows === undefined) return { kind: 'not-needed' };
  const { batchId, companyId } = batch;
  const digest = computeInstructionDigest({ companyId, batchId, rowNo }, instruction);
  const proof = await provedRows.prove(batch, { rowNo, digest });
  const isOld = proof.kind === 'proved' && proof.signedAtMs < clock.now() - searchDaysMax * dayMs;
  return isOld ? { kind: 'unproved', why: `it was signed more than ${searchDaysMax} days ago` } : proof;
}

/** Why an order that is to go again is not what the row asks for; undefined when it is. */
function findOtherOrder(
  batch: Batch,
  payout: Payout,
  order: TransferOrder,
  nowMs: number,
): string | undefined {
  const { channelId, termId } = order;
  const payer = payerOf({ channelId, termId }, batch);
  const content = composeContent({ payout, payer, nowMs });
  return isSameContent(order, content) ? undefined : 'its earlier send is not what the row asks for';
}

/** True when a signed approval proves the row as it is, or none is needed; else the approval of its batch is taken back. */
export async function isProved(context: WorkerContext, batch: Batch, payout: Payout): Promise<boolean> {
  const proof = await proveRow(context, batch, payout);
  if (proof.kind === 'unproved') await takeBackApproval(context, batch, payout, proof.why);
  return proof.kind !== 'unproved';
}

/** The same for an order that is to go again: it must be what the row asks for, too. */
export async function isOrderProved(
  context: WorkerContext,
  batch: Batch,
  payout: Payout,
  order: TransferOrder,
): Promise<boolean> {
  if (context.provedRows === undefined) return true;
  const other = findOtherOrder(batch, payout, order, context.clock.now());
  if (other === undefined) return isProved(context, batch, payout);
  await takeBackApproval(context, batch, payout, other);
  return false;
}

/** Takes back the approval of a batch of which a row is not proved: all of it waits to be approved anew. */
async function takeBackApproval(
  { journal, clock, log, provedRows }: WorkerContext,
  { batchId }: Batch,
  { rowNo }: Payout,
  why: string,
): Promise<void> {
  if (provedRows === undefined) return;
  const nowMs = clock.now();
  log('error', 'no signed approval names a row that is to be paid', { batchId, rowNo, reason: why });
  await journal.takeBackApproval(batchId, provedRows.people, nowMs);
  await journal.holdUnapproved(batchId, describeTakenBack(batchId, rowNo, why), nowMs);
}
