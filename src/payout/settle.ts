/** Settles what is in doubt by inquiry, and sends again what the rule allows. */
import pLimit from 'p-limit';
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Progress } from '../core/progress.ts';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { applyOnAttempt, readLatest, readOthersOpen, readReference } from './apply-change.ts';
import { haltForPayer } from './circuit-breaker.ts';
import { endWhenSettled } from './conclude.ts';
import {
  caseOf,
  contextFor,
  runWithBackground,
  idOf,
  isInProgress,
  logFactsOf,
  type RunState,
  settlePolicyOf,
  type WorkerContext,
} from './context.ts';
import { inquire, type Inquired } from './inquire.ts';
import { probeBeyond } from './lost-journal.ts';
import { mayRepeatSigned } from './proved-rows.ts';
import type { InDoubt } from './ports.ts';
import {
  decideAskNow,
  decideInquiry,
  decideReturn,
  endsDoubt,
  findEndForBrake,
  findEndSignal,
  findPayersTrouble,
  type InquiryStep,
  isKnownToBank,
  isOutOfDate,
} from './rules/after-inquiry.ts';
import { withEnd } from './rules/brake.ts';
import type { Repetition } from './rules/circuit-breaker.ts';
import { countDelivered, mayBytesLeaveAgain, type SettlePolicy } from './rules/resend.ts';
import { leaveOthersAlone } from './share.ts';
import { toBrakeCount, noticeHaltByEnd } from './shared-breaker.ts';
import { sendAttempt } from './submit.ts';
import { recordLearnt, Watch } from './superseded.ts';
import { reportWaits } from './wait.ts';

/**
 * Longest sleep in ms of the loop when no inquiry is due. A new doubt wakes the loop; another process may request an
 * inquiry at any time.
 */
const idleMs = 5_000;
/**
 * Longest sleep in ms while all due rows still have their own request under way; each that ends in doubt wakes the
 * loop.
 */
const inFlightPollMs = 1_000;
/** Interval in ms of checks whether this process has the right to send again: the sender settles. */
const noRightPollMs = 1_000;
const pageRows = 200;

/**
 * Inquires about attempts as they fall due, until told to end.
 * @param end aborted when the run has nothing more to settle
 */
export async function settleWhileRunning(
  context: WorkerContext,
  batchId: string,
  end: AbortSignal,
): Promise<void> {
  await using repetitions = new Repetitions(context);
  try {
    await settleUntil(context, batchId, repetitions, AbortSignal.any([context.stop, end]));
    if (context.stop.aborted) await returnWaiting(context, batchId);
  } catch (error) {
    // Repetitions end before the failure is thrown.
    context.run.noteFailure(error);
    throw error;
  }
  await repetitions.end();
}

async function settleUntil(
  context: WorkerContext,
  batchId: string,
  repetitions: Repetitions,
  stop: AbortSignal,
): Promise<void> {
  const { journal, clock, settle } = context;
  const watch = new Watch(context);
  while (!stop.aborted) {
    repetitions.throwFailure();
    if (context.mayTransmit?.() === false) {
      await context.run.waitForWork(noRightPollMs, stop);
      continue;
    }
    const nowMs = clock.now();
    const horizonMs = nowMs + Math.max(settle.maxDelayMs, settle.firstDelayMs);
    const due = await journal.dueInquiries(nowMs, pageRows, batchId, horizonMs);
    const unseen = due.filter(({ payout }) => !isInProgress(context, payout.seq));
    const idle = await leaveOthersAlone(context, unseen);
    if (idle.length > 0) {
      await settleAll(context, idle, repetitions);
      continue;
    }
    if (context.isWatchedByAnother !== true && (await watch.step())) continue;
    const nextAtMs = (await journal.nextInquiryAtMs(batchId)) ?? nowMs + idleMs;
    const waitMs = due.length > 0 ? inFlightPollMs : Math.max(1, nextAtMs - nowMs);
    await context.run.waitForWork(Math.min(waitMs, idleMs), stop);
  }
}

