/** What the server at a loopback address said that it is: one journal never meets both a sandbox and a bank there. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describeOtherServer } from '../payout/rules/journal-place.ts';
import { JournalRefusedError, openReader } from './connection.ts';
import { query, readFirst, write } from './statements.ts';

/** `bank`: it answered, and not as a paydrop sandbox does. */
export type ServerKind = 'sandbox' | 'bank';

const metaKey = 'serverKind';

function readServerKind(db: DatabaseSync): ServerKind | undefined {
  const found = readFirst(db, query.selectFrom('meta').select('value').where('key', '=', metaKey));
  return found?.value === 'sandbox' || found?.value === 'bank' ? found.value : undefined;
}

/**
 * Compares what the server says with what it said to this journal. One that has not been told, such as that of an
 * earlier version, is bound to the first answer.
 * @param saidNow undefined where nobody was asked, or nobody answered
 * @param mayBind false for a reader, which changes nothing
 * @throws JournalRefusedError: a rehearsal must never be taken for the real run
 */
export function requireServerKind(
  db: DatabaseSync,
  dataDir: string,
  saidNow: ServerKind | undefined,
  mayBind: boolean,
): void {
  const kept = readServerKind(db);
  if (saidNow === undefined || saidNow === kept) return;
  if (kept !== undefined) {
    throw new JournalRefusedError(describeOtherServer(dataDir, kept, saidNow));
  }
  if (mayBind) write(db, query.insertInto('meta').values({ key: metaKey, value: saidNow }));
}

/** What a journal was told, read without opening it as one; undefined without a journal, or if it cannot be read. */
export function peekServerKind(dataDir: string, fileName: string): ServerKind | undefined {
  const path = join(resolve(dataDir), fileName);
  if (!existsSync(path)) return undefined;
  try {
    const db = openReader(path);
    try {
      return readServerKind(db);
    } finally {
      db.close();
    }
  } catch {
    // Whoever opens it says what is wrong with it.
    return undefined;
  }
}
