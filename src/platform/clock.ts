import { uptime } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../core/ports.ts';

/**
 * Longest wait of the platform's timers in ms; a longer one would end at once. Waiting code checks the time again
 * anyway.
 */
const timerMaxMs = 2_147_483_647;

/** The times of the machine at one moment. */
interface MachineTimes {
  /** Epoch milliseconds; can be set. */
  readonly wallMs: number;
  /** Cannot be set; stands still while the machine sleeps. */
  readonly awakeMs: number;
}

/**
 * Largest difference in ms between wall clock and timer since the last reading; a larger one means that the clock was
 * set or the machine slept.
 */
const driftMaxMs = 1_000;

/**
 * Elapsed time that includes sleep and cannot be set. The system provides it in a file, whose reading costs more than
 * the two clocks at hand, so it is read only when these disagree.
 * @param uptimeMs time since the machine started, sleep included @forTests
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
