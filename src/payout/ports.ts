/** What paying needs of the journal: batches, payouts with their attempts and claims, and the stops of a payer account. */
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
import type { PayoutFilter } from './rules/search.ts';
import type { SealReading } from './rules/seal.ts';
import type { ApprovalProof } from '../review/rules/proved-approval.ts';
import type { AtWork, HeardOfBank, SharedKind, WholeLimit } from './rules/shared-limit.ts';

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

/** A payout that may be sent, and how many attempts its payoutId has ever had (over all files). */
export interface ReadyPayout {
  readonly payout: Payout;
  readonly attemptsRecorded: number;
  /** `computeInstructionDigest` of the version of its instruction that is in force; null when there is none. */
  readonly digest: string | null;
}

/** A payout that is submitted or unresolved, with its latest attempt. */
export interface InDoubt {
  readonly payout: Payout;
  readonly attempt: Attempt;
}

/** A halt of one payer account; in force until lifted. */
export interface PayerHalt extends BatchReason, Pick<Batch, 'companyId' | 'payerAccount'> {
  readonly sinceMs: number;
}

/** Where a batch stands, and why. */
export type BatchStanding = Pick<Batch, 'status' | 'reasonCode'>;

/** Whole batches, once they are sealed. */
export interface BatchStore extends BatchReader {
  /**
   * Moves a batch if the table allows it from its present status; false when it does not.
   * @param seen on which it was decided: false, too, when the batch no longer stands so. An operator may have cancelled it
   * since. Whatever stands is moved when it is left out.
   */
  moveBatch(
    batchId: string,
    to: BatchStatus,
    why: BatchReason | null,
    nowMs: number,
    seen?: BatchStanding,
  ): Promise<boolean>;
  /** Counts the batch's age from now on: a person has let it go on. */
  renewAge(batchId: string, nowMs: number): Promise<void>;
  /**
   * Has a batch paid from another account from now on; attempts keep the one that they were made with.
   * False while any of its rows is in doubt.
   */
  movePayer(batchId: string, payerAccount: string, nowMs: number): Promise<boolean>;
  /** The seal of a batch as it was recorded and kept, and as its rows show it now. */
  readSeal(batchId: string): Promise<SealReading>;
  /** Keeps the seal of a batch outside the journal. */
  keepSeal(batchId: string, seal: KeptSeal): Promise<void>;
  /** Adds a hold to every ready row of the batch. Returns how many rows changed. */
  holdReady(batchId: string, hold: HoldReason, why: BatchReason, nowMs: number): Promise<number>;
  /** Takes back what was approved of a batch: it waits until so many people approve it anew. */
  takeBackApproval(batchId: string, people: 1 | 2, nowMs: number): Promise<void>;
  /** Holds for approval what is ready and was not approved as it is. Returns how many rows changed. */
  holdUnapproved(batchId: string, why: BatchReason, nowMs: number): Promise<number>;
  /** Lifts holds from the batch's held rows; those left without any become ready. Returns how many rows changed. */
  liftHolds(batchId: string, holds: readonly HoldReason[], nowMs: number): Promise<number>;
  /**
   * Lets the rows go on that the seal has held with their whole file. What is like a row of the other file is not held
   * for its likeness again. Returns how many rows changed.
   */
  releaseLikeFile(batchId: string, nowMs: number): Promise<number>;
  /** Cancels every ready or held row of the batch of which no attempt was ever made. Returns how many rows changed. */
  cancelUnsent(batchId: string, nowMs: number): Promise<number>;
}

/** Who holds payoutIds, over all files. */
export interface ClaimReader {
  /** Who holds a payoutId that equals this one but for case, leading zeros, decimals of zeros, punctuation or blanks; not the very same one. */
  similarHolders(companyId: string, payoutId: string): Promise<readonly ClaimOwner[]>;
  /** Who holds these payoutIds now (live, paid or cancelled). */
  claimHolders(companyId: string, payoutIds: readonly string[]): Promise<readonly ClaimOwner[]>;
  /** The latest like payout that was paid or may be with the bank; undefined when there is none. */
  similarPayment(likeness: PaymentLikeness): Promise<EarlierPayment | undefined>;
}

