/** Settles what is in doubt by inquiry, and sends again what the rule allows. */
import pLimit from 'p-limit';
import { afterChange } from '../core/change.ts';
import { decideAfterInquiry, type InquiryStep } from '../core/decide-inquiry.ts';
import type { Payout } from '../core/payout.ts';
import type { Change, InDoubt } from '../core/ports.ts';
import { mayBytesLeaveAgain } from '../core/sending-rule.ts';
import type { WorkerContext } from './context.ts';
import { inquire } from './inquire.ts';
import { applyOnCurrent, sendAttempt } from './transfer.ts';

/** Longest sleep of the loop when nothing is due: it is woken when something falls into doubt. */
const idleMs = 60_000;
const pageRows = 200;

/**
 * Inquires what falls due, until told to end.
 * @param end aborted when the run has nothing more to settle
 */
export async function settleWhileRunning(
  context: WorkerContext,
  batchId: string,
  end: AbortSignal,
): Promise<void> {
  const stop = AbortSignal.any([context.stop, end]);
  while (!stop.aborted) {
    const nowMs = context.clock.now();
    const due = await context.journal.dueInquiries(nowMs, pageRows, batchId);
    const idle = due.filter(({ payout }) => !context.run.inFlight.has(payout.seq));
    if (idle.length > 0) {
      await settleAll(context, idle, true);
      continue;
    }
    const nextAtMs = (await context.journal.nextInquiryAtMs(batchId)) ?? nowMs + idleMs;
    const waitMs = due.length > 0 ? inFlightLookMs : Math.max(1, nextAtMs - nowMs);
    await context.run.waitForBell(Math.min(waitMs, idleMs), stop);
  }
}

/** Pause while all that is due has its own request still under way. */
const inFlightLookMs = 50;

/** Inquires about each of these once. */
async function settleAll(
  context: WorkerContext,
  inDoubt: readonly InDoubt[],
  maySend: boolean,
): Promise<void> {
  const limit = pLimit(context.transferConcurrency);
  const tasks = inDoubt.map((one) => limit(() => settleOne(context, one, maySend)));
  await Promise.all(tasks);
  context.run.ring();
}

/** Inquires once about everything in one of these states of doubt, due or not; of one batch when given. Sends nothing. */
export async function settleOnce(
  context: WorkerContext,
  which: 'unresolved' | 'all',
  batchId?: string,
): Promise<number> {
  let afterSeq = 0;
  let asked = 0;
  while (!context.stop.aborted) {
    const page = await context.journal.inDoubt(afterSeq, pageRows, batchId);
    const wanted = page.filter(({ payout }) => which === 'all' || payout.status === 'unresolved');
    await settleAll(context, wanted, false);
    asked += wanted.length;
    const last = page.at(-1);
    if (last === undefined) break;
    afterSeq = last.payout.seq;
  }
  return asked;
}

async function settleOne(
  context: WorkerContext,
  { payout, attempt }: InDoubt,
  maySend: boolean,
): Promise<void> {
  const inquired = await inquire(context, attempt, true);
  if (inquired === undefined) return;
  const { reading, facts } = inquired;
  const decide: Decide = (current) =>
    decideAfterInquiry(current, attempt, reading, facts, context.settle, context.bankClock.read());
  const isToBeSent = maySend && decide(payout).kind === 'send-again';
  if (isToBeSent && (await context.gate.enter()) === 'go') return sendAgain(context, payout, decide);
  const current = await applyOnCurrent(context, payout, (now) => withoutSending(decide(now)));
  context.log('info', 'inquired', {
    transRefNo: attempt.order.transRefNo,
    finding: reading.kind,
    status: current?.status,
  });
  context.count(current);
  noteSettled(context, { payout, attempt }, current);
}

/** A transfer that the bank had taken counts for the brake when it ends; any other has counted when it was sent. */
function noteSettled(context: WorkerContext, before: InDoubt, after: Payout | undefined): void {
  if (before.payout.status !== 'submitted' || !before.attempt.acknowledged) return;
  if (after?.status === 'paid' || after?.status === 'failed')
    context.gate.seeSettled(after.status === 'paid');
}

type Decide = (current: Payout) => InquiryStep;

const withoutSending = (step: InquiryStep): Change =>
  step.kind === 'send-again' ? step.otherwise : step.change;

/** Sends the same attempt again, once that it is to be sent is durable; waiting at the gate may have changed the answer. */
async function sendAgain(context: WorkerContext, payout: Payout, decide: Decide): Promise<void> {
  context.run.inFlight.add(payout.seq);
  const step = decide(payout);
  const [isApplied = false] = await context.journal.apply([step.change]);
  if (step.kind !== 'send-again' || !isApplied) {
    context.run.inFlight.delete(payout.seq);
    context.gate.leave({ kind: 'nothing' });
    return;
  }
  context.log('warn', 'sending the same attempt again', { transRefNo: step.attempt.order.transRefNo });
  const recordOutcome = await sendAttempt(context, afterChange(step.change), step.attempt, () =>
    mayBytesLeaveAgain(step.attempt, context.settle, context.bankClock.read()),
  );
  await recordOutcome();
}
