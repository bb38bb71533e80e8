/** How many requests of each kind are with the bank at once: lanes that follow what the bank's replies say. */
import pLimit, { type LimitFunction } from 'p-limit';
import {
  decidePace,
  fullPace,
  lowerPace,
  type LowestPace,
  type PaceSignal,
  type PaceState,
} from '../core/pace.ts';

/** A lane of a pace; closed by whoever opened it. */
interface Lane extends Disposable {
  readonly run: LimitFunction;
}

/** The pace of one kind of request; it outlives the runs of a process, as the bank's mood does. */
export class Pace {
  #state: PaceState;
  #lowest: LowestPace | undefined;
  /** Each lane with its share of the pace. */
  readonly #lanes = new Map<LimitFunction, number>();

  constructor(ceiling: number) {
    this.#state = fullPace(ceiling);
  }

  get state(): PaceState {
    return this.#state;
  }

  /** The lowest since it was last forgotten; undefined when it was never below the settings. */
  get lowest(): LowestPace | undefined {
    return this.#lowest;
  }

  /** Another file begins: what counts for it is the pace from now on. */
  forgetLowest(): void {
    this.#lowest = lowerPace(undefined, this.#state);
  }

  /**
   * Opens a lane that obeys the pace at once; what is under way is left alone.
   * @param share places of the lane for each request at once
   */
  openLane(share = 1): Lane {
    const run = pLimit(Math.ceil(this.#state.limit * share));
    this.#lanes.set(run, share);
    return { run, [Symbol.dispose]: () => void this.#lanes.delete(run) };
  }

  /**
   * Takes note of what a reply says.
   * @param round the state's when its request began
   */
  hear(signal: PaceSignal, round: number): void {
    const { limit } = this.#state;
    this.#state = decidePace(this.#state, signal, round);
    if (this.#state.limit === limit) return;
    this.#lowest = lowerPace(this.#lowest, this.#state);
    for (const [lane, share] of this.#lanes) lane.concurrency = Math.ceil(this.#state.limit * share);
  }
}

/** Each kind of request has a pace of its own: a bank may be slow in one and quick in another. */
export interface Paces {
  readonly transfers: Pace;
  readonly checks: Pace;
  readonly inquiries: Pace;
}

/** Paces at what the settings allow; inquiries take as many places as transfers do. */
export const makePaces = (transferConcurrency: number, verifyConcurrency: number): Paces => ({
  transfers: new Pace(transferConcurrency),
  checks: new Pace(verifyConcurrency),
  inquiries: new Pace(transferConcurrency),
});
