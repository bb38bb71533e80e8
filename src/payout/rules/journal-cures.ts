/** Cures when the journal, or a file beside it, cannot be opened or written. */
import { restoreBackup } from './journal-place.ts';

/** SQLite's primary result codes (the low byte of `errcode`) that have different cures. */
export const sqliteCodes = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

/** Cures of a failed write, by result code. */
export const writingCures: ReadonlyMap<number | undefined, string> = new Map([
  [sqliteCodes.busy, 'another process has kept it locked for too long: wait until that process has ended'],
  [sqliteCodes.readOnly, 'it is read-only: let this user write the file and its folder'],
  [sqliteCodes.ioError, 'the disk reports an error: check the disk before anything else'],
  [sqliteCodes.corrupt, `the file is damaged: ${restoreBackup}`],
  [sqliteCodes.full, 'the disk is full: free some space'],
]);

const wholeCopy = `it is no journal, or damaged: ${restoreBackup}, or set another dataDir`;

/** Cures of a failed opening, by result code. */
export const openingCures: ReadonlyMap<number | undefined, string> = new Map([
  ...writingCures,
  [sqliteCodes.notADatabase, wholeCopy],
  [
    sqliteCodes.corrupt,
    `the journal is damaged: stop every paydrop process, look at the disk, then ${restoreBackup}`,
  ],
  [
    sqliteCodes.cannotOpen,
    'it is no file, or this user may not read and write it: correct that, or set another dataDir',
  ],
]);

/** Cures for a file beside the journal, by the operating system's code. */
export const fileCures: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full: free some space'],
  ['EDQUOT', 'the disk quota is used up: free some space'],
  ['EROFS', 'the file system is read-only: make it writable, or set another dataDir'],
  ['EACCES', 'permission is denied: let this user write there, or set another dataDir'],
  ['EPERM', 'the operation is not permitted: let this user write there, or set another dataDir'],
  ['ENOTDIR', 'a part of the path is no folder: move it away, or set another dataDir'],
  ['EIO', 'the disk reports an error: check the disk before anything else'],
]);
