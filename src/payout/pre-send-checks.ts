/** The last look before money moves: what a person must see first is held instead of sent. */
import { afterChange } from '../core/change.ts';
import type { Batch, Change, PaymentLikeness } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';
import { findTooOld } from './rules/batch-age.ts';
import { decideSimilarHold, likenessOf } from './rules/similar.ts';

/**
 * Records an intent, unless its batch has become too old or its payout is like an earlier one.
 * @returns false when it was not recorded: nothing may be sent
 */
export async function recordUnlessHeld(
  context: WorkerContext,
  batch: Batch,
  intent: Change,
): Promise<boolean> {
  if (await haltWhenOld(context, batch)) return false;
  const { similarDays } = context.limits;
  const likeness = likenessOf(intent.before, batch.companyId, similarDays, context.clock.now());
  if (likeness === undefined) return applyOne(context, intent);
  // Of two like payouts under way at once, the second looks when the first one's intent is recorded.
  const { proxyType, proxyNo, amountSatang } = likeness;
  return context.payeeTurns.take(`${proxyType} ${proxyNo} ${amountSatang}`, () =>
    recordUnlessSimilar(context, intent, likeness),
  );
}

async function recordUnlessSimilar(
  context: WorkerContext,
  intent: Change,
  likeness: PaymentLikeness,
): Promise<boolean> {
  const earlier = await context.journal.similarPayment(likeness);
  if (earlier === undefined) return applyOne(context, intent);
  const hold = decideSimilarHold(intent.before, earlier, context.clock.now());
  if (await applyOne(context, hold)) {
    const { batchId, rowNo } = hold.after;
    const { batchId: earlierBatchId, rowNo: earlierRowNo } = earlier;
    context.log('warn', 'held as similar', { batchId, rowNo, earlierBatchId, earlierRowNo });
    context.run.noteProgress();
    context.count(afterChange(hold));
  }
  return false;
}

async function applyOne({ journal }: WorkerContext, change: Change): Promise<boolean> {
  const [isApplied = false] = await journal.apply([change]);
  return isApplied;
}

/**
 * Halts a running batch that has waited too long, this batch alone: others of its payer account go on.
 * @returns true when nothing more of it may be sent
 */
export async function haltWhenOld(context: WorkerContext, batch: Batch): Promise<boolean> {
  const { journal, clock, gate } = context;
  const { batchMaxAgeHours } = context.limits;
  if (findTooOld(batch, batchMaxAgeHours, clock.now()) === undefined) return false;
  // A person may have let it go on since this run read it.
  const current = await journal.batch(batch.batchId);
  if (current?.status !== 'running') return false;
  const why = findTooOld(current, batchMaxAgeHours, clock.now());
  if (why === undefined) return false;
  if (!(await journal.moveBatch(batch.batchId, 'halted', why, clock.now()))) return false;
  gate.haltFor(why);
  context.log('warn', 'the batch is too old', { batchId: batch.batchId, reason: why.reason });
  return true;
}
