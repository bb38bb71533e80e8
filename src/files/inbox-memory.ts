/** Which inboxes were worked from this work folder: one that lacks our stamp is then another folder. */
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AtomicFile, errorCode, failWith, syncFolder } from './atomic-file.ts';

const memoryName = '.paydrop-inboxes.json';

/** The absolute paths; none where nothing is known (any more). */
async function readMemory(work: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(join(work, memoryName), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  try {
    const { inboxes } = JSON.parse(text) as { readonly inboxes?: unknown };
    return Array.isArray(inboxes) ? inboxes.filter((path) => typeof path === 'string') : [];
  } catch {
    // Written anew at the next binding.
    return [];
  }
}

/** True when an inbox at this path has been bound before. */
export async function isRemembered(work: string, inbox: string): Promise<boolean> {
  return (await readMemory(work)).includes(inbox);
}

/** Keeps for later processes that an inbox at this path has been bound. */
export async function rememberInbox(work: string, inbox: string): Promise<void> {
  const known = await readMemory(work);
  if (known.includes(inbox)) return;
  await writeWhole(join(work, memoryName), `${JSON.stringify({ inboxes: [...known, inbox] })}\n`);
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
