/** Takes files out of the inbox: each is renamed into a folder of its own, and checked again there. */
import { randomBytes } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  joinName,
  lookAt,
  moveUnlessTaken,
  type DiskPath,
  printContent,
  printFile,
} from '../../platform/disk.ts';
import { errorCode } from '../../platform/durable-file.ts';
import {
  classifyName,
  composeName,
  computeRejectedNames,
  makeItemId,
  readItemId,
  sidecarName,
} from '../rules/drop-folder.ts';
import { claimedFolderOf } from './binding.ts';
import type { FoldersContext } from './context.ts';
import type { FolderHolds } from './states.ts';

// ---------------------------------------------------------------- the content of a file's own folder

/** The file, and whether it has a sidecar. */
export interface Contents {
  readonly fileName: string;
  readonly hasSidecar: boolean;
}

/** The content of a folder; `contents` where it holds a file. */
export interface FolderLook {
  readonly holds: FolderHolds;
  readonly contents: Contents | undefined;
}

/** Leftovers of shares (removed files that are still open) and of other systems' desktops; never a claimed file. */
const droppingForm = /^\.(?:nfs|fuse_hidden|smbdelete|_|DS_Store$|AppleDouble$)/;

/** The entries of a claimed file's folder, without leftovers of other systems. */
export function withoutDroppings<Entry extends { readonly name: string | Buffer }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.filter(({ name }) => !droppingForm.test(name.toString()));
}

/** @param isPart true for the name of a file that is never claimed alone */
export async function lookInto(
  folder: string,
  isPart: (name: string) => boolean = () => false,
): Promise<FolderLook> {
  const stats = await lookAt(folder);
  if (stats === undefined) return { holds: 'nothing', contents: undefined };
  if (!stats.isDirectory()) return { holds: 'several', contents: undefined };
  const entries = withoutDroppings(await readdir(folder, { withFileTypes: true }));
  const names = entries.map(({ name }) => name);
  if (names.length === 0) return { holds: 'empty', contents: undefined };
  const isPartial = names.every(isPart) || !entries.every((entry) => entry.isFile());
  if (isPartial) return { holds: 'part', contents: undefined };
  const contents = findFile(names);
  return { holds: contents === undefined ? 'several' : 'file', contents };
}

/** The file among these names; undefined unless there is exactly one, with at most its sidecar. */
function findFile(names: readonly string[]): Contents | undefined {
  const [first = '', second] = names;
  if (second === undefined) return { fileName: first, hasSidecar: false };
  const fileName = names.find((name) => names.includes(sidecarName(name)));
  return fileName === undefined || names.length > 2 ? undefined : { fileName, hasSidecar: true };
}

/** @throws Error when the folder does not hold a file */
export async function requireFile(folder: string): Promise<Contents> {
  const { contents } = await lookInto(folder);
  if (contents === undefined) throw new Error(`${folder} holds no file`);
  return contents;
}

/** Every item with a folder there, the oldest drop first. */
export async function listItems(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return entries
    .map(({ name }) => name)
    .filter((name) => readItemId(name) !== undefined)
    .toSorted();
}

// ---------------------------------------------------------------- claiming

/** A finished file as last seen; names in the folder's own bytes. */
export interface Claimable {
  readonly name: Buffer;
  /** See printFile. */
  readonly print: string;
  readonly droppedAtNs: bigint;
  readonly sidecar: Buffer | undefined;
  readonly marker: Buffer | undefined;
}

export interface Claim {
  readonly itemId: string;
  /** The content of the file in the inbox (see printContent); left out: the present one. */
  readonly content?: string;
}

const randomLength = 3;
const nsPerMs = 1_000_000n;

/** The name to keep: its own, or a readable one where its bytes are not UTF-8. */
function keepName(name: Buffer): string {
  const text = name.toString('utf8');
  return Buffer.from(text, 'utf8').equals(name) ? text : composeName(text, '');
}

export class ClaimedFolder {
  readonly #context: FoldersContext;
  readonly #root: string;
  /** Claims that failed half-way and were not put back yet: their content was never found to be finished. */
  readonly #halfClaimed = new Set<string>();

  constructor(context: FoldersContext) {
    this.#context = context;
    this.#root = claimedFolderOf(context.folders.inbox);
  }

