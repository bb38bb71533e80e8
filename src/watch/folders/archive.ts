/**
 * The end of a file: out of work/ into archive/ or rejected/, never over another, and once whatever crashes.
 *
 * The file gets its new name first (a second link; across file systems one of a copy under a name of its item) and
 * loses its old one last. So a crash leaves something in work/ whose new name is known by its inode.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Disk, isSameFile, lookAt, openPlainly, renameUnlessTaken } from '../../platform/disk.ts';
import { errorCode, hashBytes, noLinkCodes, OutputFileError } from '../../platform/durable-file.ts';
import type { FileEnd, WorkItem } from '../ports.ts';
import {
  computeArchiveNames,
  computeRejectedNames,
  itemIdPattern,
  sidecarName,
} from '../rules/drop-folder.ts';
import type { Log } from './inbox.ts';

export interface EndedFolders {
  readonly archive: string;
  readonly rejected: string;
  readonly disk: Disk;
  readonly log: Log;
}

/** A file and where it goes; `copy` is its name there while it is copied from another file system. */
interface Passage {
  readonly source: string;
  readonly folder: string;
  readonly copy: string;
}

/** Names of ours in archive/ and rejected/ while a file goes there. */
const partNames = ['file', 'sidecar', 'reason'] as const;
const temporaryForm = new RegExp(String.raw`^\.(${itemIdPattern})\.(?:file|sidecar|reason)\.tmp$`);
const dateForm = /^\d{4}-\d{2}-\d{2}$/;
/** A crash leaves something in the folder of its day. */
const datesCleared = 2;

/** Removes what was needed while the file went to a path. */
export async function clearPassage(disk: Disk, itemId: string, path: string): Promise<void> {
  for (const part of partNames) await disk.remove(temporaryOf(dirname(path), itemId, part));
}

/** Removes what a crash has left of files that have ended; `open` still need theirs. */
export async function clearLeftovers(
  { archive, rejected, disk }: EndedFolders,
  open: ReadonlySet<string>,
): Promise<void> {
  const dates = (await readdir(archive)).filter((name) => dateForm.test(name)).toSorted();
  const folders = [rejected, ...dates.slice(-datesCleared).map((date) => join(archive, date))];
  for (const folder of folders) {
    for (const name of await readdir(folder)) {
      const itemId = temporaryForm.exec(name)?.[1];
      if (itemId !== undefined && !open.has(itemId)) await disk.remove(join(folder, name));
    }
  }
}

function temporaryOf(folder: string, itemId: string, part: (typeof partNames)[number]): string {
  return join(folder, `.${itemId}.${part}.tmp`);
}

/** Moves the item's file, its sidecar with it, where it ends. @returns the path it ended at */
export async function endFile(folders: EndedFolders, item: WorkItem, end: FileEnd): Promise<string> {
  switch (end.kind) {
    case 'archive': {
      if (!dateForm.test(end.date)) throw new Error(`${end.date} is no date`);
      const folder = join(folders.archive, (await findEarlierDay(folders, item, end)) ?? end.date);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await folders.disk.sync(folders.archive);
      const names = computeArchiveNames(item.fileName, end.batchId, item.itemId);
      return await endIn(folders, item, folder, names, undefined);
    }
    case 'reject': {
      const names = computeRejectedNames(item.fileName, item.itemId);
      return await endIn(folders, item, folders.rejected, names, end.reason);
    }
  }
}

/** The day under which an earlier try has given the file its second name, before a crash; undefined for none. */
async function findEarlierDay(
  { archive }: EndedFolders,
  item: WorkItem,
  { batchId }: Extract<FileEnd, { kind: 'archive' }>,
): Promise<string | undefined> {
  const source = await lookAt(item.path);
  if (source === undefined || source.nlink < 2n) return undefined;
  const dates = (await readdir(archive)).filter((name) => dateForm.test(name)).toSorted();
  for (const date of dates.slice(-datesCleared)) {
    for (const name of computeArchiveNames(item.fileName, batchId, item.itemId)) {
      const there = await lookAt(join(archive, date, name));
      if (there === undefined) break;
      if (isSameFile(source, there)) return date;
    }
  }
  return undefined;
}

