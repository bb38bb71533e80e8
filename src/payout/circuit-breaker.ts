/**
 * The circuit breaker of a payer account. It passes requests while the account is open, lets them wait while it is
 * paused or the service is closed, passes one as a probe when the pause is over, and refuses them when it is halted.
 * Transfers and questions have a state and a probe each. The journal stores halts, and pauses of transfers: every other
 * run and process knows of them, the next run begins with them, and an operator can end them.
 */
import { message, stopInEnglish } from '../core/message.ts';
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import type { Reason } from '../core/change.ts';
import type { Batch, BatchReason, Clock, Log } from '../core/ports.ts';
import { Signal } from '../platform/signal.ts';
import type { PayerBreakerStore } from './ports.ts';
import { type BrakePolicy, noEnds } from './rules/brake.ts';
import {
  afterEnd,
  afterUnansweredKnown,
  type BreakerState,
  closeBreaker,
  computeNextRepetitionAtMs,
  decideOnInDoubt,
  decidePayer,
  fitPause,
  holdBack,
  isAnswer,
  isPausing,
  mayRepeat,
  openBreaker,
  openPayer,
  type PayerState,
  type Repetition,
  type RequestKind,
  restorePause,
  waitForOpening,
} from './rules/circuit-breaker.ts';
import { type ClockReading, findDayTrouble } from './rules/clock-skew.ts';
import type { BreakerSignal } from './rules/read-reply.ts';
import { isUnrecorded, type KnownPause } from './rules/shared-pause.ts';
import { isOpen, mayBeginByBothAtMs, type ServiceHours } from './rules/service-hours.ts';
import { type SharedPause, sharedPollMs } from './shared-pause.ts';

/** The owner of a breaker: the payer account of a batch or of an order. */
export type Payer = Pick<Batch, 'companyId' | 'payerAccount'>;

/** The state of one payer account in a process. It outlives the runs; each run has its own gate. */
export class PayerBreaker {
  both: PayerState = openPayer;
  /** True while a request of the kind is out as a probe; the request that took the slot frees it. */
  readonly isProbing: Record<RequestKind, boolean> = { transfers: false, questions: false };
  /**
   * Transfers without an answer that have not been inquired since, by reference, with the time at which they were given
   * up. They are inquired before another transfer probes the bank.
   */
  readonly unasked = new Map<string, number>();
  /** The same transfers until the bank is known to have them: news of one shows that transfers arrive. */
  readonly unanswered = new Set<string>();
  /** Number of transfers that the bank has answered, with any result. */
  answered = 0;
  /** The pause as the journal has it. */
  recordedPause: KnownPause | undefined;
  /** Fulfilled when the journal has the halt. */
  haltRecorded: Promise<void> | undefined;
  /** True when this process has seen the journal's halt, caused by any machine. */
  isHaltedForAll = false;
  /** True while this machine has the turn to probe, and has not told the others the result. */
  isProbingForAll = false;
  /** End of the wait for another machine's probe, by a clock that cannot be set. */
  probeAgainAtMs = 0;
  /** Notifies waiters of every change of state. */
  readonly changes = new Signal();

  /** State of the transfers, which halts or pauses the account. */
  get state(): BreakerState {
    return this.both.transfers;
  }

  become(transfers: BreakerState): void {
    this.becomeBoth({ ...this.both, transfers });
  }

  becomeBoth(next: PayerState): void {
    const before = this.both;
    const kinds: readonly RequestKind[] = ['transfers', 'questions'];
    const isNews = kinds.some(
      (kind) =>
        next[kind].status !== before[kind].status || next[kind].pausedUntilMs !== before[kind].pausedUntilMs,
    );
    this.both = next;
    if (next.transfers.status !== 'halted') this.haltRecorded = undefined;
    if (isNews) this.changes.notify();
  }
}

/** The right to make one request; it must be returned once. */
export interface Pass {
  readonly kind: 'go';
  /** True for a probe, which passes a paused account. */
  readonly isProbe: boolean;
  /** Returns the pass, with the result of the request if it was made. */
  readonly leave: (signal?: BreakerSignal) => void;
}

/** `halted` and `stopped`: nothing may be sent. */
type Entry = Pass | { readonly kind: 'halted' | 'stopped' };

