/**
 * The gate before every request: it lets callers through while the line is open, makes them wait while it is
 * paused or the service is closed, lets one through as a probe when the pause is over, and turns them away when it
 * is halted.
 */
import type { BatchReason, Clock } from '../core/ports.ts';
import { Signal } from '../platform/signal.ts';
import type { LineSignal } from './rules/after-transfer.ts';
import {
  type BrakePolicy,
  closeLine,
  decideLine,
  decideOnInDoubt,
  decideOnSettled,
  fitPause,
  isPausing,
  type LineState,
  openLine,
} from './rules/circuit-breaker.ts';
import type { Reason } from './rules/read-reply.ts';
import { isOpen, mayBeginAtMs, type ServiceHours } from './rules/service-hours.ts';

/** `go` must be followed by `leave`; `halted` and `stopped` mean that nothing may be sent. */
export type Passage = 'go' | 'halted' | 'stopped';

/** What a process knows about the line of one payer account: it outlives the runs, each of which has a gate to it. */
export class Line {
  state: LineState = openLine;
  isProbing = false;
  /** The pause that the journal knows of. */
  recordedPause: Pick<LineState, 'pausedAtMs' | 'pausedUntilMs'> | undefined;
  /** Fulfilled when the journal knows of the stop. */
  stopRecorded: Promise<void> | undefined;
  readonly #changes = new Signal();

  /** Aborted and made anew whenever the state changes, so that waiters look again. */
  get changed(): AbortSignal {
    return this.#changes.next;
  }

  become(next: LineState): void {
    const isNews = next.status !== this.state.status || next.pausedUntilMs !== this.state.pausedUntilMs;
    this.state = next;
    if (next.status !== 'halted') this.stopRecorded = undefined;
    if (isNews) this.wakeWaiters();
  }

  wakeWaiters(): void {
    this.#changes.notify();
  }
}

interface GateOptions {
  /** Shared by the runs of one process; a line of its own when left out. */
  readonly line?: Line | undefined;
  /** Transfers are sent only then; always when left out. */
  readonly hours?: ServiceHours | undefined;
}

export class LineGate {
  readonly line: Line;
  /** A stop that concerns this run: of its batch, or one that the journal keeps. */
  #runStop: BatchReason | undefined;
  readonly #clock: Clock;
  readonly #brake: BrakePolicy;
  readonly #stop: AbortSignal;
  readonly #hours: ServiceHours | undefined;

  constructor(clock: Clock, brake: BrakePolicy, stop: AbortSignal, options: GateOptions = {}) {
    this.#clock = clock;
    this.#brake = brake;
    this.#stop = stop;
    this.line = options.line ?? new Line();
    this.#hours = options.hours;
    stop.addEventListener('abort', () => this.line.wakeWaiters(), { once: true });
  }

  /** The line as it is for a transfer now: paused, too, while the service is closed. */
  get state(): LineState {
    const state = this.#look();
    const { opensAtMs } = this;
    return opensAtMs === undefined ? state : closeLine(state, opensAtMs);
  }

  /** True when the service closes at times. */
  get hasHours(): boolean {
    return this.#hours !== undefined;
  }

  /** True while a transfer would have to wait: the line is paused, or the service closed. */
  get isPausing(): boolean {
    return isPausing(this.state, this.#clock.now());
  }

  /** True while a transfer would have to wait for longer than any question: nobody who asks waits for it, too. */
  get isShut(): boolean {
    const { status, pausedUntilMs } = this.state;
    return status === 'paused' && pausedUntilMs - this.#clock.now() > pauseLookMs;
  }

  /** When the service opens, while it is closed or about to close. */
  get opensAtMs(): number | undefined {
    const nowMs = this.#clock.now();
    const opensAtMs = this.#hours === undefined ? nowMs : mayBeginAtMs(this.#hours, nowMs);
    return opensAtMs > nowMs ? opensAtMs : undefined;
  }

  /** True unless the service is closed: bytes of a transfer may leave. */
  get isServiceOpen(): boolean {
    return this.#hours === undefined || isOpen(this.#hours, this.#clock.now());
  }

  /**
   * Waits until a request may go. Inquiries pass a halted line and a closed service (`passHalted`): they move no money.
   */
  async enter(passHalted = false): Promise<Passage> {
    for (;;) {
      if (this.#stop.aborted) return 'stopped';
      const state = passHalted ? this.#look() : this.state;
      if (state.status === 'open') return 'go';
      if (state.status === 'halted') return passHalted ? 'go' : 'halted';
      const waitMs = (passHalted ? state.questionsUntilMs : state.pausedUntilMs) - this.#clock.now();
      if (waitMs <= 0 && !this.line.isProbing) {
        this.line.isProbing = true;
        return 'go';
      }
      const lookMs = waitMs <= 0 ? probeLookMs : Math.min(waitMs, pauseLookMs);
      await this.#clock.sleep(lookMs, this.line.changed);
    }
  }

  /** Tells the line what came of a request that went through; a probe has ended with it. */
  leave(signal: LineSignal): void {
    const { line } = this;
    const wasProbing = line.isProbing;
    line.isProbing = false;
    line.become(decideLine(line.state, signal, this.#brake, this.#clock.now()));
    // One after the other: inquiries go on while transfers have trouble, and nobody sleeps over the end of a probe.
    if (wasProbing) line.wakeWaiters();
  }

  /** Tells the line what an inquiry has ended; nobody's passage ends with it. */
  seeSettled(isPaid: boolean): void {
    this.line.become(decideOnSettled(this.line.state, isPaid, this.#brake));
  }

  /** Halts for a refusal of the payer that an inquiry has shown; nobody's passage ends with it. */
  seePayerStop(reason: Reason): void {
    const signal = { kind: 'payer-stop', reason } as const;
    this.line.become(decideLine(this.line.state, signal, this.#brake, this.#clock.now()));
  }

  /** True for a number of transfers in doubt that halts the line. */
  isTooMuchDoubt(inDoubt: number): boolean {
    return inDoubt >= this.#brake.inDoubtMax;
  }

  /** Halts when too many transfers are in doubt at once. */
  seeInDoubt(inDoubt: number): void {
    this.line.become(decideOnInDoubt(this.line.state, inDoubt, this.#brake));
  }

  /** A stop of this run's batch, or one that another process or an earlier run has recorded. */
  haltFor(why: BatchReason): void {
    this.#runStop = why;
    this.line.wakeWaiters();
  }

  /** A person has lifted the stop; what was counted before it is forgotten. */
  reopen(): void {
    this.#runStop = undefined;
    const { state } = this.line;
    if (state.status === 'halted') this.line.become(openLine);
    else this.line.become({ ...state, consecutiveFailures: 0, ends: [] });
    this.line.wakeWaiters();
  }

  /** Waits until the line changes, the time is over, or the signal aborts. */
  async waitForNews(ms: number, end: AbortSignal): Promise<void> {
    const until = AbortSignal.any([this.line.changed, end]);
    if (!until.aborted) await this.#clock.sleep(ms, until);
  }

  /** The line's own state, a pause fitted to a clock that may have been set back. */
  #look(): LineState {
    const { line } = this;
    const fitted = fitPause(line.state, this.#clock.now());
    if (fitted !== line.state) line.become(fitted);
    return this.#runStop === undefined ? fitted : { ...fitted, status: 'halted', why: this.#runStop };
  }
}

/** How often those who wait behind a probe look whether it has ended, should no news reach them. */
const probeLookMs = 1_000;
/** How often those who wait for a pause to end look at the clock, which may have been set or have slept. */
const pauseLookMs = 60_000;
