/** What registering needs of the journal: batches of registrations, the registrations with their attempts, and callbacks. */
import type { BatchStatus } from '../core/payout.ts';
import type { BatchReason, Report } from '../core/ports.ts';
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

export interface RegistrationBatchStart extends Pick<
  RegistrationBatch,
  'batchId' | 'sha256' | 'fileName' | 'companyId' | 'extraColumns'
> {
  /** `nowMs` when left out. */
  readonly droppedAtMs?: number;
  readonly nowMs: number;
}

/** What `intake/ingest.ts` asks of a journal, for registrations (`Store.registrationIntake`). */
export interface RegistrationIntakeStore {
  batch(batchId: string): Promise<RegistrationBatch | undefined>;
  /** Creates the batch, or begins a reading again: rows staged by an unfinished reading are dropped. */
  startIngest(start: RegistrationBatchStart): Promise<void>;
  stage(batchId: string, rows: readonly RegistrationFileRow[]): Promise<void>;
  /**
   * Turns the staged rows into ready, held or rejected ones and takes the claims, in one transaction.
   * Rejected: a row whose registrationId is claimed (ready, held, cancelled, awaited or registered; not given back), with
   * the holder named; one whose identity (`identityKey`) is that of another that is ready, held or awaited, in this file or
   * any other: nobody could tell whose callback comes. Held: `similar`, where another registrationId is the same but for
   * case or leading zeros; `called-back`, where a kept callback has its identity.
   */
  seal(batchId: string, totals: RegistrationSealTotals, nowMs: number): Promise<RegistrationBatch>;
  /** Ends the reading of a file that is rejected as a whole; its staged rows are dropped. */
  rejectBatch(batchId: string, code: string, reason: string, nowMs: number): Promise<void>;
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
  /** Null while no registration is known that it means. */
  readonly registrationSeq: number | null;
  /** How often it was told again. */
  readonly repeats: number;
}

/** An attempt, with its registration as it is now. */
export interface SentRegistrationRow extends SentRegistration {
  readonly registration: Registration;
}

// ---------------------------------------------------------------- the store

