/** What a process that works a drop folder keeps beside the payouts. */
import type { BatchStatus, PayoutStatus } from '../core/payout.ts';
import type { Satang } from '../core/money.ts';
import type { Inspection } from '../core/payout-file.ts';
import type { Batch } from '../core/ports.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import type { FileKindName } from './rules/drop-folder.ts';
import type { TakenFile } from './rules/file-growth.ts';
import type { IntakeRefusal } from './rules/rejection-reason.ts';

// ---- What the watcher needs of its folders: files come out of the inbox into work/, and end in archive/ or rejected/.

/** A file that was claimed: it stands in work/, in a folder of its own. */
export interface WorkItem {
  /** Names its folder in work/; sorts by when the file was dropped. */
  readonly itemId: string;
  /** As it was called in the inbox: any name that a file system allows. */
  readonly fileName: string;
  /** Absolute. */
  readonly path: string;
  /** When it was last changed in the inbox; epoch milliseconds. */
  readonly droppedAtMs: number;
  readonly bytes: number;
}

/**
 * `archive`: the file was worked; it ends in `archive/<date>/`.
 * `reject`: it ends in `rejected/`, beside `<file>.reason.txt` with this text.
 */
export type FileEnd =
  | { readonly kind: 'archive'; readonly date: string; readonly batchId: string }
  | { readonly kind: 'reject'; readonly reason: string };

/** How a file that was taken in has ended; null while it is being worked. */
export type IntakeOutcome = 'archived' | 'rejected' | 'duplicate';

/** A file of the watcher's and the batch that its bytes are. */
interface IntakeFile extends Pick<WorkItem, 'itemId' | 'fileName' | 'droppedAtMs'> {
  /** Empty for a file that was turned away before its bytes were known. */
  readonly batchId: string;
}

export interface IntakeRecord extends IntakeFile {
  readonly outcome: IntakeOutcome | null;
  /** Null unless it was turned away. */
  readonly refusal: IntakeRefusal | null;
}

/** What its file was read into: a batch of payouts, or of registrations. */
export type FileBatch = Pick<Batch, 'batchId' | 'sha256' | 'fileName' | 'status' | 'rows' | 'sealedAtMs'>;

/** A row of a file, as far as it is told of when it was added behind those that were read. */
interface AddedRow {
  readonly rowNo: number;
  /** payoutId or registrationId. */
  readonly id: string;
  /** Null where it cannot be read; left out of a row that has none. */
  readonly amountSatang?: Satang | null;
}

/** Reads a file for what was added to it. */
export interface AddedRowReader extends Pick<PayoutFileReader, 'inspect'> {
  /** In pages; null where the file is rejected. */
  readRows(inspection: Inspection): AsyncIterable<readonly AddedRow[] | null>;
}

/** A file to be worked. */
export interface IntakeStart extends IntakeFile {
  /** `payout` when left out. */
  readonly kind?: FileKindName;
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
      readonly first: Pick<IntakeFile, 'fileName' | 'batchId'> & {
        readonly batch: FileBatch | undefined;
        /** Left out where it is the kind that was asked for. */
        readonly takenAs?: FileKindName;
      };
    };

/** A file that is turned away, and why. `batchId`: what its bytes would be; left out where they are not known. */
export interface IntakeRefused extends Pick<WorkItem, 'fileName' | 'droppedAtMs'> {
  /** `payout` when left out. */
  readonly kind?: FileKindName;
  readonly batchId?: string | undefined;
  readonly refusal: IntakeRefusal;
}

/** A batch that can be run. */
export interface RunnableBatch {
  readonly batch: Batch;
  /** Rows of it are ready to be sent. */
  readonly hasReady: boolean;
}

/** Which batches are worked, and how far they have come. */
export interface BatchQueueStore {
  /** How many batches are open: sealed, running, paused or halted, or done with rows that are ready. */
  countOpenBatches(): Promise<number>;
  /**
   * Of these, the ones that a watcher is to run: sealed, running and not reported or with nothing to be asked about,
   * paused with rows that wait for the line, and any with ready rows that is not halted. Oldest drop first.
   */
  runnableBatches(): Promise<readonly RunnableBatch[]>;
  /** Batches that came to rest after their latest report, or that rest without any. */
  unreportedBatches(): Promise<readonly string[]>;
  /**
   * Batches done or halted whose latest report no notice tells of, the latest first, and not more than a killed process
   * can have left: of those reported since the first notice was kept, or, where none ever was, since a moment.
   */
  untoldBatches(sinceMs: number): Promise<readonly string[]>;
  /** Rows in each status over all batches; reads every row, so not more than now and then. */
  countByStatus(): Promise<ReadonlyMap<PayoutStatus, number>>;
  /** When the oldest of the rows in doubt was submitted. */
  oldestInDoubtAtMs(): Promise<number | undefined>;
  /** Batches with rows in doubt that were submitted before a moment. */
  batchesInDoubtSince(beforeMs: number): Promise<readonly string[]>;
}

