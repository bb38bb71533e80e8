/**
 * What reconciling needs of the bank and of the store. A date is "YYYYMMDD" in Bangkok throughout.
 */
import type { Satang } from '../core/money.ts';
import type { AttemptStatus } from '../core/payout.ts';
import type { AttemptKey, DecisionItem } from '../core/ports.ts';
import type { ArchiveStore } from '../payout/ports.ts';
import type { PreparedFile } from '../platform/durable-file.ts';
import type { BreakMove } from './rules/breaks.ts';
import type { Provenance } from './rules/custody.ts';
import type { StatementLine } from './rules/statement.ts';
import type { EncodedTotals, FiguresChange } from './rules/tally.ts';
import type { AttemptFacts, BreakKind, BreakRecord, DayLines, DaysRead } from './rules/types.ts';

// ---------------------------------------------------------------- the bank and its files

/** What the bank says when it is asked for a day's statement (§2.7, §7.2). */
export type StatementOffer =
  /** `address` and `key` are secrets: whoever has them has the file. */
  | { readonly kind: 'offered'; readonly address: string; readonly key: string | null }
  /** AU00002: there is no file for the date, or not yet. */
  | { readonly kind: 'not-found' }
  /** Asking again will not help before somebody has acted. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  /** We may not ask at all: `text` says what to do about it. */
  | { readonly kind: 'not-allowed'; readonly code: string; readonly text: string }
  /** No usable answer came: worth asking again. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryAfterMs: number | null };

/** Endpoint 8. */
export interface StatementRequests {
  /** @param companyId null for all companies of the partner @param stop ends the wait for a turn under the rate limit */
  request(date: string, companyId: string | null, stop?: AbortSignal): Promise<StatementOffer>;
}

/** Why a statement was not taken: nothing of it may be used. */
export interface StatementRefusal {
  /** A short, stable name of the rule, for programs: "amount-unreadable". */
  readonly code: string;
  /** Line of the file, from 1; null when no one line is meant. */
  readonly line: number | null;
  /** The bank's name of the column; null when no one column is meant. */
  readonly column: string | null;
  /** What is wrong and what to do about it; never a secret, a whole number of a person, or an address's query. */
  readonly message: string;
}

export interface StatementRefused {
  readonly kind: 'refused';
  readonly refusal: StatementRefusal;
}

export type StatementDelivery =
  | { readonly kind: 'delivered'; readonly sizeBytes: number }
  /** It came whole and is no statement: worth keeping, to be looked at. */
  | { readonly kind: 'web-page'; readonly refusal: StatementRefusal }
  /** It did not come, or not whole: what has been handed over is to be thrown away. */
  | StatementRefused;

