/**
 * Files that appear whole or not at all: written under a temporary name in the same folder, made durable, then linked
 * to their own name, which never overwrites.
 */
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A file that is complete and durable under its temporary name. */
export interface PreparedFile {
  readonly path: string;
  readonly temporaryPath: string;
  /** SHA-256 of the bytes, as hex. */
  readonly sha256: string;
}

/**
 * `published`: now, under its own name. `already-there`: earlier, with these bytes. `gone`: neither the file nor its
 * temporary one exists; it was published and taken away since.
 */
export type PublishedState = 'published' | 'already-there' | 'gone';

/** A file could not be written or published; the message names the path and the cure. */
export class OutputFileError extends Error {
  override readonly name = 'OutputFileError';
}

/** Other files have the names of files that are to be published. */
export class NamesTakenError extends OutputFileError {
  /** The other files. */
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    const [first = '', ...others] = paths;
    const beside = others.length === 0 ? '' : `; so it is with ${others.join(' and ')}`;
    super(
      `cannot publish ${first}: another file has this name already; move it away and run it again${beside}`,
    );
    this.paths = paths;
  }
}

/** Mode of a file that only the owner may read. */
const fileMode = 0o600;
/** Mode of a file that the group of its folder may also read. */
const sharedFileMode = 0o640;
const randomLength = 6;

const cures: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space and run it again',
  EDQUOT: 'the disk quota is used up: free some space and run it again',
  EACCES: 'permission is denied: let this user write in the folder',
  EPERM: 'the operation is not permitted: let this user write in the folder',
  EROFS: 'the file system is read-only: set another folder or make it writable',
  ENOENT: 'the folder is not there: create it or set another one',
  EEXIST: 'something else has this name: move it away',
  ENOTDIR: 'a part of the path is not a folder: move it away or set another folder',
  ENAMETOOLONG: 'the name is too long for this file system: shorten the name of the input file',
  EFBIG: 'the file is larger than this user may write: raise the limit (ulimit -f)',
  EIO: 'the disk reports an error: check the disk before anything else',
  ESTALE: 'the share has gone stale: mount it again',
  ENOTCONN: 'the share is not connected: mount it again',
  EHOSTDOWN: 'the server of the share does not answer: see that it runs',
  ETIMEDOUT: 'the server of the share does not answer: see that it runs',
};

/** The system's code of an error, such as ENOENT; empty when it has none. */
export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** The failure of a step on a path, with its cure. */
export function failWith(action: string, path: string, error: unknown): OutputFileError {
  if (error instanceof OutputFileError) return error;
  const cure = cures[errorCode(error)] ?? (error as Error).message;
  return new OutputFileError(`cannot ${action} ${path}: ${cure}`, { cause: error });
}

