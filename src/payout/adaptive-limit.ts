/** Limits the requests to the bank, for each kind to as many at once as the bank's replies allow. */
import type { BankReply } from '../core/bank-port.ts';
import type { Log } from '../core/ports.ts';
import { FairSemaphore, type RunInTurn } from '../platform/fair-semaphore.ts';
import type { BankClock } from './bank-clock.ts';
import type { BreakerGate, Pass } from './circuit-breaker.ts';
import {
  bindLimit,
  decideLimit,
  fullLimit,
  type LimitState,
  lowerLimit,
  type LowestLimit,
} from './rules/adaptive-limit.ts';
import type { BreakerSignal, LimitSignal, ReadReply } from './rules/read-reply.ts';
import { computeAhead, noSendTimes, type SendTimes, withSendTime } from './rules/intents-ahead.ts';
import type { HeardOfBank, SharedLimit } from './rules/shared-limit.ts';

const nothingHeard = { answers: 0, trouble: null };

/**
 * Kind of a lane: `at-once` has one place for each request at the bank, `ahead` also has places for rows made ready in
 * advance.
 */
type LaneKind = 'at-once' | 'ahead';

/** The limit of one kind of request. It outlives the runs of a process, as the state of the bank does. */
export class AdaptiveLimit {
  state: LimitState;
  /** Lowest limit since `forgetLowest`; undefined when it was never below the settings. */
  lowest: LowestLimit | undefined;
  /** Replies since the last report to the other machines. */
  #heard: Omit<HeardOfBank, 'round'> = nothingHeard;
  /** Round of the limit of all machines, as known to this one. */
  #round = 0;
  #times = noSendTimes;
  #machines = 1;
  #inDoubt = 0;
  readonly #inDoubtMax: number;
  /** Places for all runs of the process. */
  readonly #places = new Map<LaneKind, FairSemaphore>();

  /** @param inDoubtMax number of rows in doubt that halts; it bounds the intents recorded ahead */
  constructor(ceiling: number, inDoubtMax = Infinity) {
    this.state = fullLimit(ceiling);
    this.#inDoubtMax = inDoubtMax;
  }

  /** Forgets the lowest limit when another file begins: its own lowest limit counts from now on. */
  forgetLowest(): void {
    this.lowest = lowerLimit(undefined, this.state);
  }

  /** Opens a lane that obeys the limit. Lanes of one kind share their places and take turns. */
  openLane(kind: LaneKind = 'at-once'): RunInTurn {
    let places = this.#places.get(kind);
    if (places === undefined) {
      places = new FairSemaphore(this.#countPlaces(kind));
      this.#places.set(kind, places);
    }
    return places.openQueue();
  }

  /** Records the duration of a step of a send, which decides how many rows are made ready ahead. */
  noteTime(step: keyof SendTimes, ms: number): void {
    this.#times = withSendTime(this.#times, step, ms);
    this.#resizeAhead();
  }

  /** Records the number of machines that make such requests; the more, the fewer rows each makes ready ahead. */
  noteMachines(machines: number): void {
    this.#machines = Math.max(1, machines);
    this.#resizeAhead();
  }

  /** Records the rows in doubt that no process has under way; the more, the fewer rows are made ready ahead. */
  noteDoubt(rows: number): void {
    this.#inDoubt = rows;
    this.#resizeAhead();
  }

  #resizeAhead(): void {
    this.#places.get('ahead')?.resize(this.#countPlaces('ahead'));
  }

  #countPlaces(kind: LaneKind): number {
    const { limit } = this.state;
    if (kind === 'at-once') return limit;
    const bounds = {
      limit,
      machines: this.#machines,
      inDoubtMax: this.#inDoubtMax,
      inDoubt: this.#inDoubt,
    };
    return limit + computeAhead(this.#times, bounds);
  }

  /**
   * Adjusts the limit to a reply.
   * @param round round of the state when the request began
   */
  observe(signal: LimitSignal, round: number): void {
    const before = this.state;
    this.#become(decideLimit(before, signal, round));
    if (this.state.round !== before.round) this.#heard = { ...this.#heard, trouble: this.state.why };
    else if (signal.kind === 'good' && round === before.round)
      this.#heard = { ...this.#heard, answers: this.#heard.answers + 1 };
  }

