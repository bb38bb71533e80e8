/** The rate limit: each call that counts has a turn, and leaves while the turn lasts. */
import type { Clock } from '../core/ports.ts';

/** When a call may be sent. */
export interface Turn {
  /** By this machine's elapsed time. */
  readonly atMs: number;
  /** True when its bytes may not leave any more: they would be among those of later turns. */
  isOver(): boolean;
}

/** Waits for the caller's turn; the signal ends every wait at once. */
export type TakeTurn = (signal: AbortSignal) => Promise<Turn>;

/** How much later than its moment a turn may be used: by a machine that has heard of it late, or was busy. */
export const lateMaxMs = 25;

/**
 * How long a turn lasts: a connection to the bank may have to be made first. A call that takes longer was stopped with its
 * process, and others with it: all of them would leave at once.
 */
const lastsMs = 1_000;

/** A turn at a moment of this machine's elapsed time. */
export const makeTurn = (atMs: number, clock: Pick<Clock, 'elapsedMs'>): Turn => ({
  atMs,
  isOver: () => clock.elapsedMs() > atMs + lastsMs,
});

/** Waits for a turn that is not too late when it is used. @param take the next turn of all */
export async function waitForTurn(
  take: () => Turn | Promise<Turn>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Turn> {
  for (;;) {
    const turn = await take();
    const waitMs = turn.atMs - clock.elapsedMs();
    if (waitMs > 0) await clock.sleep(Math.ceil(waitMs), signal);
    if (signal.aborted || clock.elapsedMs() <= turn.atMs + lateMaxMs) return turn;
  }
}

/**
 * Spaces calls evenly, first come first served, over all callers together.
 * @param perSecond turns a second, more than 0
 */
export function makeRateLimiter(perSecond: number, clock: Clock): TakeTurn {
  const intervalMs = 1_000 / perSecond;
  let nextTurnMs = -Infinity;
  const take = (): Turn => {
    const atMs = Math.max(clock.elapsedMs(), nextTurnMs);
    nextTurnMs = atMs + intervalMs;
    return makeTurn(atMs, clock);
  };
  return (signal) => waitForTurn(take, clock, signal);
}
