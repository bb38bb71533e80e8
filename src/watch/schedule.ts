/** Rounds that are made once every Bangkok day, at their time or as soon afterwards as the process is there. */
import { formatBangkokDate, msSinceBangkokMidnight } from '../core/bangkok-time.ts';
import type { Clock } from '../core/ports.ts';
import type { Log } from '../payout/context.ts';
import type { ScheduleStore } from './ports.ts';

export interface Round {
  /** The journal remembers the round by it. */
  readonly name: string;
  /** Time of day in Bangkok, in milliseconds from midnight. */
  readonly atMs: number;
  /**
   * Makes the round.
   * @param date the Bangkok day it is made on, YYYYMMDD
   * @returns false when it could not be made yet: it is tried again later
   */
  readonly make: (date: string) => Promise<boolean>;
}

interface RoundsSetup {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** How often the clock is looked at, which may be set or have slept. */
const lookMs = 30_000;
/** How soon a round that could not be made is tried again. */
const againMs = 10 * 60_000;
/** A round that was recorded for a day further ahead than this was not made then. */
const dayMs = 24 * 60 * 60_000;

export class Rounds {
  readonly #setup: RoundsSetup;
  readonly #rounds: readonly Round[];
  readonly #notBeforeMs = new Map<string, number>();

  constructor(setup: RoundsSetup, rounds: readonly Round[]) {
    this.#setup = setup;
    this.#rounds = rounds;
  }

  /** Makes what is due, and waits for the next look. */
  async step(): Promise<void> {
    for (const round of this.#rounds) if (!this.#setup.stop.aborted) await this.#makeIfDue(round);
    await this.#setup.clock.sleep(lookMs, this.#setup.stop);
  }

  async #makeIfDue({ name, atMs, make }: Round): Promise<void> {
    const { store, clock, log } = this.#setup;
    const nowMs = clock.now();
    const date = formatBangkokDate(nowMs);
    if (msSinceBangkokMidnight(nowMs) < atMs || this.#isTooSoon(name, nowMs)) return;
    const last = (await store.lastRound(name)) ?? '';
    if (last > formatBangkokDate(nowMs + dayMs))
      log('warn', 'a round was recorded by a clock that was ahead: it is made anew', { round: name, last });
    // A clock that was set back makes no round twice.
    else if (last >= date) return;
    log('info', 'a round begins', { round: name, date });
    this.#notBeforeMs.set(name, nowMs + againMs);
    if (!(await make(date))) return;
    await store.recordRound(name, date);
    log('info', 'a round has ended', { round: name, date });
  }

  /** A wait that is longer than any was counted on a clock that has been set back. */
  #isTooSoon(name: string, nowMs: number): boolean {
    const leftMs = (this.#notBeforeMs.get(name) ?? 0) - nowMs;
    return leftMs > 0 && leftMs <= againMs;
  }
}
