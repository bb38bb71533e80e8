/** The statements folder: the bank's bytes as received, each file named by its day and its hash. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { message } from '../../core/message.ts';
import { FileRejected, openRegularFile, readBlocks } from '../../platform/csv/open.ts';
import { probeFolders } from '../../platform/disk-probe.ts';
import {
  AtomicFile,
  errorCode,
  failWith,
  hashFile,
  OutputFileError,
  publishFile,
  removeOldTemporaries,
} from '../../platform/durable-file.ts';
import type { StatementRefused } from '../ports.ts';
import { addToHead, asRefused, findForm } from './form.ts';

/** Characters of the hash in a name. */
const shownHashLength = 10;

const datePattern = /^\d{8}$/;

/** The bank's bytes as received. */
export interface KeptOriginal {
  readonly path: string;
  /** SHA-256 (hex) of all bytes. */
  readonly sha256: string;
}

/** An original being written; closing it before `keep` removes it. */
async function openDraft(root: string, date: string) {
  if (!datePattern.test(date)) throw new RangeError(`${date} is no YYYYMMDD`);
  const file = await AtomicFile.open(join(root, `${date}.original`));
  let head: Buffer = Buffer.alloc(0);
  return {
    write: async (bytes: Uint8Array): Promise<void> => {
      head = addToHead(head, bytes);
      await file.write(bytes);
    },
    /** Makes the bytes durable and names the file. */
    keep: async (): Promise<KeptOriginal> => {
      const { temporaryPath, sha256 } = await file.finish();
      const { ending } = findForm(head);
      const path = join(root, `${startOf(date, sha256)}${ending}`);
      const state = await publishFile({ path, temporaryPath, sha256 });
      // An original that came again counts as new, so that cleaning up leaves it.
      if (state !== 'published') await touch(path);
      return { path, sha256 };
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await file[Symbol.asyncDispose]();
      await rm(file.temporaryPath, { force: true });
    },
  };
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** Number of a day's refused originals that are kept, however old. */
const refusedKept = 3;

export type StatementOriginals = Awaited<ReturnType<typeof openStatementOriginals>>;

/**
 * The originals in a folder, which is created (for its owner only) if necessary.
 * @param bytesMax most bytes of a person's file
 * @throws OutputFileError here and from every method, naming the path and the cure
 */
export async function openStatementOriginals(folder: string, bytesMax = Infinity) {
  const root = await openStatementFolder(folder);
  return {
    draft: (date: string) => openDraft(root, date),
    /** Stores a copy of a person's file. */
    keepFile: (date: string, path: string): Promise<KeptOriginal | StatementRefused> =>
      keepFile(root, date, path, bytesMax).catch(asRefused),
    keepKey,
    /** Removes incomplete files of a crash, unless they were written to since `beforeMs`. */
    removeLeftovers: (beforeMs: number) => removeOldTemporaries(root, leftoverPattern, beforeMs),
    /** @param keptSha256s originals that are accepted, or wait for a decision of people */
    removeRefused: (date: string, beforeMs: number, keptSha256s: readonly string[]) =>
      removeRefused(root, date, beforeMs, keptSha256s),
    findKept: (date: string, sha256: string) => findKept(root, date, sha256),
  };
}

/** Refuses a large file before it is copied: the journal needs the disk. */
function requireSize(sizeBytes: number, bytesMax: number): void {
  if (sizeBytes <= bytesMax) return;
  throw new FileRejected('bytes-over-limit', message('statement-file.too-many-bytes', { most: bytesMax }));
}

async function keepFile(root: string, date: string, path: string, bytesMax: number): Promise<KeptOriginal> {
  const { handle, sizeBytes } = await openRegularFile(path);
  await using file = handle;
  requireSize(sizeBytes, bytesMax);
  await using draft = await openDraft(root, date);
  let copiedBytes = 0;
  for await (const block of readBlocks(file)) {
    copiedBytes += block.length;
    requireSize(copiedBytes, bytesMax);
    await draft.write(block);
  }
  return await draft.keep();
}

/**
 * Stores the key beside an original that could not be opened, for the owner of the folder; returns its path. The name
 * contains the key's own hash: if the bank gives another key, both are kept.
 */
async function keepKey(original: KeptOriginal, key: string): Promise<string> {
  const mark = createHash('sha256').update(key).digest('hex').slice(0, shownHashLength);
  await using file = await AtomicFile.open(`${original.path}.${mark}.key`);
  await file.write(key);
  const prepared = await file.finish();
  await publishFile(prepared);
  return prepared.path;
}

/** Start of an original's name, before its form. */
const startOf = (date: string, sha256: string): string =>
  `${date}.${sha256.slice(0, shownHashLength)}.original.`;

/**
 * The original of a day with exactly these bytes, and its latest stored key.
 * @returns undefined when there is none, or its bytes have changed
 */
async function findKept(
  root: string,
  date: string,
  sha256: string,
): Promise<(KeptOriginal & { readonly key: string | null }) | undefined> {
  const names = (await readdir(root)).filter((name) => name.startsWith(startOf(date, sha256)));
  for (const name of names) {
    const path = join(root, name);
    if (!originalPattern.test(name) || (await hashFile(path)) !== sha256) continue;
    const keys = names.filter((key) => key.startsWith(`${name}.`) && key.endsWith('.key'));
    const aged = await Promise.all(
      keys.map(async (key) => ({ key, cameMs: (await stat(join(root, key))).mtimeMs })),
    );
    const latest = aged.toSorted((one, other) => other.cameMs - one.cameMs)[0]?.key;
    return { path, sha256, key: latest === undefined ? null : await readFile(join(root, latest), 'utf8') };
  }
  return undefined;
}

const originalPattern = /^(\d{8})\.[0-9a-f]+\.original\.[a-z]+$/;

/**
 * Removes old originals of a day that are no longer needed, with their keys: all but the newest few, and none that came
 * since `beforeMs`. A bank that packs its file anew for each request would otherwise fill the disk.
 */
async function removeRefused(
  root: string,
  date: string,
  beforeMs: number,
  keptSha256s: readonly string[],
): Promise<void> {
  const accepted = keptSha256s.map((sha256) => startOf(date, sha256));
  try {
    const names = await readdir(root);
    const originals: { readonly name: string; readonly cameMs: number }[] = [];
    for (const name of names) {
      if (originalPattern.exec(name)?.[1] !== date) continue;
      if (accepted.some((start) => name.startsWith(start))) continue;
      originals.push({ name, cameMs: (await stat(join(root, name))).mtimeMs });
    }
    const old = originals
      .toSorted((one, other) => other.cameMs - one.cameMs)
      .slice(refusedKept)
      .filter(({ cameMs }) => cameMs < beforeMs);
    for (const { name } of old) {
      // The original goes first: a key alone does no harm, but an original without its key cannot be opened by hand.
      const keys = names.filter((key) => key.startsWith(`${name}.`) && key.endsWith('.key'));
      for (const file of [name, ...keys]) await rm(join(root, file), { force: true });
    }
  } catch (error) {
    // Another process may remove the same files.
    if (errorCode(error) !== 'ENOENT') throw failWith('clean up', root, error);
  }
}

const leftoverPattern = /^\d{8}\.original$|\.original\.[a-z]+\.[0-9a-f]+\.key$|^statement\.opened$/;

/** Codes for a file that has the folder's name, or that of a parent. */
const takenCodes: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR']);

/**
 * Creates the folder (for its owner only) if necessary, and checks that it accepts files.
 * @returns its absolute path
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
