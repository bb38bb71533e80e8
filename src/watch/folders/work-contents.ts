/** What stands in the folder of one claimed file: the file, its sidecar, and what other systems leave beside them. */
import { type FileHandle, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, lookAt } from '../../platform/disk.ts';
import { errorCode } from '../../platform/durable-file.ts';
import { composeName, sidecarName } from '../rules/drop-folder.ts';

/** The file and whether it has its sidecar. */
export interface Contents {
  readonly fileName: string;
  readonly hasSidecar: boolean;
}

/** Of shares that keep removed files that are still open, and of other systems' desktops; never a claimed file. */
const droppingForm = /^\.(?:nfs|fuse_hidden|smbdelete|_|DS_Store$|AppleDouble$)/;
/** The shortest limit that is met; for names that a file system refuses. */
const shortNameBytes = 120;
const badNameCodes = new Set(['EINVAL', 'EILSEQ', 'ENAMETOOLONG']);

/** The entries of a claimed file's folder, without what other systems have put beside the file. */
export function withoutDroppings<Entry extends { readonly name: string | Buffer }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.filter(({ name }) => !droppingForm.test(name.toString()));
}

/** Tells the file from its sidecar; undefined for what is none of ours. */
export async function readContents(folder: string): Promise<Contents | 'empty' | undefined> {
  const entries = withoutDroppings(await readdir(folder, { withFileTypes: true }));
  if (entries.length === 0) return 'empty';
  if (!entries.every((entry) => entry.isFile())) return undefined;
  return tellContents(entries.map(({ name }) => name));
}

/** The file among these names; undefined unless there is one, with its sidecar at the most. */
export function tellContents(names: readonly string[]): Contents | undefined {
  const [first = '', second] = names;
  if (second === undefined) return { fileName: first, hasSidecar: false };
  const fileName = names.find((name) => names.includes(sidecarName(name)));
  return fileName === undefined || names.length > 2 ? undefined : { fileName, hasSidecar: true };
}

/** True for a source that has not been written to since it was copied. */
export async function isCopied(claimed: string, folder: string): Promise<boolean> {
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

/** Copies under the file's own name, or a plainer one where the file system refuses that. @returns the name */
export async function copyUnder(
  disk: Disk,
  source: FileHandle,
  folder: string,
  name: string,
): Promise<string> {
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

/** There is no room for a copy. The message says how much it takes, and the cure. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'ENOSPC';
}

/** A file that is copied is read into the journal next, which takes as much again. */
const spaceShare = 2n;
const mebibyte = 1_048_576n;

/**
 * Looks at the free space before a file is copied, so that trying again does not fill the disk.
 * @throws NoRoomError when it is too little
 */
export async function requireRoom(disk: Disk, path: string, folder: string): Promise<void> {
  const { size } = await lstat(path, { bigint: true });
  const [needed, free] = [size * spaceShare, await disk.freeBytes(folder)];
  if (free === undefined || needed <= free) return;
  const inMebibytes = (bytes: bigint): string => `${(bytes + mebibyte - 1n) / mebibyte} MiB`;
  throw new NoRoomError(
    `it takes ${inMebibytes(needed)} in ${folder}, where ${inMebibytes(free)} are free: ` +
      'free some space, and it goes on by itself',
  );
}
