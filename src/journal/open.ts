/** Opens the journal of a data directory, and refuses one that is another's, newer, lost or restored. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Journal } from '../core/ports.ts';
import { prepareLatestEventSeq } from './apply-statements.ts';
import { inTransaction, openConnection } from './connection.ts';
import { query } from './dialect.ts';
import { asFileWriteError, asRefusal, JournalRefusedError } from './errors.ts';
import { makeJournal } from './journal.ts';
import { checkMark, readMark, requireNoMark, syncFolder, writeMark, type Mark } from './mark.ts';
import { migrate, readSchemaVersion, schemaVersion } from './migrations.ts';
import { requireStamp, writeStamp, type Stamp } from './stamp.ts';
import { readFirst } from './statements.ts';

export { JournalRefusedError, JournalWriteError } from './errors.ts';
export type { Stamp } from './stamp.ts';

export interface JournalOpening {
  readonly dataDir: string;
  readonly stamp: Stamp;
  /**
   * `own`: for the process that holds the right to send; makes the journal when there is none and brings an older
   * one up to date. `beside`: for every other; the journal must be there.
   */
  readonly access: 'own' | 'beside';
  /** Epoch milliseconds, for the record of when the tables were made. */
  readonly nowMs?: number;
}

const journalFileName = 'journal.db';

/**
 * Opens the journal.
 * @throws JournalRefusedError when it is another bank's, company's or the sandbox's, of a newer program, lost,
 * restored from an older copy, or (`beside`) not there
 */
export async function openJournal(opening: JournalOpening): Promise<Journal> {
  const journal = await openJournalIfThere(opening);
  if (journal !== undefined) return journal;
  throw new JournalRefusedError(
    `there is no journal in ${opening.dataDir}: run a file with these settings first`,
  );
}

/** Opens the journal as `openJournal` does; undefined when there is none and it is not to be made (`beside`). */
export async function openJournalIfThere(opening: JournalOpening): Promise<Journal | undefined> {
  const dataDir = resolve(opening.dataDir);
  const path = join(dataDir, journalFileName);
  // Before the journal: it only grows, so what the mark says now it must have.
  const mark = readMark(dataDir);
  if (!existsSync(path)) {
    requireNoMark(dataDir, mark);
    if (opening.access === 'beside') return undefined;
    createFile(dataDir, path);
  }
  const db = openFile(path);
  try {
    if (!prepareTables(db, opening, dataDir, mark)) {
      db.close();
      return undefined;
    }
    return keepMarked(db, opening, dataDir, mark);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite would make the file readable by others; its side files take over the mode that the file has. */
function createFile(dataDir: string, path: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
    syncFolder(dataDir);
  } catch (error) {
    throw asFileWriteError(path, error);
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return openConnection(path);
  } catch (error) {
    throw asRefusal(path, error);
  }
}

/** Brings the tables up to date where this process may; false when there are none and it may not. */
function prepareTables(
  db: DatabaseSync,
  { access, stamp, nowMs = Date.now() }: JournalOpening,
  dataDir: string,
  mark: Mark | undefined,
): boolean {
  const version = readSchemaVersion(db);
  if (version > schemaVersion) {
    throw new JournalRefusedError(
      `the journal in ${dataDir} was written by a newer paydrop (tables ${version}, this one knows ${schemaVersion}): use that one`,
    );
  }
  if (version === schemaVersion) return true;
  if (version === 0) requireNoMark(dataDir, mark);
  if (access === 'beside') {
    if (version === 0) return false;
    throw new JournalRefusedError(
      `the journal in ${dataDir} is of an older paydrop: run a file once to bring it up to date`,
    );
  }
  inTransaction(db, () => {
    migrate(db, nowMs);
    if (version === 0) writeStamp(db, stamp);
  });
  return true;
}

/** Checks stamp and mark, and keeps the mark up to date while the journal is open. */
function keepMarked(
  db: DatabaseSync,
  { stamp, access }: JournalOpening,
  dataDir: string,
  mark: Mark | undefined,
): Journal {
  const journalId = requireStamp(db, dataDir, stamp);
  let written = mark;
  checkMark(dataDir, mark, readProgress(db, journalId));
  const onAdvance = (): void => {
    const present = readProgress(db, journalId);
    if (written !== undefined && isSameMark(written, present)) return;
    writeMark(dataDir, present);
    written = present;
  };
  // A process beside the sender leaves the mark alone, so that reading changes nothing.
  const mayMark = access === 'own';
  if (mayMark) onAdvance();
  return makeJournal({ db, path: join(dataDir, journalFileName), onAdvance: mayMark ? onAdvance : () => {} });
}

function readProgress(db: DatabaseSync, journalId: string): Mark {
  const sealed = query
    .selectFrom('batch')
    .select((eb) => eb.fn.countAll<number>().as('batches'))
    .where('sealed_at_ms', 'is not', null);
  return {
    journalId,
    sealedBatches: readFirst(db, sealed)?.batches ?? 0,
    latestEventSeq: prepareLatestEventSeq(db)(),
  };
}

const isSameMark = (left: Mark, right: Mark): boolean =>
  left.journalId === right.journalId &&
  left.sealedBatches === right.sealedBatches &&
  left.latestEventSeq === right.latestEventSeq;
