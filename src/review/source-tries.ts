/** Wrong passwords by the network address that they come from: who guesses at one address keeps nobody else out. */
import { decideSourceTry, personTriesMax, type SourceCount, type TriedPerson } from './rules/password.ts';

/** Whether a try is looked at; `last`: no further one at this person, where it is wrong. */
export type SourceVerdict = 'refused' | 'counts' | 'last';

/** Where a password is typed. A try is counted before it is looked at: many at once are no way around. */
export interface TrySource {
  /** @param tried undefined for a name that no user has */
  count(tried: TriedPerson | undefined, nowMs: number): SourceVerdict;
  /** A right password: what this person got wrong here is forgotten. */
  forgive(personId: number): void;
}

/** This machine itself, or a proxy that names no address: all come from there, and each person's own count is enough. */
export const sharedSource: TrySource = { count: () => 'counts', forgive: () => {} };

/** A source is a few numbers. Beyond so many the one that was quiet for longest is forgotten. */
const sourcesMax = 10_000;

/**
 * The counts of one process, in memory: an address is personal data, and strangers write nothing into the journal. What
 * outlives a restart and holds over all machines is the count of each person, which is kept there.
 */
export class SourceTries {
  readonly #counts = new Map<string, SourceCount>();

  /** @param address undefined where all share one */
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
    // Behind all others: the first is the one that was quiet for longest.
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
