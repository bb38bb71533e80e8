/** Wrong passwords by network address: guessing at one address keeps no other address out. */
import { decideSourceTry, personTriesMax, type SourceCount, type TriedPerson } from './rules/password.ts';

/** Whether a try is checked; `last`: the last one for this person, if it is wrong. */
type SourceVerdict = 'refused' | 'counts' | 'last';

/** The source of typed passwords. Each try is counted before it is checked, so parallel tries gain nothing. */
export interface TrySource {
  /** @param tried undefined for a name that no user has */
  count(tried: TriedPerson | undefined, nowMs: number): SourceVerdict;
  /** Forgets this person's wrong passwords from this source, after a right one. */
  forgive(personId: number): void;
}

/** This machine, or a proxy that names no address: all tries share it, and each person's own count is enough. */
export const sharedSource: TrySource = { count: () => 'counts', forgive: () => {} };

/** The limit of sources, each a few numbers. Beyond it, the source that was quiet for longest is forgotten. */
const sourcesMax = 10_000;

/**
 * The counts of one process, in memory: an address is personal data, and strangers write nothing into the journal. Each
 * person's count is kept in the journal: it outlives a restart and holds over all machines.
 */
export class SourceTries {
  readonly #counts = new Map<string, SourceCount>();

  /** @param address undefined where all share one source */
  of(address: string | undefined): TrySource {
    if (address === undefined) return sharedSource;
    return {
      count: (tried, nowMs) => {
        const count = decideSourceTry(this.#counts.get(address), tried, nowMs);
        if (count === undefined) return 'refused';
        this.#keep(address, count);
        return tried !== undefined && count.byPerson.get(tried.personId) === personTriesMax
          ? 'last'
          : 'counts';
      },
      forgive: (personId) => this.#forgive(address, personId),
    };
  }

  #keep(address: string, count: SourceCount): void {
    // Moves the address to the end: the first entry is the one that was quiet for longest.
    this.#counts.delete(address);
    this.#counts.set(address, count);
    const [quietest] = this.#counts.keys();
    if (this.#counts.size > sourcesMax && quietest !== undefined) this.#counts.delete(quietest);
  }

  #forgive(address: string, personId: number): void {
    const kept = this.#counts.get(address);
    if (kept === undefined) return;
    const byPerson = new Map(kept.byPerson);
    byPerson.delete(personId);
    this.#counts.set(address, { ...kept, byPerson, all: kept.all - (kept.byPerson.get(personId) ?? 0) });
  }
}
