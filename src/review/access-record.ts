/** Records sign-ins, failed sign-ins and refusals in the history of people: the first at once, repeats as a count. */
import type { Log } from '../core/ports.ts';
import type { PersonStore } from './ports.ts';
import type { PersonEventDraft } from './rules/chain.ts';
import type { Proof } from './rules/people.ts';

interface Access {
  readonly kind: 'signed-in' | 'sign-in-failed' | 'refused';
  /** The person; 0 where the asker is unknown. */
  readonly subject: number;
  readonly proof: Proof | null;
  /** The way in, the reason or the refused thing, from a fixed set; never typed text. */
  readonly what: string;
}

/** Notes accesses from one network. */
export interface AccessNotes {
  /** Records an access. Never throws: a failed write is logged. */
  note(access: Access, nowMs: number): Promise<void>;
}

/** The time over which repeats by the same person are counted, to become one event. */
const gatherMs = 900_000;
/** The limit of different `what` values in one event. */
const whatMax = 8;

interface Gathered extends Omit<Access, 'what'> {
  readonly sinceMs: number;
  times: number;
  readonly what: Set<string>;
  readonly networks: Set<string | undefined>;
}

const gather = ({ kind, subject, proof }: Omit<Access, 'what'>, sinceMs: number): Gathered => ({
  kind,
  subject,
  proof,
  sinceMs,
  times: 0,
  what: new Set(),
  networks: new Set(),
});

/** Records at most eight events an hour for each person and kind; all unknown persons share one count. */
export class AccessRecord {
  readonly #store: Pick<PersonStore, 'recordPersonEvent'>;
  readonly #log: Log;
  readonly #gathered = new Map<string, Gathered>();

  constructor(store: Pick<PersonStore, 'recordPersonEvent'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** @param network the network of origin, as far as it may be kept; undefined where it is unknown */
  at(network: string | undefined): AccessNotes {
    return { note: (access, nowMs) => this.#note(access, network, nowMs) };
  }

  /** Writes the counts whose time is over. @param isAll writes all counts; for the shutdown */
  async flush(nowMs: number, isAll = false): Promise<void> {
    for (const [key, gathered] of this.#gathered) {
      if (!isAll && !isOver(gathered, nowMs)) continue;
      if (gathered.times === 0) this.#gathered.delete(key);
      else await this.#write(key, gathered, nowMs);
    }
  }

  async #note(access: Access, network: string | undefined, nowMs: number): Promise<void> {
    const { kind, subject, proof, what } = access;
    const key = `${kind} ${subject} ${proof}`;
    const before = this.#gathered.get(key);
    const gathered = before ?? gather(access, nowMs);
    this.#gathered.set(key, gathered);
    gathered.times += 1;
    if (gathered.what.size < whatMax) gathered.what.add(what);
    // Two networks suffice to show that there is more than one.
    if (gathered.networks.size < 2) gathered.networks.add(network);
    if (before === undefined || isOver(before, nowMs)) await this.#write(key, gathered, nowMs);
  }

  /** Accesses that arrive during the write count towards the next event. */
  async #write(key: string, gathered: Gathered, nowMs: number): Promise<void> {
    this.#gathered.set(key, gather(gathered, nowMs));
    try {
      await this.#store.recordPersonEvent(toEvent(gathered, nowMs));
    } catch (error) {
      this.#log('error', 'who came in, or was refused, could not be recorded', { err: error });
    }
  }
}

/** The absolute difference, because a clock may be set back. */
const isOver = ({ sinceMs }: Gathered, nowMs: number): boolean => Math.abs(nowMs - sinceMs) >= gatherMs;

function toEvent(gathered: Gathered, atMs: number): PersonEventDraft {
  const { kind, subject, proof, times, sinceMs } = gathered;
  const [network] = gathered.networks.size > 1 ? [] : gathered.networks;
  return {
    subject,
    kind,
    atMs,
    // A failed sign-in does not prove that the person made it.
    byPerson: kind === 'sign-in-failed' || subject === 0 ? null : subject,
    proof,
    facts: { what: [...gathered.what].join(', '), times, ...(times > 1 ? { sinceMs } : {}) },
    cells: network === undefined ? {} : { network },
  };
}
