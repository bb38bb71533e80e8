/** The move of a test's journal into a test's database. */
import { dirname } from 'node:path';
import { carryOver, type Move, type MoveEnd } from '../../src/app/move/move.ts';
import { siteOfDatabase, siteOfFile } from '../../src/payout/rules/journal-place.ts';
import { nameJournalUrl } from '../../src/settings/journal-url.ts';
import { openConnection } from '../../src/store/connection.ts';
import { readFact } from '../../src/store/meta.ts';
import { drive } from '../../src/store/statements.ts';
import { noonMs } from './core-fixtures.ts';

/** @param path of the journal's file */
export function moveOf(path: string, url: string): Move {
  using db = openConnection(path);
  const name = nameJournalUrl(url);
  return {
    journalId: drive(db, readFact('journalId')) ?? '',
    from: siteOfFile(dirname(path)),
    to: siteOfDatabase(dirname(path), name),
    address: { url, name },
    nowMs: noonMs,
  };
}

/** The move as whoever holds the right to send does it. */
export async function moveJournal(path: string, url: string, changes: Partial<Move> = {}): Promise<MoveEnd> {
  using db = openConnection(path);
  return await carryOver(db, { ...moveOf(path, url), ...changes });
}
