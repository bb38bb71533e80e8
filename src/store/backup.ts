/** A copy of the journal as it is at one moment, taken while others go on writing it. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode, noLinkCodes, syncFolderNow } from '../platform/durable-file.ts';
import {
  asFileWriteError,
  asWriteError,
  JournalRefusedError,
  JournalWriteError,
  openReader,
} from './connection.ts';
import { journalFileName } from './open.ts';
import { readLatestEventSeq } from './payouts/rows.ts';
import { noteCopied } from './place.ts';
import { drive } from './statements.ts';

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
export function copyJournal(source: string, path: string, nowMs: number): Backup {
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
  noteCopied(db, nowMs);
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
