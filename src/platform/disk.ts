/**
 * The steps by which files pass through the watcher's folders. When the machine stops, each step is complete or has not
 * happened, except the two that write. They are passed in, so that a test can stop the machine between any two.
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

/** A path; as bytes when a name is not UTF-8. */
export type DiskPath = string | Buffer;

export interface Disk {
  /** Makes a folder that does not exist yet, for its owner only. */
  makeFolder(path: string): Promise<void>;
  rename(from: DiskPath, to: DiskPath): Promise<void>;
  /** Gives a file a second name; never overwrites. */
  link(from: DiskPath, to: DiskPath): Promise<void>;
  /** Makes an empty file; EEXIST when the name is taken. */
  reserve(path: DiskPath): Promise<void>;
  /** Removes a file if it exists. */
  remove(path: DiskPath): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** Copies into a new file, durably, with the source's time of change. */
  copy(source: FileHandle, to: string): Promise<void>;
  /** Writes a new file, durably. */
  write(path: string, text: string): Promise<void>;
  /** Makes the names in a folder durable, if its file system can. */
  sync(folder: string): Promise<void>;
  /** Free bytes; undefined when the file system does not tell. */
  freeBytes(folder: string): Promise<bigint | undefined>;
}

/** The source of a copy cannot be read: the fault is the file's, not the disk's. */
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

/** Codes of a name that does not exist, or is too long to exist. */
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
    // A later write reports the fault.
    const stats = await statfs(folder, { bigint: true }).catch(() => undefined);
    return stats === undefined || stats.blocks === 0n ? undefined : stats.bavail * stats.bsize;
  },
};

// ---------------------------------------------------------------- reading

/** Joins a folder and a name; bytes when the name is not UTF-8. */
export function joinName(folder: string, name: Buffer): DiskPath {
  const text = name.toString('utf8');
  return Buffer.from(text, 'utf8').equals(name)
    ? join(folder, text)
    : Buffer.concat([Buffer.from(join(folder, '/'), 'utf8'), name]);
}

/** Status of a path, without following links; undefined when nothing is there. */
export async function lookAt(path: DiskPath): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (nothingCodes.has(errorCode(error))) return undefined;
    throw error;
  }
}

/** Device, inode, size and time of the last write, which a rename does not change. */
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

/** Opens a regular file without following a link or waiting for a pipe. */
export function openPlainly(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Removes the rights of other users and makes the bytes durable, as far as permitted. */
export async function secureFile(path: string): Promise<void> {
  await chmod(path, 0o600).catch(() => undefined);
  try {
    await using file = await openPlainly(path);
    await file.sync();
  } catch (error) {
    // A later read meets the same error and reports it.
    if (errorCode(error) === 'EIO' || errorCode(error) === 'ENOSPC') throw error;
  }
}

// ---------------------------------------------------------------- moving

/** Renames on one file system without overwriting; repeatable after a crash between its two steps. */
export async function moveUnlessTaken(disk: Disk, from: DiskPath, to: DiskPath): Promise<'moved' | 'taken'> {
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
 * The same on a file system without links. An empty file reserves the name until the rename, so that a file dropped
 * under it at this moment is not overwritten; a crash in between leaves the empty file.
 */
export async function renameUnlessTaken(
  disk: Disk,
  from: DiskPath,
  to: DiskPath,
): Promise<'moved' | 'taken'> {
  // A folder never replaces a file: the rename itself refuses.
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
    // The rename may have succeeded: only an empty file beside its source is the reservation.
    const isUndone = isReserved && (await lookAt(from)) !== undefined && (await lookAt(to))?.size === 0n;
    if (isUndone) await disk.remove(to);
    throw error;
  }
  return 'moved';
}

/** Removes a folder with its files, sidecars before their files; the folder may be missing. */
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
