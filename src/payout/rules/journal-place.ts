/**
 * Decides which journal may send: one that is in its usual place, and complete. Each answer is the reason why not, with
 * the cure.
 */

import { countOf } from '../../core/figures.ts';
import { formatBangkokDate } from '../../core/bangkok-time.ts';
import type { JournalLoss } from '../../core/ports.ts';

/** The progress of a journal; all numbers only grow, and terminals are never removed. */
export interface JournalProgress {
  readonly journalId: string;
  /** Time at which it last went on after a loss; an older copy does not know the sends since then. 0: never. */
  readonly recoveredAtMs: number;
  readonly sealedBatches: number;
  readonly latestEventSeq: number;
  /** Latest event of registrations, which have their own numbers. */
  readonly latestRegistrationEventSeq: number;
  /** Terminals from which it may have sent, the present one last; empty in a mark of an earlier version. */
  readonly terminals: readonly string[];
  /** Start of its time as a new journal, after a machine without a mark has joined; 0: not new. */
  readonly unmarkedSinceMs: number;
}

/** Identity of a file, different for its copies. */
interface FileIdentity {
  readonly inode: string;
  /** Null when the file system does not know it; the inode alone counts then. */
  readonly birthNs: string | null;
}

/** Identity of a database, different for its copies; null where the role has no right to read it. */
export interface DatabaseIdentity {
  /** Created with the server's data directory; replicas and physical backups share it. */
  readonly systemId: string | null;
  /** Differs in a database that was created again under its old name. */
  readonly oid: string;
  /** Raised by each promotion of a replica, and each restore to a point in time. */
  readonly timeline: string | null;
}

export interface JournalPlace {
  /** Terminal of the settings; undefined when unknown. */
  readonly termId: string | undefined;
  /** Undefined for a database, and on network and FUSE file systems, whose numbers change with each mount. */
  readonly file: FileIdentity | undefined;
  /** Undefined for a file. */
  readonly database?: DatabaseIdentity | undefined;
}

/** The place of a journal, in the words of messages about it. */
export interface JournalSite {
  /** Data directory with the high-water mark, for either kind of journal. */
  readonly dataDir: string;
  /** "the journal in /data". */
  readonly journal: string;
  /** Name of an older one or a copy: "journal.db in /data". */
  readonly holder: string;
  /** Message for a mark without its journal. */
  readonly lost: string;
  readonly none: string;
  /** Cure when a part is lost. */
  readonly lossCure: string;
  /** Cure when all of it is lost. */
  readonly restoring: string;
  /** How to name another journal in the settings. */
  readonly nameAnother: string;
}

/** The owner of a journal. */
interface Owner {
  readonly bankAddress: string;
  readonly companyId: string;
  readonly isSandbox: boolean;
}

/** How to name the terminals when no mark names them. */
export const nameTerminals = 'with --sent-from TERMINAL for each terminal that it has sent from';

const askTheBank =
  '"paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank about every payout before it sends one; ' +
  'the day is the first that may lack payouts';

/** The versions of tables that a program works with. */
export interface KnownTables {
  /** The first entry of their history: what came before is never brought up to date. */
  readonly oldest: number;
  /** The version that the program writes. */
  readonly latest: number;
}

/**
 * Why a program cannot work with tables of a version; undefined when it can, or there are none (0).
 * @param holder of the tables: "the journal in /data"
 */
export function describeUnknownTables(
  holder: string,
  version: number,
  { oldest, latest }: KnownTables,
): string | undefined {
  if (version > latest)
    return `${holder} was written by a newer paydrop (tables ${version}, this one knows ${latest}): use that one`;
  if (version === 0 || version >= oldest) return undefined;
  return (
    `${holder} was written by a paydrop from before the first release (tables ${version}, this one knows ${oldest} and ` +
    'later): finish its batches with that one. For a new journal set another dataDir, and in PostgreSQL another database ' +
    'in journal.url, too; give it no file that was given to the old one, since it would pay that again'
  );
}

/** Cure for a journal that is not complete; a backup opens in no other way. */
export const restoreBackup =
  'move journal.db away with its -wal and -shm, and put the newest backup in their place with "paydrop restore FILE ' +
  '--since YYYY-MM-DD"';

/** The same for a journal in a database. */
export const restoreDatabase = 'put the database back from its backup, as docs/operations.md says';

/** The way back where a backup exists. */
const fromBackup = '"paydrop restore FILE --since YYYY-MM-DD" puts a backup in its place';

