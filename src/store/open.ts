/** Opens the journal of a data directory, and refuses one that is another's, newer, lost or restored. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { syncFolderNow } from '../platform/durable-file.ts';
import {
  asRefusal,
  explainWriting,
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
import { requireServerKind, type ServerKind } from './server-kind.ts';
import { drive, query, readFirst, write } from './statements.ts';
import { makeJournal, type Store } from './store.ts';

export type { Recovery } from './loss.ts';

/** What a journal belongs to: its identity, written when it is made and compared whenever it is opened. */
export interface JournalIdentity {
  readonly bankAddress: string;
  readonly companyId: string;
  readonly isSandbox: boolean;
  /** What the server at a loopback address says that it is; undefined where nobody was asked or nobody answered. */
  readonly serverKind?: ServerKind | undefined;
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

function readIdentity(db: DatabaseSync): JournalIdentity & { readonly journalId: string } {
  const fact = (key: string): string => {
    const found = readFirst(db, query.selectFrom('meta').select('value').where('key', '=', key));
    if (found !== undefined) return found.value;
    throw new JournalRefusedError(`journal.db has lost its ${key}: put back a whole copy of it`);
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
  /**
   * What becomes of a journal that is not there (`own`): it is made, or it is not (`never`), since nobody can tell a new
   * one from one that was lost. `only`: one that is there is refused. A recovery makes it in any case.
   */
  readonly creation?: 'if-missing' | 'never' | 'only';
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

/** An opening with what follows from it. */
interface Opening extends Required<Omit<JournalOpening, 'recovery'>> {
  readonly path: string;
  /** Only of one that may recover. */
  readonly recovery: Recovery | undefined;
  readonly highWaterMark: FoundHighWaterMark;
}

/** Opens the journal as `openJournal` does; undefined when there is none and it is not to be made (`beside`). */
export async function openJournalIfThere(wanted: JournalOpening): Promise<Store | undefined> {
  const { access, stamp, nowMs = Date.now(), creation = 'if-missing' } = wanted;
  const dataDir = resolve(wanted.dataDir);
  const path = join(dataDir, journalFileName);
  const recovery = access === 'own' ? wanted.recovery : undefined;
  // Before the journal: it only grows, so what the high-water mark says now it must have.
  const highWaterMark = readHighWaterMarkToCompare(dataDir, recovery);
  const opening: Opening = { access, stamp, nowMs, dataDir, path, recovery, highWaterMark, creation };
  if (!existsSync(path)) {
    if (recovery === undefined) requireNoHighWaterMark(dataDir, highWaterMark);
    if (access === 'beside') return undefined;
    requireCreation(opening);
    createFile(dataDir, path);
  }
  const db = openFile(path);
  try {
    if (recovery !== undefined) requireWhole(db);
    if (prepareTables(db, opening)) return keepHighWaterMark(db, opening);
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return undefined;
}

/**
 * A journal that makes itself where another one was lost, or looked for in the wrong place, knows of nothing that was
 * paid, and pays it again.
 */
function requireCreation({ creation, recovery, dataDir }: Opening): void {
  if (creation !== 'never' || recovery !== undefined) return;
  throw new JournalRefusedError(
    `there is no journal in ${dataDir}, and nothing is sent without it. For the first time: "paydrop init" makes one. ` +
      'If there was one: mount its volume, or correct dataDir or --data-dir; if it is lost, ' +
      '"paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank about every payout before it sends one; ' +
      'the day is the first of which something may be missing',
  );
}

/** The high-water mark as it stands; a person who lets a lost journal go on does so even if it says nothing any more. */
function readHighWaterMarkToCompare(dataDir: string, recovery: Recovery | undefined): FoundHighWaterMark {
  try {
    return readHighWaterMark(dataDir);
  } catch (error) {
    if (recovery !== undefined && error instanceof JournalRefusedError) return 'unreadable';
    throw error;
  }
}

/** SQLite would make the file readable by others; its side files take over the mode that the file has. */
function createFile(dataDir: string, path: string): void {
  explainWriting(path, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
    syncFolderNow(dataDir);
  });
}

function openFile(path: string): DatabaseSync {
  try {
    return openConnection(path);
  } catch (error) {
    throw asRefusal(path, error);
  }
}

/** Brings the tables up to date where this process may; false when there are none and it may not. */
function prepareTables(db: DatabaseSync, opening: Opening): boolean {
  const { access, stamp, nowMs, dataDir, recovery, highWaterMark } = opening;
  const version = readSchemaVersion(db);
  if (version > schemaVersion) {
    throw new JournalRefusedError(
      `the journal in ${dataDir} was written by a newer paydrop (tables ${version}, this one knows ${schemaVersion}): use that one`,
    );
  }
  if (version > 0 && opening.creation === 'only')
    throw new JournalRefusedError(`there is a journal in ${dataDir} already: nothing is to be made`);
  if (version === schemaVersion) return true;
  if (version === 0 && recovery === undefined) requireNoHighWaterMark(dataDir, highWaterMark);
  if (access === 'beside') {
    if (version === 0) return false;
    throw new JournalRefusedError(
      `the journal in ${dataDir} is of an older paydrop: run a file once to bring it up to date`,
    );
  }
  if (version === 0) requireCreation(opening);
  inTransaction(db, () => {
    migrate(db, nowMs);
    if (version === 0) writeIdentity(db, stamp);
  });
  return true;
}

/** Checks identity and high-water mark, and keeps the latter up to date while the journal is open. */
function keepHighWaterMark(db: DatabaseSync, opening: Opening): Store {
  const { stamp, access, recovery, nowMs, dataDir, path, highWaterMark } = opening;
  const journalId = requireIdentity(db, dataDir, stamp);
  requireServerKind(db, dataDir, stamp.serverKind, access === 'own');
  const readPresent = (): HighWaterMark => readProgress(db, journalId);
  const missing = findMissing(dataDir, highWaterMark, readPresent);
  if (recovery !== undefined) recordLoss(db, recovery, missing !== undefined, nowMs);
  else if (missing !== undefined) throw new JournalRefusedError(missing);
  // A command beside the sender has nothing to go on with: a thread would only come later, behind others' changes. It
  // leaves the high-water mark alone, too, so that reading changes nothing.
  if (access === 'beside') return makeJournal({ db, path, journalId, threadRowsMin: Infinity });
  const keeper = new HighWaterMarkFile(dataDir, highWaterMark, readPresent);
  keeper.advance();
  return makeJournal({ db, path, journalId, highWaterMark: keeper });
}

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
