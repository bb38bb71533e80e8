/** The history of the tables: each entry runs once, in one transaction, and never changes after a release. */
import type { DatabaseSync } from 'node:sqlite';
import type { KnownTables } from '../payout/rules/journal-place.ts';
import { JournalRefusedError } from './connection.ts';
import { query, readFirst, write } from './statements.ts';
import { journalTables } from './tables/all.ts';
import { sqliteTables } from './tables/ddl.ts';
import { listedView } from './tables/listed.ts';

const baseline = sqliteTables(journalTables) + listedView.sqlite;

/** The tables in SQL, oldest entry first; the first is what a new journal begins with. */
export const tablesHistory: readonly string[] = [baseline];

/** The version of the first entry: 40 versions came before the first release. */
const baselineVersion = 41;

export const knownOf = (history: readonly string[]): KnownTables => ({
  oldest: baselineVersion,
  latest: baselineVersion + history.length - 1,
});

export const knownTables = knownOf(tablesHistory);

/** The version of the tables that this program writes. */
export const schemaVersion = knownTables.latest;

const versionTable =
  'create table if not exists schema_version (version integer primary key, applied_at_ms integer not null) strict';

/**
 * The version of the tables in the file; 0 when it has none.
 * @throws JournalRefusedError when the file holds something else
 */
export function readSchemaVersion(db: DatabaseSync): number {
  const tables = db
    .prepare("select name from sqlite_master where type = 'table'")
    .all()
    .map((row) => row['name']);
  if (tables.length === 0) return 0;
  if (!tables.includes('schema_version')) {
    throw new JournalRefusedError(
      'journal.db is another program’s file: move it away or set another dataDir',
    );
  }
  const latest = query
    .selectFrom('schema_version')
    .select((eb) => eb.fn.max<number | null>('version').as('version'));
  return readFirst(db, latest)?.version ?? 0;
}

/**
 * Brings the tables up to date; inside the caller's transaction.
 * @param history of the tables, as the program knows it
 */
export function migrate(db: DatabaseSync, nowMs: number, history: readonly string[] = tablesHistory): void {
  const present = readSchemaVersion(db);
  db.exec(versionTable);
  for (const [index, tables] of history.entries()) {
    const version = baselineVersion + index;
    if (version <= present) continue;
    db.exec(tables);
    write(db, query.insertInto('schema_version').values({ version, applied_at_ms: nowMs }));
  }
}
