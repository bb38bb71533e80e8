/** The way from the inbox to work/: what was claimed is brought in; what cannot be is tried again, each by itself. */
import { basename, join } from 'node:path';
import { type Disk, lookAt, UnreadableSourceError } from '../../platform/disk.ts';
import { failWith } from '../../platform/durable-file.ts';
import type { StuckFile, WorkItem } from '../ports.ts';
import type { IntakeRules } from '../rules/drop-folder.ts';
import { claimedFolderOf } from './binding.ts';
import { type ClaimSetup, findClaims, type FoundClaims, type OddClaim, putBack } from './claim.ts';
import type { Inbox } from './inbox.ts';
import { NoRoomError, readContents } from './work-contents.ts';
import { LateWritingError, type WorkFolder } from './work.ts';

export interface PassageOptions {
  readonly claims: ClaimSetup;
  readonly rules: IntakeRules;
  readonly inbox: Inbox;
  readonly work: WorkFolder;
  readonly disk: Disk;
  /** How often it is looked for claimed files, and for items in work/, that nobody knows. */
  readonly rescanMs: number;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsedMs: () => number;
  /** True for an item whose end this process has seen. */
  readonly hasEnded: (itemId: string) => boolean;
}

interface Stuck extends StuckFile {
  readonly failures: number;
  readonly notBeforeMs: number;
}

interface Settled {
  /** What could not be brought in now. */
  readonly failures: readonly unknown[];
  /** Items that have claimed folders, or had when it began. */
  readonly claimed: ReadonlySet<string>;
}

/** Files that are moved to work/ at once: they mostly wait for the disk. */
const movesAtOnce = 8;
const pauseFirstMs = 1_000;
const pauseMaxMs = 60_000;

export class Passage {
  readonly #options: PassageOptions;
  /** In work/, not handed out yet. */
  #ready: WorkItem[] = [];
  /** What stands in claimed/ or in work/ and could not be taken up, by item. */
  readonly #stuck = new Map<string, Stuck>();
  /** Folders without a file that were told of. */
  readonly #told = new Set<string>();
  /** True while something new may stand between the inbox and work/. */
  #hasClaims = true;
  #settledMs = 0;

