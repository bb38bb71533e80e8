/** Rows by status, which are costly to count: counted now and then, and only after something has changed. */
import type { PayoutStatus } from '../core/payout.ts';

export type CountsByStatus = ReadonlyMap<PayoutStatus, number>;

export interface StatusSource {
  /** Reads every row; undefined while there is no journal to read. */
  readonly countByStatus: () => Promise<CountsByStatus | undefined>;
  /** Another number after every change of a payout, whoever made it. */
  readonly changeCount: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const restMs = 60_000;

export class StatusCounts {
  readonly #source: StatusSource;
  #known: CountsByStatus | undefined;
  #changes: number | undefined;
  #readAtMs: number | undefined;
  /** There was no journal: to ask again costs nothing. */
  #isIdle = false;
  #underWay: Promise<CountsByStatus | undefined> | undefined;

  constructor(source: StatusSource) {
    this.#source = source;
  }

  /**
   * The latest counts, at most a minute behind; undefined while there is no journal to read.
   * @throws what the source throws, a minute apart
   */
  async read(): Promise<CountsByStatus | undefined> {
    if (this.#underWay === undefined && this.#isDue()) {
      this.#underWay = this.#count().finally(() => {
        this.#readAtMs = this.#source.now();
        this.#underWay = undefined;
      });
    }
    return this.#underWay ?? this.#known;
  }

  #isDue(): boolean {
    if (this.#readAtMs === undefined || this.#isIdle) return true;
    const sinceMs = this.#source.now() - this.#readAtMs;
    // A clock that was set back would make the rest a long one.
    const isRested = sinceMs >= restMs || sinceMs < 0;
    return isRested && this.#changes !== this.#source.changeCount();
  }

  async #count(): Promise<CountsByStatus | undefined> {
    // Read first: what changes while the rows are counted is a reason to count again.
    const changes = this.#source.changeCount();
    this.#known = undefined;
    this.#changes = undefined;
    this.#isIdle = false;
    this.#known = await this.#source.countByStatus();
    this.#isIdle = this.#known === undefined;
    this.#changes = changes;
    return this.#known;
  }
}
