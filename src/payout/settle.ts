/** Settles what is in doubt by inquiry, and sends again what the rule allows. */
import pLimit from 'p-limit';
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Change } from '../core/ports.ts';
import { findBankStatus } from '../core/status-codes.ts';
import { recordLineStop } from './breaker-stop.ts';
import { contextFor, logFactsOf, type WorkerContext } from './context.ts';
import { inquire } from './inquire.ts';
import { lookUpBeyond } from './lost-journal.ts';
import type { InDoubt } from './ports.ts';
import type { InquiryStep } from './rules/after-inquiry.ts';
import type { InquiryReading, Reason } from './rules/read-reply.ts';
import { mayBytesLeaveAgain } from './rules/resend.ts';
import { decideOnInquiry } from './rules/superseded.ts';
import { applyOnCurrent, readOthersOpen, sendAttempt } from './send.ts';
import { firstKey, readSuperseded, watchSuperseded } from './superseded.ts';

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
  const watch = new Watch(context);
  while (!stop.aborted) {
    const nowMs = context.clock.now();
    const horizonMs = nowMs + Math.max(context.settle.maxDelayMs, context.settle.firstDelayMs);
    const due = await context.journal.dueInquiries(nowMs, pageRows, batchId, horizonMs);
    const idle = due.filter(({ payout }) => !isSeenTo(context, payout.seq));
    if (idle.length > 0) {
      await settleAll(context, idle, true);
      continue;
    }
    if (context.isWatchedElsewhere !== true && (await watch.step())) continue;
    const nextAtMs = (await context.journal.nextInquiryAtMs(batchId)) ?? nowMs + idleMs;
    const waitMs = due.length > 0 ? inFlightLookMs : Math.max(1, nextAtMs - nowMs);
    await context.run.waitForBell(Math.min(waitMs, idleMs), stop);
  }
}

