/** How many requests of each kind the process has with the bank at once: lanes that follow what its replies say. */
import type { Bank, BankReply, BusinessFields } from '../core/bank-port.ts';
import { FairPlaces, type RunInTurn } from '../platform/fair-semaphore.ts';
import type { WorkerContext } from './context.ts';
import {
  decidePace,
  fullPace,
  lowerPace,
  type LowestPace,
  type PaceSignal,
  type PaceState,
  readPaceSignal,
} from './rules/adaptive-limit.ts';

/** The pace of one kind of request; it outlives the runs of a process, as the bank's mood does. */
export class Pace {
  #state: PaceState;
  #lowest: LowestPace | undefined;
  /** The places of all runs of the process, by their share of the pace. */
  readonly #places = new Map<number, FairPlaces>();

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
   * Opens a lane that obeys the pace; lanes with the same share have their places in common and take turns.
   * @param share places for each request at once
   */
  openLane(share = 1): RunInTurn {
    let places = this.#places.get(share);
    if (places === undefined) {
      places = new FairPlaces(Math.ceil(this.#state.limit * share));
      this.#places.set(share, places);
    }
    return places.openQueue();
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
    for (const [share, places] of this.#places) places.resize(Math.ceil(this.#state.limit * share));
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

// ---- The bank as a run uses it: every reply tells the pace, and no transfer leaves while the service is closed.

/** Sends at the pace; transfers have passed a lane of theirs before, so that none waits once it may leave. */
export function paceBank({ bank, gate, log }: WorkerContext, paces: Paces): Bank {
  const checks = paces.checks.openLane();
  const inquiries = paces.inquiries.openLane();
  async function listen<Fields extends BusinessFields>(
    kind: keyof Paces,
    send: () => Promise<BankReply<Fields>>,
  ): Promise<BankReply<Fields>> {
    const pace: Pace = paces[kind];
    const { round } = pace.state;
    const reply = await send();
    const before = pace.state.limit;
    pace.hear(readPaceSignal(reply), round);
    const { limit, why } = pace.state;
    if (limit < before) log('info', 'slower', { kind, limit, why });
    return reply;
  }
  return {
    checkPayee: (check) => checks(() => listen('checks', () => bank.checkPayee(check))),
    transfer: (order, mayLeave) =>
      listen('transfers', () => bank.transfer(order, () => gate.isServiceOpen && mayLeave())),
    inquire: (inquiry) => inquiries(() => listen('inquiries', () => bank.inquire(inquiry))),
  };
}
