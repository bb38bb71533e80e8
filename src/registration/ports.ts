/** The journal as registering uses it: batches of registrations, the registrations with their attempts, and callbacks. */
import type { BatchStatus } from '../core/payout.ts';
import type { BatchReason } from '../core/ports.ts';
import type { FileJournal } from '../intake/ports.ts';
import type { ReportRecords } from '../reports/ports.ts';
import type { SentRegistration } from './rules/callback.ts';
import type { CallbackRecord, RegistrationChange, RegistrationEventDraft } from './rules/change.ts';
import type {
  RegistrationBatch,
  RegistrationHoldTotal,
  RegistrationRow,
  RegistrationTotal,
} from './rules/registration-batch.ts';
import type { RegistrationFileRow, RegistrationSealTotals } from './rules/registration-file.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationHold,
  RegistrationStatus,
} from './rules/registration.ts';

export type {
  RegistrationBatch,
  RegistrationHoldTotal,
  RegistrationRow,
  RegistrationTotal,
} from './rules/registration-batch.ts';

// ---------------------------------------------------------------- batches

interface RegistrationBatchStart extends Pick<
  RegistrationBatch,
  'batchId' | 'sha256' | 'fileName' | 'companyId' | 'extraColumns'
> {
  /** `nowMs` when left out. */
  readonly droppedAtMs?: number;
  readonly nowMs: number;
}

/** The journal as `intake/ingest.ts` uses it for registrations (`Store.registrationIntake`). */
export interface RegistrationIntakeStore extends FileJournal<
  RegistrationFileRow,
  RegistrationBatch,
  RegistrationBatchStart
> {
  /**
   * Turns the staged rows into ready, held or rejected ones and takes the claims, in one transaction.
   * Rejected: a row whose registrationId is claimed (ready, held, cancelled, awaited or registered; not given back), with
   * the holder named; one whose identity (`identityKey`) is that of another that is ready, held or awaited, in this file or
   * any other: a callback could mean either. Held: `similar`, where another registrationId is the same but for
   * case or leading zeros; `called-back`, where a kept callback has its identity.
   */
  seal(batchId: string, totals: RegistrationSealTotals, nowMs: number): Promise<RegistrationBatch>;
}

// ---------------------------------------------------------------- changes

export interface RegistrationEvent extends RegistrationEventDraft {
  readonly seq: number;
  readonly registrationSeq: number;
  readonly from: RegistrationStatus;
  readonly to: RegistrationStatus;
  readonly attemptNo: number;
}

// ---------------------------------------------------------------- callbacks

export interface KeptCallback extends CallbackRecord {
  readonly id: number;
  /** Null while no known registration fits. */
  readonly registrationSeq: number | null;
  /** Number of repeats. */
  readonly repeats: number;
}

/** An attempt, with its registration as it is now. */
export interface SentRegistrationRow extends SentRegistration {
  readonly registration: Registration;
}

// ---------------------------------------------------------------- the store

/** Filter for registrations; all given conditions must hold. */
export interface RegistrationFilter {
  readonly statuses?: readonly RegistrationStatus[];
  readonly hold?: RegistrationHold | undefined;
  readonly batchId?: string | undefined;
  /** registrationId, customerId, one of the references, requestUID or ddrOapiSeqId. */
  readonly reference?: string | undefined;
  /** The same without customerId, whose last four characters alone screens show. */
  readonly shownReference?: string | undefined;
  /** requestUID or ddrOapiSeqId, which screens never mask. */
  readonly request?: string | undefined;
  /** The account number, whole. */
  readonly accountNo?: string | undefined;
  /** The last digits of the account number, which screens show. */
  readonly accountEnd?: string | undefined;
  readonly isAlarm?: boolean | undefined;
  /** One of these causes: the code of the first issue of a rejected row, else that of the reason; empty without one. */
  readonly causes?: readonly string[];
  /** True for rows that wait for a person who has not acknowledged them. */
  readonly isWaiting?: boolean;
  /** Time of sending, or, before that, of being taken in. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Waiting registrations of one status, with the same holds and the same cause. */
export interface RegistrationsByCause {
  readonly status: RegistrationStatus;
  readonly isAlarm: boolean;
  readonly holds: readonly RegistrationHold[];
  readonly cause: string;
  readonly rows: number;
  readonly oldestMs: number;
}

export interface RegistrationHistory {
  readonly row: RegistrationRow;
  readonly batch: RegistrationBatch;
  readonly attempts: readonly RegistrationAttempt[];
  readonly events: readonly RegistrationEvent[];
  readonly callbacks: readonly KeptCallback[];
}

/** A consistent view of one moment, for reports; the caller closes it. */
export interface RegistrationSnapshot extends AsyncDisposable {
  /** Number of the latest registration event in this view. */
  readonly eventSeq: number;
  batch(batchId: string): Promise<RegistrationBatch | undefined>;
  totals(batchId: string): Promise<readonly RegistrationTotal[]>;
  holdTotals(batchId: string): Promise<readonly RegistrationHoldTotal[]>;
  /** Rows in input order, in pages; with `changedSince`, only those changed after that event. */
  resultRows(batchId: string, changedSince?: number): AsyncIterable<readonly RegistrationRow[]>;
}

export interface RegistrationStore {
  /** Every batch of registrations, newest first. */
  registrationBatches(): Promise<readonly RegistrationBatch[]>;
  registrationBatch(batchId: string): Promise<RegistrationBatch | undefined>;
  registrationTotals(batchId: string): Promise<readonly RegistrationTotal[]>;
  registrationHoldTotals(batchId: string): Promise<readonly RegistrationHoldTotal[]>;
  /** Rows by status, over all batches. */
  countRegistrations(): Promise<ReadonlyMap<RegistrationStatus, number>>;
  /**
   * Moves a batch if `batchTransitions` allows it from its present status; false when it does not, or when the batch has
   * changed since it was `seen`.
   */
  moveRegistrationBatch(
    batchId: string,
    to: BatchStatus,
    why: BatchReason | null,
    nowMs: number,
    seen?: Pick<RegistrationBatch, 'status' | 'reasonCode'>,
  ): Promise<boolean>;
  /** Batches that a sender continues: sealed, running or paused, or with ready rows and not halted; oldest first. */
  runnableRegistrationBatches(): Promise<readonly RegistrationBatch[]>;
  /** Batches at rest with events after their latest report, or without any report. */
  unreportedRegistrationBatches(): Promise<readonly string[]>;
  /** Adds a hold to every ready row. @returns the number of rows changed */
  holdReadyRegistrations(
    batchId: string,
    hold: RegistrationHold,
    why: BatchReason,
    nowMs: number,
  ): Promise<number>;
  /** Lifts holds from held rows; rows without a hold become ready. Applies to all batches when null. */
  liftRegistrationHolds(
    batchId: string | null,
    holds: readonly RegistrationHold[],
    nowMs: number,
  ): Promise<number>;
  cancelUnsentRegistrations(batchId: string, nowMs: number): Promise<number>;

