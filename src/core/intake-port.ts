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

/** What the inbox holds that has not been claimed. */
export interface InboxView {
  readonly state: InboxState;
  /** Files that have not been claimed: not finished, waiting for a marker or sidecar, or more than there is room for. */
  readonly waiting: number;
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

/** The folders from inbox to archive. One bad file never makes a method throw; a sick disk does. */
export interface Intake extends AsyncDisposable {
  /** Brings what an earlier process had claimed whole into work/. The oldest drop first. Called once, before `take`. */
  recover(): Promise<readonly WorkItem[]>;
  /** Looks at the inbox and claims the finished files, at most `max`, the oldest drop first. */
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

/** A file of the watcher's and the batch that its bytes are. */
export interface IntakeRecord {
  readonly itemId: string;
  readonly batchId: string;
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly outcome: IntakeOutcome | null;
}
