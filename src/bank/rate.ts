/** The rate limit: each counted call has a turn and leaves during that turn. */
import type { Clock } from '../core/ports.ts';

/** The moment at which a call may be sent. */
export interface Turn {
  /** Elapsed time of this machine, in ms. */
  readonly atMs: number;
  /** True when the bytes may not leave any more: they would fall among those of later turns. */
  isOver(): boolean;
}

/** Waits for the caller's turn; undefined when the signal ends the wait. */
export type TakeTurn = (signal: AbortSignal) => Promise<Turn | undefined>;

/** Gives turns, the earliest first. */
interface TurnSource {
  /** Takes the next turn. */
  take(): Turn | Promise<Turn>;
  /** Gives back an unused turn that has not come yet, so that another call can take it. */
  giveBack(turn: Turn): void;
}

/** Longest delay in ms with which a turn may be used, by a machine that learned of it late or was busy. */
export const lateMaxMs = 25;

/**
 * Length of a turn in ms: a connection to the bank may have to be made first. A call that takes longer was suspended
 * with its process, together with others, and all of them would leave at once.
 */
const lastsMs = 1_000;

/** Makes a turn at a moment of this machine's elapsed time. */
export const makeTurn = (atMs: number, clock: Pick<Clock, 'elapsedMs'>): Turn => ({
  atMs,
  isOver: () => clock.elapsedMs() > atMs + lastsMs,
});

/** Waits for a turn that is not too late to use; undefined when the signal ends the wait. */
export async function waitForTurn(
  turns: TurnSource,
  clock: Clock,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  while (!signal.aborted) {
    const turn = await takeUnlessAborted(turns, signal);
    if (turn === undefined) break;
    const waitMs = turn.atMs - clock.elapsedMs();
    if (waitMs > 0) await clock.sleep(Math.ceil(waitMs), signal);
    const isLate = clock.elapsedMs() > turn.atMs + lateMaxMs;
    if (signal.aborted) turns.giveBack(turn);
    else if (!isLate) return turn;
  }
  return undefined;
}

/** Gives back a turn that arrives after the wait was ended. */
async function takeUnlessAborted(turns: TurnSource, signal: AbortSignal): Promise<Turn | undefined> {
  const taken = turns.take();
  if (!(taken instanceof Promise)) return taken;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const abort = (): void => resolve(undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const turn = await Promise.race([taken, aborted]);
    if (turn === undefined) void taken.then((late) => turns.giveBack(late)).catch(() => undefined);
    return turn;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Spaces calls evenly over all callers, first come, first served.
 * @param perSecond turns a second, more than 0
 */
export function makeRateLimiter(perSecond: number, clock: Clock): TakeTurn {
  const intervalMs = 1_000 / perSecond;
  let nextTurnMs = -Infinity;
  const givenBack: Turn[] = [];
  const takeAgain = (nowMs: number): Turn | undefined => {
    let turn = givenBack.shift();
    while (turn !== undefined && turn.atMs < nowMs) turn = givenBack.shift();
    return turn;
  };
  const turns: TurnSource = {
    take() {
      const nowMs = clock.elapsedMs();
      const again = takeAgain(nowMs);
      if (again !== undefined) return again;
      const atMs = Math.max(nowMs, nextTurnMs);
      nextTurnMs = atMs + intervalMs;
      return makeTurn(atMs, clock);
    },
    giveBack: (turn) => insertTurn(givenBack, turn),
  };
  return (signal) => waitForTurn(turns, clock, signal);
}

/** Inserts a turn in order of time. */
export function insertTurn(turns: Turn[], turn: Turn): void {
  const place = turns.findIndex(({ atMs }) => atMs > turn.atMs);
  turns.splice(place < 0 ? turns.length : place, 0, turn);
}
