/**
 * The rate limit when several machines call one bank. Turns are reserved in small blocks across all machines, by a
 * shared clock; a turn that comes too late is given up.
 */
import type { Clock } from '../core/ports.ts';
import { insertTurn, lateMaxMs, makeTurn, type TakeTurn, type Turn, waitForTurn } from './rate.ts';

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
 * Spaces calls over all machines, first come, first served on each.
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
