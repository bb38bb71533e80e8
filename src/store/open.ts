/** Opens the journal of a data directory, and refuses one that is another's, newer, lost or restored. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { syncFolderNow } from '../platform/durable-file.ts';
import {
  asFileWriteError,
  asRefusal,
  inTransaction,
  JournalRefusedError,
  openConnection,
} from './connection.ts';
import {
  describeMissing,
  type FoundHighWaterMark,
  type HighWaterMark,
  HighWaterMarkFile,
  readHighWaterMark,
  requireNoHighWaterMark,
} from './high-water-mark.ts';
import { readLoss, recordLoss, type Recovery, requireWhole } from './loss.ts';
import { migrate, readSchemaVersion, schemaVersion } from './migrations.ts';
import { readLatestEventSeq } from './payouts/rows.ts';
import { drive, query, readAll, readFirst, write } from './statements.ts';
import { type HighWaterMarkKeeper, makeJournal, type Store } from './store.ts';

export type { Recovery } from './loss.ts';

/** What a journal belongs to: its identity, written when it is made and compared whenever it is opened. */
export interface JournalIdentity {
  readonly bankAddress: string;
  readonly companyId: string;
  readonly isSandbox: boolean;
}

interface KeptIdentity extends JournalIdentity {
  readonly journalId: string;
}

/** Writes the identity of a new journal, with an id of its own; inside the caller's transaction. */
export function writeIdentity(
  db: DatabaseSync,
  { bankAddress, companyId, isSandbox }: JournalIdentity,
): void {
  const facts = { journalId: randomUUID(), bankAddress, companyId, isSandbox: String(isSandbox) };
  const rows = Object.entries(facts).map(([key, value]) => ({ key, value }));
  write(db, query.insertInto('meta').values(rows));
}

function readIdentity(db: DatabaseSync): KeptIdentity {
  const facts = new Map(
    readAll(db, query.selectFrom('meta').selectAll()).map(({ key, value }) => [key, value]),
  );
  const fact = (key: keyof KeptIdentity): string => {
    const value = facts.get(key);
    if (value === undefined)
      throw new JournalRefusedError(`journal.db has lost its ${key}: put back a whole copy of it`);
    return value;
  };
  return {
    journalId: fact('journalId'),
    bankAddress: fact('bankAddress'),
    companyId: fact('companyId'),
    isSandbox: fact('isSandbox') === 'true',
  };
}

const describeBank = ({ isSandbox, bankAddress }: JournalIdentity): string =>
  isSandbox ? `the sandbox (${bankAddress})` : `the bank at ${bankAddress}`;

/**
 * Compares the identity with the settings.
 * @returns the journal's id
 * @throws JournalRefusedError that says what differs: a rehearsal must never be taken for the real run
 */
function requireIdentity(db: DatabaseSync, dataDir: string, wanted: JournalIdentity): string {
  const kept = readIdentity(db);
  const differences: string[] = [];
  if (kept.isSandbox !== wanted.isSandbox || kept.bankAddress !== wanted.bankAddress) {
    differences.push(`it was made for ${describeBank(kept)}, the settings name ${describeBank(wanted)}`);
  }
  if (kept.companyId !== wanted.companyId) {
    differences.push(
      `it was made for company ${kept.companyId}, the settings name company ${wanted.companyId}`,
    );
  }
  if (differences.length === 0) return kept.journalId;
  throw new JournalRefusedError(
    `the journal in ${dataDir} is another’s: ${differences.join('; ')}. Set another dataDir, or correct the settings`,
  );
}

