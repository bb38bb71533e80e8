/** The folders of the watcher behind the worker's port: inbox, work, archive, rejected. */
import { performance } from 'node:perf_hooks';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { FileEnd, Intake, InboxView, WorkItem } from '../core/intake-port.ts';
import type { IntakeRules } from '../core/intake.ts';
import type { Clock } from '../core/ports.ts';
import { failWith } from './atomic-file.ts';
import { UnreadableSourceError, lookAt, realDisk, type Disk } from './disk.ts';
import { clearLeftovers, clearPassage, endFile, type EndedFolders } from './ended-file.ts';
import { claimedFolderOf } from './inbox-binding.ts';
import { findClaims, putBack } from './inbox-claim.ts';
import { watchInbox, type InboxWatcher } from './inbox-watcher.ts';
import { Inbox, type Log } from './inbox.ts';
import { LateWritingError, WorkFolder } from './work-folder.ts';

export interface IntakeOptions {
  readonly folders: Readonly<Record<'inbox' | 'work' | 'archive' | 'rejected', string>>;
  readonly watch: IntakeSettings;
  /** A file comes with `<file>.control.json`. */
  readonly isSidecarExpected: boolean;
  /** How long a file waits for its sidecar; 60 seconds when left out. */
  readonly sidecarWaitMs?: number;
  readonly journalId: string;
  readonly clock: Clock;
  /** Milliseconds of a clock that never jumps; the machine's when left out. */
  readonly elapsedMs?: () => number;
  readonly log: Log;
  /** For tests. */
  readonly disk?: Disk;
}

/** The settings' `watch`. */
export interface IntakeSettings {
  readonly stillMs: number;
  readonly marker: 'none' | 'done';
  readonly polling: boolean;
  readonly pollMs: number;
  readonly rescanMs: number;
}

const sidecarWaitMsDefault = 60_000;
/** Files that are moved to work/ at once: they mostly wait for the disk. */
const movesAtOnce = 8;
/** Looks take at most a fifth of the time. */
const lookShare = 4;
/** Of the time of stillness: events that come closer together are one. */
const lookGapShare = 10;
/** Files that have ended and whose path is still known. */
const endedMax = 10_000;

class FolderIntake implements Intake {
  readonly #options: IntakeOptions;
  readonly #disk: Disk;
  readonly #inbox: Inbox;
  readonly #work: WorkFolder;
  readonly #ended: EndedFolders;
  readonly #endedPaths = new Map<string, string>();
  readonly #elapsedMs: () => number;
  readonly #rules: IntakeRules;
  /** In work/, not handed out yet. */
  #ready: WorkItem[] = [];
  /** True while something may stand between the inbox and work/. */
  #hasClaims = true;
  #watcher: InboxWatcher | undefined;
  #watcherOpenedMs = 0;
  /** Which binding of the inbox the watcher watches. */
  #watched = 0;
  #hasNews = false;
  #wake: (() => void) | undefined;
  #lookedAtMs: number;
  /** When news were last told, or the inbox was last looked at. */
  #toldAtMs: number;
  #lookTookMs = 0;
  #lastEnd: Promise<unknown> = Promise.resolve();

