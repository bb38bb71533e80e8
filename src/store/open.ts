/** Opens the journal of a data directory, and refuses one that is another's, newer, lost or restored. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { syncFolderNow } from '../platform/durable-file.ts';
import { inTransaction, openConnection } from './connection.ts';
import { asFileWriteError, asRefusal, JournalRefusedError } from './errors.ts';
import {
  describeMissing,
  type FoundMark,
  type Mark,
  MarkKeeper,
  readMark,
  requireNoMark,
} from './high-water-mark.ts';
import { requireStamp, type Stamp, writeStamp } from './journal-identity.ts';
import { prepareLoss, recordLoss, type Recovery, requireWhole } from './loss.ts';
import { migrate, readSchemaVersion, schemaVersion } from './migrations.ts';
import { prepareLatestEventSeq } from './payouts/apply-statements.ts';
import { query, readFirst } from './statements.ts';
import { type JournalMark, makeJournal, type Store } from './store.ts';

export type { Recovery } from './loss.ts';
export type { Stamp } from './journal-identity.ts';

export interface JournalOpening {
  readonly dataDir: string;
  readonly stamp: Stamp;
  /**
   * `own`: for the process that holds the right to send; makes the journal when there is none and brings an older
   * one up to date. `beside`: for every other; the journal must be there.
   */
  readonly access: 'own' | 'beside';
  /** Lets a journal go on (`own`) that was lost or restored; the loss is recorded, and remembered from then on. */
  readonly recovery?: Recovery | undefined;
  /** Epoch milliseconds, for the record of when the tables were made. */
  readonly nowMs?: number;
}

export const journalFileName = 'journal.db';

/**
 * Opens the journal.
 * @throws JournalRefusedError when it is another bank's, company's or the sandbox's, of a newer program, lost,
 * restored from an older copy, or (`beside`) not there
 */
export async function openJournal(opening: JournalOpening): Promise<Store> {
  const journal = await openJournalIfThere(opening);
  if (journal !== undefined) return journal;
  throw new JournalRefusedError(
    `there is no journal in ${opening.dataDir}: run a file with these settings first`,
  );
}

/** Opens the journal as `openJournal` does; undefined when there is none and it is not to be made (`beside`). */
export async function openJournalIfThere(opening: JournalOpening): Promise<Store | undefined> {
  const dataDir = resolve(opening.dataDir);
  const path = join(dataDir, journalFileName);
  // Before the journal: it only grows, so what the mark says now it must have.
  const mark = readMarkToCompare(dataDir, opening);
  if (!existsSync(path)) {
    if (!isRecovering(opening)) requireNoMark(dataDir, mark);
    if (opening.access === 'beside') return undefined;
    createFile(dataDir, path);
  }
  const db = openFile(path);
  try {
    if (isRecovering(opening)) requireWhole(db);
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

/** The mark as it stands; a person who lets a lost journal go on does so even if it says nothing any more. */
function readMarkToCompare(dataDir: string, opening: JournalOpening): FoundMark {
  try {
    return readMark(dataDir);
  } catch (error) {
    if (isRecovering(opening) && error instanceof JournalRefusedError) return 'unreadable';
    throw error;
  }
}

const isRecovering = ({ access, recovery }: JournalOpening): boolean =>
  access === 'own' && recovery !== undefined;

/** SQLite would make the file readable by others; its side files take over the mode that the file has. */
function createFile(dataDir: string, path: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
    syncFolderNow(dataDir);
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
function prepareTables(db: DatabaseSync, opening: JournalOpening, dataDir: string, mark: FoundMark): boolean {
  const { access, stamp, nowMs = Date.now() } = opening;
  const version = readSchemaVersion(db);
  if (version > schemaVersion) {
    throw new JournalRefusedError(
      `the journal in ${dataDir} was written by a newer paydrop (tables ${version}, this one knows ${schemaVersion}): use that one`,
    );
  }
  if (version === schemaVersion) return true;
  if (version === 0 && !isRecovering(opening)) requireNoMark(dataDir, mark);
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
function keepMarked(db: DatabaseSync, opening: JournalOpening, dataDir: string, mark: FoundMark): Store {
  const { stamp, access, recovery, nowMs = Date.now() } = opening;
  const path = join(dataDir, journalFileName);
  const journalId = requireStamp(db, dataDir, stamp);
  const readPresent = (): Mark => readProgress(db, journalId);
  const missing = findMissing(dataDir, mark, readPresent);
  if (isRecovering(opening) && recovery !== undefined) recordLoss(db, recovery, missing !== undefined, nowMs);
  else if (missing !== undefined) throw new JournalRefusedError(missing);
  // A command beside the sender has nothing to go on with: a thread would only come later, behind others' changes.
  const besideParts = { mark: unkeptMark, threadRowsMin: Infinity };
  if (access === 'beside') return makeJournal({ db, path, journalId, ...besideParts });
  const keeper = new MarkKeeper(dataDir, mark, readPresent);
  keeper.advance();
  return makeJournal({ db, path, journalId, mark: keeper });
}

/** A process beside the sender leaves the mark alone, so that reading changes nothing. */
const unkeptMark: JournalMark = { advance: () => {}, note: () => {}, close: () => {} };

/** Looks twice: whoever is sending may have been writing the mark when it was read. */
function findMissing(dataDir: string, mark: FoundMark, readPresent: () => Mark): string | undefined {
  const missing = describeMissing(dataDir, mark, readPresent());
  if (missing === undefined || mark === 'unreadable') return missing;
  const again = readMark(dataDir);
  return describeMissing(dataDir, again, readPresent());
}

function readProgress(db: DatabaseSync, journalId: string): Mark {
  const sealed = query
    .selectFrom('batch')
    .select((eb) => eb.fn.countAll<number>().as('batches'))
    .where('sealed_at_ms', 'is not', null);
  return {
    journalId,
    recoveredAtMs: prepareLoss(db)()?.recoveredAtMs ?? 0,
    sealedBatches: readFirst(db, sealed)?.batches ?? 0,
    latestEventSeq: prepareLatestEventSeq(db)(),
  };
}