/** The temporary name of a path, 18 bytes longer; names made by computeReportName leave room for it. */
function makeTemporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(randomLength).toString('hex')}.tmp`);
}

/** The file name behind a temporary name of ours; undefined for any other name. */
export function readTemporaryName(name: string): string | undefined {
  return /^\.(.+)\.[0-9a-f]{12}\.tmp$/s.exec(name)?.[1];
}

/** Our temporary files older than a moment whose own names match; newer ones may still be in work. */
export async function findOldTemporaries(
  folder: string,
  pattern: RegExp,
  beforeMs: number,
): Promise<readonly string[]> {
  const old: string[] = [];
  try {
    for (const name of await readdir(folder)) {
      if (!pattern.test(readTemporaryName(name) ?? '')) continue;
      // Another process may have finished with the file meanwhile.
      const modifiedMs = (await stat(join(folder, name)).catch(ignoreMissing))?.mtimeMs ?? Infinity;
      if (modifiedMs < beforeMs) old.push(name);
    }
    return old;
  } catch (error) {
    throw failWith('clean up', folder, error);
  }
}

/** Reads a text; undefined where there is no file. */
export const readTextIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(ignoreMissing);

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/** Removes the files that `findOldTemporaries` finds. */
export async function removeOldTemporaries(folder: string, pattern: RegExp, beforeMs: number): Promise<void> {
  for (const name of await findOldTemporaries(folder, pattern, beforeMs)) {
    const path = join(folder, name);
    await rm(path, { force: true }).catch((error: unknown) => {
      throw failWith('clean up', path, error);
    });
  }
}

/** Codes of shares that cannot make a folder durable; nothing more can be done there. */
const noSyncCodes = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** Makes created, renamed and removed names of the folder durable, if its file system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, constants.O_RDONLY);
    await handle.sync();
  } catch (error) {
    if (!noSyncCodes.has(errorCode(error))) throw error;
  }
}

/** The same synchronously, for use inside a transaction. */
export function syncFolderNow(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!noSyncCodes.has(errorCode(error))) throw error;
  } finally {
    closeSync(handle);
  }
}

/**
 * Replaces a file, so that a reader or a crash meets the old or the new one whole. The temporary name is fixed: only
 * one process writes the file, and the remains of a crash are overwritten.
 */
export function replaceFileNow(path: string, text: string): void {
  const temporaryPath = `${path}.tmp`;
  const file = openSync(temporaryPath, 'w', fileMode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporaryPath, path);
  syncFolderNow(dirname(path));
}

/** Replaces a file, whole or not at all; other processes may write it at the same moment. */
export async function replaceFile(path: string, text: string): Promise<void> {
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

const hashBlockBytes = 262_144;

/** SHA-256 of a file's bytes as hex. */
export async function hashBytes(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY);
  const hash = createHash('sha256');
  // One block for all reads: a stream leaves tens of megabytes that are collected late.
  const block = Buffer.allocUnsafe(hashBlockBytes);
  for (;;) {
    const { bytesRead } = await file.read(block, 0, block.length, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(block.subarray(0, bytesRead));
  }
}

/** SHA-256 (hex) of a file and of its first bytes, which shows whether the file was only appended to. */
export async function hashWithStart(
  path: string,
  startBytes: number,
): Promise<{ readonly sha256: string; readonly startSha256: string; readonly bytes: number }> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const [whole, start] = [createHash('sha256'), createHash('sha256')];
  const block = Buffer.allocUnsafe(hashBlockBytes);
  for (let bytes = 0; ;) {
    const { bytesRead } = await file.read(block, 0, block.length, null);
    if (bytesRead === 0) return { sha256: whole.digest('hex'), startSha256: start.digest('hex'), bytes };
    whole.update(block.subarray(0, bytesRead));
    if (bytes < startBytes) start.update(block.subarray(0, Math.min(bytesRead, startBytes - bytes)));
    bytes += bytesRead;
  }
}

/** Number of the group that may read the written file; undefined: only the owner. */
export type ReadingGroup = number | undefined;

/** Sets the group before its right, so that no other group ever has it, regardless of the umask. */
async function shareWith(handle: FileHandle, groupId: number): Promise<void> {
  if ((await handle.stat()).gid !== groupId) await handle.chown(-1, groupId);
  await handle.chmod(sharedFileMode);
}

/** A file being written under its temporary name; closing it unfinished removes it. */
export class AtomicFile implements AsyncDisposable {
  readonly #path: string;
  readonly temporaryPath: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #isFinished = false;

  private constructor(path: string, temporaryPath: string, handle: FileHandle) {
    this.#path = path;
    this.temporaryPath = temporaryPath;
    this.#handle = handle;
  }

  /** Opens a new temporary file beside `path`; never opens an existing file. */
  static async open(path: string, group?: ReadingGroup): Promise<AtomicFile> {
    const temporaryPath = makeTemporaryPath(path);
    try {
      const file = new AtomicFile(path, temporaryPath, await open(temporaryPath, 'wx', fileMode));
      if (group === undefined) return file;
      await using opened = new AsyncDisposableStack();
      opened.use(file);
      await shareWith(file.#handle, group);
      opened.move();
      return file;
    } catch (error) {
      throw failWith('create', path, error);
    }
  }

  /** Appends bytes, or text as UTF-8. */
  async write(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    this.#hash.update(bytes);
    try {
      await this.#handle.writeFile(bytes);
    } catch (error) {
      throw failWith('write', this.#path, error);
    }
  }

  /** Makes the bytes and the temporary name durable. */
  async finish(): Promise<PreparedFile> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      await syncFolder(dirname(this.#path));
    } catch (error) {
      throw failWith('write', this.#path, error);
    }
    this.#isFinished = true;
    return { path: this.#path, temporaryPath: this.temporaryPath, sha256: this.#hash.digest('hex') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFinished) return;
    await this.#handle.close().catch(() => undefined);
    await rm(this.temporaryPath, { force: true });
  }
}

/** The kind of a path: nothing, a file, or something else (a folder, a link, a pipe). */
async function inspect(path: string): Promise<'nothing' | 'file' | 'other'> {
  try {
    return (await lstat(path)).isFile() ? 'file' : 'other';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'nothing';
    throw failWith('read', path, error);
  }
}

/** SHA-256 (hex) of a file's bytes; undefined when the path is not a file. */
export async function hashFile(path: string): Promise<string | undefined> {
  if ((await inspect(path)) !== 'file') return undefined;
  try {
    return await hashBytes(path);
  } catch (error) {
    throw failWith('read', path, error);
  }
}

/** Codes of file systems without hard links (FAT, some network shares), and of files that may not be linked. */
export const noLinkCodes: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
]);

/**
 * Links the file to its name if the name is free; false when it is taken. Without links, an empty file reserves the
 * name until the rename; an empty one left by a crash counts as ours.
 */
async function claimName(temporaryPath: string, path: string): Promise<boolean> {
  try {
    await link(temporaryPath, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!noLinkCodes.has(errorCode(error))) throw error;
  }
  try {
    await (await open(path, 'wx', fileMode)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const there = await lstat(path);
    if (!there.isFile() || there.size > 0) return false;
  }
  await rename(temporaryPath, path);
  return true;
}

/**
 * Gives a file its own name, now or after a crash that prevented it. An existing file with the same bytes is the same
 * file, published earlier; one with other bytes is never overwritten. The temporary name is removed last: if it is
 * missing (or has other bytes), the file was published, and if the file is missing, too, it was taken away since.
 */
export async function publishFile(prepared: PreparedFile): Promise<PublishedState> {
  const { path, temporaryPath, sha256 } = prepared;
  try {
    if ((await hashFile(temporaryPath)) !== sha256) {
      return (await inspect(path)) === 'nothing' ? 'gone' : 'already-there';
    }
    const isPublished = await claimName(temporaryPath, path);
    if (!isPublished && (await hashFile(path)) !== sha256) {
      throw new NamesTakenError([path]);
    }
    await syncFolder(dirname(path));
    await rm(temporaryPath, { force: true });
    return isPublished ? 'published' : 'already-there';
  } catch (error) {
    throw failWith('publish', path, error);
  }
}
