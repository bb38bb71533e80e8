/** Settles what is in doubt by inquiry, and sends again what the rule allows. */
import pLimit from 'p-limit';
import { afterChange } from '../core/change.ts';
import type { Payout } from '../core/payout.ts';
import { readOthersOpen } from './apply-change.ts';
import { haltForPayer } from './circuit-breaker.ts';
import { endWhenSettled } from './conclude.ts';
import { caseOf, contextFor, isSeenTo, logFactsOf, type WorkerContext } from './context.ts';
import { inquire, type Inquired } from './inquire.ts';
import { probeBeyond } from './lost-journal.ts';
import type { InDoubt } from './ports.ts';
import {
  decideInquiry,
  endsDoubt,
  findEndForBrake,
  findPayersTrouble,
  type InquiryStep,
  isOutOfDate,
} from './rules/after-inquiry.ts';
import { mayBytesLeaveAgain } from './rules/resend.ts';
import { sendAttempt } from './submit.ts';
import { recordLearnt, Watch } from './superseded.ts';

/** Longest sleep of the loop when nothing is due: it is woken when something falls into doubt. */
const idleMs = 60_000;
/** Pause while all that is due has its own request still under way. */
const inFlightPollMs = 50;
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
  const { journal, clock, settle } = context;
  const stop = AbortSignal.any([context.stop, end]);
  const watch = new Watch(context);
  while (!stop.aborted) {
    const nowMs = clock.now();
    const horizonMs = nowMs + Math.max(settle.maxDelayMs, settle.firstDelayMs);
    const due = await journal.dueInquiries(nowMs, pageRows, batchId, horizonMs);
    const idle = due.filter(({ payout }) => !isSeenTo(context, payout.seq));
    if (idle.length > 0) {
      await settleAll(context, idle, true);
      continue;
    }
    if (context.isWatchedByAnother !== true && (await watch.step())) continue;
    const nextAtMs = (await journal.nextInquiryAtMs(batchId)) ?? nowMs + idleMs;
    const waitMs = due.length > 0 ? inFlightPollMs : Math.max(1, nextAtMs - nowMs);
    await context.run.waitForWork(Math.min(waitMs, idleMs), stop);
  }
}

/** Inquires about each of these once, each by the gate of its own payer account. */
export async function settleAll(
  context: WorkerContext,
  inDoubt: readonly InDoubt[],
  maySend: boolean,
): Promise<void> {
  const limit = pLimit(context.transferConcurrency);
  const tasks = inDoubt.map((one) => limit(() => settleOne(context, one, maySend)));
  await Promise.all(tasks);
  context.run.notify();
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
  if (which === 'unresolved') return asked;
  const watch = new Watch(context);
  while (!context.stop.aborted && (await watch.ask()));
  return asked;
}

/** One at a time over the whole process: of two who ask, the later would decide on what the earlier has changed. */
async function settleOne(context: WorkerContext, one: InDoubt, maySend: boolean): Promise<void> {
  const { seq } = one.payout;
  const { asking } = context;
  if (isSeenTo(context, seq)) return;
  asking.add(seq);
  try {
    await askAbout(contextFor(context, one.attempt.order), one, maySend);
  } finally {
    asking.delete(seq);
  }
}

async function askAbout(context: WorkerContext, one: InDoubt, maySend: boolean): Promise<void> {
  const { payout, attempt } = one;
  const inquired = await inquire(context, attempt, true);
  if (inquired === undefined) return;
  const { finding, facts } = inquired;
  if (endsDoubt(payout, finding) && (await probeBeyond(context, one)) === 'blocked') return;
  const decide = (): InquiryStep => decideInquiry(caseOf(context, payout, attempt, facts), finding);
  // Whoever is asked about next does not wait until the service opens.
  const isToBeSent = maySend && !context.gate.isShut && decide().sendAgain !== undefined;
  if (isToBeSent && (await context.gate.enter()) === 'go') return sendAgain(context, one, inquired, decide);
  const current = await keep(context, one, inquired);
  const trouble = findPayersTrouble(finding);
  if (trouble !== undefined) await haltForPayer(context, attempt.order, trouble);
  const { xRequestId } = facts;
  const said = { xRequestId, finding: finding.kind, status: current?.status };
  context.log('info', 'inquired', { ...logFactsOf(payout, attempt), ...said });
  context.count(current);
  const isPaid = findEndForBrake(one, current);
  if (isPaid !== undefined) context.gate.observeSettled(isPaid);
}

