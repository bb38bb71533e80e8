/** Makes the tables of a journal in SQLite, and brings those of an older one up to date. */
import type { DatabaseSync } from 'node:sqlite';
import type { KnownTables } from '../payout/rules/journal-place.ts';
import { JournalRefusedError } from './connection.ts';
import { query, readFirst, write } from './statements.ts';
import { journalTables } from './tables.ts';
import { sqliteTables } from './tables/ddl.ts';
import { listedView } from './tables/payouts.ts';

/** The tables as a program knows them. */
interface TablesHistory {
  /** The tables as they are now: what a new journal begins with. */
  readonly whole: string;
  /** Changes to a journal of an earlier version, oldest first; an entry never changes after a release. */
  readonly changes: readonly string[];
}

export const tablesHistory: TablesHistory = {
  whole: sqliteTables(journalTables) + listedView.sqlite,
  changes: [],
};

/** The version of the first release: 44 came before it. */
const firstVersion = 45;

export const knownOf = ({ changes }: TablesHistory): KnownTables => ({
  oldest: firstVersion,
  latest: firstVersion + changes.length,
});

export const knownTables = knownOf(tablesHistory);

/** The version of the tables that this program writes. */
export const schemaVersion = knownTables.latest;

const versionTable =
  'create table schema_version (version integer primary key, applied_at_ms integer not null) strict;';

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
 * Makes the tables, or brings them up to date; inside the caller's transaction.
 * @param history of the tables, as the program knows it
 */
export function migrate(db: DatabaseSync, nowMs: number, history = tablesHistory): void {
  const present = readSchemaVersion(db);
  const { oldest, latest } = knownOf(history);
  const note = (version: number): void => {
    write(db, query.insertInto('schema_version').values({ version, applied_at_ms: nowMs }));
  };
  if (present === 0) {
    db.exec(versionTable + history.whole);
    note(latest);
    return;
  }
  for (const [index, change] of history.changes.entries()) {
    const version = oldest + index + 1;
    if (version <= present) continue;
    db.exec(change);
    note(version);
  }
}
