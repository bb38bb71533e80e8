/** Reading a SQLite file on a disk that takes no writes: SQLite cannot make the files there that it needs beside it. */
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

/** Where each can be read, by its path: copied once in a process. */
const readable = new Map<string, string>();

/**
 * Where a SQLite file on such a disk can be read: there, as one that nobody changes; or, where its latest writes stand
 * in the log beside it, in a copy of both, which goes with this process.
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
