/** Who has come in, who could not, and what was refused, in the history of people: the first at once, more of it as a count. */
import type { Log } from '../core/ports.ts';
import type { PersonStore } from './ports.ts';
import type { PersonEventDraft } from './rules/chain.ts';
import type { Proof } from './rules/people.ts';

export interface Access {
  readonly kind: 'signed-in' | 'sign-in-failed' | 'refused';
  /** The person; 0 where it is not known who asks. */
  readonly subject: number;
  readonly proof: Proof | null;
  /** How, why not, or what was refused: one of a fixed set, and nothing that was typed. */
  readonly what: string;
}

/** Keeps what comes from one place. */
export interface AccessNotes {
  /** Never throws: what cannot be recorded is logged. */
  note(access: Access, nowMs: number): Promise<void>;
}

/** After an event, more of the same of the same person is counted for so long, and then is one event. */
const gatherMs = 900_000;
/** Of different ones in one event. */
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

/** Eight events an hour for each person and kind at most, and for all who are not known together, however many come. */
export class AccessRecord {
  readonly #store: Pick<PersonStore, 'recordPersonEvent'>;
  readonly #log: Log;
  readonly #gathered = new Map<string, Gathered>();

  constructor(store: Pick<PersonStore, 'recordPersonEvent'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** @param network from which it comes, as far as it may be kept; undefined where none is known */
  at(network: string | undefined): AccessNotes {
    return { note: (access, nowMs) => this.#note(access, network, nowMs) };
  }

  /** Writes what was counted for long enough. @param isAll at the end: all of it */
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
    // The second already says that there is no one network.
    if (gathered.networks.size < 2) gathered.networks.add(network);
    if (before === undefined || isOver(before, nowMs)) await this.#write(key, gathered, nowMs);
  }

  /** What comes while it is written counts for the next. */
  async #write(key: string, gathered: Gathered, nowMs: number): Promise<void> {
    this.#gathered.set(key, gather(gathered, nowMs));
    try {
      await this.#store.recordPersonEvent(toEvent(gathered, nowMs));
    } catch (error) {
      this.#log('error', 'who came in, or was refused, could not be recorded', { err: error });
    }
  }
}

/** Either way: a clock may be set back. */
const isOver = ({ sinceMs }: Gathered, nowMs: number): boolean => Math.abs(nowMs - sinceMs) >= gatherMs;

function toEvent(gathered: Gathered, atMs: number): PersonEventDraft {
  const { kind, subject, proof, times, sinceMs } = gathered;
  const [network] = gathered.networks.size > 1 ? [] : gathered.networks;
  return {
    subject,
    kind,
    atMs,
    // Whoever could not sign in need not be the person.
    byPerson: kind === 'sign-in-failed' || subject === 0 ? null : subject,
    proof,
    facts: { what: [...gathered.what].join(', '), times, ...(times > 1 ? { sinceMs } : {}) },
    cells: network === undefined ? {} : { network },
  };
}