/** Records what an inquiry means while nothing is sent. */
function keep(
  context: WorkerContext,
  one: InDoubt,
  { finding, facts }: Inquired,
): Promise<Payout | undefined> {
  return recordLearnt(context, one, {
    finding,
    caseOf: (current, latest) => caseOf(context, current, latest, facts),
    decide: (known) =>
      isOutOfDate(one.attempt, known.attempt, finding) ? undefined : decideInquiry(known, finding).keep,
  });
}

/**
 * Sends the same attempt again, once that it is to be sent is durable; waiting at the gate may have changed the answer.
 * Not while the bank has completed, or may yet complete, another attempt of the payoutId, nor when the journal takes no
 * send of it any more: its batch or its account was halted. Then it is asked about on.
 */
async function sendAgain(
  context: WorkerContext,
  one: InDoubt,
  inquired: Inquired,
  decide: () => InquiryStep,
): Promise<void> {
  const { run, gate, settle, bankClock } = context;
  run.inFlight.add(one.payout.seq);
  let change: InquiryStep['sendAgain'];
  try {
    change = await recordAgain(context, one, decide().sendAgain);
    if (change === undefined) await keep(context, one, inquired);
  } finally {
    if (change === undefined) {
      run.inFlight.delete(one.payout.seq);
      gate.leave();
    }
  }
  if (change === undefined) return;
  const sent: InDoubt = { payout: afterChange(change), attempt: change.attempt };
  context.log('warn', 'sending the same attempt again', logFactsOf(sent.payout, sent.attempt));
  const recordOutcome = await sendAttempt(context, sent, () =>
    mayBytesLeaveAgain(sent.attempt, settle, bankClock.read()),
  );
  await recordOutcome();
}

/** Makes the send durable; undefined when it may not be, or the journal does not take it. */
async function recordAgain(
  context: WorkerContext,
  one: InDoubt,
  change: InquiryStep['sendAgain'],
): Promise<InquiryStep['sendAgain']> {
  if (change === undefined || (await readOthersOpen(context, one)).length > 0) return undefined;
  const [isApplied] = await context.journal.apply([change]);
  return isApplied === true ? change : undefined;
}

// ---------------------------------------------------------------- on demand

export interface Settled {
  /** Transfers that were in doubt. */
  readonly asked: number;
  /** Inquiries that told something about their transfer. */
  readonly told: number;
  /** Batches that are done by it. */
  readonly ended: readonly string[];
}

export interface SettleLimits {
  /** One batch; all of them when undefined. */
  readonly batchId: string | undefined;
  /** How long to go on while the bank tells nothing. */
  readonly waitMs: number;
  /** Aborted here when that is over; part of the context's `stop`. */
  readonly waitOver: AbortController;
}

/**
 * Inquires once about everything in doubt and concludes what has nothing left to send; a bank that tells nothing is not
 * waited for.
 */
export async function settleNow(context: WorkerContext, limits: SettleLimits): Promise<Settled> {
  const { batchId } = limits;
  const end = new AbortController();
  const waiting = endWaiting(context, limits, end.signal);
  let asked: number;
  try {
    asked = await settleOnce(context, 'all', batchId);
  } finally {
    end.abort();
    await waiting;
  }
  return { asked, told: context.run.told, ended: await endBatches(context, batchId) };
}

async function endWaiting(
  { run, clock }: WorkerContext,
  { waitMs, waitOver }: SettleLimits,
  end: AbortSignal,
): Promise<void> {
  while (!end.aborted) {
    const leftMs = run.lastToldAtMs + waitMs - clock.now();
    if (leftMs <= 0) {
      waitOver.abort();
      return;
    }
    await clock.sleep(leftMs, end);
  }
}

async function endBatches({ journal, clock }: WorkerContext, only?: string): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const { batchId } of await journal.batches()) {
    const isWanted = only === undefined || only === batchId;
    if (isWanted && (await endWhenSettled(journal, batchId, clock.now()))) ended.push(batchId);
  }
  return ended;
}