interface GateOptions {
  readonly clock: Clock;
  readonly brake: BrakePolicy;
  /** Aborted when no new work may begin. */
  readonly stop: AbortSignal;
  /** Shared by the runs of one process; left out: a new one. */
  readonly breaker?: PayerBreaker | undefined;
  /** Hours in which transfers are sent; left out: always. */
  readonly hours?: ServiceHours | undefined;
  /** Set when several machines use the account: its pause holds for all, and one of them probes at a time. */
  readonly shared?: SharedPause | undefined;
  /** Our clock and the bank's: no transfer begins while their days differ. Left out: the bank's is unknown. */
  readonly clocks?: (() => ClockReading) | undefined;
}

/** Interval in ms at which waiters behind a probe check whether it has ended, in case no notice reaches them. */
const probePollMs = 5_000;
/** Interval in ms at which waiters for the end of a pause check the clock, which may have been set or have slept. */
const pausePollMs = 60_000;
/** Longest time in ms for which an uninquired transfer delays other transfers. */
const unaskedMaxMs = 60_000;
/** Most transfers remembered at once; an outage leaves far fewer unanswered, or the brake on doubt halts. */
const unansweredMax = 10_000;

/** The gate through which one run passes the breaker of its payer account. */
export class BreakerGate {
  readonly breaker: PayerBreaker;
  readonly brake: BrakePolicy;
  /** Halt of this run: of its batch, or one that the journal has. */
  #runHalt: BatchReason | undefined;
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
    this.brake = options.brake;
    this.breaker = options.breaker ?? new PayerBreaker();
    options.stop.addEventListener('abort', () => this.breaker.changes.notify(), { once: true });
  }

  get #nowMs(): number {
    return this.#options.clock.now();
  }

  /** Both clocks; the bank's is unknown when no one tells it. */
  get #clocks(): ClockReading {
    return this.#options.clocks?.() ?? { nowMs: this.#nowMs, bankNowMs: undefined };
  }

  /** Present state for a transfer; also paused while the service is closed. */
  get transfers(): BreakerState {
    const state = this.#look('transfers');
    const { opensAtMs } = this;
    const open = opensAtMs === undefined ? state : closeBreaker(state, opensAtMs);
    const day = findDayTrouble(this.#clocks);
    return day === undefined ? open : holdBack(open, day.why, day.untilMs);
  }

  /** State that delays rows: that of the transfers, or a pause of the questions that precede them. */
  get state(): BreakerState {
    const { transfers } = this;
    const questions = this.#look('questions');
    return transfers.status === 'open' && isPausing(questions, this.#nowMs) ? questions : transfers;
  }

  /** True while questions are not asked. */
  get isSilent(): boolean {
    return isPausing(this.#look('questions'), this.#nowMs);
  }

  /** True when the service has closing hours. */
  get hasHours(): boolean {
    return this.#options.hours !== undefined;
  }

  /** True while rows would have to wait: the account is paused, or the service is closed. */
  get isPausing(): boolean {
    return isPausing(this.state, this.#nowMs);
  }

  /** Time of the next opening, while the service is closed or about to close. */
  get opensAtMs(): number | undefined {
    const { hours } = this.#options;
    const clocks = this.#clocks;
    const { nowMs } = clocks;
    const opensAtMs = hours === undefined ? nowMs : mayBeginByBothAtMs(hours, clocks);
    return opensAtMs > nowMs ? opensAtMs : undefined;
  }

  /** True unless the service is closed, so that bytes of a transfer may leave. */
  get isServiceOpen(): boolean {
    const { hours } = this.#options;
    return hours === undefined || isOpen(hours, this.#nowMs);
  }

  /** Waits until a transfer may go. */
  async enter(): Promise<Entry> {
    for (;;) {
      const { transfers } = this;
      const entry = this.#tryEnter('transfers', transfers);
      if (entry?.kind === 'go' && entry.isProbe && !(await this.#takeProbe(entry))) continue;
      if (entry !== undefined) return entry;
      await this.#wait(transfers.pausedUntilMs);
    }
  }

  /** Waits until a question may go. `passHalted` passes a halted account and closed hours: inquiries move no money. */
  async ask(passHalted = false): Promise<Entry> {
    for (;;) {
      if (this.#options.stop.aborted) return stopped;
      if (!passHalted && this.transfers.status === 'halted') return halted;
      const questions = this.#look('questions');
      const opensAtMs = passHalted ? undefined : this.opensAtMs;
      const entry = opensAtMs === undefined ? this.#tryEnter('questions', questions) : undefined;
      if (entry !== undefined) return entry;
      await this.#wait(Math.max(questions.pausedUntilMs, opensAtMs ?? 0));
    }
  }

  /** True when the same attempt may be sent again now. */
  mayRepeat(repetition: Repetition): boolean {
    return mayRepeat(this.transfers, repetition, this.#nowMs);
  }

  /** A pass to send the same attempt again, if allowed now; a repetition never waits but is inquired again. */
  async tryRepeat(repetition: Repetition): Promise<Pass | undefined> {
    if (!this.mayRepeat(repetition)) return undefined;
    const entry = this.#tryEnter('transfers', this.transfers);
    if (entry?.kind !== 'go') return undefined;
    return !entry.isProbe || (await this.#takeProbe(entry)) ? entry : undefined;
  }

  /** False when another machine probes, or no probe is needed any more. */
  async #takeProbe(pass: Pass): Promise<boolean> {
    let isTaken = false;
    try {
      isTaken = (await this.shared?.takeProbe(this.breaker)) ?? true;
      this.breaker.isProbingForAll = isTaken && this.shared !== undefined;
    } finally {
      if (!isTaken) pass.leave();
    }
    return isTaken;
  }

  /** The pause shared by all machines; undefined when only this machine uses the account. */
  get shared(): SharedPause | undefined {
    return this.#options.shared;
  }

  /** Time of the next check of a delayed repetition; undefined when unknown. */
  nextRepetitionAtMs(repetition: Repetition): number | undefined {
    return computeNextRepetitionAtMs(this.transfers, repetition, this.#nowMs);
  }

  /** Passes a request, or says why not; undefined when it has to wait. */
  #tryEnter(kind: RequestKind, { status, pausedUntilMs }: BreakerState): Entry | undefined {
    if (this.#options.stop.aborted) return stopped;
    if (status === 'halted') return halted;
    if (status === 'open') return this.#pass(kind, false);
    const { isProbing } = this.breaker;
    if (isProbing[kind] || this.#nowMs < pausedUntilMs) return undefined;
    if (kind === 'transfers' && this.#options.clock.elapsedMs() < this.breaker.probeAgainAtMs)
      return undefined;
    if (kind === 'transfers' && this.#isAnyUnasked(pausedUntilMs)) return undefined;
    isProbing[kind] = true;
    return this.#pass(kind, true);
  }

  #pass(kind: RequestKind, isProbe: boolean): Pass {
    const { breaker } = this;
    let isLeft = false;
    return {
      kind: 'go',
      isProbe,
      leave: (signal = { kind: 'nothing' }) => {
        if (isLeft) return;
        isLeft = true;
        if (isProbe) breaker.isProbing[kind] = false;
        this.#observe(signal, kind);
        // Wakes all waiters at the end of a probe.
        if (isProbe) breaker.changes.notify();
      },
    };
  }

  async #wait(untilMs: number): Promise<void> {
    const { clock, shared } = this.#options;
    const waitMs = untilMs - clock.now();
    const pollMs = shared === undefined ? probePollMs : sharedPollMs;
    await clock.sleep(waitMs <= 0 ? pollMs : Math.min(waitMs, pausePollMs), this.breaker.changes.next);
  }

  /** Unanswered transfers are inquired first. Inquiries without an answer delay transfers only for a while. */
  #isAnyUnasked(pausedUntilMs: number): boolean {
    const { unasked } = this.breaker;
    const nowMs = this.#nowMs;
    for (const [transRefNo, sinceMs] of unasked) {
      const passedMs = nowMs - Math.max(sinceMs, pausedUntilMs);
      if (passedMs >= 0 && passedMs < unaskedMaxMs) return true;
      unasked.delete(transRefNo);
    }
    return false;
  }

  /** Records that a transfer got no answer. */
  noteUnanswered(transRefNo: string): void {
    const { unasked, unanswered } = this.breaker;
    if (unanswered.size >= unansweredMax) unanswered.clear();
    unasked.set(transRefNo, this.#nowMs);
    unanswered.add(transRefNo);
  }

  /**
   * Records that the bank was asked about a transfer. If it knows one that had no answer, that counts as news for the
   * transfers.
   * @param isKnown true when the bank has the transfer, whatever its outcome
   */
  noteAsked(transRefNo: string, isKnown: boolean): void {
    const { breaker } = this;
    const isLast = breaker.unasked.delete(transRefNo) && breaker.unasked.size === 0;
    if (isKnown && breaker.unanswered.delete(transRefNo)) {
      breaker.unanswered.clear();
      breaker.become(afterUnansweredKnown(breaker.state, this.#nowMs));
    }
    if (isLast) breaker.changes.notify();
  }

  /** Passes on what was learnt of transfers in another way, for example by an inquiry; no request has ended with it. */
  observe(signal: BreakerSignal): void {
    this.#observe(signal, 'transfers');
  }

  #observe(signal: BreakerSignal, kind: RequestKind): void {
    const { breaker } = this;
    if (kind === 'transfers' && isAnswer(signal)) breaker.answered += 1;
    const { hours } = this.#options;
    const nowMs = this.#nowMs;
    const isForHours = kind === 'transfers' && hours !== undefined;
    const heard = isForHours ? waitForOpening(signal, hours, nowMs) : signal;
    breaker.becomeBoth(decidePayer(breaker.both, heard, kind, this.brake, nowMs));
  }

  /** Counts the end of a transfer that an inquiry has shown. */
  observeSettled(isPaid: boolean): void {
    this.breaker.become(afterEnd(this.breaker.state, isPaid, this.brake));
  }

  /** True when this number of transfers in doubt halts the account. */
  isTooMuchDoubt(inDoubt: number): boolean {
    return inDoubt >= this.brake.inDoubtMax;
  }

  /** Halts when too many transfers are in doubt at once. */
  observeInDoubt(inDoubt: number): void {
    this.breaker.become(decideOnInDoubt(this.breaker.state, inDoubt, this.brake));
  }

  /** Applies a halt of this run's batch, or one recorded by another process or an earlier run. */
  haltFor(why: BatchReason): void {
    this.#runHalt = why;
    this.breaker.changes.notify();
  }

  /** Lifts the halt after an operator did so; earlier counts are forgotten. */
  reopen(): void {
    this.#runHalt = undefined;
    const { state } = this.breaker;
    const forgiven = { ...state, ...noEnds };
    this.breaker.become(state.status === 'halted' ? openBreaker : forgiven);
    this.breaker.changes.notify();
  }

  /** Waits until the breaker changes, the time is over, or the signal aborts. */
  async waitForNews(ms: number, end: AbortSignal): Promise<void> {
    const until = AbortSignal.any([this.breaker.changes.next, end]);
    if (!until.aborted) await this.#options.clock.sleep(ms, until);
  }

  /** The breaker's state, with its pause adapted to a clock that may have been set back. */
  #look(kind: RequestKind): BreakerState {
    const { breaker } = this;
    const fitted = fitPause(breaker.both[kind], this.#nowMs);
    if (fitted !== breaker.both[kind]) breaker.becomeBoth({ ...breaker.both, [kind]: fitted });
    if (this.#runHalt === undefined || kind === 'questions') return fitted;
    return { ...fitted, status: 'halted', why: this.#runHalt };
  }
}

const halted = { kind: 'halted' } as const;
const stopped = { kind: 'stopped' } as const;

/** The fields of a batch that identify its halt or that of its account; batches of registrations have them, too. */
export type HaltedBatch = Payer & Pick<Batch, 'batchId' | 'status' | 'reasonCode' | 'reason' | 'remedy'>;

/** Dependencies for storing a payer account's halts and pauses in the journal. */
interface PayerContext {
  readonly journal: PayerBreakerStore;
  readonly clock: Clock;
  readonly gate: BreakerGate;
  readonly log: Log;
  /** Name in the log; left out: a payer account. */
  readonly subject?: string;
}

export interface BreakerContext extends PayerContext {
  readonly journal: PayerBreakerStore & { batch(batchId: string): Promise<HaltedBatch | undefined> };
}

// ---------------------------------------------------------------- halts in the journal

/**
 * Records that the payer account is halted, if this process has halted it: no intent is recorded for it until an
 * operator resumes. Resolves once the halt is recorded, by this or another call.
 */
export async function recordHalt(
  { journal, clock, gate: { breaker }, log, subject = 'payer account' }: PayerContext,
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { status, why } = breaker.state;
  if (status !== 'halted' || why === null) return;
  const record = async (): Promise<void> => {
    const halt = await journal.payerHalt(companyId, payerAccount);
    // When several machines send, the halt is recorded with the outcome that caused it.
    if (halt !== undefined && halt.code !== why.code) return;
    if (halt === undefined)
      await journal.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: clock.now() });
    log('error', `${subject} halted`, stopInEnglish(why));
  };
  breaker.haltRecorded ??= record().catch((error: unknown) => {
    // The next call tries to record it again.
    breaker.haltRecorded = undefined;
    throw error;
  });
  await breaker.haltRecorded;
}

/** Present halt of the batch or its account in the journal; undefined when an operator has resumed it since. */
export async function findHalt(
  { journal }: Pick<BreakerContext, 'journal'>,
  batch: HaltedBatch,
): Promise<BatchReason | undefined> {
  const halt = await journal.payerHalt(batch.companyId, batch.payerAccount);
  if (halt !== undefined) return halt;
  const current = await journal.batch(batch.batchId);
  return current?.status === 'running' ? undefined : haltOf(current ?? batch);
}

/** Stops this run, too, when another process has halted the batch or its account. */
export async function noticeHalt(context: BreakerContext, batch: HaltedBatch): Promise<void> {
  const why = await findHalt(context, batch);
  if (why === undefined) return;
  context.gate.breaker.isHaltedForAll ||= context.gate.shared !== undefined;
  context.gate.haltFor(why);
}

/** Why the batch itself was halted: by an operator, or by a halt that has since been lifted for another batch. */
export function haltOf(batch: Pick<Batch, 'reasonCode' | 'reason' | 'remedy'>): BatchReason {
  return {
    code: batch.reasonCode ?? 'halted',
    reason: batch.reason ?? message('batch.halted'),
    remedy: batch.remedy ?? message('batch.resume-when-mended'),
  };
}

// ---------------------------------------------------------------- pauses in the journal

/**
 * Loads the breaker from the journal when a run begins: an earlier run's pause goes on, and an account that an operator
 * has released is open.
 */
export async function restoreBreaker({ journal, gate, clock }: PayerContext, payer: Payer): Promise<void> {
  const { breaker } = gate;
  // The process that halted it is about to record the halt.
  if (breaker.state.status === 'halted' && breaker.haltRecorded !== undefined) {
    await breaker.haltRecorded;
    const halt = await journal.payerHalt(payer.companyId, payer.payerAccount);
    if (halt === undefined && breaker.state.status === 'halted') gate.reopen();
  }
  if (
    breaker.isHaltedForAll &&
    (await journal.payerHalt(payer.companyId, payer.payerAccount)) === undefined
  ) {
    breaker.isHaltedForAll = false;
    gate.reopen();
  }
  if (gate.shared !== undefined) {
    await gate.shared.follow(breaker);
    return;
  }
  const pause = await journal.payerPause(payer.companyId, payer.payerAccount);
  if (pause === undefined) {
    if (breaker.recordedPause !== undefined && breaker.state.status === 'paused') breaker.become(openBreaker);
    breaker.recordedPause = undefined;
  } else if (breaker.state.status === 'open') {
    breaker.recordedPause = { pausedAtMs: pause.sinceMs, pausedUntilMs: pause.untilMs };
    breaker.become(restorePause(breaker.state, pause, clock.now()));
  }
}

/** Records the present state of the pause, if the journal does not have it. */
export async function recordPause(
  { journal, gate, log, subject = 'payer account' }: PayerContext,
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { breaker } = gate;
  // When two machines have met trouble, the longer pause counts.
  if (isUnrecorded(breaker.state, breaker.recordedPause)) await gate.shared?.follow(breaker);
  const { status, why, pausedAtMs, pausedUntilMs, troubles } = breaker.state;
  if (status === 'open' && breaker.recordedPause !== undefined) {
    breaker.recordedPause = undefined;
    await journal.clearPayerPause(companyId, payerAccount);
    await tellOthers(gate, true);
    log('info', `${subject} goes on`, {});
  }
  if (status === 'paused' && why !== null && isUnrecorded(breaker.state, breaker.recordedPause)) {
    const times = { sinceMs: pausedAtMs, untilMs: pausedUntilMs };
    const pause = { ...why, troubles, isTransfer: true, ...times };
    await journal.recordPayerPause({ companyId, payerAccount, ...pause });
    // Set only after the journal has the pause: a reader would otherwise believe that an operator has ended it.
    breaker.recordedPause = { pausedAtMs, pausedUntilMs };
    await tellOthers(gate, false);
    const { code, reason } = stopInEnglish(why);
    log('warn', `${subject} paused`, { code, reason, forMs: pausedUntilMs - pausedAtMs });
  }
  if (breaker.isProbingForAll) await tellOthers(gate, status === 'open');
}

/** Tells the other machines, except while this machine's probe is under way. */
async function tellOthers({ breaker, shared }: BreakerGate, isAnswered: boolean): Promise<void> {
  if (shared === undefined || breaker.isProbing.transfers) return;
  breaker.isProbingForAll = false;
  await shared.tell(isAnswered);
}

/** Interval in ms at which a paused account checks whether an operator has ended the pause. */
const clearedPollMs = 5_000;
/** Interval in ms at which it checks whether the service has opened or closed. */
const hoursPollMs = 60_000;
/** Longest sleep in ms of an open account, which only waits for news. */
const idleMs = 24 * 3_600_000;

/** Records the begin and end of every pause, and follows the operator's decisions, until told to end. */
export async function persistPauses(
  context: BreakerContext,
  batch: HaltedBatch,
  end: AbortSignal,
): Promise<void> {
  const { gate } = context;
  let reportedMs: number | undefined;
  while (!end.aborted) {
    const { opensAtMs } = gate;
    if (opensAtMs !== reportedMs) reportHours(context, opensAtMs);
    reportedMs = opensAtMs;
    const isPaused = gate.breaker.state.status === 'paused';
    const aloneMs = isPaused ? clearedPollMs : gate.hasHours ? hoursPollMs : idleMs;
    const waitMs = gate.shared === undefined ? aloneMs : sharedPollMs;
    // Started before the first await, so that no news is missed.
    const news = gate.waitForNews(waitMs, end);
    await recordPause(context, batch);
    await news;
    if (gate.shared === undefined) await endClearedPause(context, batch);
    else await gate.shared.follow(gate.breaker);
    // Rows that wait for the account meet no guard that would show them an operator's decision.
    if (gate.shared !== undefined || gate.state.status === 'paused') await noticeHalt(context, batch);
  }
  await recordPause(context, batch);
}

function reportHours({ log }: PayerContext, opensAtMs: number | undefined): void {
  if (opensAtMs === undefined) log('info', 'the service is open', {});
  else log('warn', 'the service is closed', { opensAt: formatBangkokDateTime(opensAtMs) });
}

/** Ends a pause that an operator has cleared: the service is back, so the next transfer tries at once. */
async function endClearedPause({ journal, gate, clock }: PayerContext, payer: Payer): Promise<void> {
  const { breaker } = gate;
  if (breaker.recordedPause === undefined || breaker.state.status !== 'paused') return;
  if ((await journal.payerPause(payer.companyId, payer.payerAccount)) !== undefined) return;
  const nowMs = clock.now();
  breaker.recordedPause = undefined;
  const endNow = (state: BreakerState): BreakerState =>
    state.status === 'paused' ? { ...state, pausedAtMs: nowMs, pausedUntilMs: nowMs } : state;
  const { transfers, questions } = breaker.both;
  breaker.becomeBoth({ transfers: endNow(transfers), questions: endNow(questions) });
}

/** Halts the account for trouble of the payer that an inquiry has shown, as a reply would. */
export async function haltForPayer(context: PayerContext, payer: Payer, reason: Reason): Promise<void> {
  context.gate.observe({ kind: 'payer-stop', reason });
  await recordHalt(context, payer);
}
