/** How long to wait before something is tried again: longer each time, up to a limit. */

export interface Backoff {
  /** Before the first try after a failure. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** How many times longer each wait is than the one before; 2 when left out. */
  readonly factor?: number;
  /** Shortens a wait by up to this share, so that the tries of many spread out; none when left out. */
  readonly jitterShare?: number;
}

/** Beyond it a power says nothing more than the limit does. */
const stepsMax = 30;

/**
 * @param tries failures in a row before this one; 0 for the first
 * @param chance from 0 up to 1, where there is jitter
 */
export function computeBackoffMs(backoff: Backoff, tries: number, chance = 0): number {
  const { baseMs, maxMs, factor = 2, jitterShare = 0 } = backoff;
  const waitMs = Math.min(baseMs * factor ** Math.min(tries, stepsMax), maxMs);
  return jitterShare === 0 ? waitMs : Math.round(waitMs * (1 - jitterShare * chance));
}
