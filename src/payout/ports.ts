/**
 * The journal as paying needs it: batches, payouts with their attempts and claims, and the halts of a payer account.
 */
import type { Satang } from '../core/money.ts';
import type { Attempt, BatchStatus, HoldReason, Payout, PayoutStatus } from '../core/payout.ts';
import type {
  AttemptKey,
  Batch,
  BatchReader,
  BatchReason,
  Change,
  ClaimOwner,
  EarlierPayment,
  EventDraft,
  JournalLoss,
  PayerPause,
  PaymentLikeness,
  ResultRow,
} from '../core/ports.ts';
import type { ArchiveFacts, ArchivePolicy } from './rules/archive.ts';
import type { Lease } from './rules/lease.ts';
import type { DayUse } from './rules/limits.ts';
import type { KeptSeal } from './rules/journal-place.ts';
import type { PayoutFilter, WaitingOrder, WaitingPlace } from './rules/search.ts';
import type { SealReading } from './rules/seal.ts';
import type { ApprovalProof } from '../review/rules/proved-approval.ts';
import type { WorkerPosition, HeardOfBank, SharedKind, SharedLimit } from './rules/shared-limit.ts';

export interface PayoutEvent extends EventDraft {
  readonly seq: number;
  readonly payoutSeq: number;
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly attemptNo: number;
}

export interface PayoutHistory {
  readonly row: ResultRow;
  readonly batch: Batch;
  readonly attempts: readonly Attempt[];
  readonly events: readonly PayoutEvent[];
}

/** A payout that may be sent, with the number of attempts that its payoutId has had, over all files. */
export interface ReadyPayout {
  readonly payout: Payout;
  readonly attemptsRecorded: number;
  /** `computeInstructionDigest` of the instruction's version in force; null when there is none. */
  readonly digest: string | null;
}

/** A submitted or unresolved payout with its latest attempt. */
export interface InDoubt {
  readonly payout: Payout;
  readonly attempt: Attempt;
}

/** A halt of one payer account; in force until lifted. */
export interface PayerHalt extends BatchReason, Pick<Batch, 'companyId' | 'payerAccount'> {
  readonly sinceMs: number;
}

/** The status of a batch and its reason. */
export type BatchStanding = Pick<Batch, 'status' | 'reasonCode'>;

/** Stores whole batches, once they are sealed. */
export interface BatchStore extends BatchReader {
  /**
   * Moves a batch if the table allows it from its present status; false when it does not.
   * @param seen state on which the move was decided: false when the batch has changed since, for example because an
   * operator cancelled it. Left out: any state is moved.
   */
  moveBatch(
    batchId: string,
    to: BatchStatus,
    why: BatchReason | null,
    nowMs: number,
    seen?: BatchStanding,
  ): Promise<boolean>;
  /**
   * Halts a running or paused batch because its payer account is halted: it goes on when that halt is lifted.
   * @returns the halt of the account; undefined when there is none, and the batch stays as it is
   */
  haltWithPayer(batchId: string, nowMs: number): Promise<BatchReason | undefined>;
  /** Counts the batch's age from now on: a person has let it go on. */
  renewAge(batchId: string, nowMs: number): Promise<void>;
  /**
   * Pays a batch from another account from now on; attempts keep the account that they were made with. False while any
   * of its rows is in doubt.
   */
  movePayer(batchId: string, payerAccount: string, nowMs: number): Promise<boolean>;
  /** The seal of a batch as recorded, as kept outside the journal, and as its rows show it now. */
  readSeal(batchId: string): Promise<SealReading>;
  /** Stores the seal of a batch outside the journal. */
  keepSeal(batchId: string, seal: KeptSeal): Promise<void>;
  /** Adds a hold to every ready row of the batch. Returns the number of rows changed. */
  holdReady(batchId: string, hold: HoldReason, why: BatchReason, nowMs: number): Promise<number>;
  /** Withdraws the approval of a batch: it waits until this number of people approve it again. */
  takeBackApproval(batchId: string, people: 1 | 2, nowMs: number): Promise<void>;
  /** Holds for approval the ready rows that were not approved as they are now. Returns the number of rows changed. */
  holdUnapproved(batchId: string, why: BatchReason, nowMs: number): Promise<number>;
  /**
   * Lifts holds from the batch's held rows; a row without any hold left becomes ready. Returns the number of rows
   * changed.
   */
  liftHolds(batchId: string, holds: readonly HoldReason[], nowMs: number): Promise<number>;
  /**
   * Releases the rows that the seal has held with their whole file. A row that is like one of the other file is not
   * held for that likeness again. Returns the number of rows changed.
   */
  releaseLikeFile(batchId: string, nowMs: number): Promise<number>;
  /** Cancels every ready or held row of the batch without an attempt. Returns the number of rows changed. */
  cancelUnsent(batchId: string, nowMs: number): Promise<number>;
}

