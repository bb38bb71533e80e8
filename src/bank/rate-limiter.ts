import type { Clock } from '../core/ports.ts';

/** Waits for the caller's turn; the signal ends every wait at once. */
export type TakeTurn = (signal: AbortSignal) => Promise<void>;

/**
 * Spaces calls evenly, first come first served, over all callers together.
 * @param perSecond turns a second, more than 0
 */
export function makeRateLimiter(perSecond: number, clock: Clock): TakeTurn {
  const intervalMs = 1_000 / perSecond;
  let lastSeenMs = -Infinity;
  let nextTurnMs = -Infinity;
  return async (signal) => {
    const nowMs = clock.now();
    // A clock that was set back must not make everybody wait until it has caught up.
    if (nowMs < lastSeenMs) nextTurnMs = nowMs + intervalMs;
    lastSeenMs = nowMs;
    const turnMs = Math.max(nowMs, nextTurnMs);
    nextTurnMs = turnMs + intervalMs;
    if (turnMs > nowMs) await clock.sleep(Math.ceil(turnMs - nowMs), signal);
  };
}
