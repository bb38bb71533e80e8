/** Pays one sealed batch from the journal: payee checks, transfers and inquiries side by side, until it rests. */
import pLimit from 'p-limit';
import type { Batch } from '../core/ports.ts';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { makePaces, type Pace, paceBank } from './adaptive-limit.ts';
import { keepLinePause } from './breaker-pause.ts';
import { isStopLifted, recordLineStop } from './breaker-stop.ts';
import { hasPausedRows } from './conclude.ts';
import type { WorkerContext } from './context.ts';
import type { ReadyPayout } from './ports.ts';
import { settleWhileRunning } from './settle.ts';
import { submitPayout } from './submit.ts';
import { verifyPayee } from './verify-payee.ts';

const pageRows = 500;

/** Why the paying ended. `resting`: nothing is left to send or to ask, but what needs a person. */
export type PayEnd = 'resting' | 'halted' | 'stopped';

/**
 * Sends whatever of the batch may be sent and settles what is in doubt.
 * @throws whatever the journal throws: nothing more is sent then
 */
export async function payBatch(unpaced: WorkerContext, batch: Batch): Promise<PayEnd> {
  const { transferConcurrency, verify } = unpaced;
  const paces = unpaced.paces ?? makePaces(transferConcurrency, verify.concurrency);
  const context = { ...unpaced, bank: paceBank(unpaced, paces) };
  const payingEnds = new AbortController();
  const { signal } = payingEnds;
  const settling = breakTogether(context, settleWhileRunning(context, batch.batchId, signal));
  const pausing = breakTogether(context, keepLinePause(context, batch, signal));
  const paying = breakTogether(context, payUntilRest(context, batch, paces.transfers)).finally(() =>
    payingEnds.abort(),
  );
  const [paid, ...others] = await Promise.allSettled([paying, settling, pausing]);
  for (const other of others) if (other.status === 'rejected') throw other.reason;
  if (paid.status === 'rejected') throw paid.reason;
  return paid.value;
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

async function payUntilRest(context: WorkerContext, batch: Batch, pace: Pace): Promise<PayEnd> {
  const { journal, gate, run, stop } = context;
  for (;;) {
    run.isSending = true;
    await payReadyRows(context, batch, pace);
    run.isSending = false;
    if (stop.aborted) return 'stopped';
    if (context.isHeldUp?.() === true) {
      await run.waitForBell(lookAgainMs, stop);
      continue;
    }
    const isHalted = gate.state.status === 'halted';
    if (isHalted) {
      await recordLineStop(context, batch);
      if (await isStopLifted(context, batch)) {
        // What came back after the stop was lifted was held for that very stop.
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
    if (isSettled && isHalted) return 'halted';
    if (isSettled && !(isWaiting && (await hasPausedRows(journal, batch.batchId)))) return 'resting';
    if (!isWaiting) run.noteAllSent();
    const pauseLeftMs = isWaiting ? gate.state.pausedUntilMs - now : 0;
    await run.waitForBell(Math.min(Math.max(pauseLeftMs, lookAgainMs), pauseLookMs), stop);
  }
}

/** Other processes may let held rows go on while we wait for inquiries. */
const lookAgainMs = 1_000;
/** How often it is looked for them while the line is paused and all is settled. */
const pauseLookMs = 5_000;

/** One pass over the ready rows, in input order, with a bounded number of them under way. */
async function payReadyRows(context: WorkerContext, batch: Batch, pace: Pace): Promise<void> {
  const verify = pLimit(context.verify.concurrency);
  const lanes: Lanes = {
    verify,
    submit: pace.openLane(1 + intentsAheadShare),
    transfer: pace.openLane(),
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
        submitPayout(context, batch, ready, verified.names, lanes.transfer),
      );
      await recordOutcome();
    }
  }
}
