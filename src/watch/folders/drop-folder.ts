/** The folders of the watcher behind the file queue's port: inbox, work, archive, rejected. */
import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import { computeBackoffMs } from '../../core/backoff.ts';
import { type Disk, lookAt, realDisk, UnreadableSourceError } from '../../platform/disk.ts';
import { failWith } from '../../platform/durable-file.ts';
import { Signal, waitForAny } from '../../platform/signal.ts';
import type { FileEnd, WorkItem } from '../ports.ts';
import type { InboxView, StuckFile } from '../rules/drop-folder.ts';
import { clearLeftovers, findEnded, findRejectedPath } from './archive.ts';
import {
  InboxBinding,
  type InboxOwner,
  InboxOfAnotherError,
  InboxRefusedError,
  mayBeAway,
} from './binding.ts';
import { type Claim, ClaimedFolder, type FolderLook } from './claim.ts';
import type { FoldersContext } from './context.ts';
import { Inbox, InboxWatcher } from './inbox.ts';
import { Originals } from './originals.ts';
import { decideRecovery, type Recovery } from './states.ts';
import { LateWritingError, NoRoomError, WorkFolder } from './work.ts';

interface IntakeOptions extends Pick<
  FoldersContext,
  'folders' | 'watch' | 'clock' | 'log' | 'label' | 'inboxesWithin'
> {
  /** Each file comes with `<file>.control.json`. */
  readonly isSidecarExpected: boolean;
  /** The time that a file waits for its sidecar; 60 seconds when left out. */
  readonly sidecarWaitMs?: number;
  readonly journalId: string;
  /** Left out where one process alone works the journal. */
  readonly owner?: InboxOwner | undefined;
  /** Milliseconds of a monotonic clock; the machine's when left out. */
  readonly elapsedMs?: () => number;
  /** For tests. */
  readonly disk?: Disk;
}

const sidecarWaitMsDefault = 60_000;
/** The factor of the pause after a look: looks take at most a fifth of the time. */
const lookShare = 4;
/** The divisor of the time of stillness: events within the resulting gap count as one. */
const lookGapShare = 10;
/** The number of files that are moved to work/ at once: they mostly wait for the disk. */
const movesAtOnce = 8;
const pauseFirstMs = 1_000;
const pauseMaxMs = 60_000;

interface Stuck extends StuckFile {
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** A claimed file to be moved now, and the way. */
interface Move extends Claim {
  readonly how: Extract<Recovery, 'bring in' | 'drop source'>;
}

/** The folders from inbox to archive. One bad file does not block another; a faulty disk makes a method throw. */
export type Intake = Pick<DropFolder, keyof DropFolder>;

class DropFolder implements AsyncDisposable {
  readonly #context: FoldersContext;
  readonly #binding: InboxBinding;
  readonly #inbox: Inbox;
  readonly #claimed: ClaimedFolder;
  readonly #work: WorkFolder;
  readonly #originals: Originals;
  /** Items in work/ that are not handed out yet, the oldest drop first. */
  #ready: WorkItem[] = [];
  /** Items in claimed/ or work/ that could not be taken up. */
  readonly #stuck = new Map<string, Stuck>();
  /** Folders without a file that were logged. */
  readonly #reportedEmpty = new Set<string>();
  /** The moment of the next look between the inbox and work/, even without news. */
  #settleAtMs = -Infinity;
  #watcher: InboxWatcher | undefined;
  #watcherOpenedMs = 0;
  /** The number of the inbox's binding that the watcher watches. */
  #watched = 0;
  readonly #news = new Signal();
  #hasNews = false;
  #lookedAtMs: number;
  /** The moment of the latest news, or of the last look at the inbox. */
  #notifiedAtMs: number;
  #lookTookMs = 0;

  constructor(context: FoldersContext, journalId: string, owner?: InboxOwner) {
    this.#context = context;
    this.#claimed = new ClaimedFolder(context);
    this.#binding = new InboxBinding(context.folders, journalId, owner);
    this.#inbox = new Inbox(context, this.#claimed, this.#binding);
    this.#originals = new Originals(context);
    this.#work = new WorkFolder(context, this.#originals);
    this.#lookedAtMs = context.elapsedMs() - context.watch.rescanMs;
    this.#notifiedAtMs = this.#lookedAtMs;
  }

