/** What a person asks for from the command line: let held rows go on, or cancel what has not been sent. */
import type { Payout } from '../core/payout.ts';
import type { Batch, BatchReason, Change } from '../core/ports.ts';
import type { BatchStore, PayerBreakerStore, PayoutStore } from './ports.ts';
import { batchWideHolds, decideCancel, decideLift, payoutWideHolds } from './rules/operator.ts';

export interface PeopleResult {
  readonly rowsChanged: number;
  /** What was asked for does not fit what stands in the journal; in words. */
  readonly refusals: readonly string[];
  /** The line of the payer account had stopped, and goes on. */
  readonly isLineOpened?: boolean;
}

/**
 * Lifts the stop of the batch's payer account and the holds that concern the batch as a whole, and counts the batch's
 * age anew.
 */
export async function resumeBatch(
  journal: BatchStore & PayerBreakerStore,
  batch: Batch,
  nowMs: number,
): Promise<PeopleResult> {
  // First: whoever is sending sees the batch run only when it is young again.
  await journal.renewAge(batch.batchId, nowMs);
  const rowsChanged = await journal.liftHolds(batch.batchId, batchWideHolds, nowMs);
  if (batch.status === 'halted' || rowsChanged > 0) {
    await journal.moveBatch(batch.batchId, 'running', null, nowMs);
  }
  // A person who lets the batch go on knows that the service is back.
  const isPaused = (await journal.linePause(batch.companyId, batch.payerAccount)) !== undefined;
  await journal.clearLinePause(batch.companyId, batch.payerAccount);
  // Last: whoever is sending sees the stop lifted only when there is something to go on with.
  const isLifted = await journal.liftLineStop(batch.companyId, batch.payerAccount, nowMs);
  return { rowsChanged, refusals: [], isLineOpened: isPaused || isLifted };
}

/** Why a batch is halted that a person has cancelled while some of its transfers were under way. */
export const cancelledReason: BatchReason = {
  code: 'cancelled',
  reason: 'cancelled by a person',
  remedy: 'Nothing to do: what was under way is settled, nothing more is sent',
};

/** Cancels every row of the batch that has not been sent. */
export async function cancelBatch(
  journal: BatchStore & PayoutStore,
  batch: Batch,
  nowMs: number,
): Promise<PeopleResult> {
  const { batchId } = batch;
  // What is under way may come back unsent: halted, the batch sends nothing more, and whoever ends it cancels that too.
  const isHalted = await journal.moveBatch(batchId, 'halted', cancelledReason, nowMs);
  const rowsChanged = await journal.cancelUnsent(batchId, nowMs);
  const isUnderWay = (await journal.nextInquiryAtMs(batchId)) !== undefined;
  if (isUnderWay) return { rowsChanged, refusals: [] };
  // What has come back since the rows were cancelled.
  const cameBack = await journal.cancelUnsent(batchId, nowMs);
  const allChanged = rowsChanged + cameBack;
  if (isHalted || allChanged > 0) await journal.moveBatch(batchId, 'done', null, nowMs);
  return { rowsChanged: allChanged, refusals: [] };
}

/**
 * Lets each of these held payouts go on: a person has looked at the row, so name, limit and similar are lifted too.
 * They have not looked at the batch: its age counts on.
 */
export async function resumePayouts(
  journal: PayoutStore,
  seqs: readonly number[],
  nowMs: number,
): Promise<PeopleResult> {
  return changeEach(journal, seqs, (payout) => decideLift(payout, payoutWideHolds, nowMs));
}

/** Cancels each of these payouts that has not been sent. */
export async function cancelPayouts(
  journal: PayoutStore,
  seqs: readonly number[],
  nowMs: number,
): Promise<PeopleResult> {
  return changeEach(journal, seqs, (payout) => decideCancel(payout, nowMs));
}

async function changeEach(
  journal: PayoutStore,
  seqs: readonly number[],
  decide: (payout: Payout) => Change | string,
): Promise<PeopleResult> {
  const refusals: string[] = [];
  let rowsChanged = 0;
  for (const seq of seqs) {
    const payout = await journal.payout(seq);
    if (payout === undefined) continue;
    const change = decide(payout);
    if (typeof change === 'string') {
      refusals.push(change);
      continue;
    }
    const [isApplied] = await journal.apply([change]);
    if (isApplied === true) rowsChanged += 1;
    else
      refusals.push(`row ${payout.rowNo} of batch ${payout.batchId} changed at the same moment: look again`);
  }
  return { rowsChanged, refusals };
}
