/** The clock of the tests: nothing moves it but the test, and whoever sleeps on it wakes when the test says so. */
import type { Clock } from '../../src/core/ports.ts';

export interface VirtualClock extends Clock {
  /** Milliseconds since it was made, by a clock that nobody sets. */
  elapsedMs(): number;
  /** How many sleep now. */
  readonly sleepers: number;
  /** Lets everything run that is ready, sockets and the disk's work included. */
  quieten(): Promise<void>;
  /** Moves on by so much, waking every sleeper on the way at his own time. */
  advance(ms: number): Promise<void>;
  /** The same, until it shows this time. */
  advanceTo(epochMs: number): Promise<void>;
  /**
   * Jumps to the next sleeper as soon as nothing else can happen, until the work is done.
   * @throws Error when nobody sleeps and the work is not done, or it never ends
   */
  drive<T>(work: Promise<T>): Promise<T>;
  /** The same until something holds. @throws Error when it does not within this time */
  until(isSo: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  /** Time passes at once: for code that looks at the clock and does not sleep. */
  skip(ms: number): void;
  /** Somebody sets the clock. Timers know nothing of that: they ring when they would have. */
  set(epochMs: number): void;
  /** The same, by so much. */
  jump(ms: number): void;
}

/** 2026-11-21 12:00:00 in Bangkok. */
const noonMs = Date.UTC(2026, 10, 21, 5);

/** Turns of the loop without work of the disk after which nothing is taken to happen: a commit waits several for company. */
const quietTurns = 20;
/** More sleepers than any test wakes. */
const wakingsMax = 20_000;

const isDiskAtWork = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /^(?:FS|Close)Req/.test(name));

/** Without a disk or sockets all that is ready has run when the loop has turned once more. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function quietenAll(): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; quiet += 1) {
    await nextTurn();
    if (isDiskAtWork()) quiet = 0;
  }
}

/** Those who sleep, by the time that has elapsed. */
class Sleepers {
  elapsedMs = 0;
  readonly #waiting = new Set<{ readonly atMs: number; readonly wake: () => void }>();

  get size(): number {
    return this.#waiting.size;
  }

  add(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { atMs: this.elapsedMs + Math.max(0, ms), wake };
      this.#waiting.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
      if (signal?.aborted === true) wake();
    });
  }

  /** @returns false when nobody wakes until then */
  wakeNext(untilMs: number): boolean {
    const [first, ...others] = this.#waiting;
    if (first === undefined) return false;
    const next = others.reduce((one, other) => (other.atMs < one.atMs ? other : one), first);
    if (next.atMs > untilMs) return false;
    this.elapsedMs = Math.max(this.elapsedMs, next.atMs);
    next.wake();
    return true;
  }
}

/**
 * A clock that shows this time; noon in Bangkok on the day of the tests, unless told otherwise.
 * @param isInMemory what runs by it writeSet neither a disk nor a socket
 */
export function makeVirtualClock(startMs = noonMs, isInMemory = false): VirtualClock {
  const quieten = isInMemory ? nextTurn : quietenAll;
  const sleepers = new Sleepers();
  let setMs = startMs;
  const now = (): number => setMs + sleepers.elapsedMs;
  const until: VirtualClock['until'] = async (isSo, withinMs = Infinity) => {
    const endsMs = sleepers.elapsedMs + withinMs;
    for (let wakings = 0; wakings < wakingsMax; wakings += 1) {
      await quieten();
      if (await isSo()) return;
      if (!sleepers.wakeNext(endsMs)) throw new Error('nobody sleeps any more, and it did not come to be');
    }
    throw new Error('it never ends');
  };
  const advance: VirtualClock['advance'] = async (ms) => {
    const endsMs = sleepers.elapsedMs + ms;
    do await quieten();
    while (sleepers.wakeNext(endsMs));
    sleepers.elapsedMs = endsMs;
  };
  return {
    now,
    sleep: (ms, signal) => sleepers.add(ms, signal),
    elapsedMs: () => sleepers.elapsedMs,
    get sleepers() {
      return sleepers.size;
    },
    quieten,
    advance,
    advanceTo: (epochMs) => advance(epochMs - now()),
    async drive(work) {
      let isDone = false;
      const watched = work.finally(() => {
        isDone = true;
      });
      watched.catch(() => undefined);
      await until(() => isDone);
      return watched;
    },
    until,
    skip: (ms) => void (sleepers.elapsedMs += ms),
    set: (epochMs) => void (setMs = epochMs - sleepers.elapsedMs),
    jump: (ms) => void (setMs += ms),
  };
}
