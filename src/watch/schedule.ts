/** Daily jobs: each runs once every Bangkok day, at its time or as soon afterwards as the process is there. */
import { dayMs, formatBangkokDate, msSinceBangkokMidnight } from '../core/bangkok-time.ts';
import type { WatchSetup } from './context.ts';
import type { ScheduleStore } from './ports.ts';

export interface DailyJob {
  /** The name under which the journal remembers the job. */
  readonly name: string;
  /** The time of day in Bangkok, in milliseconds from midnight. */
  readonly atMs: number;
  /**
   * Does the job.
   * @param date the Bangkok day of the job, YYYYMMDD
   * @returns false when the job is not possible yet; a later try follows
   */
  readonly run: (date: string) => Promise<boolean>;
}

interface DailyJobsSetup extends Pick<WatchSetup, 'clock' | 'log' | 'stop'> {
  readonly store: ScheduleStore;
}

/** The interval between looks at the clock, which may be set or may have slept. */
const pollMs = 30_000;
/** The delay before a job is tried again. */
const againMs = 10 * 60_000;

export class DailyJobs {
  readonly #setup: DailyJobsSetup;
  readonly #jobs: readonly DailyJob[];
  readonly #notBeforeMs = new Map<string, number>();

  constructor(setup: DailyJobsSetup, jobs: readonly DailyJob[]) {
    this.#setup = setup;
    this.#jobs = jobs;
  }

  /** Runs the due jobs, and waits for the next look. */
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
    // A job that was recorded for a later day was not done on that day.
    if (last > formatBangkokDate(nowMs + dayMs))
      log('warn', 'a daily job was recorded by a clock that was ahead: it is done anew', { job: name, last });
    // A clock that was set back does not run a job twice.
    else if (last >= date) return;
    log('info', 'a daily job begins', { job: name, date });
    this.#notBeforeMs.set(name, nowMs + againMs);
    if (!(await run(date))) return;
    await store.recordDailyJob(name, date);
    log('info', 'a daily job has ended', { job: name, date });
  }

  /** Tells whether a retry is too soon; a wait beyond the longest one comes from a clock that was set back. */
  #isTooSoon(name: string, nowMs: number): boolean {
    const leftMs = (this.#notBeforeMs.get(name) ?? 0) - nowMs;
    return leftMs > 0 && leftMs <= againMs;
  }
}
