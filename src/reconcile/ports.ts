/** What reconciling needs of the folder in which a day's tables are left beside the bank's own file. */
import type { Satang } from '../core/money.ts';
import type { AttemptStatus } from '../core/payout.ts';
import type { AttemptKey } from '../core/ports.ts';
import type { PreparedFile, PublishedState, TableDraft } from '../reports/ports.ts';
import type { BreakMove } from './rules/breaks.ts';
import type { StatementLine, StatementWords } from './rules/statement.ts';
import type { EncodedTotals } from './rules/tally.ts';
import type { AttemptFacts, BreakKind, BreakRecord, LineElsewhere } from './rules/types.ts';

export interface StatementOutbox {
  /** For programs: every value as it is. */
  openMatched(fileName: string): Promise<TableDraft>;
  /** For a spreadsheet: what it would change is kept as text, amounts stay numbers. */
  openBreaks(fileName: string): Promise<TableDraft>;
  publish(recorded: PreparedFile): Promise<PublishedState>;
  /**
   * Deals with temporary files that nobody has written to since `beforeMs`: those of accepted versions are published,
   * what a crash has left half written is removed.
   * @param accepted the files of every accepted version
   * @returns why files of accepted versions could not be published, in words; these stay for another time
   */
  finishLeftovers(beforeMs: number, accepted: readonly PreparedFile[]): Promise<readonly string[]>;
}

/** `20261121.v2.breaks.csv`. */
export function computeStatementFileName(date: string, version: number, kind: 'matched' | 'breaks'): string {
  return `${date}.v${version}.${kind}.csv`;
}

