/** The drop folder: its finished files, and its events. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import pLimit from 'p-limit';
import type { Log } from '../../core/ports.ts';
import { joinName, lookAt, printFile } from '../../platform/disk.ts';
import { errorCode } from '../../platform/durable-file.ts';
import {
  classifyName,
  decideTaking,
  isIgnoredName,
  noteSighting,
  orderFinished,
} from '../rules/drop-folder.ts';
import type { InboxState, InboxView, Sighting, Taking } from '../rules/drop-folder.ts';
import { describeGone, type InboxBinding, InboxOfAnotherError } from './binding.ts';
import type { Claim, Claimable, ClaimedFolder } from './claim.ts';
import type { FoldersContext } from './context.ts';

/** A name in the inbox. */
interface Entry {
  readonly bytes: Buffer;
  sighting?: Sighting;
  droppedAtNs?: bigint;
  /** The moment since which a marker or sidecar has been without its file. */
  aloneSinceMs?: number | undefined;
  /** The reason why a file could not be claimed, and the moment of the next try. */
  stuck?: { readonly why: string; readonly notBeforeMs: number };
}

/** A file and its companions. The key is the name's bytes as single characters, which tells any two names apart. */
interface Drop {
  file?: Entry;
  marker?: Entry;
  sidecar?: Entry;
}

/** The number of files that are read at once. */
const looksAtOnce = 32;
/** The interval between looks at an inbox that another process works, which may end at any moment. */
const otherPollMs = 2_000;

export class Inbox {
  readonly #context: FoldersContext;
  readonly #claimed: ClaimedFolder;
  readonly #binding: InboxBinding;
  #state: InboxState = { kind: 'gone', why: 'the inbox has not been looked at yet', isMissing: false };
  #drops = new Map<string, Drop>();
  /** Names of files that stay, each logged once while it is there. */
  #left: ReadonlySet<string> = new Set();
  #finished: Claimable[] = [];
  /** The moment at which an unfinished file may be finished, on the clock of stillness. */
  nextLookAtMs: number | undefined;

  constructor(context: FoldersContext, claimed: ClaimedFolder, binding: InboxBinding) {
    this.#context = context;
    this.#claimed = claimed;
    this.#binding = binding;
  }

