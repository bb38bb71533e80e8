/** A copy of the journal as it is at one moment, taken while others go on writing it. */
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openReader } from './connection.ts';
import { asFileWriteError, asWriteError, JournalRefusedError } from './errors.ts';
import { syncFolder } from './mark.ts';
import { journalFileName } from './open.ts';
import { prepareLatestEventSeq } from './apply-statements.ts';

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
export function backUpJournal(dataDir: string, target: string): Backup {
  const path = resolve(target);
  refuseExisting(path);
  const temporaryPath = `${path}.part`;
  try {
    copyInto(join(resolve(dataDir), journalFileName), temporaryPath);
    const latestEventSeq = proveWhole(temporaryPath);
    publish(temporaryPath, path);
    return { path, bytes: statSync(path).size, latestEventSeq };
  } catch (error) {
    throw asFileWriteError(path, asWriteError(error));
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

/** The file is made before it is filled, so that nobody else can ever read it. */
function copyInto(journalPath: string, temporaryPath: string): void {
  rmSync(temporaryPath, { force: true });
  closeSync(openSync(temporaryPath, 'wx', 0o600));
  const db = openReader(journalPath);
  try {
    db.prepare('vacuum into ?').run(temporaryPath);
  } finally {
    db.close();
  }
  chmodSync(temporaryPath, 0o600);
}

/** Reads the copy through. @returns the number of its latest event */
function proveWhole(temporaryPath: string): number {
  const db = openReader(temporaryPath);
  try {
    const [found] = db.prepare('pragma quick_check').all();
    if (found?.['quick_check'] !== 'ok')
      throw new JournalRefusedError(
        `the copy is not whole (${String(found?.['quick_check'])}): look at the disk`,
      );
    return prepareLatestEventSeq(db)();
  } finally {
    db.close();
  }
}

function publish(temporaryPath: string, path: string): void {
  const file = openSync(temporaryPath, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(temporaryPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') refuseExisting(path);
    throw error;
  }
  syncFolder(dirname(path));
}
