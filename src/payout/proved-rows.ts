/** Signed approvals: when the settings ask for signatures, a signed approval of the batch must name each row. */
import type { Payout, TransferOrder } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import { computeInstructionDigest, isReferenceOf, readAttemptNumber } from '../core/reference.ts';
import { isSameContent } from '../core/attempt-numbers.ts';
import { describeTakenBack } from '../review/rules/approval.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { findAgainstRepeating } from './lost-journal.ts';
import type { RowProof } from './ports.ts';
import { composeContent } from './rules/intent.ts';
import { searchDaysMax } from './rules/lost-journal.ts';
import { dayMs } from '../core/bangkok-time.ts';

/**
 * Finds the signed approval that names a row as it is now. A signature counts as long as the bank can be asked about
 * sends since.
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

/** Makes a batch with an unproved row wait: all of it needs a new approval. */
export async function waitForApproval(
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

/**
 * True when a send in doubt may be repeated: a signed approval proves the row, or none is needed; the order equals the
 * row's present instruction; and the bank shows no other send of it. The rest of the batch does not wait for a row in
 * doubt.
 */
export async function mayRepeatSigned(
  context: WorkerContext,
  batch: Batch,
  payout: Payout,
  order: TransferOrder,
): Promise<boolean> {
  const proof = await proveRow(context, batch, payout);
  if (proof.kind === 'not-needed') return true;
  const why = await findAgainst(context, batch, payout, order, proof);
  const { batchId, rowNo } = payout;
  if (why !== undefined)
    context.log('error', 'a send in doubt does not go again', { batchId, rowNo, reason: why });
  return why === undefined;
}

async function findAgainst(
  context: WorkerContext,
  batch: Batch,
  payout: Payout,
  order: TransferOrder,
  proof: Exclude<RowProof, { kind: 'not-needed' }>,
): Promise<string | undefined> {
  if (proof.kind === 'unproved') return proof.why;
  const { companyId } = batch;
  const { transRefNo } = order;
  const content = composeContent({ payout, payer: payerOf(context, batch), nowMs: context.clock.now() });
  const isOwn = isReferenceOf(transRefNo, companyId, payout.instruction.payoutId);
  if (!isOwn || order.termId !== content.termId || !isSameContent(order, content))
    return 'it is not what the row asks for, under its own reference and from the terminal of the settings';
  const number = readAttemptNumber(transRefNo);
  return findAgainstRepeating(context, { batch, payout, number, signedAtMs: proof.signedAtMs });
}
