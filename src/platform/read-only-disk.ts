/** Reads a SQLite file on a disk without writes, where SQLite cannot create the files that it needs beside it. */
import { accessSync, constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCode } from './durable-file.ts';

/** True for a folder on a file system that is mounted read-only, or became so when its disk failed. */
export function isReadOnlyDisk(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return errorCode(error) === 'EROFS';
  }
}

/** The readable place of each file, by its path; each is copied once per process. */
const readable = new Map<string, string>();

/**
 * A readable place of a SQLite file on such a disk: the file itself, as immutable; or, when its latest writes are in
 * the log beside it, a copy of both, which is removed with this process.
 */
export function findReadable(path: string): string {
  const known = readable.get(path);
  if (known !== undefined) return known;
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const found = hasLog ? copyAside(path) : `${pathToFileURL(path).href}?immutable=1`;
  readable.set(path, found);
  return found;
}

function copyAside(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-journal-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, basename(path));
  for (const ending of ['', '-wal']) copyFileSync(`${path}${ending}`, `${copy}${ending}`);
  return copy;
}
