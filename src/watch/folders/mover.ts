/** Moves files from the inbox into work/, each as its state asks (see states.ts); what cannot be is tried again by itself. */
import { computeBackoffMs } from '../../core/backoff.ts';
import { lookAt, UnreadableSourceError } from '../../platform/disk.ts';
import { failWith } from '../../platform/durable-file.ts';
import type { WorkItem } from '../ports.ts';
import type { StuckFile } from '../rules/drop-folder.ts';
import type { Claim, ClaimedFolder, FolderLook } from './claim.ts';
import type { FoldersContext } from './context.ts';
import type { Inbox } from './inbox.ts';
import { decideRecovery, type Recovery } from './states.ts';
import { LateWritingError, NoRoomError, type WorkFolder } from './work.ts';

interface Stuck extends StuckFile {
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** A claimed file that is to be moved now, and how. */
interface Move extends Claim {
  readonly how: Extract<Recovery, 'bring in' | 'drop source'>;
}

export interface FileMoverParts {
  readonly inbox: Inbox;
  readonly claimed: ClaimedFolder;
  readonly work: WorkFolder;
  /** True for an item whose end this process has seen. */
  readonly hasEnded: (itemId: string) => boolean;
}

/** Files that are moved to work/ at once: they mostly wait for the disk. */
const movesAtOnce = 8;
const pauseFirstMs = 1_000;
const pauseMaxMs = 60_000;

export class FileMover {
  readonly #context: FoldersContext;
  readonly #parts: FileMoverParts;
  /** In work/, not handed out yet. */
  #ready: WorkItem[] = [];
  /** What stands in claimed/ or in work/ and could not be taken up, by item. */
  readonly #stuck = new Map<string, Stuck>();
  /** Folders without a file that were told of. */
  readonly #reportedEmpty = new Set<string>();
  /** True while something new may stand between the inbox and work/. */
  #hasClaims = true;
  #settledMs = 0;

  constructor(context: FoldersContext, parts: FileMoverParts) {
    this.#context = context;
    this.#parts = parts;
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

  /** Hands out what is ready, the oldest drop first. */
  handOut(max: number): WorkItem[] {
    return this.#ready.splice(0, max);
  }

  /** Every item in work/, with what was claimed before. Nothing of it is handed out otherwise. */
  async recover(): Promise<WorkItem[]> {
    await this.#settleClaims();
    const items = await this.#parts.work.recover();
    this.#ready = [];
    return items;
  }

  /**
   * Brings what stands between the inbox and work/ to one side or the other, and finds in work/ what nobody knows.
   * @returns what could not be brought in now
   */
  async settle(): Promise<readonly unknown[]> {
    const settled = await this.#settleClaims();
    if (settled === undefined) return [];
    await this.#findUnknown(settled.claimed);
    return settled.failures;
  }

  /** @returns undefined when nothing is due, or the inbox is gone */
  async #settleClaims() {
    const { inbox, claimed, work } = this.#parts;
    const nowMs = this.#context.elapsedMs();
    if (!this.#isSettlingDue(nowMs) || inbox.view.state.kind === 'gone') return undefined;
    let itemIds: readonly string[];
    try {
      itemIds = await claimed.list();
    } catch (error) {
      inbox.noteGone(error);
      return undefined;
    }
    this.#hasClaims = false;
    this.#settledMs = nowMs;
    const staying = new Set<string>();
    const moves: Move[] = [];
    for (const itemId of itemIds) {
      const found = await this.#settleClaim(itemId, nowMs).catch((error: unknown) =>
        this.#noteStuck(itemId, itemId, failWith('read', claimed.folderOf(itemId), error).message),
      );
      if (found !== 'settled') staying.add(itemId);
      if (typeof found === 'object') moves.push(found);
    }
    work.noteClaimed(staying);
    const failures = await this.#move(moves);
    if (moves.length > 0) await this.#syncInbox();
    return { failures, claimed: staying };
  }

  #isSettlingDue(nowMs: number): boolean {
    const { rescanMs } = this.#context;
    if (this.#hasClaims || this.#parts.work.hasCopied || nowMs - this.#settledMs >= rescanMs) return true;
    return this.nextTryMs !== undefined && this.nextTryMs <= nowMs;
  }

  /** Does what is to be done about a claimed folder. @returns the move that is due */
  async #settleClaim(itemId: string, nowMs: number): Promise<Move | 'stays' | 'settled'> {
    const { claimed, work } = this.#parts;
    const look = await claimed.look(itemId);
    // Where work/ cannot be read, the move meets what is wrong, and never overwrites.
    const inWork = await work.look(itemId).catch(() => undefined);
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
      // It is gone from there.
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
    const { claimed, work, hasEnded } = this.#parts;
    const stuck = this.#stuck.get(itemId);
    // Of a claim that was found before the marker is gone, and one that stands there now is another's.
    if (stuck === undefined && contents !== undefined) await claimed.removeMarkerOf(contents);
    // What this process knows goes before what the folders say: the copy may have left work/ already.
    if (work.wasCopied(itemId)) return { itemId, how: 'drop source' };
    if (hasEnded(itemId)) {
      const why = `${claimed.folderOf(itemId)} was copied, and its copy has ended: remove it`;
      return this.#noteStuck(itemId, itemId, why);
    }
    return (stuck?.notBeforeMs ?? nowMs) <= nowMs ? { itemId, how } : 'stays';
  }