/** Cure when there is no newer journal. */
const wayOut = `If there is none, ${askTheBank}`;

const whyNothing = 'Nothing is sent, since payouts of the lost part would be paid again.';

/** Cure when a part of the journal is lost. */
export const lossCure = `${whyNothing} Put back the newest journal.db together with its -wal file; ${fromBackup}. ${wayOut}`;

const forTheFirstTime = 'and nothing is sent without it. For the first time: "paydrop init" makes one.';

/** The SQLite file in the data directory. */
export const siteOfFile = (dataDir: string): JournalSite => ({
  dataDir,
  journal: `the journal in ${dataDir}`,
  holder: `journal.db in ${dataDir}`,
  // The mark may belong to a journal in a database that the command was not told about.
  lost:
    `the journal that worked in ${dataDir} is lost: journal.mark is there, journal.db is not ` +
    '(if it is in PostgreSQL, nothing is lost: name its database in journal.url)',
  none:
    `there is no journal in ${dataDir}, ${forTheFirstTime} ` +
    `If there was one: mount its volume, or correct dataDir or --data-dir; if it is lost and a backup exists, ${fromBackup}; ` +
    `if it is lost without one, ${askTheBank}; ${nameTerminals}`,
  lossCure,
  restoring: restoreBackup,
  nameAnother: 'Set another dataDir',
});

/** There is no file to put in place: the database server has already restored it. */
const askTheBankFromDatabase =
  '"paydrop restore --since YYYY-MM-DD" has the bank asked about every payout before one is sent; the day is the first ' +
  'that may lack payouts';

const newestDatabase = `Name in journal.url the server that has its newest state. If there is none, ${askTheBankFromDatabase}`;

/**
 * A PostgreSQL database.
 * @param name its address, without user and password
 */
export const siteOfDatabase = (dataDir: string, name: string): JournalSite => ({
  dataDir,
  journal: `the journal at ${name}`,
  holder: `the journal at ${name}`,
  lost: `the journal that worked with ${dataDir} is lost: journal.mark is there, and ${name} holds no journal`,
  none:
    `there is no journal at ${name}, ${forTheFirstTime} If there was one: correct journal.url, or put the database back ` +
    `from its backup (docs/operations.md); if there is none, ${askTheBank}`,
  lossCure: `${whyNothing} ${newestDatabase}`,
  restoring: restoreDatabase,
  nameAnother: 'Name another database in journal.url',
});

/** System codes of a file that this user may not read. */
const deniedCodes = new Set(['EACCES', 'EPERM']);

/** Message about an unreadable mark. A file of another user is not damaged, and needs no recovery. */
export function describeUnreadableMark(path: string, code: string | undefined): string {
  if (code !== undefined && deniedCodes.has(code))
    return `${path} may not be read (permission is denied): run it as the user that paydrop runs as`;
  const why = 'it says how far the journal beside it had come, so nothing is sent without it';
  return `${path} cannot be read: ${why}; put back the newest copy of the whole folder. ${wayOut}; ${nameTerminals}`;
}

export const describeLost = (site: JournalSite): string => `${site.lost}. ${site.lossCure}`;

/** Message about a journal without its high-water mark: they were not restored together. */
export const describeNoMark = (dataDir: string): string =>
  `journal.mark is missing in ${dataDir}, so paydrop cannot tell whether journal.db is an older copy. ${lossCure}`;

/** Reason why this is not the journal of the high-water mark, or not all of it; undefined when it is. */
export function describeMissing(
  { dataDir, holder, lossCure: cure }: JournalSite,
  mark: JournalProgress | undefined | 'unreadable',
  present: JournalProgress,
): string | undefined {
  if (mark === undefined) return undefined;
  if (mark === 'unreadable') return `journal.mark in ${dataDir} cannot be read`;
  if (mark.journalId !== present.journalId)
    return `${holder} is not the journal that worked here before. ${cure}`;
  if (present.recoveredAtMs < mark.recoveredAtMs)
    return `${holder} is a copy from before the journal last went on after a loss. ${cure}`;
  const unknown = mark.terminals.find((terminal) => !present.terminals.includes(terminal));
  if (unknown !== undefined)
    return `${holder} is an older copy: it knows nothing of the terminal ${unknown}, which was used here. ${cure}`;
  const counts = ['sealedBatches', 'latestEventSeq', 'latestRegistrationEventSeq'] as const;
  if (counts.every((count) => present[count] >= mark[count])) return undefined;
  const { sealedBatches, latestEventSeq, latestRegistrationEventSeq } = present;
  const lost =
    latestRegistrationEventSeq < mark.latestRegistrationEventSeq
      ? `it has ${countOf(latestRegistrationEventSeq, 'event')} of registrations, ${mark.latestRegistrationEventSeq} were recorded`
      : `it has ${countOf(sealedBatches, 'file')} and ${countOf(latestEventSeq, 'event')}, ${mark.sealedBatches} and ${mark.latestEventSeq} were recorded`;
  return `${holder} is an older copy: ${lost}. ${cure}`;
}

