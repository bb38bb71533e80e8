/** Opens the journal of a data directory, and refuses one that is another's, newer, lost or restored. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describeArchivesAlone } from '../payout/rules/archive.ts';
import {
  describeMissing,
  describeMoved,
  describeNoMark,
  isBoundTo,
  type JournalProgress,
  siteOfFile,
} from '../payout/rules/journal-place.ts';
import { syncFolderNow } from '../platform/durable-file.ts';
import { identifyFile } from '../platform/file-identity.ts';
import { listArchives } from './archive/archive-file.ts';
import { findAhead, readArchivedTerminals, takeInArchives } from './archive/take-in.ts';
import {
  asRefusal,
  explainWriting,
  inTransaction,
  isUnwritable,
  journalFileName,
  JournalRefusedError,
  openConnection,
  openReader,
} from './connection.ts';
import {
  type FoundHighWaterMark,
  type HighWaterMark,
  HighWaterMarkFile,
  readHighWaterMark,
} from './high-water-mark.ts';
import { readProgress, requireIdentity, writeIdentity } from './identity.ts';
import { recordLoss, requireWhole } from './loss.ts';
import { knownTables, migrate, readSchemaVersion } from './migrations.ts';
import { requireNotGone, unmarkGone } from './moved.ts';
import {
  decideTables,
  type JournalOpening,
  type Opening,
  readMarkedTerminals,
  readOpening,
  requireCreation,
  requireNoHighWaterMark,
  requireTerminals,
} from './opening.ts';
import {
  bindPlace,
  isMarkKept,
  noteMarkKept,
  readMoment,
  readPlace,
  readTerminals,
  requireNoCopy,
  writeMoment,
} from './place.ts';
import { bindServerKind, requireServerKind } from './server-kind.ts';
import { type Body, drive } from './statements.ts';
import { makeJournal, type Store } from './store.ts';

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

/** The path of the file of an opening. */
const pathOf = ({ dataDir }: Opening): string => join(dataDir, journalFileName);

/**
 * Says before anything is written whether a journal that is missing could be made.
 * @throws JournalRefusedError as `openJournal` would
 */
export function requireMayBegin(wanted: JournalOpening): void {
  const opening = readOpening(wanted, siteOfFile);
  if (!existsSync(pathOf(opening))) refuseMissing(opening);
}

/** @throws JournalRefusedError when the journal is not there, and is not to be made, or knows not enough to go on */
function refuseMissing(opening: Opening): void {
  const { recovery, dataDir, access } = opening;
  requireNoHighWaterMark(opening);
  if (access === 'beside') return;
  requireCreation(opening);
  // A backup that is to be put there names the terminals itself.
  if (!opening.restores) requireTerminals(opening, []);
  if (recovery === undefined) requireNoArchives(dataDir);
}

/** Opens the journal as `openJournal` does; undefined when there is none and it is not to be made (`beside`). */
export async function openJournalIfThere(wanted: JournalOpening): Promise<Store | undefined> {
  const opening = readOpening(wanted, siteOfFile);
  const { access, dataDir, recovery } = opening;
  const path = pathOf(opening);
  if (!existsSync(path)) {
    refuseMissing(opening);
    if (access === 'beside') return undefined;
    createFile(dataDir, path);
  }
  const db = openFile(path, access);
  try {
    if (recovery !== undefined) requireWhole(db);
    if (access === 'own' && opening.restores) unmarkGone(db);
    if (prepareTables(db, opening)) return await takeUp(db, opening);
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return undefined;
}

/** @throws JournalRefusedError where archives of a journal are and the journal is not */
function requireNoArchives(dataDir: string): void {
  const names = existsSync(dataDir) ? listArchives(dataDir) : [];
  if (names.length > 0) throw new JournalRefusedError(describeArchivesAlone(dataDir, names));
}

/** SQLite would make the file readable by others; its side files take over the mode that the file has. */
function createFile(dataDir: string, path: string): void {
  explainWriting(path, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
    syncFolderNow(dataDir);
  });
}

/** Opens the file; a process beside the sender can do without writing. */
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
  const { stamp, nowMs } = opening;
  const version = readSchemaVersion(db);
  const tables = decideTables(opening, version, knownTables, version > 0);
  if (tables !== 'to-be-made') return tables === 'ready';
  inTransaction(db, () => {
    migrate(db, nowMs);
    if (version > 0) return;
    drive(db, writeIdentity(stamp));
    drive(db, writeMoment('newSinceMs', nowMs));
  });
  return true;
}

const transact = (db: DatabaseSync, body: Body<void>): void => inTransaction(db, () => drive(db, body));

