/** A clock that a test drives: it jumps to the next sleeper as soon as neither the disk nor anything else is at work. */
import type { Clock } from '../../src/core/ports.ts';

export interface DrivenClock {
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets. */
  elapsedMs(): number;
  /** Lets everything run that is ready, the disk's work included. */
  quieten(): Promise<void>;
  /** Drives until the work is done. */
  drive<T>(work: Promise<T>): Promise<T>;
  /** Drives until something holds. @throws when it does not within this time of the clock */
  until(isSo: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  /** Drives for so long. */
  pass(ms: number): Promise<void>;
  /** Sets the clock. Timers know nothing of that: they ring when they would have. */
  jump(ms: number): void;
}

/** Turns of the loop in which the disk did nothing, before nothing is taken to happen. */
const quietTurns = 8;

const isDiskAtWork = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /^(?:FS|Close)Req/.test(name));

async function quieten(): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDiskAtWork()) quiet = 0;
  }
}

interface Sleeper {
  atMs: number;
  readonly wake: () => void;
}

export function makeDrivenClock(startMs: number): DrivenClock {
  let nowMs = startMs;
  let jumpedMs = 0;
  const sleepers = new Set<Sleeper>();
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { atMs: nowMs + Math.max(0, ms), wake };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
      if (signal?.aborted === true) wake();
    });
  /** @returns false when nobody wakes until then */
  const wakeNext = (untilMs: number): boolean => {
    let next: Sleeper | undefined;
    for (const one of sleepers) if (next === undefined || one.atMs < next.atMs) next = one;
    if (next === undefined || next.atMs > untilMs) return false;
    nowMs = Math.max(nowMs, next.atMs);
    next.wake();
    return true;
  };
  const until: DrivenClock['until'] = async (isSo, withinMs = 600_000) => {
    let leftMs = withinMs;
    for (;;) {
      await quieten();
      if (await isSo()) return;
      const beforeMs = nowMs;
      if (!wakeNext(nowMs + leftMs)) throw new Error(`it did not come to be within ${withinMs} ms`);
      leftMs -= nowMs - beforeMs;
    }
  };
  return {
    clock: { now: () => nowMs, sleep },
    elapsedMs: () => nowMs - jumpedMs,
    quieten,
    until,
    async drive(work) {
      let isDone = false;
      const watched = work.finally(() => {
        isDone = true;
      });
      watched.catch(() => undefined);
      await until(() => isDone);
      return watched;
    },
    async pass(ms) {
      const untilMs = nowMs + ms;
      do await quieten();
      while (wakeNext(untilMs));
      nowMs = untilMs;
    },
    jump(ms) {
      nowMs += ms;
      jumpedMs += ms;
      if (ms < 0) for (const sleeper of sleepers) sleeper.atMs += ms;
    },
  };
}