/** What limits over time are held against (`payout/rules/limits.ts`); dates are YYYYMMDD in Bangkok. */
export interface LimitReader {
  /** What counts on a day. @param batchId the file that looks */
  dayUse(companyId: string, date: string, batchId: string): Promise<DayUse>;
  /** What counts of one payee on a day. */
  payeeUse(companyId: string, date: string, proxyNo: string): Promise<Satang>;
  /** True when a payout to this number was proved paid, and still is; archived ones count. */
  isPayeeKnown(companyId: string, proxyNo: string): Promise<boolean>;
}

/** Payouts and their attempts. */
export interface PayoutStore extends ClaimReader, LimitReader {
  /**
   * True where the transaction of an intent looks itself for a like payment, and refuses it then: nobody need look before.
   */
  readonly refusesLike?: boolean;
  /**
   * The latest loss as this process knows it, where the transaction of an intent refuses whoever knew of another; left
   * out where it is read each time.
   */
  knownLoss?(): Promise<JournalLoss | undefined>;
  /** Keeps the sums of this day from now on, and of no other, so that each look at them is short. */
  countDay(companyId: string, date: string): Promise<void>;
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
  /**
   * How long the next attempt of a payoutId has to wait until nothing of those before it, which other machines may have
   * sent, can be on its way any more; 0 when it may be made. Left out where one process alone sends.
   */
  attemptWaitMs?(companyId: string, payoutId: string): Promise<number>;
  /** The payout with its latest state; undefined when there is none. */
  payout(seq: number): Promise<Payout | undefined>;
  /** Payouts by payoutId or transRefNo, with their whole history. */
  findPayouts(payoutIdOrTransRefNo: string): Promise<readonly PayoutHistory[]>;

  /**
   * The one way to change a payout: all changes of one call and of concurrent calls are gathered into one
   * commit; resolves when durable, with true for each change applied and false for each whose guard no longer held.
   */
  apply(changes: readonly Change[]): Promise<readonly boolean[]>;
  /** The latest loss that the journal has recovered from; undefined when it was never lost. */
  loss(): Promise<JournalLoss | undefined>;
  /** Every terminal that this journal, or one that it goes on from, may have sent from. */
  terminals(): Promise<readonly string[]>;
}

/** A payout that was looked for, with what is told of its batch. */
export interface FoundPayout {
  readonly row: ResultRow;
  readonly batch: Pick<Batch, 'batchId' | 'fileName' | 'startedAtMs'>;
}

/** Payouts in one status that wait for a person. */
export interface WaitingTotal {
  readonly status: PayoutStatus;
  readonly rows: number;
  /** Of the amounts that can be read. */
  readonly amountSatang: Satang;
  /** `placeInTime` of the one that waits longest. */
  readonly oldestMs: number;
}

/** Finds payouts by what is known of them. */
export interface PayoutSearch {
  /** Those with a number below `beforeSeq` that the filter lets through, the newest first. */
  searchPayouts(filter: PayoutFilter, beforeSeq: number, limit: number): Promise<readonly FoundPayout[]>;
  /** The rows one of whose attempts has this transRefNo, or this sysRefNo of the bank's. */
  findOwners(reference: string): Promise<readonly number[]>;
}

/** What waits for a person and is let through by a filter; not what has left for an archive. */
export interface WaitingReader {
  /** As `searchPayouts`. */
  waitingPayouts(filter: PayoutFilter, beforeSeq: number, limit: number): Promise<readonly FoundPayout[]>;
  waitingTotals(filter: PayoutFilter): Promise<readonly WaitingTotal[]>;
}

export interface HistoryReader {
  /** One row with its whole history; undefined when there is none in the journal itself. */
  history(seq: number): Promise<PayoutHistory | undefined>;
}

/** Names a payer account. */
export type PayerKey = Pick<Batch, 'companyId' | 'payerAccount'>;

