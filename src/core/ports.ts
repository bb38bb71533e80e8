/**
 * The records of payouts that every capability reads, and shared ports. Adapters hold no rule about a payout's status;
 * the rules compose the changes that adapters apply.
 */
import type { Message } from './message.ts';
import type { Satang } from './money.ts';
import type { FileTotals, StagedRow } from './payout-file.ts';
import type {
  Attempt,
  BatchStatus,
  HoldReason,
  Instruction,
  Payout,
  PayoutCause,
  PayoutStatus,
} from './payout.ts';

// ---------------------------------------------------------------- the world

export interface Clock {
  /** Epoch milliseconds, by a clock that people and time servers can set. */
  now(): number;
  /** Milliseconds since some moment, by a clock that cannot be set and runs on while the machine sleeps. */
  elapsedMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Writes a log entry; `facts` hold no secrets and no full numbers. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, facts: object) => void;

// ---------------------------------------------------------------- batches

/** A batch as the store holds it. */
export interface Batch extends FileTotals {
  readonly batchId: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly status: BatchStatus;
  /** Why the batch is paused, halted or rejected. */
  readonly reasonCode: string | null;
  readonly reason: Message | null;
  readonly remedy: Message | null;
  /** Names of the carried-through columns, in file order. */
  readonly extraColumns: readonly string[];
  readonly startedAtMs: number;
  /** Start of the batch's age: when its file was dropped, or when a person last let it go on. */
  readonly ageFromMs: number;
  readonly sealedAtMs: number | null;
  /** Time at which the batch last came to rest. */
  readonly restedAtMs: number | null;
}

export interface BatchReason {
  readonly code: string;
  readonly reason: Message;
  readonly remedy: Message;
}

/** Number of rows, total of their readable amounts, and number of unreadable amounts. */
export interface RowTotal {
  readonly rows: number;
  readonly amountSatang: Satang;
  readonly unreadableAmounts: number;
}

/** The rows in one status. */
export interface StatusTotal extends RowTotal {
  readonly status: PayoutStatus;
  /** Rows with an alarm. */
  readonly alarmRows: number;
  /** Rows that a person has acknowledged; left out without any. */
  readonly acknowledgedRows?: number;
  /** Amount by which corrections raise the total over the file's; left out when no row was corrected. */
  readonly correctionSatang?: Satang;
  /** Rows that a statement settles, not an inquiry; left out without any. */
  readonly byStatement?: { readonly rows: number; readonly firstSentAtMs: number };
}

/** Rows with a hold; a row with two holds counts under both. */
export interface HoldTotal {
  readonly hold: HoldReason;
  readonly rows: number;
  /** True when all are held with their whole file, which is like another; left out otherwise. */
  readonly isOfFile?: true;
}

type PayoutState = Omit<Payout, 'batchId' | 'instruction' | 'acceptedHolds' | 'settledBy'>;

/** One row of the result file: the row as staged, its present state and its latest attempt. */
export interface ResultRow extends StagedRow, PayoutState {
  readonly settledBy: string | null;
  readonly transRefNo: string | null;
  readonly sysRefNo: string | null;
  readonly feeText: string | null;
}

export type ReportKind =
  'result' | 'exceptions' | 'summary' | 'workbook' | 'result-update' | 'exceptions-update';

/** A report file, recorded after its bytes are safe under a temporary name. */
export interface Report {
  readonly batchId: string;
  readonly kind: ReportKind;
  /** Number of the update; 0 for the first report. */
  readonly number: number;
  readonly path: string;
  readonly temporaryPath: string;
  readonly sha256: string;
  /** Latest event that the report covers. */
  readonly eventSeq: number;
  readonly atMs: number;
}

/** Reads batches. */
export interface BatchReader {
  /** Every batch, newest first. */
  batches(): Promise<readonly Batch[]>;
  batch(batchId: string): Promise<Batch | undefined>;
  totals(batchId: string): Promise<readonly StatusTotal[]>;
  holdTotals(batchId: string): Promise<readonly HoldTotal[]>;
  /** Report files recorded for the batch, published or not. */
  reports(batchId: string): Promise<readonly Report[]>;
  /** Opens a snapshot; the caller closes it. */
  snapshot(): Promise<Snapshot>;
}

/**
 * Rows that were sent although another row had paid, or may have paid, the same payee the same amount a short time
 * before: both have a reference1, and these differ. They are reported, not held.
 */
export interface OtherReferences {
  readonly rows: number;
  /** Row numbers of the first ones. */
  readonly firstRowNos: readonly number[];
}

/** A consistent view of the journal at one moment, for reports; the caller closes it. */
export interface Snapshot extends AsyncDisposable, Pick<BatchReader, 'batch' | 'totals' | 'holdTotals'> {
  /** Number of the latest event in this view. */
  readonly eventSeq: number;
  /**
   * Finds rows sent beside a like payout.
   * @param days limits.similarDays; 0 turns the search off
   */
  otherReferences(batchId: string, days: number): Promise<OtherReferences>;
  /** Rows of a batch in input order, in pages. With `changedSince`, only rows changed after that event. */
  resultRows(batchId: string, changedSince?: number): AsyncIterable<readonly ResultRow[]>;
}

// ---------------------------------------------------------------- payouts

