/**
 * The engines that run the bodies of the journal: SQLite in place and without a break, PostgreSQL statement by statement
 * over the network. The writer of a body knows nothing of either.
 */
import type { DatabaseSync } from 'node:sqlite';
import { bulkCacheKib, inTransaction, openReader } from './connection.ts';
import { type Body, drive, type Reading } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';

export interface Reader {
  /** Runs a read. Outside a view each of its statements sees what is committed when it begins. */
  read<Result>(makeBody: () => Reading<Result>): Promise<Result>;
}

/** The journal as it was at one moment, whatever is written meanwhile; its owner closes it soon. */
export interface View extends Reader, AsyncDisposable {}

/** Opens what reads a view, and closes the view where that fails. */
export async function openOn<Opened>(view: View, open: (view: View) => Promise<Opened>): Promise<Opened> {
  try {
    return await open(view);
  } catch (error) {
    await view[Symbol.asyncDispose]();
    throw error;
  }
}

export interface Gathering {
  /** The wait of a transaction for more calls, from the beginning of the last gathered one. */
  readonly everyMs: number;
  /** The most calls of one transaction. */
  readonly callsMax: number;
  /** With so many calls waiting at a transaction's end, the next one begins before the calls of the last are told. */
  readonly callsNext: number;
}

export interface Engine extends Reader {
  /** The way in which it gathers calls into transactions; left out where each runs as it comes. */
  readonly gathering?: Gathering;
  /** Like `read`, for a few rows: looks that are asked for at once may share a way to the server. */
  look<Result>(makeBody: () => Reading<Result>): Promise<Result>;
  /**
   * Runs a body as one transaction that excludes every other writer from its start to its end; durable when it resolves.
   * @param makeBody called again where the transaction could not begin: nothing of it has happened yet
   * @throws JournalLockedError, JournalWriteError; whatever the body throws. Nothing is written then.
   */
  write<Result>(makeBody: () => Body<Result>): Promise<Result>;
  openView(): Promise<View>;
  /**
   * Leaves nothing in the journal of what rows of these tables said before they were changed or removed, as far as the
   * engine can.
   */
  wipe(tables: readonly string[]): Promise<void>;
}

/**
 * The engine on an open SQLite file.
 * @param path of the file, for views
 * @param queue of the connection, where all its writers wait
 */
export const makeSqliteEngine = (db: DatabaseSync, path: string, queue: WriteQueue): Engine => ({
  read: async (makeBody) => drive(db, makeBody()),
  look: async (makeBody) => drive(db, makeBody()),
  write: (makeBody) => queue.run(() => inTransaction(db, () => drive(db, makeBody()))),
  openView: async () => openSqliteView(path),
  // Pages that were let go earlier keep their content: only a file that is written anew loses it.
  wipe: async () => queue.run(() => db.exec('vacuum; pragma wal_checkpoint(truncate)')),
});

/** The reader on a connection. */
export const readerOf = (db: DatabaseSync): Reader => ({ read: async (makeBody) => drive(db, makeBody()) });

/** A connection of its own with one read transaction open: while it is open the write-ahead log grows. */
export function openSqliteView(path: string): View {
  const db = openReader(path);
  try {
    // The view shows the moment of the first read.
    db.exec(`pragma cache_size = -${bulkCacheKib}; begin; select 1 from sqlite_schema limit 1`);
  } catch (error) {
    db.close();
    throw error;
  }
  return { ...readerOf(db), [Symbol.asyncDispose]: async () => db.close() };
}
