import { uptime } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../core/ports.ts';

/** Longest wait of the platform's timers; a longer one would end at once. Whoever waits looks again anyway. */
const timerMaxMs = 2_147_483_647;

/** What the machine shows at one moment. */
interface MachineTimes {
  /** Epoch milliseconds, which may be set. */
  readonly wallMs: number;
  /** Nobody sets it; it stands still while the machine sleeps. */
  readonly awakeMs: number;
}

/** Wall and timer apart by more than this since the last look: one was set, or the machine has slept. */
const driftMaxMs = 1_000;

/**
 * Time that goes on while the machine sleeps and that nobody can set. The system tells it by a file, which costs more
 * than the two clocks at hand: it is asked only when these disagree.
 * @param uptimeMs since the machine started, its sleep included
 */
export function makeElapsedTime(read: () => MachineTimes, uptimeMs: () => number): () => number {
  let [seen, seenUptimeMs, elapsedMs] = [read(), uptimeMs(), 0];
  return () => {
    const now = read();
    const awakeMs = now.awakeMs - seen.awakeMs;
    if (Math.abs(now.wallMs - seen.wallMs - awakeMs) <= driftMaxMs) return elapsedMs + awakeMs;
    const nowUptimeMs = uptimeMs();
    elapsedMs += Math.max(awakeMs, nowUptimeMs - seenUptimeMs);
    [seen, seenUptimeMs] = [now, nowUptimeMs];
    return elapsedMs;
  };
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: makeElapsedTime(
    () => ({ wallMs: Date.now(), awakeMs: performance.now() }),
    () => uptime() * 1_000,
  ),
  sleep: async (ms, signal) => {
    try {
      await wait(Math.min(Math.max(0, ms), timerMaxMs), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    }
  },
};