  /** Rows in status ready, in input order, after a row number. */
  readyRegistrations(batchId: string, afterRowNo: number, limit: number): Promise<readonly Registration[]>;
  registration(seq: number): Promise<Registration | undefined>;
  registrationAttempt(seq: number, attemptNo: number): Promise<RegistrationAttempt | undefined>;
  registrationHistory(seq: number): Promise<RegistrationHistory | undefined>;
  /** Finds by registrationId, requestUID or ddrOapiSeqId. */
  findRegistrations(reference: string): Promise<readonly RegistrationHistory[]>;
  searchRegistrations(
    filter: RegistrationFilter,
    beforeSeq: number,
    limit: number,
  ): Promise<readonly RegistrationRow[]>;
  countFoundRegistrations(filter: RegistrationFilter): Promise<number>;
  /** The sum over all waiting rows, and over those in doubt since before a moment, by what a person decides them by. */
  registrationsByCause(inDoubtBeforeMs: number): Promise<readonly RegistrationsByCause[]>;
  /** Submitted rows whose sender may be gone: their intent is older than this. */
  submittedRegistrations(beforeMs: number, afterSeq: number, limit: number): Promise<readonly Registration[]>;
  /** Rows in doubt or acknowledged, and awaited no longer than this. */
  overdueRegistrations(nowMs: number, limit: number): Promise<readonly Registration[]>;
  /** When the next of these rows falls due. */
  nextOverdueAtMs(): Promise<number | undefined>;
  /** Number of awaited rows of a batch, or of all. */
  countAwaitedRegistrations(batchId?: string): Promise<number>;
  /** The row with the claim on a registrationId. */
  registrationHolder(companyId: string, registrationId: string): Promise<Registration | undefined>;
  /** Rows whose registrationId differs only in case, leading zeros, decimals of zeros, punctuation or blanks. */
  similarRegistrationHolders(companyId: string, registrationId: string): Promise<readonly Registration[]>;
  /** All attempts for this identity, of registrations whose latest attempt is for it, too. */
  sentRegistrations(identityKey: string): Promise<readonly SentRegistrationRow[]>;
  /** Unbound callbacks although a registration of their identity was sent; the oldest first. */
  unboundCallbacks(limit: number): Promise<readonly KeptCallback[]>;
  /** Unbound callbacks, the latest first. */
  unknownCallbacks(limit: number): Promise<readonly KeptCallback[]>;
  countUnknownCallbacks(): Promise<number>;
  /** When a callback of this key first came, bound or not. */
  callbackReceivedAtMs(key: string): Promise<number | undefined>;

  /**
   * The one way to change a registration: all changes of one call and of concurrent calls are gathered into one commit.
   * Resolves when durable, with true for each applied change and false for each whose guard no longer held.
   */
  applyRegistrations(changes: readonly RegistrationChange[]): Promise<readonly boolean[]>;
  /**
   * Keeps a callback in the same gathered commits, whatever its effect: unbound, or bound to a registration that it leaves
   * unchanged; a repeat is only counted. False for a repeat.
   */
  keepCallback(record: CallbackRecord, registrationSeq: number | null): Promise<boolean>;

  readonly registrationReports: ReportRecords<RegistrationSnapshot>;
}
