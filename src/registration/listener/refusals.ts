/** Refused calls, counted and summed up in the log at intervals, so that a flood fills no disk. */
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

/** Interval of the log's lines about one kind, after the first. */
const logEveryMs = 60_000;

interface Count {
  /** Number since the start. */
  times: number;
  /** Number since the last line of the log. */
  unlogged: number;
  loggedAtMs: number;
  /** Faults of the unlogged calls, each once. */
  readonly faults: Set<string>;
}

/** Faults of this side, or words of the bank that paydrop does not understand: an outcome waits for their mending. */
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
   * @param facts of this call, for the log: free of keys, bodies and numbers of people
   * @param faults of the call, free of the same
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

  /** Logs counts that are not in the log yet. */
  sumUp(): void {
    for (const [refusal, count] of this.#counts) if (count.unlogged > 0) this.#write(refusal, count, {});
  }

  /** Number of refusals by reason, since the start. */
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