  get view(): InboxView {
    const { view } = this.#inbox;
    const entries = [...this.#stuck].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const stuck = entries.map(([, { fileName, why }]) => ({ fileName, why }));
    return { ...view, waiting: view.waiting + stuck.length, stuck };
  }

  // ---------------------------------------------------------------- taking

  /** Brings files that an earlier process claimed whole into work/, the oldest first. Called once, before `take`. */
  async recover(): Promise<readonly WorkItem[]> {
    const { work } = this.#context.folders;
    try {
      await this.#settleClaims();
      const items = await this.#work.recover();
      // These items are handed out here only.
      this.#ready = [];
      await clearLeftovers(this.#context, new Set(items.map(({ itemId }) => itemId)));
      await this.#context.disk.sync(work);
      return items;
    } catch (error) {
      throw failWith('read', work, error);
    }
  }

  /**
   * Looks at the inbox and claims the finished files, at most `max`, the oldest drop first. Throws a file's obstacle
   * only when no other file can be handed out, so that the disk is checked.
   */
  async take(max: number): Promise<readonly WorkItem[]> {
    await this.#look(max);
    const failures = await this.#bringIn(max);
    // Moved files are handed out first; failed ones are tried again.
    const hasItems = this.#ready.length > 0 && max > 0;
    try {
      if (hasItems) await this.#context.disk.sync(this.#context.folders.work);
      else if (failures.length > 0) throw failures[0];
    } catch (error) {
      throw failWith('move files to', this.#context.folders.work, error);
    }
    return this.#ready.splice(0, max);
  }

  /** Brings files into work/; a failure of one file does not block the others. @returns the failures */
  async #bringIn(max: number): Promise<unknown[]> {
    const failures: unknown[] = [];
    try {
      const settled = await this.#settleClaims();
      failures.push(...(settled?.failures ?? []));
      if (settled !== undefined) await this.#findUnknown(settled.claimed);
      failures.push(...(await this.#claim(max - this.#ready.length)));
    } catch (error) {
      failures.push(error);
    }
    return failures;
  }

  /** Looks at the whole inbox, unless enough files are known to be finished and that is recent. */
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

  // ---------------------------------------------------------------- from the inbox into work/

  /**
   * Moves the files between the inbox and work/ to one side or the other.
   * @returns the failures; undefined when nothing is due, or the inbox is gone
   */
  async #settleClaims() {
    const [inbox, claimed, nowMs] = [this.#inbox, this.#claimed, this.#context.elapsedMs()];
    const isDue = this.#work.copied.size > 0 || Math.min(this.#settleAtMs, this.#nextTryMs) <= nowMs;
    if (!isDue || inbox.view.state.kind === 'gone') return undefined;
    const itemIds = await claimed.list().catch((error: unknown) => inbox.noteGone(error));
    if (itemIds === undefined) return undefined;
    this.#settleAtMs = nowMs + this.#context.watch.rescanMs;
    const staying = new Set<string>();
    const moves: Move[] = [];
    for (const itemId of itemIds) {
      const found = await this.#settleClaim(itemId, nowMs).catch((error: unknown) =>
        this.#noteStuck(itemId, itemId, failWith('read', claimed.folderOf(itemId), error).message),
      );
      if (found !== 'settled') staying.add(itemId);
      if (typeof found === 'object') moves.push(found);
    }
    this.#work.noteClaimed(staying);
    const failures = await this.#move(moves);
    if (moves.length > 0) await this.#syncInbox();
    return { failures, claimed: staying };
  }

  /** The moment of the next try of a stuck item; Infinity for none. */
  get #nextTryMs(): number {
    return Math.min(...this.#stuck.values().map(({ notBeforeMs }) => notBeforeMs));
  }

  /** Handles a claimed folder by its state. @returns the due move */
  async #settleClaim(itemId: string, nowMs: number): Promise<Move | 'stays' | 'settled'> {
    const claimed = this.#claimed;
    const look = await claimed.look(itemId);
    // The move reports the fault of an unreadable work/, and never overwrites.
    const inWork = await this.#work.look(itemId).catch(() => undefined);
    const recovery = decideRecovery(look.holds, inWork?.holds ?? 'nothing');
    switch (recovery) {
      case 'remove':
        return (await claimed.removeEmpty(itemId)) ? 'settled' : this.#reportEmpty(itemId);
      case 'put back':
        await claimed.returnToInbox(itemId);
        return 'settled';
      case 'bring in':
      case 'drop source':
        return await this.#planMove(itemId, recovery, look, nowMs);
      case 'leave': {
        const why = `${claimed.folderOf(itemId)} holds several files: move them back into the inbox by hand`;
        return this.#noteStuck(itemId, itemId, why);
      }
      // The file has left this folder.
      case 'look again':
      case 'hand out':
      case 'nothing':
        return 'settled';
    }
  }

  async #planMove(
    itemId: string,
    how: Move['how'],
    { contents }: FolderLook,
    nowMs: number,
  ): Promise<Move | 'stays'> {
    const [claimed, work] = [this.#claimed, this.#work];
    const stuck = this.#stuck.get(itemId);
    // The marker of a claim found earlier is gone; one that stands there now belongs to another file.
    if (stuck === undefined && contents !== undefined) await claimed.removeMarkerOf(contents);
    // The memory of this process takes precedence over the folders: the copy may have left work/ already.
    if (work.copied.has(itemId)) return { itemId, how: 'drop source' };
    if (work.hasEnded(itemId)) {
      const why = `${claimed.folderOf(itemId)} was copied, and its copy has ended: remove it`;
      return this.#noteStuck(itemId, itemId, why);
    }
    return (stuck?.notBeforeMs ?? nowMs) <= nowMs ? { itemId, how } : 'stays';
  }

  #reportEmpty(itemId: string): 'stays' {
    const folder = this.#claimed.folderOf(itemId);
    const why = `${folder} holds no payout file: remove it once nothing keeps what is in it open`;
    if (!this.#reportedEmpty.has(itemId)) this.#context.log('warn', 'left in the inbox', { itemId, why });
    this.#reportedEmpty.add(itemId);
    return 'stays';
  }

  /**
   * Finds unknown items in work/, and forgets stuck items that are gone.
   * @param claimed items that come the other way
   */
  async #findUnknown(claimed: ReadonlySet<string>): Promise<void> {
    for (const itemId of await this.#work.listUnknown(claimed)) {
      try {
        this.#addReady(await this.#work.takeUp(itemId));
      } catch (error) {
        this.#noteFailure(itemId, itemId, error);
      }
    }
    for (const itemId of this.#stuck.keys())
      if (!(await this.#isThere(itemId, true))) this.#stuck.delete(itemId);
  }

  /** @param unreadable the answer for an unreadable folder */
  async #isThere(itemId: string, unreadable: boolean): Promise<boolean> {
    const places = [this.#claimed.folderOf(itemId), this.#work.folderOf(itemId)];
    const looks = places.map((path) => lookAt(path).then(Boolean, () => unreadable));
    return (await Promise.all(looks)).includes(true);
  }

  #addReady(items: readonly WorkItem[]): void {
    for (const item of items) this.#stuck.delete(item.itemId);
    this.#ready = [...this.#ready, ...items].toSorted((one, other) => (one.itemId < other.itemId ? -1 : 1));
  }

  /** Claims finished files, some at a time, and brings them in. @returns the failures */
  async #claim(max: number): Promise<unknown[]> {
    const inbox = this.#inbox;
    const failures: unknown[] = [];
    let hasClaimed = false;
    for (let left = max; left > 0;) {
      if (inbox.finishedCount > 0) await inbox.bind();
      const moves: Move[] = [];
      while (moves.length < Math.min(left, movesAtOnce)) {
        const claim = await inbox.claimNext();
        if (claim === undefined) break;
        moves.push({ ...claim, how: 'bring in' });
      }
      if (moves.length === 0) break;
      failures.push(...(await this.#move(moves)));
      hasClaimed = true;
      // On a faulty disk the other files are safer in the inbox; a file without room does not block others.
      if (failures.some((error) => !(error instanceof NoRoomError))) break;
      left -= moves.length;
    }
    if (hasClaimed) await this.#syncInbox();
    return failures;
  }

  /** Moves files, some at a time. @returns the failures */
  async #move(moves: readonly Move[]): Promise<unknown[]> {
    const failures = await pLimit(movesAtOnce).map(moves, (move) =>
      this.#moveOne(move).catch((error: unknown) => this.#takeFailure(move, error)),
    );
    return failures.filter((failure) => failure !== undefined);
  }

  async #moveOne(move: Move): Promise<void> {
    const work = this.#work;
    const folder = this.#claimed.folderOf(move.itemId);
    const item = move.how === 'bring in' ? await work.bringIn(folder, move) : await work.dropSource(folder);
    this.#stuck.delete(move.itemId);
    if (item !== undefined) this.#addReady([item]);
  }

  /**
   * Handles a failed move.
   * @returns the failure of work/ or of this file; undefined for one of the inbox, or one that is settled
   */
  async #takeFailure({ itemId }: Move, error: unknown): Promise<unknown> {
    const inbox = this.#inbox;
    if (error instanceof LateWritingError && error.item !== undefined) this.#addReady([error.item]);
    if (error instanceof UnreadableSourceError || error instanceof LateWritingError) {
      try {
        for (const name of await this.#claimed.returnToInbox(itemId)) inbox.noteStuck(name, error);
        this.#stuck.delete(itemId);
        return undefined;
      } catch (second) {
        return this.#noteFailure(itemId, await this.#nameOf(itemId), second);
      }
    }
    if (await this.#isThere(itemId, false))
      return this.#noteFailure(itemId, await this.#nameOf(itemId), error);
    inbox.noteGone(error);
    return undefined;
  }

  /** The name of the file in a claimed folder; the folder's own name where it is unreadable. */
  async #nameOf(itemId: string): Promise<string> {
    const look = await this.#claimed.look(itemId).catch(() => undefined);
    return look?.contents?.fileName ?? itemId;
  }

  #noteFailure(itemId: string, fileName: string, error: unknown): unknown {
    const folder = this.#claimed.folderOf(itemId);
    const why = error instanceof NoRoomError ? error.message : failWith('move', folder, error).message;
    this.#noteStuck(itemId, fileName, why);
    return error;
  }

  /** Logs each reason once; the pause before the next try grows. */
  #noteStuck(itemId: string, fileName: string, why: string): 'stays' {
    const { elapsedMs, watch, log } = this.#context;
    const before = this.#stuck.get(itemId);
    if (before?.why !== why)
      log('warn', 'a claimed file is stuck, and tried again', { file: fileName, itemId, why });
    const tries = before?.failures ?? 0;
    const baseMs = Math.min(pauseFirstMs, watch.rescanMs);
    const pauseMs = computeBackoffMs({ baseMs, maxMs: pauseMaxMs }, tries);
    this.#stuck.set(itemId, { fileName, why, failures: tries + 1, notBeforeMs: elapsedMs() + pauseMs });
    return 'stays';
  }

