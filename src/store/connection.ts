/** One connection to the SQLite file, the transactions on it, and what the journal throws beside plain bugs. */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileCures, openingCures, sqliteCodes, writingCures } from '../payout/rules/journal-cures.ts';
import { saysGone } from '../payout/rules/journal-place.ts';
import { errorCode } from '../platform/durable-file.ts';
import { findReadable, isReadOnlyDisk } from '../platform/read-only-disk.ts';
import { addHashFunction } from './payouts/chain.ts';

export { sqliteCodes } from '../payout/rules/journal-cures.ts';

/** The name of the journal's file in the data directory. */
export const journalFileName = 'journal.db';

/** The longest wait of a write for another process that writes; the longest writes are those of a whole batch. */
export const lockWaitMs = 30_000;

/** The longest time that the loop may stand still for another process. */
const briefWaitMs = 5;

/** Page cache in KiB: memory stays flat however large the file. */
const cacheKib = 16_384;
const snapshotCacheKib = 8_192;
/**
 * The cache beside that of the loop: a work on a whole batch goes through the tables in their order, and is no slower
 * with less. SQLite sorts in as much again.
 */
export const bulkCacheKib = 2_048;

/** Pages in the write-ahead log before SQLite moves them into the file. */
const checkpointPages = 4_000;

/** The size on disk of the write-ahead log, at most, once it was moved into the file. */
const logBytesMax = 67_108_864;

/**
 * Opens the file for reading and writing. Every commit is synced (FULL): an intent that is recorded is durable.
 * @param path of an existing file; SQLite's side files take over its permissions
 * @param journalMode `delete`: each commit is in the file itself, and its folder synced, so that no power cut takes it back
 */
export function openConnection(path: string, journalMode: 'wal' | 'delete' = 'wal'): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: lockWaitMs, enableForeignKeyConstraints: true });
  try {
    addHashFunction(db);
    const synchronous = journalMode === 'wal' ? 'full' : 'extra';
    db.exec(
      `pragma journal_mode = ${journalMode}; pragma synchronous = ${synchronous}; pragma cache_size = -${cacheKib};
       pragma wal_autocheckpoint = ${checkpointPages}; pragma journal_size_limit = ${logBytesMax};`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the file for a reader beside the main connection; on a disk that takes no writes, too. */
export function openReader(path: string): DatabaseSync {
  try {
    return openToRead(path);
  } catch (error) {
    // Beside a process that works on it from elsewhere it can be read where it is.
    if (!isUnwritable(path, error)) throw error;
    return openToRead(findReadable(path));
  }
}

function openToRead(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: lockWaitMs, readOnly: true });
  try {
    addHashFunction(db);
    db.exec(`pragma cache_size = -${snapshotCacheKib}`);
    // The first read fails on anything that keeps the file from being read.
    db.exec('select 1 from sqlite_schema limit 1');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** True of the error with which a file on a disk that takes no writes is opened for writing. */
export function isUnwritable(path: string, error: unknown): boolean {
  const code = sqliteCodeOf(error);
  const isRefused = code === sqliteCodes.cannotOpen || code === sqliteCodes.readOnly;
  return isRefused && isReadOnlyDisk(dirname(path));
}

function begin(db: DatabaseSync): void {
  try {
    db.exec('begin immediate');
  } catch (error) {
    if (sqliteCodeOf(error) !== sqliteCodes.busy) throw error;
    throw new JournalLockedError((asWriteError(error) as Error).message, { cause: error });
  }
}

/** Calls `body`, and has what it does before it awaits anything fail soon instead of waiting for another process. */
export function withoutWaiting<T>(db: DatabaseSync, body: () => T): T {
  if (db.isOpen) db.exec(`pragma busy_timeout = ${briefWaitMs}`);
  try {
    return body();
  } finally {
    if (db.isOpen) db.exec(`pragma busy_timeout = ${lockWaitMs}`);
  }
}

/**
 * Runs `body` as one transaction that excludes every other writer from its start; durable when it returns.
 * @throws JournalLockedError when another process writes for longer than this connection waits
 * @throws JournalWriteError when the disk or the file fails; whatever `body` throws. Nothing is written then.
 */
export function inTransaction<T>(db: DatabaseSync, body: () => T): T {
  try {
    begin(db);
    const result = body();
    db.exec('commit');
    return result;
  } catch (error) {
    // SQLite rolls back by itself after some errors (a full disk, a failed write).
    if (db.isTransaction) db.exec('rollback');
    throw asWriteError(error);
  }
}

/** The journal may not be used with these settings or files. The message says what differs, and the cure. */
export class JournalRefusedError extends Error {
  override readonly name = 'JournalRefusedError';
}

/** The journal could not be written: the disk or the file is broken or full. The message has the cure. */
export class JournalWriteError extends Error {
  override readonly name = 'JournalWriteError';
}

/** Another process is writing: the transaction has not begun, and may be tried again as if it had never been asked for. */
export class JournalLockedError extends JournalWriteError {}

/** Another process has the place of this one: nothing of the transaction is in the journal, nor will be. */
export class PlaceTakenError extends JournalWriteError {}

/** The extended code where a full disk has no room for what readers share (SQLITE_IOERR_SHMSIZE). */
const noRoomForIndex = 4_874;

/** The primary result code of an error that SQLite raised; undefined for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  if (error.errcode === noRoomForIndex) return sqliteCodes.full;
  return error.errcode & 0xff;
}

/** A journal that SQLite cannot open, with its cure. */
export function asRefusal(path: string, error: unknown): unknown {
  const cure = openingCures.get(sqliteCodeOf(error));
  if (cure === undefined) return error;
  return new JournalRefusedError(`${path} cannot be opened: ${cure}`, { cause: error });
}

/** True of the error with which a journal that was moved into a database answers a process that still has it open. */
const isOfMoved = (error: unknown): boolean =>
  sqliteCodeOf(error) === sqliteCodes.constraint && saysGone((error as Error).message);

/** The failure of a transaction, with its cure; nothing of that transaction is in the journal. */
export function asWriteError(error: unknown): unknown {
  if (isOfMoved(error)) return new JournalRefusedError((error as Error).message, { cause: error });
  const cure = writingCures.get(sqliteCodeOf(error));
  if (cure === undefined) return error;
  return new JournalWriteError(`the journal cannot be written: ${cure}, then run it again`, { cause: error });
}

/** Writes a file beside the journal. @throws JournalWriteError with the cure when the operating system does not let us */
export function explainWriting<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw asFileWriteError(path, error);
  }
}

/** A file that the operating system does not let us write, with its cure. */
export function asFileWriteError(path: string, error: unknown): unknown {
  const cure = fileCures.get(errorCode(error));
  if (cure === undefined) return error;
  return new JournalWriteError(`${path} cannot be written: ${cure}, then run it again`, { cause: error });
}
