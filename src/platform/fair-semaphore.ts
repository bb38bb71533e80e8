/**
 * Places for work under way, shared by queues that take turns. A single queue would let a long run of work delay
 * everything behind it.
 */

/** Runs the work as soon as it has a place. */
export type RunInTurn = <T>(work: () => Promise<T>) => Promise<T>;

type Waiting = (() => void)[];

export class FairSemaphore {
  #limit: number;
  #taken = 0;
  /** Queues with waiting work; the first is served next, and then moves to the end. */
  readonly #waiters: Waiting[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Changes the number of places; work under way is not affected. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#serve();
  }

  openQueue(): RunInTurn {
    const waiting: Waiting = [];
    return async (work) => {
      await this.#enter(waiting);
      try {
        return await work();
      } finally {
        this.#taken -= 1;
        this.#serve();
      }
    };
  }

  #enter(waiting: Waiting): Promise<void> | undefined {
    if (this.#taken < this.#limit && this.#waiters.length === 0) {
      this.#taken += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) this.#waiters.push(waiting);
    });
  }

  #serve(): void {
    while (this.#taken < this.#limit) {
      const queue = this.#waiters.shift();
      const enter = queue?.shift();
      if (queue === undefined || enter === undefined) return;
      if (queue.length > 0) this.#waiters.push(queue);
      this.#taken += 1;
      enter();
    }
  }
}