/** Stops and pauses of everything that uses one payer account. */
export interface PayerBreakerReader {
  payerHalt(companyId: string, payerAccount: string): Promise<PayerHalt | undefined>;
  /** The latest pause, over or not, until it is cleared. */
  payerPause(companyId: string, payerAccount: string): Promise<PayerPause | undefined>;
}

/** Stops that may be over. */
export interface PayerHaltHistory {
  /** True when a stop with this code was recorded since then, whether it was lifted or not. */
  wasHaltedFor(companyId: string, payerAccount: string, code: string, sinceMs: number): Promise<boolean>;
}

export interface PayerBreakerStore extends PayerBreakerReader {
  recordPayerHalt(stop: PayerHalt): Promise<void>;
  liftPayerHalt(companyId: string, payerAccount: string, nowMs: number): Promise<boolean>;
  /** Records a pause in the place of the one before it. */
  recordPayerPause(pause: PayerPause): Promise<void>;
  clearPayerPause(companyId: string, payerAccount: string): Promise<void>;
}

// ---------------------------------------------------------------- several machines

/** A process that works the journal. */
export interface WorkerName {
  readonly machine: string;
  readonly pid: number;
  /** What it does: `watch`. */
  readonly command: string;
}

/** The sender takes files in, runs their batches and settles what is in doubt; helpers pay rows of those batches. */
export type WorkerRole = 'sender' | 'helper';

/** A process that has joined those that work the journal; all times are of the database's clock. */
export interface Worker extends WorkerName, Lease {
  readonly workerId: number;
  readonly role: WorkerRole;
  /** How many senders there have been when it began, it included. */
  readonly epoch: number;
  readonly sinceMs: number;
}

/** A worker as `status` shows it. */
export interface WorkerAtWork extends Worker {
  /** False of one that is not heard of. */
  readonly isThere: boolean;
  /** Shards that it has not ended. */
  readonly shards: number;
}

/** How fast those who work a journal get on. */
export interface WorkRates {
  /** Transfers that each worker has sent within the last minute, by its id. */
  readonly transfersOf: ReadonlyMap<number, number>;
  /** Turns at the bank that all together have taken lately; null where there is no limit, or none were taken. */
  readonly requestsPerSecond: number | null;
}

/** The right to send was taken, or another has it. */
export type SenderPlace =
  { readonly kind: 'taken'; readonly workerId: number } | { readonly kind: 'held'; readonly by: Worker };

/** Rows of a batch that one worker pays; row numbers, both included. */
export interface Shard {
  readonly shardId: number;
  readonly batchId: string;
  readonly fromRow: number;
  readonly toRow: number;
  /** True when somebody has had rows of it before, and left them: they have waited. */
  readonly isLeft?: boolean;
}

/** What a worker asks for. */
export interface AskedShard {
  /** So many ready rows; more of a worker that is gone. */
  readonly rowsMax: number;
  /** After this row, whoever has had them; undefined: after all rows that anybody has had. */
  readonly afterRow: number | undefined;
  /**
   * Shards that the worker knows it has. It has not heard of any other that it has of the batch, the answer having been
   * lost, and is given that one first. Left out: it has heard of all.
   */
  readonly held?: readonly number[];
}

/**
 * The turn of a worker to try whether the pause of a payer account is over: taken; held by another that is there; or not
 * needed, since the bank has answered a try.
 */
export type ProbeTurn = 'taken' | 'held' | 'answered';

/** What the bank bears of all machines, as the journal has it; none of a kind that was never lowered, or long ago. */
export interface SharedLimits {
  readonly wholes: Readonly<Partial<Record<SharedKind, WholeLimit>>>;
  readonly atWork: AtWork;
}

