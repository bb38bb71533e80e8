/** Tests by a write whether folders accept writes: counted free space may not be usable. */
import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode, failWith, OutputFileError } from './durable-file.ts';

/** A folder that refuses writes. */
interface FolderTrouble {
  readonly path: string;
  /** Message that names the folder and the cure. */
  readonly why: string;
}

/**
 * Name of the probe: hidden, so that no inbox takes it for a payout file; fixed, so that a crash leaves at most one.
 */
const probeName = '.paydrop-probe.tmp';
/**
 * Size of the probe, more than a file system stores beside a file's name; random, so that it cannot be compressed away.
 */
const probeBytes = 8_192;
const ownerOnly = 0o600;
/** Longest wait in ms: an unreachable share may never answer. */
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

/** Probes under way. A folder that hangs is not probed again meanwhile: each probe would occupy a thread. */
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

/** Describes a refusal without "run it again": the prober repeats the probe by itself. */
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
    // Another process probes the same folder at this moment: the folder accepts new files.
    if (errorCode(error) === 'EEXIST') return;
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  await rm(path, { force: true });
}

/** Removes the file of a crash; a link itself is removed, never its target. */
async function clearAway(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    if (errorCode(error) !== 'ERR_FS_EISDIR') throw error;
    throw new OutputFileError(`cannot write ${path}: a folder has this name: move it away`, { cause: error });
  }
}
