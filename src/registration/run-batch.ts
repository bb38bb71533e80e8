/** Sends one sealed batch of registrations, awaits the bank's callbacks, and records why it stopped where it did. */
import { inEnglish, message, stopInEnglish } from '../core/message.ts';
import {
  findHalt,
  haltOf,
  persistPauses,
  recordHalt,
  type Payer,
  recordPause,
  restoreBreaker,
} from '../payout/circuit-breaker.ts';
import { runWithBackground } from '../payout/context.ts';
import type { RunEnd, RunLimits } from '../payout/run-batch.ts';
import { describeIdleShare } from '../payout/rules/brake.ts';
import { isInQuestion, showDate } from '../payout/rules/lost-journal.ts';
import { forEachBounded } from '../platform/bounded.ts';
import { conclude, hasHeld } from './conclude.ts';
import { type RegistrationContext, serviceBreaker } from './context.ts';
import type { RegistrationBatch, RegistrationTotal, RegistrationRow } from './ports.ts';
import { servicePayer, companyPayer } from './rules/intent.ts';
import type { Registration, RegistrationInstruction } from './rules/registration.ts';
import { submitRegistration } from './submit.ts';
import { keepSweeping, sweepAbandoned } from './sweep.ts';

/** Sends a sealed batch as far as possible now, and awaits its outcomes. */
export async function runRegistrations(
  context: RegistrationContext,
  batch: RegistrationBatch,
  limits: RunLimits,
): Promise<RunEnd> {
  await sweepAbandoned(context, context.inFlight);
  const idleShare =
    batch.status === 'sealed' ? describeIdleShare(context.service.brake, batch.rows) : undefined;
  if (idleShare !== undefined) context.log('warn', idleShare, { batchId: batch.batchId });
  await startRunning(context, batch, limits);
  const ends = new AbortController();
  const { signal } = ends;
  const breaker = serviceBreaker(context, batch);
  const beside = [
    watchTheWait(context, batch, limits, signal),
    persistPauses(breaker.context, breaker.batch, signal),
    keepSweeping(context, async () => context.run.notify(), signal),
  ];
  await runWithBackground(context, sendUntilEnded(context, batch), ends, beside);
  // The process that has the right to send now continues and concludes the batch.
  if (context.mayTransmit?.() === false) return 'interrupted';
  await recordHalt(breaker.context, breaker.batch);
  await recordPause(breaker.context, breaker.batch);
  const isInterrupted = limits.interrupted.aborted;
  await conclude(context, batch, isInterrupted);
  return isInterrupted ? 'interrupted' : 'rested';
}

/** Sends nothing under a halt that a person must lift, or a pause longer than the wait; sent rows are awaited. */
async function startRunning(
  context: RegistrationContext,
  batch: RegistrationBatch,
  { isPatient = false, waitMs }: RunLimits,
): Promise<void> {
  const { journal, clock, service } = context;
  const payer = servicePayer(batch.companyId);
  await haltAfterLoss(context, payer);
  // A batch that a person has cancelled or halted since the read stays so.
  if (batch.status !== 'halted')
    await journal.moveRegistrationBatch(batch.batchId, 'running', null, clock.now(), batch);
  const standing = (await journal.registrationBatch(batch.batchId)) ?? batch;
  const stop = await journal.payerHalt(payer.companyId, payer.payerAccount);
  const why = stop ?? (standing.status === 'halted' ? haltOf(standing) : undefined);
  await restoreBreaker({ ...context, gate: service }, payer);
  if (why !== undefined) service.haltFor(why);
  const isInVain = !isPatient && pausesBeyond(context, clock.now() + waitMs);
  if (why === undefined && !isInVain)
    await journal.liftRegistrationHolds(batch.batchId, ['paused'], clock.now());
}

const lossCode = 'journal-lost';

/**
 * Halts after a loss: rows sent in the lost part of the journal may await callbacks, and the bank cannot be asked about
 * them. Nothing is sent until a person, who has asked the bank, resumes. Once for each loss.
 */
async function haltAfterLoss({ journal, clock, log }: RegistrationContext, payer: Payer): Promise<void> {
  const { companyId, payerAccount } = payer;
  const loss = await journal.loss();
  if (!isInQuestion(loss)) return;
  if (await journal.wasHaltedFor(companyId, payerAccount, lossCode, loss.recoveredAtMs)) return;
  const days = { first: showDate(loss.sinceDate), last: showDate(loss.untilDate) };
  const why = {
    code: lossCode,
    reason: message('payer.registrations-lost', days),
    remedy: message('payer.cancel-lost-registrations'),
  };
  await journal.recordPayerHalt({ ...payer, ...why, sinceMs: Math.max(clock.now(), loss.recoveredAtMs) });
  log('error', 'direct debit halted', stopInEnglish(why));
}

/** True while the service is paused beyond a moment: nothing is sent before it. */
function pausesBeyond({ service }: RegistrationContext, momentMs: number): boolean {
  const { status, pausedUntilMs } = service.state;
  return status === 'paused' && pausedUntilMs > momentMs;
}

