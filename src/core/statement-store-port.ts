/** What reconciling needs of the store: the attempts of a day, the breaks that are open, and what became of each statement. */
import type { AttemptStatus } from './payout.ts';
import type { AttemptKey } from './ports.ts';
import type { Satang } from './money.ts';
import type { PreparedFile } from './report-outbox.ts';
import type { StatementTotals } from './statement-port.ts';
import type { BreakMove } from './statement-breaks.ts';
import type { EncodedTotals } from './statement-tally.ts';
import type { AttemptFacts, BreakKind, BreakRecord, LineElsewhere } from './statement-types.ts';
import type { StatementLine } from './statement.ts';

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
