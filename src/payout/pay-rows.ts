/** Pays the rows of one sealed batch: payee checks, transfers and inquiries side by side, until none can go on. */
import pLimit from 'p-limit';
import type { Batch } from '../core/ports.ts';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { type AdaptiveLimit, limitRequests, makeAdaptiveLimits } from './adaptive-limit.ts';
import { isHaltLifted, keepPauseRecorded, recordHalt } from './circuit-breaker.ts';
import { hasPausedRows } from './conclude.ts';
import type { WorkerContext } from './context.ts';
import type { ReadyPayout } from './ports.ts';
import { settleWhileRunning } from './settle.ts';
import { submitPayout } from './submit.ts';
import { verifyPayee } from './verify-payee.ts';

const pageRows = 500;

/**
 * Sends whatever of the batch may be sent and settles what is in doubt.
 * @throws whatever the journal throws: nothing more is sent then
 */
export async function payBatch(unlimited: WorkerContext, batch: Batch): Promise<void> {
  const { transferConcurrency, verify, log } = unlimited;
  const limits = unlimited.adaptiveLimits ?? makeAdaptiveLimits(transferConcurrency, verify.concurrency);
  const context = { ...unlimited, limitRequest: limitRequests(limits, log) };
  const payingEnds = new AbortController();
  const { signal } = payingEnds;
  const settling = breakTogether(context, settleWhileRunning(context, batch.batchId, signal));
  const pausing = breakTogether(context, keepPauseRecorded(context, batch, signal));
  const paying = breakTogether(context, payUntilRest(context, batch, limits.transfers)).finally(() =>
    payingEnds.abort(),
  );
  const ends = await Promise.allSettled([settling, pausing, paying]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** When one part of the run breaks, no other begins anything new. */
async function breakTogether<T>(context: WorkerContext, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    context.run.broken.abort();
    throw error;
  }
}

async function payUntilRest(context: WorkerContext, batch: Batch, limit: AdaptiveLimit): Promise<void> {
  const { journal, gate, run, stop } = context;
  for (;;) {
    run.isSending = true;
    await payReadyRows(context, batch, limit);
    run.isSending = false;
    if (stop.aborted) return;
    if (context.isHeldUp?.() === true) {
      await run.waitForWork(heldPollMs, stop);
      continue;
    }
    const isHalted = gate.state.status === 'halted';
    if (isHalted) {
      await recordHalt(context, batch);
      if (await isHaltLifted(context, batch)) {
        // What came back after the halt was lifted was held for that very halt.
        await journal.liftHolds(batch.batchId, ['halted'], context.clock.now());
        gate.reopen();
        continue;
      }
    }
    const isWaiting = gate.isPausing;
    const now = context.clock.now();
    if (!isHalted && !isWaiting && (await journal.liftHolds(batch.batchId, ['paused'], now)) > 0) continue;
    const nextAtMs = await journal.nextInquiryAtMs(batch.batchId);
    const isSettled = nextAtMs === undefined && run.inFlight.size === 0;
    if (isSettled && isHalted) return;
    if (isSettled && !(isWaiting && (await hasPausedRows(journal, batch.batchId)))) return;
    if (!isWaiting) run.noteAllSent();
    const pauseLeftMs = isWaiting ? gate.state.pausedUntilMs - now : 0;
    await run.waitForWork(Math.min(Math.max(pauseLeftMs, heldPollMs), pausePollMs), stop);
  }
}

/** Other processes may let held rows go on while we wait for inquiries. */
const heldPollMs = 1_000;
/** How often it is looked for them while the account is paused and all is settled. */
const pausePollMs = 5_000;

/** One pass over the ready rows, in input order, with a bounded number of them under way. */
async function payReadyRows(context: WorkerContext, batch: Batch, limit: AdaptiveLimit): Promise<void> {
  const verify = pLimit(context.verify.concurrency);
  const lanes: Lanes = {
    verify,
    submit: limit.openLane(1 + intentsAheadShare),
    transfer: limit.openLane(),
  };
  const rowsMax = (context.verify.concurrency + context.transferConcurrency) * 2;
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const ready of readyRows(context, batch)) {
    const task: Promise<void> = payRow(context, batch, ready, lanes)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(task));
    underWay.add(task);
    if (underWay.size >= rowsMax) await Promise.race(underWay);
    if (failures.length > 0) break;
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}

/** Share of the transfers at once whose intents are recorded ahead, so that no lane waits for the disk. */
const intentsAheadShare = 0.25;

/** Payee checks and transfers have limits of their own, so that checks run ahead of transfers. */
interface Lanes {
  readonly verify: RunInTurn;
  /** From the intent on: a few more than there are transfers at once. */
  readonly submit: RunInTurn;
  readonly transfer: RunInTurn;
}

async function* readyRows(context: WorkerContext, batch: Batch): AsyncGenerator<ReadyPayout> {
  let afterRowNo = 0;
  for (;;) {
    const page = await context.journal.readyPage(batch.batchId, afterRowNo, pageRows);
    for (const ready of page) {
      if (context.stop.aborted || context.isHeldUp?.() === true) return;
      if (context.gate.state.status === 'halted') return;
      yield ready;
      afterRowNo = ready.payout.rowNo;
    }
    if (page.length < pageRows) return;
  }
}

async function payRow(context: WorkerContext, batch: Batch, ready: ReadyPayout, lanes: Lanes): Promise<void> {
  const verified = await lanes.verify(() => verifyPayee(context, ready.payout));
  switch (verified.kind) {
    case 'stopped':
      return;
    case 'change':
      await context.journal.apply([verified.change]);
      context.run.noteProgress();
      context.count(verified.change.after);
      return;
    case 'payable': {
      const recordOutcome = await lanes.submit(() =>
        submitPayout(context, { ...ready, batch, names: verified.names }, lanes.transfer),
      );
      await recordOutcome();
    }
  }
}