// ---------------------------------------------------------------- sending

const pageRows = 500;
/** Interval of looks for callbacks, and for held rows that a person has released. */
const outcomePollMs = 500;
/** The same while the service is paused and nothing is awaited. */
const pausePollMs = 5_000;

/** Sends rows again and again, until none is left to send and none is awaited. */
async function sendUntilEnded(context: RegistrationContext, batch: RegistrationBatch): Promise<void> {
  const { journal, service, run, stop, clock } = context;
  const { batchId } = batch;
  const breaker = serviceBreaker(context, batch);
  for (;;) {
    run.isSending = true;
    await sendReadyRows(context, batch);
    run.isSending = false;
    if (stop.aborted) return;
    await context.bindKept?.();
    const isHalted = service.state.status === 'halted';
    if (isHalted) {
      await recordHalt(breaker.context, breaker.batch);
      if ((await findHalt(breaker.context, breaker.batch)) === undefined) {
        await journal.liftRegistrationHolds(batchId, ['halted'], clock.now());
        context.doubts.clear();
        service.reopen();
        continue;
      }
    }
    const isPaused = context.isPaused?.() === true;
    const isWaiting = isPaused || service.isPausing;
    const mayGoOn = !isHalted && !isWaiting;
    if (mayGoOn && (await journal.liftRegistrationHolds(batchId, ['paused'], clock.now())) > 0) continue;
    const isEnded = run.inFlight.size === 0 && (await journal.countAwaitedRegistrations(batchId)) === 0;
    if (isEnded && (isHalted || !(isWaiting && (await isAnyToSend(context, batch))))) return;
    await run.waitForWork(isEnded ? pausePollMs : outcomePollMs, stop);
  }
}

async function isAnyToSend(
  { journal }: RegistrationContext,
  { batchId }: RegistrationBatch,
): Promise<boolean> {
  const [ready] = await journal.readyRegistrations(batchId, 0, 1);
  return ready !== undefined || (await hasHeld(journal, batchId, 'paused'));
}

/** One pass over the ready rows, in input order, with a bounded number of them under way. */
async function sendReadyRows(context: RegistrationContext, batch: RegistrationBatch): Promise<void> {
  const inLane = context.limit.openLane();
  const rowsMax = context.limit.state.ceiling * 2;
  await forEachBounded(
    readyRows(context, batch),
    () => rowsMax,
    (registration) => submitRegistration(context, registration, batch, inLane),
    (error) => context.run.noteFailure(error),
  );
}

async function* readyRows(
  context: RegistrationContext,
  { batchId }: RegistrationBatch,
): AsyncGenerator<Registration> {
  const { journal, stop, service } = context;
  const brake = new OutcomeBrake(context, batchId);
  let afterRowNo = 0;
  for (;;) {
    const page = await journal.readyRegistrations(batchId, afterRowNo, pageRows);
    for (const registration of page) {
      if (stop.aborted || context.isPaused?.() === true) return;
      if (service.state.status === 'halted') return;
      await brake.look();
      yield registration;
      afterRowNo = registration.rowNo;
    }
    if (page.length < pageRows) return;
  }
}

/** Least time between two looks of the brake, so that a long file costs no more. */
const brakeLookEveryMs = 500;
/** Latest ends of a company that are considered. */
const companyEndsMax = 100;

/**
 * The brake on rejections by callback. A company's breaker sees the bank's answers at once; a bank that takes every
 * registration and rejects each a moment later shows only in the journal, whichever process takes the callbacks.
 */
class OutcomeBrake {
  readonly #context: RegistrationContext;
  readonly #batchId: string;
  readonly #sinceMs: number;
  #lookedAtMs = -Infinity;
  #refusedRows = 0;

  /** Counts from now on: the person who lets a batch go on has looked at earlier rejections. */
  constructor(context: RegistrationContext, batchId: string) {
    this.#context = context;
    this.#batchId = batchId;
    this.#sinceMs = context.clock.now();
  }

