/** Brings one sealed batch to rest: lets it run, pays it, and records why it stopped where it did. */
import type { Batch, BatchReason } from '../core/ports.ts';
import { recordLinePause, takeUpLine } from './breaker-pause.ts';
import { haltOf, recordLineStop } from './breaker-stop.ts';
import { endCancelled, hasPausedRows, isCancelled } from './conclude.ts';
import type { WorkerContext } from './context.ts';
import { payBatch } from './pay-rows.ts';
import { haltWhenOld } from './pre-send-checks.ts';
import { describePause } from './rules/circuit-breaker.ts';
import { rerunHolds } from './rules/operator.ts';
import { settleOnce } from './settle.ts';

/** Why a run ended; `rested` covers whatever the batch's own status says (done, halted, or waiting on the bank). */
export type RunEnd = 'rested' | 'interrupted';

export interface RunLimits {
  /** How long to wait after the last progress. */
  readonly waitMs: number;
  /** Waits out every pause of the line while rows are to be sent: whoever runs it is there for good. */
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
  await recordLineStop(context, batch);
  await recordLinePause(context, batch);
  return conclude(context, batch, limits, isLifted);
}

/**
 * Under a stop that a person must lift, or a pause longer than the wait, what is in doubt is settled and nothing is
 * sent. @returns true when rows were let go on
 */
async function startRunning(context: WorkerContext, batch: Batch, limits: RunLimits): Promise<boolean> {
  const { journal, clock, gate } = context;
  const stop = await journal.lineStop(batch.companyId, batch.payerAccount);
  const why = stop ?? (batch.status === 'halted' ? haltOf(batch) : undefined);
  if (batch.status !== 'halted') await journal.moveBatch(batch.batchId, 'running', null, clock.now());
  await takeUpLine(context, batch);
  if (why !== undefined) gate.haltFor(why);
  const isInVain = limits.isPatient !== true && pausesBeyond(context, clock.now() + limits.waitMs);
  const isToGoOn = why === undefined && !isInVain;
  if (isToGoOn) await journal.liftHolds(batch.batchId, rerunHolds, clock.now());
  const [toSend] = why === undefined ? await journal.readyPage(batch.batchId, 0, 1) : [];
  if (toSend !== undefined) await haltWhenOld(context, batch);
  return isToGoOn;
}

/** True while the line is paused until after a moment: nothing is sent before it. */
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
  gate.seeInDoubt(await journal.countInDoubt('submitted'));
}

/**
 * Ends the run when no payout has got on for the time of `--wait`, or when none can before that is over. While an open
 * line takes rows, nobody waits.
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
    await gate.waitForNews(isInVain ? inVainLookMs : Math.max(leftMs, waitLookMs), end);
  }
}

/** True while rows wait for the line, or the disk, to go on. */
async function waitsToSend(
  { gate, run, journal, isHeldUp }: WorkerContext,
  { batchId }: Batch,
): Promise<boolean> {
  if (isHeldUp?.() === true) return true;
  return gate.isPausing && (run.isSending || (await hasPausedRows(journal, batchId)));
}

/** How often the end of the wait is looked for while rows are still being sent. */
const waitLookMs = 200;
/** How often it is looked whether all is settled that can be, while nothing can be sent. */
const inVainLookMs = 1_000;

async function isAnyToAsk({ run, journal }: WorkerContext, batch: Batch): Promise<boolean> {
  if (!run.hasAsked || run.inFlight.size > 0) return true;
  return (await journal.nextInquiryAtMs(batch.batchId)) !== undefined;
}

async function conclude(
  context: WorkerContext,
  batch: Batch,
  limits: RunLimits,
  isLifted: boolean,
): Promise<RunEnd> {
  const { journal, clock, gate } = context;
  const { batchId } = batch;
  const nowMs = clock.now();
  if (await isCancelled(journal, batchId)) {
    await endCancelled(journal, batchId, nowMs);
    return limits.interrupted.aborted ? 'interrupted' : 'rested';
  }
  if (gate.state.status === 'halted' && gate.state.why !== null) {
    await journal.holdReady(batchId, 'halted', gate.state.why, nowMs);
    await journal.moveBatch(batchId, 'halted', gate.state.why, nowMs);
    return limits.interrupted.aborted ? 'interrupted' : 'rested';
  }
  if (limits.interrupted.aborted) {
    await journal.moveBatch(batchId, 'paused', interruptedReason, nowMs);
    return 'interrupted';
  }
  // What came back to wait for the line is told what all others are told: why, and until when.
  if (isLifted && gate.isPausing) await journal.liftHolds(batchId, ['paused'], nowMs);
  const why = describePause(gate.state) ?? waitOverReason;
  const heldNow = await journal.holdReady(batchId, 'paused', why, nowMs);
  if (heldNow > 0 || (await hasPausedRows(journal, batchId))) {
    await journal.moveBatch(batchId, 'paused', why, nowMs);
  } else if ((await journal.nextInquiryAtMs(batchId)) === undefined) {
    await journal.moveBatch(batchId, 'done', null, nowMs);
  }
  return 'rested';
}

/** Why a batch is paused whose run was asked to stop. */
export const interruptedCode = 'interrupted';

/** A file that a watcher has taken is not to be dropped again: the next one finds it in work/. */
const goOn = 'Run the same file again: it goes on where it was. A watcher goes on with its files by itself';

const interruptedReason: BatchReason = {
  code: interruptedCode,
  reason: 'the run was interrupted; what was in flight is recorded',
  remedy: goOn,
};

const waitOverReason: BatchReason = {
  code: 'wait-over',
  reason: 'the time to wait was over before every row was sent',
  remedy: goOn,
};
