/** Jobs that are done once every Bangkok day, at their time or as soon afterwards as the process is there. */
import { dayMs, formatBangkokDate, msSinceBangkokMidnight } from '../core/bangkok-time.ts';
import type { WatchSetup } from './context.ts';
import type { ScheduleStore } from './ports.ts';

export interface DailyJob {
  /** The journal remembers the job by it. */
  readonly name: string;
  /** Time of day in Bangkok, in milliseconds from midnight. */
  readonly atMs: number;
  /**
   * Does the job.
   * @param date the Bangkok day it is done on, YYYYMMDD
   * @returns false when it could not be done yet: it is tried again later
   */
  readonly run: (date: string) => Promise<boolean>;
}

interface DailyJobsSetup extends Pick<WatchSetup, 'clock' | 'log' | 'stop'> {
  readonly store: ScheduleStore;
}

/** How often the clock is looked at, which may be set or have slept. */
const pollMs = 30_000;
/** How soon a job that could not be done is tried again. */
const againMs = 10 * 60_000;

export class DailyJobs {
  readonly #setup: DailyJobsSetup;
  readonly #jobs: readonly DailyJob[];
  readonly #notBeforeMs = new Map<string, number>();

  constructor(setup: DailyJobsSetup, jobs: readonly DailyJob[]) {
    this.#setup = setup;
    this.#jobs = jobs;
  }

  /** Does what is due, and waits for the next look. */
  async step(): Promise<void> {
    for (const job of this.#jobs) if (!this.#setup.stop.aborted) await this.#runIfDue(job);
    await this.#setup.clock.sleep(pollMs, this.#setup.stop);
  }

  async #runIfDue({ name, atMs, run }: DailyJob): Promise<void> {
    const { store, clock, log } = this.#setup;
    const nowMs = clock.now();
    const date = formatBangkokDate(nowMs);
    if (msSinceBangkokMidnight(nowMs) < atMs || this.#isTooSoon(name, nowMs)) return;
    const last = (await store.lastDailyJob(name)) ?? '';
    // A job that was recorded for a day further ahead was not done then.
    if (last > formatBangkokDate(nowMs + dayMs))
      log('warn', 'a daily job was recorded by a clock that was ahead: it is done anew', { job: name, last });
    // A clock that was set back does no job twice.
    else if (last >= date) return;
    log('info', 'a daily job begins', { job: name, date });
    this.#notBeforeMs.set(name, nowMs + againMs);
    if (!(await run(date))) return;
    await store.recordDailyJob(name, date);
    log('info', 'a daily job has ended', { job: name, date });
  }

  /** A wait that is longer than any was counted on a clock that has been set back. */
  #isTooSoon(name: string, nowMs: number): boolean {
    const leftMs = (this.#notBeforeMs.get(name) ?? 0) - nowMs;
    return leftMs > 0 && leftMs <= againMs;
  }
}
