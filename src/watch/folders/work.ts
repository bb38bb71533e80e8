/** The folder of files that are being worked: each stands in a folder of its own, whole or not at all. */
import { randomBytes } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type Disk,
  lookAt,
  openPlainly,
  printContent,
  printFile,
  removeFilledFolder,
  secureFile,
  UnreadableSourceError,
} from '../../platform/disk.ts';
import { errorCode } from '../../platform/durable-file.ts';
import type { WorkItem } from '../ports.ts';
import { itemIdPattern, readItemId, sidecarName } from '../rules/drop-folder.ts';
import type { Log } from './inbox.ts';
import { type Contents, copyUnder, isCopied, readContents, requireRoom } from './work-contents.ts';

export interface WorkFolderOptions {
  readonly work: string;
  readonly disk: Disk;
  readonly log: Log;
}

/** How a file in work/ looked when it was claimed (or found again). */
interface Standing {
  readonly print: string;
  /** Of a copied file: its source, removed by now but still open, and how that looked. */
  readonly source: Source | undefined;
  readonly isEnding: boolean;
}

interface Source {
  readonly handle: FileHandle;
  readonly content: string;
}

interface FoundUnknown {
  readonly items: readonly WorkItem[];
  readonly troubles: readonly { readonly itemId: string; readonly error: unknown }[];
}

/** Copies tried while somebody writes to the source. */
const copiesMax = 3;
const randomLength = 6;
/** Of a file that was written to after the claim: no file looks so. */
const latePrint = 'late';
const temporaryForm = new RegExp(String.raw`^\.${itemIdPattern}\.[0-9a-f]{12}\.tmp$`);
/** The folder's own, for other purposes. */
const ownForm = /^\.{1,2}paydrop/;
export class WorkFolder {
  readonly #options: WorkFolderOptions;
  readonly #standings = new Map<string, Standing>();
  /** Items whose claimed folder could not be removed after it was copied. */
  readonly #copied = new Set<string>();
  /** Folders in work/ that hold nothing (more) for anybody. */
  readonly #leftovers = new Set<string>();
  /** Items whose source was written to after it was copied, and was put back. */
  readonly #late = new Set<string>();

  constructor(options: WorkFolderOptions) {
    this.#options = options;
  }

  folderOf(itemId: string): string {
    return join(this.#options.work, itemId);
  }

  /**
   * Moves a claimed folder into work/; again after a crash at any step. The caller makes work/ durable.
   * @param content how the file looked when it was claimed (see printContent); as it is now when left out
   * @returns undefined when it had been moved before
   * @throws UnreadableSourceError when the file cannot be copied for its own sake
   * @throws LateWritingError when it was copied before, and has been written to since
   */
  async bringIn(claimed: string, content?: string): Promise<WorkItem | undefined> {
    const itemId = basename(claimed);
    const { disk } = this.#options;
    const folder = this.folderOf(itemId);
    if (!this.#copied.has(itemId) && (await lookAt(folder)) !== undefined) await this.#requireSame(claimed);
    else if (!this.#copied.has(itemId)) {
      const contents = await readContents(claimed);
      if (contents === undefined || contents === 'empty') throw new Error(`${claimed} holds no file`);
      const path = join(claimed, contents.fileName);
      const first = content ?? printContent(await lstat(path, { bigint: true }));
      await secureFile(path).catch(asUnreadable);
      await disk.sync(claimed);
      return await this.#move(claimed, contents, first);
    }
    const wasCopied = this.#copied.has(itemId) || this.#standings.has(itemId);
    await this.#dropClaimed(claimed);
    return wasCopied ? undefined : await this.#stand(itemId, {});
  }

  async #move(claimed: string, contents: Contents, content: string): Promise<WorkItem> {
    const itemId = basename(claimed);
    const { disk, work } = this.#options;
    try {
      await disk.rename(claimed, this.folderOf(itemId));
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') {
        if (await this.#hasMoved(claimed)) return await this.#stand(itemId, { content });
        throw error;
      }
      await requireRoom(disk, join(claimed, contents.fileName), work);
      const handle = await this.#copyIn(claimed, contents);
      try {
        await disk.sync(work);
        await this.#dropClaimed(claimed);
        return await this.#stand(itemId, { content, handle });
      } catch (failure) {
        await handle.close();
        throw failure;
      }
    }
    return await this.#stand(itemId, { content });
  }

  /** A share may answer with an error though the rename was done: its first answer was lost, and it was asked again. */
  async #hasMoved(claimed: string): Promise<boolean> {
    const [source, target] = [await lookAt(claimed), await lookAt(this.folderOf(basename(claimed)))];
    return source === undefined && target !== undefined;
  }

