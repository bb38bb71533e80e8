/** Concludes one sealed batch: lets it run, pays it, and records why it stopped where it did. */
import type { Batch, Log } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { PayoutJournal } from './ports.ts';
import { haltOf, recordHalt, recordPause, takeUpBreaker } from './circuit-breaker.ts';
import { conclude, hasPausedRows } from './conclude.ts';
import type { WorkerContext } from './context.ts';
import { payBatch } from './pay-rows.ts';
import { haltWhenOld } from './pre-send-checks.ts';
import { rerunHolds } from './rules/operator.ts';
import { settleOnce } from './settle.ts';

/** Why a run ended; `rested` covers whatever the batch's own status says (done, halted, or waiting on the bank). */
export type RunEnd = 'rested' | 'interrupted';

export interface RunLimits {
  /** How long to wait after the last progress. */
  readonly waitMs: number;
  /** Waits out every pause while rows are to be sent: whoever runs it is there for good. */
  readonly isPatient?: boolean;
  /** Aborted by a signal of the operating system. */
  readonly interrupted: AbortSignal;
  /** Aborted here when the wait is over; part of the context's `stop`. */
  readonly waitOver: AbortController;
}

/** Pays a sealed batch as far as it can be paid now. */
export async function runBatch(context: WorkerContext, batch: Batch, limits: RunLimits): Promise<RunEnd> {
  const isLifted = await startRunning(context, batch, limits);
  const watchEnds = new AbortController();
  const watching = watchTheWait(context, batch, limits, watchEnds.signal);
  try {
    await settleOnce(context, 'unresolved', batch.batchId);
    await brakeOnDoubt(context);
    context.run.hasAsked = true;
    await payBatch(context, batch);
  } finally {
    watchEnds.abort();
    await watching;
  }
  await recordHalt(context, batch);
  await recordPause(context, batch);
  const isInterrupted = limits.interrupted.aborted;
  await conclude(context, batch, { isInterrupted, isLifted });
  return isInterrupted ? 'interrupted' : 'rested';
}

/**
 * Under a halt that an operator must lift, or a pause longer than the wait, what is in doubt is settled and nothing is
 * sent. @returns true when rows were released
 */
async function startRunning(context: WorkerContext, batch: Batch, limits: RunLimits): Promise<boolean> {
  const { journal, clock, gate } = context;
  const stop = await journal.payerHalt(batch.companyId, batch.payerAccount);
  const why = stop ?? (batch.status === 'halted' ? haltOf(batch) : undefined);
  if (batch.status !== 'halted') await journal.moveBatch(batch.batchId, 'running', null, clock.now());
  await takeUpBreaker(context, batch);
  if (why !== undefined) gate.haltFor(why);
  const isInVain = limits.isPatient !== true && pausesBeyond(context, clock.now() + limits.waitMs);
  const isToGoOn = why === undefined && !isInVain;
  if (isToGoOn) await journal.liftHolds(batch.batchId, rerunHolds, clock.now());
  const [toSend] = why === undefined ? await journal.readyPage(batch.batchId, 0, 1) : [];
  if (toSend !== undefined) await haltWhenOld(context, batch);
  return isToGoOn;
}

/** True while the payer account is paused until after a moment: nothing is sent before it. */
function pausesBeyond({ gate }: WorkerContext, momentMs: number): boolean {
  const { status, pausedUntilMs } = gate.state;
  return status === 'paused' && pausedUntilMs > momentMs;
}

/**
 * The brake on doubt when a run begins: what earlier runs have left in doubt counts. It is asked about first, since
 * what a killed run has left is often settled at once.
 */
async function brakeOnDoubt(context: WorkerContext): Promise<void> {
  const { journal, gate } = context;
  if (!gate.isTooMuchDoubt(await journal.countInDoubt('submitted'))) return;
  await settleOnce(context, 'all');
  gate.observeInDoubt(await journal.countInDoubt('submitted'));
}

/**
 * Ends the run when no payout has got on for the time of `--wait`, or when none can before that is over. While an open
 * account takes rows, nobody waits.
 */
async function watchTheWait(
  context: WorkerContext,
  batch: Batch,
  limits: RunLimits,
  end: AbortSignal,
): Promise<void> {
  const { run, gate, clock } = context;
  while (!end.aborted) {
    // Our clock was set back: the wait is counted from now.
    const isWaitedOut = limits.isPatient === true && (await waitsToSend(context, batch));
    if (isWaitedOut || run.lastProgressAtMs > clock.now()) run.noteProgress();
    const endsAtMs = run.lastProgressAtMs + limits.waitMs;
    const leftMs = endsAtMs - clock.now();
    const isMoving = run.isSending && gate.state.status === 'open';
    const isInVain = !isWaitedOut && pausesBeyond(context, endsAtMs);
    if (!isMoving && (leftMs <= 0 || (isInVain && !(await isAnyToAsk(context, batch))))) {
      limits.waitOver.abort();
      return;
    }
    await gate.waitForNews(isInVain ? inVainPollMs : Math.max(leftMs, waitPollMs), end);
  }
}

/** True while rows wait for the account, or the disk, to go on. */
async function waitsToSend(
  { gate, run, journal, isHeldUp }: WorkerContext,
  { batchId }: Batch,
): Promise<boolean> {
  if (isHeldUp?.() === true) return true;
  return gate.isPausing && (run.isSending || (await hasPausedRows(journal, batchId)));
}

/** How often the end of the wait is looked for while rows are still being sent. */
const waitPollMs = 200;
/** How often it is looked whether all is settled that can be, while nothing can be sent. */
const inVainPollMs = 1_000;

async function isAnyToAsk({ run, journal }: WorkerContext, batch: Batch): Promise<boolean> {
  if (!run.hasAsked || run.inFlight.size > 0) return true;
  return (await journal.nextInquiryAtMs(batch.batchId)) !== undefined;
}

/**
 * A payer account that was corrected in the settings holds for what is still to be sent, once nothing of the batch is
 * in doubt under the old one.
 */
export async function followPayer(
  journal: PayoutJournal,
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