/** The files of the drop folder. */
export interface FileQueueStore {
  /** Says which file is worked for a batch; the first to come is. Kept before anything of the file is read in. */
  startIntake(start: IntakeStart): Promise<IntakeVerdict>;
  /**
   * Records how a file ended; the first end stands. An `archived` one stays the owner of its batch; the others give it
   * back. A file that was never started is recorded only when it is `refused`.
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
  /** Files that have ended, by how. */
  countIntake(): Promise<ReadonlyMap<IntakeOutcome, number>>;
}

/**
 * `held`: another worker has it, and is there; `refused`: the worker's own lease does not run.
 */
export type FileClaiming = 'claimed' | 'held' | 'refused';

/** A file that a process works, where several machines work the journal. */
export interface FileClaim extends Pick<WorkItem, 'itemId' | 'fileName'> {
  /** Names the `work/` in which it stands, by whatever path a machine has it. */
  readonly folderId: string;
  readonly workerId: number;
}

/** A file that nobody works: whoever had taken it in is gone, and it has not been read to its end. */
export interface LeftFile extends Pick<WorkItem, 'itemId' | 'fileName'> {
  /** On which machine it was taken in. */
  readonly machine: string;
  readonly claimedAtMs: number;
}

/** Which process works each file: folders that machines share tell nothing of who is there. */
export interface FileClaimStore {
  /** Claims a file for a worker: for the first time, once more, or from one that is gone. */
  claimFile(claim: FileClaim): Promise<FileClaiming>;
  /**
   * True of a file that was claimed in another `work/`, or by another machine that is there: the image of a machine that
   * is started a second time has the same folders.
   */
  isElsewhere(asked: Omit<FileClaim, 'fileName'>): Promise<boolean>;
  leftFiles(): Promise<readonly LeftFile[]>;
  /** Has a batch belong to nobody whose file is one of these: another with the same bytes may be worked for it. */
  freeBatch(batchId: string): Promise<void>;
}

/** What other processes that work the journal are told of the files of this one. */
export interface FileClaims {
  /** Says that this process works a file; asked again each time before it does something about the file. */
  claim(item: WorkItem): Promise<FileClaiming>;
  /** True of a file in the `work/` of another machine. */
  isElsewhere(itemId: string): Promise<boolean>;
  /** See FileClaimStore. */
  freeBatch(batchId: string): Promise<void>;
}

/** The files that were taken, and what became of their bytes afterwards. */
export interface TakenFileStore {
  /** Keeps the record as it is given, in place of an earlier one. */
  putTakenFile(file: TakenFile): Promise<void>;
  takenFile(itemId: string): Promise<TakenFile | undefined>;
  /** Of a batch, the latest taken last. */
  takenFilesOf(batchId: string): Promise<readonly TakenFile[]>;
  /** @param kind `payout` when left out */
  watchedFiles(kind?: FileKindName): Promise<readonly TakenFile[]>;
  /** Those that have grown and that nobody has dealt with: alarms. */
  grownFiles(): Promise<readonly TakenFile[]>;
  /** True when a file of ours has grown to be these bytes. */
  hasGrownTo(sha256: string): Promise<boolean>;
  /** What was added has been dealt with; what is added later is an alarm again. */
  closeGrowth(itemId: string, sha256: string): Promise<void>;
}

/** Jobs of every day. */
export interface ScheduleStore {
  /** The last Bangkok date (YYYYMMDD) for which a round was made. */
  lastDailyJob(name: string): Promise<string | undefined>;
  recordDailyJob(name: string, date: string): Promise<void>;
}

/** What the watcher keeps. */
export interface WatchStore extends BatchQueueStore, FileQueueStore, TakenFileStore, ScheduleStore {
  /** Makes a durable write probe. @throws JournalWriteError when the disk refuses */
  probe(nowMs: number): Promise<void>;
}
