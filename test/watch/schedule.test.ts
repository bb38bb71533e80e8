import { describe, expect, test } from 'vitest';
import { type DailyJob, DailyJobs } from '../../src/watch/schedule.ts';

const hourMs = 3_600_000;
/** 2026-11-21, midnight in Bangkok. */
const midnightMs = Date.UTC(2026, 10, 20, 17);

function makeScene(nowMs: number, isMade: () => boolean = () => true) {
  const made: string[] = [];
  const warned: string[] = [];
  const recorded = new Map<string, string>();
  let now = nowMs;
  const job: DailyJob = {
    name: 'inquiry',
    atMs: 7.5 * hourMs,
    run: async (date) => {
      made.push(date);
      return isMade();
    },
  };
  const jobs = new DailyJobs(
    {
      store: {
        lastDailyJob: async (name) => recorded.get(name),
        recordDailyJob: async (name, date) => void recorded.set(name, date),
      },
      clock: { now: () => now, elapsedMs: () => 0, sleep: async () => undefined },
      log: (level, message) => void (level === 'warn' && warned.push(message)),
      stop: new AbortController().signal,
    },
    [job],
  );
  return { jobs, made, warned, goTo: (ms: number) => (now = ms) };
}

describe('a round of every day', () => {
  test('is made at its time in Bangkok, once', async () => {
    const { jobs, made, goTo } = makeScene(midnightMs + 7 * hourMs);
    await jobs.step();
    expect(made).toEqual([]);
    goTo(midnightMs + 7.5 * hourMs);
    await jobs.step();
    await jobs.step();
    goTo(midnightMs + 23 * hourMs);
    await jobs.step();
    expect(made).toEqual(['20261121']);
  });

  test('is made up for when the process was not there at its time', async () => {
    const { jobs, made } = makeScene(midnightMs + 20 * hourMs);
    await jobs.step();
    expect(made).toEqual(['20261121']);
  });

  test('is made again on the next day, not before its time', async () => {
    const { jobs, made, goTo } = makeScene(midnightMs + 8 * hourMs);
    await jobs.step();
    goTo(midnightMs + 25 * hourMs);
    await jobs.step();
    expect(made).toEqual(['20261121']);
    goTo(midnightMs + 32 * hourMs);
    await jobs.step();
    expect(made).toEqual(['20261121', '20261122']);
  });

  test('is made once although the clock is set back', async () => {
    const { jobs, made, goTo } = makeScene(midnightMs + 8 * hourMs);
    await jobs.step();
    goTo(midnightMs - 10 * hourMs);
    await jobs.step();
    expect(made).toEqual(['20261121']);
  });

  test.each([
    ['years', Date.UTC(2099, 0, 1, 5)],
    ['two days', midnightMs + 56 * hourMs],
  ])(
    'is made although a clock that was %s ahead has recorded one, which is said once',
    async (_name, aheadMs) => {
      const { jobs, made, warned, goTo } = makeScene(aheadMs);
      await jobs.step();
      goTo(midnightMs + 8 * hourMs);
      await jobs.step();
      goTo(midnightMs + 9 * hourMs);
      await jobs.step();
      goTo(midnightMs + 32 * hourMs);
      await jobs.step();
      expect(made.slice(1)).toEqual(['20261121', '20261122']);
      expect(warned).toHaveLength(1);
    },
  );

  test('is tried again after ten minutes when it could not be made', async () => {
    let isThere = false;
    const { jobs, made, goTo } = makeScene(midnightMs + 8 * hourMs, () => isThere);
    await jobs.step();
    goTo(midnightMs + 8 * hourMs + 60_000);
    await jobs.step();
    expect(made).toHaveLength(1);
    isThere = true;
    goTo(midnightMs + 8 * hourMs + 600_000);
    await jobs.step();
    goTo(midnightMs + 9 * hourMs);
    await jobs.step();
    expect(made).toHaveLength(2);
  });

  test('waits no longer than ten minutes for a clock that was set back meanwhile', async () => {
    const { jobs, made, goTo } = makeScene(midnightMs + 20 * hourMs, () => false);
    await jobs.step();
    goTo(midnightMs + 9 * hourMs);
    await jobs.step();
    expect(made).toHaveLength(2);
  });
});
