/** Something that one part notifies and others wait for. */
import type { Clock } from '../core/ports.ts';

export class Signal {
  #next = new AbortController();

  /** Aborted by the next notification: whoever takes it before looking at what may change misses none. */
  get next(): AbortSignal {
    return this.#next.signal;
  }

  /** Wakes whoever waits; what is waited for next is another notification. */
  notify(): void {
    const waited = this.#next;
    this.#next = new AbortController();
    waited.abort();
  }
}

/** Waits until one of the signals aborts, or the time is over. */
export async function waitForAny(
  clock: Clock,
  ms: number,
  ...signals: readonly AbortSignal[]
): Promise<void> {
  const until = AbortSignal.any([...signals]);
  if (!until.aborted) await clock.sleep(ms, until);
}
