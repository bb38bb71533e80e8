/** The part of the journal and the folders that a process with a drop folder uses. */
import type { BatchStatus, PayoutStatus } from '../core/payout.ts';
import type { Satang } from '../core/money.ts';
import type { Inspection } from '../core/payout-file.ts';
import type { Batch } from '../core/ports.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import type { FileKindName } from './rules/drop-folder.ts';
import type { TakenFile } from './rules/file-growth.ts';
import type { IntakeRefusal } from './rules/rejection-reason.ts';

// ---- The port to the folders: files come out of the inbox into work/, and end in archive/ or rejected/.

/** A claimed file in work/, in a folder of its own. */
export interface WorkItem {
  /** The name of its folder in work/, which sorts by the drop. */
  readonly itemId: string;
  /** The name in the inbox: any name that a file system allows. */
  readonly fileName: string;
  /** The absolute path. */
  readonly path: string;
  /** The last change in the inbox, in epoch milliseconds. */
  readonly droppedAtMs: number;
  readonly bytes: number;
}

/**
 * `archive`: the file was worked; it ends in `archive/<date>/`.
 * `reject`: the file is refused; it ends in `rejected/`, beside `<file>.reason.txt` with this text.
 */
export type FileEnd =
  | { readonly kind: 'archive'; readonly date: string; readonly batchId: string }
  | { readonly kind: 'reject'; readonly reason: string };

/** The end of a file that was taken in; null while it is being worked. */
export type IntakeOutcome = 'archived' | 'rejected' | 'duplicate';

/** A file of the watcher, and the batch of its bytes. */
interface IntakeFile extends Pick<WorkItem, 'itemId' | 'fileName' | 'droppedAtMs'> {
  /** Empty for a file that was refused before its bytes were known. */
  readonly batchId: string;
}

export interface IntakeRecord extends IntakeFile {
  readonly outcome: IntakeOutcome | null;
  /** Null unless the file was refused. */
  readonly refusal: IntakeRefusal | null;
}

/** The batch that a file was read into, of payouts or of registrations. */
export type FileBatch = Pick<Batch, 'batchId' | 'sha256' | 'fileName' | 'status' | 'rows' | 'sealedAtMs'>;

/** A row that was added to a file after its rows had been read. */
interface AddedRow {
  readonly rowNo: number;
  /** The payoutId or registrationId. */
  readonly id: string;
  /** Null for an unreadable amount; left out for a row without amount. */
  readonly amountSatang?: Satang | null;
}

/** Reads a file for additions. */
export interface AddedRowReader extends Pick<PayoutFileReader, 'inspect'> {
  /** Yields the rows in pages; null where the file is rejected. */
  readRows(inspection: Inspection): AsyncIterable<readonly AddedRow[] | null>;
}

/** A file to be worked. */
interface IntakeStart extends IntakeFile {
  /** `payout` when left out. */
  readonly kind?: FileKindName;
  readonly nowMs: number;
}

/**
 * `owner`: the file to be worked for its batch (again, after a crash).
 * `duplicate`: another file comes or came first, or a run has ended the batch; `first` names that file.
 */
export type IntakeVerdict =
  | { readonly kind: 'owner' }
  | {
      readonly kind: 'duplicate';
      readonly first: Pick<IntakeFile, 'fileName' | 'batchId'> & {
        readonly batch: FileBatch | undefined;
        /** Left out where it is the requested kind. */
        readonly takenAs?: FileKindName;
      };
    };

/** A file that is refused, and the refusal. `batchId`: the batch of its bytes; left out where they are unknown. */
interface IntakeRefused extends Pick<WorkItem, 'fileName' | 'droppedAtMs'> {
  /** `payout` when left out. */
  readonly kind?: FileKindName;
  readonly batchId?: string | undefined;
  readonly refusal: IntakeRefusal;
}

/** A batch that can be run. */
export interface RunnableBatch {
  readonly batch: Batch;
  /** The batch has rows that are ready to be sent. */
  readonly hasReady: boolean;
}

/** The batches in work, and their progress. */
export interface BatchQueueStore {
  /** The number of open batches: sealed, running, paused or halted, or done with rows that are ready. */
  countOpenBatches(): Promise<number>;
  /**
   * The open batches that a watcher is to run: sealed ones, running ones that are not reported or need no inquiry,
   * paused ones with rows that wait for the account, and any with ready rows that is not halted. The oldest drop first.
   */
  runnableBatches(): Promise<readonly RunnableBatch[]>;
  /** Batches that came to rest after their latest report, or rest without any report. */
  unreportedBatches(): Promise<readonly string[]>;
  /**
   * Batches done or halted whose latest report has no notice, the latest first. Limited to what a killed process can
   * have left: reports since the first kept notice, or, without any notice, since a moment.
   */
  untoldBatches(sinceMs: number): Promise<readonly string[]>;
  /** The number of rows in each status over all batches; reads every row, so call it rarely. */
  countByStatus(): Promise<ReadonlyMap<PayoutStatus, number>>;
  /** The moment at which the oldest row in doubt was submitted. */
  oldestInDoubtAtMs(): Promise<number | undefined>;
  /** Batches with rows in doubt that were submitted before a moment. */
  batchesInDoubtSince(beforeMs: number): Promise<readonly string[]>;
}

