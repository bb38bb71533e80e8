/** Whose inbox it is: `.paydrop/journal.json` in it names the journal that works it. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AtomicFile, errorCode, publishFile } from './atomic-file.ts';
import { lookAt } from './disk.ts';

/** The inbox is worked by another journal, or cannot be told to be ours. The message names it and the cure. */
export class InboxRefusedError extends Error {
  override readonly name = 'InboxRefusedError';
}

/** What belongs to paydrop in an inbox; never taken for a payout file. */
export const ownFolderName = '.paydrop';

/** Where files stand that were claimed and are not in work/ yet: on the inbox's own file system. */
export function claimedFolderOf(inbox: string): string {
  return join(inbox, ownFolderName, 'claimed');
}

/** Tells one folder from another that takes its name later; links are followed. */
export async function identifyFolder(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}-${ino}`;
}

/** Makes sure that an ordinary folder of ours stands there: a link might lead the files out of the inbox. */
async function requireFolder(path: string, inbox: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if ((await lookAt(path))?.isDirectory() === true) return;
    throw new InboxRefusedError(`the inbox ${inbox} cannot be used: ${path} is no folder: move it away`, {
      cause: error,
    });
  }
}

async function readStamp(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeStamp(path: string, journalId: string): Promise<void> {
  await using file = await AtomicFile.open(path);
  await file.write(`${JSON.stringify({ journalId })}\n`);
  await publishFile(await file.finish());
}

/** The id in a stamp; undefined when there is none to be read. */
function parseStamp(text: string): string | undefined {
  try {
    const stamp = JSON.parse(text) as { readonly journalId?: unknown } | null;
    return typeof stamp?.journalId === 'string' ? stamp.journalId : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes an inbox ours, or sees that it is. The folder itself must be there.
 * @returns what tells this folder from another (see identifyFolder)
 * @throws InboxRefusedError when another journal works it
 */
export async function bindInbox(inbox: string, journalId: string): Promise<string> {
  const identity = await identifyFolder(inbox);
  const own = join(inbox, ownFolderName);
  await requireFolder(own, inbox);
  await requireFolder(claimedFolderOf(inbox), inbox);
  const path = join(own, 'journal.json');
  if ((await readStamp(path)) === undefined) {
    // Another watcher may write its own at this very moment: whose is there in the end is read below.
    await writeStamp(path, journalId).catch(async (error: unknown) => {
      if ((await readStamp(path)) === undefined) throw error;
    });
  }
  const found = parseStamp((await readStamp(path)) ?? '');
  if (found === journalId) return identity;
  const whose = found === undefined ? 'names no journal' : `names the journal ${found}`;
  throw new InboxRefusedError(
    `the inbox ${inbox} is not this journal's: ${path} ${whose}, and this one is ${journalId}. ` +
      'Set another folders.inbox, or the dataDir that this inbox belongs to; ' +
      'remove the file only if no other journal works this inbox any more',
  );
}
