/** The drop folder: which of its files are finished, and how they are claimed. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { joinName, lookAt, printFile } from '../../platform/disk.ts';
import { errorCode, failWith } from '../../platform/durable-file.ts';
import type { InboxState, InboxView } from '../ports.ts';
import { classifyName, decideTaking, noteSighting } from '../rules/drop-folder.ts';
import type { FileFacts, IntakeRules, Sighting, Taking } from '../rules/drop-folder.ts';
import { type Binder, bindInbox, identifyFolder, InboxRefusedError, isStillOurs } from './binding.ts';
import { type Claim, type Claimable, claimFile, type ClaimSetup } from './claim.ts';

/** Something to be logged; `facts` are free of secrets and of full numbers. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, facts: object) => void;

export interface InboxOptions extends ClaimSetup {
  readonly binder: Binder;
  readonly rules: IntakeRules;
  /** How soon a file that could not be claimed is tried again. */
  readonly retryMs: number;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsedMs: () => number;
  readonly log: Log;
}

/** A name in the inbox. The key is its bytes as a text of single bytes: it tells every two names apart. */
interface Entry {
  readonly key: string;
  readonly bytes: Buffer;
  sighting?: Sighting;
  droppedAtNs?: bigint;
  /** Where it could not be claimed: not tried again before. */
  stuck?: { readonly why: string; readonly notBeforeMs: number };
}

/** An entry that is finished, with its sidecar. */
interface Finished {
  readonly entry: Entry;
  readonly sidecar: Entry | undefined;
}

/** Files that are looked at at once. */
const looksAtOnce = 32;

