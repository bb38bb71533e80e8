/** What was refused, counted and summed up in the log now and then: a flood of it fills no disk. */
import type { Clock, Log } from '../../core/ports.ts';

/** Why a call was not taken. */
export type Refusal =
  | 'too-many-connections'
  | 'foreign-address'
  | 'wrong-path'
  | 'wrong-method'
  | 'wrong-key'
  | 'wrong-type'
  | 'too-large'
  | 'too-slow'
  | 'malformed'
  | 'wrong-field'
  | 'too-many'
  | 'stopping'
  | 'journal';

/** Each kind is logged when it first comes, and then summed up so often. */
const logEveryMs = 60_000;

interface Count {
  /** All that there were. */
  times: number;
  /** Since the last line of the log. */
  unlogged: number;
  loggedAtMs: number;
  /** What was wrong with these, each once. */
  readonly faults: Set<string>;
}

/** These are ours to mend, or the bank's words that we do not understand: an outcome waits on them. */
const grave: readonly Refusal[] = ['journal', 'wrong-field'];

export class Refusals {
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #counts = new Map<Refusal, Count>();

  constructor(log: Log, clock: Pick<Clock, 'elapsedMs'>) {
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * @param facts of this one, for the log: free of keys, bodies and numbers of people
   * @param faults all that is wrong with it, as free of these
   */
  count(refusal: Refusal, facts: object = {}, faults: readonly string[] = []): void {
    const nowMs = this.#clock.elapsedMs();
    const count = this.#counts.get(refusal) ?? {
      times: 0,
      unlogged: 0,
      loggedAtMs: -Infinity,
      faults: new Set(),
    };
    this.#counts.set(refusal, count);
    for (const fault of faults) count.faults.add(fault);
    count.times += 1;
    count.unlogged += 1;
    if (nowMs - count.loggedAtMs >= logEveryMs) this.#write(refusal, count, facts);
  }

  /** Logs what has been counted and not logged. */
  sumUp(): void {
    for (const [refusal, count] of this.#counts) if (count.unlogged > 0) this.#write(refusal, count, {});
  }

  /** How many were refused, by reason, since the start. */
  get totals(): Readonly<Partial<Record<Refusal, number>>> {
    return Object.fromEntries([...this.#counts].map(([refusal, { times }]) => [refusal, times]));
  }

  #write(refusal: Refusal, count: Count, facts: object): void {
    const { unlogged, times } = count;
    count.unlogged = 0;
    count.loggedAtMs = this.#clock.elapsedMs();
    const level = grave.includes(refusal) ? 'error' : 'warn';
    const faults = count.faults.size === 0 ? {} : { faults: [...count.faults] };
    count.faults.clear();
    this.#log(level, 'callbacks were refused', {
      refusal,
      times: unlogged,
      sinceStart: times,
      ...facts,
      ...faults,
    });
  }
}
