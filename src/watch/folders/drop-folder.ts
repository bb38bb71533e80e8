/** The folders of the watcher behind the file queue's port: inbox, work, archive, rejected. */
import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Clock, Log } from '../../core/ports.ts';
import { type Disk, realDisk } from '../../platform/disk.ts';
import { failWith } from '../../platform/durable-file.ts';
import { Signal, waitForAny } from '../../platform/signal.ts';
import type { FileEnd, InboxView, Intake, WorkItem } from '../ports.ts';
import { clearLeftovers, clearWay, endFile } from './archive.ts';
import { InboxBinding, InboxRefusedError, mayBeAway } from './binding.ts';
import { ClaimedFolder } from './claim.ts';
import type { FoldersContext } from './context.ts';
import { Inbox, InboxWatcher } from './inbox.ts';
import { FileMover } from './mover.ts';
import { WorkFolder } from './work.ts';

export interface IntakeOptions {
  readonly folders: FoldersContext['folders'];
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
/** Looks take at most a fifth of the time. */
const lookShare = 4;
/** Of the time of stillness: events that come closer together are one. */
const lookGapShare = 10;
/** Files that have ended and whose path is still known. */
const endedMax = 10_000;

class DropFolder implements Intake {
  readonly #context: FoldersContext;
  readonly #watch: IntakeSettings;
  readonly #clock: Clock;
  readonly #binding: InboxBinding;
  readonly #inbox: Inbox;
  readonly #work: WorkFolder;
  readonly #mover: FileMover;
  /** How files end, as first tried: none must end twice because the second try comes on another day. */
  readonly #ends = new Map<string, { readonly end: FileEnd; readonly path: string | undefined }>();
  #watcher: InboxWatcher | undefined;
  #watcherOpenedMs = 0;
  /** Which binding of the inbox the watcher watches. */
  #watched = 0;
  readonly #news = new Signal();
  #hasNews = false;
  #lookedAtMs: number;
  /** When news last came through, or the inbox was last looked at. */
  #notifiedAtMs: number;
  #lookTookMs = 0;
  #lastEnd: Promise<unknown> = Promise.resolve();