/** Goes round the attempts that a later one has followed, a few at a time, while nothing else is to be asked. */
export class Watch {
  readonly #context: WorkerContext;
  #after = firstKey;
  #nextRoundAtMs = 0;

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  /** Asks about the next few; false when there is none, or it is not yet time. */
  async step(): Promise<boolean> {
    const { clock, gate, settle, transferConcurrency } = this.#context;
    if (clock.now() < this.#nextRoundAtMs || gate.state.status === 'paused') return false;
    const page = await readSuperseded(this.#context, this.#after, transferConcurrency);
    await Promise.all(page.map((one) => watchSuperseded(contextFor(this.#context, one.attempt.order), one)));
    const last = page.at(-1)?.attempt;
    this.#after = last ?? firstKey;
    if (last === undefined) this.#nextRoundAtMs = clock.now() + settle.maxDelayMs;
    return last !== undefined;
  }
}

/** True for a row whose request is under way, or that is being asked about, in any part of this process. */
export function isSeenTo({ run, asking, isUnderWay }: WorkerContext, seq: number): boolean {
  return run.inFlight.has(seq) || asking?.has(seq) === true || isUnderWay?.(seq) === true;
}

/** Pause while all that is due has its own request still under way. */
const inFlightLookMs = 50;

/** Inquires about each of these once, each by the line of its own payer account. */
export async function settleAll(
  context: WorkerContext,
  inDoubt: readonly InDoubt[],
  maySend: boolean,
): Promise<void> {
  const limit = pLimit(context.transferConcurrency);
  const tasks = inDoubt.map((one) => limit(() => settleOne(context, one, maySend)));
  await Promise.all(tasks);
  context.run.ring();
}

/**
 * Inquires once about everything in one of these states of doubt, due or not; of one batch when given. Sends nothing.
 * @param isLeftOut batches whose own run sees to them
 */
export async function settleOnce(
  context: WorkerContext,
  which: 'unresolved' | 'all',
  batchId?: string,
  isLeftOut: (batchId: string) => boolean = () => false,
): Promise<number> {
  let afterSeq = 0;
  let asked = 0;
  while (!context.stop.aborted) {
    const page = await context.journal.inDoubt(afterSeq, pageRows, batchId);
    const wanted = page.filter(
      ({ payout }) => (which === 'all' || payout.status === 'unresolved') && !isLeftOut(payout.batchId),
    );
    await settleAll(context, wanted, false);
    asked += wanted.length;
    const last = page.at(-1);
    if (last === undefined) break;
    afterSeq = last.payout.seq;
  }
  if (which === 'all') await watchAll(context);
  return asked;
}

/** Asks once about every attempt that a later one has followed. */
async function watchAll(context: WorkerContext): Promise<void> {
  const limit = pLimit(context.transferConcurrency);
  let after = firstKey;
  while (!context.stop.aborted) {
    const page = await readSuperseded(context, after, pageRows);
    const tasks = page.map((one) =>
      limit(() => watchSuperseded(contextFor(context, one.attempt.order), one)),
    );
    await Promise.all(tasks);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.attempt;
  }
}

/** One at a time over the whole process: of two who ask, the later would decide on what the earlier has changed. */
async function settleOne(context: WorkerContext, one: InDoubt, maySend: boolean): Promise<void> {
  const { seq } = one.payout;
  const { asking } = context;
  if (isSeenTo(context, seq)) return;
  asking?.add(seq);
  try {
    await askAbout(contextFor(context, one.attempt.order), one, maySend);
  } finally {
    asking?.delete(seq);
  }
}

async function askAbout(
  context: WorkerContext,
  { payout, attempt }: InDoubt,
  maySend: boolean,
): Promise<void> {
  const inquired = await inquire(context, attempt, true);
  if (inquired === undefined) return;
  const { reading, facts } = inquired;
  // A lost part of the journal may have made another attempt since.
  const isFailed = reading.kind === 'failed' && payout.status !== 'paid';
  if (isFailed && (await lookUpBeyond(context, payout, attempt)) === 'blocked') return;
  const decide: Decide = (current, latest) =>
    decideOnInquiry(current, latest, reading, facts, context.settle, context.bankClock.read());
  // Whoever is asked about next does not wait until the service opens.
  const isToBeSent = maySend && !context.gate.isShut && decide(payout, attempt).kind === 'send-again';
  const keep: Keep = (current, latest) =>
    isOutOfDate(reading, attempt, latest) ? undefined : withoutSending(decide(current, latest));
  if (isToBeSent && (await context.gate.enter()) === 'go')
    return sendAgain(context, { payout, attempt }, decide, keep);
  const current = await applyOnCurrent(context, payout, attempt, keep);
  if (reading.kind === 'failed') await stopForPayer(context, attempt, reading.reason);
  context.log('info', 'inquired', {
    ...logFactsOf(payout, attempt),
    xRequestId: facts.xRequestId,
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

/** A payer's trouble stops the line when an inquiry shows it as it does in a reply. */
async function stopForPayer(context: WorkerContext, attempt: Attempt, reason: Reason): Promise<void> {
  if (findBankStatus(reason.code)?.scope !== 'payer') return;
  context.gate.seePayerStop(reason);
  await recordLineStop(context, attempt.order);
}

type Decide = (current: Payout, latest: Attempt) => InquiryStep;
/** What is recorded when nothing is sent. */
type Keep = (current: Payout, latest: Attempt) => Change | undefined;

/** It was sent again since the bank was asked: that it knew nothing then says nothing now. */
function isOutOfDate({ kind }: InquiryReading, asked: Attempt, latest: Attempt): boolean {
  return latest.sends !== asked.sends && (kind === 'not-found' || kind === 'nothing-said');
}

const withoutSending = (step: InquiryStep): Change =>
  step.kind === 'send-again' ? step.otherwise : step.change;

/**
 * Sends the same attempt again, once that it is to be sent is durable; waiting at the gate may have changed the answer.
 * Not while the bank has completed, or may yet complete, another attempt of the payoutId, nor when the journal takes no
 * send of it any more: its batch or its line was stopped. Then it is asked about on.
 */
async function sendAgain(
  context: WorkerContext,
  { payout, attempt }: InDoubt,
  decide: Decide,
  keep: Keep,
): Promise<void> {
  const { run, gate } = context;
  run.inFlight.add(payout.seq);
  let step: SendAgain | undefined;
  try {
    step = await recordAgain(context, payout, attempt, decide(payout, attempt));
    if (step === undefined) await applyOnCurrent(context, payout, attempt, keep);
  } finally {
    if (step === undefined) {
      run.inFlight.delete(payout.seq);
      gate.leave({ kind: 'nothing' });
    }
  }
  if (step === undefined) return;
  const resent = step.attempt;
  context.log('warn', 'sending the same attempt again', logFactsOf(payout, resent));
  const recordOutcome = await sendAttempt(context, afterChange(step.change), resent, () =>
    mayBytesLeaveAgain(resent, context.settle, context.bankClock.read()),
  );
  await recordOutcome();
}

type SendAgain = Extract<InquiryStep, { kind: 'send-again' }>;

/** Makes the send durable; undefined when it may not be, or the journal does not take it. */
async function recordAgain(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
  step: InquiryStep,
): Promise<SendAgain | undefined> {
  if (step.kind !== 'send-again') return undefined;
  if ((await readOthersOpen(context, payout, attempt)).length > 0) return undefined;
  const [isApplied] = await context.journal.apply([step.change]);
  return isApplied === true ? step : undefined;
}
