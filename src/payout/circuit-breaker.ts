/**
 * The circuit breaker of a payer account: it lets requests through while the account is open, makes them wait while it
 * is paused or the service is closed, lets one through as a probe when the pause is over, and refuses them when it is
 * halted. Transfers and questions have a state and a probe each. Halts, and pauses of the transfers, are kept in the
 * journal, so that every other run and process knows of them, the next run begins with them, and an operator can end
 * them.
 */
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
  takeUpPause,
  waitForOpening,
} from './rules/circuit-breaker.ts';
import { type ClockReading, findDayTrouble } from './rules/clock-skew.ts';
import type { BreakerSignal } from './rules/read-reply.ts';
import { isUnrecorded, type KnownPause } from './rules/shared-pause.ts';
import { isOpen, mayBeginByBothAtMs, type ServiceHours } from './rules/service-hours.ts';
import { type SharedPause, sharedPollMs } from './shared-pause.ts';

/** Whose breaker it is: a batch's, or that of an order of it. */
export type Payer = Pick<Batch, 'companyId' | 'payerAccount'>;

/** What a process knows about one payer account: it outlives the runs, each of which has a gate of its own. */
export class PayerBreaker {
  both: PayerState = openPayer;
  /** Whether a request of the kind is out as a probe: one that has taken the slot gives it back itself. */
  readonly isProbing: Record<RequestKind, boolean> = { transfers: false, questions: false };
  /**
   * Transfers without an answer whose outcome nobody has asked about since, by reference, with when they were given
   * up: they are asked about before another transfer tries whether the bank answers again.
   */
  readonly unasked = new Map<string, number>();
  /** The same ones until the bank is known to have them: news of one says that transfers arrive. */
  readonly unanswered = new Set<string>();
  /** Transfers that the bank has answered, whatever it said of them. */
  answered = 0;
  /** The pause that the journal knows of. */
  recordedPause: KnownPause | undefined;
  /** Fulfilled when the journal knows of the halt. */
  haltRecorded: Promise<void> | undefined;
  /** A halt that the journal has was noticed here, whichever of several machines has caused it. */
  isHaltedForAll = false;
  /** This machine has the turn to try whether the pause is over, and the others have not been told what came of it. */
  isProbingForAll = false;
  /** By a clock that nobody sets: another machine tries just now, and is waited for until then. */
  probeAgainAtMs = 0;
  /** Notified whenever a state changes, so that waiters look again. */
  readonly changes = new Signal();

  /** The state of the transfers: what halts or pauses the account. */
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

/** The right to make one request, to be given back once. */
export interface Pass {
  readonly kind: 'go';
  /** It tries whether a pause is over: it goes through a paused account. */
  readonly isProbe: boolean;
  /** Tells the breaker what came of the request, if it was made. */
  readonly leave: (signal?: BreakerSignal) => void;
}

/** `halted` and `stopped` mean that nothing may be sent. */
export type Entry = Pass | { readonly kind: 'halted' | 'stopped' };

interface GateOptions {
  readonly clock: Clock;
  readonly brake: BrakePolicy;
  /** Aborted when nothing new is to be begun. */
  readonly stop: AbortSignal;
  /** Shared by the runs of one process; one of its own when left out. */
  readonly breaker?: PayerBreaker | undefined;
  /** Transfers are sent only then; always when left out. */
  readonly hours?: ServiceHours | undefined;
  /** Where several machines use the account: its pause is that of all, and one of them tries at a time. */
  readonly shared?: SharedPause | undefined;
  /** Ours beside the bank's: no transfer is begun while their days differ. The bank's is unknown when left out. */
  readonly clocks?: (() => ClockReading) | undefined;
}

/** How often those who wait behind a probe look whether it has ended, should no news reach them. */
const probePollMs = 5_000;
/** How often those who wait for a pause to end look at the clock, which may have been set or have slept. */
const pausePollMs = 60_000;
/** A transfer without an answer that nobody has come to ask about for so long holds up no other one. */
const unaskedMaxMs = 60_000;
/** Remembered at once; an outage leaves far fewer without an answer, or the brake on doubt halts. */
const unansweredMax = 10_000;

/** The way of one run through the breaker of its payer account. */
export class BreakerGate {
  readonly breaker: PayerBreaker;
  readonly brake: BrakePolicy;
  /** A halt that concerns this run: of its batch, or one that the journal keeps. */
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

  /** Both clocks; the bank's is unknown when nobody tells it. */
  get #clocks(): ClockReading {
    return this.#options.clocks?.() ?? { nowMs: this.#nowMs, bankNowMs: undefined };
  }