/** Finds the holders of payoutIds, over all files. */
export interface ClaimReader {
  /**
   * Holders of a payoutId that equals this one but for case, leading zeros, decimals of zeros, punctuation or blanks;
   * without the identical one.
   */
  similarHolders(companyId: string, payoutId: string): Promise<readonly ClaimOwner[]>;
  /** Holders of these payoutIds now (live, paid or cancelled). */
  claimHolders(companyId: string, payoutIds: readonly string[]): Promise<readonly ClaimOwner[]>;
  /** The latest like payout that was paid or may be with the bank; undefined when there is none. */
  similarPayment(likeness: PaymentLikeness): Promise<EarlierPayment | undefined>;
}

/** Facts for the limits over time (`payout/rules/limits.ts`); dates are YYYYMMDD in Bangkok. */
export interface LimitReader {
  /**
   * The use of a day.
   * @param batchId the file that asks
   */
  dayUse(companyId: string, date: string, batchId: string): Promise<DayUse>;
  /** The use of a day by one payee. */
  payeeUse(companyId: string, date: string, proxyNo: string): Promise<Satang>;
  /** True when a payout to this number was proved paid and still is, archived ones included. */
  isPayeeKnown(companyId: string, proxyNo: string): Promise<boolean>;
}

/** Stores payouts and their attempts. */
export interface PayoutStore extends ClaimReader, LimitReader {
  /** True when the transaction of an intent itself refuses a like payment, so that no earlier search is needed. */
  readonly refusesLike?: boolean;
  /**
   * The latest loss as this process knows it, when the transaction of an intent refuses a process that knows another
   * one; left out when the loss is read each time.
   */
  knownLoss?(): Promise<JournalLoss | undefined>;
  /** Keeps the sums of this day from now on, and of no other, so that each query of them is fast. */
  countDay(companyId: string, date: string): Promise<void>;
  /** Ready rows of the batch, in input order, after a row number. */
  readyPage(batchId: string, afterRowNo: number, limit: number): Promise<readonly ReadyPayout[]>;
  /**
   * Attempts in doubt whose next inquiry is due, the longest overdue first; of one batch when given. Includes those due
   * later than `horizonMs`: the clock has gone back since they were recorded.
   */
  dueInquiries(
    nowMs: number,
    limit: number,
    batchId?: string,
    horizonMs?: number,
  ): Promise<readonly InDoubt[]>;
  /** Time of the next inquiry of an attempt in doubt. */
  nextInquiryAtMs(batchId?: string): Promise<number | undefined>;
  /** Submitted and unresolved rows; `settle` asks about them whether due or not. */
  inDoubt(afterSeq: number, limit: number, batchId?: string): Promise<readonly InDoubt[]>;
  /** Number of submitted and unresolved rows over all batches, or of one of the two. */
  countInDoubt(status?: 'submitted' | 'unresolved'): Promise<number>;
  /**
   * Attempts that a later one has followed, or that another of the same payout made unnecessary, none of them paid,
   * with the payout that made them: a late proof may come for them. Only those whose intent is not older than
   * `sinceMs`.
   */
  superseded(sinceMs: number, after: AttemptKey, limit: number): Promise<readonly InDoubt[]>;
  /** Every attempt of a payoutId, over all files, oldest first. */
  attemptsOf(companyId: string, payoutId: string): Promise<readonly Attempt[]>;
  /**
   * Time in ms until the next attempt of a payoutId may be made: until no earlier request, which other machines may
   * have sent, can still be on its way. 0 when it may be made now. Left out when only one process sends.
   */
  attemptWaitMs?(companyId: string, payoutId: string): Promise<number>;
  /** The payout in its latest state; undefined when there is none. */
  payout(seq: number): Promise<Payout | undefined>;
  /** Payouts by payoutId or transRefNo, with their whole history. */
  findPayouts(payoutIdOrTransRefNo: string): Promise<readonly PayoutHistory[]>;