export class Inbox {
  readonly #options: InboxOptions;
  #state: InboxState = { kind: 'gone', why: 'the inbox has not been looked at yet' };
  /** Of the folder that is bound; undefined while it is gone. */
  #identity: string | undefined;
  #entries = new Map<string, Entry>();
  #markers = new Map<string, Entry>();
  #sidecars = new Map<string, Entry>();
  /** Markers and sidecars without their file, and since when. */
  #orphans = new Map<string, number>();
  #left: readonly string[] = [];
  /** What has been said of a name, and is not said again while it is there. */
  #told = new Set<string>();
  #finished: Finished[] = [];
  #binder: Binder;
  /** How often the folder was bound: another number means another folder, or the same come back. */
  bindings = 0;
  /** When an unfinished file may be finished, of the clock of stillness. */
  nextLookAtMs: number | undefined;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#binder = options.binder;
  }

  /** All but what has been claimed already. */
  get view(): Omit<InboxView, 'stuck'> {
    return { state: this.#state, waiting: this.#entries.size, left: this.#left };
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
    const { inbox, log } = this.#options;
    try {
      if (await this.#isBound()) return;
      this.#forget();
      const { identity, holder } = await bindInbox(this.#binder, this.bindings === 0);
      this.#identity = identity;
      this.#binder = { ...this.#binder, holder };
    } catch (error) {
      this.noteGone(error);
      if (error instanceof InboxRefusedError) throw error;
      return;
    }
    if (this.bindings > 0) log('info', 'the inbox is back', { inbox });
    this.bindings += 1;
    this.#state = { kind: 'there' };
  }

  async #isBound(): Promise<boolean> {
    const { inbox } = this.#options;
    if (this.#identity === undefined) return false;
    const identity = await identifyFolder(inbox).catch(() => undefined);
    return identity === this.#identity && (await isStillOurs(this.#binder));
  }

  /** Sees before a claim that nobody else works the inbox; see `view` for what came of it. */
  async confirm(): Promise<void> {
    await this.bind().catch((error: unknown) => this.noteGone(error));
  }

  /** The inbox cannot be used; it is looked for again later. */
  noteGone(error: unknown): void {
    const { inbox, log } = this.#options;
    const why = error instanceof InboxRefusedError ? error.message : failWith('use', inbox, error).message;
    if (this.#state.kind === 'there' || this.#state.why !== why)
      log('warn', 'the inbox is gone', { inbox, why });
    this.#forget();
    this.#state = { kind: 'gone', why };
  }

  #forget(): void {
    this.#identity = undefined;
    this.#entries.clear();
    this.#orphans.clear();
    this.#finished = [];
    this.#left = [];
    this.nextLookAtMs = undefined;
  }

  /** Reads the folder, and decides which files are finished. An inbox that is gone is looked for. */
  async look(): Promise<void> {
    const { inbox } = this.#options;
    try {
      await this.bind();
      if (this.#identity === undefined) return;
      this.#sort(await readdir(inbox, { withFileTypes: true, encoding: 'buffer' }));
      await this.#sight();
    } catch (error) {
      this.noteGone(error);
      return;
    }
    this.#decide();
  }

  /** Tells files, markers, sidecars and the rest apart; keeps what is known of those that were there before. */
  #sort(names: readonly Dirent<Buffer>[]): void {
    const [files, markers, sidecars] = [
      new Map<string, Entry>(),
      new Map<string, Entry>(),
      new Map<string, Entry>(),
    ];
    const left: string[] = [];
    for (const name of names) {
      const key = name.name.toString('latin1');
      const kind = classifyName(key, this.#options.rules);
      if (kind.kind === 'ignored') continue;
      const entry = { key, bytes: name.name };
      if (!name.isFile()) left.push(this.#leave(entry, 'it is no ordinary file'));
      else if (kind.kind === 'file') files.set(key, this.#entries.get(key) ?? entry);
      else if (kind.kind === 'marker') markers.set(kind.of, this.#markers.get(kind.of) ?? entry);
      else sidecars.set(kind.of, this.#sidecars.get(kind.of) ?? entry);
    }
    this.#entries = files;
    this.#markers = markers;
    this.#sidecars = sidecars;
    left.push(...this.#findOrphans(), ...this.#findStuck());
    this.#left = left.toSorted();
    this.#told = new Set(left);
  }

  /** Markers and sidecars whose file has not come for long. */
  #findOrphans(): string[] {
    const { elapsedMs, rules } = this.#options;
    const nowMs = elapsedMs();
    const orphans = new Map<string, number>();
    const left: string[] = [];
    for (const companions of [this.#markers, this.#sidecars]) {
      for (const [of, entry] of companions) {
        if (this.#entries.has(of)) continue;
        const sinceMs = this.#orphans.get(entry.key) ?? nowMs;
        orphans.set(entry.key, sinceMs);
        if (nowMs - sinceMs >= rules.sidecarWaitMs) left.push(this.#leave(entry, 'its file is not there'));
      }
    }
    this.#orphans = orphans;
    return left;
  }

  /** Files that could not be claimed. */
  #findStuck(): string[] {
    return [...this.#entries.values()]
      .filter(({ stuck }) => stuck !== undefined)
      .map((entry) => this.#leave(entry, entry.stuck?.why ?? ''));
  }

  /** Says once that something stays where it is. */
  #leave({ bytes }: Entry, why: string): string {
    const name = bytes.toString('utf8');
    if (!this.#told.has(name)) {
      this.#told.add(name);
      this.#options.log('warn', 'left in the inbox', { file: name, why });
    }
    return name;
  }

  /** Looks at every file that may still change, and at the sidecars of those. */
  async #sight(): Promise<void> {
    const { rules } = this.#options;
    const finished = new Set(this.#finished.map(({ entry }) => entry.key));
    const unsettled = [...this.#entries.values()].filter(
      ({ key }) => !finished.has(key) && (!rules.isMarkerExpected || this.#markers.has(key)),
    );
    const sidecars = unsettled.flatMap(({ key }) => this.#sidecars.get(key) ?? []);
    const all = [...unsettled, ...sidecars];
    const prints: string[] = [];
    for (let from = 0; from < all.length; from += looksAtOnce) {
      const some = all.slice(from, from + looksAtOnce);
      prints.push(...(await Promise.all(some.map((entry) => this.#print(entry)))));
    }
    // One moment for all that one look saw: those that fell still together finish together, and so in their order.
    const nowMs = this.#options.elapsedMs();
    for (const [place, entry] of all.entries()) {
      entry.sighting = noteSighting(entry.sighting, prints[place] ?? '', nowMs);
    }
  }

  /** How a file looks now, and notes when it was dropped; '' when nothing is there that could be taken. */
  async #print(entry: Entry): Promise<string> {
    const stats = await lookAt(joinName(this.#options.inbox, entry.bytes));
    entry.droppedAtNs = stats?.ctimeNs ?? 0n;
    return stats?.isFile() === true ? printFile(stats) : '';
  }

  #decide(): void {
    const nowMs = this.#options.elapsedMs();
    const finished: Finished[] = [];
    let waitMs = Infinity;
    for (const entry of this.#entries.values()) {
      const taking = this.#decideOne(entry, nowMs);
      if (taking.kind === 'take') {
        finished.push({ entry, sidecar: taking.withSidecar ? this.#sidecars.get(entry.key) : undefined });
      } else waitMs = Math.min(waitMs, taking.forMs ?? Infinity);
    }
    this.#finished = finished.toSorted(compareDrops);
    this.nextLookAtMs = waitMs === Infinity ? undefined : nowMs + waitMs;
  }

  #decideOne({ key, sighting, stuck }: Entry, nowMs: number): Taking {
    if (sighting === undefined || sighting.print === '') return { kind: 'wait', forMs: undefined };
    const pauseMs = (stuck?.notBeforeMs ?? nowMs) - nowMs;
    if (pauseMs > 0) return { kind: 'wait', forMs: pauseMs };
    const facts: FileFacts = {
      file: sighting,
      hasMarker: this.#markers.has(key),
      sidecar: this.#sidecars.get(key)?.sighting ?? 'missing',
    };
    return decideTaking(facts, this.#options.rules, nowMs);
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

  async #claim({ entry, sidecar }: Finished): Promise<Claim | undefined> {
    try {
      const outcome = await claimFile(this.#options, this.#claimable(entry, sidecar));
      if (outcome.kind === 'claimed') {
        this.#entries.delete(entry.key);
        return outcome;
      }
      // Gone, replaced or changed since: whatever stands there now is looked at from the start.
      delete entry.sighting;
      this.#lookAgainAt(this.#options.elapsedMs() + 1);
    } catch (error) {
      if (isOfOneFile(error)) this.noteStuck(entry.bytes, error);
      else this.noteGone(error);
    }
    return undefined;
  }

  /** A file cannot be taken: it is left, and tried again later. */
  noteStuck(name: Buffer, error: unknown): void {
    const key = name.toString('latin1');
    const { elapsedMs, retryMs } = this.#options;
    const stuck = {
      why: `it cannot be claimed: ${(error as Error).message}`,
      notBeforeMs: elapsedMs() + retryMs,
    };
    const entry = this.#entries.get(key) ?? { key, bytes: name };
    this.#entries.set(key, { ...entry, stuck });
    this.#left = [...new Set([...this.#left, this.#leave(entry, stuck.why)])].toSorted();
    this.#lookAgainAt(stuck.notBeforeMs);
  }

  #lookAgainAt(atMs: number): void {
    this.nextLookAtMs = Math.min(this.nextLookAtMs ?? Infinity, atMs);
  }

  #claimable(entry: Entry, sidecar: Entry | undefined): Claimable {
    const marker = this.#options.rules.isMarkerExpected ? this.#markers.get(entry.key) : undefined;
    return {
      name: entry.bytes,
      print: entry.sighting?.print ?? '',
      sidecar: sidecar?.bytes,
      marker: marker?.bytes,
    };
  }
}

/** The oldest first; the same moment by name. */
function compareDrops({ entry: one }: Finished, { entry: other }: Finished): number {
  const [first, second] = [one.droppedAtNs ?? 0n, other.droppedAtNs ?? 0n];
  if (first !== second) return first < second ? -1 : 1;
  return one.key < other.key ? -1 : 1;
}

const oneFileCodes = new Set(['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'ETXTBSY', 'EINVAL', 'ENAMETOOLONG']);

/** True for what concerns one file and not the inbox. */
const isOfOneFile = (error: unknown): boolean => oneFileCodes.has(errorCode(error));
