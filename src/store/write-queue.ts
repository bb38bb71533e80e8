/** The queue where the writers of the journal wait for one another, and for other processes, while the loop goes on. */
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { JournalLockedError, lockWaitMs, withoutWaiting } from './connection.ts';

/** The pause between two tries to begin a transaction while another process writes. */
const retryMs = 20;

/**
 * The writes of one connection, each with one transaction of its own, one after the other in the order in which they
 * were asked for. One that finds the queue empty is run at once. One that another process keeps from beginning is
 * tried again: nothing of it has happened yet.
 */
export class WriteQueue {
  readonly #db: DatabaseSync;
  readonly #waitMs: number;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  /** The time when a write last got through: until then, writes have waited for this process, not for another. */
  #throughAtMs = 0;

  /** @param waitMs how long another process may keep a write from beginning */
  constructor(db: DatabaseSync, waitMs: number = lockWaitMs) {
    this.#db = db;
    this.#waitMs = waitMs;
  }

  /**
   * Runs a write when its turn has come.
   * @param write begins with its transaction, before it awaits anything
   * @throws JournalWriteError when another process keeps the journal locked for too long; whatever `write` throws
   */
  async run<T>(write: () => T | Promise<T>): Promise<T> {
    const askedAtMs = performance.now();
    if (this.#isTaken) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#isTaken = true;
    try {
      const result = await this.#runOnceUnlocked(write, askedAtMs);
      this.#throughAtMs = performance.now();
      return result;
    } finally {
      const next = this.#waiting.shift();
      // The next one has the turn from now on: no other can slip in before it wakes.
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }

  async #runOnceUnlocked<T>(write: () => T | Promise<T>, askedAtMs: number): Promise<T> {
    for (;;) {
      try {
        return await withoutWaiting(this.#db, write);
      } catch (error) {
        const waitedMs = performance.now() - Math.max(askedAtMs, this.#throughAtMs);
        if (!(error instanceof JournalLockedError) || waitedMs >= this.#waitMs) throw error;
      }
      await sleep(retryMs);
    }
  }
}