/** By what registrations are looked for; whatever is given must hold. */
export interface RegistrationFilter {
  readonly statuses?: readonly RegistrationStatus[];
  readonly hold?: RegistrationHold | undefined;
  readonly batchId?: string | undefined;
  /** registrationId, customerId, one of the references, requestUID or ddrOapiSeqId. */
  readonly reference?: string | undefined;
  /** The same without customerId, of which screens show the last four characters alone. */
  readonly shownReference?: string | undefined;
  /** requestUID or ddrOapiSeqId, which screens never mask. */
  readonly request?: string | undefined;
  /** The account number, whole. */
  readonly accountNo?: string | undefined;
  /** The last digits of the account number, which screens show. */
  readonly accountEnd?: string | undefined;
  readonly isAlarm?: boolean;
  /** It waits for a person who has not taken note of it. */
  readonly isWaiting?: boolean;
  /** Submitted, or, while it was not, taken in, in this time. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export interface RegistrationHistory {
  readonly row: RegistrationRow;
  readonly batch: RegistrationBatch;
  readonly attempts: readonly RegistrationAttempt[];
  readonly events: readonly RegistrationEvent[];
  readonly callbacks: readonly KeptCallback[];
}

/** A consistent view of one moment, for reports; closed by its owner. */
export interface RegistrationSnapshot extends AsyncDisposable {
  /** Number of the latest registration event in this view. */
  readonly eventSeq: number;
  batch(batchId: string): Promise<RegistrationBatch | undefined>;
  totals(batchId: string): Promise<readonly RegistrationTotal[]>;
  holdTotals(batchId: string): Promise<readonly RegistrationHoldTotal[]>;
  /** In input order, in pages; those changed after event `changedSince` only when it is given. */
  resultRows(batchId: string, changedSince?: number): AsyncIterable<readonly RegistrationRow[]>;
}

export interface RegistrationStore {
  /** Every batch of registrations, newest first. */
  registrationBatches(): Promise<readonly RegistrationBatch[]>;
  registrationBatch(batchId: string): Promise<RegistrationBatch | undefined>;
  registrationTotals(batchId: string): Promise<readonly RegistrationTotal[]>;
  registrationHoldTotals(batchId: string): Promise<readonly RegistrationHoldTotal[]>;
  /** Over all batches. */
  countRegistrations(): Promise<ReadonlyMap<RegistrationStatus, number>>;
  /**
   * Moves a batch if `batchTransitions` allow it from its present status; false when they do not, or when the batch does
   * not stand any more as it was `seen`.
   */
  moveRegistrationBatch(
    batchId: string,
    to: BatchStatus,
    why: BatchReason | null,
    nowMs: number,
    seen?: Pick<RegistrationBatch, 'status' | 'reasonCode'>,
  ): Promise<boolean>;
  /** Batches that a sender goes on with: sealed, running or paused, or with ready rows and not halted; oldest first. */
  runnableRegistrationBatches(): Promise<readonly RegistrationBatch[]>;
  /** Batches at rest with events after their latest report, or without any report. */
  unreportedRegistrationBatches(): Promise<readonly string[]>;
  /** Adds a hold to every ready row. Returns how many rows changed. */
  holdReadyRegistrations(
    batchId: string,
    hold: RegistrationHold,
    why: BatchReason,
    nowMs: number,
  ): Promise<number>;
  /** Lifts holds from held rows; those left without any become ready. Of all batches when null. */
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
  /** By registrationId, requestUID or ddrOapiSeqId. */
  findRegistrations(reference: string): Promise<readonly RegistrationHistory[]>;
  searchRegistrations(
    filter: RegistrationFilter,
    beforeSeq: number,
    limit: number,
  ): Promise<readonly RegistrationRow[]>;
  countFoundRegistrations(filter: RegistrationFilter): Promise<number>;
  /** Submitted rows whose sender may be gone: those whose intent is older than this. */
  submittedRegistrations(beforeMs: number, afterSeq: number, limit: number): Promise<readonly Registration[]>;
  /** In doubt or acknowledged, and awaited no longer than this. */
  overdueRegistrations(nowMs: number, limit: number): Promise<readonly Registration[]>;
  /** When the next of these falls due. */
  nextOverdueAtMs(): Promise<number | undefined>;
  /** Awaited rows of a batch, or of all. */
  countAwaitedRegistrations(batchId?: string): Promise<number>;
  /** Who has the claim on a registrationId. */
  registrationHolder(companyId: string, registrationId: string): Promise<Registration | undefined>;
  /** Who has one that is the same but for case, leading zeros, decimals of zeros, punctuation or blanks; not the very same. */
  similarRegistrationHolders(companyId: string, registrationId: string): Promise<readonly Registration[]>;
  /** Every attempt that was ever made for this identity, by registrations whose latest attempt is for it, too. */
  sentRegistrations(identityKey: string): Promise<readonly SentRegistrationRow[]>;
  /** Callbacks that are bound to none though a registration of their identity was sent; the oldest first. */
  unboundCallbacks(limit: number): Promise<readonly KeptCallback[]>;
  /** Callbacks bound to none, the latest first. */
  unknownCallbacks(limit: number): Promise<readonly KeptCallback[]>;
  countUnknownCallbacks(): Promise<number>;
  /** When a callback of this key came first, bound or not. */
  callbackReceivedAtMs(key: string): Promise<number | undefined>;

  /**
   * The one way to change a registration: all changes of one call and of concurrent calls are gathered into one commit;
   * resolves when durable, with true for each that was applied and false for each whose guard no longer held.
   */
  applyRegistrations(changes: readonly RegistrationChange[]): Promise<readonly boolean[]>;
  /**
   * Keeps a callback in the same gathered commits, whatever else becomes of it: unbound, or bound to a registration that it
   * does not change; of one that was told before, one more repeat is counted. False when it was told before.
   */
  keepCallback(record: CallbackRecord, registrationSeq: number | null): Promise<boolean>;

  registrationReports(batchId: string): Promise<readonly Report[]>;
  /** @throws Error when one of this kind and number was recorded before: none is recorded then */
  recordRegistrationReports(reports: readonly Report[]): Promise<void>;
  registrationSnapshot(): Promise<RegistrationSnapshot>;
}
