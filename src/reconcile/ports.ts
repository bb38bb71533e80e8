/** The bank and the store as reconciling needs them. Dates are "YYYYMMDD" in Bangkok throughout. */
import type { Satang } from '../core/money.ts';
import type { FileRejection } from '../core/payout-file.ts';
import type { AttemptStatus } from '../core/payout.ts';
import type { AttemptKey, DecisionItem } from '../core/ports.ts';
import type { ArchiveStore } from '../payout/ports.ts';
import type { PreparedFile } from '../platform/durable-file.ts';
import type { BreakMove } from './rules/breaks.ts';
import type { Provenance } from './rules/custody.ts';
import type { StatementLine } from './rules/statement.ts';
import type { EncodedTotals, FiguresChange } from './rules/tally.ts';
import type { AttemptFacts, BreakKind, BreakRecord, DayLines, DaysRead, Severity } from './rules/types.ts';

// ---------------------------------------------------------------- the bank and its files

/** The bank's answer to a request for a day's statement (§2.7, §7.2). */
export type StatementOffer =
  /** `address` and `key` are secrets: they give access to the file. */
  | { readonly kind: 'offered'; readonly address: string; readonly key: string | null }
  /** AU00002: there is no file for the date, or not yet. */
  | { readonly kind: 'not-found' }
  /** Asking again is useless until a person has acted. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  /** We have no right to ask; `text` names the cure. */
  | { readonly kind: 'not-allowed'; readonly code: string; readonly text: string }
  /** There was no usable answer; asking again may help. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryAfterMs: number | null };

/** Requests of endpoint 8. */
export interface StatementRequests {
  /**
   * @param companyId null for all companies of the partner
   * @param stop ends the wait for a turn under the rate limit
   */
  request(date: string, companyId: string | null, stop?: AbortSignal): Promise<StatementOffer>;
}

/** Reason why a statement was refused; nothing of it may be used. Its column is the bank's. */
export type StatementRefusal = FileRejection;

export interface StatementRefused {
  readonly kind: 'refused';
  readonly refusal: StatementRefusal;
}

export type StatementDelivery =
  | { readonly kind: 'delivered'; readonly sizeBytes: number }
  /** A complete web page instead of a statement; it is worth keeping for a look. */
  | { readonly kind: 'web-page'; readonly refusal: StatementRefusal }
  /** The file did not come, or not completely; the bytes passed on must be discarded. */
  | StatementRefused;

