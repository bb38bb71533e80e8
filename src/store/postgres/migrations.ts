/** The tables' history on PostgreSQL, apart from SQLite's: each entry is run once, and never changed after a release. */
import type { ClientBase } from 'pg';
import { JournalRefusedError } from '../connection.ts';
import { writeLockKey } from './engine.ts';
import { asPostgresWriteError } from './errors.ts';
import { schemaName, wholeSchemaName } from './pool.ts';
import { rolesScript } from './roles.ts';
import { archiveTables, archiveTriggers } from './tables/archive.ts';
import { archivedTables } from './tables/archived.ts';
import { refusal } from './tables/ddl.ts';
import { functions } from './tables/functions.ts';
import { payoutTables, payoutTriggers, payoutView } from './tables/payouts.ts';
import { registrationTables, registrationTriggers } from './tables/registration.ts';
import { reviewTables, reviewTriggers } from './tables/review.ts';
import { statementTables } from './tables/statements.ts';
import { watchTables } from './tables/watch.ts';
import { payerBreakerTables, requestSlotTables, workerTables } from './tables/workers.ts';

/** What SQLite's tables have become by now. */
const wholeTables = [
  refusal,
  functions,
  watchTables,
  payoutTables,
  archiveTables,
  statementTables,
  reviewTables,
  registrationTables,
  payoutView,
  archiveTriggers,
  payoutTriggers,
  reviewTriggers,
  registrationTriggers,
].join('\n');

const migrations: readonly string[] = [
  wholeTables,
  workerTables,
  requestSlotTables + payerBreakerTables,
  archivedTables,
];

/** The version of the tables that this program writes on PostgreSQL. */
export const tablesVersion = migrations.length;

/** The oldest PostgreSQL with all that the tables ask for. */
const serverVersionMin = 150_000;

/**
 * The version of the tables in the database; 0 when it has none.
 * @throws JournalRefusedError when the schema holds something else
 */
export async function readTablesVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ readonly is_ours: boolean; readonly is_empty: boolean }>(
    `select to_regclass('${schemaName}.schema_version') is not null as is_ours,
       not exists (select 1 from pg_class where relnamespace = to_regnamespace('${schemaName}')) as is_empty`,
  );
  const [found] = rows;
  if (found === undefined || found.is_empty) return 0;
  if (!found.is_ours)
    throw new JournalRefusedError(
      `the schema ${schemaName} of the database is another program’s: set another database in journal.url`,
    );
  const latest = await client.query<{ readonly version: number | null }>(
    `select max(version)::int as version from ${schemaName}.schema_version`,
  );
  return latest.rows[0]?.version ?? 0;
}

function requireKnown(version: number, journal: string): void {
  if (version <= tablesVersion) return;
  throw new JournalRefusedError(
    `the journal in ${journal} was written by a newer paydrop (tables ${version}, this one knows ${tablesVersion}): use that one`,
  );
}

async function requireServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ readonly version: number; readonly encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  );
  const server = rows[0];
  if (server === undefined || server.version < serverVersionMin)
    throw new JournalRefusedError('PostgreSQL is older than 15: update the server');
  if (server.encoding !== 'UTF8')
    throw new JournalRefusedError(`the database is in ${server.encoding}: make one in UTF8`);
}

export interface TablesMigration {
  /** The database in words, without a password. */
  readonly journal: string;
  readonly nowMs: number;
  /** What belongs to the same transaction. @param before the version that the tables had; 0 when there were none */
  readonly alongWith?: (before: number) => Promise<void>;
}

/** Brings the tables up to date in the transaction that has begun. */
export async function migrateWithin(client: ClientBase, migration: TablesMigration): Promise<number> {
  // However long another machine takes over its own.
  await client.query('set local lock_timeout = 0; set local statement_timeout = 0');
  await client.query(`select pg_advisory_xact_lock(${writeLockKey})`);
  const before = await readTablesVersion(client);
  requireKnown(before, migration.journal);
  if (before === tablesVersion) return before;
  for (const name of [schemaName, wholeSchemaName]) {
    const made = await client.query('select from pg_namespace where nspname = $1', [name]);
    // Of one that an administrator has made this role need not be allowed to make others.
    if (made.rowCount === 0) await client.query(`create schema ${name}`);
  }
  await client.query(`set local search_path = ${schemaName}, pg_temp`);
  await client.query(
    'create table if not exists schema_version (version bigint primary key, applied_at_ms bigint not null)',
  );
  for (const [index, tables] of migrations.entries()) {
    if (index < before) continue;
    await client.query(tables);
    await client.query('insert into schema_version values ($1, $2)', [index + 1, migration.nowMs]);
  }
  await client.query(rolesScript);
  await migration.alongWith?.(before);
  return before;
}

/**
 * Brings the tables up to this program's version in one transaction: one machine does, and the others wait and find them.
 * @returns the version that they had; 0 when there were none
 * @throws JournalRefusedError when they are newer than this program, or no journal's, or the server will not do
 * @throws JournalWriteError when the role may not, or the database fails: nothing has been changed
 */
export async function migrateTables(client: ClientBase, migration: TablesMigration): Promise<number> {
  await requireServer(client);
  const present = await readTablesVersion(client);
  requireKnown(present, migration.journal);
  if (present === tablesVersion) return present;
  try {
    await client.query('begin');
    const before = await migrateWithin(client, migration);
    await client.query('commit');
    return before;
  } catch (error) {
    // A connection that has gone has taken its transaction with it.
    await client.query('rollback').catch(() => {});
    throw asPostgresWriteError(error);
  }
}