/** Brings the file from its signed address. */
export interface StatementDownloader {
  /**
   * Hands the file's bytes over as they come, each block once the one before is taken; what `take` throws is thrown.
   * None of our credentials or headers goes to the address.
   */
  bring(
    address: string,
    take: (bytes: Uint8Array) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<StatementDelivery>;
}

/** Facts of a whole statement, known once its last line has been read. */
export interface StatementTotals {
  readonly lines: number;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly netSatang: Satang;
  /** SHA-256 (hex) of the plain text: the same statement has the same, however it was packed. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** What reading yields: lines, then a summary; or, at any point, a refusal, after which nothing before it counts. */
export type StatementPart =
  | { readonly kind: 'lines'; readonly lines: readonly StatementLine[] }
  | { readonly kind: 'summary'; readonly totals: StatementTotals }
  | StatementRefused;

// ---------------------------------------------------------------- the store

/** One attempt of a day, as the whole day is listed. */
export interface DayAttempt extends AttemptKey {
  readonly transRefNo: string;
  readonly status: AttemptStatus;
  readonly amountSatang: Satang;
  /** It was in doubt, and failed by a statement's word. */
  readonly isFailedByStatement: boolean;
}

/** What is to be judged of one key. */
export interface DeferredKey {
  readonly key: string;
  /** Its lines that were deferred, in file order. */
  readonly lines: readonly StatementLine[];
}

/** What is not clear at first sight, while a statement is judged; gone when it is closed, or its process ends. */
export interface Deferred extends Disposable {
  /** Defers a line. */
  put(key: string, line: StatementLine): void;
  /** Notes that a line with the key was counted already, and another has come. */
  putCounted(key: string, lineNo: number): void;
  /** Notes keys that are to be judged, whether or not a line names them. */
  note(keys: Iterable<string>): void;
  /** What was noted and what was deferred, each key once, in the order of the keys. */
  keys(): Iterable<DeferredKey>;
  /** True when a line with the key was deferred. */
  hasLine(key: string): boolean;
  /** The most lines that one key has. */
  largestKey(): number;
}

/**
 * Last word of a version's `reading`: its day had ended when it was read; or had not; or a line of it, which cannot be
 * read, may be of any transfer.
 */
export const wholeDay = 'whole';
export const partOfDay = 'part';
export const unreadDay = 'unread';

/** @param reading of a version */
export const isOfWholeDay = (reading: string): boolean => reading.endsWith(` ${wholeDay}`);
export const isUnread = (reading: string): boolean => reading.endsWith(` ${unreadDay}`);

/** The store at one moment, however long it takes to look at it. */
export interface StatementView extends AsyncDisposable {
  /** Every attempt with this tranDate, in the order in which they were made. */
  attemptsOfDay(date: string): AsyncIterable<readonly DayAttempt[]>;
  /** At once where it was read ahead; one at a time is asked for. @throws Error for one that is not there */
  attempt(place: AttemptKey): AttemptFacts | Promise<AttemptFacts>;
  byReference(transRefNos: readonly string[]): Promise<ReadonlyMap<string, AttemptFacts>>;
  /** Attempts of all days that are neither paid nor known to have ended, of rows in doubt. */
  attemptsInDoubt(): AsyncIterable<readonly AttemptFacts[]>;
  /** Paid attempts of alarmed rows that an inquiry has shown complete; rows without an alarm are not among them. */
  attemptsProvedLate(): Promise<readonly AttemptFacts[]>;
  /** Each day's present version, when it was accepted, and which of them are whole. */
  days(): Pick<DaysRead, 'days' | 'acceptedAtMs' | 'wholeDates' | 'unreadDates' | 'provenances'>;
  /** Those of some attempts with which a line of the day's present statement agrees in everything. */
  withCleanLine(date: string, attempts: readonly AttemptKey[]): Promise<readonly AttemptKey[]>;
  /**
   * Of each key that has any its lines in the present statements of all days, oldest day first.
   * @param attempts those that are known
   */
  linesOf(
    keys: readonly string[],
    attempts: Iterable<AttemptFacts>,
  ): Promise<ReadonlyMap<string, readonly DayLines[]>>;
  /** Of each key that has any those that are open, and those that people have accepted. */
  standingBreaks(keys: readonly string[]): Promise<ReadonlyMap<string, readonly BreakRecord[]>>;
  /**
   * Keys with standing breaks of a day; of any day, as long as their attempts are in the journal where nothing is open,
   * when none is given. One may come several times.
   */
  keysWithBreaks(date?: string): AsyncIterable<readonly string[]>;
  /** Keys of lines in the day's present statement that differed in anything, or were of another day; each once. */
  unclearKeysOf(date: string): AsyncIterable<readonly string[]>;
  /** Keys of attempts of this day of which a line is kept with its cells, or a break is open. One may come several times. */
  keysWithPast(date: string): AsyncIterable<readonly string[]>;
}

/** A file beside the original that a version of a statement has left. */
export interface StatementFile extends PreparedFile {
  readonly kind: 'matched' | 'breaks';
}

/** One accepted version of a day's statement. */
export interface AcceptedStatement {
  readonly date: string;
  readonly version: number;
  /** Of the plain text. */
  readonly sha256: string;
  /** Of the bank's bytes. */
  readonly originalSha256: string;
  readonly originalPath: string;
  /** Settings that bear on the matching; the same bytes under others are judged anew. */
  readonly reading: string;
  readonly statement: StatementTotals;
  readonly totals: EncodedTotals;
  /** What differs from the version before; of a first one no figures do. */
  readonly changes: {
    readonly opened: number;
    readonly changed: number;
    readonly closed: number;
    readonly figures: readonly FiguresChange[];
  };
  readonly files: readonly StatementFile[];
  readonly acceptedAtMs: number;
  /** Null where an older program accepted it, which did not note it. */
  readonly provenance: Provenance | null;
}

/** What is known of one version of a day's statement by its bytes. */
export type StatementVersionMark = Pick<
  AcceptedStatement,
  'version' | 'sha256' | 'originalSha256' | 'reading' | 'provenance'
>;

/** What judgings of a day that broke off have left behind; what is open may not be what any version shows. */
export interface BrokenOff {
  /** Breaks of other days that have been opened since, and still are: how many, and the first of them. */
  readonly openedOnOtherDays: number;
  readonly firstOnOtherDays: readonly BreakRecord[];
  /** Payouts that a statement has changed since, by cause. */
  readonly causes: ReadonlyMap<string, number>;
}

/** Where a day stands. */
export interface StatementDayState {
  readonly date: string;
  readonly version: number;
  readonly acceptedAtMs: number;
  readonly openBreaks: number;
  /** When the oldest break that is open was opened. */
  readonly oldestOpenedAtMs: number | null;
  readonly provenance: Provenance | null;
}

/** Names one matching; whoever begins a later one, of whichever day, ends it: each moves breaks of all days. */
export interface StatementRun {
  readonly date: string;
  readonly runId: string;
}

/** Rows of a batch have been changed by a statement, and nobody has reported on them yet. */
export interface DueReport extends StatementRun {
  readonly batchId: string;
}

/** A line of the version under way, as it is kept. */
export interface KeptLine {
  readonly key: string;
  readonly line: StatementLine;
  /** What another company's line says beside its status is not kept. */
  readonly hasCells: boolean;
}

/** A line that differs from its attempt in nothing: what it says is what the attempt says. */
export interface CleanLine extends AttemptKey {
  /** Where it stands in the original. */
  readonly line: number;
}

/** What names a break among those that are open. */
export type BreakName = Pick<BreakRecord, 'date' | 'key' | 'kind'>;

/** Another process has begun to judge a statement. */
export class StatementOvertakenError extends Error {
  override readonly name = 'StatementOvertakenError';
}

export interface StatementStore extends Pick<ArchiveStore, 'recall'> {
  openStatementView(): Promise<StatementView>;
  /** @throws JournalWriteError from its methods when the disk refuses */
  openDeferred(): Deferred;
  /** The present version of a day. */
  statement(date: string): Promise<AcceptedStatement | undefined>;
  /** Every version of a day, the oldest first. */
  statementVersions(date: string): Promise<readonly StatementVersionMark[]>;
  /**
   * Undefined unless a matching of the day has broken off after `beginRecording`.
   * @param limit of the breaks that are listed
   */
  brokenOff(date: string, limit: number): Promise<BrokenOff | undefined>;
  /** The files of every version of every day. */
  acceptedFiles(): Promise<readonly StatementFile[]>;
  /** True when any attempt bears this tranDate (YYYYMMDD). */
  hasAttemptsOn(date: string): Promise<boolean>;
  /** Every day that was reconciled, the newest first. */
  statementDays(): Promise<readonly StatementDayState[]>;
  /** Open breaks of a day, the most severe first. */
  openBreaks(date: string, limit: number): Promise<readonly BreakRecord[]>;
  /** How many are open, by kind. */
  countOpenBreaks(date: string): Promise<ReadonlyMap<BreakKind, number>>;
  /** How many of the day people have accepted. */
  countAcceptedBreaks(date: string): Promise<number>;
  /** They themselves, the latest first. */
  acceptedBreaks(date: string, limit: number): Promise<readonly BreakRecord[]>;

