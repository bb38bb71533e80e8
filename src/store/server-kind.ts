/** The kind that the server at a loopback address has reported: one journal never meets both a sandbox and a bank there. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeOtherServer, type JournalSite } from '../payout/rules/journal-place.ts';
import { JournalRefusedError, openReader } from './connection.ts';
import { readFact, writeFact } from './meta.ts';
import { type Body, drive, type Reading } from './statements.ts';

/** `bank`: it answered, and not as a paydrop sandbox does. */
export type ServerKind = 'sandbox' | 'bank';

const metaKey = 'serverKind';

/** The kind that the journal keeps; undefined while it keeps none. */
export function* readServerKind(): Reading<ServerKind | undefined> {
  const kept = yield* readFact(metaKey);
  return kept === 'sandbox' || kept === 'bank' ? kept : undefined;
}

/**
 * Compares what the server says with what it said to this journal.
 * @param saidNow undefined where the server was not asked, or did not answer
 * @returns true when the journal keeps no kind, such as that of an earlier version, and `bindServerKind` is to tell it
 * @throws JournalRefusedError: a rehearsal must never be taken for the real run
 */
export function* requireServerKind(site: JournalSite, saidNow: ServerKind | undefined): Reading<boolean> {
  const kept = yield* readServerKind();
  if (saidNow === undefined || saidNow === kept) return false;
  if (kept !== undefined) throw new JournalRefusedError(describeOtherServer(site, kept, saidNow));
  return true;
}

/** Tells the journal, for ever, what the server says that it is. */
export const bindServerKind = (said: ServerKind): Body<void> => writeFact(metaKey, said);

/** The kind that a journal keeps, read without opening it as one; undefined without a journal, or if it cannot be read. */
export function peekServerKind(dataDir: string, fileName: string): ServerKind | undefined {
  const path = join(resolve(dataDir), fileName);
  if (!existsSync(path)) return undefined;
  try {
    const db = openReader(path);
    try {
      return drive(db, readServerKind());
    } finally {
      db.close();
    }
  } catch {
    // The opening of the journal says what is wrong with it.
    return undefined;
  }
}
