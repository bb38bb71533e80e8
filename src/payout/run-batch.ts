/** Runs one sealed batch: pays it, concludes it, and records why it stopped. */
import pLimit from 'p-limit';
import { inEnglish } from '../core/message.ts';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { countRows } from '../core/exit-code.ts';
import type { Batch, Log } from '../core/ports.ts';
import { forEachBounded } from '../platform/bounded.ts';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { type AdaptiveLimit, limitRequests } from './adaptive-limit.ts';
import {
  findHalt,
  haltOf,
  persistPauses,
  recordHalt,
  recordPause,
  restoreBreaker,
} from './circuit-breaker.ts';
import { beginRunning, conclude, hasHeldRows } from './conclude.ts';
import { countDoubt, runWithBackground, type WorkerContext } from './context.ts';
import { pollBankTime } from './inquire.ts';
import type { PayoutJournal, ReadyPayout } from './ports.ts';
import { type AssignedRow, handOutRows, handOutShards, RowRate } from './share.ts';
import { describeWaiting } from '../review/rules/approval.ts';
import { haltWhenChanged, haltWhenOld } from './pre-send-checks.ts';
import { describeIdleShare, withEnd } from './rules/brake.ts';
import { describePayerChange, accountHolds, unsentStatuses } from './rules/operator.ts';
import { findCheckSignal } from './rules/payee.ts';
import { toBrakeCount, noticeHaltByEnd } from './shared-breaker.ts';
import { keepLimitsShared } from './shared-limits.ts';
import { settleOnce, settleWhileRunning } from './settle.ts';
import { submitPayout } from './submit.ts';
import { verifyPayee } from './verify-payee.ts';
import { reportWaits } from './wait.ts';

/** Why a run ended. `rested` includes every status of the batch itself: done, halted, or waiting on the bank. */
export type RunEnd = 'rested' | 'interrupted';

export interface RunLimits {
  /** Time in ms to wait after the last progress. */
  readonly waitMs: number;
  /** True: waits out every pause while rows are to be sent, because the process runs permanently. */
  readonly isPatient?: boolean;
  /** Aborted by a signal of the operating system. */
  readonly interrupted: AbortSignal;
  /** Aborted by the run when the wait is over; part of the context's `stop`. */
  readonly waitOver: AbortController;
}

/** Pays a sealed batch as far as is possible now. */
export async function runBatch(context: WorkerContext, batch: Batch, limits: RunLimits): Promise<RunEnd> {
  // Doubts of a run that broke off before its end.
  const wasInDoubt = (await context.journal.nextInquiryAtMs(batch.batchId)) !== undefined;
  const idleShare = batch.status === 'sealed' ? describeIdleShare(context.gate.brake, batch.rows) : undefined;
  if (idleShare !== undefined) context.log('warn', idleShare, { batchId: batch.batchId });
  const { isLifted, isOthersHalt } = await startRunning(context, batch, limits);
  const watchEnds = new AbortController();
  const watching = [
    watchTheWait(context, batch, limits, watchEnds.signal),
    reportWaits(context, () => readWait(context, batch, limits), watchEnds.signal),
  ];
  await runWithBackground(context, settleAndPay(context, batch), watchEnds, watching);
  // The process that now has the right to send goes on with the batch, and concludes it.
  if (context.mayTransmit?.() === false) return 'interrupted';
  if (context.run.hasSent || wasInDoubt) await haltWhenChanged(context, batch);
  await recordHalt(context, batch);
  await recordPause(context, batch);
  const isInterrupted = limits.interrupted.aborted;
  await conclude(context, batch, { isInterrupted, isLifted, isOthersHalt });
  return isInterrupted ? 'interrupted' : 'rested';
}

/**
 * Starts the run. Under a halt that an operator must lift, or a pause longer than the wait, it settles what is in doubt
 * and sends nothing.
 * @returns whether rows were released, and whether another batch's halt was in force before
 */