  #reportEmpty(itemId: string): 'stays' {
    const folder = this.#parts.claimed.folderOf(itemId);
    const why = `${folder} holds no payout file: remove it once nothing keeps what is in it open`;
    if (!this.#reportedEmpty.has(itemId)) this.#context.log('warn', 'left in the inbox', { itemId, why });
    this.#reportedEmpty.add(itemId);
    return 'stays';
  }

  /** @param claimed items that come the other way; what else was stuck and is not there any more is forgotten */
  async #findUnknown(claimed: ReadonlySet<string>): Promise<void> {
    const { work } = this.#parts;
    for (const itemId of await work.listUnknown(claimed)) {
      try {
        this.#addReady(await work.takeUp(itemId));
      } catch (error) {
        this.#noteFailure(itemId, itemId, error);
      }
    }
    for (const itemId of this.#stuck.keys()) {
      const places = this.#placesOf(itemId).map((path) => lookAt(path).catch(() => 'unknown'));
      if ((await Promise.all(places)).every((found) => found === undefined)) this.#stuck.delete(itemId);
    }
  }

  #placesOf(itemId: string): readonly string[] {
    const { claimed, work } = this.#parts;
    return [claimed.folderOf(itemId), work.folderOf(itemId)];
  }

  #addReady(items: readonly WorkItem[]): void {
    for (const item of items) this.#stuck.delete(item.itemId);
    this.#ready = [...this.#ready, ...items].toSorted((one, other) => (one.itemId < other.itemId ? -1 : 1));
  }

  /** Claims what is finished, some files at a time, and brings it in. @returns what could not be brought in */
  async claim(max: number): Promise<unknown[]> {
    const { inbox } = this.#parts;
    const failures: unknown[] = [];
    let hasClaimed = false;
    for (let left = max; left > 0;) {
      if (inbox.finishedCount > 0) await inbox.confirm();
      const moves: Move[] = [];
      while (moves.length < Math.min(left, movesAtOnce)) {
        const claim = await inbox.claimNext();
        if (claim === undefined) break;
        moves.push({ ...claim, how: 'bring in' });
      }
      if (moves.length === 0) break;
      failures.push(...(await this.#move(moves)));
      hasClaimed = true;
      // On a sick disk the others are better off in the inbox; a file that finds no room keeps no other out.
      if (failures.some((error) => !(error instanceof NoRoomError))) break;
      left -= moves.length;
    }
    if (hasClaimed) await this.#syncInbox();
    return failures;
  }

  /** Some at a time. @returns what could not be brought in */
  async #move(moves: readonly Move[]): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (let from = 0; from < moves.length; from += movesAtOnce) {
      const some = moves.slice(from, from + movesAtOnce).map(async (move) => {
        const failure = await this.#moveOne(move).catch((error: unknown) => this.#takeFailure(move, error));
        if (failure !== undefined) failures.push(failure);
      });
      await Promise.all(some);
    }
    return failures;
  }

  async #moveOne(move: Move): Promise<void> {
    const { claimed, work } = this.#parts;
    const folder = claimed.folderOf(move.itemId);
    const item = move.how === 'bring in' ? await work.bringIn(folder, move) : await work.dropSource(folder);
    this.#stuck.delete(move.itemId);
    if (item !== undefined) this.#addReady([item]);
  }

  /** @returns what concerns work/ or this one file; undefined for what concerns the inbox, or was settled */
  async #takeFailure({ itemId }: Move, error: unknown): Promise<unknown> {
    const { claimed, inbox } = this.#parts;
    if (error instanceof LateWritingError && error.item !== undefined) this.#addReady([error.item]);
    if (error instanceof UnreadableSourceError || error instanceof LateWritingError) {
      try {
        for (const name of await claimed.returnToInbox(itemId)) inbox.noteStuck(name, error);
        this.#stuck.delete(itemId);
        return undefined;
      } catch (second) {
        return this.#noteFailure(itemId, await this.#nameOf(itemId), second);
      }
    }
    const places = this.#placesOf(itemId).map((path) => lookAt(path).catch(() => undefined));
    if ((await Promise.all(places)).some((found) => found !== undefined))
      return this.#noteFailure(itemId, await this.#nameOf(itemId), error);
    inbox.noteGone(error);
    return undefined;
  }

  /** The file in a claimed folder; the folder's own name where that cannot be read. */
  async #nameOf(itemId: string): Promise<string> {
    const look = await this.#parts.claimed.look(itemId).catch(() => undefined);
    return look?.contents?.fileName ?? itemId;
  }

  #noteFailure(itemId: string, fileName: string, error: unknown): unknown {
    const folder = this.#parts.claimed.folderOf(itemId);
    const why = error instanceof NoRoomError ? error.message : failWith('move', folder, error).message;
    this.#noteStuck(itemId, fileName, why);
    return error;
  }

  /** Said once for each reason; tried again after a pause that grows. */
  #noteStuck(itemId: string, fileName: string, why: string): 'stays' {
    const { elapsedMs, rescanMs, log } = this.#context;
    const before = this.#stuck.get(itemId);
    if (before?.why !== why)
      log('warn', 'a claimed file is stuck, and tried again', { file: fileName, itemId, why });
    const tries = before?.failures ?? 0;
    const pauseMs = computeBackoffMs({ baseMs: Math.min(pauseFirstMs, rescanMs), maxMs: pauseMaxMs }, tries);
    this.#stuck.set(itemId, { fileName, why, failures: tries + 1, notBeforeMs: elapsedMs() + pauseMs });
    return 'stays';
  }

  async #syncInbox(): Promise<void> {
    const { inbox, claimed } = this.#parts;
    await claimed.sync().catch((error: unknown) => inbox.noteGone(error));
  }
}
