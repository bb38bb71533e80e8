/** Waits between tries: each longer than the one before, up to a limit. */

export interface Backoff {
  /** Wait before the first retry. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Growth of each wait over the one before; 2 when left out. */
  readonly factor?: number;
  /** Share by which a wait may be shortened, so that the retries of many callers spread out; 0 when left out. */
  readonly jitterShare?: number;
}

/** Limit on the exponent; `maxMs` applies long before it. */
const stepsMax = 30;

/**
 * @param tries failures in a row before this one; 0 for the first
 * @param chance from 0 up to 1, for the jitter
 */
export function computeBackoffMs(backoff: Backoff, tries: number, chance = 0): number {
  const { baseMs, maxMs, factor = 2, jitterShare = 0 } = backoff;
  const waitMs = Math.min(baseMs * factor ** Math.min(tries, stepsMax), maxMs);
  return jitterShare === 0 ? waitMs : Math.round(waitMs * (1 - jitterShare * chance));
}
