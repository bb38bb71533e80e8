/**
 * What the worker needs of the world: a journal, a bank, a clock.
 * Adapters hold no rule about a payout's status; the changes they are handed come from the core.
 */
import type { RowCells, SealTotals, StagedRow } from '../intake/ports.ts';
import type { Issue } from '../intake/rules/row.ts';
import type { Satang } from './money.ts';
import type {
  Attempt,
  BatchStatus,
  HoldReason,
  Instruction,
  Payout,
  PayoutCause,
  PayoutStatus,
  ProxyType,
} from './payout.ts';

export type {
  Bank,
  BankReply,
  BusinessFields,
  Exchange,
  InquiryFields,
  InquiryItem,
  PayeeCheck,
  PayeeCheckFields,
  StatusInquiry,
  TransferFields,
} from './bank-port.ts';
export type {
  FileEncoding,
  FileRejection,
  Inspection,
  PayoutFileReader,
  ReadPart,
  RowCells,
  SealTotals,
  StagedRow,
} from '../intake/ports.ts';

// ---------------------------------------------------------------- clock

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// ---------------------------------------------------------------- journal

/** A batch as the store holds it. */
export interface Batch {
  readonly batchId: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly status: BatchStatus;
  /** Why it is paused, halted or rejected. */
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly rows: number;
  /** Total of the readable amounts. */
  readonly totalSatang: Satang;
  /** Rows whose amount cannot be read. */
  readonly unreadableAmounts: number;
  /** Names of the carried-through columns, in file order. */
  readonly extraColumns: readonly string[];
  readonly startedAtMs: number;
  /** When its file was dropped, or when a person last let it go on: what its age is counted from. */
  readonly ageFromMs: number;
  readonly sealedAtMs: number | null;
  /** When it last came to rest. */
  readonly restedAtMs: number | null;
}

export interface BatchStart {
  readonly batchId: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly extraColumns: readonly string[];
  /** When the file was dropped, which may be long before it is read; `nowMs` when left out. */
  readonly droppedAtMs?: number;
  readonly nowMs: number;
}

/** Another row that holds, or once paid, a payoutId. */
export interface ClaimHolder {
  readonly payoutId: string;
  readonly batchId: string;
  readonly rowNo: number;
  readonly fileName: string;
  readonly status: PayoutStatus;
}

/** What a like payout has in common with an earlier one, which has another payoutId of the same company. */
export interface PaymentLikeness {
  readonly companyId: string;
  /** The like payout's own. */
  readonly payoutId: string;
  readonly proxyType: ProxyType;
  readonly proxyNo: string;
  readonly amountSatang: Satang;
  /** The earlier one was submitted no earlier than this. */
  readonly sinceMs: number;
}

/** A payout that was paid, or may be with the bank. */
export interface EarlierPayment extends ClaimHolder {
  readonly submittedAtMs: number;
}