/** Records the first answer of the server in a journal that has none; a reader changes nothing. */
function takeServerKind(db: DatabaseSync, { access, site, stamp: { serverKind } }: Opening): void {
  const isNew = drive(db, requireServerKind(site, serverKind));
  if (isNew && serverKind !== undefined && access === 'own') transact(db, bindServerKind(serverKind));
}

/** Checks identity, place and high-water marks, and keeps the latter up to date while the journal is open. */
async function takeUp(db: DatabaseSync, opening: Opening): Promise<Store> {
  const { stamp, access, recovery, dataDir, site, highWaterMark } = opening;
  const path = pathOf(opening);
  const isOwn = access === 'own';
  const journalId = drive(db, requireIdentity(site, stamp));
  drive(db, requireNotGone(site));
  takeServerKind(db, opening);
  if (!(isOwn && opening.restores)) drive(db, requireNoCopy(path));
  const readPresent = (): HighWaterMark => drive(db, readProgress(journalId));
  const copies = isOwn ? opening.openMarks?.(journalId) : undefined;
  const behindCopies = await copies?.describeMissing(site, readPresent);
  const missing =
    findMissing(db, opening, readPresent) ??
    (isOwn ? findAhead(db, dataDir, readPresent().latestEventSeq) : undefined) ??
    behindCopies;
  if (missing !== undefined && recovery === undefined) throw new JournalRefusedError(missing);
  // A command beside the sender has nothing to go on with: a thread would only come later, behind others' changes. It
  // leaves the high-water mark alone, too, so that reading changes nothing.
  if (!isOwn) return makeJournal({ db, path, journalId, threadRowsMin: Infinity });
  const terminals = gatherTerminals(db, opening, copies?.marks);
  if (recovery !== undefined) takeInArchives(db, dataDir, opening.nowMs);
  takePlace(db, opening, missing !== undefined, terminals);
  const keeper = new HighWaterMarkFile(dataDir, highWaterMark, readPresent, copies);
  keeper.advance();
  if (!drive(db, isMarkKept())) transact(db, noteMarkKept());
  const newSinceMs = drive(db, readMoment('newSinceMs'));
  const missesSinceMs = drive(db, readMoment('missesSinceMs'));
  return makeJournal({ db, path, journalId, newSinceMs, missesSinceMs, highWaterMark: keeper });
}

/**
 * Gathers the terminals that the journal may have sent from, from sources besides the journal itself.
 * @throws JournalRefusedError as `requireTerminals` does
 */
function gatherTerminals(
  db: DatabaseSync,
  opening: Opening,
  copies: readonly JournalProgress[] = [],
): readonly string[] {
  const { recovery, dataDir, sentFrom } = opening;
  if (recovery === undefined) return sentFrom;
  requireTerminals(opening, drive(db, readTerminals()));
  const ofCopies = copies.flatMap(({ terminals }) => terminals);
  return [...readArchivedTerminals(db, dataDir), ...ofCopies, ...readMarkedTerminals(opening), ...sentFrom];
}

/**
 * Binds the journal to where it stands: once, or when a person says that it goes on there.
 * @param isBehind the high-water marks show that something is missing
 * @throws JournalRefusedError when it is bound to another place, and no person says that it goes on here
 */
function takePlace(
  db: DatabaseSync,
  opening: Opening,
  isBehind: boolean,
  terminals: readonly string[],
): void {
  const { recovery, nowMs, site, stamp, restores, adopts } = opening;
  const kept = drive(db, readPlace());
  const present = { termId: stamp.termId, file: identifyFile(pathOf(opening)) };
  const moved = describeMoved(site, kept, present);
  const isSaid = recovery !== undefined || adopts;
  if (moved !== undefined && !isSaid) throw new JournalRefusedError(moved);
  const isNoticed = isBehind || moved !== undefined || restores;
  if (recovery !== undefined) transact(db, recordLoss(recovery, isNoticed, nowMs));
  if (!isSaid && isBoundTo(kept, present)) return;
  transact(db, bindPlace({ present, terminals, isSaid, adopts, restores, nowMs }));
}

/** Looks twice: the process that sends may have been writing the high-water mark when it was read. */
function findMissing(
  db: DatabaseSync,
  { dataDir, site, highWaterMark }: Opening,
  readPresent: () => HighWaterMark,
): string | undefined {
  const find = (mark: FoundHighWaterMark): string | undefined => {
    const present = readPresent();
    if (mark === undefined && present.sealedBatches > 0 && drive(db, isMarkKept()))
      return describeNoMark(dataDir);
    return describeMissing(site, mark, present);
  };
  const missing = find(highWaterMark);
  if (missing === undefined || highWaterMark === 'unreadable') return missing;
  return find(readHighWaterMark(dataDir));
}