/** An event of a payout, appended and never changed. */
export interface EventDraft {
  readonly cause: PayoutCause;
  readonly atMs: number;
  /** Small, JSON-encodable details, without secrets and full proxy or account numbers. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * One guarded change of one payout, applied only if the payout still has the version and status of `before`. `after`
 * carries every changeable field; the store raises the version by one.
 */
export interface Change {
  readonly before: Payout;
  readonly after: Payout;
  readonly event: EventDraft;
  /** Attempt to insert (new attempt number) or update, in the same transaction. */
  readonly attempt?: Attempt;
  /**
   * Set on the change that records an intent. It is applied only if the row holds the claim on its payoutId, its number
   * is the one that may go (`decideNextNumber`), the batch is running, and no halt is in force for its company and
   * payer account.
   */
  readonly isIntent?: true;
  /**
   * Set on the change that sends the same attempt again; like an intent, it is applied only while the batch is running
   * and no halt is in force.
   */
  readonly isRepetition?: true;
  /**
   * Intents only: the payment to compare with like payouts that another machine may have made since the search. With
   * several senders, it is applied only if there is still none.
   */
  readonly likeness?: PaymentLikeness;
  /**
   * Intents only: the latest loss of the journal (`recoveredAtMs`; null for none) when the search for sends of another
   * journal began. With several senders, it is applied only if there is no later loss.
   */
  readonly lossKnownMs?: number | null;
  /**
   * Intents only: earlier attempts for which the bank has just shown a failed item, recorded in the same transaction.
   */
  readonly failedItems?: readonly AttemptKey[];
  /** Intents only: limits of the Bangkok day, this payout included; above them it is not applied. */
  readonly limits?: DayLimits;
  /** Set when a rejected row was validated anew: `after.instruction` is its new instruction, stored with the row. */
  readonly isValidated?: true;
  /** Set when `after.instruction` differs from the row's earlier one; both are stored with the row. */
  readonly isCorrected?: true;
  /**
   * The decision behind the change. It is applied only while this item of an approved proposal is open, and marks the
   * item as done.
   */
  readonly decision?: DecisionItem;
  /**
   * Sends that the bank knows and the journal does not, found after a loss, lowest number first. They are recorded in
   * the same transaction, if the row holds the claim.
   */
  readonly adopts?: readonly Attempt[];
  /** Effect on the rows that follow. With several senders, it is applied in the same transaction. */
  readonly end?: PayoutEnd;
}

/** Limits of the brake, which halts a payer account after too many payouts that end other than paid. */
export interface BrakeLimits {
  readonly consecutiveFailures: number;
  /** Share of the window, 0 to 1. */
  readonly failureShare: number;
  /** Number of latest ends that count. */
  readonly window: number;
}

/** The end of a payout, as it counts for others of its payer account. */
export type PayoutEnd =
  | { readonly kind: 'counted'; readonly isPaid: boolean; readonly limits: BrakeLimits }
  /** Trouble of the payer: every other payout would meet the same. */
  | { readonly kind: 'halts'; readonly why: BatchReason };

/** Limits on what is submitted on one Bangkok day; null means no limit. */
export interface DayLimits {
  readonly satangPerDay: Satang | null;
  readonly satangPerPayeePerDay: Satang | null;
  readonly filesPerDay: number | null;
}

/** One item of a proposal. */
export interface DecisionItem {
  readonly proposalId: number;
  /** Number of the item in its proposal, from 1. */
  readonly itemNo: number;
}

/** The place of an attempt in the order of all attempts. */
export type AttemptKey = Pick<Attempt, 'payoutSeq' | 'attemptNo'>;

/** Another row that holds a payoutId, or has paid it. */
export interface ClaimOwner {
  readonly payoutId: string;
  readonly batchId: string;
  readonly rowNo: number;
  readonly fileName: string;
  readonly status: PayoutStatus;
}

/**
 * The payment to compare with. A like payout is an earlier one of the same company with the same payee and amount, and
 * another payoutId. Two with different reference1 count as two payments.
 */
export interface PaymentLikeness extends Pick<
  Instruction,
  'payoutId' | 'proxyType' | 'proxyNo' | 'amountSatang' | 'reference1'
> {
  readonly companyId: string;
  /** Start of the search, by the time of submission. */
  readonly sinceMs: number;
}

/** A payout that is paid, or may be with the bank. */
export interface EarlierPayment extends ClaimOwner {
  readonly submittedAtMs: number;
}

/** A pause of one payer account; it outlives the run that met the trouble. */
export interface PayerPause extends BatchReason {
  readonly companyId: string;
  readonly payerAccount: string;
  /** Number of troubles in a row; each lengthens the next pause. */
  readonly troubles: number;
  /** True when a transfer met the trouble: only another transfer proves that it is over. */
  readonly isTransfer: boolean;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** A loss of the journal after which a person let work go on; the dates are YYYYMMDD in Bangkok. */
export interface JournalLoss {
  /**
   * A moment not earlier than anything that the journal knew at the loss: only later facts are certain to be complete.
   */
  readonly recoveredAtMs: number;
  /** First day that may lack records. */
  readonly sinceDate: string;
  /** Last day that may lack records; before `sinceDate` when no day is in question any more. */
  readonly untilDate: string;
}
