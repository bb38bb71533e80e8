/** The folders of the watcher behind the worker's port: inbox, work, archive, rejected. */
import { randomBytes } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../core/ports.ts';
import { type Disk, realDisk } from '../../platform/disk.ts';
import { failWith } from '../../platform/durable-file.ts';
import type { FileEnd, InboxView, Intake, WorkItem } from '../ports.ts';
import type { IntakeRules } from '../rules/drop-folder.ts';
import { clearLeftovers, clearPassage, type EndedFolders, endFile } from './archive.ts';
import { mayBeAway } from './binding.ts';
import type { ClaimSetup } from './claim.ts';
import { type InboxWatcher, watchInbox } from './inbox-watcher.ts';
import { Inbox, type Log } from './inbox.ts';
import { Passage } from './passage.ts';
import { WorkFolder } from './work.ts';

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
/** Of the name of a process; one that two processes share would let both work one inbox. */
const holderLength = 12;
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
  readonly #passage: Passage;
  readonly #ended: EndedFolders;
  readonly #endedPaths = new Map<string, string>();
  /** How the ends were first tried: a file must not end twice because the second try comes on another day. */
  readonly #triedEnds = new Map<string, FileEnd>();
  readonly #elapsedMs: () => number;
  readonly #rules: IntakeRules;
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
    const { inbox, work } = folders;
    const holder = randomBytes(holderLength).toString('hex');
    const claims: ClaimSetup = { inbox, disk, now: () => clock.now(), log, unclaimed: new Set() };
    const [rescanMs, elapsedMs] = [watch.rescanMs, this.#elapsedMs];
    this.#inbox = new Inbox({
      ...claims,
      binder: { inbox, work, journalId, holder },
      rules: this.#rules,
      retryMs: rescanMs,
      elapsedMs,
      log,
    });
    this.#work = new WorkFolder({ work, disk, log });
    this.#passage = new Passage({
      claims,
      rules: this.#rules,
      inbox: this.#inbox,
      work: this.#work,
      disk,
      rescanMs,
      elapsedMs,
      hasEnded: (itemId) => this.#endedPaths.has(itemId),
    });
    this.#ended = { archive: folders.archive, rejected: folders.rejected, disk, log };
    this.#lookedAtMs = this.#elapsedMs() - watch.rescanMs;
    this.#toldAtMs = this.#lookedAtMs;
  }

  get view(): InboxView {
    const [view, { stuck }] = [this.#inbox.view, this.#passage];
    return { ...view, waiting: view.waiting + stuck.length, stuck };
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
    this.#passage.noteBinding();
    this.#watcherOpenedMs = this.#elapsedMs();
    // One look at the folder every pollMs costs less than one at each of its files.
    if (watch.polling) return;
    this.#watcher = watchInbox({
      inbox: await realpath(folders.inbox).catch(() => folders.inbox),
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
      await this.#passage.settleClaims();
      const items = await this.#work.recover();
      await clearLeftovers(this.#ended, new Set(items.map(({ itemId }) => itemId)));
      await this.#disk.sync(work);
      this.#passage.clearReady();
      return items;
    } catch (error) {
      throw failWith('read', work, error);
    }
  }

  async take(max: number): Promise<readonly WorkItem[]> {
    const { work } = this.#options.folders;
    await this.#look(max);
    const passage = this.#passage;
    const failures = await this.#bringIn(max);
    if (passage.readyCount === 0 || max <= 0) {
      // What has been moved is handed out first; what could not be is tried again.
      if (failures.length > 0) throw failWith('move files to', work, failures[0]);
      return [];
    }
    try {
      await this.#disk.sync(work);
    } catch (error) {
      throw failWith('move files to', work, error);
    }
    return passage.handOut(max);
  }

  /** @returns what could not be brought in: the trouble of one file keeps no other out */
  async #bringIn(max: number): Promise<unknown[]> {
    const failures: unknown[] = [];
    try {
      failures.push(...(await this.#passage.settle()));
      failures.push(...(await this.#passage.claim(max - this.#passage.readyCount)));
    } catch (error) {
      failures.push(error);
    }
    return failures;
  }

  /** Looks at the whole inbox, unless enough is known to be finished and that is fresh. */
  async #look(max: number): Promise<void> {
    const startedMs = this.#elapsedMs();
    const isFresh =
      startedMs - this.#lookedAtMs < Math.max(this.#rules.stillMs, this.#lookTookMs * lookShare);
    if (isFresh && max > 0 && this.#inbox.finishedCount >= max) {
      await this.#inbox.confirm();
      return;
    }
    this.#hasNews = false;
    await this.#inbox.look();
    await this.#watch();
    this.#lookedAtMs = this.#elapsedMs();
    this.#toldAtMs = this.#lookedAtMs;
    this.#lookTookMs = this.#lookedAtMs - startedMs;
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
    const { polling, pollMs, rescanMs: everyMs } = this.#options.watch;
    const rescanMs = this.#toldAtMs + (polling ? Math.min(pollMs, everyMs) : everyMs) - nowMs;
    // Told once: whoever has no room to look need not be told again and again.
    const times = [this.#inbox.nextLookAtMs ?? 0, this.#passage.nextTryMs ?? 0];
    const nextAtMs = Math.min(...times.filter((atMs) => atMs > this.#toldAtMs));
    const newsMs = this.#hasNews ? 0 : nextAtMs - nowMs;
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
      path = await endFile(this.#ended, item, this.#firstTryOf(itemId, end));
      this.#endedPaths.set(itemId, path);
      this.#triedEnds.delete(itemId);
    }
    await clearPassage(this.#disk, itemId, path);
    await this.#work.leave(itemId);
    for (const oldest of this.#endedPaths.keys()) {
      if (this.#endedPaths.size <= endedMax) break;
      this.#endedPaths.delete(oldest);
    }
    return path;
  }

  #firstTryOf(itemId: string, end: FileEnd): FileEnd {
    const tried = this.#triedEnds.get(itemId);
    if (tried?.kind === end.kind) return tried;
    this.#triedEnds.set(itemId, end);
    return end;
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
  const isAway = await mayBeAway(folders.work, folders.inbox).catch(() => true);
  if (!isAway) await makeFolder(folders.inbox).catch(() => undefined);
  const intake = new FolderIntake({ ...options, folders });
  await intake.open();
  return intake;
}
