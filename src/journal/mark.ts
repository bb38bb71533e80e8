/**
 * The mark: a small file beside the journal that says which journal works here and how far it had come. A journal that
 * is missing, new, or older than its mark was lost or restored: it no longer knows what was sent, so it is refused.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asFileWriteError, JournalRefusedError } from './errors.ts';

/** How far a journal has come; both numbers only grow. */
export interface Mark {
  readonly journalId: string;
  readonly sealedBatches: number;
  readonly latestEventSeq: number;
}

const markFileName = 'journal.mark';

/** Where the mark of a journal in this folder stands. */
const markPathIn = (dataDir: string): string => join(dataDir, markFileName);

function isMark(value: unknown): value is Mark {
  if (typeof value !== 'object' || value === null) return false;
  const { journalId, sealedBatches, latestEventSeq } = value as Partial<Record<keyof Mark, unknown>>;
  return typeof journalId === 'string' && Number.isInteger(sealedBatches) && Number.isInteger(latestEventSeq);
}

/**
 * The mark in the folder; undefined when there is none.
 * @throws JournalRefusedError when it cannot be read
 */
export function readMark(dataDir: string): Mark | undefined {
  const path = markPathIn(dataDir);
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isMark(value)) return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
  throw unreadable(path, undefined);
}

function unreadable(path: string, cause: unknown): JournalRefusedError {
  const why = 'it says how far the journal beside it had come, so nothing is sent without it';
  return new JournalRefusedError(
    `${path} cannot be read: ${why}; put back the newest copy of the whole folder`,
    {
      cause,
    },
  );
}

/**
 * Writes the mark so that a reader, or a crash, meets the old one or the new one whole.
 * @throws JournalWriteError when the disk is full or may not be written
 */
export function writeMark(dataDir: string, mark: Mark): void {
  const path = markPathIn(dataDir);
  // Always the same name: only the holder of the right to send writes it, and what a crash has left is written over.
  const temporaryPath = `${path}.tmp`;
  try {
    writeDurably(temporaryPath, `${JSON.stringify(mark)}\n`);
    renameSync(temporaryPath, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw asFileWriteError(path, error);
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const cure =
  'Nothing is sent, since payouts of the lost part would be paid again. ' +
  'Put back the newest journal.db together with its -wal file, or have the bank confirm what it has paid first';

/** @throws JournalRefusedError when the mark stands and there is no journal, or an empty one */
export function requireNoMark(dataDir: string, mark: Mark | undefined): void {
  if (mark === undefined) return;
  throw new JournalRefusedError(
    `the journal that worked in ${dataDir} is lost: journal.mark is there, journal.db is not. ${cure}`,
  );
}

/** @throws JournalRefusedError when the journal is another one than the mark names, or has not come as far */
export function checkMark(dataDir: string, mark: Mark | undefined, present: Mark): void {
  if (mark === undefined) return;
  if (mark.journalId !== present.journalId) {
    throw new JournalRefusedError(
      `journal.db in ${dataDir} is not the journal that worked here before. ${cure}`,
    );
  }
  if (present.sealedBatches < mark.sealedBatches || present.latestEventSeq < mark.latestEventSeq) {
    const lost = `it has ${present.sealedBatches} files and ${present.latestEventSeq} events, ${mark.sealedBatches} and ${mark.latestEventSeq} were recorded`;
    throw new JournalRefusedError(`journal.db in ${dataDir} is an older copy: ${lost}. ${cure}`);
  }
}