  /** Halts a company after as many rejections in a row as the brake allows, without a registration in between. */
  async look(): Promise<void> {
    const { journal, clock } = this.#context;
    const nowMs = clock.now();
    if (nowMs - this.#lookedAtMs < brakeLookEveryMs && nowMs >= this.#lookedAtMs) return;
    this.#lookedAtMs = nowMs;
    const refusedRows = countRefused(await journal.registrationTotals(this.#batchId));
    if (refusedRows === this.#refusedRows) return;
    this.#refusedRows = refusedRows;
    const statuses = ['registered', 'refused'] as const;
    const filter = { batchId: this.#batchId, statuses };
    const rows = await journal.searchRegistrations(filter, Number.MAX_SAFE_INTEGER, companyEndsMax);
    for (const [key, ends] of groupByCompany(rows, this.#sinceMs)) this.#brake(key, ends);
  }

  #brake(company: string, ends: readonly End[]): void {
    const [first] = ends;
    if (first === undefined) return;
    const { consecutiveRefusalsMax, companyId, gateOf } = this.#context;
    const inARow = ends.findLastIndex(({ isRegistered }) => isRegistered);
    const refusals = ends.length - 1 - inARow;
    if (refusals < consecutiveRefusalsMax) return;
    const [vendorId = '', ofCompany = ''] = company.split(' ');
    const payer = companyPayer(companyId, { vendorId, companyId: ofCompany });
    const said = { count: refusals, company: `${vendorId}/${ofCompany}` };
    const text = message('brake.rejected-by-callback', said);
    gateOf(payer).observe({ kind: 'payer-stop', reason: { code: 'brake-rejected', text } });
  }
}

interface End {
  readonly isRegistered: boolean;
  readonly atMs: number;
}

function countRefused(totals: readonly RegistrationTotal[]): number {
  return totals.find(({ status }) => status === 'refused')?.rows ?? 0;
}

const nameCompany = ({ vendorId, companyId }: RegistrationInstruction): string => `${vendorId} ${companyId}`;

/** The ends of each company since a moment, in order. */
function groupByCompany(rows: readonly RegistrationRow[], sinceMs: number): Map<string, readonly End[]> {
  const ends = new Map<string, End[]>();
  for (const { currentInstruction, status, settledAtMs } of rows) {
    if (currentInstruction === null || settledAtMs === null || settledAtMs < sinceMs) continue;
    const key = nameCompany(currentInstruction);
    const known = ends.get(key) ?? [];
    known.push({ isRegistered: status === 'registered', atMs: settledAtMs });
    ends.set(key, known);
  }
  for (const known of ends.values()) known.sort((one, other) => one.atMs - other.atMs);
  return ends;
}

// ---------------------------------------------------------------- waiting

/** Interval at which the end of the wait, and the rows' standing, are checked. */
const waitPollMs = 500;

/**
 * Ends the run when there was no progress for the time of `--wait`, or when there can be none before it is over. While the
 * service takes rows, the wait does not count: `--wait 0` sends them all.
 */
async function watchTheWait(
  context: RegistrationContext,
  batch: RegistrationBatch,
  limits: RunLimits,
  end: AbortSignal,
): Promise<void> {
  const { run, clock, journal, service } = context;
  let shown = '';
  while (!end.aborted) {
    const totals = await journal.registrationTotals(batch.batchId);
    const now = describeTotals(totals);
    const isWaitedOut = limits.isPatient === true && (await isWaitingToSend(context, batch));
    // This machine's clock was set back: the wait is counted from now.
    if (now !== shown || isWaitedOut || run.lastProgressAtMs > clock.now()) run.noteProgress();
    if (now !== shown) context.report(totals);
    shown = now;
    const endsAtMs = run.lastProgressAtMs + limits.waitMs;
    const leftMs = endsAtMs - clock.now();
    const isMoving = run.isSending && service.state.status === 'open';
    const isInVain =
      !isWaitedOut && pausesBeyond(context, endsAtMs) && (await isNothingAwaited(context, batch));
    if (!isMoving && (leftMs <= 0 || isInVain)) {
      limits.waitOver.abort();
      break;
    }
    tellWait(context, leftMs, totals);
    await service.waitForNews(service.isPausing ? pausePollMs : waitPollMs, end);
  }
  context.reportWait?.(undefined);
  context.report(await journal.registrationTotals(batch.batchId));
}

const describeTotals = (totals: readonly RegistrationTotal[]): string =>
  totals.map(({ status, rows, alarmRows }) => `${status} ${rows} ${alarmRows}`).join();

async function isWaitingToSend(context: RegistrationContext, batch: RegistrationBatch): Promise<boolean> {
  const isWaiting = context.isPaused?.() === true || context.service.isPausing;
  return isWaiting && (context.run.isSending || (await isAnyToSend(context, batch)));
}

async function isNothingAwaited({ journal, run }: RegistrationContext, { batchId }: RegistrationBatch) {
  return run.inFlight.size === 0 && (await journal.countAwaitedRegistrations(batchId)) === 0;
}

/** Reports what the run waits for: the end of a pause, or callbacks. */
function tellWait(
  { reportWait, service, run, clock }: RegistrationContext,
  givesUpInMs: number,
  totals: readonly RegistrationTotal[],
): void {
  if (reportWait === undefined) return;
  if (service.isPausing) {
    const { pausedUntilMs, why } = service.state;
    const dueInMs = Math.max(0, pausedUntilMs - clock.now());
    reportWait({ kind: 'pause', dueInMs, givesUpInMs, why: why?.reason && inEnglish(why.reason) });
    return;
  }
  const isAwaited = totals.some(
    ({ status, rows }) => rows > 0 && (status === 'acknowledged' || status === 'in-doubt'),
  );
  const isWaiting = !run.isSending && isAwaited;
  reportWait(isWaiting ? { kind: 'callback', dueInMs: undefined, givesUpInMs, why: undefined } : undefined);
}
