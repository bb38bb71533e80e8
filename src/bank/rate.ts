/** The rate limit: each counted call has a turn and leaves during that turn. */
import type { Clock } from '../core/ports.ts';

/** The moment at which a call may be sent. */
interface Turn {
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
const lateMaxMs = 25;

/**
 * Length of a turn in ms: a connection to the bank may have to be made first. A call that takes longer was suspended
 * with its process, together with others, and all of them would leave at once.
 */
const lastsMs = 1_000;

/** Makes a turn at a moment of this machine's elapsed time. */
const makeTurn = (atMs: number, clock: Pick<Clock, 'elapsedMs'>): Turn => ({
  atMs,
  isOver: () => clock.elapsedMs() > atMs + lastsMs,
});

/** Waits for a turn that is not too late to use; undefined when the signal ends the wait. */
async function waitForTurn(turns: TurnSource, clock: Clock, signal: AbortSignal): Promise<Turn | undefined> {
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
function insertTurn(turns: Turn[], turn: Turn): void {
  const place = turns.findIndex(({ atMs }) => atMs > turn.atMs);
  turns.splice(place < 0 ? turns.length : place, 0, turn);
}

// ---------------------------------------------------------------- shared by machines

/** Reserved turns by the shared clock: the first, and one more after each interval. */
interface ReservedSlots {
  readonly firstMs: number;
  readonly intervalMs: number;
  readonly count: number;
  /** Time of the shared clock at the reservation. */
  readonly nowMs: number;
}

/**
 * Reserves turns.
 * @param intervalMs between two turns, over all machines
 */
export type ReserveSlots = (count: number, intervalMs: number) => Promise<ReservedSlots>;

/** Largest difference in ms between requests in the time from turn to the bank's count. */
const wayMs = 50;

/**
 * Limits on the answer time of a reservation, in ms: the turns' times on this machine's clock are uncertain by as much.
 * While answers take longer, turns are given up, and new ones are reserved further apart.
 */
const answerMs = { least: 25, most: 60_000 } as const;

/** Interval at which no second has more calls than set, even when each turn is used as late as allowed. */
const computeIntervalMs = (perSecond: number, answerMaxMs: number): number =>
  (1_000 + lateMaxMs + wayMs + answerMaxMs) / perSecond;

/** Blocks reserved a second; small, so that other machines get their turns soon. */
const blocksPerSecond = 10;

/** Tries to reserve: the server may be away for a while, for example during a restart. */
const triesMax = 60;
const retryMs = 500;

/**
 * Spaces calls over all machines that call one bank, first come, first served on each. Turns are reserved in small blocks
 * by a shared clock; a turn that comes too late is given up.
 * @param perSecond calls of all machines in any second, more than 0
 * @throws what `reserve` throws; nothing is sent without a turn
 */
export function makeSharedRateLimiter(perSecond: number, clock: Clock, reserve: ReserveSlots): TakeTurn {
  const blockMax = Math.max(1, Math.floor(perSecond / blocksPerSecond));
  const turns: Turn[] = [];
  let waiting = 0;
  let reserving: Promise<void> | undefined;

  let answerMaxMs: number = answerMs.least;

  /** @returns undefined when the answer comes too late */
  const reserveOnce = async (count: number): Promise<ReservedSlots | undefined> => {
    const [askedMs, withinMs] = [clock.elapsedMs(), answerMaxMs];
    const reserved = await reserve(count, computeIntervalMs(perSecond, withinMs));
    const isInTime = clock.elapsedMs() - askedMs <= withinMs;
    answerMaxMs = isInTime ? Math.max(answerMs.least, withinMs / 2) : Math.min(answerMs.most, withinMs * 2);
    return isInTime ? reserved : undefined;
  };

  const reserveWithRetries = async (count: number): Promise<ReservedSlots> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const reserved = await reserveOnce(count);
        if (reserved !== undefined) return reserved;
        continue;
      } catch (error) {
        if (tries >= triesMax) throw error;
      }
      await clock.sleep(retryMs);
    }
  };

  const reserveMore = async (): Promise<void> => {
    const { firstMs, nowMs, count, ...reserved } = await reserveWithRetries(
      Math.min(Math.max(1, waiting), blockMax),
    );
    // The shared clock has advanced since it was read: on this machine's clock a turn comes rather later than earlier.
    const startMs = clock.elapsedMs() + firstMs - nowMs;
    for (let place = 0; place < count; place += 1)
      turns.push(makeTurn(startMs + place * reserved.intervalMs, clock));
  };

  const takeReserved = async (): Promise<Turn> => {
    for (;;) {
      const turn = turns.shift();
      if (turn !== undefined) return turn;
      reserving ??= reserveMore().finally(() => (reserving = undefined));
      await reserving;
    }
  };

  const all = { take: takeReserved, giveBack: (turn: Turn): void => insertTurn(turns, turn) };

  return async (signal) => {
    waiting += 1;
    try {
      return await waitForTurn(all, clock, signal);
    } finally {
      waiting -= 1;
    }
  };
}
