import type { Clock } from '../../src/core/ports.ts';

/** A clock that moves only when a test moves it. */
export interface FakeClock extends Clock {
  /** Moves on, waking every sleeper on the way at its own time. */
  advance(ms: number): Promise<void>;
  /** Sets the clock, back too, and wakes nobody. */
  set(epochMs: number): void;
  readonly sleepers: number;
}

/** Lets everything that is ready run, real sockets included. */
const settleDown = () => new Promise<void>((resolve) => setImmediate(resolve));

export function makeFakeClock(startMs = Date.parse('2026-11-21T03:00:00Z')): FakeClock {
  let nowMs = startMs;
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper = { atMs: nowMs + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
        if (signal?.aborted === true) wake();
      }),
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settleDown();
      for (;;) {
        const [next] = [...sleepers].filter((one) => one.atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
        await settleDown();
      }
      nowMs = untilMs;
    },
    set(epochMs) {
      nowMs = epochMs;
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}