  constructor(options: PassageOptions) {
    this.#options = options;
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  get stuck(): readonly StuckFile[] {
    const entries = [...this.#stuck].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return entries.map(([, { fileName, why }]) => ({ fileName, why }));
  }

  /** When something that is stuck is tried again; undefined for nothing. */
  get nextTryMs(): number | undefined {
    const times = [...this.#stuck.values()].map(({ notBeforeMs }) => notBeforeMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The inbox was bound: whatever stands in it may be new. */
  noteBinding(): void {
    this.#hasClaims = true;
  }

  /** What is in work/ was handed out otherwise. */
  clearReady(): void {
    this.#ready = [];
  }

  /** Hands out what is ready, the oldest drop first. */
  handOut(max: number): WorkItem[] {
    return this.#ready.splice(0, max);
  }

  /**
   * Brings what stands between the inbox and work/ to one side or the other, and finds in work/ what nobody knows.
   * @returns what could not be brought in now
   */
  async settle(): Promise<readonly unknown[]> {
    const settled = await this.settleClaims();
    if (settled === undefined) return [];
    await this.#findUnknown(settled.claimed);
    return settled.failures;
  }

  /** @returns undefined when nothing is due, or the inbox is gone */
  async settleClaims(): Promise<Settled | undefined> {
    const { claims, rules, inbox, work, elapsedMs } = this.#options;
    const nowMs = elapsedMs();
    if (!this.#isSettlingDue(nowMs) || inbox.view.state.kind === 'gone') return undefined;
    let found: FoundClaims;
    try {
      found = await findClaims(claims, rules, this.#stuck);
    } catch (error) {
      inbox.noteGone(error);
      return undefined;
    }
    this.#hasClaims = false;
    this.#settledMs = nowMs;
    for (const odd of found.odd) this.#noteOdd(odd);
    const claimed = new Set([...found.itemIds, ...found.odd.map(({ itemId }) => itemId)]);
    work.noteClaimed(claimed);
    const due = found.itemIds.filter((itemId) => this.#isDue(itemId, nowMs));
    const root = claimedFolderOf(claims.inbox);
    const failures = await this.#bringIn(due.map((itemId) => ({ folder: join(root, itemId) })));
    if (due.length > 0) await this.#syncInbox();
    return { failures, claimed };
  }

  #isSettlingDue(nowMs: number): boolean {
    const { work, rescanMs } = this.#options;
    if (this.#hasClaims || work.hasCopied || nowMs - this.#settledMs >= rescanMs) return true;
    return this.nextTryMs !== undefined && this.nextTryMs <= nowMs;
  }

  #isDue(itemId: string, nowMs: number): boolean {
    const { claims, work, hasEnded } = this.#options;
    if (work.wasCopied(itemId)) return true;
    if (hasEnded(itemId)) {
      const folder = join(claimedFolderOf(claims.inbox), itemId);
      this.#noteOdd({
        itemId,
        holdsFile: true,
        why: `${folder} was copied, and its copy has ended: remove it`,
      });
      return false;
    }
    return (this.#stuck.get(itemId)?.notBeforeMs ?? nowMs) <= nowMs;
  }

  #noteOdd({ itemId, holdsFile, why }: OddClaim): void {
    if (holdsFile) this.#noteStuck(itemId, itemId, why);
    else if (!this.#told.has(itemId)) {
      this.#told.add(itemId);
      this.#options.claims.log('warn', 'left in the inbox', { itemId, why });
    }
  }

  /** @param claimed items that come the other way; what else was stuck and is not there any more is forgotten */
  async #findUnknown(claimed: ReadonlySet<string>): Promise<void> {
    const { work } = this.#options;
    const { items, troubles } = await work.findUnknown(claimed);
    for (const { itemId, error } of troubles) this.#noteFailure(itemId, itemId, error);
    this.#addReady(items);
    const { claims } = this.#options;
    for (const itemId of this.#stuck.keys()) {
      const places = [join(claimedFolderOf(claims.inbox), itemId), work.folderOf(itemId)];
      const stats = await Promise.all(places.map((place) => lookAt(place).catch(() => 'unknown')));
      if (stats.every((one) => one === undefined)) this.#stuck.delete(itemId);
    }
  }

  #addReady(items: readonly WorkItem[]): void {
    for (const item of items) this.#stuck.delete(item.itemId);
    this.#ready = [...this.#ready, ...items].toSorted((one, other) => (one.itemId < other.itemId ? -1 : 1));
  }

  /** Claims what is finished, some files at a time, and brings it in. @returns what could not be brought in */
  async claim(max: number): Promise<unknown[]> {
    const { inbox, claims } = this.#options;
    const failures: unknown[] = [];
    let hasClaimed = false;
    for (let left = max; left > 0;) {
      if (inbox.finishedCount > 0) await inbox.confirm();
      const claimed: { folder: string; content: string }[] = [];
      while (claimed.length < Math.min(left, movesAtOnce)) {
        const claim = await inbox.claimNext();
        if (claim === undefined) break;
        claimed.push({ folder: join(claimedFolderOf(claims.inbox), claim.itemId), content: claim.content });
      }
      if (claimed.length === 0) break;
      failures.push(...(await this.#bringIn(claimed)));
      hasClaimed = true;
      // On a sick disk the others are better off in the inbox; a file that finds no room keeps no other out.
      if (failures.some((error) => !(error instanceof NoRoomError))) break;
      left -= claimed.length;
    }
    if (hasClaimed) await this.#syncInbox();
    return failures;
  }

  /** Moves claimed folders to work/. @param content see WorkFolder.bringIn */
  async #bringIn(claims: readonly { folder: string; content?: string }[]): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (let from = 0; from < claims.length; from += movesAtOnce) {
      const moves = claims.slice(from, from + movesAtOnce).map(async ({ folder, content }) => {
        try {
          const item = await this.#options.work.bringIn(folder, content);
          this.#stuck.delete(basename(folder));
          if (item !== undefined) this.#addReady([item]);
        } catch (error) {
          const failure = await this.#takeFailure(folder, error).catch((second: unknown) => second);
          if (failure !== undefined) failures.push(failure);
        }
      });
      await Promise.all(moves);
    }
    return failures;
  }

  /** @returns what concerns work/ or this one file; undefined for what concerns the inbox, or was settled */
  async #takeFailure(folder: string, error: unknown): Promise<unknown> {
    const { claims, inbox, work } = this.#options;
    const itemId = basename(folder);
    if (error instanceof LateWritingError && error.item !== undefined) this.#addReady([error.item]);
    const isOfSource = error instanceof UnreadableSourceError || error instanceof LateWritingError;
    try {
      if (isOfSource) {
        for (const name of await putBack(claims, itemId)) inbox.noteStuck(name, error);
        this.#stuck.delete(itemId);
        return undefined;
      }
    } catch (second) {
      return this.#noteFailure(itemId, await nameIn(folder), second);
    }
    const isThere = async (path: string) => (await lookAt(path).catch(() => undefined)) !== undefined;
    if ((await isThere(folder)) || (await isThere(work.folderOf(itemId))))
      return this.#noteFailure(itemId, await nameIn(folder), error);
    inbox.noteGone(error);
    return undefined;
  }

  #noteFailure(itemId: string, fileName: string, error: unknown): unknown {
    const path = join(claimedFolderOf(this.#options.claims.inbox), itemId);
    const why = error instanceof NoRoomError ? error.message : failWith('move', path, error).message;
    this.#noteStuck(itemId, fileName, why);
    return error;
  }

  /** Said once for each reason; tried again after a pause that grows. */
  #noteStuck(itemId: string, fileName: string, why: string): void {
    const { claims, elapsedMs, rescanMs } = this.#options;
    const before = this.#stuck.get(itemId);
    if (before?.why !== why)
      claims.log('warn', 'a claimed file is stuck, and tried again', { file: fileName, itemId, why });
    const failures = (before?.failures ?? 0) + 1;
    const pauseMs = Math.min(Math.min(pauseFirstMs, rescanMs) * 2 ** (failures - 1), pauseMaxMs);
    this.#stuck.set(itemId, { fileName, why, failures, notBeforeMs: elapsedMs() + pauseMs });
  }

  /** What has left the inbox must not come back when the machine stops. */
  async #syncInbox(): Promise<void> {
    const { claims, inbox, disk } = this.#options;
    try {
      await disk.sync(claimedFolderOf(claims.inbox));
      await disk.sync(claims.inbox);
    } catch (error) {
      inbox.noteGone(error);
    }
  }
}

/** The file in a claimed folder; the folder's own name where that cannot be read. */
async function nameIn(folder: string): Promise<string> {
  const contents = await readContents(folder).catch(() => undefined);
  return contents === undefined || contents === 'empty' ? basename(folder) : contents.fileName;
}
