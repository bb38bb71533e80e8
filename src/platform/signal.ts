/** A signal that one part sends and others wait for. */
import type { Clock } from '../core/ports.ts';

export class Signal {
  #next = new AbortController();

  /** Aborted by the next notification; a caller that reads it before the state misses none. */
  get next(): AbortSignal {
    return this.#next.signal;
  }

  /** Wakes the waiters; later waits are for the next notification. */
  notify(): void {
    const waited = this.#next;
    this.#next = new AbortController();
    waited.abort();
  }
}

/** True when work ends, with or without an error, within a time; work that takes longer goes on. */
export async function endsWithin(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, clock.sleep(ms, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
}

/** Waits until a signal aborts or the time is over; leaves no listeners behind. */
export async function waitForAny(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  ...signals: readonly AbortSignal[]
): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  const waking = new AbortController();
  const wake = (): void => waking.abort();
  for (const signal of signals) signal.addEventListener('abort', wake, { once: true });
  try {
    await clock.sleep(ms, waking.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', wake);
  }
}
