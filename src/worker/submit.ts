/** Records the intent to pay one payout and sends it: no intent durably recorded, no request sent. */
import { afterChange, decideHold } from '../core/change.ts';
import { decideAfterEarlierInquiry } from '../core/decide-inquiry.ts';
import { decideIntent, type BankNames } from '../core/decide.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch, ReadyPayout } from '../core/ports.ts';
import { attemptsMax } from '../core/reference.ts';
import { mayBytesLeaveFirst } from '../core/sending-rule.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { inquire } from './inquire.ts';
import { sendAttempt } from './transfer.ts';

/** Nothing more to do for this row here. */
const nothingToRecord = async (): Promise<void> => {};

/**
 * Pays one ready payout whose payee is known to be payable.
 * @returns a function that records the outcome
 */
export async function submitPayout(
  context: WorkerContext,
  batch: Batch,
  ready: ReadyPayout,
  names: BankNames,
): Promise<() => Promise<void>> {
  const { payout, attemptsRecorded } = ready;
  const clearedRefs = attemptsRecorded === 0 ? [] : await clearEarlierAttempts(context, batch, ready);
  if (clearedRefs === 'blocked') return nothingToRecord;
  if ((await context.gate.enter()) !== 'go') return nothingToRecord;
  const intent = decideIntent({
    payout,
    attemptsRecorded,
    clearedRefs,
    names,
    payer: payerOf(context, batch),
    policy: context.settle,
    nowMs: context.clock.now(),
  });
  context.run.inFlight.add(payout.seq);
  const isRecorded = await recordIntent(context, payout, intent.change);
  if (!isRecorded) return nothingToRecord;
  return sendAttempt(context, afterChange(intent.change), intent.attempt, () =>
    mayBytesLeaveFirst(intent.attempt, context.settle, context.clock.now()),
  );
}

/** False when the guard no longer holds: somebody cancelled or held the row, or stopped the line, meanwhile. */
async function recordIntent(
  context: WorkerContext,
  payout: Payout,
  change: ReturnType<typeof decideIntent>['change'],
): Promise<boolean> {
  let isRecorded = false;
  try {
    [isRecorded = false] = await context.journal.apply([change]);
    return isRecorded;
  } finally {
    if (!isRecorded) {
      context.run.inFlight.delete(payout.seq);
      context.gate.leave({ kind: 'nothing' });
    }
  }
}

/**
 * Inquires every earlier reference of the payoutId. Returns the references that showed nothing but failed or not
 * found, or `blocked` when one is still open, was paid, or cannot be asked about now.
 */
async function clearEarlierAttempts(
  context: WorkerContext,
  batch: Batch,
  { payout, attemptsRecorded }: ReadyPayout,
): Promise<readonly string[] | 'blocked'> {
  if (attemptsRecorded >= attemptsMax) {
    const reason = {
      code: 'attempts-used-up',
      text: `${attemptsMax} attempts were made; a further one has no name`,
    };
    await context.journal.apply([decideHold(payout, 'unavailable', reason, context.clock.now())]);
    return 'blocked';
  }
  const cleared: string[] = [];
  for (const earlier of await context.journal.attemptsOf(batch.companyId, payout.instruction.payoutId)) {
    if (!(await clearEarlierAttempt(context, payout, earlier))) return 'blocked';
    cleared.push(earlier.order.transRefNo);
  }
  return cleared;
}

async function clearEarlierAttempt(
  context: WorkerContext,
  payout: Payout,
  earlier: Attempt,
): Promise<boolean> {
  const inquired = await inquire(context, earlier, false);
  if (inquired === undefined) return false;
  const owner = earlier.payoutSeq === payout.seq ? payout : await context.journal.payout(earlier.payoutSeq);
  const { transRefNo } = earlier.order;
  if (owner === undefined) throw new Error(`attempt ${transRefNo} belongs to no payout`);
  const { reading } = inquired;
  const nowMs = context.clock.now();
  const step = decideAfterEarlierInquiry(payout, owner, earlier, reading, context.settle, nowMs);
  if (step.kind === 'clear') return true;
  context.log('warn', 'an earlier attempt is not settled', { transRefNo, finding: reading.kind });
  await context.journal.apply(step.changes);
  return false;
}