  /** Returns the news for the other machines, once. */
  takeHeard(): HeardOfBank {
    const heard = { ...this.#heard, round: this.#round };
    this.#heard = nothingHeard;
    return heard;
  }

  /**
   * Binds the limit to this machine's share.
   * @param whole limit of all machines
   */
  bind(bound: number, { round, why }: Pick<SharedLimit, 'round' | 'why'>): void {
    this.#round = round;
    this.#become(bindLimit(this.state, bound, why));
  }

  #become(next: LimitState): void {
    const { limit } = this.state;
    this.state = next;
    if (next.limit === limit) return;
    this.lowest = lowerLimit(this.lowest, this.state);
    for (const [kind, places] of this.#places) places.resize(this.#countPlaces(kind));
  }
}

/** One limit for each kind of request: a bank may be slow in one and fast in another. */
export interface AdaptiveLimits {
  readonly transfers: AdaptiveLimit;
  readonly checks: AdaptiveLimit;
  readonly inquiries: AdaptiveLimit;
}

/**
 * Limits at the settings' maximum; inquiries get as many places as transfers.
 * @param inDoubtMax number of rows in doubt that halts
 */
export const makeAdaptiveLimits = (
  transferConcurrency: number,
  verifyConcurrency: number,
  inDoubtMax?: number,
): AdaptiveLimits => ({
  transfers: new AdaptiveLimit(transferConcurrency, inDoubtMax),
  checks: new AdaptiveLimit(verifyConcurrency),
  inquiries: new AdaptiveLimit(transferConcurrency),
});

/** Makes a request under the limit of its kind; the limit learns from the reply. */
type LimitRequest = <Said extends Pick<ReadReply<unknown>, 'limit'>>(
  kind: keyof AdaptiveLimits,
  ask: () => Promise<Said>,
) => Promise<Said>;

/**
 * Applies the limits of the process to the requests of one run. Transfers wait for a place before they come here, so
 * that none waits once it may leave.
 */
export function limitRequests(limits: AdaptiveLimits, log: Log): LimitRequest {
  const lanes = { checks: limits.checks.openLane(), inquiries: limits.inquiries.openLane() };
  const listen: LimitRequest = async (kind, ask) => {
    const limit = limits[kind];
    const { round } = limit.state;
    const said = await ask();
    const before = limit.state.limit;
    limit.observe(said.limit, round);
    const { state } = limit;
    if (state.limit < before)
      log('info', 'fewer requests at a time', { kind, limit: state.limit, why: state.why });
    return said;
  };
  return (kind, ask) => (kind === 'transfers' ? listen(kind, ask) : lanes[kind](() => listen(kind, ask)));
}

/** Dependencies of a request to the bank. */
export interface CallContext {
  /** The gate of the payer account's breaker. */
  readonly gate: BreakerGate;
  readonly bankClock: BankClock;
  /** Applies the limits of the process; left out: no limits. */
  readonly limitRequest?: LimitRequest;
}

interface BankCall<Fields, Finding> {
  /** Pass of the gate, returned when the reply is read. */
  readonly pass: Pass;
  readonly kind: keyof AdaptiveLimits;
  readonly send: () => Promise<BankReply<Fields>>;
  readonly read: (reply: BankReply<Fields>) => ReadReply<Finding>;
}

/**
 * Makes a request that has passed the gate. The reply is read once, and passed on to the breaker, the limit and the
 * bank clock.
 */
export async function callBank<Fields, Finding>(
  { bankClock, limitRequest }: CallContext,
  { pass, kind, send, read }: BankCall<Fields, Finding>,
): Promise<ReadReply<Finding>> {
  let signal: BreakerSignal = { kind: 'nothing' };
  const ask = async (): Promise<ReadReply<Finding>> => read(await send());
  try {
    const said = await (limitRequest === undefined ? ask() : limitRequest(kind, ask));
    bankClock.see(said);
    signal = said.breaker;
    return said;
  } finally {
    pass.leave(signal);
  }
}
