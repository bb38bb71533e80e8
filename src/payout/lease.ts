/**
 * Keeps the lease of this process: it renews the lease in the background, and every sender checks that it is still
 * held. A process that cannot renew in time begins nothing until it is renewed; a process whose place was taken has
 * lost it for good.
 */
import type { Clock, Log } from '../core/ports.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import { type ClockMoment, mayBytesLeave, renewEveryMs } from './rules/lease.ts';

/** Wait in ms after a failed renewal. */
const retryMs = 250;

interface Keeping {
  /** Renews the lease; false when it is never granted again. */
  readonly renew: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

const readClocks = (clock: Clock): ClockMoment => ({ wallMs: clock.now(), elapsedMs: clock.elapsedMs() });

/** Start of a request, read before it is made; for a lease, the start of its time. */
export const beginLease = readClocks;

/** The keeper of a lease. The owner disposes of it when nothing may be sent any more. */
export class LeaseKeeper implements AsyncDisposable {
  readonly #keeping: Keeping;
  /** Start of the latest granted renewal; undefined while the lease is not known to hold. */
  #renewedAt: ClockMoment | undefined;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();
  readonly #news = new Signal();
  readonly #work: Promise<void>;

  /** @param takenAt moment before the lease was requested */
  constructor(keeping: Keeping, takenAt: ClockMoment) {
    this.#keeping = keeping;
    this.#renewedAt = takenAt;
    this.#work = this.#keep();
  }

  /** False when the last renewal is too old or was refused; nothing may begin then. */
  get isHeld(): boolean {
    return mayBytesLeave(this.#renewedAt, readClocks(this.#keeping.clock));
  }

  /** Asked right before bytes leave. */
  readonly mayTransmit = (): boolean => this.isHeld;

  /** Aborted when another process has the place: this process has to start anew. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Records that the journal refused an operation reserved for the holder: nothing begins until a renewal is granted.
   */
  noteRefused(): void {
    this.#renewedAt = undefined;
    this.#news.notify();
  }

  /** Stops renewing; the lease counts as not held, and expires by itself. */
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
      // Counted from the start of the renewal, as the lease is: after a late answer the next renewal follows at once.
      waitMs = isFailing ? retryMs : Math.max(0, beganMs + renewEveryMs - clock.elapsedMs());
    }
  }

  /** @returns undefined when there was no answer */
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