/** Something that happened to a payout, appended and never changed. */
export interface EventDraft {
  readonly cause: PayoutCause;
  readonly atMs: number;
  /** Small, JSON-encodable, free of secrets and of full proxy or account numbers. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface PayoutEvent extends EventDraft {
  readonly seq: number;
  readonly payoutSeq: number;
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly attemptNo: number;
}

/**
 * One guarded change of one payout: applied only if the payout still has the version and status of `before`.
 * `after` carries every changeable field; the store raises the version by one.
 */
export interface Change {
  readonly before: Payout;
  readonly after: Payout;
  readonly event: EventDraft;
  /** Inserted (its attempt number is new) or updated, in the same transaction. */
  readonly attempt?: Attempt;
  /**
   * Set on the change that records an intent: it is applied only if the row holds the claim on its payoutId,
   * the batch is running, and no line stop is in force for its company and payer account.
   */
  readonly isIntent?: true;
  /** Set when a rejected row was validated anew: `after.instruction` is what it now asks for, and is kept with the row. */
  readonly isValidated?: true;
  /**
   * Attempts that the journal does not know and the bank does, found after a loss, the lowest number first: recorded
   * in the same transaction, if the row holds the claim, so that their numbers are never used again.
   */
  readonly adopts?: readonly Attempt[];
}

/** A loss of the journal from which a person let it go on; the dates are YYYYMMDD in Bangkok. */
export interface JournalLoss {
  /** Not earlier than anything that the journal knew then: only what is later is surely known to it. */
  readonly recoveredAtMs: number;
  /** The first day of which something may be missing. */
  readonly sinceDate: string;
  /** The last day of which something may be missing; before `sinceDate` when no day is in question any more. */
  readonly untilDate: string;
}

/** A payout that may be sent, and how many attempts its payoutId has ever had (over all files). */
export interface ReadyPayout {
  readonly payout: Payout;
  readonly attemptsRecorded: number;
}

/** A payout that is submitted or unresolved, with its latest attempt. */
export interface InDoubt {
  readonly payout: Payout;
  readonly attempt: Attempt;
}

/** A place in the order of all attempts. */
export type AttemptKey = Pick<Attempt, 'payoutSeq' | 'attemptNo'>;

/** Count and amount of the rows in one status. */
export interface StatusTotal {
  readonly status: PayoutStatus;
  readonly rows: number;
  readonly amountSatang: Satang;
  readonly unreadableAmounts: number;
  /** Rows among them that bear an alarm. */
  readonly alarmRows: number;
}

/** Rows that bear a hold; a row with two holds counts under both. */
export interface HoldTotal {
  readonly hold: HoldReason;
  readonly rows: number;
}

/** One row of the result file: the row as staged, its present state and its latest attempt. */
export interface ResultRow {
  readonly seq: number;
  readonly rowNo: number;
  readonly line: number;
  readonly cells: RowCells;
  readonly instruction: Instruction | null;
  readonly amountSatang: Satang | null;
  readonly issues: readonly Issue[];
  readonly extras: readonly string[];
  readonly status: PayoutStatus;
  readonly holds: readonly HoldReason[];
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly bankPayeeName: string | null;
  readonly bankPayeeNameTh: string | null;
  readonly submittedAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly settledBy: string | null;
  readonly isAlarm: boolean;
  readonly attemptNo: number;
  readonly transRefNo: string | null;
  readonly sysRefNo: string | null;
  readonly feeText: string | null;
  /** Counts the changes of the row. */
  readonly version: number;
}

/** A stop of the line for one payer account; in force until lifted. */
export interface LineStop {
  readonly companyId: string;
  readonly payerAccount: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  readonly sinceMs: number;
}

/** A pause of the line for one payer account: it outlives the run that met the trouble. */
export interface LinePause {
  readonly companyId: string;
  readonly payerAccount: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  /** Troubles met one after another; the next pause is longer for each. */
  readonly troubles: number;
  /** A transfer met the trouble: only another transfer proves that it is over. */
  readonly isTransfer: boolean;
  readonly sinceMs: number;
  readonly untilMs: number;
}

export type ReportKind = 'result' | 'exceptions' | 'summary' | 'result-update' | 'exceptions-update';

/** A file that the journal knows to be due, recorded after its bytes are safe under a temporary name. */
export interface Report {
  readonly batchId: string;
  readonly kind: ReportKind;
  /** 0 for the first; counts the updates from 1. */
  readonly number: number;
  readonly path: string;
  readonly temporaryPath: string;
  readonly sha256: string;
  /** Latest event that the report shows. */
  readonly eventSeq: number;
  readonly atMs: number;
}

export interface PayoutHistory {
  readonly row: ResultRow;
  readonly batch: Batch;
  readonly attempts: readonly Attempt[];
  readonly events: readonly PayoutEvent[];
}

/** A consistent view of one moment of the journal, for reports; closed by its owner. */
export interface Snapshot extends AsyncDisposable {
  /** Number of the latest event in this view. */
  readonly eventSeq: number;
  batch(batchId: string): Promise<Batch | undefined>;
  totals(batchId: string): Promise<readonly StatusTotal[]>;
  holdTotals(batchId: string): Promise<readonly HoldTotal[]>;
  /** Rows of a batch in input order, those changed after event `changedSince` only when it is given. */
  resultRows(batchId: string, changedSince?: number): AsyncIterable<ResultRow>;
}

export interface Journal extends AsyncDisposable {
  // ---- batches
  /** Every batch, newest first. */
  batches(): Promise<readonly Batch[]>;
  batch(batchId: string): Promise<Batch | undefined>;
  /** Creates the batch, or begins a reading again: rows staged by an unfinished reading are dropped. */
  startIngest(start: BatchStart): Promise<void>;
  stage(batchId: string, rows: readonly StagedRow[]): Promise<void>;
  /**
   * Turns the staged rows into ready, held or rejected ones and takes the claims, in one transaction.
   * A row whose payoutId is held elsewhere is rejected with the holder named; one that equals another
   * but for case or leading zeros gets the hold `similar`.
   */
  seal(batchId: string, totals: SealTotals, nowMs: number): Promise<Batch>;
  /** Ends the reading of a file that is rejected as a whole; its staged rows are dropped. */
  rejectBatch(batchId: string, code: string, reason: string, nowMs: number): Promise<void>;
  /** Moves a batch if the table allows it from its present status; false when it does not. */
  moveBatch(batchId: string, to: BatchStatus, why: BatchReason | null, nowMs: number): Promise<boolean>;
  /** Counts the batch's age from now on: a person has let it go on. */
  renewAge(batchId: string, nowMs: number): Promise<void>;
  /**
   * Has a batch paid from another account from now on; attempts keep the one that they were made with.
   * False while any of its rows is in doubt.
   */
  movePayer(batchId: string, payerAccount: string): Promise<boolean>;
  totals(batchId: string): Promise<readonly StatusTotal[]>;
  holdTotals(batchId: string): Promise<readonly HoldTotal[]>;

