/** Where a journal stands: the terminal and the file that it is bound to, so that a copy is told from the journal itself. */
import type { DatabaseSync } from 'node:sqlite';
import { describeBackup, type Place } from '../payout/rules/journal-place.ts';
import { JournalRefusedError } from './connection.ts';
import { query, readFirst, write } from './statements.ts';

type MomentKey = 'newSinceMs' | 'missesSinceMs';
type PlaceKey = 'termId' | 'fileInode' | 'fileBirthNs' | 'markKept' | 'copiedAtMs' | MomentKey;

function readMeta(db: DatabaseSync, key: PlaceKey): string | undefined {
  return readFirst(db, query.selectFrom('meta').select('value').where('key', '=', key))?.value;
}

function writeMeta(db: DatabaseSync, key: PlaceKey, value: string | null | undefined): void {
  write(db, query.deleteFrom('meta').where('key', '=', key));
  if (value !== null && value !== undefined) write(db, query.insertInto('meta').values({ key, value }));
}

/** A journal of an earlier version is bound to nothing yet. */
export function readPlace(db: DatabaseSync): Place {
  const inode = readMeta(db, 'fileInode');
  const file = inode === undefined ? undefined : { inode, birthNs: readMeta(db, 'fileBirthNs') ?? null };
  return { termId: readMeta(db, 'termId'), file };
}

/** Binds the journal to a place; to no file any more where files cannot be told. Inside the caller's transaction. */
export function writePlace(db: DatabaseSync, { termId, file }: Place): void {
  if (termId !== undefined) writeMeta(db, 'termId', termId);
  writeMeta(db, 'fileInode', file?.inode);
  writeMeta(db, 'fileBirthNs', file?.birthNs);
}

/**
 * `newSinceMs`: when the journal began, or last went on in a new place or after a loss; undefined in one of an earlier
 * version. `missesSinceMs`: since when it may miss something, once it was adopted.
 */
export function readMoment(db: DatabaseSync, key: MomentKey): number | undefined {
  const text = readMeta(db, key);
  return text === undefined ? undefined : Number(text);
}

export const writeMoment = (db: DatabaseSync, key: MomentKey, atMs: number): void =>
  writeMeta(db, key, String(atMs));

/** True once a high-water mark has stood beside the journal: it is never without one from then on. */
export const isMarkKept = (db: DatabaseSync): boolean => readMeta(db, 'markKept') !== undefined;

export const noteMarkKept = (db: DatabaseSync): void => writeMeta(db, 'markKept', '1');

/** Says in a backup that it is one: a copy in the place of a journal would not know what was sent since. */
export const noteCopied = (db: DatabaseSync, nowMs: number): void =>
  writeMeta(db, 'copiedAtMs', String(nowMs));

export const forgetCopy = (db: DatabaseSync): void => writeMeta(db, 'copiedAtMs', null);

/** @throws JournalRefusedError when it is a backup that was put in the place of a journal by hand */
export function requireNoCopy(db: DatabaseSync, path: string): void {
  if (readMeta(db, 'copiedAtMs') === undefined) return;
  throw new JournalRefusedError(describeBackup(path));
}