  /** The one that is open, by what names it. */
  openBreak(name: BreakName): Promise<BreakRecord | undefined>;
  /**
   * Ends an open break as people have decided, and the item of their proposal with it, in one transaction.
   * @param known the break as they have seen it
   * @returns false, with nothing changed, when it is otherwise by now, or the item has ended
   */
  acceptBreak(known: BreakRecord, accepted: BreakRecord, item: DecisionItem): Promise<boolean>;

  // ---- one matching; each of these throws StatementOvertakenError when a later one has begun
  beginStatement(run: StatementRun): Promise<void>;
  /**
   * Notes, before anything is recorded, that a new version is under way, and removes lines of it that a reading which
   * broke off has left; `acceptStatement` takes the note away.
   */
  beginRecording(run: StatementRun, version: number): Promise<void>;
  /** @returns the key of one that was no longer open when it was to be changed, if there is any: the rest is recorded */
  recordBreaks(run: StatementRun, moves: readonly BreakMove[]): Promise<string | undefined>;
  /** Keeps lines of the version under way: they count once it is accepted. */
  recordLines(run: StatementRun, version: number, lines: readonly KeptLine[]): Promise<void>;
  recordCleanLines(run: StatementRun, version: number, lines: readonly CleanLine[]): Promise<void>;
  /** Notes, before their rows are changed, which batches are to be reported on when the statement is accepted. */
  markReports(run: StatementRun, batchIds: readonly string[]): Promise<void>;
  /** Breaks of the day that are open or accepted, and those that this matching has moved, in pages. */
  breaksToShow(run: StatementRun): AsyncIterable<readonly BreakRecord[]>;
  /**
   * Makes it the present version of its day, and has its batches reported on.
   * @returns false, and nothing is accepted, where payouts of the day stand in an archive: it was judged without them
   */
  acceptStatement(run: StatementRun, statement: AcceptedStatement): Promise<boolean>;
  /** Ends a matching that has found the present version again; what it has changed is reported on. */
  endStatement(run: StatementRun): Promise<void>;

  /** Batches to be reported on. */
  dueReports(): Promise<readonly DueReport[]>;
  clearDueReport(due: DueReport): Promise<void>;
}

/** What is asked of the store. */
export interface UnreconciledDays {
  /** Those of these days on which something was sent, and whose present statement is not of the whole day, or not there. */
  daysWithoutStatement(dates: readonly string[]): Promise<readonly string[]>;
  /** Days whose present statement is not of the whole day. */
  daysReadInPart(): Promise<readonly string[]>;
  /** The first day on which anything was sent; undefined before that. */
  firstDaySent(): Promise<string | undefined>;
}