  folderOf(itemId: string): string {
    return join(this.#root, itemId);
  }

  list(): Promise<readonly string[]> {
    return listItems(this.#root);
  }

  async look(itemId: string): Promise<FolderLook> {
    const { rules } = this.#context;
    const look = await lookInto(
      this.folderOf(itemId),
      (name) => classifyName(name, rules).kind === 'sidecar',
    );
    const isThere = look.holds !== 'nothing' && look.holds !== 'empty';
    return isThere && this.#halfClaimed.has(itemId) ? { holds: 'part', contents: undefined } : look;
  }

  /**
   * Claims a file that is still the one that was seen. Follows no links and overwrites nothing; another file that took
   * its place at the last moment is put back.
   * @returns undefined when the file was another one
   */
  async claim(file: Claimable): Promise<Claim | undefined> {
    const { folders, disk, clock } = this.#context;
    const path = joinName(folders.inbox, file.name);
    const before = await lookAt(path);
    if (before === undefined || !before.isFile() || printFile(before) !== file.print) return undefined;
    const droppedAtMs = Math.min(Number(before.ctimeNs / nsPerMs), clock.now());
    const claim = {
      itemId: makeItemId(droppedAtMs, randomBytes(randomLength).toString('hex')),
      content: printContent(before),
    };
    await disk.makeFolder(this.folderOf(claim.itemId));
    let isClaimed = false;
    try {
      isClaimed = await this.#moveIn(path, file, claim);
    } finally {
      if (!isClaimed) {
        this.#halfClaimed.add(claim.itemId);
        await this.returnToInbox(claim.itemId);
      }
    }
    if (isClaimed && file.marker !== undefined) await this.#removeMarker(file.marker);
    return isClaimed ? claim : undefined;
  }

  /** Moves the sidecar first: a folder with nothing else in it is put back whole. */
  async #moveIn(path: DiskPath, { name, sidecar }: Claimable, { itemId, content }: Claim): Promise<boolean> {
    const { folders } = this.#context;
    const to = join(this.folderOf(itemId), keepName(name));
    if (sidecar !== undefined && !(await this.#move(joinName(folders.inbox, sidecar), sidecarName(to))))
      return false;
    return await this.#move(path, to, content);
  }

  /** Moves a file; false when there was none, or when another one than the seen one has moved. */
  async #move(from: DiskPath, to: string, content?: string): Promise<boolean> {
    try {
      await this.#context.disk.rename(from, to);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
    const moved = await lstat(to, { bigint: true });
    return moved.isFile() && (content === undefined || printContent(moved) === content);
  }

  /** Removes the marker of a claimed file. A marker that stays is logged, and listed as one without its file. */
  async #removeMarker(marker: Buffer): Promise<void> {
    const { folders, disk, log } = this.#context;
    try {
      await disk.remove(joinName(folders.inbox, marker));
    } catch (error) {
      const facts = { file: marker.toString('utf8'), code: errorCode(error) };
      log('warn', 'the marker of a claimed file cannot be removed: remove it by hand', facts);
    }
  }

  /** Removes the marker of a claimed file after a crash; that of another file, dropped since under its name, stays. */
  async removeMarkerOf({ fileName }: Contents): Promise<void> {
    const { folders, disk, rules } = this.#context;
    const path = join(folders.inbox, fileName);
    if (!rules.isMarkerExpected || (await lookAt(path)) !== undefined) return;
    // A marker that stays is listed as one without its file.
    await disk.remove(`${path}.done`).catch(() => undefined);
  }

  /** Puts the content of a claimed folder back into the inbox, under free names. @returns these names */
  async returnToInbox(itemId: string): Promise<Buffer[]> {
    const { disk, log } = this.#context;
    const folder = this.folderOf(itemId);
    const names: Buffer[] = [];
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    for (const { name } of withoutDroppings(entries)) {
      const to = await this.#putBackOne(joinName(folder, name), name, itemId);
      const facts = {
        file: name.toString('utf8'),
        as: to?.toString('utf8') ?? `it stays in ${folder}`,
        itemId,
      };
      log('warn', 'put back into the inbox', facts);
      if (to !== undefined) names.push(to);
    }
    await disk.removeFolder(folder).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOTEMPTY') throw error;
    });
    this.#halfClaimed.delete(itemId);
    return names;
  }

  async #putBackOne(from: DiskPath, name: Buffer, itemId: string): Promise<Buffer | undefined> {
    const { folders, disk } = this.#context;
    const others = [...computeRejectedNames(name.toString('utf8'), itemId)];
    for (const candidate of [name, ...others.map((other) => Buffer.from(other))]) {
      const to = joinName(folders.inbox, candidate);
      if ((await moveUnlessTaken(disk, from, to)) === 'moved') return candidate;
    }
    return undefined;
  }

  /**
   * Removes a folder with leftovers of a share, which go once no process has them open.
   * @returns false when something keeps the folder
   */
  async removeEmpty(itemId: string): Promise<boolean> {
    try {
      await this.#context.disk.removeFolder(this.folderOf(itemId));
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
      return false;
    }
    this.#halfClaimed.delete(itemId);
    return true;
  }

  /** Makes the moves out of the inbox durable, so that a machine failure does not undo them. */
  async sync(): Promise<void> {
    const { folders, disk } = this.#context;
    await disk.sync(this.#root);
    await disk.sync(folders.inbox);
  }
}
