/** The drop folder: which of its files are finished, and news of it. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import pLimit from 'p-limit';
import type { Log } from '../../core/ports.ts';
import { joinName, lookAt, printFile } from '../../platform/disk.ts';
import { errorCode, failWith } from '../../platform/durable-file.ts';
import {
  classifyName,
  decideTaking,
  isIgnoredName,
  noteSighting,
  orderFinished,
} from '../rules/drop-folder.ts';
import type { InboxState, InboxView, Sighting, Taking } from '../rules/drop-folder.ts';
import { type InboxBinding, InboxOfAnotherError, InboxRefusedError } from './binding.ts';
import type { Claim, Claimable, ClaimedFolder } from './claim.ts';
import type { FoldersContext } from './context.ts';

/** A name in the inbox. */
interface Entry {
  readonly bytes: Buffer;
  sighting?: Sighting;
  droppedAtNs?: bigint;
  /** Of a marker or sidecar: since when its file has not been there. */
  aloneSinceMs?: number | undefined;
  /** Of a file that could not be claimed: not tried again before. */
  stuck?: { readonly why: string; readonly notBeforeMs: number };
}

/** A file and what comes with it. Kept by its name's bytes as a text of single bytes: it tells every two apart. */
interface Drop {
  file?: Entry;
  marker?: Entry;
  sidecar?: Entry;
}

/** Files that are looked at at once. */
const looksAtOnce = 32;
/** How soon an inbox is looked at again that another process works, which may end at any moment. */
const otherPollMs = 2_000;

export class Inbox {
  readonly #context: FoldersContext;
  readonly #claimed: ClaimedFolder;
  readonly #binding: InboxBinding;
  #state: InboxState = { kind: 'gone', why: 'the inbox has not been looked at yet' };
  #drops = new Map<string, Drop>();
  /** Names of what stays: said once while it is there. */
  #left: ReadonlySet<string> = new Set();
  #finished: Claimable[] = [];
  /** When an unfinished file may be finished, of the clock of stillness. */
  nextLookAtMs: number | undefined;

  constructor(context: FoldersContext, claimed: ClaimedFolder, binding: InboxBinding) {
    this.#context = context;
    this.#claimed = claimed;
    this.#binding = binding;
  }

  /** All but what has been claimed already. */
  get view(): Omit<InboxView, 'stuck'> {
    const waiting = [...this.#drops.values()].filter(({ file }) => file !== undefined).length;
    return { state: this.#state, waiting, left: [...this.#left].toSorted() };
  }

  /** Files that were finished at the last look and are not claimed. */
  get finishedCount(): number {
    return this.#finished.length;
  }

  /**
   * Binds the folder, anew if it is not the one that was bound, and sees that nobody else works it.
   * @returns what keeps it from being used; `view` says so, too
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

  /** The inbox cannot be used; it is looked for again later. */
  noteGone(error: unknown): undefined {
    const { folders, log } = this.#context;
    const { inbox } = folders;
    const why = error instanceof InboxRefusedError ? error.message : failWith('use', inbox, error).message;
    const isOfAnother = error instanceof InboxOfAnotherError;
    if (isOfAnother) this.#noteOther(why);
    else if (this.#state.kind === 'there' || this.#state.why !== why)
      log('warn', 'the inbox is gone', { inbox, why });
    this.#binding.release();
    this.#forget();
    if (isOfAnother) this.#lookAgainAt(this.#context.elapsedMs() + otherPollMs);
    this.#state = { kind: 'gone', why };
  }

  /** Nothing is wrong with it: its files are taken. */
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

  /** Reads the folder, and decides which files are finished. An inbox that is gone is looked for. */
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

  /** Tells files, markers, sidecars and the rest apart; keeps what is known of those that were there before. */
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

  /** A file that could not be claimed; a marker and a sidecar whose file has not come for long. */
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

  /** Says once that something stays where it is. */
  #leave(bytes: Buffer, why: string): string {
    const name = bytes.toString('utf8');
    if (!this.#left.has(name)) this.#context.log('warn', 'left in the inbox', { file: name, why });
    return name;
  }

  /** Looks at every file that may still change, and at the sidecars of those. */
  async #sight(): Promise<void> {
    const { rules } = this.#context;
    const finished = new Set(this.#finished.map(({ name }) => name.toString('latin1')));
    const unsettled = [...this.#drops].filter(
      ([key, { file, marker }]) =>
        file !== undefined && !finished.has(key) && (!rules.isMarkerExpected || marker !== undefined),
    );
    const all = unsettled.flatMap(([, { file, sidecar }]) => [file ?? [], sidecar ?? []].flat());
    const prints = await pLimit(looksAtOnce).map(all, (entry) => this.#print(entry));
    // One moment for all that one look saw: those that fell still together finish together, and so in their order.
    const nowMs = this.#context.elapsedMs();
    for (const [place, entry] of all.entries()) {
      entry.sighting = noteSighting(entry.sighting, prints[place] ?? '', nowMs);
    }
  }

  /** How a file looks now, and notes when it was dropped; '' when nothing is there that could be taken. */
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

  /** Claims the next finished file; undefined when there is none (left). */
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
      // Gone, replaced or changed since: whatever stands there now is looked at from the start.
      delete drop?.file?.sighting;
      this.#lookAgainAt(this.#context.elapsedMs() + 1);
    } catch (error) {
      if (oneFileCodes.has(errorCode(error))) this.noteStuck(finished.name, error);
      else this.noteGone(error);
    }
    return undefined;
  }

  /** A file cannot be taken: it is left, and tried again later. */
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

/** What concerns one file and not the inbox. */
const oneFileCodes = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'ETXTBSY', 'EINVAL', 'ENAMETOOLONG']);

// ---------------------------------------------------------------- news

const cures: Readonly<Record<string, string>> = {
  ENOSPC: 'the system watches as many files as it may: raise fs.inotify.max_user_watches',
  EMFILE: 'too many files are open: raise ulimit -n and fs.inotify.max_user_instances',
};

/** Watches the names in the inbox itself, and nothing below it. Errors are logged: the rescan goes on without it. */
export class InboxWatcher implements AsyncDisposable {
  /** It has met an error: events may be missing. */
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
      // What leaves the inbox is mostly what has just been claimed.
      if (event !== 'unlink') onNews();
    });
    // What has come before it was watching was told of by nobody.
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
