/** The statements folder: the bank's bytes as they came, each under a name that tells their day and their hash. */
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FileRejected, openRegularFile, readBlocks } from '../../platform/csv/open.ts';
import { probeFolders } from '../../platform/disk-probe.ts';
import {
  AtomicFile,
  errorCode,
  failWith,
  OutputFileError,
  publishFile,
  removeOldTemporaries,
} from '../../platform/durable-file.ts';
import type { KeptOriginal, OriginalDraft, StatementOriginals, StatementRefused } from '../ports.ts';
import { findForm, formBytes } from './form.ts';

/** Readable by the owner only. */
const fileMode = 0o600;

/** Characters of the hash that a name shows. */
const shownHashLength = 10;

const datePattern = /^\d{8}$/;

/** A new file in the folder under a name that only says that it is unfinished. */
export async function openTemporary(
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  const path = join(folder, `.${name}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    return { path, handle: await open(path, 'wx', fileMode) };
  } catch (error) {
    throw failWith('create', path, error);
  }
}

class Draft implements OriginalDraft {
  readonly #folder: string;
  readonly #date: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #head = Buffer.alloc(0);
  #sizeBytes = 0;
  #isKept = false;

  constructor(folder: string, date: string, path: string, handle: FileHandle) {
    this.#folder = folder;
    this.#date = date;
    this.#path = path;
    this.#handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.length;
    const wanted = formBytes - this.#head.length;
    if (wanted > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, wanted)]);
    try {
      await this.#handle.writeFile(bytes);
    } catch (error) {
      throw failWith('write', this.#path, error);
    }
  }

  async keep(): Promise<KeptOriginal> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
    } catch (error) {
      throw failWith('write', this.#path, error);
    }
    const sha256 = this.#hash.digest('hex');
    const { form, ending } = findForm(this.#head);
    const name = `${this.#date}.${sha256.slice(0, shownHashLength)}.original.${ending}`;
    const path = join(this.#folder, name);
    const state = await publishFile({ path, temporaryPath: this.#path, sha256 });
    this.#isKept = true;
    // One that has come again is as good as new: whoever clears old ones away leaves it.
    if (state !== 'published') await touch(path);
    return { path, sha256, sizeBytes: this.#sizeBytes, form, isNew: state === 'published' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept) return;
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true });
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** The originals, with what only its own folder can tell. */
export interface FolderOriginals extends StatementOriginals {
  /**
   * Clears old originals of a day away, with their keys: all but the newest few, and none that came since `beforeMs`.
   * Only for a day of which no statement was ever accepted: whatever is kept of it was refused. A bank that packs its
   * file anew for each request would fill the disk, asked again and again.
   */
  removeRefused(date: string, beforeMs: number): Promise<void>;
}

/** Refused originals of a day that stay, however old. */
const refusedKept = 3;

/**
 * The originals in a folder, which is created (for its owner only) when it is not there.
 * @param bytesMax of a file that a person gives; null for no limit
 * @throws OutputFileError here and from every method, naming the path and the cure
 */
export async function openStatementOriginals(
  folder: string,
  bytesMax: number | null = null,
): Promise<FolderOriginals> {
  const root = await openStatementFolder(folder);
  return {
    draft: (date) => openDraft(root, date),
    keepFile: (date, path) => keepFile(root, date, path, bytesMax),
    keepKey,
    removeLeftovers: (beforeMs) => removeOldTemporaries(root, leftoverPattern, beforeMs),
    removeRefused: (date, beforeMs) => removeRefused(root, date, beforeMs),
  };
}

async function openDraft(root: string, date: string): Promise<Draft> {
  if (!datePattern.test(date)) throw new RangeError(`${date} is no YYYYMMDD`);
  const { path, handle } = await openTemporary(root, `${date}.original`);
  return new Draft(root, date, path, handle);
}

/** Beside the journal, which needs the disk, no more is copied than may be read. */
function requireSize(sizeBytes: number, bytesMax: number | null): void {
  if (bytesMax === null || sizeBytes <= bytesMax) return;
  throw new FileRejected(
    'bytes-over-limit',
    `the file has more than ${bytesMax} bytes: raise reconcile.maxBytes`,
  );
}

async function keepFile(
  root: string,
  date: string,
  path: string,
  bytesMax: number | null,
): Promise<KeptOriginal | StatementRefused> {
  try {
    const { handle, sizeBytes } = await openRegularFile(path);
    try {
      requireSize(sizeBytes, bytesMax);
      return await copy(root, date, handle, bytesMax);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof FileRejected) return { kind: 'refused', refusal: error.rejection };
    throw error;
  }
}

async function copy(
  root: string,
  date: string,
  handle: FileHandle,
  bytesMax: number | null,
): Promise<KeptOriginal> {
  await using draft = await openDraft(root, date);
  let copiedBytes = 0;
  for await (const block of readBlocks(handle)) {
    copiedBytes += block.length;
    requireSize(copiedBytes, bytesMax);
    await draft.write(block);
  }
  return await draft.keep();
}

/** The key's own hash stands in its name too: should the bank give another one, both are kept. */
async function keepKey(original: KeptOriginal, key: string): Promise<string> {
  const mark = createHash('sha256').update(key).digest('hex').slice(0, shownHashLength);
  await using file = await AtomicFile.open(`${original.path}.${mark}.key`);
  await file.write(key);
  const prepared = await file.finish();
  await publishFile(prepared);
  return prepared.path;
}

const originalPattern = /^(\d{8})\.[0-9a-f]+\.original\.[a-z]+$/;

async function removeRefused(root: string, date: string, beforeMs: number): Promise<void> {
  try {
    const names = await readdir(root);
    const originals: { readonly name: string; readonly cameMs: number }[] = [];
    for (const name of names) {
      if (originalPattern.exec(name)?.[1] !== date) continue;
      originals.push({ name, cameMs: (await stat(join(root, name))).mtimeMs });
    }
    const old = originals
      .toSorted((one, other) => other.cameMs - one.cameMs)
      .slice(refusedKept)
      .filter(({ cameMs }) => cameMs < beforeMs);
    for (const { name } of old) {
      // The original first: a key alone does no harm, an original without its key cannot be opened by hand.
      const keys = names.filter((key) => key.startsWith(`${name}.`) && key.endsWith('.key'));
      for (const file of [name, ...keys]) await rm(join(root, file), { force: true });
    }
  } catch (error) {
    // Another process may clear away the same.
    if (errorCode(error) !== 'ENOENT') throw failWith('clean up', root, error);
  }
}

const leftoverPattern = /^\d{8}\.original$|\.original\.[a-z]+\.[0-9a-f]+\.key$|^statement\.opened$/;

/** A file has the folder's name, or that of one above it. */
const takenCodes: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR']);

/**
 * Creates the folder (for its owner only) when it is not there, and sees that files can be put into it.
 * @returns its whole path
 * @throws OutputFileError that names the folder and the cure
 */
export async function openStatementFolder(folder: string): Promise<string> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!takenCodes.has(errorCode(error))) throw failWith('create', root, error);
    const cure = 'move away what stands there, or name another folder in folders.statements of the settings';
    throw new OutputFileError(`cannot create the folder ${root}: the path is taken by a file; ${cure}`, {
      cause: error,
    });
  }
  const trouble = await probeFolders([root]);
  if (trouble !== undefined) throw new OutputFileError(trouble.why);
  return root;
}
