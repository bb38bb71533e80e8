/** Which inboxes were worked from this work folder: one that lacks our stamp is then another folder. */
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AtomicFile, errorCode, failWith, syncFolder } from './atomic-file.ts';

const memoryName = '.paydrop-inboxes.json';

/** An inbox that has been bound. */
interface KnownInbox {
  /** Absolute. */
  readonly path: string;
  /** It was on the file system of work/: no share or disk of its own that may be away. */
  readonly isBesideWork: boolean;
}

const isKnownInbox = (entry: unknown): entry is KnownInbox =>
  typeof (entry as KnownInbox | null)?.path === 'string' &&
  typeof (entry as KnownInbox).isBesideWork === 'boolean';

/** None where nothing is known (any more). */
async function readMemory(work: string): Promise<readonly KnownInbox[]> {
  let text: string;
  try {
    text = await readFile(join(work, memoryName), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  try {
    const { inboxes } = JSON.parse(text) as { readonly inboxes?: unknown };
    return Array.isArray(inboxes) ? inboxes.filter(isKnownInbox) : [];
  } catch {
    // Written anew at the next binding.
    return [];
  }
}

/** True where the folder, or the one that it would be made in, is on the file system of work/. */
async function isBesideWork(work: string, inbox: string): Promise<boolean> {
  const own = await stat(inbox).catch(() => stat(dirname(inbox)));
  return own.dev === (await stat(work)).dev;
}

/**
 * True when the inbox at this path may be away, so that another folder there, or none, is not it: it has been bound
 * before, and was or would be on another file system than work/. One beside work/ was removed by somebody.
 */
export async function mayBeAway(work: string, inbox: string): Promise<boolean> {
  const known = (await readMemory(work)).find(({ path }) => path === inbox);
  return known !== undefined && !(known.isBesideWork && (await isBesideWork(work, inbox)));
}

/** Keeps for later processes that an inbox at this path has been bound. */
export async function rememberInbox(work: string, inbox: string): Promise<void> {
  const known = await readMemory(work);
  const entry: KnownInbox = { path: inbox, isBesideWork: await isBesideWork(work, inbox) };
  const others = known.filter(({ path }) => path !== inbox);
  if (known.some((one) => one.path === inbox && one.isBesideWork === entry.isBesideWork)) return;
  await writeWhole(join(work, memoryName), `${JSON.stringify({ inboxes: [...others, entry] })}\n`);
}

/** Writes a file of ours whole, or not at all, over the one before. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await using file = await AtomicFile.open(path);
  await file.write(text);
  const { temporaryPath } = await file.finish();
  try {
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw failWith('write', path, error);
  }
  await syncFolder(dirname(path));
}