export interface JournalOpening {
  readonly dataDir: string;
  readonly stamp: JournalIdentity;
  /**
   * `own`: for the owner of the sender lock; makes the journal when there is none and brings an older
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
  // Before the journal: it only grows, so what the high-water mark says now it must have.
  const highWaterMark = readHighWaterMarkToCompare(dataDir, opening);
  if (!existsSync(path)) {
    if (!isRecovering(opening)) requireNoHighWaterMark(dataDir, highWaterMark);
    if (opening.access === 'beside') return undefined;
    createFile(dataDir, path);
  }
  const db = openFile(path);
  try {
    if (isRecovering(opening)) requireWhole(db);
    if (!prepareTables(db, opening, dataDir, highWaterMark)) {
      db.close();
      return undefined;
    }
    return keepHighWaterMark(db, opening, dataDir, highWaterMark);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The high-water mark as it stands; a person who lets a lost journal go on does so even if it says nothing any more. */
function readHighWaterMarkToCompare(dataDir: string, opening: JournalOpening): FoundHighWaterMark {
  try {
    return readHighWaterMark(dataDir);
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
function prepareTables(
  db: DatabaseSync,
  opening: JournalOpening,
  dataDir: string,
  highWaterMark: FoundHighWaterMark,
): boolean {
  const { access, stamp, nowMs = Date.now() } = opening;
  const version = readSchemaVersion(db);
  if (version > schemaVersion) {
    throw new JournalRefusedError(
      `the journal in ${dataDir} was written by a newer paydrop (tables ${version}, this one knows ${schemaVersion}): use that one`,
    );
  }
  if (version === schemaVersion) return true;
  if (version === 0 && !isRecovering(opening)) requireNoHighWaterMark(dataDir, highWaterMark);
  if (access === 'beside') {
    if (version === 0) return false;
    throw new JournalRefusedError(
      `the journal in ${dataDir} is of an older paydrop: run a file once to bring it up to date`,
    );
  }
  inTransaction(db, () => {
    migrate(db, nowMs);
    if (version === 0) writeIdentity(db, stamp);
  });
  return true;
}

/** Checks identity and high-water mark, and keeps the latter up to date while the journal is open. */
function keepHighWaterMark(
  db: DatabaseSync,
  opening: JournalOpening,
  dataDir: string,
  highWaterMark: FoundHighWaterMark,
): Store {
  const { stamp, access, recovery, nowMs = Date.now() } = opening;
  const path = join(dataDir, journalFileName);
  const journalId = requireIdentity(db, dataDir, stamp);
  const readPresent = (): HighWaterMark => readProgress(db, journalId);
  const missing = findMissing(dataDir, highWaterMark, readPresent);
  if (isRecovering(opening) && recovery !== undefined) recordLoss(db, recovery, missing !== undefined, nowMs);
  else if (missing !== undefined) throw new JournalRefusedError(missing);
  // A command beside the sender has nothing to go on with: a thread would only come later, behind others' changes.
  const besideParts = { highWaterMark: noHighWaterMark, threadRowsMin: Infinity };
  if (access === 'beside') return makeJournal({ db, path, journalId, ...besideParts });
  const keeper = new HighWaterMarkFile(dataDir, highWaterMark, readPresent);
  keeper.advance();
  return makeJournal({ db, path, journalId, highWaterMark: keeper });
}

/** A process beside the sender leaves the high-water mark alone, so that reading changes nothing. */
const noHighWaterMark: HighWaterMarkKeeper = { advance: () => {}, note: () => {}, close: () => {} };

/** Looks twice: whoever is sending may have been writing the high-water mark when it was read. */
function findMissing(
  dataDir: string,
  highWaterMark: FoundHighWaterMark,
  readPresent: () => HighWaterMark,
): string | undefined {
  const missing = describeMissing(dataDir, highWaterMark, readPresent());
  if (missing === undefined || highWaterMark === 'unreadable') return missing;
  const again = readHighWaterMark(dataDir);
  return describeMissing(dataDir, again, readPresent());
}

function readProgress(db: DatabaseSync, journalId: string): HighWaterMark {
  const sealed = query
    .selectFrom('batch')
    .select((eb) => eb.fn.countAll<number>().as('batches'))
    .where('sealed_at_ms', 'is not', null);
  return {
    journalId,
    recoveredAtMs: drive(db, readLoss())?.recoveredAtMs ?? 0,
    sealedBatches: readFirst(db, sealed)?.batches ?? 0,
    latestEventSeq: drive(db, readLatestEventSeq()),
  };
}
