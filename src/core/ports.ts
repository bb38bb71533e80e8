/**
 * The records of payouts that every capability reads, and what is asked of the world by more than one.
 * Adapters hold no rule about a payout's status; the changes they are handed come from the rules.
 */
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
  /** Epoch milliseconds, by a clock that people and time servers set. */
  now(): number;
  /** Milliseconds since some moment, by one that nobody sets and that goes on while the machine sleeps. */
  elapsedMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Something to be logged; `facts` are free of secrets and of full numbers. */
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
  /** Why it is paused, halted or rejected. */
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly remedy: string | null;
  /** Names of the carried-through columns, in file order. */
  readonly extraColumns: readonly string[];
  readonly startedAtMs: number;
  /** When its file was dropped, or when a person last let it go on: what its age is counted from. */
  readonly ageFromMs: number;
  readonly sealedAtMs: number | null;
  /** When it last came to rest. */
  readonly restedAtMs: number | null;
}

export interface BatchReason {
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Rows, the total of their readable amounts, and how many amounts cannot be read. */
export interface RowTotal {
  readonly rows: number;
  readonly amountSatang: Satang;
  readonly unreadableAmounts: number;
}

/** The rows in one status. */
export interface StatusTotal extends RowTotal {
  readonly status: PayoutStatus;
  /** Rows among them that bear an alarm. */
  readonly alarmRows: number;
  /** Rows among them that a person has taken note of; not in figures of an older program. */
  readonly acknowledgedRows?: number;
  /** How much more these rows ask for than their file, since they were corrected; left out where none was. */
  readonly correctionSatang?: Satang;
  /** Rows among them that a statement settles and no inquiry does; left out where there are none. */
  readonly byStatement?: { readonly rows: number; readonly firstSentAtMs: number };
}

/** Rows that bear a hold; a row with two holds counts under both. */
export interface HoldTotal {
  readonly hold: HoldReason;
  readonly rows: number;
  /** All of them are held with their whole file, which is like another; left out otherwise. */
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

/** What is read of batches. */
export interface BatchReader {
  /** Every batch, newest first. */
  batches(): Promise<readonly Batch[]>;
  batch(batchId: string): Promise<Batch | undefined>;
  totals(batchId: string): Promise<readonly StatusTotal[]>;
  holdTotals(batchId: string): Promise<readonly HoldTotal[]>;
  /** The files that were recorded for it, published or not. */
  reports(batchId: string): Promise<readonly Report[]>;
  /** Its owner closes it. */
  snapshot(): Promise<Snapshot>;
}

/**
 * Rows that were sent though another row had paid, or may have paid, the same payee as much a short time before: both
 * have a reference1, and these differ. They are told of, and not held.
 */
export interface OtherReferences {
  readonly rows: number;
  /** The first of them. */
  readonly firstRowNos: readonly number[];
}

/** A consistent view of one moment of the journal, for reports; closed by its owner. */
export interface Snapshot extends AsyncDisposable, Pick<BatchReader, 'batch' | 'totals' | 'holdTotals'> {
  /** Number of the latest event in this view. */
  readonly eventSeq: number;
  /** @param days limits.similarDays; 0 means that none is looked for */
  otherReferences(batchId: string, days: number): Promise<OtherReferences>;
  /** Rows of a batch in input order, in pages; those changed after event `changedSince` only when it is given. */
  resultRows(batchId: string, changedSince?: number): AsyncIterable<readonly ResultRow[]>;
}

// ---------------------------------------------------------------- payouts

/** Something that happened to a payout, appended and never changed. */
export interface EventDraft {
  readonly cause: PayoutCause;
  readonly atMs: number;
  /** Small, JSON-encodable, free of secrets and of full proxy or account numbers. */
  readonly detail: Readonly<Record<string, unknown>>;
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
   * Set on the change that records an intent: it is applied only if the row holds the claim on its payoutId, its number
   * is the one that may go (`decideNextNumber`), the batch is running, and no halt is in force for its company and payer
   * account.
   */
  readonly isIntent?: true;
  /**
   * Set on the change that has the same attempt sent again: it is applied only while the batch is running and no halt is
   * in force, as an intent is.
   */
  readonly isRepetition?: true;
  /**
   * Of an intent: what another machine may have paid since it was looked for. Where several send, it is applied only if
   * there is no like payout still.
   */
  readonly likeness?: PaymentLikeness;
  /**
   * Of an intent: the latest loss of the journal (`recoveredAtMs`; null for none) when it was begun to look for what
   * another journal may have sent. Where several machines send, it is applied only if there is no later one.
   */
  readonly lossKnownMs?: number | null;
  /** Intents only: earlier attempts for which the bank has just shown a failed item; recorded in the same transaction. */
  readonly failedItems?: readonly AttemptKey[];
  /** Of an intent: it is applied only if all that counts on its Bangkok day stays within these, it included. */
  readonly limits?: DayLimits;
  /** Set when a rejected row was validated anew: `after.instruction` is what it now asks for, and is kept with the row. */
  readonly isValidated?: true;
  /** Set when `after.instruction` is not what the row asked for before: both are kept with it. */
  readonly isCorrected?: true;
  /** What was decided: applied only while this item of an approved proposal is open, and marks it as done. */
  readonly decision?: DecisionItem;
  /**
   * Sends that the journal does not know and the bank does, found after a loss, the lowest number first: recorded
   * in the same transaction, if the row holds the claim.
   */
  readonly adopts?: readonly Attempt[];
  /** What it says of the rows that come after. Where several machines send, it is heeded in the same transaction. */
  readonly end?: PayoutEnd;
}

/** From so many payouts on that end otherwise than paid, their payer account is halted. */
export interface BrakeLimits {
  readonly consecutiveFailures: number;
  /** Share of the window, 0–1. */
  readonly failureShare: number;
  /** Ends looked back on. */
  readonly window: number;
}

/** How a payout has ended, for the others of its payer account. */
export type PayoutEnd =
  | { readonly kind: 'counted'; readonly isPaid: boolean; readonly limits: BrakeLimits }
  /** The payer's own trouble: every other payout would meet the same. */
  | { readonly kind: 'halts'; readonly why: BatchReason };

/** How much may be submitted on one Bangkok day; null means any. */
export interface DayLimits {
  readonly satangPerDay: Satang | null;
  readonly satangPerPayeePerDay: Satang | null;
  readonly filesPerDay: number | null;
}

/** One item of a proposal. */
export interface DecisionItem {
  readonly proposalId: number;
  /** Counts the proposal's items from 1. */
  readonly itemNo: number;
}

/** A place in the order of all attempts. */
export type AttemptKey = Pick<Attempt, 'payoutSeq' | 'attemptNo'>;

/** Another row that holds, or once paid, a payoutId. */
export interface ClaimOwner {
  readonly payoutId: string;
  readonly batchId: string;
  readonly rowNo: number;
  readonly fileName: string;
  readonly status: PayoutStatus;
}

/**
 * A like payout: an earlier one of the same company has payee and amount in common with it, and another payoutId. Two
 * that both have a reference1, and not the same, are two payments.
 */
export interface PaymentLikeness extends Pick<
  Instruction,
  'payoutId' | 'proxyType' | 'proxyNo' | 'amountSatang' | 'reference1'
> {
  readonly companyId: string;
  /** The earlier one was submitted no earlier than this. */
  readonly sinceMs: number;
}

/** A payout that was paid, or may be with the bank. */
export interface EarlierPayment extends ClaimOwner {
  readonly submittedAtMs: number;
}

/** A pause of one payer account: it outlives the run that met the trouble. */
export interface PayerPause extends BatchReason {
  readonly companyId: string;
  readonly payerAccount: string;
  /** Troubles met one after another; the next pause is longer for each. */
  readonly troubles: number;
  /** A transfer met the trouble: only another transfer proves that it is over. */
  readonly isTransfer: boolean;
  readonly sinceMs: number;
  readonly untilMs: number;
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