async function startRunning(
  context: WorkerContext,
  batch: Batch,
  limits: RunLimits,
): Promise<{ readonly isLifted: boolean; readonly isOthersHalt: boolean }> {
  const { journal, clock, gate } = context;
  const isRunning = batch.status !== 'halted' && (await beginRunning(journal, batch, clock.now()));
  const standing = isRunning ? undefined : await journal.batch(batch.batchId);
  const stop = await journal.payerHalt(batch.companyId, batch.payerAccount);
  const why = stop ?? (standing?.status === 'halted' ? haltOf(standing) : undefined);
  await restoreBreaker(context, batch);
  if (why !== undefined) gate.haltFor(why);
  const isInVain = limits.isPatient !== true && pausesBeyond(context, clock.now() + limits.waitMs);
  // Rows retried or corrected since the approval, or to be paid from another account.
  await journal.holdUnapproved(batch.batchId, describeWaiting(batch.batchId), clock.now());
  const isToGoOn = why === undefined && !isInVain;
  if (isToGoOn) await journal.liftHolds(batch.batchId, accountHolds, clock.now());
  const [toSend] = why === undefined ? await journal.readyPage(batch.batchId, 0, 1) : [];
  if (toSend !== undefined) {
    if (context.limits.overTime !== undefined)
      await journal.countDay(batch.companyId, formatBangkokDate(clock.now()));
    await haltWhenOld(context, batch);
    await haltWhenChanged(context, batch);
  }
  return { isLifted: isToGoOn, isOthersHalt: stop !== undefined && standing?.status !== 'halted' };
}

/** True while the payer account is paused until after a moment, so that nothing is sent before it. */
function pausesBeyond({ gate }: WorkerContext, momentMs: number): boolean {
  const { status, pausedUntilMs } = gate.state;
  return status === 'paused' && pausedUntilMs > momentMs;
}

/**
 * Applies the brake on doubt when a run begins, with the doubts of earlier runs. They are inquired first, since those
 * of a killed run often settle at once.
 */
async function brakeOnDoubt(context: WorkerContext): Promise<void> {
  const { gate } = context;
  if (!gate.isTooMuchDoubt(await countDoubt(context))) return;
  await settleOnce(context, 'all');
  gate.observeInDoubt(await countDoubt(context));
}

/**
 * Ends the run when no payout has made progress for the time of `--wait`, or none can within it. While an open account
 * takes rows, there is no wait.
 */
