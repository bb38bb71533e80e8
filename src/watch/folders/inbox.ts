/** The drop folder: which of its files are finished, and news of it. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { watch } from 'chokidar';
import type { Log } from '../../core/ports.ts';
import { joinName, lookAt, printFile } from '../../platform/disk.ts';
import { errorCode, failWith } from '../../platform/durable-file.ts';
import type { InboxView } from '../ports.ts';
import { classifyName, decideTaking, isIgnoredName, noteSighting } from '../rules/drop-folder.ts';
import type { FileFacts, InboxState, Sighting, Taking } from '../rules/drop-folder.ts';
import { type InboxBinding, InboxRefusedError } from './binding.ts';
import type { Claim, ClaimedFolder } from './claim.ts';
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

/** A file and what comes with it. The key is its name's bytes as a text of single bytes: it tells every two apart. */
interface Drop {
  readonly key: string;
  file?: Entry;
  marker?: Entry;
  sidecar?: Entry;
}

/** A drop whose file is finished, to be claimed with these companions. */
interface Finished {
  readonly key: string;
  readonly file: Entry;
  readonly sidecar: Entry | undefined;
  readonly marker: Entry | undefined;
}

/** Files that are looked at at once. */
const looksAtOnce = 32;

export class Inbox {
  readonly #context: FoldersContext;
  readonly #claimed: ClaimedFolder;
  readonly #binding: InboxBinding;
  #state: InboxState = { kind: 'gone', why: 'the inbox has not been looked at yet' };
  #drops = new Map<string, Drop>();
  /** Names of what stays: said once while it is there. */
  #left: ReadonlySet<string> = new Set();
  #finished: Finished[] = [];
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
   * Binds the folder, anew if it is not the one that was bound.
   * @throws InboxRefusedError when another journal, or another process since, works it
   */
  async bind(): Promise<void> {
    const { folders, log } = this.#context;
    try {
      if (!(await this.#binding.bind())) return;
    } catch (error) {
      this.noteGone(error);
      if (error instanceof InboxRefusedError) throw error;
      return;
    }
    this.#forget();
    if (this.#binding.count > 1) log('info', 'the inbox is back', { inbox: folders.inbox });
    this.#state = { kind: 'there' };
  }

  /** Sees before a claim that nobody else works the inbox; see `view` for what came of it. */
  async confirm(): Promise<void> {
    await this.bind().catch((error: unknown) => this.noteGone(error));
  }

  /** The inbox cannot be used; it is looked for again later. */
  noteGone(error: unknown): void {
    const { folders, log } = this.#context;
    const { inbox } = folders;
    const why = error instanceof InboxRefusedError ? error.message : failWith('use', inbox, error).message;
    if (this.#state.kind === 'there' || this.#state.why !== why)
      log('warn', 'the inbox is gone', { inbox, why });
    this.#binding.release();
    this.#forget();
    this.#state = { kind: 'gone', why };
  }

  #forget(): void {
    this.#drops = new Map();
    this.#finished = [];
    this.#left = new Set();
    this.nextLookAtMs = undefined;
  }

  /** Reads the folder, and decides which files are finished. An inbox that is gone is looked for. */
  async look(): Promise<void> {
    try {
      await this.bind();
      if (this.#state.kind === 'gone') return;
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
      if (!name.isFile()) {
        left.push(this.#leave(name.name, 'it is no ordinary file'));
        continue;
      }
      const key = kind.kind === 'file' ? text : kind.of;
      const drop = drops.get(key) ?? { key };
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
    const finished = new Set(this.#finished.map(({ key }) => key));
    const unsettled = [...this.#drops.values()].filter(
      ({ key, file, marker }) =>
        file !== undefined && !finished.has(key) && (!rules.isMarkerExpected || marker !== undefined),
    );
    const all = unsettled.flatMap(({ file, sidecar }) => [file ?? [], sidecar ?? []].flat());
    const prints: string[] = [];
    for (let from = 0; from < all.length; from += looksAtOnce) {
      const some = all.slice(from, from + looksAtOnce);
      prints.push(...(await Promise.all(some.map((entry) => this.#print(entry)))));
    }
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
    const finished: Finished[] = [];
    let waitMs = Infinity;
    for (const { key, file, marker, sidecar } of this.#drops.values()) {
      if (file === undefined) continue;
      const taking = this.#decideOne(file, marker, sidecar, nowMs);
      if (taking.kind === 'wait') waitMs = Math.min(waitMs, taking.forMs ?? Infinity);
      else finished.push({ key, file, marker, sidecar: taking.withSidecar ? sidecar : undefined });
    }
    this.#finished = finished.toSorted(compareDrops);
    this.nextLookAtMs = waitMs === Infinity ? undefined : nowMs + waitMs;
  }

  #decideOne(
    { sighting, stuck }: Entry,
    marker: Entry | undefined,
    sidecar: Entry | undefined,
    nowMs: number,
  ): Taking {
    if (sighting === undefined || sighting.print === '') return { kind: 'wait', forMs: undefined };
    const pauseMs = (stuck?.notBeforeMs ?? nowMs) - nowMs;
    if (pauseMs > 0) return { kind: 'wait', forMs: pauseMs };
    const facts: FileFacts = {
      file: sighting,
      hasMarker: marker !== undefined,
      sidecar: sidecar?.sighting ?? 'missing',
    };
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

  async #claim({ key, file, sidecar, marker }: Finished): Promise<Claim | undefined> {
    try {
      const claim = await this.#claimed.claim({
        name: file.bytes,
        print: file.sighting?.print ?? '',
        sidecar: sidecar?.bytes,
        marker: marker?.bytes,
      });
      if (claim !== undefined) {
        delete this.#drops.get(key)?.file;
        return claim;
      }
      // Gone, replaced or changed since: whatever stands there now is looked at from the start.
      delete file.sighting;
      this.#lookAgainAt(this.#context.elapsedMs() + 1);
    } catch (error) {
      if (isOfOneFile(error)) this.noteStuck(file.bytes, error);
      else this.noteGone(error);
    }
    return undefined;
  }

  /** A file cannot be taken: it is left, and tried again later. */
  noteStuck(bytes: Buffer, error: unknown): void {
    const key = bytes.toString('latin1');
    const { elapsedMs, rescanMs } = this.#context;
    const why = `it cannot be claimed: ${(error as Error).message}`;
    const stuck = { why, notBeforeMs: elapsedMs() + rescanMs };
    const drop = this.#drops.get(key) ?? { key };
    this.#drops.set(key, { ...drop, file: { bytes, ...drop.file, stuck } });
    this.#left = new Set([...this.#left, this.#leave(bytes, why)]);
    this.#lookAgainAt(stuck.notBeforeMs);
  }

  #lookAgainAt(atMs: number): void {
    this.nextLookAtMs = Math.min(this.nextLookAtMs ?? Infinity, atMs);
  }
}

/** The oldest first; the same moment by name. */
function compareDrops(one: Finished, other: Finished): number {
  const [first, second] = [one.file.droppedAtNs ?? 0n, other.file.droppedAtNs ?? 0n];
  if (first !== second) return first < second ? -1 : 1;
  return one.key < other.key ? -1 : 1;
}

const oneFileCodes = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'ETXTBSY', 'EINVAL', 'ENAMETOOLONG']);

/** True for what concerns one file and not the inbox. */
const isOfOneFile = (error: unknown): boolean => oneFileCodes.has(errorCode(error));

// ---------------------------------------------------------------- news

interface InboxWatcherOptions {
  readonly inbox: string;
  readonly onNews: () => void;
  readonly log: Log;
}

export interface InboxWatcher extends AsyncDisposable {
  /** It has met an error: events may be missing. */
  readonly isBroken: boolean;
}

const cures: Readonly<Record<string, string>> = {
  ENOSPC: 'the system watches as many files as it may: raise fs.inotify.max_user_watches',
  EMFILE: 'too many files are open: raise ulimit -n and fs.inotify.max_user_instances',
};

/** Watches the names in the inbox itself, and nothing below it. Errors are logged: the rescan goes on without it. */
export function watchInbox(options: InboxWatcherOptions): InboxWatcher {
  const { inbox, onNews, log } = options;
  let isBroken = false;
  const watcher = watch(inbox, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    backend: 'native',
    ignored: (path) => path !== inbox && isIgnoredName(basename(path)),
  });
  watcher.on('all', (event) => {
    // What leaves the inbox is mostly what has just been claimed.
    if (event !== 'unlink') onNews();
  });
  // What has come before it was watching was told of by nobody.
  watcher.on('ready', onNews);
  watcher.on('error', (error) => {
    const why = cures[errorCode(error)] ?? (error as Error).message;
    if (!isBroken)
      log('warn', 'events of the inbox may be missing; the rescan finds what they miss', { inbox, why });
    isBroken = true;
  });
  return {
    get isBroken() {
      return isBroken;
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}
