/**
 * The steps by which files go through the watcher's folders. Each is whole or has not happened when the machine
 * stops, but for the two that write; they are handed in so that a test can stop the machine between any two.
 */
import { type BigIntStats, constants } from 'node:fs';
import {
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, noLinkCodes, syncFolder } from './durable-file.ts';

/** A path; as bytes where a name is no UTF-8. */
export type Place = string | Buffer;

export interface Disk {
  /** Makes a folder that must not be there, for its owner only. */
  makeFolder(path: string): Promise<void>;
  rename(from: Place, to: Place): Promise<void>;
  /** Gives a file a second name; never overwrites. */
  link(from: Place, to: Place): Promise<void>;
  /** Makes an empty file; EEXIST where the name is taken. */
  reserve(path: Place): Promise<void>;
  /** Removes a file; it need not be there. */
  remove(path: Place): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** Copies into a new file, durably, with the time of change of the source. */
  copy(source: FileHandle, to: string): Promise<void>;
  /** Writes a new file, durably. */
  write(path: string, text: string): Promise<void>;
  /** Makes the names in a folder durable, where its file system can. */
  sync(folder: string): Promise<void>;
  /** Bytes that may still be written there; undefined where its file system does not say. */
  freeBytes(folder: string): Promise<bigint | undefined>;
}

/** The source of a copy cannot be read: it is the file that is bad, not the disk that it goes to. */
export class UnreadableSourceError extends Error {
  override readonly name = 'UnreadableSourceError';
}

const blockBytes = 1_048_576;

async function copyDurably(source: FileHandle, to: string): Promise<void> {
  await using target = await open(to, 'wx', 0o600);
  const buffer = Buffer.allocUnsafe(blockBytes);
  for (let position = 0; ;) {
    const { bytesRead } = await source.read(buffer, 0, blockBytes, position).catch((error: unknown) => {
      throw new UnreadableSourceError(`cannot read: ${(error as Error).message}`, { cause: error });
    });
    if (bytesRead === 0) break;
    await target.writeFile(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  const { atimeMs, mtimeMs } = await source.stat();
  await target.utimes(atimeMs / 1_000, mtimeMs / 1_000);
  await target.sync();
}

/** Nothing can stand there: no such name, or one that is longer than any. */
const nothingCodes = new Set(['ENOENT', 'ENAMETOOLONG']);

export const realDisk: Disk = {
  makeFolder: async (path) => {
    await mkdir(path, { mode: 0o700 });
  },
  rename,
  link,
  reserve: async (path) => {
    await (await open(path, 'wx', 0o600)).close();
  },
  remove: async (path) => {
    try {
      await unlink(path);
    } catch (error) {
      if (!nothingCodes.has(errorCode(error))) throw error;
    }
  },
  removeFolder: rmdir,
  copy: copyDurably,
  write: async (path, text) => {
    await using target = await open(path, 'wx', 0o600);
    await target.writeFile(text);
    await target.sync();
  },
  sync: syncFolder,
  freeBytes: async (folder) => {
    // Whoever writes there meets what is wrong.
    const stats = await statfs(folder, { bigint: true }).catch(() => undefined);
    return stats === undefined || stats.blocks === 0n ? undefined : stats.bavail * stats.bsize;
  },
};

// ---------------------------------------------------------------- looking

/** A name in a folder; `bytes` where the folder's own is no UTF-8. */
export function joinName(folder: string, name: Buffer): Place {
  const text = name.toString('utf8');
  return Buffer.from(text, 'utf8').equals(name)
    ? join(folder, text)
    : Buffer.concat([Buffer.from(join(folder, '/'), 'utf8'), name]);
}

/** What stands under a name, links not followed; undefined for nothing. */
export async function lookAt(path: Place): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (nothingCodes.has(errorCode(error))) return undefined;
    throw error;
  }
}

/** Device, inode, size and time of the last writing: what a rename does not change. */
export function printContent({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}-${ino}-${size}-${mtimeNs}`;
}

/** The same with the time of the last change of any kind. */
export function printFile(stats: BigIntStats): string {
  return `${printContent(stats)}-${stats.ctimeNs}`;
}

export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Opens an ordinary file, without following a link or waiting for a pipe. */
export function openPlainly(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Takes the rights of others away and makes the bytes durable, where that is allowed. */
export async function secureFile(path: string): Promise<void> {
  await chmod(path, 0o600).catch(() => undefined);
  try {
    await using file = await openPlainly(path);
    await file.sync();
  } catch (error) {
    // Whoever reads it meets the same, and says so.
    if (errorCode(error) === 'EIO' || errorCode(error) === 'ENOSPC') throw error;
  }
}

// ---------------------------------------------------------------- moving

/** Renames on one file system without ever overwriting; again after a crash between its two steps. */
export async function moveUnlessTaken(disk: Disk, from: Place, to: Place): Promise<'moved' | 'taken'> {
  try {
    await disk.link(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' && !noLinkCodes.has(errorCode(error))) throw error;
    const [source, target] = [await lookAt(from), await lookAt(to)];
    if (target === undefined) return await renameUnlessTaken(disk, from, to);
    if (source === undefined || !isSameFile(source, target)) return 'taken';
  }
  await disk.remove(from);
  return 'moved';
}

/**
 * The same where there are no links. An empty file of ours keeps the name until the rename, so that what is dropped
 * under it at this very moment is not overwritten; a crash in between leaves it there, empty.
 */
export async function renameUnlessTaken(disk: Disk, from: Place, to: Place): Promise<'moved' | 'taken'> {
  // A folder never takes the place of a file: the rename itself refuses.
  const isReserved = (await lookAt(from))?.isDirectory() !== true;
  try {
    if (isReserved) await disk.reserve(to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'taken';
    throw error;
  }
  try {
    await disk.rename(from, to);
  } catch (error) {
    // It may have been done all the same: only what is empty, and beside its source, is the reservation.
    const isUndone = isReserved && (await lookAt(from)) !== undefined && (await lookAt(to))?.size === 0n;
    if (isUndone) await disk.remove(to);
    throw error;
  }
  return 'moved';
}

/** Removes a folder with the files in it, sidecars before their files; it need not be there. */
export async function removeFilledFolder(disk: Disk, folder: string): Promise<void> {
  try {
    const names = await readdir(folder);
    for (const name of names.toSorted((one, other) => other.length - one.length)) {
      await disk.remove(join(folder, name));
    }
    await disk.removeFolder(folder);
    await disk.sync(dirname(folder));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