  async #syncInbox(): Promise<void> {
    await this.#claimed.sync().catch((error: unknown) => this.#inbox.noteGone(error));
  }

  // ---------------------------------------------------------------- waiting

  /** Opens the drop folder: binds the inbox and watches it. */
  static async open(context: FoldersContext, journalId: string, owner?: InboxOwner): Promise<DropFolder> {
    const folder = new DropFolder(context, journalId, owner);
    const error = await folder.#inbox.bind();
    if (error instanceof InboxRefusedError && !(error instanceof InboxOfAnotherError)) throw error;
    await folder.#follow();
    return folder;
  }

  /** Watches the bound inbox, when it is another one than before, or after an error. */
  async #follow(): Promise<void> {
    const { folders, elapsedMs, watch, log } = this.#context;
    const { count } = this.#binding;
    const isThere = this.#inbox.view.state.kind === 'there';
    const isStale =
      this.#watched !== count ||
      (this.#watcher?.isBroken === true && elapsedMs() - this.#watcherOpenedMs >= watch.rescanMs);
    if (isThere && !isStale) return;
    await this.#watcher?.[Symbol.asyncDispose]();
    this.#watcher = undefined;
    this.#watched = isThere ? count : 0;
    if (!isThere) return;
    // Every file in it may be new.
    this.#settleAtMs = -Infinity;
    this.#watcherOpenedMs = elapsedMs();
    // One look at the folder every pollMs costs less than a look at each of its files.
    if (watch.polling) return;
    const inbox = await realpath(folders.inbox).catch(() => folders.inbox);
    this.#watcher = new InboxWatcher(inbox, () => this.#noteNews(), log);
  }

