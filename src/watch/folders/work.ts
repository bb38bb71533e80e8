/** The folder of files that are being worked: each in a folder of its own, whole or not at all. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
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
import { errorCode, failWith } from '../../platform/durable-file.ts';
import type { FileEnd, WorkItem } from '../ports.ts';
import { composeName, itemIdPattern, readItemId, sidecarName } from '../rules/drop-folder.ts';
import { clearWay, endFile } from './archive.ts';
import { listItems, lookInto, requireFile, withoutDroppings } from './claim.ts';
import type { Claim, Contents, FolderLook } from './claim.ts';
import type { FoldersContext } from './context.ts';
import { isFolderHeldByOthers, type Originals } from './originals.ts';
import { decideRecovery } from './states.ts';

/** A file that this process has had in work/. */
interface Standing {
  /** The print at the claim (or when found again). */
  print: string;
  /** The source of a copied file, removed by now but still open, with its print. */
  source: Source | undefined;
  /** The end as first tried; a second try on another day must not end the file a second time. */
  end?: FileEnd;
  /** The path at which the file has ended. */
  path?: string;
}

interface Source {
  readonly handle: FileHandle;
  readonly content: string;
}

/** The limit of copies while a writer changes the source. */
const copiesMax = 3;
const randomLength = 6;
/** The number of ended files whose path is remembered. */
const endedMax = 10_000;
/** A print that no file has, for a file that was written to after the claim. */
const latePrint = 'late';
const temporaryForm = new RegExp(String.raw`^\.${itemIdPattern}\.[0-9a-f]{12}\.tmp$`);
/** Error codes of a folder that is gone, or that is not empty. */
const keptCodes = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST']);
/** Names that paydrop uses for other purposes. */
const ownForm = /^\.{1,2}paydrop/;

export class WorkFolder {
  readonly #context: FoldersContext;
  readonly #originals: Originals;
  readonly #standings = new Map<string, Standing>();
  /** Items, ended or not, whose claimed folder could not be removed after the copying. */
  readonly copied = new Set<string>();
  /** Folders in work/ without a file for any process. */
  readonly #left = new Set<string>();
  /** Ends files one after the other, so that two files of one name do not collide. */
  readonly #endings = pLimit(1);

  constructor(context: FoldersContext, originals: Originals) {
    this.#context = context;
    this.#originals = originals;
  }

