/** Whether folders accept writes, found out by writing: free space that is counted may be nobody's to use. */
import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode, failWith, OutputFileError } from './durable-file.ts';

/** A folder that refuses writes. */
export interface FolderTrouble {
  readonly path: string;
  /** Names the folder and the cure. */
  readonly why: string;
}

/** Hidden, so that no inbox takes it for a payout file. Always the same, so that a crash leaves one at the most. */
const probeName = '.paydrop-probe.tmp';
/** More than a file system keeps beside the name of a file; by chance, so that none can compress it away. */
const probeBytes = 8_192;
const ownerOnly = 0o600;
/** A share that is gone may keep whoever asks it waiting for ever. */
const timeoutMsDefault = 10_000;

/**
 * Writes a small file in each folder, makes it durable and removes it again.
 * @param timeoutMs for each folder
 * @param write for tests
 * @returns the first trouble, in the order of the folders
 */
export async function probeFolders(
  folders: readonly string[],
  timeoutMs: number = timeoutMsDefault,
  write: (folder: string) => Promise<void> = writeProbe,
): Promise<FolderTrouble | undefined> {
  for (const path of folders) {
    const why = await waitFor(probeOnce(path, write), path, timeoutMs);
    if (why !== undefined) return { path, why };
  }
  return undefined;
}

/** Probes under way. A folder that hangs is not asked again meanwhile: each question would keep a thread waiting. */
const underWay = new Map<string, Promise<string | undefined>>();

function probeOnce(folder: string, write: (folder: string) => Promise<void>): Promise<string | undefined> {
  const earlier = underWay.get(folder);
  if (earlier !== undefined) return earlier;
  const probe = write(folder)
    .then(
      () => undefined,
      (error: unknown) => describeRefusal(folder, error),
    )
    .finally(() => underWay.delete(folder));
  underWay.set(folder, probe);
  return probe;
}

async function waitFor(
  probe: Promise<string | undefined>,
  folder: string,
  timeoutMs: number,
): Promise<string | undefined> {
  const silence = `cannot write in ${folder}: no answer within ${timeoutMs} ms: look at the disk or the share`;
  const over = new AbortController();
  try {
    return await Promise.race([probe, wait(timeoutMs, silence, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

/** Nobody has to run anything again: whoever probes goes on by himself. */
const describeRefusal = (folder: string, error: unknown): string =>
  failWith('write in', folder, error).message.replace(/ and run it again$/, '');

async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, probeName);
  await clearAway(path);
  try {
    await using handle = await open(path, 'wx', ownerOnly);
    await handle.writeFile(randomBytes(probeBytes));
    await handle.sync();
  } catch (error) {
    // Another process probes the same folder at this very moment: it takes new files.
    if (errorCode(error) === 'EEXIST') return;
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  await rm(path, { force: true });
}

/** Removes what a crash has left; a link goes itself, never what it points to. */
async function clearAway(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    if (errorCode(error) !== 'ERR_FS_EISDIR') throw error;
    throw new OutputFileError(`cannot write ${path}: a folder has this name: move it away`, { cause: error });
  }
}