  /**
   * Applies changes; the only way to change a payout. All changes of one call and of concurrent calls go into one
   * commit. Resolves when durable, with true for each change applied and false for each whose guard no longer held.
   */
  apply(changes: readonly Change[]): Promise<readonly boolean[]>;
  /** The latest loss from which the journal has recovered; undefined when there was none. */
  loss(): Promise<JournalLoss | undefined>;
  /** Every terminal from which this journal, or one that it continues, may have sent. */
  terminals(): Promise<readonly string[]>;
}

/** A payout found by a search, with facts of its batch. */
export interface FoundPayout {
  readonly row: ResultRow;
  readonly batch: Pick<Batch, 'batchId' | 'fileName' | 'startedAtMs'>;
}

/** Payouts in one status that wait for a person. */
export interface WaitingTotal {
  readonly status: PayoutStatus;
  readonly rows: number;
  /** Sum of the readable amounts. */
  readonly amountSatang: Satang;
  /** `placeInTime` of the payout that waits longest. */
  readonly oldestMs: number;
}

/** Searches payouts. */
export interface PayoutSearch {
  /** Payouts with a number below `beforeSeq` that match the filter, newest first. */
  searchPayouts(filter: PayoutFilter, beforeSeq: number, limit: number): Promise<readonly FoundPayout[]>;
  /** Rows with an attempt that has this transRefNo, or this sysRefNo of the bank's. */
  findOwners(reference: string): Promise<readonly number[]>;
}

/** Finds payouts that wait for a person and match a filter; archived ones are left out. */
export interface WaitingReader {
  waitingTotals(filter: PayoutFilter): Promise<readonly WaitingTotal[]>;
  /** A page of matching payouts beside a place; a row that waits no more is no place, and gives the beginning. */
  waitingPage(
    filter: PayoutFilter,
    order: WaitingOrder,
    place: WaitingPlace,
    limit: number,
  ): Promise<readonly FoundPayout[]>;
  /** The sum over all waiting payouts, by what a person decides them by. */
  waitingByCause(): Promise<readonly WaitingByCause[]>;
  /** The same of payouts whose outcome has been unknown since before a moment, and which are asked about. */
  inDoubtByCause(beforeMs: number): Promise<readonly WaitingByCause[]>;
}

/** Waiting payouts of one status, with the same holds and the same cause. */
export interface WaitingByCause extends WaitingTotal {
  readonly isAlarm: boolean;
  readonly holds: readonly HoldReason[];
  readonly cause: string;
  readonly batches: number;
}

/** Counts payouts that match a filter, waiting or not; archived ones are left out. */
export interface MatchReader {
  /** The numbers of the newest payouts that match. */
  matchingSeqs(filter: PayoutFilter, limit: number): Promise<readonly number[]>;
}

export interface HistoryReader {
  /** One row with its whole history; undefined when the journal itself does not have it. */
  history(seq: number): Promise<PayoutHistory | undefined>;
}

/** Key of a payer account. */
export type PayerKey = Pick<Batch, 'companyId' | 'payerAccount'>;

/** Reads halts and pauses of a payer account. */
export interface PayerBreakerReader {
  payerHalt(companyId: string, payerAccount: string): Promise<PayerHalt | undefined>;
  /** The latest pause, over or not, until it is cleared. */
  payerPause(companyId: string, payerAccount: string): Promise<PayerPause | undefined>;
}

