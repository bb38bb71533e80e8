/** Opens the journal of a data directory, and refuses one that is another's, newer, lost or restored. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describeArchivesAlone } from '../payout/rules/archive.ts';
import {
  describeMissing,
  describeMoved,
  describeNoJournal,
  describeNoMark,
  isBoundTo,
  type MarkCopy,
} from '../payout/rules/journal-place.ts';
import { syncFolderNow } from '../platform/durable-file.ts';
import { identifyFile } from '../platform/file-identity.ts';
import { listArchives } from './archive/archive-file.ts';
import { findAhead, takeInArchives } from './archive/take-in.ts';
import {
  asRefusal,
  explainWriting,
  inTransaction,
  isUnwritable,
  JournalRefusedError,
  openConnection,
  openReader,
} from './connection.ts';
import {
  type FoundHighWaterMark,
  type HighWaterMark,
  HighWaterMarkFile,
  readHighWaterMark,
  requireNoHighWaterMark,
} from './high-water-mark.ts';
import { type JournalIdentity, readProgress, requireIdentity, writeIdentity } from './identity.ts';
import { recordLoss, type Recovery, requireWhole } from './loss.ts';
import { migrate, readSchemaVersion, schemaVersion } from './migrations.ts';
import {
  bindPlace,
  isMarkKept,
  noteMarkKept,
  readMoment,
  readPlace,
  requireNoCopy,
  writeMoment,
} from './place.ts';
import { bindServerKind, requireServerKind } from './server-kind.ts';
import { type Body, drive } from './statements.ts';
import { makeJournal, type Store } from './store.ts';

export type { Recovery } from './loss.ts';

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
  /** With a recovery: the journal is a backup that is being put in place. */
  readonly restores?: boolean;
  /** The journal has moved, or the terminal is a new one, and nothing works with the old one any more. */
  readonly adopts?: boolean;
  /** Further high-water marks of the journal with this id (`own`), in folders that are restored apart from it. */
  readonly openMarks?: (journalId: string) => MarkCopy;
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
interface Opening extends Required<Omit<JournalOpening, 'recovery' | 'openMarks'>> {
  readonly openMarks: JournalOpening['openMarks'];
  readonly path: string;
  /** Only of one that may recover. */
  readonly recovery: Recovery | undefined;
  readonly highWaterMark: FoundHighWaterMark;
}

function readOpening(wanted: JournalOpening): Opening {
  const { access, stamp, nowMs = Date.now(), creation = 'if-missing' } = wanted;
  const { restores = false, adopts = false, openMarks } = wanted;
  const dataDir = resolve(wanted.dataDir);
  const path = join(dataDir, journalFileName);
  const recovery = access === 'own' ? wanted.recovery : undefined;
  // Before the journal: it only grows, so what the high-water mark says now it must have.
  const highWaterMark = readHighWaterMarkToCompare(dataDir, recovery);
  const ways = { access, creation, restores, adopts, openMarks };
  return { ...ways, stamp, nowMs, dataDir, path, recovery, highWaterMark };
}

/**
 * Says before anything is written whether a journal that is missing could be made.
 * @throws JournalRefusedError as `openJournal` would
 */
export function requireMayBegin(wanted: JournalOpening): void {
  const opening = readOpening(wanted);
  if (!existsSync(opening.path)) refuseMissing(opening);
}

/** @throws JournalRefusedError when the journal is not there, and is not to be made */
function refuseMissing(opening: Opening): void {
  const { recovery, dataDir, highWaterMark, access } = opening;
  if (recovery === undefined) requireNoHighWaterMark(dataDir, highWaterMark);
  if (access === 'beside') return;
  requireCreation(opening);
  if (recovery === undefined) requireNoArchives(dataDir);
}