/**
 * The same for a mark that others do not keep up to date. A mark from before a loss that the journal knows belongs to a
 * journal that went further than this one.
 */
export function describeBehind(
  site: JournalSite,
  mark: JournalProgress | undefined | 'unreadable',
  present: JournalProgress,
): string | undefined {
  const isBeforeLoss = typeof mark === 'object' && mark.recoveredAtMs < present.recoveredAtMs;
  return isBeforeLoss && mark.journalId === present.journalId
    ? undefined
    : describeMissing(site, mark, present);
}

/** Joins an earlier reading with a present one, made while others write, so that no number goes back. */
export function keepFurthest(seen: JournalProgress, read: JournalProgress): JournalProgress {
  if (seen.recoveredAtMs < read.recoveredAtMs) return read;
  return {
    ...read,
    sealedBatches: Math.max(seen.sealedBatches, read.sealedBatches),
    latestEventSeq: Math.max(seen.latestEventSeq, read.latestEventSeq),
    latestRegistrationEventSeq: Math.max(seen.latestRegistrationEventSeq, read.latestRegistrationEventSeq),
  };
}

const isSameFile = (one: FileIdentity, other: FileIdentity): boolean =>
  one.inode === other.inode &&
  (one.birthNs === null || other.birthNs === null || one.birthNs === other.birthNs);

const askAboutCopy =
  '"paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank about every payout before it sends one';
const adoptWhole =
  'If it was moved, whole, see that the original is stopped for good (both would pay), then run "paydrop adopt"';

/**
 * A journal of several machines that a machine without a mark has joined: it may be an older copy, which that machine
 * cannot tell. It counts as new until a machine with a mark works on it.
 */
export interface Unmarked {
  /** Time at which the latest of them joined. */
  readonly sinceMs: number;
  /** Start of the time that may lack records. */
  readonly missesSinceMs: number;
  /** Latest event of the journal when the first of them joined. */
  readonly latestEventSeq: number;
}

/** Facts at the time a machine joins. */
interface Joining {
  readonly found: Unmarked | undefined;
  /**
   * Latest event that its marks have seen of the journal, from a time when it was not unmarked; undefined without a
   * mark.
   */
  readonly markedSeq: number | undefined;
  /** True when another machine is at work that knows that nothing is missing. */
  readonly isWitnessed: boolean;
  /** The journal at present. */
  readonly present: Unmarked;
}

/**
 * Decides whether a journal is unmarked once a machine has joined. A mark that has seen more than the journal had when
 * the first machine without one joined proves nothing: records may have been missing then, and the journal has grown
 * since.
 */
export function decideUnmarked({ found, markedSeq, isWitnessed, present }: Joining): Unmarked | undefined {
  if (markedSeq !== undefined)
    return found !== undefined && markedSeq > found.latestEventSeq ? found : undefined;
  if (found === undefined) return isWitnessed ? undefined : present;
  return {
    sinceMs: present.sinceMs,
    missesSinceMs: Math.min(found.missesSinceMs, present.missesSinceMs),
    latestEventSeq: Math.min(found.latestEventSeq, present.latestEventSeq),
  };
}

const isToldApart = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other;

/** Reason why this is not the database that the journal is bound to; undefined when it is. */
export function describeOtherDatabase(
  { holder }: Pick<JournalSite, 'holder'>,
  kept: DatabaseIdentity,
  present: DatabaseIdentity,
): string | undefined {
  if (kept.oid !== present.oid || isToldApart(kept.systemId, present.systemId)) {
    return (
      `${holder} is a copy: it is in another database than the one that worked before. If it was restored, from a dump ` +
      `or a backup of any kind, ${askTheBankFromDatabase}. ${adoptWhole}`
    );
  }
  if (!isToldApart(kept.timeline, present.timeline)) return undefined;
  return (
    `${holder} is on timeline ${present.timeline} and worked on timeline ${kept.timeline} before: its server was restored ` +
    'or promoted, and what was committed last may be missing. If that one had every commit before it was answered, as a ' +
    'synchronous replica has, and the server before is stopped for good, run "paydrop adopt". ' +
    `Else ${askTheBankFromDatabase}`
  );
}

