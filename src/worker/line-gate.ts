/**
 * The gate before every request: it lets callers through while the line is open, makes them wait while it is
 * paused, lets one through as a probe when the pause is over, and turns them away when it is halted.
 */
import type { LineSignal } from '../core/decide-transfer.ts';
import {
  decideLine,
  decideOnInDoubt,
  decideOnSettled,
  openLine,
  type BrakePolicy,
  type LineState,
} from '../core/line.ts';
import type { BatchReason, Clock } from '../core/ports.ts';

/** `go` must be followed by `leave`; `halted` and `stopped` mean that nothing may be sent. */
export type Passage = 'go' | 'halted' | 'stopped';

export class LineGate {
  #state: LineState = openLine;
  #isProbing = false;
  /** Aborted and made anew whenever the state changes, so that waiters look again. */
  #changed = new AbortController();
  readonly #clock: Clock;
  readonly #brake: BrakePolicy;
  readonly #stop: AbortSignal;

  constructor(clock: Clock, brake: BrakePolicy, stop: AbortSignal) {
    this.#clock = clock;
    this.#brake = brake;
    this.#stop = stop;
    stop.addEventListener('abort', () => this.#wakeWaiters(), { once: true });
  }

  get state(): LineState {
    return this.#state;
  }

  /**
   * Waits until a request may go. Inquiries and payee checks pass a halted line (`passHalted`): they move no money.
   */
  async enter(passHalted = false): Promise<Passage> {
    for (;;) {
      if (this.#stop.aborted) return 'stopped';
      if (this.#state.status === 'open') return 'go';
      if (this.#state.status === 'halted') return passHalted ? 'go' : 'halted';
      const waitMs = this.#state.pausedUntilMs - this.#clock.now();
      if (waitMs <= 0 && !this.#isProbing) {
        this.#isProbing = true;
        return 'go';
      }
      await this.#clock.sleep(waitMs <= 0 ? probeLookMs : waitMs, this.#changed.signal);
    }
  }

  /** Tells the line what came of a request that went through; a probe has ended with it. */
  leave(signal: LineSignal): void {
    const nowMs = this.#clock.now();
    const wasProbing = this.#isProbing;
    this.#isProbing = false;
    this.#become(decideLine(this.#state, signal, this.#brake, nowMs));
    // One after the other: inquiries go on while transfers have trouble, and nobody sleeps over the end of a probe.
    if (wasProbing) this.#wakeWaiters();
  }

  /** Tells the line what an inquiry has ended; nobody's passage ends with it. */
  seeSettled(isPaid: boolean): void {
    this.#become(decideOnSettled(this.#state, isPaid, this.#brake));
  }

  /** Halts when too many transfers are in doubt at once. */
  seeInDoubt(inDoubt: number): void {
    this.#become(decideOnInDoubt(this.#state, inDoubt, this.#brake));
  }

  /** A stop that another process, or an earlier run, has recorded. */
  haltFor(why: BatchReason): void {
    this.#become({ ...this.#state, status: 'halted', why });
  }

  /** A person has lifted the stop; what was counted before it is forgotten. */
  reopen(): void {
    this.#become(openLine);
  }

  #become(next: LineState): void {
    const isNews = next.status !== this.#state.status || next.pausedUntilMs !== this.#state.pausedUntilMs;
    this.#state = next;
    if (isNews) this.#wakeWaiters();
  }

  #wakeWaiters(): void {
    this.#changed.abort();
    this.#changed = new AbortController();
  }
}

/** How often those who wait behind a probe look whether it has ended, should no news reach them. */
const probeLookMs = 1_000;