/** Opens the journal as `openJournal` does; undefined when there is none and it is not to be made (`beside`). */
export async function openJournalIfThere(wanted: JournalOpening): Promise<Store | undefined> {
  const opening = readOpening(wanted);
  const { access, dataDir, path, recovery } = opening;
  if (!existsSync(path)) {
    refuseMissing(opening);
    if (access === 'beside') return undefined;
    createFile(dataDir, path);
  }
  const db = openFile(path, access);
  try {
    if (recovery !== undefined) requireWhole(db);
    if (prepareTables(db, opening)) return await takeUp(db, opening);
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
  throw new JournalRefusedError(describeNoJournal(dataDir));
}

/** @throws JournalRefusedError where archives of a journal are and the journal is not */
function requireNoArchives(dataDir: string): void {
  const names = existsSync(dataDir) ? listArchives(dataDir) : [];
  if (names.length > 0) throw new JournalRefusedError(describeArchivesAlone(dataDir, names));
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

/** Who is beside the sender can do without writing. */
function openFile(path: string, access: JournalOpening['access']): DatabaseSync {
  try {
    return openConnection(path);
  } catch (error) {
    if (access === 'beside' && isUnwritable(path, error)) return openReader(path);
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
    if (version > 0) return;
    drive(db, writeIdentity(stamp));
    drive(db, writeMoment('newSinceMs', nowMs));
  });
  return true;
}

const transact = (db: DatabaseSync, body: Body<void>): void => inTransaction(db, () => drive(db, body));

/** A journal that has not been told what its server is has its first answer; a reader changes nothing. */
function takeServerKind(db: DatabaseSync, { access, dataDir, stamp: { serverKind } }: Opening): void {
  const isNew = drive(db, requireServerKind(dataDir, serverKind));
  if (isNew && serverKind !== undefined && access === 'own') transact(db, bindServerKind(serverKind));
}

/** Checks identity, place and high-water marks, and keeps the latter up to date while the journal is open. */
async function takeUp(db: DatabaseSync, opening: Opening): Promise<Store> {
  const { stamp, access, recovery, dataDir, path, highWaterMark } = opening;
  const isOwn = access === 'own';
  const journalId = drive(db, requireIdentity(dataDir, stamp));
  takeServerKind(db, opening);
  if (!(isOwn && opening.restores)) drive(db, requireNoCopy(path));
  const readPresent = (): HighWaterMark => drive(db, readProgress(journalId));
  const copies = isOwn ? opening.openMarks?.(journalId) : undefined;
  const missing =
    findMissing(db, opening, readPresent) ??
    (isOwn ? findAhead(db, dataDir, readPresent().latestEventSeq) : undefined) ??
    (await copies?.describeMissing(dataDir, readPresent()));
  if (missing !== undefined && recovery === undefined) throw new JournalRefusedError(missing);
  // A command beside the sender has nothing to go on with: a thread would only come later, behind others' changes. It
  // leaves the high-water mark alone, too, so that reading changes nothing.
  if (!isOwn) return makeJournal({ db, path, journalId, threadRowsMin: Infinity });
  if (recovery !== undefined) takeInArchives(db, dataDir, opening.nowMs);
  takePlace(db, opening, missing !== undefined);
  const keeper = new HighWaterMarkFile(dataDir, highWaterMark, readPresent, copies);
  keeper.advance();
  if (!drive(db, isMarkKept())) transact(db, noteMarkKept());
  const newSinceMs = drive(db, readMoment('newSinceMs'));
  const missesSinceMs = drive(db, readMoment('missesSinceMs'));
  return makeJournal({ db, path, journalId, newSinceMs, missesSinceMs, highWaterMark: keeper });
}

/**
 * Binds the journal to where it stands: once, or when a person says that it goes on there.
 * @param isBehind the high-water marks show that something is missing
 * @throws JournalRefusedError when it is bound elsewhere, and nobody says so
 */
function takePlace(db: DatabaseSync, opening: Opening, isBehind: boolean): void {
  const { recovery, nowMs, dataDir, path, stamp, restores, adopts } = opening;
  const kept = drive(db, readPlace());
  const present = { termId: stamp.termId, file: identifyFile(path) };
  const moved = describeMoved(dataDir, kept, present);
  const isSaid = recovery !== undefined || adopts;
  if (moved !== undefined && !isSaid) throw new JournalRefusedError(moved);
  const isNoticed = isBehind || moved !== undefined || restores;
  if (recovery !== undefined) transact(db, recordLoss(recovery, isNoticed, nowMs));
  if (!isSaid && isBoundTo(kept, present)) return;
  transact(db, bindPlace({ present, isSaid, adopts, restores, nowMs }));
}

/** Looks twice: whoever is sending may have been writing the high-water mark when it was read. */
function findMissing(
  db: DatabaseSync,
  { dataDir, highWaterMark }: Opening,
  readPresent: () => HighWaterMark,
): string | undefined {
  const find = (mark: FoundHighWaterMark): string | undefined => {
    const present = readPresent();
    if (mark === undefined && present.sealedBatches > 0 && drive(db, isMarkKept()))
      return describeNoMark(dataDir);
    return describeMissing(dataDir, mark, present);
  };
  const missing = find(highWaterMark);
  if (missing === undefined || highWaterMark === 'unreadable') return missing;
  return find(readHighWaterMark(dataDir));
}