/** Reason why this is not the place that the journal is bound to; undefined when it is, or cannot be determined. */
export function describeMoved(
  site: JournalSite,
  kept: JournalPlace,
  present: JournalPlace,
): string | undefined {
  if (kept.termId !== undefined && present.termId !== undefined && kept.termId !== present.termId) {
    return (
      `${site.journal} is bound to the terminal ${kept.termId}, and the settings name ${present.termId}: ` +
      'the bank takes the same payout from two terminals on one day. Correct bank.termId, or, for a new terminal, ' +
      'stop whatever works with the old one and run "paydrop adopt"'
    );
  }
  if (kept.database !== undefined && present.database !== undefined)
    return describeOtherDatabase(site, kept.database, present.database);
  if (kept.file === undefined || present.file === undefined || isSameFile(kept.file, present.file))
    return undefined;
  return (
    `${site.holder} is a copy: it is another file than the one that worked before. If it was restored, from a ` +
    `snapshot or a backup of any kind, ${askAboutCopy}. ${adoptWhole}`
  );
}

/** Sources that name the terminals from which a journal, going on after a loss, has sent. */
interface TerminalFacts {
  /** Terminals in the journal, or in the older copy of it. */
  readonly known: readonly string[];
  /** Terminals in the mark; empty when there is no readable mark. */
  readonly marked: readonly string[];
  /** Terminals named by a person. */
  readonly said: readonly string[];
  /** Terminal of the settings. */
  readonly present: string;
}

/**
 * True when all terminals are known under which the bank must be asked: by the mark, which has seen each, or by a
 * person. Without either, a terminal that is new in the settings shows that it was changed, perhaps more than once.
 */
export const areTerminalsKnown = ({ known, marked, said, present }: TerminalFacts): boolean =>
  marked.length > 0 || said.length > 0 || known.includes(present);

/**
 * Message when no source names the terminals from which a lost journal has sent.
 * @param present terminal of the settings
 */
export const describeUnknownTerminals = (dataDir: string, present: string): string =>
  `no journal.mark in ${dataDir} says which terminals the lost journal has sent from, and the bank finds a transfer under ` +
  'its own terminal alone, so nothing is sent before you name them: give the same command with --sent-from TERMINAL, once ' +
  `for each of them ("--sent-from ${present}" if it has had no other than that of the settings)`;

/** Message about a backup that was put in the journal's place by hand. */
export const describeBackup = (path: string): string =>
  `${path} is a backup, which knows nothing of what was sent after it was made. "paydrop restore FILE --since ` +
  'YYYY-MM-DD" puts one in place, with the day from which on the bank is to be asked; for this one: ' +
  `paydrop restore ${path} --since YYYY-MM-DD`;

const wasMoved = 'was moved to';

/**
 * Message about a journal that was moved into a database.
 * @param to the database, in words
 */
export const describeGone = ({ journal }: Pick<JournalSite, 'journal'>, to: string): string =>
  `${journal} ${wasMoved} ${to}, and goes on there: name that database in journal.url. What is here stays as it was then, ` +
  'and nothing is sent or changed from here any more';

/** True for the error that a moved file returns to a process that still has it open. */
export const saysGone = (message: string): boolean => message.includes(` ${wasMoved} `);

/** Message about a journal in a database and another one in a file of the same data directory. */
export const describeTwo = ({ journal, dataDir }: Pick<JournalSite, 'journal' | 'dataDir'>): string =>
  `the settings name ${journal}, and journal.db in ${dataDir} is a journal that was not moved there: both would pay. ` +
  '"paydrop move" carries it over. If it is a rehearsal’s, or another one’s, take it away, with its -wal and -shm';

/**
 * Message about a journal to be moved that is neither in a file nor at its destination.
 * @param to the database, in words
 */