/** Finds past halts. */
export interface PayerHaltHistory {
  /** True when a halt with this code was recorded since `sinceMs`, lifted or not. */
  wasHaltedFor(companyId: string, payerAccount: string, code: string, sinceMs: number): Promise<boolean>;
}

export interface PayerBreakerStore extends PayerBreakerReader {
  recordPayerHalt(stop: PayerHalt): Promise<void>;
  /** Lifts the halt, and with it the halt of each batch that was halted with its account. False without a halt. */
  liftPayerHalt(companyId: string, payerAccount: string, nowMs: number): Promise<boolean>;
  /** Records a pause, which replaces the previous one. */
  recordPayerPause(pause: PayerPause): Promise<void>;
  clearPayerPause(companyId: string, payerAccount: string): Promise<void>;
}

// ---------------------------------------------------------------- several machines

/** A process that works on the journal. */
export interface WorkerName {
  readonly machine: string;
  readonly pid: number;
  /** Its command: `watch`. */
  readonly command: string;
}

/** The sender takes in files, runs their batches and settles doubts; helpers pay rows of those batches. */
export type WorkerRole = 'sender' | 'helper';

/** A process that has joined those on the journal; all times are by the database's clock. */
export interface Worker extends WorkerName, Lease {
  readonly workerId: number;
  readonly role: WorkerRole;
  /** Number of senders so far, this one included. */
  readonly epoch: number;
  readonly sinceMs: number;
}

/** A worker as `status` shows it. */
export interface ActiveWorker extends Worker {
  /** False for a worker that no longer responds. */
  readonly isThere: boolean;
  /** Number of its open shards. */
  readonly shards: number;
}

/** Speed of the workers on a journal. */
export interface WorkRates {
  /** Transfers sent within the last minute, by workerId. */
  readonly transfersOf: ReadonlyMap<number, number>;
  /** Recent turns at the bank a second, of all workers together; null without a limit or without turns. */
  readonly requestsPerSecond: number | null;
}

/** The result of a request for the sender's place: taken, or held by another. */
type SenderPlace =
  { readonly kind: 'taken'; readonly workerId: number } | { readonly kind: 'held'; readonly by: Worker };

/** Rows of a batch that one worker pays; both row numbers are included. */
export interface Shard {
  readonly shardId: number;
  readonly batchId: string;
  readonly fromRow: number;
  readonly toRow: number;
  /** True when a worker had rows of it before and left them: they have waited. */
  readonly isLeft?: boolean;
}

/** A worker's request for a shard. */
export interface AskedShard {
  /** Most ready rows of the shard; a shard left by a worker that is gone may have more. */
  readonly rowsMax: number;
  /** Only rows after this one, whether or not a worker had them; undefined: after all rows that any worker has had. */
  readonly afterRow: number | undefined;
  /**
   * Shards known to the worker. If an answer was lost, the worker has another shard of the batch without knowing
   * it, and gets that one first. Left out: it knows of all.
   */
  readonly held?: readonly number[];
}

/**
 * The turn of a worker to probe whether a payer account's pause is over: taken; held by another live worker; or not
 * needed, since the bank has answered a probe.
 */
export type ProbeTurn = 'taken' | 'held' | 'answered';

/**
 * Limits over all machines, as the journal has them; without a kind that was never lowered, or was lowered long ago.
 */
export interface SharedLimits {
  readonly wholes: Readonly<Partial<Record<SharedKind, SharedLimit>>>;
  readonly atWork: WorkerPosition;
}