  #noteNews(): void {
    // Debounces file events.
    if (!this.#hasNews) this.#news.notify();
    this.#hasNews = true;
  }

  /** Resolves after an event in the inbox, when a file may have become finished, or at the next rescan. */
  async waitForNews(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const waitMs = this.#computeWaitMs();
      if (waitMs <= 0) break;
      await waitForAny(this.#context.clock, Math.max(1, Math.ceil(waitMs)), this.#news.next, stop);
    }
    this.#hasNews = false;
    this.#notifiedAtMs = this.#context.elapsedMs();
  }

  #computeWaitMs(): number {
    const { elapsedMs, rules, watch } = this.#context;
    const nowMs = elapsedMs();
    const gapMs = Math.max(rules.stillMs / lookGapShare, this.#lookTookMs * lookShare);
    const freeMs = Math.max(this.#lookedAtMs, this.#notifiedAtMs) + gapMs - nowMs;
    const { polling, pollMs, rescanMs: everyMs } = watch;
    const rescanMs = this.#notifiedAtMs + (polling ? Math.min(pollMs, everyMs) : everyMs) - nowMs;
    // Notifies once: a caller without room needs no repetition.
    const times = [this.#inbox.nextLookAtMs ?? 0, this.#nextTryMs];
    const nextAtMs = Math.min(...times.filter((atMs) => atMs > this.#notifiedAtMs));
    const newsMs = this.#hasNews ? 0 : nextAtMs - nowMs;
    return Math.min(rescanMs, Math.max(freeMs, newsMs));
  }

  // ---------------------------------------------------------------- ending

  /** True while the file has the size and times of its claim, so that nothing writes to it any more. */
  isUntouched(item: WorkItem): Promise<boolean> {
    return this.#work.isUntouched(item);
  }

  /**
   * Moves the file to its end, with its sidecar, never over another file; harmless when repeated after a crash.
   * @returns the absolute path of the end
   */
  end(item: WorkItem, end: FileEnd): Promise<string> {
    return this.#work.end(item, end);
  }

  /** The absolute path at which a file ends that is rejected now. */
  findRejectedPath(item: WorkItem): Promise<string> {
    return findRejectedPath(this.#context, item);
  }

  /**
   * Finds a file that has left work/; undefined where it is missing.
   * @throws Error where a folder that may hold it is away
   */
  findEnded(inode: string, fileName: string): Promise<string | undefined> {
    return findEnded(this.#context, inode, fileName);
  }

  // ---------------------------------------------------------------- originals of files that others may still change

  /** The absolute path of an item's original; undefined for an item that is no copy. */
  findOriginal(itemId: string): Promise<string | undefined> {
    return this.#originals.find(itemId);
  }

  /** Items with kept originals, except those in work/. */
  async listOriginals(): Promise<readonly string[]> {
    const itemIds = await this.#originals.list();
    const looks = await Promise.all(itemIds.map((itemId) => lookAt(this.#work.folderOf(itemId))));
    return itemIds.filter((_itemId, place) => looks[place] === undefined);
  }

  removeOriginal(itemId: string): Promise<void> {
    return this.#originals.remove(itemId);
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
 * Opens the folders, and makes missing ones (for their owner only). An unusable inbox is not an error: see `view`.
 * @throws OutputFileError when another folder cannot be made
 * @throws InboxRefusedError when another journal works this inbox
 */
export async function openIntake(options: IntakeOptions): Promise<Intake> {
  const { folders, watch, disk = realDisk, elapsedMs = () => performance.now(), journalId } = options;
  const context: FoldersContext = {
    ...options,
    folders: {
      inbox: resolve(folders.inbox),
      work: resolve(folders.work),
      archive: resolve(folders.archive),
      rejected: resolve(folders.rejected),
    },
    disk,
    rules: {
      stillMs: watch.stillMs,
      isMarkerExpected: watch.marker === 'done',
      isSidecarExpected: options.isSidecarExpected,
      sidecarWaitMs: options.sidecarWaitMs ?? sidecarWaitMsDefault,
    },
    elapsedMs,
  };
  const { inbox, work, archive, rejected } = context.folders;
  for (const folder of [work, archive, rejected]) await makeFolder(folder);
  // A share that is away may come back: its inbox is looked for, not made.
  const isAway = await mayBeAway(work, inbox).catch(() => true);
  if (!isAway) await makeFolder(inbox).catch(() => undefined);
  return DropFolder.open(context, journalId, options.owner);
}