  folderOf(itemId: string): string {
    return join(this.#context.folders.work, itemId);
  }

  look(itemId: string): Promise<FolderLook> {
    return lookInto(this.folderOf(itemId));
  }

  /**
   * Moves a claimed folder into work/; copies one that others may still write to. The caller makes work/ durable.
   * @throws UnreadableSourceError when a fault of the file itself prevents the copy
   */
  async bringIn(claimed: string, claim: Claim): Promise<WorkItem> {
    const { disk } = this.#context;
    const contents = await requireFile(claimed);
    const path = join(claimed, contents.fileName);
    const content = claim.content ?? printContent(await lstat(path, { bigint: true }));
    if (await isFolderHeldByOthers(claimed, contents)) return await this.#copyIn(claimed, contents, content);
    await secureFile(path).catch(asUnreadable);
    await disk.sync(claimed);
    try {
      await disk.rename(claimed, this.folderOf(claim.itemId));
    } catch (error) {
      if (errorCode(error) === 'EXDEV') return await this.#copyIn(claimed, contents, content);
      if (!(await this.#hasMoved(claimed))) throw error;
    }
    return await this.#stand(claim.itemId, content);
  }

  /** Tells whether a failed rename was done: a share may lose its answer, repeat the request and report an error. */
  async #hasMoved(claimed: string): Promise<boolean> {
    const [source, target] = [await lookAt(claimed), await lookAt(this.folderOf(basename(claimed)))];
    return source === undefined && target !== undefined;
  }

  /** Copies a source again that changes meanwhile, so that its last bytes are kept in any case. */
  async #copyIn(claimed: string, contents: Contents, content: string): Promise<WorkItem> {
    const { disk, folders } = this.#context;
    const path = join(claimed, contents.fileName);
    await requireRoom(disk, path, folders.work);
    await using opened = new AsyncDisposableStack();
    const handle = opened.use(await openSource(path));
    let copies = 1;
    while (!(await this.#copyOnce(claimed, contents, handle, copies === copiesMax))) copies += 1;
    await disk.sync(folders.work);
    await this.#endSource(claimed, contents);
    const item = await this.#stand(basename(claimed), content, handle);
    // The standing now owns the open source.
    opened.move();
    return item;
  }

  /**
   * Copies a claimed folder under a temporary name, whole and durable, then renames it.
   * @returns false when the source has changed meanwhile
   */
  async #copyOnce(
    claimed: string,
    { fileName, hasSidecar }: Contents,
    handle: FileHandle,
    isLast: boolean,
  ): Promise<boolean> {
    const { disk, folders } = this.#context;
    const random = randomBytes(randomLength).toString('hex');
    const temporary = join(folders.work, `.${basename(claimed)}.${random}.tmp`);
    const before = printContent(await handle.stat({ bigint: true }));
    try {
      await disk.makeFolder(temporary);
      const name = await copyUnder(disk, handle, temporary, fileName);
      if (hasSidecar) {
        await using sidecar = await openSource(join(claimed, sidecarName(fileName)));
        await disk.copy(sidecar, join(temporary, sidecarName(name)));
      }
      await disk.sync(temporary);
      if (!isLast && printContent(await handle.stat({ bigint: true })) !== before) return false;
      await disk.rename(temporary, this.folderOf(basename(claimed)));
      return true;
    } finally {
      await removeFilledFolder(disk, temporary).catch(() => undefined);
    }
  }

  /** Forgets claimed folders that are gone and need no removal. */
  noteClaimed(itemIds: ReadonlySet<string>): void {
    for (const itemId of this.copied) if (!itemIds.has(itemId)) this.copied.delete(itemId);
  }

  /**
   * Removes the claimed folder of a file that stands in work/, too.
   * @returns undefined for a file that was handed out before
   * @throws LateWritingError when the source was written to after the copying
   */
  async dropSource(claimed: string): Promise<WorkItem | undefined> {
    const itemId = basename(claimed);
    if (!this.copied.has(itemId)) await this.#requireSame(claimed);
    const isKnown = this.copied.has(itemId) || this.#standings.has(itemId);
    await this.#endSource(claimed, (await lookInto(claimed)).contents);
    return isKnown ? undefined : await this.#stand(itemId);
  }

  /** Removes the source of a copy in work/, or keeps it as the original; repeated at the next meeting if it fails. */
  async #endSource(claimed: string, contents: Contents | undefined): Promise<void> {
    const { disk, log } = this.#context;
    const itemId = basename(claimed);
    try {
      const isKept = contents !== undefined && (await isFolderHeldByOthers(claimed, contents));
      await (isKept ? this.#originals.keep(claimed) : removeFilledFolder(disk, claimed));
      this.copied.delete(itemId);
    } catch (error) {
      if (this.copied.has(itemId)) return;
      this.copied.add(itemId);
      const facts = { folder: claimed, code: errorCode(error) };
      log('warn', 'a claimed file could not be removed after it was copied', facts);
    }
  }

  /** Makes sure, after a crash between copying and removing, that the source was not written to since. */
  async #requireSame(claimed: string): Promise<void> {
    const itemId = basename(claimed);
    const folder = this.folderOf(itemId);
    if (await isCopied(claimed, folder)) return;
    const standing = this.#standings.get(itemId);
    if (standing !== undefined) standing.print = latePrint;
    const item = standing === undefined ? await this.#stand(itemId, latePrint) : undefined;
    throw new LateWritingError(`written to after it was copied to ${folder}`, item);
  }

  /** Recovers every item in work/, the oldest drop first; removes half-copied ones of a crash. */
  async recover(): Promise<WorkItem[]> {
    const { folders, disk, log } = this.#context;
    const items: WorkItem[] = [];
    for (const name of (await readdir(folders.work)).toSorted()) {
      if (temporaryForm.test(name)) await removeFilledFolder(disk, join(folders.work, name));
      else if (readItemId(name) !== undefined) items.push(...(await this.takeUp(name)));
      else if (!ownForm.test(name)) log('warn', 'left in work/: it is none of ours', { file: name });
    }
    return items;
  }

  /**
   * Items in work/ that were never handed out, because the move there reported an error. Items that this process has
   * had before, ended or not, are not among them.
   * @param claimed items whose claimed folders still exist; they come the other way
   */
  async listUnknown(claimed: ReadonlySet<string>): Promise<readonly string[]> {
    // Read before the folder: items that end meanwhile were known then.
    const known = new Set([...this.#standings.keys(), ...this.#left, ...claimed]);
    const there = await listItems(this.#context.folders.work);
    return there.filter((itemId) => !known.has(itemId) && !this.#standings.has(itemId));
  }

  /** Handles a folder in work/ by its state. @returns the item in it, if there is one */
  async takeUp(itemId: string): Promise<readonly WorkItem[]> {
    const { disk, log } = this.#context;
    const { holds } = await this.look(itemId);
    const recovery = decideRecovery('nothing', holds);
    if (recovery === 'hand out') return [await this.#stand(itemId)];
    if (recovery === 'remove') await removeFilledFolder(disk, this.folderOf(itemId));
    else {
      this.#left.add(itemId);
      log('warn', 'left in work/: it is no item of ours', { file: itemId });
    }
    return [];
  }

  /**
   * Starts to compare the file with its present print.
   * @param content the content at the claim (see printContent); left out: the present one
   * @param handle the open source of the copy
   */
  async #stand(itemId: string, content?: string, handle?: FileHandle): Promise<WorkItem> {
    const folder = this.folderOf(itemId);
    const { fileName } = await requireFile(folder);
    const path = join(folder, fileName);
    const stats = await lstat(path, { bigint: true });
    if (!this.#standings.has(itemId)) {
      const isStill = content === undefined || handle !== undefined || printContent(stats) === content;
      const print = isStill ? printFile(stats) : latePrint;
      const source = handle === undefined ? undefined : { handle, content: content ?? '' };
      this.#standings.set(itemId, { print, source });
    }
    const droppedAtMs = readItemId(itemId) ?? 0;
    return { itemId, fileName, path, droppedAtMs, bytes: Number(stats.size) };
  }

  /** True for an item whose end this process has seen. */
  hasEnded(itemId: string): boolean {
    return this.#standings.get(itemId)?.path !== undefined;
  }

  async isUntouched({ itemId, path }: WorkItem): Promise<boolean> {
    const standing = this.#standingOf(itemId);
    if (standing.path !== undefined) return true;
    const stats = await lookAt(path);
    if (stats === undefined) return false;
    // A second name, given on the way out, changes the file's times but not its content.
    const isSame =
      standing.end !== undefined
        ? standing.print.startsWith(`${printContent(stats)}-`)
        : standing.print === printFile(stats);
    return isSame && (standing.source === undefined || (await isSourceStill(standing.source)));
  }

  #standingOf(itemId: string): Standing {
    const standing = this.#standings.get(itemId);
    if (standing === undefined) throw new Error(`${itemId} is no item of this process`);
    return standing;
  }

  async end(item: WorkItem, end: FileEnd): Promise<string> {
    try {
      return await this.#endings(() => this.#endOne(item, end));
    } catch (error) {
      throw failWith('move out of work/', item.path, error);
    }
  }

  async #endOne(item: WorkItem, end: FileEnd): Promise<string> {
    const { itemId } = item;
    const standing = this.#standingOf(itemId);
    if (standing.end?.kind !== end.kind) standing.end = end;
    const path = standing.path ?? (await endFile(this.#context, item, standing.end));
    standing.path = path;
    await clearWay(this.#context, itemId, path);
    await this.#leave(itemId);
    await closeSource(standing);
    for (const [oldest, known] of this.#standings) {
      if (this.#standings.size <= endedMax) break;
      if (known.path !== undefined) this.#standings.delete(oldest);
    }
    return path;
  }

  /** Removes the folder that the file has left, with leftovers of other systems where allowed. */
  async #leave(itemId: string): Promise<void> {
    const { disk, folders } = this.#context;
    try {
      await disk.removeFolder(this.folderOf(itemId));
    } catch (error) {
      if (!keptCodes.has(errorCode(error))) throw error;
      await this.#leaveRest(itemId);
    }
    await disk.sync(folders.work);
  }

  async #leaveRest(itemId: string): Promise<void> {
    const { disk, log } = this.#context;
    try {
      const { holds } = await this.look(itemId);
      if (holds === 'empty') await removeFilledFolder(disk, this.folderOf(itemId));
      if (holds === 'empty' || holds === 'nothing') return;
    } catch {
      // The code below logs it.
    }
    this.#left.add(itemId);
    log('warn', 'something else stands in the folder of a file that has ended', { itemId });
  }

  async close(): Promise<void> {
    for (const standing of this.#standings.values()) await closeSource(standing);
  }
}

async function closeSource(standing: Standing): Promise<void> {
  const { source } = standing;
  standing.source = undefined;
  await source?.handle.close().catch(() => undefined);
}

/** The source of a copy was written to after the copy: by its content, it is another file. */
export class LateWritingError extends Error {
  override readonly name = 'LateWritingError';
  /** The copy, not handed out yet. */
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
    // The share is gone, with anything written there; the copy is the file as it was dropped.
    return true;
  }
}

// ---------------------------------------------------------------- copying

/** A name length that all file systems allow, for names that one refuses. */
const shortNameBytes = 120;
const badNameCodes = new Set(['EINVAL', 'EILSEQ', 'ENAMETOOLONG']);

/** True for a source that was not written to since it was copied. */
async function isCopied(claimed: string, folder: string): Promise<boolean> {
  for (const { name } of withoutDroppings(await readdir(claimed, { withFileTypes: true }))) {
    const source = await lookAt(join(claimed, name));
    const copy =
      (await lookAt(join(folder, name))) ??
      (await lookAt(join(folder, composeName(name, '', shortNameBytes))));
    if (source === undefined) continue;
    // The time of a copy is set through a float.
    const aheadMs = source.mtimeMs - (copy?.mtimeMs ?? 0n);
    if (source.size !== copy?.size || aheadMs < -1n || aheadMs > 1n) return false;
  }
  return true;
}

/** Copies under the file's own name, or a plainer one where the file system refuses it. @returns the name */
async function copyUnder(disk: Disk, source: FileHandle, folder: string, name: string): Promise<string> {
  try {
    await disk.copy(source, join(folder, name));
    return name;
  } catch (error) {
    if (!badNameCodes.has(errorCode(error))) throw error;
    const plain = composeName(name, '', shortNameBytes);
    await disk.copy(source, join(folder, plain));
    return plain;
  }
}

/** There is no room for a copy. The message names the space needed and the cure. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'ENOSPC';
}

/** The space per byte of a file: the copy, and the journal that it is read into next. */
const spaceShare = 2n;
const mebibyte = 1_048_576n;

/**
 * Checks the free space before a file is copied, so that retries do not fill the disk.
 * @throws NoRoomError when the space is too small
 */
async function requireRoom(disk: Disk, path: string, folder: string): Promise<void> {
  const { size } = await lstat(path, { bigint: true });
  const [needed, free] = [size * spaceShare, await disk.freeBytes(folder)];
  if (free === undefined || needed <= free) return;
  const inMebibytes = (bytes: bigint): string => `${(bytes + mebibyte - 1n) / mebibyte} MiB`;
  throw new NoRoomError(
    `it takes ${inMebibytes(needed)} in ${folder}, where ${inMebibytes(free)} are free: ` +
      'free some space, and it goes on by itself',
  );
}
