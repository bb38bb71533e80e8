/** Questions to a process that opens a journal, and refusals of one that is missing, newer or older, on any engine. */
import { resolve } from 'node:path';
import {
  areTerminalsKnown,
  describeLost,
  describeUnknownTables,
  describeUnknownTerminals,
  type JournalSite,
  type KnownTables,
  type MarkCopy,
} from '../payout/rules/journal-place.ts';
import { JournalRefusedError } from './connection.ts';
import { type FoundHighWaterMark, readHighWaterMark } from './high-water-mark.ts';
import type { JournalIdentity } from './identity.ts';
import type { Recovery } from './loss.ts';

export interface JournalOpening {
  readonly dataDir: string;
  readonly stamp: JournalIdentity;
  /**
   * `own`: for the owner of the sender lock; makes the journal when there is none and brings an older
   * one up to date. `beside`: for every other; the journal must be there.
   */
  readonly access: 'own' | 'beside';
  /** Lets a journal go on (`own`) that was lost or restored; the loss is recorded, and remembered from then on. */
  readonly recovery?: Recovery | undefined;
  /** Terminals that have sent payouts before, by a person's word: the bank is asked under each of them, too. */
  readonly sentFrom?: readonly string[];
  /** True with a recovery whose journal is a backup that is being put in place. */
  readonly restores?: boolean;
  /** True when the journal has moved, or the terminal is a new one, and nothing works with the old one any more. */
  readonly adopts?: boolean;
  /** Further high-water marks of the journal with this id (`own`), in folders that are restored apart from it. */
  readonly openMarks?: (journalId: string) => MarkCopy;
  /** The time for the record of when the tables were made, epoch milliseconds. */
  readonly nowMs?: number;
  /**
   * The fate of a journal that is not there (`own`): it is made, or it is not (`never`), since a new one looks like one
   * that was lost. `only`: one that is there is refused. A recovery makes it in any case.
   */
  readonly creation?: 'if-missing' | 'never' | 'only';
}

/** An opening with what follows from it. */
export interface Opening extends Required<Omit<JournalOpening, 'recovery' | 'openMarks'>> {
  readonly openMarks: JournalOpening['openMarks'];
  readonly site: JournalSite;
  /** The recovery, of an opening that may recover alone. */
  readonly recovery: Recovery | undefined;
  readonly highWaterMark: FoundHighWaterMark;
}

/** @throws JournalRefusedError when the high-water mark cannot be read, and no person says that the journal was lost */
export function readOpening(wanted: JournalOpening, nameSite: (dataDir: string) => JournalSite): Opening {
  const { access, stamp, nowMs = Date.now(), creation = 'if-missing' } = wanted;
  const { restores = false, adopts = false, sentFrom = [], openMarks } = wanted;
  const dataDir = resolve(wanted.dataDir);
  const recovery = access === 'own' ? wanted.recovery : undefined;
  // The mark is read before the journal, which only grows: the journal must have what the mark says.
  const highWaterMark = readHighWaterMarkToCompare(dataDir, recovery);
  const ways = { access, creation, restores, adopts, sentFrom, openMarks };
  return { ...ways, stamp, nowMs, dataDir, site: nameSite(dataDir), recovery, highWaterMark };
}

/** The high-water mark as it stands; a person who lets a lost journal go on does so even if it says nothing any more. */
function readHighWaterMarkToCompare(dataDir: string, recovery: Recovery | undefined): FoundHighWaterMark {
  try {
    return readHighWaterMark(dataDir);
  } catch (error) {
    if (recovery !== undefined && error instanceof JournalRefusedError) return 'unreadable';
    throw error;
  }
}

/** @throws JournalRefusedError when the high-water mark stands and there is no journal, or an empty one */
export function requireNoHighWaterMark({ recovery, highWaterMark, site }: Opening): void {
  if (recovery !== undefined || highWaterMark === undefined) return;
  throw new JournalRefusedError(describeLost(site));
}

/**
 * A journal that makes itself where another one was lost, or looked for in the wrong place, knows of nothing that was
 * paid, and pays it again.
 */
export function requireCreation({ creation, recovery, site }: Opening): void {
  if (creation !== 'never' || recovery !== undefined) return;
  throw new JournalRefusedError(site.none);
}

/** Terminals that the mark beside the journal names; none where there is no mark, or one that cannot be read. */
export const readMarkedTerminals = ({ highWaterMark }: Opening): readonly string[] =>
  typeof highWaterMark === 'object' ? highWaterMark.terminals : [];

/**
 * @param known by the journal itself; what archives and the marks elsewhere name is added to that, and may be less
 * @throws JournalRefusedError for a journal that goes on after a loss, where nothing tells all terminals that it has sent
 * from
 */
export function requireTerminals(opening: Opening, known: readonly string[]): void {
  const { recovery, stamp, sentFrom: said, dataDir } = opening;
  const { termId: present } = stamp;
  if (recovery === undefined || present === undefined) return;
  if (areTerminalsKnown({ known, marked: readMarkedTerminals(opening), said, present })) return;
  throw new JournalRefusedError(describeUnknownTerminals(dataDir, present));
}

/**
 * Decides what is to be done about the tables.
 * @param version of the tables that are there; 0 without any
 * @param known by this program
 * @param isBegun the journal has its identity: its making was not cut short
 * @returns `absent`: there is no journal, and this process does not make it
 * @throws JournalRefusedError for tables that this program does not know, or a journal that it may not make
 */
export function decideTables(
  opening: Opening,
  version: number,
  known: KnownTables,
  isBegun: boolean,
): 'ready' | 'absent' | 'to-be-made' {
  const { access, creation, site } = opening;
  const unknown = describeUnknownTables(site.journal, version, known);
  if (unknown !== undefined) throw new JournalRefusedError(unknown);
  if (!isBegun) {
    requireNoHighWaterMark(opening);
    if (access === 'beside') return 'absent';
    // A journal that is to be put back has to be there.
    if (opening.restores) throw new JournalRefusedError(site.none);
    requireCreation(opening);
    requireTerminals(opening, []);
    return 'to-be-made';
  }
  if (creation === 'only')
    throw new JournalRefusedError(
      `there is ${site.journal.replace('the', 'a')} already: nothing is to be made`,
    );
  if (version === known.latest) return 'ready';
  if (access === 'own') return 'to-be-made';
  throw new JournalRefusedError(
    `${site.journal} is of an older paydrop: run a file once to bring it up to date`,
  );
}