  // ---- payouts
  /** Rows of the batch in status ready, in input order, after a row number. */
  readyPage(batchId: string, afterRowNo: number, limit: number): Promise<readonly ReadyPayout[]>;
  /**
   * Attempts in doubt whose next inquiry is due, the longest overdue first; of one batch when given. Those that are
   * due later than `horizonMs` are too: the clock has gone back since.
   */
  dueInquiries(
    nowMs: number,
    limit: number,
    batchId?: string,
    horizonMs?: number,
  ): Promise<readonly InDoubt[]>;
  /** When the next inquiry of an attempt in doubt falls due. */
  nextInquiryAtMs(batchId?: string): Promise<number | undefined>;
  /** Submitted and unresolved rows; what `settle` asks about whether due or not. */
  inDoubt(afterSeq: number, limit: number, batchId?: string): Promise<readonly InDoubt[]>;
  /** Submitted and unresolved rows over all batches, or those in one of the two. */
  countInDoubt(status?: 'submitted' | 'unresolved'): Promise<number>;
  /**
   * Attempts that a later one has followed, or that another of the same payout made superfluous, none of them paid,
   * with the payout that made them: late proof may come for them. Those whose intent is not older than `sinceMs`.
   */
  superseded(sinceMs: number, after: AttemptKey, limit: number): Promise<readonly InDoubt[]>;
  /** Every attempt ever made for a payoutId, over all files, oldest first. */
  attemptsOf(companyId: string, payoutId: string): Promise<readonly Attempt[]>;
  /** The payout with its latest state; undefined when there is none. */
  payout(seq: number): Promise<Payout | undefined>;
  /** Payouts by payoutId or transRefNo, with their whole history. */
  findPayouts(payoutIdOrTransRefNo: string): Promise<readonly PayoutHistory[]>;
  /** Who holds a payoutId that equals this one but for case or leading zeros; not the very same one. */
  similarHolders(companyId: string, payoutId: string): Promise<readonly ClaimHolder[]>;
  /** Who holds these payoutIds now (live, paid or cancelled). */
  claimHolders(companyId: string, payoutIds: readonly string[]): Promise<readonly ClaimHolder[]>;
  /** The latest like payout that was paid or may be with the bank; undefined when there is none. */
  similarPayment(likeness: PaymentLikeness): Promise<EarlierPayment | undefined>;

  /**
   * The one way to change a payout: all changes of one call and of concurrent calls are gathered into one
   * commit; resolves when durable, with true for each change applied and false for each whose guard no longer held.
   */
  apply(changes: readonly Change[]): Promise<readonly boolean[]>;
  /** Adds a hold to every ready row of the batch. Returns how many rows changed. */
  holdReady(batchId: string, hold: HoldReason, why: BatchReason, nowMs: number): Promise<number>;
  /** Lifts holds from the batch's held rows; those left without any become ready. Returns how many rows changed. */
  liftHolds(batchId: string, holds: readonly HoldReason[], nowMs: number): Promise<number>;
  /** Cancels every ready or held row of the batch. Returns how many rows changed. */
  cancelUnsent(batchId: string, nowMs: number): Promise<number>;

  // ---- line
  lineStop(companyId: string, payerAccount: string): Promise<LineStop | undefined>;
  recordLineStop(stop: LineStop): Promise<void>;
  liftLineStop(companyId: string, payerAccount: string, nowMs: number): Promise<boolean>;
  /** The latest pause, over or not, until it is cleared. */
  linePause(companyId: string, payerAccount: string): Promise<LinePause | undefined>;
  /** Records a pause in the place of the one before it. */
  recordLinePause(pause: LinePause): Promise<void>;
  clearLinePause(companyId: string, payerAccount: string): Promise<void>;

  // ---- loss
  /** The latest loss that the journal has recovered from; undefined when it was never lost. */
  loss(): Promise<JournalLoss | undefined>;

  // ---- reports
  reports(batchId: string): Promise<readonly Report[]>;
  recordReports(reports: readonly Report[]): Promise<void>;
  snapshot(): Promise<Snapshot>;
}

export interface BatchReason {
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}
