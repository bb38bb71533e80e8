/**
 * The end of a file: out of work/ into archive/ or rejected/, never over another, and exactly once despite
 * crashes.
 *
 * The file gets its new name first (a second link; across file systems, the link of a copy under a name of
 * its item) and loses its old name last. So a crash leaves a file in work/ whose inode leads to its new name.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Disk, isSameFile, lookAt, openPlainly, renameUnlessTaken } from '../../platform/disk.ts';
import { errorCode, hashBytes, noLinkCodes, OutputFileError } from '../../platform/durable-file.ts';
import type { FileEnd, WorkItem } from '../ports.ts';
import {
  composeName,
  computeArchiveNames,
  computeRejectedNames,
  itemIdPattern,
  sidecarName,
} from '../rules/drop-folder.ts';
import { reasonPathOf } from '../rules/rejection-reason.ts';
import type { FoldersContext } from './context.ts';

/** The parts that move together, in this order; each may be missing. */
const parts = ['reason', 'file', 'sidecar'] as const;
type Part = (typeof parts)[number];

const dateForm = /^\d{4}-\d{2}-\d{2}$/;
/** The number of latest days that are cleared: a crash leaves files in the folder of its day. */
const datesCleared = 2;

const nameOf: Readonly<Record<Part, (path: string) => string>> = {
  reason: reasonPathOf,
  file: (path) => path,
  sidecar: sidecarName,
};

const prefixOf = ({ label }: FoldersContext): string => (label === undefined ? '.' : `.${label}.`);

/** The temporary name of a part in archive/ or rejected/. */
function temporaryOf(context: FoldersContext, folder: string, itemId: string, part: Part): string {
  return join(folder, `${prefixOf(context)}${itemId}.${part}.tmp`);
}

/** The form of the temporary names. */
const temporaryForm = (context: FoldersContext): RegExp =>
  new RegExp(
    String.raw`^${RegExp.escape(prefixOf(context))}(${itemIdPattern})\.(?:${parts.join('|')})\.tmp$`,
  );

/** Removes the temporary names of a file on its way to a path. */
export async function clearWay(context: FoldersContext, itemId: string, path: string): Promise<void> {
  for (const part of parts) await context.disk.remove(temporaryOf(context, dirname(path), itemId, part));
}

/** Removes leftovers of a crash for ended files; `open` items still need theirs. */
export async function clearLeftovers(context: FoldersContext, open: ReadonlySet<string>): Promise<void> {
  const { folders, disk } = context;
  const form = temporaryForm(context);
  for (const folder of [folders.rejected, ...(await listLatestDays(folders.archive))]) {
    for (const name of await readdir(folder)) {
      const itemId = form.exec(name)?.[1];
      if (itemId !== undefined && !open.has(itemId)) await disk.remove(join(folder, name));
    }
  }
}

/** Finds the path of an ended file by its inode, where a crash came before the record. */
export async function findEnded(
  { folders }: FoldersContext,
  inode: string,
  fileName: string,
): Promise<string | undefined> {
  const [stem = ''] = composeName(fileName, '').split('.');
  for (const folder of [...(await listLatestDays(folders.archive)), folders.rejected]) {
    for (const name of (await readdir(folder)).filter((one) => one.startsWith(stem))) {
      const stats = await lookAt(join(folder, name));
      if (stats?.isFile() === true && String(stats.ino) === inode) return join(folder, name);
    }
  }
  return undefined;
}

/** The path at which a file ends that is rejected now: the first name free for the file and its reason. */
export async function findRejectedPath(context: FoldersContext, item: WorkItem): Promise<string> {
  const { rejected } = context.folders;
  for (const name of computeRejectedNames(item.fileName, item.itemId)) {
    const path = join(rejected, name);
    if (await areFree(listMoves(context, item, path), path)) return path;
  }
  return rejected;
}

async function listLatestDays(archive: string): Promise<string[]> {
  const dates = (await readdir(archive)).filter((name) => dateForm.test(name)).toSorted();
  return dates.slice(-datesCleared).map((date) => join(archive, date));
}

/** Moves the item's file to its end, with its sidecar. @returns the path of the end */
export async function endFile(context: FoldersContext, item: WorkItem, end: FileEnd): Promise<string> {
  const { folders, disk } = context;
  switch (end.kind) {
    case 'archive': {
      if (!dateForm.test(end.date)) throw new Error(`${end.date} is no date`);
      const folder = (await findEarlierDay(context, item, end)) ?? join(folders.archive, end.date);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await disk.sync(folders.archive);
      return await endIn(context, item, folder, computeArchiveNames(item.fileName, end.batchId, item.itemId));
    }
    case 'reject': {
      await prepareReason(disk, temporaryOf(context, folders.rejected, item.itemId, 'reason'), end.reason);
      return await endIn(context, item, folders.rejected, computeRejectedNames(item.fileName, item.itemId));
    }
  }
}