  /**
   * Copies a claimed folder under a temporary name, whole and durable, then gives it its own. A source that changes
   * meanwhile is copied again: whatever becomes of the file, its last bytes are kept.
   * @returns the file's source, open
   */
  async #copyIn(claimed: string, contents: Contents): Promise<FileHandle> {
    const { disk } = this.#options;
    const handle = await openSource(join(claimed, contents.fileName));
    let temporary: string | undefined;
    try {
      for (let copies = 1; ; copies += 1) {
        const before = printContent(await handle.stat({ bigint: true }));
        temporary = await this.#copyFolder(claimed, contents, handle);
        const after = printContent(await handle.stat({ bigint: true }));
        if (after === before || copies === copiesMax) {
          await disk.rename(temporary, this.folderOf(basename(claimed)));
          return handle;
        }
        await removeFilledFolder(disk, temporary);
      }
    } catch (error) {
      await handle.close();
      if (temporary !== undefined) await removeFilledFolder(disk, temporary).catch(() => undefined);
      throw error;
    }
  }

  async #copyFolder(
    claimed: string,
    { fileName, hasSidecar }: Contents,
    handle: FileHandle,
  ): Promise<string> {
    const { disk, work } = this.#options;
    const random = randomBytes(randomLength).toString('hex');
    const temporary = join(work, `.${basename(claimed)}.${random}.tmp`);
    await disk.makeFolder(temporary);
    try {
      const name = await copyUnder(disk, handle, temporary, fileName);
      if (hasSidecar) {
        await using sidecar = await openSource(join(claimed, sidecarName(fileName)));
        await disk.copy(sidecar, join(temporary, sidecarName(name)));
      }
      await disk.sync(temporary);
      return temporary;
    } catch (error) {
      await removeFilledFolder(disk, temporary).catch(() => undefined);
      throw error;
    }
  }

  /** True while claimed folders are still to be removed. */
  get hasCopied(): boolean {
    return this.#copied.size > 0;
  }

  /** True for an item whose claimed folder has only to be removed, whether or not the item has ended. */
  wasCopied(itemId: string): boolean {
    return this.#copied.has(itemId);
  }

  /** Claimed folders that are not there any more need not be removed. */
  noteClaimed(itemIds: ReadonlySet<string>): void {
    for (const itemId of this.#copied) if (!itemIds.has(itemId)) this.#copied.delete(itemId);
  }

  /** The copy stands in work/: its source goes, at the latest when it is met again. */
  async #dropClaimed(claimed: string): Promise<void> {
    const itemId = basename(claimed);
    try {
      await removeFilledFolder(this.#options.disk, claimed);
      this.#copied.delete(itemId);
    } catch (error) {
      if (this.#copied.has(itemId)) return;
      this.#copied.add(itemId);
      const facts = { folder: claimed, code: errorCode(error) };
      this.#options.log('warn', 'a claimed file could not be removed after it was copied', facts);
    }
  }

  /** A crash came between copying and removing: the source may go if nobody has written to it since. */
  async #requireSame(claimed: string): Promise<void> {
    const folder = this.folderOf(basename(claimed));
    if (await isCopied(claimed, folder)) return;
    const itemId = basename(claimed);
    this.#late.add(itemId);
    const standing = this.#standings.get(itemId);
    if (standing !== undefined) this.#standings.set(itemId, { ...standing, print: latePrint });
    const item = this.#standings.has(itemId) ? undefined : await this.#stand(itemId, {});
    throw new LateWritingError(`written to after it was copied to ${folder}`, item);
  }

  /** Every item in work/, the oldest drop first; what a crash has left half copied goes. */
  async recover(): Promise<WorkItem[]> {
    const { work, disk, log } = this.#options;
    const items: WorkItem[] = [];
    for (const name of (await readdir(work)).toSorted()) {
      const path = join(work, name);
      if (temporaryForm.test(name)) await removeFilledFolder(disk, path);
      else if (readItemId(name) !== undefined) items.push(...(await this.#findAgain(name)));
      else if (!ownForm.test(name)) log('warn', 'left in work/: it is none of ours', { file: name });
    }
    return items;
  }

  /**
   * Items that stand in work/ though nobody was given them: the moving there was answered with an error. Never one
   * that this process has had before, ended or not.
   * @param claimed items whose claimed folders are there still: they come the other way
   */
  async findUnknown(claimed: ReadonlySet<string>): Promise<FoundUnknown> {
    // Before the folder is read: what ends meanwhile was known then.
    const before = new Set(this.#standings.keys());
    const items: WorkItem[] = [];
    const troubles: { itemId: string; error: unknown }[] = [];
    for (const name of (await readdir(this.#options.work)).toSorted()) {
      const isKnown =
        claimed.has(name) || before.has(name) || this.#standings.has(name) || this.#leftovers.has(name);
      if (isKnown || readItemId(name) === undefined) continue;
      try {
        items.push(...(await this.#findAgain(name)));
      } catch (error) {
        troubles.push({ itemId: name, error });
      }
    }
    return { items, troubles };
  }

  async #findAgain(itemId: string): Promise<WorkItem[]> {
    const { disk, log } = this.#options;
    const folder = this.folderOf(itemId);
    const contents = (await lookAt(folder))?.isDirectory() === true ? await readContents(folder) : undefined;
    if (contents === undefined) {
      this.#leftovers.add(itemId);
      log('warn', 'left in work/: it is no item of ours', { file: itemId });
      return [];
    }
    if (contents === 'empty') {
      await removeFilledFolder(disk, folder);
      return [];
    }
    return [await this.#stand(itemId, {})];
  }

  /** From now on the file is compared with what it is. */
  async #stand(
    itemId: string,
    { content, handle }: { content?: string; handle?: FileHandle },
  ): Promise<WorkItem> {
    const folder = this.folderOf(itemId);
    const contents = await readContents(folder);
    if (contents === undefined || contents === 'empty') throw new Error(`${folder} holds no file`);
    const path = join(folder, contents.fileName);
    const stats = await lstat(path, { bigint: true });
    if (!this.#standings.has(itemId)) {
      const isStill =
        !this.#late.has(itemId) &&
        (content === undefined || handle !== undefined || printContent(stats) === content);
      const print = isStill ? printFile(stats) : latePrint;
      const source = handle === undefined ? undefined : { handle, content: content ?? '' };
      this.#standings.set(itemId, { print, source, isEnding: false });
    }
    const droppedAtMs = readItemId(itemId) ?? 0;
    return { itemId, fileName: contents.fileName, path, droppedAtMs, bytes: Number(stats.size) };
  }

  async isUntouched({ itemId, path }: WorkItem): Promise<boolean> {
    const standing = this.#standings.get(itemId);
    if (standing === undefined) throw new Error(`${itemId} is no item of this process`);
    const stats = await lookAt(path);
    if (stats === undefined) return false;
    // A second name, given on the way out, changes the file's times but not its content.
    const isSame = standing.isEnding
      ? standing.print.startsWith(`${printContent(stats)}-`)
      : standing.print === printFile(stats);
    return isSame && (standing.source === undefined || (await isSourceStill(standing.source)));
  }

  /** The file is given another name from now on. */
  noteEnding(itemId: string): void {
    const standing = this.#standings.get(itemId);
    if (standing !== undefined) this.#standings.set(itemId, { ...standing, isEnding: true });
  }

  /** The file has left its folder, which goes. */
  async leave(itemId: string): Promise<void> {
    const { disk, work } = this.#options;
    try {
      await disk.removeFolder(this.folderOf(itemId));
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
      if (code !== 'ENOENT') await this.#leaveRest(itemId);
    }
    await disk.sync(work);
    await this.#forget(itemId);
  }

  /** What other systems have put beside the file goes too, where that is allowed. */
  async #leaveRest(itemId: string): Promise<void> {
    const { disk, log } = this.#options;
    const folder = this.folderOf(itemId);
    try {
      if ((await readContents(folder)) === 'empty') {
        await removeFilledFolder(disk, folder);
        return;
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
    }
    this.#leftovers.add(itemId);
    log('warn', 'something else stands in the folder of a file that has ended', { itemId });
  }

  async #forget(itemId: string): Promise<void> {
    const source = this.#standings.get(itemId)?.source;
    this.#standings.delete(itemId);
    await source?.handle.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    for (const itemId of this.#standings.keys()) await this.#forget(itemId);
  }
}

/** The source of a copy was written to after the copy: by its content, it is another file. */
export class LateWritingError extends Error {
  override readonly name = 'LateWritingError';
  /** The copy, which nobody was given yet. */
  readonly item: WorkItem | undefined;

  constructor(message: string, item: WorkItem | undefined) {
    super(message);
    this.item = item;
  }
}

function asUnreadable(error: unknown): never {
  throw new UnreadableSourceError((error as Error).message, { cause: error });
}

const openSource = (path: string): Promise<FileHandle> => openPlainly(path).catch(asUnreadable);

async function isSourceStill({ handle, content }: Source): Promise<boolean> {
  try {
    return printContent(await handle.stat({ bigint: true })) === content;
  } catch {
    // The share is gone, and with it whatever was written there: the copy is what we were given.
    return true;
  }
}