// ---- * What reconciling needs of the bank and of the disk: the statement asked for, brought, kept, opened and read.
// A date is "YYYYMMDD" in Bangkok throughout.

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
export interface StatementDesk {
  /** @param companyId null for all companies of the partner */
  request(date: string, companyId: string | null): Promise<StatementOffer>;
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
export interface StatementCourier {
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

/** What the bytes of a statement are, told by the first of them; `other` is nothing that we can open. */
export type StatementForm = 'plain' | 'gzip' | 'zip' | 'other';

/** The bank's bytes as they came, in the statements folder. */
export interface KeptOriginal {
  readonly path: string;
  /** SHA-256 (hex) of all bytes. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly form: StatementForm;
  /** False when the same bytes had been kept before. */
  readonly isNew: boolean;
}

/** An original on its way to the disk; closed before it is kept, it is gone. */
export interface OriginalDraft extends AsyncDisposable {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the bytes durable and gives them their name. */
  keep(): Promise<KeptOriginal>;
}

export interface StatementVault {
  draft(date: string): Promise<OriginalDraft>;
  /** Keeps a copy of a file that a person has given. */
  keepFile(date: string, path: string): Promise<KeptOriginal | StatementRefused>;
  /** Puts the key beside an original that could not be opened, for the owner of the folder; returns its path. */
  keepKey(original: KeptOriginal, key: string): Promise<string>;
  /** Removes what a crash has left half written, unless it was written to since `beforeMs`. */
  removeLeftovers(beforeMs: number): Promise<void>;
}

/** A statement in plain text; closing it removes what was unpacked for it. */
export interface OpenedStatement extends AsyncDisposable {
  readonly kind: 'opened';
  readonly path: string;
  readonly form: Exclude<StatementForm, 'other'>;
}

export interface StatementOpener {
  /** @param key the bank's unZipKey, for a ZIP that is encrypted */
  open(path: string, key: string | null): Promise<OpenedStatement | StatementRefused>;
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

export interface StatementReader {
  /** Reads a plain statement. Nothing of it may be applied before the summary has come. */
  read(path: string): AsyncIterable<StatementPart>;
}

/** The codes and names of §3.2, and what they are commonly called. */
export const commonStatementWords: StatementWords = {
  complete: ['010004', 'COMPLETE', 'COMPLETED', 'SUCCESS', 'SUCCESSFUL'],
  failed: [
    '030002',
    '030003',
    'VALIDATE FAILED',
    'VALIDATE_FAILED',
    'TRANSFER FAILED',
    'TRANSFER_FAILED',
    'FAIL',
    'FAILED',
    'REJECTED',
  ],
  inProcess: [
    '010001',
    '010002',
    '010003',
    '030004',
    'RECEIVE',
    'VALIDATE',
    'TRANSFER',
    'PROCESSING',
    'PENDING',
  ],
};

// ---- What reconciling needs of the store: the attempts of a day, the breaks that are open, and what became of each statement.

/** One attempt of a day, as the whole day is listed. */
export interface DayAttempt extends AttemptKey {
  readonly transRefNo: string;
  readonly status: AttemptStatus;
  readonly amountSatang: Satang;
  /** A statement's word alone has called it failed. */
  readonly isFailedByStatement: boolean;
}

/** Lines with one key that are not clear at first sight. */
export interface LineGroup {
  readonly key: string;
  readonly lines: readonly StatementLine[];
  /** Places in `lines` that were judged and counted when they were read. */
  readonly counted: readonly number[];
}

/** The lines of one statement while it is judged; gone when it is closed, or its process ends. */
export interface LineScratch extends Disposable {
  /** Keeps lines in file order, some hundreds at once. */
  keep(lines: readonly StatementLine[]): void;
  /** Puts a line aside. */
  setAside(key: string, line: StatementLine): void;
  /** Puts a line aside that was counted and kept before; one that is aside already stays as it was. */
  setCountedAside(key: string, lineNo: number): void;
  /** True if a line with the key was put aside. */
  has(key: string): boolean;
  /** What was put aside, in the order of the keys. */
  groups(): Iterable<LineGroup>;
  /** The most lines that one key has aside. */
  largestGroup(): number;
}

/** Last word of a version's `reading`: its day had ended when it was read, or had not. */
export const wholeDay = 'whole';
export const partOfDay = 'part';

/** The store at one moment, however long it takes to look at it. */
export interface StatementView extends Disposable {
  /** Every attempt with this tranDate, in the order in which they were made. */
  attemptsOfDay(date: string): Iterable<readonly DayAttempt[]>;
  /** @throws Error for one that is not there */
  attempt(payoutSeq: number, attemptNo: number): AttemptFacts;
  byReference(transRefNos: readonly string[]): ReadonlyMap<string, AttemptFacts>;
  /** Attempts of all days that are neither paid nor known to have ended, of rows in doubt. */
  attemptsInDoubt(): Iterable<AttemptFacts>;
  /** Paid attempts of alarmed rows that an inquiry has shown complete; rows without an alarm are not among them. */
  attemptsProvedLate(): readonly AttemptFacts[];
  /** Keys of attempts of this day about which another statement, or a break, says something. */
  keysWithPast(date: string): Iterable<string>;
  /** Those of them about which the statement of another day says something. */
  keysElsewhere(date: string): Iterable<string>;
  /** Lines with this key in the present statements of other days. */
  elsewhere(key: string, date: string): readonly LineElsewhere[];
  /** True if the present statement of this day is known to lack the key. */
  isAbsent(key: string, date: string): boolean;
  /** True if anything is known of the key from the present statement of this day but that it agrees. */
  isNoted(key: string, date: string): boolean;
  openBreaks(key: string, date: string): readonly BreakRecord[];
  /** Keys with open breaks of a day. */
  keysWithBreaks(date: string): Iterable<string>;
  /** Keys of transfers of other days that this day's statement has, or had in the version before. */
  strayKeys(date: string): Iterable<string>;
  /** Days whose statement was accepted when they had ended: only there is anything absent for good. */
  readDates(): ReadonlySet<string>;
}

/** A file beside the original that a version of a statement has left. */
export interface StatementFile extends PreparedFile {
  readonly kind: 'matched' | 'breaks';
}

/** What two judgings of one day differ in. */
export interface StatementChanges {
  readonly opened: number;
  readonly changed: number;
  readonly closed: number;
  /** Figures by place, as text, before and after; empty for a first version. */
  readonly figures: readonly {
    readonly side: 'statement' | 'paid';
    readonly place: string;
    readonly before: { readonly count: number; readonly satang: string };
    readonly after: { readonly count: number; readonly satang: string };
  }[];
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
  /** Settings that bear on the judging; the same bytes under others are judged anew. */
  readonly reading: string;
  readonly statement: StatementTotals;
  readonly totals: EncodedTotals;
  readonly changes: StatementChanges;
  readonly files: readonly StatementFile[];
  readonly acceptedAtMs: number;
}

/** What is known of one version of a day's statement by its bytes. */
export type StatementVersionMark = Pick<
  AcceptedStatement,
  'version' | 'sha256' | 'originalSha256' | 'reading'
>;

/** What judgings of a day that broke off have left behind; what is open may not be what any version shows. */
export interface BrokenOff {
  /** Breaks of other days that have been opened since, and still are: how many, and the first of them. */
  readonly openedElsewhere: number;
  readonly firstElsewhere: readonly BreakRecord[];
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
}

/** Names one judging; whoever begins a later one, of whichever day, ends it: each moves breaks of all days. */
export interface StatementRun {
  readonly date: string;
  readonly runId: string;
}

/** Rows of a batch have been changed by a statement, and nobody has reported on them yet. */
export interface DueReport extends StatementRun {
  readonly batchId: string;
}

/** What a day's statement says of a transfer of another day, or of one of which another day's statement speaks too. */
export interface StrayLine {
  readonly key: string;
  /** Null where the statement of the transfer's own day lacks it, and no break says so. */
  readonly line: StatementLine | null;
}

/** Another process has begun to judge a statement. */
export class StatementOvertakenError extends Error {
  override readonly name = 'StatementOvertakenError';
}

export interface StatementStore {
  /**
   * What the run itself has recorded counts in it as what accepted statements have shown.
   * @param version as which the run has judged its day: what the version before said of that day counts no more
   */
  openStatementView(run: StatementRun, version?: number): StatementView;
  /** @throws JournalWriteError when the disk refuses */
  openLineScratch(): LineScratch;
  /** The present version of a day. */
  statement(date: string): Promise<AcceptedStatement | undefined>;
  /** Every version of a day, the oldest first. */
  statementVersions(date: string): Promise<readonly StatementVersionMark[]>;
  /**
   * Undefined unless a judging of the day has broken off after `beginRecording`.
   * @param limit of the breaks that are listed
   */
  brokenOff(date: string, limit: number): Promise<BrokenOff | undefined>;
  /** The files of every version of every day. */
  acceptedFiles(): Promise<readonly StatementFile[]>;
  /** True when any attempt bears this tranDate (YYYYMMDD). */
  hasAttemptsOn(date: string): Promise<boolean>;
  /** Every day that was reconciled, the newest first. */
  statementDays(): Promise<readonly StatementDayState[]>;
  /** Open breaks of a day, the loudest first. */
  openBreaks(date: string, limit: number): Promise<readonly BreakRecord[]>;
  /** How many are open, by kind. */
  countOpenBreaks(date: string): Promise<ReadonlyMap<BreakKind, number>>;

  // ---- one judging; each of these throws StatementOvertakenError when a later one has begun
  beginStatement(run: StatementRun): Promise<void>;
  /** Notes, before anything is recorded, that a new version is under way; `acceptStatement` takes the note away. */
  beginRecording(run: StatementRun): Promise<void>;
  recordBreaks(run: StatementRun, moves: readonly BreakMove[]): Promise<void>;
  recordStrays(run: StatementRun, strays: readonly StrayLine[]): Promise<void>;
  /** Notes, before their rows are changed, which batches are to be reported on when the statement is accepted. */
  markReports(run: StatementRun, batchIds: readonly string[]): Promise<void>;
  /** Breaks that are open in the day's statement, and those that this judging has moved, in pages. */
  breaksToShow(run: StatementRun): AsyncIterable<readonly BreakRecord[]>;
  /** Makes it the present version of its day, and has its batches reported on. */
  acceptStatement(run: StatementRun, statement: AcceptedStatement): Promise<void>;
  /** Ends a judging that has found the present version again; what it has changed is reported on. */
  endStatement(run: StatementRun): Promise<void>;

  /** Batches to be reported on. */
  dueReports(): Promise<readonly DueReport[]>;
  clearDueReport(due: DueReport): Promise<void>;
}
