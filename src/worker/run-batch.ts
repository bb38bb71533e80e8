/** Brings one sealed batch to rest: lets it run, pays it, and records why it stopped where it did. */
import { rerunHolds } from '../core/decide-people.ts';
import type { Batch, BatchReason } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';
import { haltOf, recordLineStop } from './line-stop.ts';
import { payBatch } from './pay-batch.ts';
import { cancelledReason } from './people.ts';
import { settleOnce } from './settle.ts';

/** Why a run ended; `rested` covers whatever the batch's own status says (done, halted, or waiting on the bank). */
export type RunEnd = 'rested' | 'interrupted';

export interface RunLimits {
  /** How long to wait after the last progress. */
  readonly waitMs: number;
  /** Aborted by a signal of the operating system. */
  readonly interrupted: AbortSignal;
  /** Aborted here when the wait is over; part of the context's `stop`. */
  readonly waitOver: AbortController;
}

/** Pays a sealed batch as far as it can be paid now. */
export async function runBatch(context: WorkerContext, batch: Batch, limits: RunLimits): Promise<RunEnd> {
  await startRunning(context, batch);
  const watchEnds = new AbortController();
  const watching = watchTheWait(context, limits, watchEnds.signal);
  try {
    await settleOnce(context, 'unresolved', batch.batchId);
    await payBatch(context, batch);
  } finally {
    watchEnds.abort();
    await watching;
  }
  await recordLineStop(context, batch);
  return conclude(context, batch, limits);
}

/** Under a stop that a person must lift, what is in doubt is settled and nothing is sent. */
async function startRunning(context: WorkerContext, batch: Batch): Promise<void> {
  const { journal, clock, gate } = context;
  const stop = await journal.lineStop(batch.companyId, batch.payerAccount);
  const why = stop ?? (batch.status === 'halted' ? haltOf(batch) : undefined);
  if (batch.status !== 'halted') await journal.moveBatch(batch.batchId, 'running', null, clock.now());
  if (why === undefined) await journal.liftHolds(batch.batchId, rerunHolds, clock.now());
  else gate.haltFor(why);
  context.run.isStopRecorded = why !== undefined;
}

/** Ends the run when no payout has got on for the time of `--wait`; while an open line takes rows, nobody waits. */
async function watchTheWait(context: WorkerContext, limits: RunLimits, end: AbortSignal): Promise<void> {
  const { run, gate, clock } = context;
  while (!end.aborted) {
    const leftMs = run.lastProgressAtMs + limits.waitMs - clock.now();
    const isMoving = run.isSending && gate.state.status === 'open';
    if (leftMs <= 0 && !isMoving) {
      limits.waitOver.abort();
      return;
    }
    await clock.sleep(Math.max(leftMs, waitLookMs), end);
  }
}

/** How often the end of the wait is looked for while rows are still being sent. */
const waitLookMs = 200;

async function conclude(context: WorkerContext, batch: Batch, limits: RunLimits): Promise<RunEnd> {
  const { journal, clock, gate } = context;
  const { batchId } = batch;
  const nowMs = clock.now();
  if (await isCancelled(context, batchId)) {
    await journal.cancelUnsent(batchId, nowMs);
    if ((await journal.nextInquiryAtMs(batchId)) === undefined)
      await journal.moveBatch(batchId, 'done', null, nowMs);
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
  const why = gate.state.why ?? waitOverReason;
  const heldNow = await journal.holdReady(batchId, 'paused', why, nowMs);
  if (heldNow > 0 || (await hasPausedRows(context, batchId))) {
    await journal.moveBatch(batchId, 'paused', why, nowMs);
  } else if ((await journal.nextInquiryAtMs(batchId)) === undefined) {
    await journal.moveBatch(batchId, 'done', null, nowMs);
  }
  return 'rested';
}

/** A person has cancelled the batch while transfers were under way: what came back unsent is cancelled too. */
async function isCancelled(context: WorkerContext, batchId: string): Promise<boolean> {
  const batch = await context.journal.batch(batchId);
  return batch?.status === 'halted' && batch.reasonCode === cancelledReason.code;
}

async function hasPausedRows(context: WorkerContext, batchId: string): Promise<boolean> {
  const holds = await context.journal.holdTotals(batchId);
  return holds.some(({ hold, rows }) => hold === 'paused' && rows > 0);
}

const interruptedReason: BatchReason = {
  code: 'interrupted',
  reason: 'the run was interrupted; what was in flight is recorded',
  remedy: 'Run the same file again: it goes on where it was',
};

const waitOverReason: BatchReason = {
  code: 'wait-over',
  reason: 'the time to wait was over before every row was sent',
  remedy: 'Run the same file again: it goes on where it was',
};