  /** The state for a transfer now: paused, too, while the service is closed. */
  get transfers(): BreakerState {
    const state = this.#look('transfers');
    const { opensAtMs } = this;
    const open = opensAtMs === undefined ? state : closeBreaker(state, opensAtMs);
    const day = findDayTrouble(this.#clocks);
    return day === undefined ? open : holdBack(open, day.why, day.untilMs);
  }

  /** What keeps rows from getting on: the state for a transfer, or a pause of the questions that come before one. */
  get state(): BreakerState {
    const { transfers } = this;
    const questions = this.#look('questions');
    return transfers.status === 'open' && isPausing(questions, this.#nowMs) ? questions : transfers;
  }

  /** True while questions are not asked. */
  get isSilent(): boolean {
    return isPausing(this.#look('questions'), this.#nowMs);
  }

  /** True when the service closes at times. */
  get hasHours(): boolean {
    return this.#options.hours !== undefined;
  }

  /** True while rows would have to wait: the account is paused, or the service closed. */
  get isPausing(): boolean {
    return isPausing(this.state, this.#nowMs);
  }

  /** When the service opens, while it is closed or about to close. */
  get opensAtMs(): number | undefined {
    const { hours } = this.#options;
    const clocks = this.#clocks;
    const { nowMs } = clocks;
    const opensAtMs = hours === undefined ? nowMs : mayBeginByBothAtMs(hours, clocks);
    return opensAtMs > nowMs ? opensAtMs : undefined;
  }

  /** True unless the service is closed: bytes of a transfer may leave. */
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

  /**
   * Waits until a question may go. With `passHalted` it passes a halted account and a closed service: inquiries move no
   * money.
   */
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

  /** True when the same attempt may go again now. */
  mayRepeat(repetition: Repetition): boolean {
    return mayRepeat(this.transfers, repetition, this.#nowMs);
  }

  /** A pass for the same attempt to go again, if it may go now: a repetition never waits, and is asked about on. */
  async tryRepeat(repetition: Repetition): Promise<Pass | undefined> {
    if (!this.mayRepeat(repetition)) return undefined;
    const entry = this.#tryEnter('transfers', this.transfers);
    if (entry?.kind !== 'go') return undefined;
    return !entry.isProbe || (await this.#takeProbe(entry)) ? entry : undefined;
  }

  /** False where another machine tries, or nothing is to be tried any more. */
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

  /** The pause as all machines have it; undefined where this one alone uses the account. */
  get shared(): SharedPause | undefined {
    return this.#options.shared;
  }

  /** When a repetition that may not go now is looked at again; undefined when nobody knows. */
  nextRepetitionAtMs(repetition: Repetition): number | undefined {
    return computeNextRepetitionAtMs(this.transfers, repetition, this.#nowMs);
  }

  /** Lets a request through, or says why not; undefined when it has to wait. */
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
        // Nobody sleeps over the end of a probe.
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

  /** What got no answer is asked about first; questions that get none either hold transfers up for a while only. */
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

  /** A transfer got no answer. */
  noteUnanswered(transRefNo: string): void {
    const { unasked, unanswered } = this.breaker;
    if (unanswered.size >= unansweredMax) unanswered.clear();
    unasked.set(transRefNo, this.#nowMs);
    unanswered.add(transRefNo);
  }

  /**
   * The bank was asked about a transfer. That it knows one that had got no answer is news for the transfers.
   * @param isKnown the bank has it, however it ended
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

  /** Tells the breaker what was learnt of transfers otherwise, as from an inquiry: no request has ended with it. */
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

  /** Tells the breaker what an inquiry has ended. */
  observeSettled(isPaid: boolean): void {
    this.breaker.become(afterEnd(this.breaker.state, isPaid, this.brake));
  }

  /** True for a number of transfers in doubt that halts the account. */
  isTooMuchDoubt(inDoubt: number): boolean {
    return inDoubt >= this.brake.inDoubtMax;
  }

  /** Halts when too many transfers are in doubt at once. */
  observeInDoubt(inDoubt: number): void {
    this.breaker.become(decideOnInDoubt(this.breaker.state, inDoubt, this.brake));
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
    const forgiven = { ...state, ...noEnds };
    this.breaker.become(state.status === 'halted' ? openBreaker : forgiven);
    this.breaker.changes.notify();
  }

  /** Waits until the breaker changes, the time is over, or the signal aborts. */
  async waitForNews(ms: number, end: AbortSignal): Promise<void> {
    const until = AbortSignal.any([this.breaker.changes.next, end]);
    if (!until.aborted) await this.#options.clock.sleep(ms, until);
  }

  /** The breaker's own state, a pause fitted to a clock that may have been set back. */
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

/** What a batch must tell so that its halt, or that of its account, is known; a batch of registrations tells it, too. */
export type HaltedBatch = Payer & Pick<Batch, 'batchId' | 'status' | 'reasonCode' | 'reason' | 'remedy'>;

/** What it takes to keep a payer account's halts and pauses in the journal. */
interface PayerContext {
  readonly journal: PayerBreakerStore;
  readonly clock: Clock;
  readonly gate: BreakerGate;
  readonly log: Log;
  /** What the log calls it: a payer account when left out. */
  readonly subject?: string;
}

export interface BreakerContext extends PayerContext {
  readonly journal: PayerBreakerStore & { batch(batchId: string): Promise<HaltedBatch | undefined> };
}

// ---------------------------------------------------------------- halts, as the journal keeps them

/**
 * Records that the payer account is halted, if this process has halted it: no intent is recorded for it any more until
 * an operator resumes. Resolves when it is recorded, whoever does so.
 */
export async function recordHalt(
  { journal, clock, gate: { breaker }, log, subject = 'payer account' }: PayerContext,
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { status, why } = breaker.state;
  if (status !== 'halted' || why === null) return;
  const record = async (): Promise<void> => {
    const halt = await journal.payerHalt(companyId, payerAccount);
    // Where several machines send it is recorded with the outcome that has caused it.
    if (halt !== undefined && halt.code !== why.code) return;
    if (halt === undefined)
      await journal.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: clock.now() });
    log('error', `${subject} halted`, { code: why.code, reason: why.reason, remedy: why.remedy });
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
  batch: HaltedBatch,
): Promise<BatchReason | undefined> {
  const halt = await journal.payerHalt(batch.companyId, batch.payerAccount);
  if (halt !== undefined) return halt;
  const current = await journal.batch(batch.batchId);
  return current?.status === 'running' ? undefined : haltOf(current ?? batch);
}

/** When somebody else has halted the batch or its account, this run stops sending too. */
export async function noticeHalt(context: BreakerContext, batch: HaltedBatch): Promise<void> {
  const why = await findHalt(context, batch);
  if (why === undefined) return;
  context.gate.breaker.isHaltedForAll ||= context.gate.shared !== undefined;
  context.gate.haltFor(why);
}

/** Why the batch itself was halted, by an operator or by a halt that has since been lifted for another batch. */
export function haltOf(batch: Pick<Batch, 'reasonCode' | 'reason' | 'remedy'>): BatchReason {
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
export async function takeUpBreaker({ journal, gate, clock }: PayerContext, payer: Payer): Promise<void> {
  const { breaker } = gate;
  // Until it is recorded, whoever has halted it is about to record it.
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
    breaker.become(takeUpPause(breaker.state, pause, clock.now()));
  }
}

/** Records what has become of the pause, if it is not what the journal knows. */
export async function recordPause(
  { journal, gate, log, subject = 'payer account' }: PayerContext,
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { breaker } = gate;
  // Of two machines that have met trouble the one that waits for longer is heeded.
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
    // Not before: whoever looks meanwhile would take it for one that an operator has ended.
    breaker.recordedPause = { pausedAtMs, pausedUntilMs };
    await tellOthers(gate, false);
    const { code, reason } = why;
    log('warn', `${subject} paused`, { code, reason, forMs: pausedUntilMs - pausedAtMs });
  }
  if (breaker.isProbingForAll) await tellOthers(gate, status === 'open');
}

/** Nothing while this machine's probe is under way. */
async function tellOthers({ breaker, shared }: BreakerGate, isAnswered: boolean): Promise<void> {
  if (shared === undefined || breaker.isProbing.transfers) return;
  breaker.isProbingForAll = false;
  await shared.tell(isAnswered);
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
    // Begun before anything is awaited, so that no news is missed.
    const news = gate.waitForNews(waitMs, end);
    await recordPause(context, batch);
    await news;
    if (gate.shared === undefined) await endClearedPause(context, batch);
    else await gate.shared.follow(gate.breaker);
    // Rows that wait for the account meet no guard that would tell them of an operator's word.
    if (gate.shared !== undefined || gate.state.status === 'paused') await noticeHalt(context, batch);
  }
  await recordPause(context, batch);
}

function reportHours({ log }: PayerContext, opensAtMs: number | undefined): void {
  if (opensAtMs === undefined) log('info', 'the service is open', {});
  else log('warn', 'the service is closed', { opensAt: formatBangkokDateTime(opensAtMs) });
}

/** An operator who resumes knows that the service is back: the next transfer tries at once. */
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

/** The payer's trouble that an inquiry has shown halts the account as it does in a reply. */
export async function haltForPayer(context: PayerContext, payer: Payer, reason: Reason): Promise<void> {
  context.gate.observe({ kind: 'payer-stop', reason });
  await recordHalt(context, payer);
}