/** The files of the drop folder. */
export interface FileQueueStore {
  /** Decides which file is worked for a batch: the first one. Recorded before any of the file is read in. */
  startIntake(start: IntakeStart): Promise<IntakeVerdict>;
  /**
   * Records the end of a file; the first record stands. An `archived` file keeps its batch; the others release it. A
   * file that was never started is recorded only when it is `refused`.
   */
  endIntake(itemId: string, outcome: IntakeOutcome, nowMs: number, refused?: IntakeRefused): Promise<void>;
  intakeRecord(itemId: string): Promise<IntakeRecord | undefined>;
  /**
   * Files whose end is not recorded, with the status of their batch (undefined when there is none).
   * @param kind `payout` when left out
   */
  openIntake(
    kind?: FileKindName,
  ): Promise<readonly (IntakeRecord & { readonly batchStatus: BatchStatus | undefined })[]>;
  /** The number of ended files, by their end. */
  countIntake(): Promise<ReadonlyMap<IntakeOutcome, number>>;
}

/** `held`: another live worker has the file; `refused`: this worker's own lease has ended. */
export type FileClaiming = 'claimed' | 'held' | 'refused';

/** A file that a process works, where several machines work the journal. */
export interface FileClaim extends Pick<WorkItem, 'itemId' | 'fileName'> {
  /** The id of the `work/` folder of the file, by whatever path a machine has it. */
  readonly folderId: string;
  readonly workerId: number;
}

/** A file without a worker: the process that took it in is gone before it was read to its end. */
export interface LeftFile extends Pick<WorkItem, 'itemId' | 'fileName'> {
  /** The machine on which the file was taken in. */
  readonly machine: string;
  readonly claimedAtMs: number;
}

/** The process that works each file: folders shared by machines do not show which process is alive. */
export interface FileClaimStore {
  /** Claims a file for a worker: for the first time, once more, or from a worker that is gone. */
  claimFile(claim: FileClaim): Promise<FileClaiming>;
  /**
   * True for a file claimed in another `work/`, or by another live machine: a machine started from the same image has
   * the same folders.
   */
  isElsewhere(asked: Omit<FileClaim, 'fileName'>): Promise<boolean>;
  leftFiles(): Promise<readonly LeftFile[]>;
  /** Frees a batch from the file that it belongs to, so that another file with the same bytes may be worked for it. */
  freeBatch(batchId: string): Promise<void>;
}

/** The claims of this process's files, for other processes that work the journal. */
export interface FileClaims {
  /** Claims a file for this process; called again each time before the file is handled. */
  claim(item: WorkItem): Promise<FileClaiming>;
  /** True for a file in the `work/` of another machine. */
  isElsewhere(itemId: string): Promise<boolean>;
  /** See FileClaimStore. */
  freeBatch(batchId: string): Promise<void>;
}

/** The taken files, and later changes of their bytes. */
export interface TakenFileStore {
  /** Keeps the given record in place of an earlier one. */
  putTakenFile(file: TakenFile): Promise<void>;
  takenFile(itemId: string): Promise<TakenFile | undefined>;
  /** The files of a batch, the latest taken last. */
  takenFilesOf(batchId: string): Promise<readonly TakenFile[]>;
  /** @param kind `payout` when left out */
  watchedFiles(kind?: FileKindName): Promise<readonly TakenFile[]>;
  /** Grown files that are not dealt with: alarms. */
  grownFiles(): Promise<readonly TakenFile[]>;
  /** True when a taken file has grown to these bytes. */
  hasGrownTo(sha256: string): Promise<boolean>;
  /** Records that an addition was dealt with; a later one is an alarm again. */
  closeGrowth(itemId: string, sha256: string): Promise<void>;
}

/** The daily jobs. */
export interface ScheduleStore {
  /** The last Bangkok date (YYYYMMDD) of a job. */
  lastDailyJob(name: string): Promise<string | undefined>;
  recordDailyJob(name: string, date: string): Promise<void>;
}

/** The part of the journal that the watcher uses. */
export interface WatchStore extends BatchQueueStore, FileQueueStore, TakenFileStore, ScheduleStore {
  /** Makes a durable write probe. @throws JournalWriteError when the disk refuses */
  probe(nowMs: number): Promise<void>;
}
