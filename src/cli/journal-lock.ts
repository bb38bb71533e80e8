/** Another process that writes to the journal and does not end: no fault of the disk. */
import { join } from 'node:path';
import { sqliteCodeOf, sqliteCodes } from '../store/errors.ts';
import { journalFileName } from '../store/open.ts';

/** True for what the journal throws after it has waited for another process in vain. */
export const isLockedByOther = (error: unknown): boolean =>
  error instanceof Error && sqliteCodeOf(error.cause) === sqliteCodes.busy;

/** What is wrong and whom to look for. SQLite does not tell who holds the lock. */
export const describeLock = (dataDir: string): string => {
  const path = join(dataDir, journalFileName);
  return (
    `another process holds the write lock of ${path}: look for a paydrop command that hangs, or another program that ` +
    `has the file open ("fuser ${path}" names it), and end it`
  );
};
