/** Backups: a consistent copy of the journal taken while others write, and the restore of one. */
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

interface Backup {
  readonly path: string;
  readonly bytes: number;
  /** Number of the latest event in the copy. */
  readonly latestEventSeq: number;
}

/**
 * Copies the journal of a data directory into a new file, in one read transaction that does not delay the sender. The
 * copy appears whole or not at all, readable by its owner only, and never replaces another file.
 * @throws JournalRefusedError when the file exists, or the copy is not whole
 * @throws JournalWriteError when the disk does not take it
 */
export function backUpJournal(dataDir: string, target: string, nowMs: number = Date.now()): Backup {
  return copyJournal(join(resolve(dataDir), journalFileName), resolve(target), nowMs);
}

/** Copies a journal or a backup, and marks the copy as a backup. @throws as `backUpJournal` does */
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

/** Names the copy's own path: another dataDir is no cure for a failed write of the copy. */
function explain(path: string, error: unknown): unknown {
  const explained = asFileWriteError(path, asWriteError(error));
  if (!(explained instanceof JournalWriteError)) return explained;
  const message = explained.message
    .replace('the journal cannot be written', `${path} cannot be written`)
    .replace('set another dataDir', 'name a file elsewhere');
  return new JournalWriteError(message, { cause: error });
}

/** Creates the file before it is filled, so that no other user can ever read it. */
function copyInto(journalPath: string, temporaryPath: string): void {
  closeSync(openSync(temporaryPath, 'wx', 0o600));
  using db = openReader(journalPath);
  db.prepare('vacuum into ?').run(temporaryPath);
  try {
    chmodSync(temporaryPath, 0o600);
  } catch (error) {
    // File systems without owners grant the rights of the mount.
    if (!noLinkCodes.has(errorCode(error))) throw error;
  }
}

function noteInCopy(temporaryPath: string, nowMs: number): void {
  using db = new DatabaseSync(temporaryPath);
  // A file whose journal has moved refuses every change.
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

/** Gives the copy its name, or throws EEXIST. Without hard links, an empty file reserves the name until the rename. */
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
    // An empty file would pass for a backup.
    if (existsSync(temporaryPath)) rmSync(path, { force: true });
    throw error;
  }
}

// ---------------------------------------------------------------- restoring

/**
 * Reads only.
 * @param ways with a recovery: the terminals that the journal has sent from have to be known
 * @throws JournalRefusedError when a journal is there, or the file is another journal's backup, or none
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
 * The copy stays marked as a backup, which no command opens, until it records a person's statement about the loss.
 * @throws JournalRefusedError as `requireBackup` does
 */
export function placeBackup(file: string, dataDir: string, wanted: JournalIdentity, nowMs: number): void {
  requireBackup(file, dataDir, wanted);
  const [source, target] = [resolve(file), join(resolve(dataDir), journalFileName)];
  if (source === target) return;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  copyJournal(source, target, nowMs);
}

/** @throws JournalRefusedError when the file is no backup, or damaged: that says nothing of the journal in use */
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
