/** The whole store: the journal of payouts, and what a process that works a drop folder keeps beside it. */
import type { DeliveryResult, DueNotice, NoticeChannel, NoticeDraft } from '../notify/rules/notice.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import type { UnreconciledDays } from '../reconcile/rules/unreconciled-days.ts';
import type { IntakeOutcome, IntakeRecord, IntakeRefusal, WorkItem } from '../watch/ports.ts';
import type { BatchStatus, PayoutStatus } from './payout.ts';
import type { Batch, Journal } from './ports.ts';

/** A file to be worked, with the batch that its bytes are. */
export interface IntakeStart {
  readonly itemId: string;
  readonly batchId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly nowMs: number;
}

/**
 * `owner`: the file is the one to be worked for its batch (again, after a crash).
 * `duplicate`: another file is or was, or a run has ended the batch; `first` names that file.
 */
export type IntakeVerdict =
  | { readonly kind: 'owner' }
  | {
      readonly kind: 'duplicate';
      readonly first: {
        readonly fileName: string;
        readonly batchId: string;
        readonly batch: Batch | undefined;
      };
    };

/** A batch that can be run. */
export interface RunnableBatch {
  readonly batch: Batch;
  /** Rows of it are ready to be sent. */
  readonly hasReady: boolean;
}

/** A file that is turned away, and why. */
export interface IntakeRefused extends Pick<WorkItem, 'fileName' | 'droppedAtMs'> {
  readonly refusal: IntakeRefusal;
}

export interface Store extends Journal, StatementStore, UnreconciledDays {
  /** Made with the journal, and kept for ever: an inbox bears the id of the journal that works it. */
  readonly journalId: string;
  /** How many batches are open: sealed, running, paused or halted, or done with rows that are ready. */
  countOpenBatches(): Promise<number>;
  /**
   * Of these, the ones that a watcher is to run: sealed, running and not reported or with nothing to be asked about,
   * paused with rows that wait for the line, and any with ready rows that is not halted. Oldest drop first.
   */
  runnableBatches(): Promise<readonly RunnableBatch[]>;
  /** Rows in each status over all batches; reads every row, so not more than now and then. */
  countByStatus(): Promise<ReadonlyMap<PayoutStatus, number>>;
  /** When the oldest of the rows in doubt was submitted. */
  oldestInDoubtAtMs(): Promise<number | undefined>;
  /** Batches with rows in doubt that were submitted before a moment. */
  batchesInDoubtSince(beforeMs: number): Promise<readonly string[]>;
  /** Writes a trifle durably. @throws JournalWriteError when the disk refuses */
  probe(nowMs: number): Promise<void>;

  /** Batches that came to rest after their latest report, or that rest without any. */
  unreportedBatches(): Promise<readonly string[]>;
  /**
   * Batches done or halted whose latest report no notice tells of, the latest first, and not more than a killed process
   * can have left: of those reported since the first notice was kept, or, where none ever was, since a moment.
   */
  untoldBatches(sinceMs: number): Promise<readonly string[]>;

  // ---- files of the watcher
  /** Says which file is worked for a batch; the first to come is. Kept before anything of the file is read in. */
  startIntake(start: IntakeStart): Promise<IntakeVerdict>;
  /**
   * Records how a file ended; the first end stands. An `archived` one stays the owner of its batch; the others give it
   * back. A file that was never started is recorded only when it is `refused`.
   */
  endIntake(itemId: string, outcome: IntakeOutcome, nowMs: number, refused?: IntakeRefused): Promise<void>;
  intakeRecord(itemId: string): Promise<IntakeRecord | undefined>;
  /** Files whose end is not recorded, with the status of their batch (undefined when there is none). */
  openIntake(): Promise<readonly (IntakeRecord & { readonly batchStatus: BatchStatus | undefined })[]>;
  /** Files that have ended, by how. */
  countIntake(): Promise<ReadonlyMap<IntakeOutcome, number>>;

  // ---- rounds of every day
  /** The last Bangkok date (YYYYMMDD) for which a round was made. */
  lastRound(name: string): Promise<string | undefined>;
  recordRound(name: string, date: string): Promise<void>;

  // ---- notices
  /** Keeps a notice for each channel, durably; one whose key is known is left alone. */
  addNotice(notice: NoticeDraft, channels: readonly NoticeChannel[]): Promise<void>;
  /** Notices whose next try is due, the oldest first; of one channel when given. */
  dueNotices(nowMs: number, limit: number, channel?: NoticeChannel): Promise<readonly DueNotice[]>;
  /** When the next try of any falls due; of one channel when given. */
  nextNoticeAtMs(channel?: NoticeChannel): Promise<number | undefined>;
  /** Notices that a channel has not delivered, and that are still tried. */
  countNotices(): Promise<number>;
  recordDelivery(seq: number, channel: NoticeChannel, result: DeliveryResult): Promise<void>;
}
