/** A copy of the journal as it is at one moment, taken while others go on writing it; and one put in the place of a journal. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeUnknownTables, siteOfFile } from '../payout/rules/journal-place.ts';
import { errorCode, noLinkCodes, syncFolderNow } from '../platform/durable-file.ts';
import {
  asFileWriteError,
  asWriteError,
  journalFileName,
  JournalRefusedError,
  JournalWriteError,
  openReader,
} from '../store/connection.ts';
import { knownTables, readSchemaVersion } from '../store/migrations.ts';
import { type JournalIdentity, requireIdentity } from '../store/identity.ts';
import { unmarkGone } from '../store/moved.ts';
import { type JournalOpening, readOpening, requireTerminals } from '../store/opening.ts';
import { readLatestEventSeq } from '../store/payouts/rows.ts';
import { noteCopied, readTerminals } from '../store/place.ts';
import { drive } from '../store/statements.ts';

const randomLength = 6;

export interface Backup {
  readonly path: string;
  readonly bytes: number;
  /** Number of the latest event that the copy has. */
  readonly latestEventSeq: number;
}

/**
 * Copies the journal of a data directory into a file of its own, in one read transaction: whoever is sending is not
 * kept waiting. The copy appears whole or not at all, readable by its owner only, and never over another file.
 * @throws JournalRefusedError when the file is there already, or the copy is not whole
 * @throws JournalWriteError when the disk does not take it
 */
export function backUpJournal(dataDir: string, target: string, nowMs: number = Date.now()): Backup {
  return copyJournal(join(resolve(dataDir), journalFileName), resolve(target), nowMs);
}

/** Copies a journal, or a backup of one, and says in the copy that it is one. @throws as `backUpJournal` does */
function copyJournal(source: string, path: string, nowMs: number): Backup {
  refuseExisting(path);
  const temporaryPath = `${path}.${randomBytes(randomLength).toString('hex')}.part`;
  try {
    copyInto(source, temporaryPath);
    noteInCopy(temporaryPath, nowMs);
    const latestEventSeq = proveWhole(temporaryPath);
    publish(temporaryPath, path);
    return { path, bytes: statSync(path).size, latestEventSeq };
  } catch (error) {
    throw explain(path, error);
  } finally {
    for (const leftover of [temporaryPath, `${temporaryPath}-journal`]) rmSync(leftover, { force: true });
  }
}

function refuseExisting(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new JournalRefusedError(`there is no folder ${folder}: make it first`);
  if (!existsSync(path)) return;
  throw new JournalRefusedError(`${path} is there already: a backup never replaces a file, name a new one`);
}

/** It is the copy that is written, and it stands wherever its name says: another dataDir is no cure. */
function explain(path: string, error: unknown): unknown {
  const explained = asFileWriteError(path, asWriteError(error));
  if (!(explained instanceof JournalWriteError)) return explained;
  const message = explained.message
    .replace('the journal cannot be written', `${path} cannot be written`)
    .replace('set another dataDir', 'name a file elsewhere');
  return new JournalWriteError(message, { cause: error });
}

/** The file is made before it is filled, so that nobody else can ever read it. */
function copyInto(journalPath: string, temporaryPath: string): void {
  closeSync(openSync(temporaryPath, 'wx', 0o600));
  using db = openReader(journalPath);
  db.prepare('vacuum into ?').run(temporaryPath);
  try {
    chmodSync(temporaryPath, 0o600);
  } catch (error) {
    // Where files have no owners, they have the rights that the mount gives them.
    if (!noLinkCodes.has(errorCode(error))) throw error;
  }
}

function noteInCopy(temporaryPath: string, nowMs: number): void {
  using db = new DatabaseSync(temporaryPath);
  // A file whose journal was moved refuses every change.
  unmarkGone(db);
  drive(db, noteCopied(nowMs));
}

/** Reads the copy through. @returns the number of its latest event */
function proveWhole(temporaryPath: string): number {
  using db = openReader(temporaryPath);
  const found = db.prepare('pragma quick_check').get()?.['quick_check'];
  if (found !== 'ok')
    throw new JournalRefusedError(`the copy is not whole (${String(found)}): look at the disk`);
  return drive(db, readLatestEventSeq());
}

function publish(temporaryPath: string, path: string): void {
  const file = openSync(temporaryPath, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    claimName(temporaryPath, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') refuseExisting(path);
    throw error;
  }
  syncFolderNow(dirname(path));
}

/** Gives the copy its name, or throws EEXIST. Without links, an empty file keeps the name until the rename. */
function claimName(temporaryPath: string, path: string): void {
  try {
    linkSync(temporaryPath, path);
    return;
  } catch (error) {
    if (!noLinkCodes.has(errorCode(error))) throw error;
  }
  closeSync(openSync(path, 'wx', 0o600));
  try {
    renameSync(temporaryPath, path);
  } catch (error) {
    // An empty backup would be taken for one.
    if (existsSync(temporaryPath)) rmSync(path, { force: true });
    throw error;
  }
}

// ---------------------------------------------------------------- back in the place of a journal

/**
 * Reads only.
 * @param ways with a recovery: the terminals that it has sent from have to be known
 * @throws JournalRefusedError when a journal is there, or the backup is another's, or none
 */
export function requireBackup(
  file: string,
  dataDir: string,
  wanted: JournalIdentity,
  ways: Pick<JournalOpening, 'recovery' | 'sentFrom'> = {},
): void {
  const [source, target] = [resolve(file), join(resolve(dataDir), journalFileName)];
  if (!existsSync(source)) throw new JournalRefusedError(`there is no file ${source}`);
  {
    using db = openBackup(source);
    const unknown = describeUnknownTables(source, readSchemaVersion(db), knownTables);
    if (unknown !== undefined) throw new JournalRefusedError(unknown);
    drive(db, requireIdentity(siteOfFile(dataDir), wanted));
    const opening = readOpening({ dataDir, stamp: wanted, access: 'own', ...ways }, siteOfFile);
    requireTerminals(opening, drive(db, readTerminals()));
  }
  if (source === target) return;
  for (const path of [target, `${target}-wal`, `${target}-shm`]) {
    if (existsSync(path))
      throw new JournalRefusedError(
        `${path} is there: move journal.db, with its -wal and -shm, out of the folder first, and keep them`,
      );
  }
}

/**
 * The copy says that it is a backup until a person's word on the loss is recorded in it: nobody can open it before.
 * @throws JournalRefusedError as `requireBackup` does
 */
export function placeBackup(file: string, dataDir: string, wanted: JournalIdentity, nowMs: number): void {
  requireBackup(file, dataDir, wanted);
  const [source, target] = [resolve(file), join(resolve(dataDir), journalFileName)];
  if (source === target) return;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  copyJournal(source, target, nowMs);
}

/** @throws JournalRefusedError when it is something else, or damaged: that says nothing of the journal in use */
function openBackup(source: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  let cause: unknown;
  try {
    db = openReader(source);
    if (readSchemaVersion(db) > 0) return db;
  } catch (error) {
    cause = error;
  }
  db?.close();
  throw new JournalRefusedError(`${source} is no journal, or damaged: give another backup`, { cause });
}
