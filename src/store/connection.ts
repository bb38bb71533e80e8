/** One connection to the SQLite file, and the transactions on it. */
import { DatabaseSync } from 'node:sqlite';
import { asWriteError, JournalWriteError, sqliteCodeOf, sqliteCodes } from './errors.ts';

/** How long a write waits for another process that writes; the longest writes are those of a whole batch. */
export const lockWaitMs = 30_000;

/** How long the loop may stand still for another process. */
const briefWaitMs = 5;

/** Page cache in KiB: memory stays flat however large the file. */
const cacheKib = 16_384;
const snapshotCacheKib = 8_192;

/** Pages in the write-ahead log before SQLite moves them into the file. */
const checkpointPages = 4_000;

/** What the write-ahead log may keep on disk once it was moved into the file. */
const logBytesMax = 67_108_864;

/**
 * Opens the file for reading and writing. Every commit is synced (FULL): an intent that is recorded is durable.
 * @param path of an existing file; SQLite's side files take over its permissions
 */
export function openConnection(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: lockWaitMs, enableForeignKeyConstraints: true });
  try {
    db.exec(
      `pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -${cacheKib};
       pragma wal_autocheckpoint = ${checkpointPages}; pragma journal_size_limit = ${logBytesMax};`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the file for a reader beside the main connection. */
export function openReader(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: lockWaitMs, readOnly: true });
  db.exec(`pragma cache_size = -${snapshotCacheKib}`);
  return db;
}

/** Another process is writing: the transaction has not begun, and may be tried again as if it had never been asked for. */
export class JournalLockedError extends JournalWriteError {}

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
    // SQLite has rolled back by itself after some errors (a full disk, a failed write).
    if (db.isTransaction) db.exec('rollback');
    throw asWriteError(error);
  }
}
