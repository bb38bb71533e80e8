/** Requests to the bank, as many of each kind at once as its replies show it to bear. */
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
import type { HeardOfBank, WholeLimit } from './rules/shared-limit.ts';

const nothingHeard = { answers: 0, trouble: null };

/** Whose places: of requests at once, or of these and what is made ready for them ahead. */
export type LaneKind = 'at-once' | 'ahead';

/** The limit of one kind of request; it outlives the runs of a process, as the bank's mood does. */
export class AdaptiveLimit {
  state: LimitState;
  /** The lowest since it was last forgotten; undefined when it was never below the settings. */
  lowest: LowestLimit | undefined;
  /** Heard since the other machines were last told. */
  #heard: Omit<HeardOfBank, 'round'> = nothingHeard;
  /** That of the limit of all machines, as this one knows it. */
  #round = 0;
  #times = noSendTimes;
  #machines = 1;
  #inDoubt = 0;
  readonly #inDoubtMax: number;
  /** The places of all runs of the process. */
  readonly #places = new Map<LaneKind, FairSemaphore>();

  /** @param inDoubtMax so many rows in doubt halt, which bounds what is made ready ahead */
  constructor(ceiling: number, inDoubtMax = Infinity) {
    this.state = fullLimit(ceiling);
    this.#inDoubtMax = inDoubtMax;
  }

  /** Another file begins: what counts for it is the limit from now on. */
  forgetLowest(): void {
    this.lowest = lowerLimit(undefined, this.state);
  }

  /** Opens a lane that obeys the limit; lanes of a kind have their places in common and take turns. */
  openLane(kind: LaneKind = 'at-once'): RunInTurn {
    let places = this.#places.get(kind);
    if (places === undefined) {
      places = new FairSemaphore(this.#countPlaces(kind));
      this.#places.set(kind, places);
    }
    return places.openQueue();
  }

  /** Takes note of what a step of a send has taken: it decides how many are made ready ahead. */
  noteTime(step: keyof SendTimes, ms: number): void {
    this.#times = withSendTime(this.#times, step, ms);
    this.#resizeAhead();
  }

  /** How many machines make such requests: each makes the fewer ready ahead. */
  noteMachines(machines: number): void {
    this.#machines = Math.max(1, machines);
    this.#resizeAhead();
  }

  /** How many rows are in doubt that nobody has under way: the fewer are made ready ahead. */
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
   * Takes note of what a reply says.
   * @param round the state's when its request began
   */
  observe(signal: LimitSignal, round: number): void {
    const before = this.state;
    this.#become(decideLimit(before, signal, round));
    if (this.state.round !== before.round) this.#heard = { ...this.#heard, trouble: this.state.why };
    else if (signal.kind === 'good' && round === before.round)
      this.#heard = { ...this.#heard, answers: this.#heard.answers + 1 };
  }

  /** What is to be told to other machines, once. */
  takeHeard(): HeardOfBank {
    const heard = { ...this.#heard, round: this.#round };
    this.#heard = nothingHeard;
    return heard;
  }

  /** Keeps it within what other machines leave to this one. @param whole of all of them */
  bind(bound: number, { round, why }: Pick<WholeLimit, 'round' | 'why'>): void {
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

/** Each kind of request has a limit of its own: a bank may be slow in one and quick in another. */
export interface AdaptiveLimits {
  readonly transfers: AdaptiveLimit;
  readonly checks: AdaptiveLimit;
  readonly inquiries: AdaptiveLimit;
}

/**
 * Limits at what the settings allow; inquiries take as many places as transfers do.
 * @param inDoubtMax so many rows in doubt halt
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

/** Makes a request under the limit of its kind, which learns from the reply. */
export type LimitRequest = <Said extends Pick<ReadReply<unknown>, 'limit'>>(
  kind: keyof AdaptiveLimits,
  ask: () => Promise<Said>,
) => Promise<Said>;

/**
 * Puts the requests of one run under the limits of its process. Transfers wait for a place before they come here, so
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

/** What a request to the bank takes. */
export interface CallContext {
  /** The way through the breaker of the payer account. */
  readonly gate: BreakerGate;
  readonly bankClock: BankClock;
  /** Puts a request under the limits of the process; there are none when left out. */
  readonly limitRequest?: LimitRequest;
}

interface BankCall<Fields, Finding> {
  /** Given back when the reply is read. */
  readonly pass: Pass;
  readonly kind: keyof AdaptiveLimits;
  readonly send: () => Promise<BankReply<Fields>>;
  readonly read: (reply: BankReply<Fields>) => ReadReply<Finding>;
}

/** Makes a request that has passed the gate; its reply is read once, and whoever has to learn from it does. */
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