  constructor(options: IntakeOptions) {
    const { folders, watch, clock, log, journalId } = options;
    this.#options = options;
    this.#disk = options.disk ?? realDisk;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
    this.#rules = {
      stillMs: watch.stillMs,
      isMarkerExpected: watch.marker === 'done',
      isSidecarExpected: options.isSidecarExpected,
      sidecarWaitMs: options.sidecarWaitMs ?? sidecarWaitMsDefault,
    };
    const disk = this.#disk;
    this.#inbox = new Inbox({
      inbox: folders.inbox,
      journalId,
      rules: this.#rules,
      retryMs: watch.rescanMs,
      now: () => clock.now(),
      elapsedMs: this.#elapsedMs,
      disk,
      log,
    });
    this.#work = new WorkFolder({ work: folders.work, disk, log });
    this.#ended = { archive: folders.archive, rejected: folders.rejected, disk, log };
    this.#lookedAtMs = this.#elapsedMs() - watch.rescanMs;
    this.#toldAtMs = this.#lookedAtMs;
  }

  get view(): InboxView {
    return this.#inbox.view;
  }

  /** Binds the inbox and watches it. */
  async open(): Promise<void> {
    await this.#inbox.bind();
    await this.#watch();
  }

  /** Watches the inbox that is bound: another one than before, or again after an error. */
  async #watch(): Promise<void> {
    const { folders, watch, log } = this.#options;
    const { bindings, view } = this.#inbox;
    const isThere = view.state.kind === 'there';
    const isStale =
      this.#watched !== bindings ||
      (this.#watcher?.isBroken === true && this.#elapsedMs() - this.#watcherOpenedMs >= watch.rescanMs);
    if (isThere && !isStale) return;
    await this.#watcher?.[Symbol.asyncDispose]();
    this.#watcher = undefined;
    if (!isThere) {
      this.#watched = 0;
      return;
    }
    this.#watched = bindings;
    this.#hasClaims = true;
    this.#watcherOpenedMs = this.#elapsedMs();
    this.#watcher = watchInbox({
      inbox: await realpath(folders.inbox).catch(() => folders.inbox),
      polling: watch.polling,
      pollMs: watch.pollMs,
      onNews: () => this.#noteNews(),
      log,
    });
  }

  #noteNews(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  async recover(): Promise<readonly WorkItem[]> {
    const { work } = this.#options.folders;
    try {
      await this.#settleClaims();
      const items = await this.#work.recover();
      await clearLeftovers(this.#ended, new Set(items.map(({ itemId }) => itemId)));
      await this.#disk.sync(work);
      this.#ready = [];
      return items;
    } catch (error) {
      throw failWith('read', work, error);
    }
  }

  async take(max: number): Promise<readonly WorkItem[]> {
    const { work } = this.#options.folders;
    await this.#look(max);
    try {
      await this.#settleClaims();
      await this.#claim(max - this.#ready.length);
    } catch (error) {
      // What has been moved is handed out first; what could not be is tried again.
      if (this.#ready.length === 0 || max <= 0) throw failWith('move files to', work, error);
    }
    if (this.#ready.length === 0 || max <= 0) return [];
    try {
      await this.#disk.sync(work);
    } catch (error) {
      throw failWith('move files to', work, error);
    }
    return this.#ready.splice(0, max);
  }

  /** Looks at the whole inbox, unless enough is known to be finished and that is fresh. */
  async #look(max: number): Promise<void> {
    const startedMs = this.#elapsedMs();
    const isFresh =
      startedMs - this.#lookedAtMs < Math.max(this.#rules.stillMs, this.#lookTookMs * lookShare);
    if (isFresh && max > 0 && this.#inbox.finishedCount >= max) return;
    this.#hasNews = false;
    await this.#inbox.look();
    await this.#watch();
    this.#lookedAtMs = this.#elapsedMs();
    this.#toldAtMs = this.#lookedAtMs;
    this.#lookTookMs = this.#lookedAtMs - startedMs;
  }

  /** Brings what stands between the inbox and work/ to one side or the other. */
  async #settleClaims(): Promise<void> {
    const { inbox } = this.#options.folders;
    const isDue = this.#hasClaims || this.#work.hasCopied;
    if (!isDue || this.view.state.kind === 'gone') return;
    let claims: string[];
    try {
      claims = await findClaims(this.#claimSetup(), this.#rules);
    } catch (error) {
      this.#inbox.noteGone(error);
      return;
    }
    this.#hasClaims = false;
    await this.#bringIn(claims.map((itemId) => ({ folder: join(claimedFolderOf(inbox), itemId) })));
  }

  #claimSetup() {
    const { folders, clock, log } = this.#options;
    return { inbox: folders.inbox, disk: this.#disk, now: () => clock.now(), log };
  }

  async #claim(max: number): Promise<void> {
    const { inbox } = this.#options.folders;
    const claimed: { folder: string; content: string }[] = [];
    while (claimed.length < max) {
      const claim = await this.#inbox.claimNext();
      if (claim === undefined) break;
      claimed.push({ folder: join(claimedFolderOf(inbox), claim.itemId), content: claim.content });
    }
    if (claimed.length > 0) await this.#bringIn(claimed);
  }

  async #bringIn(claims: readonly { folder: string; content?: string }[]): Promise<void> {
    const failures: unknown[] = [];
    for (let from = 0; from < claims.length; from += movesAtOnce) {
      const moves = claims.slice(from, from + movesAtOnce).map(async ({ folder, content }) => {
        try {
          const item = await this.#work.bringIn(folder, content);
          if (item !== undefined) this.#ready.push(item);
        } catch (error) {
          await this.#noteFailedMove(folder, error).catch((failure: unknown) => failures.push(failure));
        }
      });
      await Promise.all(moves);
    }
    this.#ready.sort((one, other) => (one.itemId < other.itemId ? -1 : 1));
    if (claims.length > 0) await this.#syncInbox();
    if (failures.length > 0) throw failures[0];
  }

  /** A file that cannot be moved for its own sake goes back; what concerns work/ is thrown. */
  async #noteFailedMove(claimed: string, error: unknown): Promise<void> {
    this.#hasClaims = true;
    if (error instanceof LateWritingError && error.item !== undefined) this.#ready.push(error.item);
    if (error instanceof UnreadableSourceError || error instanceof LateWritingError) {
      for (const name of await putBack(this.#claimSetup(), basename(claimed)))
        this.#inbox.noteStuck(name, error);
      return;
    }
    if ((await lookAt(claimed).catch(() => undefined)) !== undefined) throw error;
    this.#inbox.noteGone(error);
  }

  /** What has left the inbox must not come back when the machine stops. */
  async #syncInbox(): Promise<void> {
    const { inbox } = this.#options.folders;
    try {
      await this.#disk.sync(claimedFolderOf(inbox));
      await this.#disk.sync(inbox);
    } catch (error) {
      this.#inbox.noteGone(error);
    }
  }

  async waitForNews(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const waitMs = this.#computeWaitMs();
      if (waitMs <= 0) break;
      await this.#sleep(waitMs, stop);
    }
    this.#hasNews = false;
    this.#toldAtMs = this.#elapsedMs();
  }

  #computeWaitMs(): number {
    const { stillMs } = this.#rules;
    const nowMs = this.#elapsedMs();
    const gapMs = Math.max(stillMs / lookGapShare, this.#lookTookMs * lookShare);
    const freeMs = Math.max(this.#lookedAtMs, this.#toldAtMs) + gapMs - nowMs;
    const rescanMs = this.#toldAtMs + this.#options.watch.rescanMs - nowMs;
    // Told once: whoever has no room to look need not be told again and again.
    const nextAtMs = this.#inbox.nextLookAtMs ?? 0;
    const newsMs = this.#hasNews ? 0 : (nextAtMs > this.#toldAtMs ? nextAtMs : Infinity) - nowMs;
    return Math.min(rescanMs, Math.max(freeMs, newsMs));
  }

  /** Sleeps until the time is over, news come, or the signal aborts. */
  async #sleep(ms: number, stop: AbortSignal): Promise<void> {
    const waking = new AbortController();
    const wake = () => waking.abort();
    stop.addEventListener('abort', wake, { once: true });
    // News that are here already are being waited out: they come too close upon the last.
    if (!this.#hasNews) this.#wake = wake;
    try {
      await this.#options.clock.sleep(Math.max(1, Math.ceil(ms)), waking.signal);
    } finally {
      this.#wake = undefined;
      stop.removeEventListener('abort', wake);
    }
  }

  async isUntouched(item: WorkItem): Promise<boolean> {
    return this.#endedPaths.has(item.itemId) || (await this.#work.isUntouched(item));
  }

  /** One after the other: two files of one name must not meet. */
  async end(item: WorkItem, end: FileEnd): Promise<string> {
    const ending = this.#lastEnd.then(() => this.#endOne(item, end));
    this.#lastEnd = ending.catch(() => undefined);
    try {
      return await ending;
    } catch (error) {
      throw failWith('move out of work/', item.path, error);
    }
  }

  async #endOne(item: WorkItem, end: FileEnd): Promise<string> {
    const { itemId } = item;
    let path = this.#endedPaths.get(itemId);
    if (path === undefined) {
      this.#work.noteEnding(itemId);
      path = await endFile(this.#ended, item, end);
      this.#endedPaths.set(itemId, path);
    }
    await clearPassage(this.#disk, itemId, path);
    await this.#work.leave(itemId);
    for (const oldest of this.#endedPaths.keys()) {
      if (this.#endedPaths.size <= endedMax) break;
      this.#endedPaths.delete(oldest);
    }
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wake?.();
    await this.#watcher?.[Symbol.asyncDispose]();
    this.#watcher = undefined;
    await this.#work.close();
  }
}

/** Makes a folder for its owner only. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failWith('create', path, error);
  }
}

/**
 * Opens the folders, which are made (for their owner only) where they are not there. An inbox that cannot be used at
 * the moment is no error: see `view`.
 * @throws OutputFileError when another folder cannot be made
 * @throws InboxRefusedError when another journal works this inbox
 */
export async function openIntake(options: IntakeOptions): Promise<Intake> {
  const { inbox, work, archive, rejected } = options.folders;
  const folders = {
    inbox: resolve(inbox),
    work: resolve(work),
    archive: resolve(archive),
    rejected: resolve(rejected),
  };
  for (const folder of [folders.work, folders.archive, folders.rejected]) await makeFolder(folder);
  // A share that is away may be back later: then the inbox is looked for, not made.
  await makeFolder(folders.inbox).catch(() => undefined);
  const intake = new FolderIntake({ ...options, folders });
  await intake.open();
  return intake;
}