/** The day under which a try before a crash gave the file its second name; undefined for none. */
async function findEarlierDay(
  { folders }: FoldersContext,
  item: WorkItem,
  { batchId }: Extract<FileEnd, { kind: 'archive' }>,
): Promise<string | undefined> {
  const source = await lookAt(item.path);
  if (source === undefined || source.nlink < 2n) return undefined;
  for (const folder of await listLatestDays(folders.archive)) {
    for (const name of computeArchiveNames(item.fileName, batchId, item.itemId)) {
      const there = await lookAt(join(folder, name));
      if (there === undefined) break;
      if (isSameFile(source, there)) return folder;
    }
  }
  return undefined;
}

/** Writes the reason, whole and durable, under a temporary name; one that was linked already is the same. */
async function prepareReason(disk: Disk, path: string, reason: string): Promise<void> {
  const before = await lookAt(path);
  if (before !== undefined && before.nlink > 1n) return;
  await disk.remove(path);
  await disk.write(path, reason.endsWith('\n') ? reason : `${reason}\n`);
}

/** A part and its target; `copy` is its name there while it is copied from another file system. */
interface Move {
  readonly source: string;
  readonly copy: string;
  readonly to: string;
}

/** Every part of an item, with its target when the file goes to `path`. */
function listMoves(context: FoldersContext, item: WorkItem, path: string): readonly Move[] {
  const copyOf = (part: Part): string => temporaryOf(context, dirname(path), item.itemId, part);
  const sources = { reason: copyOf('reason'), file: item.path, sidecar: sidecarName(item.path) };
  return parts.map((part) => ({ source: sources[part], copy: copyOf(part), to: nameOf[part](path) }));
}

async function endIn(
  context: FoldersContext,
  item: WorkItem,
  folder: string,
  names: Iterable<string>,
): Promise<string> {
  const { disk, log } = context;
  const { itemId, fileName: file } = item;
  if ((await lookAt(item.path)) === undefined)
    log('warn', 'the file has vanished from work/', { itemId, file });
  for (const name of names) {
    const path = join(folder, name);
    const moves = listMoves(context, item, path);
    if (!(await areFree(moves, path))) continue;
    for (const move of moves) await place(disk, move);
    await disk.sync(folder);
    await disk.remove(sidecarName(item.path));
    await disk.remove(item.path);
    return path;
  }
  throw new OutputFileError(`cannot move ${item.path}: no name is free in ${folder}: move files away there`);
}

/** True when the names are free, or already taken by the same parts, including the name of a file that has vanished. */
async function areFree(moves: readonly Move[], path: string): Promise<boolean> {
  for (const move of moves) {
    const goesThere = move.to === path || (await lookAt(move.source)) !== undefined;
    if (goesThere && (await isForeign(move))) return false;
  }
  return true;
}

/** True when another file has the name. */
async function isForeign({ source, copy, to }: Move): Promise<boolean> {
  const there = await lookAt(to);
  if (there === undefined) return false;
  for (const own of [source, copy]) {
    const stats = await lookAt(own);
    if (stats !== undefined && isSameFile(stats, there)) return false;
  }
  const stats = await lookAt(source);
  if (stats === undefined || !there.isFile() || stats.dev === there.dev) return true;
  // Without links, a crash leaves a copy that only its bytes identify.
  return stats.size !== there.size || (await hashBytes(source)) !== (await hashBytes(to));
}

/** Gives a part its new name, which is free or its own; across file systems a copy gets it, made first. */
async function place(disk: Disk, { source, copy, to }: Move): Promise<void> {
  if ((await lookAt(source)) === undefined || (await lookAt(to)) !== undefined) return;
  try {
    await give(disk, source, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    await disk.remove(copy);
    await using handle = await openPlainly(source);
    await disk.copy(handle, copy);
    await give(disk, copy, to);
  }
}

/**
 * Gives the name, by a link where possible. A file that took the name meanwhile keeps it; the next try finds
 * another.
 */
async function give(disk: Disk, from: string, to: string): Promise<void> {
  try {
    await disk.link(from, to);
  } catch (error) {
    if (!noLinkCodes.has(errorCode(error))) throw error;
    if ((await renameUnlessTaken(disk, from, to)) === 'taken')
      throw new OutputFileError(`cannot move ${from}: ${to} was taken at this moment: another name is tried`);
  }
}
