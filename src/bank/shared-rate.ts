/**
 * The rate limit where several machines call one bank: turns are reserved in small blocks from all of them together, by
 * a clock that they share, and a turn that comes too late is given up.
 */
import type { Clock } from '../core/ports.ts';
import { insertTurn, lateMaxMs, makeTurn, type TakeTurn, type Turn, waitForTurn } from './rate.ts';

/** Turns that were reserved, by the shared clock: the first, and one each interval after it. */
export interface ReservedSlots {
  readonly firstMs: number;
  readonly intervalMs: number;
  readonly count: number;
  /** What the shared clock showed when they were reserved. */
  readonly nowMs: number;
}

/** @param intervalMs between two turns of all machines */
export type ReserveSlots = (count: number, intervalMs: number) => Promise<ReservedSlots>;

/** How much longer one request may take than another from its turn until the bank counts it. */
const wayMs = 50;

/**
 * How long the answer may take that tells of turns: by so much nobody knows when they are on this machine's clock. While
 * answers take longer, turns are given up, and others reserved that stand further apart.
 */
const answerMs = { least: 25, most: 60_000 } as const;

/** Turns stand so far apart that even with each used as late as it may be no second has more of them than were set. */
const computeIntervalMs = (perSecond: number, answerMaxMs: number): number =>
  (1_000 + lateMaxMs + wayMs + answerMaxMs) / perSecond;

/** So many tenths of a second are reserved at once: what another machine needs soon is not taken away. */
const blocksPerSecond = 10;

/** Whoever reserves may be away for a while: its server is started again. */
const triesMax = 60;
const retryMs = 500;

/**
 * Spaces calls over all machines, first come first served on each.
 * @param perSecond calls of all machines in any second, more than 0
 * @throws what `reserve` throws: nothing is sent without a turn
 */
export function makeSharedRateLimiter(perSecond: number, clock: Clock, reserve: ReserveSlots): TakeTurn {
  const blockMax = Math.max(1, Math.floor(perSecond / blocksPerSecond));
  const turns: Turn[] = [];
  let waiting = 0;
  let reserving: Promise<void> | undefined;

  let answerMaxMs: number = answerMs.least;

  /** @returns undefined when the answer has come too late */
  const reserveOnce = async (count: number): Promise<ReservedSlots | undefined> => {
    const [askedMs, withinMs] = [clock.elapsedMs(), answerMaxMs];
    const reserved = await reserve(count, computeIntervalMs(perSecond, withinMs));
    const isInTime = clock.elapsedMs() - askedMs <= withinMs;
    answerMaxMs = isInTime ? Math.max(answerMs.least, withinMs / 2) : Math.min(answerMs.most, withinMs * 2);
    return isInTime ? reserved : undefined;
  };

  const reserveSurely = async (count: number): Promise<ReservedSlots> => {
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
    const { firstMs, nowMs, count, ...reserved } = await reserveSurely(
      Math.min(Math.max(1, waiting), blockMax),
    );
    // Since it was read the shared clock has gone on: by this machine's, a turn comes rather later than earlier.
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