/** Holds, at the end of a run, the rows that never reached the bank and waited for transfers to go on. */
async function returnWaiting(context: WorkerContext, batchId: string): Promise<void> {
  let afterSeq = 0;
  for (;;) {
    const page = await context.journal.inDoubt(afterSeq, pageRows, batchId);
    for (const one of await leaveOthersAlone(context, page)) {
      if (isInProgress(context, one.payout.seq)) continue;
      const current = await applyOnAttempt(context, one, (now, latest) =>
        decideReturn(caseOf(context, now, latest, [])),
      );
      if (current?.status === 'held') context.count(current);
    }
    const last = page.at(-1);
    if (last === undefined) return;
    afterSeq = last.payout.seq;
  }
}

/**
 * Repetitions of transfers: they run beside the questions, so that no question waits for them, and within the limit of
 * transfers at once.
 */
export class Repetitions implements AsyncDisposable {
  readonly #inLane: RunInTurn;
  readonly #underWay = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  readonly #run: RunState;

  constructor({ adaptiveLimits, run }: Pick<WorkerContext, 'adaptiveLimits' | 'run'>) {
    this.#inLane = adaptiveLimits.transfers.openLane();
    this.#run = run;
  }

  begin(work: () => Promise<void>): void {
    const task = this.#inLane(work)
      .catch((error: unknown) => {
        this.#failure ??= { error };
        // The part of the run that started it may be waiting for something else.
        this.#run.noteFailure(error);
        this.#run.notify();
      })
      .finally(() => this.#underWay.delete(task));
    this.#underWay.add(task);
  }

  /** @throws the failure of a repetition, once */
  throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /**
   * Waits for the repetitions under way.
   * @throws the failure of one of them
   */
  async end(): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.throwFailure();
  }