export const describeNoFile = (
  { dataDir, lossCure: cure }: Pick<JournalSite, 'dataDir' | 'lossCure'>,
  journalId: string,
  to: string,
): string =>
  `there is no journal.db in ${dataDir} to be moved, and the journal that worked there (${journalId}) is not at ${to}. If ` +
  'it is in another database, name that one in journal.url: there is nothing to be moved then, since "paydrop move" ' +
  `carries a journal out of its file alone. If it was in journal.db, that is lost. ${cure}`;

/** Message about a database to which a journal is being moved. */
export const describeArriving = ({ journal }: Pick<JournalSite, 'journal'>): string =>
  `${journal} has not arrived there yet: it is being moved, or that was cut short. Run "paydrop move" again, on the machine ` +
  'that has the journal.db that it comes from: until it has ended well, that one alone is the journal';

const describeBank = ({ isSandbox, bankAddress }: Owner): string =>
  isSandbox ? `the sandbox (${bankAddress})` : `the bank at ${bankAddress}`;

/** The difference between the journal's owner and the settings'; undefined when there is none. */
export function describeOther(site: JournalSite, kept: Owner, wanted: Owner): string | undefined {
  const differences: string[] = [];
  if (kept.isSandbox !== wanted.isSandbox || kept.bankAddress !== wanted.bankAddress) {
    differences.push(`it was made for ${describeBank(kept)}, the settings name ${describeBank(wanted)}`);
  }
  if (kept.companyId !== wanted.companyId) {
    differences.push(
      `it was made for company ${kept.companyId}, the settings name company ${wanted.companyId}`,
    );
  }
  if (differences.length === 0) return undefined;
  return `${site.journal} is another’s: ${differences.join('; ')}. ${site.nameAnother}, or correct the settings`;
}

/** The part of a batch's seal that is stored outside the journal, with the names of the whole seal. */
export interface KeptSeal {
  readonly digest: string | null;
  readonly versionsDigest: string | null;
}

/** Stores seals outside the journal: an edit of the journal and its digests does not reach them. */
export interface SealKeeper {
  keptSeals(batchId: string): readonly KeptSeal[];
  /** Resolves when durable, or when a folder takes too long: an unreachable folder only weakens the check. */
  keepSeal(batchId: string, seal: KeptSeal): Promise<void>;
}

/** Copies of the high-water mark in other folders, a little behind. */
export interface MarkCopy extends SealKeeper {
  /** Readable marks at the time of the comparison. */
  readonly marks: readonly JournalProgress[];
  /**
   * Reason why the journal is behind one of the marks; undefined when it is not, or none is readable.
   * @param readPresent called after the marks were read: other processes may advance both meanwhile
   */
  describeMissing(
    site: JournalSite,
    readPresent: () => JournalProgress | Promise<JournalProgress>,
  ): Promise<string | undefined>;
  write(mark: JournalProgress): void;
  /** Resolves when the marks are written, or take too long. */
  settled(): Promise<void>;
}

/**
 * Days that are in question regardless of a person's answer: the last one that an older copy knows, and those of an
 * earlier loss. Later, when the journal is complete again, a later day narrows them.
 */
export function findKnownDays(earlier: JournalLoss | undefined, latestMs: number): string[] {
  const isOpen = earlier !== undefined && earlier.sinceDate <= earlier.untilDate;
  return [...(isOpen ? [earlier.sinceDate] : []), ...(latestMs > 0 ? [formatBangkokDate(latestMs)] : [])];
}

const isTold = (kept: unknown, present: unknown): boolean => kept !== undefined || present === undefined;

/** True when the journal is bound to everything that identifies the place. */
export const isBoundTo = (kept: JournalPlace, present: JournalPlace): boolean =>
  isTold(kept.termId, present.termId) &&
  isTold(kept.file, present.file) &&
  isTold(kept.database?.oid, present.database?.oid) &&
  isTold(kept.database?.systemId ?? undefined, present.database?.systemId ?? undefined) &&
  isTold(kept.database?.timeline ?? undefined, present.database?.timeline ?? undefined);

const describeServer = (kind: 'sandbox' | 'bank'): string =>
  kind === 'sandbox' ? 'a paydrop sandbox' : 'a server that is no paydrop sandbox, or does not say so';

/** Message about a server at the same address that identifies itself differently than before. */
export const describeOtherServer = (
  site: JournalSite,
  kept: 'sandbox' | 'bank',
  saidNow: 'sandbox' | 'bank',
): string =>
  `${site.journal} was made for ${describeServer(kept)}, and at the same address there is now ` +
  `${describeServer(saidNow)}. ${site.nameAnother}, or correct bank.baseUrl`;