async function endIn(
  { disk, log }: EndedFolders,
  item: WorkItem,
  folder: string,
  names: Iterable<string>,
  reason: string | undefined,
): Promise<string> {
  const { itemId } = item;
  const file = { source: item.path, folder, copy: temporaryOf(folder, itemId, 'file') };
  const sidecarCopy = temporaryOf(folder, itemId, 'sidecar');
  const sidecar = { source: sidecarName(item.path), folder, copy: sidecarCopy };
  const note = reason === undefined ? undefined : temporaryOf(folder, itemId, 'reason');
  if (note !== undefined) await prepareNote(disk, note, reason ?? '');
  const isVanished = (await lookAt(item.path)) === undefined;
  if (isVanished) log('warn', 'the file has vanished from work/', { itemId, file: item.fileName });
  for (const name of names) {
    const path = join(folder, name);
    if (!(await placeAll(disk, path, { file, sidecar, note }))) continue;
    await disk.sync(folder);
    await disk.remove(sidecar.source);
    await disk.remove(item.path);
    return path;
  }
  throw new OutputFileError(`cannot move ${item.path}: no name is free in ${folder}: move files away there`);
}

interface Parts {
  readonly file: Passage;
  readonly sidecar: Passage;
  readonly note: string | undefined;
}

/** Gives file, reason and sidecar one name, if it is free for all that are there; the reason first. */
async function placeAll(disk: Disk, path: string, { file, sidecar, note }: Parts): Promise<boolean> {
  const places = [path, sidecarName(path)] as const;
  if (await isForeign(file, places[0])) return false;
  // Without one (any more), nothing goes there.
  if ((await lookAt(sidecar.source)) !== undefined && (await isForeign(sidecar, places[1]))) return false;
  if (note !== undefined && !(await linkNote(disk, note, `${path}.reason.txt`))) return false;
  await place(disk, file, places[0]);
  await place(disk, sidecar, places[1]);
  return true;
}

/** The reason, whole and durable under a name of the item's; one that has been linked already is the same. */
async function prepareNote(disk: Disk, note: string, reason: string): Promise<void> {
  const before = await lookAt(note);
  if (before !== undefined && before.nlink > 1n) return;
  await disk.remove(note);
  await disk.write(note, reason.endsWith('\n') ? reason : `${reason}\n`);
}

async function linkNote(disk: Disk, note: string, to: string): Promise<boolean> {
  try {
    await disk.link(note, to);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' && !noLinkCodes.has(errorCode(error))) throw error;
    const [own, there] = [await lookAt(note), await lookAt(to)];
    if (there === undefined) return (await renameUnlessTaken(disk, note, to)) === 'moved';
    return own !== undefined && isSameFile(own, there);
  }
  return true;
}

/** True when another file has the name. */
async function isForeign({ source, copy }: Passage, to: string): Promise<boolean> {
  const there = await lookAt(to);
  if (there === undefined) return false;
  for (const own of [source, copy]) {
    const stats = await lookAt(own);
    if (stats !== undefined && isSameFile(stats, there)) return false;
  }
  const stats = await lookAt(source);
  if (stats === undefined || !there.isFile() || stats.dev === there.dev) return true;
  // Where there are no links, a crash leaves a copy that is known by its bytes alone.
  return stats.size !== there.size || (await hashBytes(source)) !== (await hashBytes(to));
}

/** Gives the file its new name, which is free or its own already. */
async function place(disk: Disk, passage: Passage, to: string): Promise<void> {
  if ((await lookAt(passage.source)) === undefined || (await lookAt(to)) !== undefined) return;
  try {
    await disk.link(passage.source, to);
  } catch (error) {
    if (noLinkCodes.has(errorCode(error))) await renameTo(disk, passage.source, to);
    else if (errorCode(error) === 'EXDEV') await placeCopy(disk, passage, to);
    else throw error;
  }
}

async function placeCopy(disk: Disk, { source, copy }: Passage, to: string): Promise<void> {
  await disk.remove(copy);
  await using handle = await openPlainly(source);
  await disk.copy(handle, copy);
  try {
    await disk.link(copy, to);
  } catch (error) {
    if (!noLinkCodes.has(errorCode(error))) throw error;
    await renameTo(disk, copy, to);
  }
}

/** Where there are no links. Whoever has taken the name meanwhile keeps it: the next try finds another. */
async function renameTo(disk: Disk, from: string, to: string): Promise<void> {
  if ((await renameUnlessTaken(disk, from, to)) === 'taken')
    throw new OutputFileError(`cannot move ${from}: ${to} was taken at this moment: another name is tried`);
}
