/**
 * The circuit breaker of a payer account: it lets requests through while the account is open, makes them wait while it
 * is paused or the service is closed, lets one through as a probe when the pause is over, and refuses them when it is
 * halted. Halts and pauses are kept in the journal, so that every other run and process knows of them, the next run
 * begins with them, and an operator can end them.
 */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import type { Reason } from '../core/change.ts';
import type { Batch, BatchReason, Clock, Log } from '../core/ports.ts';
import { Signal } from '../platform/signal.ts';
import type { PayoutJournal } from './ports.ts';
import {
  afterEnd,
  type BrakePolicy,
  type BreakerState,
  closeBreaker,
  decideBreaker,
  decideOnInDoubt,
  fitPause,
  isPausing,
  openBreaker,
  takeUpPause,
} from './rules/circuit-breaker.ts';
import type { BreakerSignal } from './rules/read-reply.ts';
import { isOpen, mayBeginAtMs, type ServiceHours } from './rules/service-hours.ts';

/** Whose breaker it is: a batch's, or that of an order of it. */
export type Payer = Pick<Batch, 'companyId' | 'payerAccount'>;

/** What a process knows about one payer account: it outlives the runs, each of which has a gate of its own. */
export class PayerBreaker {
  state: BreakerState = openBreaker;
  isProbing = false;
  /** The pause that the journal knows of. */
  recordedPause: Pick<BreakerState, 'pausedAtMs' | 'pausedUntilMs'> | undefined;
  /** Fulfilled when the journal knows of the halt. */
  haltRecorded: Promise<void> | undefined;
  /** Notified whenever the state changes, so that waiters look again. */
  readonly changes = new Signal();

  become(next: BreakerState): void {
    const isNews = next.status !== this.state.status || next.pausedUntilMs !== this.state.pausedUntilMs;
    this.state = next;
    if (next.status !== 'halted') this.haltRecorded = undefined;
    if (isNews) this.changes.notify();
  }
}

interface GateOptions {
  readonly clock: Clock;
  readonly brake: BrakePolicy;
  /** Aborted when nothing new is to be begun. */
  readonly stop: AbortSignal;
  /** Shared by the runs of one process; one of its own when left out. */
  readonly breaker?: PayerBreaker | undefined;
  /** Transfers are sent only then; always when left out. */
  readonly hours?: ServiceHours | undefined;
}

/** How often those who wait behind a probe look whether it has ended, should no news reach them. */
const probePollMs = 1_000;
/** How often those who wait for a pause to end look at the clock, which may have been set or have slept. */
const pausePollMs = 60_000;

