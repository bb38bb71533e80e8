/**
 * Keeps the lease of this process: it is renewed in the background for as long as the process lives, and whoever is about
 * to send asks whether it is still held. A process that cannot renew it in time begins nothing, and goes on once it is
 * renewed; one whose place was taken is told so for good.
 */
import type { Clock, Log } from '../core/ports.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import { type ClockMoment, mayBytesLeave, renewEveryMs } from './rules/lease.ts';

/** After a renewal that has failed. */
const retryMs = 250;

interface Keeping {
  /** False when the lease is never granted again. */
  readonly renew: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

const readClocks = (clock: Clock): ClockMoment => ({ wallMs: clock.now(), elapsedMs: clock.elapsedMs() });

/** When what is about to be asked for began: of a lease, when it was taken. */
export const beginLease = readClocks;

/** Its owner disposes of it when nothing may be sent any more. */
export class LeaseKeeper implements AsyncDisposable {
  readonly #keeping: Keeping;
  /** When the latest renewal began that was granted; undefined while it is not known that it holds. */
  #renewedAt: ClockMoment | undefined;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();
  readonly #news = new Signal();
  readonly #work: Promise<void>;

  /** @param takenAt before it was asked for */
  constructor(keeping: Keeping, takenAt: ClockMoment) {
    this.#keeping = keeping;
    this.#renewedAt = takenAt;
    this.#work = this.#keep();
  }

  /** False at once when the last renewal is too old, or was refused: nothing is begun then. */
  get isHeld(): boolean {
    return mayBytesLeave(this.#renewedAt, readClocks(this.#keeping.clock));
  }

  /** Asked right before bytes leave. */
  readonly mayLeave = (): boolean => this.isHeld;

  /** Aborted when another has the place: this process has to begin anew. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The journal has refused what only a holder may do: nothing is begun until it has said otherwise. */
  noteRefused(): void {
    this.#renewedAt = undefined;
    this.#news.notify();
  }

  /** From here on it is not held, and runs out by itself. */
  stop(): void {
    this.#renewedAt = undefined;
    this.#over.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#work;
  }

  async #keep(): Promise<void> {
    const over = AbortSignal.any([this.#over.signal, this.#lost.signal]);
    const { clock } = this.#keeping;
    let waitMs = this.isHeld ? renewEveryMs : 0;
    let isFailing = false;
    for (;;) {
      await waitForAny(clock, waitMs, this.#news.next, over);
      if (over.aborted) return;
      const beganMs = clock.elapsedMs();
      const isRenewed = await this.#renew(isFailing);
      isFailing = isRenewed === undefined;
      // From when it began, as the lease is held: after an answer that came late, the next is asked for at once.
      waitMs = isFailing ? retryMs : Math.max(0, beganMs + renewEveryMs - clock.elapsedMs());
    }
  }

  /** @returns undefined when nobody has answered */
  async #renew(isFailing: boolean): Promise<boolean | undefined> {
    const { renew, clock, log } = this.#keeping;
    const beganAt = readClocks(clock);
    try {
      const isGranted = await renew();
      if (this.#over.signal.aborted) return isGranted;
      this.#renewedAt = isGranted ? beganAt : undefined;
      if (isGranted && isFailing) log('info', 'the lease of this process is renewed again', {});
      if (isGranted) return true;
      log('error', 'another process has taken the place of this one', {});
      this.#lost.abort();
      return false;
    } catch (error) {
      if (!isFailing) log('warn', 'the lease of this process cannot be renewed', { err: error });
      return undefined;
    }
  }
}