/** Stores the workers of a journal, with leases by the clock of its database. */
export interface WorkerStore {
  /** Takes the sender's place, unless a worker with a running lease has it. */
  takeSenderPlace(name: WorkerName): Promise<SenderPlace>;
  /**
   * Joins as a helper.
   * @returns its workerId
   */
  joinAsHelper(name: WorkerName): Promise<number>;
  /**
   * Renews the lease. It does not wait for writers, and fails when there is no answer soon.
   * @returns false when the worker has ended, or another has taken its place or rows: it is never granted again then
   */
  renew(workerId: number): Promise<boolean>;
  /** Releases its place and its shards; none of its requests may be under way any more. */
  endWorker(workerId: number): Promise<void>;
  /** Workers that have not ended. */
  workers(): Promise<readonly ActiveWorker[]>;
  /**
   * Takes ready rows of a batch that no live worker has; first those of a worker that is gone.
   * @returns undefined when there are none, or when the worker's own lease has expired
   */
  claimShard(batchId: string, workerId: number, asked: AskedShard): Promise<Shard | undefined>;
  endShard(shardId: number): Promise<void>;
  /** Running batches with ready rows in shards of workers that are gone; the longest wait first. */
  abandonedBatches(): Promise<readonly string[]>;
  /** Shards of a batch held by other live workers. */
  shardsElsewhere(batchId: string, workerId: number): Promise<readonly Shard[]>;
  /**
   * Shards of a batch that other workers hold and may still send. A worker whose lease has expired loses its place by
   * this call, so that it cannot renew while others settle its rows.
   */
  shardsThatMaySend(batchId: string, workerId: number): Promise<readonly Shard[]>;
  /** Number of rows without a recorded outcome in the shards of all live workers but these. */
  countUnderWayElsewhere(workerIds: readonly number[]): Promise<number>;
  takeProbe(payer: PayerKey, workerId: number): Promise<ProbeTurn>;
  /** Returns the turn, if the worker has it, and records whether the bank has answered since the latest pause. */
  endProbe(payer: PayerKey, workerId: number, isAnswered: boolean): Promise<void>;
  wasAnswered(payer: PayerKey): Promise<boolean>;
  readLimits(workerId: number): Promise<SharedLimits>;
  /**
   * Records a machine's news of the bank.
   * @returns the resulting limit of all machines
   */
  tellLimit(kind: SharedKind, heard: HeardOfBank, ceilingOfOne: number): Promise<SharedLimit>;
}

/** The journal as a run needs it. */
export interface PayoutJournal extends BatchStore, PayoutStore, PayerBreakerStore {}

/** Kinds of value that select batches to bring into the journal. */
export type Meaning = 'batch' | 'date' | 'payoutId' | 'transRefNo';

/** An archive that the journal names. */
export interface ArchiveName {
  /** Name of the file beside the journal; `tablesArchive` for one in its database. */
  readonly archive: string;
  readonly batches: number;
  readonly isThere: boolean;
}

/** Moves batches into archives and back. */
export interface ArchiveStore {
  /** Done batches that came to rest before a moment, oldest first. */
  archiveFacts(beforeMs: number): Promise<readonly ArchiveFacts[]>;
  /**
   * Makes an empty archive.
   * @returns its name
   */
  makeArchive(nowMs: number): Promise<string>;
  /** Removes an archive that is still empty. */
  dropArchive(archive: string): Promise<void>;
  /**
   * Moves a batch into an archive.
   * @returns false when it may no longer go, or has changed since it was copied
   */
  archiveBatch(batchId: string, archive: string, policy: ArchivePolicy, nowMs: number): Promise<boolean>;
  /**
   * Brings archived batches back into the journal, each whole: those on these days, or with these payoutIds or
   * references, which are needed for work.
   * @returns the number of batches brought back
   */
  recall(by: Meaning, values: readonly string[], nowMs?: number): Promise<number>;
  archives(): Promise<readonly ArchiveName[]>;
  /** The archived batches that the values select. */
  archived(by: Meaning, values: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns space of removed rows to the disk.
   * @returns bytes; 0 when there is too little to be worth it
   */
  giveSpaceBack(): Promise<number>;
}

/** The result of the search for a signed approval of a row as it is. */
export type RowProof = ApprovalProof | { readonly kind: 'not-needed' };

/** The rows that signed approvals name, when the settings ask for signatures. */
export interface ProvedRows {
  /** Number of people who approve a batch again after its approval was withdrawn. */
  readonly people: 1 | 2;
  prove(batch: Batch, row: { readonly rowNo: number; readonly digest: string }): Promise<RowProof>;
}