/** The way of one run through the breaker of its payer account. */
export class BreakerGate {
  readonly breaker: PayerBreaker;
  /** A halt that concerns this run: of its batch, or one that the journal keeps. */
  #runHalt: BatchReason | undefined;
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
    this.breaker = options.breaker ?? new PayerBreaker();
    options.stop.addEventListener('abort', () => this.breaker.changes.notify(), { once: true });
  }

  get #nowMs(): number {
    return this.#options.clock.now();
  }

  /** The state for a transfer now: paused, too, while the service is closed. */
  get state(): BreakerState {
    const state = this.#look();
    const { opensAtMs } = this;
    return opensAtMs === undefined ? state : closeBreaker(state, opensAtMs);
  }

  /** True when the service closes at times. */
  get hasHours(): boolean {
    return this.#options.hours !== undefined;
  }

  /** True while a transfer would have to wait: the account is paused, or the service closed. */
  get isPausing(): boolean {
    return isPausing(this.state, this.#nowMs);
  }

  /** True while a transfer would have to wait for longer than any question: nobody who asks waits for it, too. */
  get isShut(): boolean {
    const { status, pausedUntilMs } = this.state;
    return status === 'paused' && pausedUntilMs - this.#nowMs > pausePollMs;
  }

  /** When the service opens, while it is closed or about to close. */
  get opensAtMs(): number | undefined {
    const { hours } = this.#options;
    const nowMs = this.#nowMs;
    const opensAtMs = hours === undefined ? nowMs : mayBeginAtMs(hours, nowMs);
    return opensAtMs > nowMs ? opensAtMs : undefined;
  }

  /** True unless the service is closed: bytes of a transfer may leave. */
  get isServiceOpen(): boolean {
    const { hours } = this.#options;
    return hours === undefined || isOpen(hours, this.#nowMs);
  }

  /**
   * Waits until a request may go. Inquiries pass a halted account and a closed service (`passHalted`): they move no
   * money. `go` must be followed by `leave`; `halted` and `stopped` mean that nothing may be sent.
   */
  async enter(passHalted = false): Promise<'go' | 'halted' | 'stopped'> {
    const { breaker } = this;
    const { clock, stop } = this.#options;
    for (;;) {
      if (stop.aborted) return 'stopped';
      const state = passHalted ? this.#look() : this.state;
      if (state.status === 'open') return 'go';
      if (state.status === 'halted') return passHalted ? 'go' : 'halted';
      const waitMs = (passHalted ? state.questionsUntilMs : state.pausedUntilMs) - clock.now();
      if (waitMs <= 0 && !breaker.isProbing) {
        breaker.isProbing = true;
        return 'go';
      }
      await clock.sleep(waitMs <= 0 ? probePollMs : Math.min(waitMs, pausePollMs), breaker.changes.next);
    }
  }

  /** Tells the breaker what came of a request that went through, if any did; a probe has ended with it. */
  leave(signal: BreakerSignal = { kind: 'nothing' }): void {
    const { breaker } = this;
    const wasProbing = breaker.isProbing;
    breaker.isProbing = false;
    this.observe(signal);
    // One after the other: inquiries go on while transfers have trouble, and nobody sleeps over the end of a probe.
    if (wasProbing) breaker.changes.notify();
  }

  /** Tells the breaker what was learnt otherwise, as from an inquiry: no request has ended with it. */
  observe(signal: BreakerSignal): void {
    this.breaker.become(decideBreaker(this.breaker.state, signal, this.#options.brake, this.#nowMs));
  }

  /** Tells the breaker what an inquiry has ended. */
  observeSettled(isPaid: boolean): void {
    this.breaker.become(afterEnd(this.breaker.state, isPaid, this.#options.brake));
  }

  /** True for a number of transfers in doubt that halts the account. */
  isTooMuchDoubt(inDoubt: number): boolean {
    return inDoubt >= this.#options.brake.inDoubtMax;
  }

  /** Halts when too many transfers are in doubt at once. */
  observeInDoubt(inDoubt: number): void {
    this.breaker.become(decideOnInDoubt(this.breaker.state, inDoubt, this.#options.brake));
  }

  /** A halt of this run's batch, or one that another process or an earlier run has recorded. */
  haltFor(why: BatchReason): void {
    this.#runHalt = why;
    this.breaker.changes.notify();
  }

  /** An operator has lifted the halt; what was counted before it is forgotten. */
  reopen(): void {
    this.#runHalt = undefined;
    const { state } = this.breaker;
    const forgiven = { ...state, consecutiveFailures: 0, ends: [] };
    this.breaker.become(state.status === 'halted' ? openBreaker : forgiven);
    this.breaker.changes.notify();
  }

  /** Waits until the breaker changes, the time is over, or the signal aborts. */
  async waitForNews(ms: number, end: AbortSignal): Promise<void> {
    const until = AbortSignal.any([this.breaker.changes.next, end]);
    if (!until.aborted) await this.#options.clock.sleep(ms, until);
  }

  /** The breaker's own state, a pause fitted to a clock that may have been set back. */
  #look(): BreakerState {
    const { breaker } = this;
    const fitted = fitPause(breaker.state, this.#nowMs);
    if (fitted !== breaker.state) breaker.become(fitted);
    return this.#runHalt === undefined ? fitted : { ...fitted, status: 'halted', why: this.#runHalt };
  }
}

interface BreakerContext {
  readonly journal: PayoutJournal;
  readonly clock: Clock;
  readonly gate: BreakerGate;
  readonly log: Log;
}

// ---------------------------------------------------------------- halts, as the journal keeps them

/**
 * Records that the payer account is halted, if this process has halted it: no intent is recorded for it any more until
 * an operator resumes. Resolves when it is recorded, whoever does so.
 */
export async function recordHalt(
  { journal, clock, gate: { breaker }, log }: BreakerContext,
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { status, why } = breaker.state;
  if (status !== 'halted' || why === null) return;
  const record = async (): Promise<void> => {
    if ((await journal.payerHalt(companyId, payerAccount)) !== undefined) return;
    await journal.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: clock.now() });
    log('error', 'the line is halted', { code: why.code, reason: why.reason, remedy: why.remedy });
  };
  breaker.haltRecorded ??= record().catch((error: unknown) => {
    // The next to look records it.
    breaker.haltRecorded = undefined;
    throw error;
  });
  await breaker.haltRecorded;
}

/** Why the batch or its account is halted, as the journal has it now; undefined when an operator has resumed it since. */
export async function findHalt(
  { journal }: Pick<BreakerContext, 'journal'>,
  batch: Batch,
): Promise<BatchReason | undefined> {
  const halt = await journal.payerHalt(batch.companyId, batch.payerAccount);
  if (halt !== undefined) return halt;
  const current = await journal.batch(batch.batchId);
  return current?.status === 'running' ? undefined : haltOf(current ?? batch);
}

/** When somebody else has halted the batch or its account, this run stops sending too. */
export async function noticeHalt(context: BreakerContext, batch: Batch): Promise<void> {
  const why = await findHalt(context, batch);
  if (why !== undefined) context.gate.haltFor(why);
}

/** Why the batch itself was halted, by an operator or by a halt that has since been lifted for another batch. */
export function haltOf(batch: Batch): BatchReason {
  return {
    code: batch.reasonCode ?? 'halted',
    reason: batch.reason ?? 'the batch was halted',
    remedy: batch.remedy ?? 'Resume the batch when the cause is mended',
  };
}

// ---------------------------------------------------------------- pauses, as the journal keeps them

/**
 * Takes the breaker as the journal has it when a run begins: the pause of an earlier run goes on, and what an operator
 * has lifted since is open.
 */
export async function takeUpBreaker({ journal, gate, clock }: BreakerContext, payer: Payer): Promise<void> {
  const { breaker } = gate;
  // Until it is recorded, whoever has halted it is about to record it.
  if (breaker.state.status === 'halted' && breaker.haltRecorded !== undefined) {
    await breaker.haltRecorded;
    const halt = await journal.payerHalt(payer.companyId, payer.payerAccount);
    if (halt === undefined && breaker.state.status === 'halted') gate.reopen();
  }
  const pause = await journal.payerPause(payer.companyId, payer.payerAccount);
  if (pause === undefined) {
    if (breaker.recordedPause !== undefined && breaker.state.status === 'paused') breaker.become(openBreaker);
    breaker.recordedPause = undefined;
  } else if (breaker.state.status === 'open') {
    breaker.recordedPause = { pausedAtMs: pause.sinceMs, pausedUntilMs: pause.untilMs };
    breaker.become(takeUpPause(breaker.state, pause, clock.now()));
  }
}

/** Records what has become of the pause, if it is not what the journal knows. */
export async function recordPause(
  { journal, gate: { breaker }, log }: BreakerContext,
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { status, why, pausedAtMs, pausedUntilMs, troubles, isTransferTrouble } = breaker.state;
  const recorded = breaker.recordedPause;
  if (status === 'open' && recorded !== undefined) {
    breaker.recordedPause = undefined;
    await journal.clearPayerPause(companyId, payerAccount);
    log('info', 'the line goes on', {});
  }
  if (status !== 'paused' || why === null) return;
  if (recorded?.pausedAtMs === pausedAtMs && recorded.pausedUntilMs === pausedUntilMs) return;
  breaker.recordedPause = { pausedAtMs, pausedUntilMs };
  const times = { sinceMs: pausedAtMs, untilMs: pausedUntilMs };
  const pause = { ...why, troubles, isTransfer: isTransferTrouble, ...times };
  await journal.recordPayerPause({ companyId, payerAccount, ...pause });
  const { code, reason } = why;
  log('warn', 'the line is paused', { code, reason, forMs: pausedUntilMs - pausedAtMs });
}

/** How often it is looked, while the account is paused, whether an operator has ended the pause. */
const clearedPollMs = 5_000;
/** How often it is looked whether the service has opened or closed. */
const hoursPollMs = 60_000;
/** An open account waits for news alone. */
const idleMs = 24 * 3_600_000;

/** Records every pause as it begins and ends, and sees what an operator does meanwhile, until told to end. */
export async function keepPauseRecorded(
  context: BreakerContext,
  batch: Batch,
  end: AbortSignal,
): Promise<void> {
  const { gate } = context;
  let reportedMs: number | undefined;
  while (!end.aborted) {
    const { opensAtMs } = gate;
    if (opensAtMs !== reportedMs) reportHours(context, opensAtMs);
    reportedMs = opensAtMs;
    const isPaused = gate.breaker.state.status === 'paused';
    const waitMs = isPaused ? clearedPollMs : gate.hasHours ? hoursPollMs : idleMs;
    // Begun before anything is awaited, so that no news is missed.
    const news = gate.waitForNews(waitMs, end);
    await recordPause(context, batch);
    await news;
    await endClearedPause(context, batch);
    // Rows that wait for the account meet no guard that would tell them of an operator's word.
    if (gate.state.status === 'paused') await noticeHalt(context, batch);
  }
  await recordPause(context, batch);
}

function reportHours({ log }: BreakerContext, opensAtMs: number | undefined): void {
  if (opensAtMs === undefined) log('info', 'the service is open', {});
  else log('warn', 'the service is closed', { opensAt: formatBangkokDateTime(opensAtMs) });
}

/** An operator who resumes knows that the service is back: the next transfer tries at once. */
async function endClearedPause({ journal, gate, clock }: BreakerContext, payer: Payer): Promise<void> {
  const { breaker } = gate;
  if (breaker.recordedPause === undefined || breaker.state.status !== 'paused') return;
  if ((await journal.payerPause(payer.companyId, payer.payerAccount)) !== undefined) return;
  const nowMs = clock.now();
  breaker.recordedPause = undefined;
  breaker.become({ ...breaker.state, pausedAtMs: nowMs, pausedUntilMs: nowMs, questionsUntilMs: nowMs });
}

/** The payer's trouble that an inquiry has shown halts the account as it does in a reply. */
export async function haltForPayer(context: BreakerContext, payer: Payer, reason: Reason): Promise<void> {
  context.gate.observe({ kind: 'payer-stop', reason });
  await recordHalt(context, payer);
}