  /** Waits for the repetitions under way, without an error: a caller that already fails reports its own. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}

/**
 * Inquires about each of these once, each by the gate of its own payer account.
 * @param repetitions takes the attempts that may be sent again; left out: nothing is sent
 */
export async function settleAll(
  context: WorkerContext,
  inDoubt: readonly InDoubt[],
  repetitions?: Repetitions,
): Promise<void> {
  const limit = pLimit(context.transferConcurrency);
  const tasks = inDoubt.map((one) => limit(() => settleOne(context, one, repetitions)));
  await Promise.all(tasks);
  context.run.notify();
}

/**
 * Inquires once about everything in one of these states of doubt, due or not; of one batch when given. Sends nothing.
 * @param isLeftOut batches that their own run settles
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
    const meant = page.filter(
      ({ payout }) => (which === 'all' || payout.status === 'unresolved') && !isLeftOut(payout.batchId),
    );
    const wanted = await leaveOthersAlone(context, meant);
    await settleAll(context, wanted);
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

/**
 * Settles one row at a time over the whole process: of two inquiries at once, the later would decide on a state that
 * the earlier has changed.
 */
async function settleOne(context: WorkerContext, one: InDoubt, repetitions?: Repetitions): Promise<void> {
  const { seq } = one.payout;
  const { asking } = context;
  if (isInProgress(context, seq)) return;
  asking.add(seq);
  try {
    await askAbout(contextFor(context, one.attempt.order), one, repetitions);
  } finally {
    asking.delete(seq);
  }
}

async function askAbout(context: WorkerContext, one: InDoubt, repetitions?: Repetitions): Promise<void> {
  const { gate, settle } = context;
  const { attempt } = one;
  const { sameReference } = await readReference(context, one.payout, attempt);
  const inquired = await inquireAbout(context, attempt, sameReference);
  if (inquired === undefined) return;
  const { finding } = inquired;
  gate.noteAsked(attempt.order.transRefNo, isKnownToBank(finding));
  if (endsDoubt(one.payout, finding) && (await probeBeyond(context, one)) === 'blocked') return;
  const isToGoAgain = decideOn(context, one, inquired).sendAgain !== undefined;
  if (repetitions !== undefined && isToGoAgain && gate.mayRepeat(repetitionOf(attempt, settle))) {
    context.run.inFlight.add(one.payout.seq);
    repetitions.begin(() => sendAgain(context, one, inquired));
    return;
  }
  await keep(context, one, inquired, repetitions !== undefined);
}

const repetitionOf = (attempt: Attempt, { notFoundTrustMs }: SettlePolicy): Repetition => ({
  isUndelivered: countDelivered(attempt) === 0,
  notFoundTrustMs,
});

/** The bank's answer about an attempt in doubt, with the other attempts under its reference. */
interface AskedReference extends Inquired {
  readonly sameReference: readonly Attempt[];
}

async function inquireAbout(
  context: WorkerContext,
  attempt: Attempt,
  sameReference: readonly Attempt[],
): Promise<AskedReference | undefined> {
  const inquired = await inquire(context, attempt, sameReference, true);
  return inquired && { ...inquired, sameReference };
}

/** Decides on the inquiry in the present state, which may have changed during a wait. */
const decideOn = (
  context: WorkerContext,
  { payout, attempt }: InDoubt,
  { finding, facts, sameReference }: AskedReference,
) => decideInquiry(caseOf(context, payout, attempt, sameReference, facts), finding);

/**
 * Records an inquiry without sending.
 * @param isToGoAgain true: the attempt is sent again when transfers go on
 */
async function keep(
  context: WorkerContext,
  one: InDoubt,
  { finding, facts, sameReference }: AskedReference,
  isToGoAgain: boolean,
): Promise<void> {
  const { payout, attempt } = one;
  const endAs = (after: Payout | undefined) => toBrakeCount(context, findEndSignal(one, after, finding));
  const atMs = isToGoAgain
    ? context.gate.nextRepetitionAtMs(repetitionOf(attempt, context.settle))
    : undefined;
  const current = await recordLearnt(context, one, {
    finding,
    caseOf: (now, latest) => caseOf(context, now, latest, sameReference, facts),
    decide: (known) => {
      if (isOutOfDate(attempt, known.attempt, finding)) return undefined;
      const step = decideInquiry(known, finding);
      const change = atMs === undefined || step.keepUntil === undefined ? step.keep : step.keepUntil(atMs);
      return withEnd(change, endAs(change.after));
    },
  });
  const trouble = findPayersTrouble(finding);
  if (trouble !== undefined) await haltForPayer(context, attempt.order, trouble);
  const { xRequestId } = facts;
  const said = { xRequestId, finding: finding.kind, status: current?.status };
  context.log('info', 'inquired', { ...logFactsOf(payout, attempt), ...said });
  context.count(current);
  const isPaid = findEndForBrake(one, current);
  if (isPaid !== undefined) context.gate.observeSettled(isPaid);
  await noticeHaltByEnd(context, attempt.order, endAs(current));
}

/**
 * Sends the same attempt again, once the decision to do so is durable; the answer may have changed during the wait for
 * a turn. It is inquired again instead when the bank has completed, or may yet complete, another attempt of the
 * payoutId, or when the journal accepts no send of it, since its batch or account was halted.
 */
async function sendAgain(context: WorkerContext, one: InDoubt, inquired: AskedReference): Promise<void> {
  const { run, gate, settle, bankClock } = context;
  const pass = await gate.tryRepeat(repetitionOf(one.attempt, settle));
  let change: InquiryStep['sendAgain'];
  try {
    if (pass !== undefined)
      change = await recordAgain(context, one, decideOn(context, one, inquired).sendAgain);
    if (change === undefined) await keep(context, one, inquired, pass === undefined);
  } finally {
    if (change === undefined) {
      run.inFlight.delete(one.payout.seq);
      pass?.leave();
      run.notify();
    }
  }
  if (change === undefined || pass === undefined) return;
  const sent: InDoubt = { payout: afterChange(change), attempt: change.attempt };
  context.log('warn', 'sending the same attempt again', logFactsOf(sent.payout, sent.attempt));
  const recordOutcome = await sendAttempt(context, sent, pass, () =>
    mayBytesLeaveAgain(sent.attempt, settlePolicyOf(context), bankClock.read()),
  );
  await recordOutcome();
  run.notify();
}

/** Makes the send durable; undefined when it may not be sent, or the journal refuses it. */
async function recordAgain(
  context: WorkerContext,
  one: InDoubt,
  change: InquiryStep['sendAgain'],
): Promise<InquiryStep['sendAgain']> {
  context.reopened.delete(idOf(one.attempt.order.companyId, one.payout));
  if (change === undefined || (await readOthersOpen(context, one)).length > 0) return undefined;
  const batch = await context.journal.batch(one.payout.batchId);
  if (batch === undefined || !(await mayRepeatSigned(context, batch, one.payout, change.attempt.order)))
    return undefined;
  const [isApplied] = await context.journal.apply([change]);
  return isApplied === true ? change : undefined;
}

// ---------------------------------------------------------------- on demand

export interface Settled {
  /** Transfers that were in doubt. */
  readonly asked: number;
  /** Inquiries that showed something about their transfer. */
  readonly answers: number;
  /** Batches that are done as a result. */
  readonly ended: readonly string[];
}

interface SettleLimits {
  /** One batch; undefined: all batches. */
  readonly batchId: string | undefined;
  /** Time in ms to go on while the bank shows nothing. */
  readonly waitMs: number;
  /** Aborted by the run when that time is over; part of the context's `stop`. */
  readonly waitOver: AbortController;
}

/**
 * Inquires once about everything in doubt, and concludes batches that have nothing left to send. Does not wait for a
 * bank that shows nothing.
 */
export async function settleNow(context: WorkerContext, limits: SettleLimits): Promise<Settled> {
  const { batchId } = limits;
  const end = new AbortController();
  const { run } = context;
  const readWait = () => ({
    lastProgressAtMs: run.lastToldAtMs,
    nextInquiryAtMs: undefined,
    givesUpAtMs: run.lastToldAtMs + limits.waitMs,
  });
  const waiting = [endWaiting(context, limits, end.signal), reportWaits(context, readWait, end.signal)];
  const asking = settleOnce(context, 'all', batchId);
  await runWithBackground(context, asking, end, waiting);
  return { asked: await asking, answers: run.answers, ended: await endBatches(context, batchId) };
}

/** Inquires about one row, once, due or not; sends nothing. Leaves a row alone that another inquiry or a send has under way. */
export async function settleRow(context: WorkerContext, seq: number): Promise<void> {
  const page = await context.journal.inDoubt(seq - 1, 1);
  const own = page.filter(({ payout }) => payout.seq === seq);
  await settleAll(context, await leaveOthersAlone(context, own));
}

/** The inquiries requested from another process, which holds the right to send. */
interface OnRequestOptions {
  readonly batchId: string | undefined;
  /** Time in ms to go on while the bank shows nothing about any of them. */
  readonly waitMs: number;
  /** Time in ms after a transfer left during which its request may still be under way. */
  readonly timeoutMs: number;
  /** True for batches that the other process settles. */
  readonly isInProgress: (batchId: string) => boolean;
  readonly progress?: Progress | undefined;
}

interface SettledOnRequest extends Pick<Settled, 'asked' | 'answers'> {
  /** Transfers that it has not inquired about in that time. */
  readonly unasked: number;
  /** Transfers that are settled now. */
  readonly settled: number;
  /** Transfers still in doubt, including those that it does not settle. */
  readonly inDoubt: number;
  /** Batches of these transfers. */
  readonly batchIds: readonly string[];
}

type OnRequestContext = Pick<WorkerContext, 'journal' | 'clock' | 'settle'>;

/** Interval in ms of checks for the other process's inquiries. */
const onRequestPollMs = 500;

/**
 * Makes the sending process inquire now about everything in doubt, and waits until it has. Rows called unresolved are
 * left to its own `settle`, or to the next run.
 */
export async function settleOnRequest(
  context: OnRequestContext,
  limits: OnRequestOptions,
  end: AbortSignal,
): Promise<SettledOnRequest> {
  const { clock } = context;
  const sinceMs = clock.now();
  const { wanted, others } = await requestInquiries(context, limits, sinceMs);
  let waiting = wanted;
  let answers = 0;
  let progressAtMs = sinceMs;
  while (waiting.length > 0 && !end.aborted && clock.now() < progressAtMs + limits.waitMs) {
    const givesUpInMs = progressAtMs + limits.waitMs - clock.now();
    showAsked(limits.progress, wanted.length, waiting.length, givesUpInMs);
    await clock.sleep(onRequestPollMs, end);
    const before = waiting.length;
    const still: InDoubt[] = [];
    for (const one of waiting) {
      const asked = await readAsked(context, one, sinceMs);
      if (asked === 'not-yet') still.push(one);
      else if (asked === 'answered') answers += 1;
    }
    waiting = still;
    if (waiting.length < before) progressAtMs = clock.now();
  }
  let left = 0;
  for (const { payout } of wanted)
    if ((await context.journal.payout(payout.seq))?.status === 'submitted') left += 1;
  const unasked = waiting.length;
  const counts = { asked: wanted.length - unasked, unasked, answers, settled: wanted.length - left };
  const batchIds = [...new Set(wanted.map(({ payout }) => payout.batchId))];
  return { ...counts, inDoubt: left + others, batchIds };
}

/** Shows how many transfers the other process has inquired about, and that this one waits for it. */
function showAsked(
  progress: Progress | undefined,
  rowsTotal: number,
  rowsWaiting: number,
  givesUpInMs: number,
): void {
  const rowsDone = rowsTotal - rowsWaiting;
  progress?.show({ phase: 'inquiring', rowsDone, rowsTotal, inDoubt: rowsWaiting });
  progress?.showWait?.({ kind: 'answer', dueInMs: undefined, givesUpInMs, why: undefined });
}

/** @returns the doubts that are inquired about as a result, and the number of rows that are not */
async function requestInquiries(
  context: OnRequestContext,
  { batchId, timeoutMs, isInProgress: isAsked }: OnRequestOptions,
  nowMs: number,
): Promise<{ readonly wanted: readonly InDoubt[]; readonly others: number }> {
  const wanted: InDoubt[] = [];
  let others = 0;
  let afterSeq = 0;
  for (;;) {
    const page = await context.journal.inDoubt(afterSeq, pageRows, batchId);
    for (const one of page) {
      const { payout, attempt } = one;
      if ((attempt.lastSentAtMs ?? 0) + timeoutMs > nowMs) continue;
      if (payout.status !== 'submitted' || attempt.nextInquiryAtMs === null || !isAsked(payout.batchId)) {
        others += 1;
        continue;
      }
      wanted.push(one);
      await applyOnAttempt(context, one, (current, latest) =>
        decideAskNow({
          payout: current,
          attempt: latest,
          sameReference: [],
          policy: context.settle,
          nowMs,
          bankNowMs: undefined,
        }),
      );
    }
    const last = page.at(-1);
    if (last === undefined) return { wanted, others };
    afterSeq = last.payout.seq;
  }
}

/** The other process's progress with an attempt since. */
async function readAsked(
  context: Pick<WorkerContext, 'journal'>,
  { payout, attempt }: InDoubt,
  sinceMs: number,
): Promise<'answered' | 'nothing-said' | 'not-yet'> {
  const current = await context.journal.payout(payout.seq);
  if (current?.status !== 'submitted' || current.attemptNo !== payout.attemptNo) return 'answered';
  const latest = await readLatest(context, current, attempt);
  if ((latest.lastInquiryAtMs ?? 0) < sinceMs) return latest.sends === attempt.sends ? 'not-yet' : 'answered';
  return latest.lastFinding === 'nothing-said' ? 'nothing-said' : 'answered';
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