  /** The view of the inbox, without files that are already claimed. */
  get view(): Omit<InboxView, 'stuck'> {
    const waiting = [...this.#drops.values()].filter(({ file }) => file !== undefined).length;
    return { state: this.#state, waiting, left: [...this.#left].toSorted() };
  }

  /** The number of files that were finished at the last look and are unclaimed. */
  get finishedCount(): number {
    return this.#finished.length;
  }

  /**
   * Binds the folder, again if another folder has taken its place, and makes sure that no other process works it.
   * @returns the obstacle to its use, which `view` shows, too
   */
  async bind(): Promise<unknown> {
    const { folders, log } = this.#context;
    try {
      if (!(await this.#binding.bind())) return undefined;
    } catch (error) {
      this.noteGone(error);
      return error;
    }
    this.#forget();
    if (this.#binding.count > 1) log('info', 'the inbox is back', { inbox: folders.inbox });
    this.#state = { kind: 'there' };
    return undefined;
  }

  /** Notes that the inbox is unusable; a later look tries again. */
  noteGone(error: unknown): undefined {
    const { folders, log } = this.#context;
    const { inbox } = folders;
    const gone = describeGone(inbox, error);
    const { why } = gone;
    const isOfAnother = error instanceof InboxOfAnotherError;
    if (isOfAnother) this.#noteOther(why);
    else if (this.#state.kind === 'there' || this.#state.why !== why)
      log('warn', 'the inbox is gone', { inbox, why });
    this.#binding.release();
    this.#forget();
    if (isOfAnother) this.#lookAgainAt(this.#context.elapsedMs() + otherPollMs);
    this.#state = gone;
  }

  /** Notes that another process takes the files; nothing is wrong with the inbox. */
  #noteOther(why: string): void {
    const isNews = this.#state.kind === 'there' || this.#state.why !== why;
    if (isNews) this.#context.log('info', 'the inbox is left to another process', { why });
  }

  #forget(): void {
    this.#drops = new Map();
    this.#finished = [];
    this.#left = new Set();
    this.nextLookAtMs = undefined;
  }

  /** Reads the folder and decides which files are finished. Looks for an inbox that is gone. */
  async look(): Promise<void> {
    await this.bind();
    if (this.#state.kind === 'gone') return;
    try {
      this.#sort(await readdir(this.#context.folders.inbox, { withFileTypes: true, encoding: 'buffer' }));
      await this.#sight();
    } catch (error) {
      this.noteGone(error);
      return;
    }
    this.#decide();
  }

  /** Sorts names into files, markers, sidecars and others; keeps the facts about names seen before. */
  #sort(names: readonly Dirent<Buffer>[]): void {
    const drops = new Map<string, Drop>();
    const left: string[] = [];
    for (const name of names) {
      const text = name.name.toString('latin1');
      const kind = classifyName(text, this.#context.rules);
      if (kind.kind === 'ignored') continue;
      if (name.isDirectory() && this.#context.inboxesWithin?.includes(text) === true) continue;
      if (!name.isFile()) {
        left.push(this.#leave(name.name, 'it is no ordinary file'));
        continue;
      }
      const key = kind.kind === 'file' ? text : kind.of;
      const drop = drops.get(key) ?? {};
      drop[kind.kind] = this.#drops.get(key)?.[kind.kind] ?? { bytes: name.name };
      drops.set(key, drop);
    }
    this.#drops = drops;
    for (const drop of drops.values()) left.push(...this.#findLeft(drop));
    this.#left = new Set(left);
  }

  /** Finds what stays: a file that could not be claimed, and a marker or sidecar whose file is long overdue. */
  #findLeft({ file, marker, sidecar }: Drop): string[] {
    const { elapsedMs, rules } = this.#context;
    const nowMs = elapsedMs();
    const left: string[] = [];
    if (file?.stuck !== undefined) left.push(this.#leave(file.bytes, file.stuck.why));
    for (const companion of [marker, sidecar]) {
      if (companion === undefined) continue;
      companion.aloneSinceMs = file === undefined ? (companion.aloneSinceMs ?? nowMs) : undefined;
      const { bytes, aloneSinceMs = Infinity } = companion;
      if (nowMs - aloneSinceMs >= rules.sidecarWaitMs) left.push(this.#leave(bytes, 'its file is not there'));
    }
    return left;
  }

  /** Logs once that a file stays where it is. */
  #leave(bytes: Buffer, why: string): string {
    const name = bytes.toString('utf8');
    if (!this.#left.has(name)) this.#context.log('warn', 'left in the inbox', { file: name, why });
    return name;
  }

  /** Looks at every file that may still change, and at its sidecar. */
  async #sight(): Promise<void> {
    const { rules } = this.#context;
    const finished = new Set(this.#finished.map(({ name }) => name.toString('latin1')));
    const unsettled = [...this.#drops].filter(
      ([key, { file, marker }]) =>
        file !== undefined && !finished.has(key) && (!rules.isMarkerExpected || marker !== undefined),
    );
    const all = unsettled.flatMap(([, { file, sidecar }]) => [file ?? [], sidecar ?? []].flat());
    const prints = await pLimit(looksAtOnce).map(all, (entry) => this.#print(entry));
    // All files of one look share a moment, so that files that fell still together finish together, in their order.
    const nowMs = this.#context.elapsedMs();
    for (const [place, entry] of all.entries()) {
      entry.sighting = noteSighting(entry.sighting, prints[place] ?? '', nowMs);
    }
  }

  /** The look of a file, and its drop time; '' when there is nothing to take. */
  async #print(entry: Entry): Promise<string> {
    const stats = await lookAt(joinName(this.#context.folders.inbox, entry.bytes));
    entry.droppedAtNs = stats?.ctimeNs ?? 0n;
    return stats?.isFile() === true ? printFile(stats) : '';
  }

  #decide(): void {
    const nowMs = this.#context.elapsedMs();
    const finished: Claimable[] = [];
    let waitMs = Infinity;
    for (const drop of this.#drops.values()) {
      if (drop.file === undefined) continue;
      const taking = this.#decideOne(drop.file, drop, nowMs);
      if (taking.kind === 'wait') waitMs = Math.min(waitMs, taking.forMs ?? Infinity);
      else finished.push(describeFinished(drop.file, drop, taking.withSidecar));
    }
    this.#finished = [...orderFinished(finished)];
    this.nextLookAtMs = waitMs === Infinity ? undefined : nowMs + waitMs;
  }

  #decideOne({ sighting, stuck }: Entry, { marker, sidecar }: Drop, nowMs: number): Taking {
    if (sighting === undefined || sighting.print === '') return { kind: 'wait', forMs: undefined };
    const pauseMs = (stuck?.notBeforeMs ?? nowMs) - nowMs;
    if (pauseMs > 0) return { kind: 'wait', forMs: pauseMs };
    const facts = {
      file: sighting,
      hasMarker: marker !== undefined,
      sidecar: sidecar?.sighting ?? 'missing',
    } as const;
    return decideTaking(facts, this.#context.rules, nowMs);
  }

  /** Claims the next finished file; undefined when none is left. */
  async claimNext(): Promise<Claim | undefined> {
    for (;;) {
      const next = this.#finished.shift();
      if (next === undefined) return undefined;
      const claim = await this.#claim(next);
      if (claim !== undefined) return claim;
    }
  }

  async #claim(finished: Claimable): Promise<Claim | undefined> {
    const drop = this.#drops.get(finished.name.toString('latin1'));
    try {
      const claim = await this.#claimed.claim(finished);
      if (claim !== undefined) {
        delete drop?.file;
        return claim;
      }
      // The file is gone, replaced or changed; a successor is watched from the start.
      delete drop?.file?.sighting;
      this.#lookAgainAt(this.#context.elapsedMs() + 1);
    } catch (error) {
      if (oneFileCodes.has(errorCode(error))) this.noteStuck(finished.name, error);
      else this.noteGone(error);
    }
    return undefined;
  }

  /** Notes that a file cannot be taken: it stays, and is tried again later. */
  noteStuck(bytes: Buffer, error: unknown): void {
    const key = bytes.toString('latin1');
    const { elapsedMs, watch: settings } = this.#context;
    const why = `it cannot be claimed: ${(error as Error).message}`;
    const stuck = { why, notBeforeMs: elapsedMs() + settings.rescanMs };
    const drop = this.#drops.get(key);
    this.#drops.set(key, { ...drop, file: { bytes, ...drop?.file, stuck } });
    this.#left = new Set([...this.#left, this.#leave(bytes, why)]);
    this.#lookAgainAt(stuck.notBeforeMs);
  }

  #lookAgainAt(atMs: number): void {
    this.nextLookAtMs = Math.min(this.nextLookAtMs ?? Infinity, atMs);
  }
}

const describeFinished = (
  { bytes, sighting, droppedAtNs }: Entry,
  { marker, sidecar }: Drop,
  withSidecar: boolean,
): Claimable => ({
  name: bytes,
  print: sighting?.print ?? '',
  droppedAtNs: droppedAtNs ?? 0n,
  sidecar: withSidecar ? sidecar?.bytes : undefined,
  marker: marker?.bytes,
});

/** Error codes that concern one file and not the inbox. */
const oneFileCodes = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'ETXTBSY', 'EINVAL', 'ENAMETOOLONG']);

// ---------------------------------------------------------------- events

const cures: Readonly<Record<string, string>> = {
  ENOSPC: 'the system watches as many files as it may: raise fs.inotify.max_user_watches',
  EMFILE: 'too many files are open: raise ulimit -n and fs.inotify.max_user_instances',
};

/** Watches the names in the inbox itself, and nothing below it. Errors are logged: the rescan continues without it. */
export class InboxWatcher implements AsyncDisposable {
  /** True after an error: events may be missing. */
  isBroken = false;
  readonly #watcher: FSWatcher;

  constructor(inbox: string, onNews: () => void, log: Log) {
    this.#watcher = watch(inbox, {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      atomic: false,
      backend: 'native',
      ignored: (path) => path !== inbox && isIgnoredName(basename(path)),
    });
    this.#watcher.on('all', (event) => {
      // Files that leave the inbox were mostly just claimed.
      if (event !== 'unlink') onNews();
    });
    // Files that came before the watching began have caused no event.
    this.#watcher.on('ready', onNews);
    this.#watcher.on('error', (error) => {
      const why = cures[errorCode(error)] ?? (error as Error).message;
      if (!this.isBroken)
        log('warn', 'events of the inbox may be missing; the rescan finds what they miss', { inbox, why });
      this.isBroken = true;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#watcher.close();
  }
}