async function watchTheWait(
  context: WorkerContext,
  batch: Batch,
  limits: RunLimits,
  end: AbortSignal,
): Promise<void> {
  const { run, gate, clock } = context;
  while (!end.aborted) {
    // Our clock was set back: the wait counts from now.
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

async function readWait({ run, journal }: WorkerContext, { batchId }: Batch, limits: RunLimits) {
  const { lastProgressAtMs, isSending } = run;
  const nextInquiryAtMs = isSending ? undefined : await journal.nextInquiryAtMs(batchId);
  const givesUpAtMs = limits.isPatient === true ? undefined : lastProgressAtMs + limits.waitMs;
  return { lastProgressAtMs, nextInquiryAtMs, givesUpAtMs };
}

/** True while rows wait for the account, or the disk, to go on. */
async function waitsToSend(
  { gate, run, journal, isPaused }: WorkerContext,
  { batchId }: Batch,
): Promise<boolean> {
  if (isPaused?.() === true) return true;
  return gate.isPausing && (run.isSending || (await hasHeldRows(journal, batchId)));
}

/** Interval in ms of checks for the end of the wait while rows are being sent. */
const waitPollMs = 200;
/** Interval in ms of checks whether all doubts are settled, while nothing can be sent. */
const inVainPollMs = 1_000;

async function isAnyToAsk({ run, journal }: WorkerContext, batch: Batch): Promise<boolean> {
  if (!run.hasAsked || run.inFlight.size > 0) return true;
  return (await journal.nextInquiryAtMs(batch.batchId)) !== undefined;
}

/**
 * Halts a batch when the settings name another payer account than the one it was accepted for: an operator who resumes
 * it approves the other account.
 * @returns the batch as it is then
 */
export async function followPayer(
  journal: PayoutJournal,
  batch: Batch,
  payerAccount: string,
  log: Log,
  nowMs: number,
): Promise<Batch> {
  const { batchId, status } = batch;
  if (payerAccount === batch.payerAccount || status === 'halted') return batch;
  if (countRows(await journal.totals(batchId), unsentStatuses) === 0) return batch;
  const why = describePayerChange(batch, payerAccount);
  // Only a running batch can be halted.
  if (!(await beginRunning(journal, batch, nowMs))) return (await journal.batch(batchId)) ?? batch;
  await journal.moveBatch(batchId, 'halted', why, nowMs);
  // Each row that waits for the account has the account's name in its history.
  await journal.liftHolds(batchId, accountHolds, nowMs);
  await journal.holdReady(batchId, 'halted', why, nowMs);
  const facts = { batchId, reason: inEnglish(why.reason) };
  log('error', 'the settings name another payer account than the batch', facts);
  return (await journal.batch(batchId)) ?? batch;
}

async function settleAndPay(context: WorkerContext, batch: Batch): Promise<void> {
  await settleOnce(context, 'unresolved', batch.batchId);
  await brakeOnDoubt(context);
  context.run.hasAsked = true;
  await payBatch(context, batch);
}

/**
 * Sends the rows of the batch that may be sent, and settles what is in doubt.
 * @throws errors of the journal, and any earlier failure of the run; nothing more is sent then
 */
async function payBatch(unlimited: WorkerContext, batch: Batch): Promise<void> {
  const { adaptiveLimits: limits, log } = unlimited;
  const context = { ...unlimited, limitRequest: limitRequests(limits, log) };
  const payingEnds = new AbortController();
  const { signal } = payingEnds;
  const beside = [
    settleWhileRunning(context, batch.batchId, signal),
    persistPauses(context, batch, signal),
    pollBankTime(context, batch, signal),
    keepLimitsShared(context, signal),
  ];
  await runWithBackground(context, payUntilRest(context, batch, limits.transfers), payingEnds, beside);
}

async function payUntilRest(context: WorkerContext, batch: Batch, limit: AdaptiveLimit): Promise<void> {
  const { journal, gate, run, stop } = context;
  for (;;) {
    run.isSending = true;
    await payReadyRows(context, batch, limit);
    run.isSending = false;
    if (stop.aborted) return;
    if (context.isPaused?.() === true) {
      await run.waitForWork(heldPollMs, stop);
      continue;
    }
    const isHalted = gate.state.status === 'halted';
    if (isHalted) {
      if (await takeUpAgain(context, batch)) continue;
      await recordHalt(context, batch);
      // The operator who lifted the account's halt may have looked at another batch of it.
      if ((await findHalt(context, batch)) === undefined && !(await haltWhenChanged(context, batch))) {
        // Rows that came back after the halt was lifted were held for that same halt.
        await journal.liftHolds(batch.batchId, ['halted'], context.clock.now());
        gate.reopen();
        continue;
      }
    }
    const isWaiting = gate.isPausing;
    const now = context.clock.now();
    if (!isHalted && !isWaiting && (await journal.liftHolds(batch.batchId, ['paused'], now)) > 0) continue;
    const isShared = (await isPaidElsewhere(context, batch)) || (await isLeftByOthers(context, batch));
    const nextAtMs = await journal.nextInquiryAtMs(batch.batchId);
    const isSettled = nextAtMs === undefined && run.inFlight.size === 0 && !isShared;
    if (isSettled && isHalted) return;
    if (isSettled && !(isWaiting && (await hasHeldRows(journal, batch.batchId)))) return;
    if (!isWaiting) run.allSent.resolve();
    const pauseLeftMs = isWaiting ? gate.state.pausedUntilMs - now : 0;
    await run.waitForWork(Math.min(Math.max(pauseLeftMs, heldPollMs), pausePollMs), stop);
  }
}

/** True when a process that had the right to send before has paused the batch behind this run: it runs again. */
async function takeUpAgain(context: WorkerContext, { batchId }: Batch): Promise<boolean> {
  const { journal, share, gate, clock } = context;
  if (share === undefined || context.mayTransmit?.() === false) return false;
  const batch = await journal.batch(batchId);
  if (gate.breaker.state.status === 'halted' || batch?.status !== 'paused') return false;
  if (!(await beginRunning(journal, batch, clock.now()))) return false;
  gate.reopen();
  return true;
}

/** True while other machines pay rows of the batch: the run goes on as long as they do. */
async function isPaidElsewhere({ share, run }: WorkerContext, { batchId }: Batch): Promise<boolean> {
  const shards = (await share?.elsewhere(batchId)) ?? [];
  if (shards.length === 0) return false;
  run.hasSent = true;
  run.noteProgress();
  return true;
}

/**
 * True while there are ready rows that a machine has left: its lease may have expired after this machine had looked for
 * rows, while its own last ones were under way.
 */
async function isLeftByOthers({ share, journal, gate }: WorkerContext, { batchId }: Batch): Promise<boolean> {
  if (share === undefined || gate.state.status !== 'open') return false;
  return (await journal.readyPage(batchId, 0, 1)).length > 0;
}

/** Interval in ms of checks for held rows that other processes have released, during the wait for inquiries. */
const heldPollMs = 1_000;
/** The same interval while the account is paused and all doubts are settled. */
const pausePollMs = 5_000;

/**
 * Pays the ready rows once, in input order, or those that no other machine has, with a bounded number under way.
 * @param isToTakeNoMore ends the pass once the rows are paid that this machine has taken
 */
export async function payReadyRows(
  context: WorkerContext,
  batch: Batch,
  limit: AdaptiveLimit,
  isToTakeNoMore?: () => boolean,
): Promise<void> {
  const verify = pLimit(context.verify.concurrency);
  const lanes: Lanes = {
    verify,
    submit: limit.openLane('ahead'),
    retryLane: limit.openLane('ahead'),
    transfer: limit.openLane(),
  };
  const places = context.verify.concurrency + context.transferConcurrency;
  const rate = new RowRate(context.clock, places);
  const rowsMax = (): number => (context.share === undefined ? 2 * places : rate.ahead);
  await forEachBounded(
    handOut(context, batch, rate, isToTakeNoMore),
    rowsMax,
    (row) => payHanded(context, batch, row, lanes),
    (error) => context.run.noteFailure(error),
  );
}

/** Lanes of payee checks and of transfers, with separate limits, so that checks run ahead of transfers. */
interface Lanes {
  readonly verify: RunInTurn;
  /** Lane from the intent on, with a few more places than transfers at once. */
  readonly submit: RunInTurn;
  /** Lane for rows that have waited before. It takes turns with `submit`, since many of them may come at once. */
  readonly retryLane: RunInTurn;
  readonly transfer: RunInTurn;
}

function handOut(
  context: WorkerContext,
  { batchId }: Batch,
  rate: RowRate,
  isToTakeNoMore: (() => boolean) | undefined,
) {
  const { journal, clock, stop, gate, isPaused, share } = context;
  const isToEnd = (): boolean => stop.aborted || isPaused?.() === true || gate.state.status === 'halted';
  const reading = { journal, clock, batchId, isToEnd, isToTakeNoMore };
  return share === undefined ? handOutRows(reading) : handOutShards(reading, share, rate);
}

async function payHanded(
  context: WorkerContext,
  batch: Batch,
  row: AssignedRow,
  lanes: Lanes,
): Promise<void> {
  let isLeft = false;
  try {
    isLeft = await hasToWait(context, batch, row.ready);
    if (isLeft) context.run.noteProgress();
    else await payRow(context, batch, row, lanes);
  } catch (error) {
    // Recorded before the row is ended, which may fail for the same reason.
    context.run.noteFailure(error);
    throw error;
  } finally {
    await row.done(isLeft);
  }
}

/**
 * True for a row with a send of another machine that may still be on its way. It is postponed: otherwise a few such rows
 * could occupy all places of this machine, and delay all rows behind them.
 */
async function hasToWait(
  { share, journal }: WorkerContext,
  { companyId }: Batch,
  { payout, attemptsRecorded }: ReadyPayout,
): Promise<boolean> {
  if (share === undefined || attemptsRecorded === 0) return false;
  const waitMs = await journal.attemptWaitMs?.(companyId, payout.instruction.payoutId);
  return waitMs !== undefined && waitMs > 0;
}

async function payRow(
  context: WorkerContext,
  batch: Batch,
  { ready, isLate }: Omit<AssignedRow, 'done'>,
  lanes: Lanes,
): Promise<void> {
  const verified = await lanes.verify(() => verifyPayee(context, ready.payout));
  switch (verified.kind) {
    case 'stopped':
      await recordHalt(context, batch);
      return;
    case 'change': {
      const end = toBrakeCount(context, findCheckSignal(verified.change));
      await context.journal.apply([withEnd(verified.change, end)]);
      await noticeHaltByEnd(context, batch, end);
      context.run.noteProgress();
      context.count(verified.change.after);
      return;
    }
    case 'payable': {
      const submit = isLate ? lanes.retryLane : lanes.submit;
      const recordOutcome = await submit(() =>
        submitPayout(context, { ...ready, batch, names: verified.names }, lanes.transfer),
      );
      await recordOutcome();
    }
  }
}
