/** What the watcher needs of its folders: files come out of the inbox into work/, and end in archive/ or rejected/. */

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

/** `gone`: the folder is not there, or cannot be read; `why` says what to do. */
export type InboxState = { readonly kind: 'there' } | { readonly kind: 'gone'; readonly why: string };

/** A file that was claimed and cannot be brought into work/ (a full disk, a file too big for it). It is tried again. */
export interface StuckFile {
  readonly fileName: string;
  /** With the cure. */
  readonly why: string;
}

/** What the inbox holds that is not in work/ yet. */
export interface InboxView {
  readonly state: InboxState;
  /**
   * Files that are not in work/: not finished, waiting for a marker or sidecar, more than there is room for, or stuck.
   */
  readonly waiting: number;
  /** Those that were claimed and are stuck, the oldest drop first. */
  readonly stuck: readonly StuckFile[];
  /**
   * Names of what stays where it is: what is no ordinary file (folders, links, pipes), files that cannot be claimed,
   * markers and sidecars whose file has not come for a minute.
   */
  readonly left: readonly string[];
}

/**
 * `archive`: the file was worked; it ends in `archive/<date>/`.
 * `reject`: it ends in `rejected/`, beside `<file>.reason.txt` with this text.
 */
export type FileEnd =
  | { readonly kind: 'archive'; readonly date: string; readonly batchId: string }
  | { readonly kind: 'reject'; readonly reason: string };

/** The folders from inbox to archive. One bad file never keeps another out; a sick disk makes a method throw. */
export interface Intake extends AsyncDisposable {
  /** Brings what an earlier process had claimed whole into work/. The oldest drop first. Called once, before `take`. */
  recover(): Promise<readonly WorkItem[]>;
  /**
   * Looks at the inbox and claims the finished files, at most `max`, the oldest drop first. Throws what kept a file out
   * of work/ only when no other can be handed out, so that the disk is looked at.
   */
  take(max: number): Promise<readonly WorkItem[]>;
  readonly view: InboxView;
  /** Resolves when something has happened in the inbox, when a file may have become finished, or at the next rescan. */
  waitForNews(stop: AbortSignal): Promise<void>;
  /** True while the file has the size and times that it had when it was claimed: nobody writes to it any more. */
  isUntouched(item: WorkItem): Promise<boolean>;
  /**
   * Moves the file where it ends, its sidecar with it, never over another; again after a crash without harm.
   * @returns the absolute path it ended at
   */
  end(item: WorkItem, end: FileEnd): Promise<string>;
}

/** How a file that was taken in has ended; null while it is being worked. */
export type IntakeOutcome = 'archived' | 'rejected' | 'duplicate';

/** Why a file was turned away. Kept with its end: until the file is moved, every process says the same of it. */
export interface IntakeRefusal {
  /** A short name, and the words in one sentence. */
  readonly code: string;
  readonly message: string;
  /** The text beside the file. */
  readonly reason: string;
  /** Of the batch that its rows had been read into; null when there is none. */
  readonly batchId: string | null;
}

/** A file of the watcher's and the batch that its bytes are. */
export interface IntakeRecord {
  readonly itemId: string;
  /** Empty for a file that was turned away before its bytes were known. */
  readonly batchId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly outcome: IntakeOutcome | null;
  /** Null unless it was turned away. */
  readonly refusal: IntakeRefusal | null;
}