/** Downloads the file from its signed address. */
export interface StatementDownloader {
  /**
   * Passes on the file's bytes as they come, each block once the one before is processed; errors of `take` are
   * rethrown. None of our credentials or headers goes to the address.
   */
  bring(
    address: string,
    take: (bytes: Uint8Array) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<StatementDelivery>;
}

/** Totals of a whole statement, known after its last line. */
export interface StatementTotals {
  readonly lines: number;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly netSatang: Satang;
  /** SHA-256 (hex) of the plain text: the same for a statement however it was packed. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Parts of a statement: lines, then a summary; or, at any point, a refusal, which invalidates all before it. */
export type StatementPart =
  | { readonly kind: 'lines'; readonly lines: readonly StatementLine[] }
  | { readonly kind: 'summary'; readonly totals: StatementTotals }
  | StatementRefused;

// ---------------------------------------------------------------- the store

/** One attempt of a day, in the list of all. */
export interface DayAttempt extends AttemptKey {
  readonly transRefNo: string;
  readonly status: AttemptStatus;
  readonly amountSatang: Satang;
  /** True when it was in doubt, and failed by a statement. */
  readonly isFailedByStatement: boolean;
}

/** A key to judge. */
export interface DeferredKey {
  readonly key: string;
  /** Its deferred lines, in file order. */
  readonly lines: readonly StatementLine[];
}

/**
 * Deferred lines and keys, which are not clear at first sight, while a statement is judged; removed when closed, or
 * when the process ends.
 */
export interface Deferred extends Disposable {
  /** Defers a line. */
  put(key: string, line: StatementLine): void;
  /** Records that a second line has come for a key with a counted line. */
  putCounted(key: string, lineNo: number): void;
  /** Adds keys to judge, whether or not a line names them. */
  note(keys: Iterable<string>): void;
  /** Every added or deferred key once, in order. */
  keys(): Iterable<DeferredKey>;
  /** True when a line with the key was deferred. */
  hasLine(key: string): boolean;
  /** Most lines of one key. */
  largestKey(): number;
}

/**
 * Last word of a version's `reading`: its day had ended when it was read; had not ended; or it has an unreadable line
 * that may belong to any transfer.
 */
export const wholeDay = 'whole';
export const partOfDay = 'part';
export const unreadDay = 'unread';

/** @param reading of a version */
export const isOfWholeDay = (reading: string): boolean => reading.endsWith(` ${wholeDay}`);
export const isUnread = (reading: string): boolean => reading.endsWith(` ${unreadDay}`);

/** A view of the store at one moment, for as long as it is open. */
export interface StatementView extends AsyncDisposable {
  /** Every attempt with this tranDate, in the order in which they were made. */
  attemptsOfDay(date: string): AsyncIterable<readonly DayAttempt[]>;
  /**
   * The attempt; without a promise if it was read ahead. Call again only after the previous call has returned.
   * @throws Error when it does not exist
   */
  attempt(place: AttemptKey): AttemptFacts | Promise<AttemptFacts>;
  byReference(transRefNos: readonly string[]): Promise<ReadonlyMap<string, AttemptFacts>>;
  /** Attempts of all days that are neither paid nor known to have ended, for rows in doubt. */
  attemptsInDoubt(): AsyncIterable<readonly AttemptFacts[]>;
  /** Paid attempts of alarmed rows that an inquiry has shown complete; rows without an alarm are left out. */
  attemptsProvedLate(): Promise<readonly AttemptFacts[]>;
  /** Each day's present version, its time of acceptance, and which days are whole. */
  days(): Pick<DaysRead, 'days' | 'acceptedAtMs' | 'wholeDates' | 'unreadDates' | 'provenances'>;
  /** The attempts with which a line of the day's present statement agrees completely. */
  withCleanLine(date: string, attempts: readonly AttemptKey[]): Promise<readonly AttemptKey[]>;
  /**
   * Lines of each key, if any, in the present statements of all days, oldest day first.
   * @param attempts the known attempts
   */
  linesOf(
    keys: readonly string[],
    attempts: Iterable<AttemptFacts>,
  ): Promise<ReadonlyMap<string, readonly DayLines[]>>;
  /** Open and accepted breaks of each key, if any. */
  standingBreaks(keys: readonly string[]): Promise<ReadonlyMap<string, readonly BreakRecord[]>>;
  /**
   * Keys with standing breaks of a day; without a day, of any day, if one is open or their attempts are in the journal.
   * A key may come several times.
   */
  keysWithBreaks(date?: string): AsyncIterable<readonly string[]>;
  /** Keys of lines in the day's present statement that differed in anything, or were of another day; each once. */
  unclearKeysOf(date: string): AsyncIterable<readonly string[]>;
  /**
   * Keys of this day's attempts that have a line stored with its cells, or an open break. A key may come several times.
   */
  keysWithPast(date: string): AsyncIterable<readonly string[]>;
}

/** A table that a version of a statement has left beside the original. */
export interface StatementFile extends PreparedFile {
  readonly kind: 'matched' | 'breaks';
}

/** One accepted version of a day's statement. */
export interface AcceptedStatement {
  readonly date: string;
  readonly version: number;
  /** SHA-256 of the plain text. */
  readonly sha256: string;
  /** SHA-256 of the bank's bytes. */
  readonly originalSha256: string;
  readonly originalPath: string;
  /** Settings that affect the matching; the same bytes under other settings are judged anew. */
  readonly reading: string;
  readonly statement: StatementTotals;
  readonly totals: EncodedTotals;
  /** Changes against the previous version; a first version changes no figures. */
  readonly changes: {
    readonly opened: number;
    readonly changed: number;
    readonly closed: number;
    readonly figures: readonly FiguresChange[];
  };
  readonly files: readonly StatementFile[];
  readonly acceptedAtMs: number;
  /** Origin of the statement. */
  readonly provenance: Provenance;
}

/** The facts that identify a version of a day's statement by its bytes. */
export type StatementVersionMark = Pick<
  AcceptedStatement,
  'version' | 'sha256' | 'originalSha256' | 'reading' | 'provenance'
>;

/** Remains of interrupted matchings of a day; the open breaks may not be those of any version. */
export interface BrokenOff {
  /** Breaks of other days opened since, and still open: their number, and the first of them. */
  readonly openedOnOtherDays: number;
  readonly firstOnOtherDays: readonly BreakRecord[];
  /** Payouts that a statement has changed since, by cause. */
  readonly causes: ReadonlyMap<string, number>;
}

/** The state of a day. */
export interface StatementDayState {
  readonly date: string;
  readonly version: number;
  readonly acceptedAtMs: number;
  readonly openBreaks: number;
  /** Time at which the oldest open break was opened. */
  readonly oldestOpenedAtMs: number | null;
  readonly provenance: Provenance | null;
}

/** Open breaks of a day and a severity. */
export interface OpenBreaksSum {
  readonly date: string;
  readonly severity: Severity;
  readonly breaks: number;
  readonly oldestMs: number;
}

/** Identifies a matching; a later one, of any day, ends it, because each moves breaks of all days. */
export interface StatementRun {
  readonly date: string;
  readonly runId: string;
}

/** A batch with rows changed by a statement, and not reported yet. */
interface DueReport extends StatementRun {
  readonly batchId: string;
}

/** A line of the version in work, as stored. */
export interface KeptLine {
  readonly key: string;
  readonly line: StatementLine;
  /** False for another company's line: only its status is stored. */
  readonly hasCells: boolean;
}

/** A line that equals its attempt in everything. */
export interface CleanLine extends AttemptKey {
  /** Line of the original. */
  readonly line: number;
}

/** Identifies an open break. */
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
  /** Every version of a day, oldest first. */
  statementVersions(date: string): Promise<readonly StatementVersionMark[]>;
  /**
   * Undefined unless a matching of the day was interrupted after `beginRecording`.
   * @param limit most breaks listed
   */
  brokenOff(date: string, limit: number): Promise<BrokenOff | undefined>;
  /** The files of every version of every day. */
  acceptedFiles(): Promise<readonly StatementFile[]>;
  /** True when any attempt has this tranDate (YYYYMMDD). */
  hasAttemptsOn(date: string): Promise<boolean>;
  /** Every reconciled day, newest first. */
  statementDays(): Promise<readonly StatementDayState[]>;
  /** Open breaks of a day, most severe first. */
  openBreaks(date: string, limit: number): Promise<readonly BreakRecord[]>;
  /** The number of open breaks, by day and severity. */
  openBreaksBySeverity(): Promise<readonly OpenBreaksSum[]>;
  /** Number of open breaks, by kind. */
  countOpenBreaks(date: string): Promise<ReadonlyMap<BreakKind, number>>;
  /** Number of the day's breaks that people have accepted. */
  countAcceptedBreaks(date: string): Promise<number>;
  /** The accepted breaks, latest first. */
  acceptedBreaks(date: string, limit: number): Promise<readonly BreakRecord[]>;