/** Who works the journal, by leases that run by the clock of its database. */
export interface WorkerStore {
  /** Takes the sender's place, if nobody whose lease runs has it. */
  takeSenderPlace(name: WorkerName): Promise<SenderPlace>;
  /** Joins as a helper. @returns its workerId */
  joinAsHelper(name: WorkerName): Promise<number>;
  /**
   * Says that it is still there. It waits for nobody who writes, and fails when it is not answered soon.
   * @returns false when it has ended, or another has taken what was its: it is never granted again then
   */
  renew(workerId: number): Promise<boolean>;
  /** Gives its place and its shards back: none of its requests is under way any more. */
  endWorker(workerId: number): Promise<void>;
  /** Those that have not ended. */
  workers(): Promise<readonly WorkerAtWork[]>;
  /**
   * Takes ready rows of a batch that nobody who is there has: first those of a worker that is gone.
   * @returns undefined when there are none, or when the worker's own lease does not run
   */
  claimShard(batchId: string, workerId: number, asked: AskedShard): Promise<Shard | undefined>;
  endShard(shardId: number): Promise<void>;
  /** Batches that run and in whose shards workers that are gone have left ready rows; the one that has waited longest first. */
  abandonedBatches(): Promise<readonly string[]>;
  /** What other workers that are there have of a batch. */
  shardsElsewhere(batchId: string, workerId: number): Promise<readonly Shard[]>;
  /**
   * What other workers have of a batch and may still send: whoever's lease is over loses its place by this, so that it is
   * not renewed any more while its rows are settled by others.
   */
  shardsThatMaySend(batchId: string, workerId: number): Promise<readonly Shard[]>;
  /** Rows of the shards of all workers that are there but these, whose outcome nobody has recorded. */
  countUnderWayElsewhere(workerIds: readonly number[]): Promise<number>;
  takeProbe(payer: PayerKey, workerId: number): Promise<ProbeTurn>;
  /** Gives its turn back, if it has it, and says whether the bank has answered since the latest pause. */
  endProbe(payer: PayerKey, workerId: number, isAnswered: boolean): Promise<void>;
  wasAnswered(payer: PayerKey): Promise<boolean>;
  readLimits(workerId: number): Promise<SharedLimits>;
  /** Takes note of what a machine has heard. @returns the limit of all machines by that */
  tellLimit(kind: SharedKind, heard: HeardOfBank, ceilingOfOne: number): Promise<WholeLimit>;
}

/** What a run needs of the journal. */
export interface PayoutJournal extends BatchStore, PayoutStore, PayerBreakerStore {}

/** What names payouts whose batches are to be in the journal. */
export type Meaning = 'batch' | 'date' | 'payoutId' | 'transRefNo';

/** An archive that the journal names. */
export interface ArchiveName {
  /** Of the file beside the journal; `tablesArchive` of one in its database. */
  readonly archive: string;
  readonly batches: number;
  readonly isThere: boolean;
}

/** Batches that have left the journal for an archive, and back. */
export interface ArchiveStore {
  /** Batches that are done and came to rest before a moment, the oldest first. */
  archiveFacts(beforeMs: number): Promise<readonly ArchiveFacts[]>;
  /** Makes an empty archive. @returns its name */
  makeArchive(nowMs: number): Promise<string>;
  /** Removes an archive that nothing has moved into. */
  dropArchive(archive: string): Promise<void>;
  /** Moves a batch into an archive. @returns false when it may not go any more, or has changed since it was copied */
  archiveBatch(batchId: string, archive: string, policy: ArchivePolicy, nowMs: number): Promise<boolean>;
  /**
   * Brings archived batches back into the journal, each whole: those on whose days, or with whose payoutIds or
   * references, somebody has to work. @returns how many were brought back
   */
  recall(by: Meaning, values: readonly string[], nowMs?: number): Promise<number>;
  archives(): Promise<readonly ArchiveName[]>;
  /** The archived batches that are meant. */
  archived(by: Meaning, values: readonly string[]): Promise<readonly string[]>;
  /** Gives the space that rows have left back to the disk. @returns bytes; 0 where there is too little to be worth it */
  giveSpaceBack(): Promise<number>;
}

/** Whether a signed approval proves that a row may be paid as it is. */
export type RowProof = ApprovalProof | { readonly kind: 'not-needed' };

/** The rows that signed approvals name, as the settings ask for signatures. */
export interface ProvedRows {
  /** The number of people who approve a batch whose approval was taken back. */
  readonly people: 1 | 2;
  prove(batch: Batch, row: { readonly rowNo: number; readonly digest: string }): Promise<RowProof>;
}