  constructor(context: FoldersContext, { watch, clock, journalId }: IntakeOptions) {
    this.#context = context;
    this.#watch = watch;
    this.#clock = clock;
    const claimed = new ClaimedFolder(context);
    this.#binding = new InboxBinding(context.folders, journalId);
    this.#inbox = new Inbox(context, claimed, this.#binding);
    this.#work = new WorkFolder(context);
    this.#mover = new FileMover(context, {
      inbox: this.#inbox,
      claimed,
      work: this.#work,
      hasEnded: (itemId) => this.#hasEnded(itemId),
    });
    this.#lookedAtMs = context.elapsedMs() - watch.rescanMs;
    this.#notifiedAtMs = this.#lookedAtMs;
  }

  get view(): InboxView {
    const [view, { stuck }] = [this.#inbox.view, this.#mover];
    return { ...view, waiting: view.waiting + stuck.length, stuck };
  }

  // ---------------------------------------------------------------- taking

  async recover(): Promise<readonly WorkItem[]> {
    const { work } = this.#context.folders;
    try {
      const items = await this.#mover.recover();
      await clearLeftovers(this.#context, new Set(items.map(({ itemId }) => itemId)));
      await this.#context.disk.sync(work);
      return items;
    } catch (error) {
      throw failWith('read', work, error);
    }
  }

  async take(max: number): Promise<readonly WorkItem[]> {
    await this.#look(max);
    const mover = this.#mover;
    const failures = await this.#bringIn(max);
    // What has been moved is handed out first; what could not be is tried again.
    const hasItems = mover.readyCount > 0 && max > 0;
    try {
      if (hasItems) await this.#context.disk.sync(this.#context.folders.work);
      else if (failures.length > 0) throw failures[0];
    } catch (error) {
      throw failWith('move files to', this.#context.folders.work, error);
    }
    return hasItems ? mover.handOut(max) : [];
  }

  /** @returns what could not be brought in: the trouble of one file keeps no other out */
  async #bringIn(max: number): Promise<unknown[]> {
    const failures: unknown[] = [];
    try {
      failures.push(...(await this.#mover.settle()));
      failures.push(...(await this.#mover.claim(max - this.#mover.readyCount)));
    } catch (error) {
      failures.push(error);
    }
    return failures;
  }

  /** Looks at the whole inbox, unless enough is known to be finished and that is fresh. */
  async #look(max: number): Promise<void> {
    const { elapsedMs, rules } = this.#context;
    const startedMs = elapsedMs();
    const isFresh = startedMs - this.#lookedAtMs < Math.max(rules.stillMs, this.#lookTookMs * lookShare);
    if (isFresh && max > 0 && this.#inbox.finishedCount >= max) {
      await this.#inbox.bind();
      return;
    }
    this.#hasNews = false;
    await this.#inbox.look();
    await this.#follow();
    this.#lookedAtMs = elapsedMs();
    this.#notifiedAtMs = this.#lookedAtMs;
    this.#lookTookMs = this.#lookedAtMs - startedMs;
  }

  // ---------------------------------------------------------------- waiting

  /** Binds the inbox and watches it. */
  async open(): Promise<void> {
    const error = await this.#inbox.bind();
    if (error instanceof InboxRefusedError) throw error;
    await this.#follow();
  }

  /** Watches the inbox that is bound: another one than before, or again after an error. */
  async #follow(): Promise<void> {
    const { folders, elapsedMs, rescanMs, log } = this.#context;
    const { count } = this.#binding;
    const isThere = this.#inbox.view.state.kind === 'there';
    const isStale =
      this.#watched !== count ||
      (this.#watcher?.isBroken === true && elapsedMs() - this.#watcherOpenedMs >= rescanMs);
    if (isThere && !isStale) return;
    await this.#watcher?.[Symbol.asyncDispose]();
    this.#watcher = undefined;
    this.#watched = isThere ? count : 0;
    if (!isThere) return;
    this.#mover.noteBinding();
    this.#watcherOpenedMs = elapsedMs();
    // One look at the folder every pollMs costs less than one at each of its files.
    if (this.#watch.polling) return;
    const inbox = await realpath(folders.inbox).catch(() => folders.inbox);
    this.#watcher = new InboxWatcher(inbox, () => this.#noteNews(), log);
  }

  #noteNews(): void {
    // News that come too close upon the last are waited out: they wake nobody.
    if (!this.#hasNews) this.#news.notify();
    this.#hasNews = true;
  }

  async waitForNews(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const waitMs = this.#computeWaitMs();
      if (waitMs <= 0) break;
      await waitForAny(this.#clock, Math.max(1, Math.ceil(waitMs)), this.#news.next, stop);
    }
    this.#hasNews = false;
    this.#notifiedAtMs = this.#context.elapsedMs();
  }

  #computeWaitMs(): number {
    const { elapsedMs, rules } = this.#context;
    const nowMs = elapsedMs();
    const gapMs = Math.max(rules.stillMs / lookGapShare, this.#lookTookMs * lookShare);
    const freeMs = Math.max(this.#lookedAtMs, this.#notifiedAtMs) + gapMs - nowMs;
    const { polling, pollMs, rescanMs: everyMs } = this.#watch;
    const rescanMs = this.#notifiedAtMs + (polling ? Math.min(pollMs, everyMs) : everyMs) - nowMs;
    // Notified once: whoever has no room to look need not be notified again and again.
    const times = [this.#inbox.nextLookAtMs ?? 0, this.#mover.nextTryMs ?? 0];
    const nextAtMs = Math.min(...times.filter((atMs) => atMs > this.#notifiedAtMs));
    const newsMs = this.#hasNews ? 0 : nextAtMs - nowMs;
    return Math.min(rescanMs, Math.max(freeMs, newsMs));
  }

  // ---------------------------------------------------------------- ending

  async isUntouched(item: WorkItem): Promise<boolean> {
    return this.#hasEnded(item.itemId) || (await this.#work.isUntouched(item));
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
    const tried = this.#ends.get(itemId);
    const first = tried?.end.kind === end.kind ? tried.end : end;
    let path = tried?.path;
    if (path === undefined) {
      this.#ends.set(itemId, { end: first, path });
      this.#work.noteEnding(itemId);
      path = await endFile(this.#context, item, first);
      this.#ends.set(itemId, { end: first, path });
    }
    await clearWay(this.#context, itemId, path);
    await this.#work.leave(itemId);
    this.#forgetOldest();
    return path;
  }

  #hasEnded(itemId: string): boolean {
    return this.#ends.get(itemId)?.path !== undefined;
  }

  #forgetOldest(): void {
    for (const [oldest, { path }] of this.#ends) {
      if (this.#ends.size <= endedMax) return;
      if (path !== undefined) this.#ends.delete(oldest);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#news.notify();
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
  const { watch, clock, log } = options;
  const context: FoldersContext = {
    folders: {
      inbox: resolve(options.folders.inbox),
      work: resolve(options.folders.work),
      archive: resolve(options.folders.archive),
      rejected: resolve(options.folders.rejected),
    },
    disk: options.disk ?? realDisk,
    rules: {
      stillMs: watch.stillMs,
      isMarkerExpected: watch.marker === 'done',
      isSidecarExpected: options.isSidecarExpected,
      sidecarWaitMs: options.sidecarWaitMs ?? sidecarWaitMsDefault,
    },
    rescanMs: watch.rescanMs,
    now: () => clock.now(),
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    log,
  };
  const { inbox, work, archive, rejected } = context.folders;
  for (const folder of [work, archive, rejected]) await makeFolder(folder);
  // A share that is away may be back later: then the inbox is looked for, not made.
  const isAway = await mayBeAway(work, inbox).catch(() => true);
  if (!isAway) await makeFolder(inbox).catch(() => undefined);
  const intake = new DropFolder(context, options);
  await intake.open();
  return intake;
}