  /** An open break by its name. */
  openBreak(name: BreakName): Promise<BreakRecord | undefined>;
  /**
   * Closes an open break by a decision of people, and ends the item of their proposal, in one transaction.
   * @param known the break as they saw it
   * @returns false, without a change, when the break has changed or the item has ended
   */
  acceptBreak(known: BreakRecord, accepted: BreakRecord, item: DecisionItem): Promise<boolean>;

  // ---- one matching; each method throws StatementOvertakenError when a later one has begun
  beginStatement(run: StatementRun): Promise<void>;
  /**
   * Records, before anything else, that a new version is in work, and removes lines that an interrupted reading has
   * left; `acceptStatement` removes the note.
   */
  beginRecording(run: StatementRun, version: number): Promise<void>;
  /** @returns the key of a break that was no longer open when it was to change, if any; the rest is recorded */
  recordBreaks(run: StatementRun, moves: readonly BreakMove[]): Promise<string | undefined>;
  /** Stores lines of the version in work; they count once it is accepted. */
  recordLines(run: StatementRun, version: number, lines: readonly KeptLine[]): Promise<void>;
  recordCleanLines(run: StatementRun, version: number, lines: readonly CleanLine[]): Promise<void>;
  /** Records, before their rows change, which batches need a report when the statement is accepted. */
  markReports(run: StatementRun, batchIds: readonly string[]): Promise<void>;
  /** Breaks of the day that are open or accepted, and those that this matching has moved, in pages. */
  breaksToShow(run: StatementRun): AsyncIterable<readonly BreakRecord[]>;
  /**
   * Makes it the day's present version, and schedules the reports of its batches.
   * @returns false, and accepts nothing, when payouts of the day are in an archive: the statement was judged without
   * them
   */
  acceptStatement(run: StatementRun, statement: AcceptedStatement): Promise<boolean>;
  /** Ends a matching that found the present version again; its changes are reported. */
  endStatement(run: StatementRun): Promise<void>;

  /** Batches that need a report. */
  dueReports(): Promise<readonly DueReport[]>;
  clearDueReport(due: DueReport): Promise<void>;
}

/** Queries about days without a statement. */
export interface UnreconciledDays {
  /** Days of the list on which something was sent, and which have no statement of the whole day. */
  daysWithoutStatement(dates: readonly string[]): Promise<readonly string[]>;
  /** Days whose present statement is not of the whole day. */
  daysReadInPart(): Promise<readonly string[]>;
  /** First day on which anything was sent; undefined before that. */
  firstDaySent(): Promise<string | undefined>;
}
