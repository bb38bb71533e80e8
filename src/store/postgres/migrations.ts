/** Makes the tables of a journal in PostgreSQL, and brings those of an older one up to date: apart from SQLite's. */
import type { ClientBase } from 'pg';
import { describeUnknownTables, type KnownTables } from '../../payout/rules/journal-place.ts';
import { JournalRefusedError } from '../connection.ts';
import { writeLockKey } from './engine.ts';
import { asPostgresWriteError } from './errors.ts';
import { schemaName, wholeSchemaName } from './pool.ts';
import { journalTables } from '../tables.ts';
import { machineTables } from '../tables/machines.ts';
import { postgresTables, postgresTriggers } from '../tables/ddl.ts';
import { listedView } from '../tables/payouts.ts';
import { archivedNames, archivedTables } from './tables/archived.ts';
import { functions } from './tables/functions.ts';
import { archivistRole } from '../archivist.ts';

/** The tables of SQLite, those of several machines, and those of the archive. */
const whole = [
  functions,
  postgresTables([...journalTables, ...machineTables]),
  listedView.postgres,
  postgresTriggers(journalTables),
  archivedTables,
].join('\n');

/** A change to a journal of the version before. */
interface TablesChange {
  readonly tables: string;
  /**
   * True where a program that knows the step before works on as it did: there are new tables, indexes, or columns that are
   * null or have a default, and what it writes means to the newer program what it means to itself. The two work side by
   * side then, until every machine has the newer one. One that changes or removes anything, or refuses what was written
   * before, comes two releases later, when no program needs the old way any more.
   */
  readonly isForPreviousToo: boolean;
}

/** The tables as a program knows them. */
interface TablesHistory {
  /** The tables as they are now: what a new journal begins with. */
  readonly whole: string;
  /** The changes, oldest first; none is changed after a release. */
  readonly changes: readonly TablesChange[];
}

/** @forTests */
export const tablesHistory: TablesHistory = { whole, changes: [] };

/** The version of the first release: 11 came before it. */
const firstVersion = 12;

const knownOf = ({ changes }: TablesHistory): KnownTables => ({
  oldest: firstVersion,
  latest: firstVersion + changes.length,
});

export const knownTables = knownOf(tablesHistory);

/** The version of the tables that this program writes on PostgreSQL. */
export const tablesVersion = knownTables.latest;

interface VersionStep {
  readonly version: number;
  /** The version up to which a program has to know the tables to work with these. */
  readonly programFrom: number;
  readonly tables: string;
}

/** Steps from one version to the latest. @param before the present version; 0 without tables */
function listSteps({ whole: tables, changes }: TablesHistory, before: number): readonly VersionStep[] {
  const steps = changes.map(({ tables: change, isForPreviousToo }, index): VersionStep => {
    const version = firstVersion + index + 1;
    return { version, programFrom: isForPreviousToo ? version - 1 : version, tables: change };
  });
  if (before > 0) return steps.filter(({ version }) => version > before);
  const latest = steps.at(-1);
  return [
    { version: latest?.version ?? firstVersion, programFrom: latest?.programFrom ?? firstVersion, tables },
  ];
}

/** The oldest PostgreSQL with all that the tables ask for. */
const serverVersionMin = 150_000;

/**
 * The version of the tables in the database; 0 when it has none. Newer ones with which this program may work all the same
 * are to it what it knows.
 * @param known the version that this program knows
 * @throws JournalRefusedError when the schema holds something else
 */
export async function readTablesVersion(client: ClientBase, known = tablesVersion): Promise<number> {
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
  const latest = await client.query<{
    readonly version: number | null;
    readonly program_from: number | null;
  }>(
    `select max(version)::int as version, max(program_from)::int as program_from from ${schemaName}.schema_version`,
  );
  const version = latest.rows[0]?.version ?? 0;
  const isKnownEnough = (latest.rows[0]?.program_from ?? 0) <= known;
  return version > known && isKnownEnough ? known : version;
}

function requireKnown(version: number, known: KnownTables, journal: string): void {
  const unknown = describeUnknownTables(`the journal in ${journal}`, version, known);
  if (unknown !== undefined) throw new JournalRefusedError(unknown);
}

/**
 * An older program that is at work would not notice that its tables are others now.
 * @throws JournalRefusedError while one is there that may not work with them
 */
async function requireNobodyOlder(client: ClientBase, from: number): Promise<void> {
  const there = await client.query<{ machine: string; pid: number; command: string }>(
    `select machine, pid::int, command from ${schemaName}.worker
     where tables_version < $1 and ended_at_ms is null and superseded_at_ms is null
       and lease_until_ms > (extract(epoch from clock_timestamp()) * 1000)::bigint
     order by worker_id limit 1`,
    [from],
  );
  const [older] = there.rows;
  if (older === undefined) return;
  throw new JournalRefusedError(
    `an older paydrop works with this journal ("paydrop ${older.command}", process ${older.pid} on ${older.machine}), which ` +
      'may not go on beside this one: stop every paydrop process of that version first, on all machines',
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

/**
 * Makes a schema. One that an administrator has made needs no right to make others.
 * @throws JournalRefusedError when it is not there, and may not be made
 */
async function makeSchema(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ role: string; database: string; is_there: 0 | 1; may: 0 | 1 }>(
    // The flags are integers: a connection of the journal reads them as 0 and 1, another one as true and false.
    `select quote_ident(current_user) as role, current_database() as database,
       (to_regnamespace($1) is not null)::int as is_there,
       has_database_privilege(current_database(), 'create')::int as may`,
    [name],
  );
  const [found] = rows;
  if (found?.is_there === 1) return;
  if (found?.may === 1) return void (await client.query(`create schema ${name}`));
  throw new JournalRefusedError(
    `the role ${found?.role} may not make the schema ${name} in the database ${found?.database}: have an administrator run ` +
      `"create schema ${name} authorization ${found?.role}" there, then run it again`,
  );
}

interface TablesMigration {
  /** The database in words, without a password. */
  readonly journal: string;
  readonly nowMs: number;
  /** Work within the same transaction. @param before the version that the tables had; 0 when there were none */
  readonly alongWith?: (before: number) => Promise<void>;
}

/** Brings the tables up to date in the transaction that has begun. @param history see `migrateTables` */
export async function migrateWithin(
  client: ClientBase,
  migration: TablesMigration,
  history = tablesHistory,
): Promise<number> {
  // The wait is unlimited: another machine may take long over its own.
  await client.query('set local lock_timeout = 0; set local statement_timeout = 0');
  await client.query(`select pg_advisory_xact_lock(${writeLockKey})`);
  const known = knownOf(history);
  const before = await readTablesVersion(client, known.latest);
  requireKnown(before, known, migration.journal);
  if (before === known.latest) return before;
  const steps = listSteps(history, before);
  if (before > 0) await requireNobodyOlder(client, Math.max(...steps.map(({ programFrom }) => programFrom)));
  for (const name of [schemaName, wholeSchemaName]) await makeSchema(client, name);
  await client.query(`set local search_path = ${schemaName}, pg_temp`);
  await client.query(
    `create table if not exists schema_version (
      version bigint primary key, applied_at_ms bigint not null, program_from bigint not null
    )`,
  );
  for (const { version, programFrom, tables } of steps) {
    await client.query(tables);
    const kept = [version, migration.nowMs, programFrom];
    await client.query('insert into schema_version values ($1, $2, $3)', kept);
  }
  await client.query(rolesScript);
  await migration.alongWith?.(before);
  return before;
}

/**
 * Brings the tables up to this program's version in one transaction: one machine does, and the others wait and find them.
 * @returns the version that they had; 0 when there were none
 * @param history of the tables, as the program knows it
 * @throws JournalRefusedError when they are newer than this program, or no journal's, or the server will not do, or an older
 * program is at work that may not go on beside this one
 * @throws JournalWriteError when the role may not, or the database fails: nothing has been changed
 */
export async function migrateTables(
  client: ClientBase,
  migration: TablesMigration,
  history = tablesHistory,
): Promise<number> {
  await requireServer(client);
  const known = knownOf(history);
  const present = await readTablesVersion(client, known.latest);
  requireKnown(present, known, migration.journal);
  if (present === known.latest) return present;
  try {
    await client.query('begin');
    const before = await migrateWithin(client, migration, history);
    await client.query('commit');
    return before;
  } catch (error) {
    // A connection that has gone has taken its transaction with it.
    await client.query('rollback').catch(() => {});
    throw asPostgresWriteError(error);
  }
}

// ---------------------------------------------------------------- the rights of two roles on the tables

/** The role that reads, and writes what happens. */
const programRole = `${schemaName}_program`;

/** Tables that are written once: the program changes and removes nothing of them. */
const onlyAdded = [
  'event',
  'registration_event',
  'person_event',
  'proposal_event',
  'instruction_version',
  'registration_version',
  'registration_row',
  'registration_place',
  'payout_place',
  'payee_place',
  'paid_payee',
  'approval_signature',
  'contributor',
  'approved_row',
  'review_note',
  'report',
  'registration_report',
  'notice',
  'journal_loss',
];

/** Tables from which the program removes rows in daily work: what was half read, what is over, and what is kept twice. */
const passing = [
  'payout',
  'open_payout',
  'registration',
  'latest_send',
  'file_claim',
  'shard',
  'worker',
  'write_mark',
  'payer_pause',
  'day_use',
  'meta',
  'person_session',
  'statement_line',
  'statement_reading',
  'statement_report',
  'statement_run',
];

/** Tables and columns for the archivist, who erases what names people, and moves batches into the archive and back. */
const ofArchivist = {
  update: [
    'event',
    'instruction_version',
    'proposal_event',
    'person_event',
    'review_note',
    'archived_batch',
    'archived_rows',
  ],
  insert: ['archived_batch', 'archived_rows', 'used_reference', ...archivedNames],
  delete: [
    'event',
    'attempt',
    'instruction_version',
    'payout_row',
    'payee_place',
    'paid_payee',
    'used_reference',
    'archived_batch',
    'archived_rows',
    ...archivedNames,
  ],
};

const list = (tables: readonly string[]): string => tables.join(', ');

const both = `${programRole}, ${archivistRole}`;

/**
 * The rights of the two roles: the database itself refuses the program to change or remove what is kept for ever, triggers
 * or not. Both are groups without a login; the owner of the tables, who makes and changes them, is bound by the triggers
 * alone. The login of the program should own nothing.
 */
const grants = `
grant usage on schema ${schemaName}, ${wholeSchemaName} to ${both};
grant select on all tables in schema ${wholeSchemaName} to ${both};
revoke all on all tables in schema ${schemaName} from ${both};
grant select, insert, update on all tables in schema ${schemaName} to ${both};
revoke update on ${list(onlyAdded)} from ${both};
revoke insert, update on schema_version, ${list(ofArchivist.insert)} from ${both};
grant delete on ${list(passing)} to ${both};
grant update on ${list(ofArchivist.update)} to ${archivistRole};
grant insert on ${list(ofArchivist.insert)} to ${archivistRole};
grant delete on ${list(ofArchivist.delete)} to ${archivistRole};
`;

const makeRole = (role: string): string => `
  if not exists (select from pg_roles where rolname = '${role}') then
    begin
      create role ${role} nologin;
    exception when duplicate_object or unique_violation then
      null; -- Another database of the server has made it meanwhile.
    end;
  end if;`;

/**
 * The roles and their rights, for the owner of the tables. It may be run again at any time: it makes what is missing, and
 * sets what is there. Without the roles, and without the right to make them, it does nothing: an administrator who
 * runs it then (\`psql\`) makes them. @forTests
 */
export const rolesScript = `
do $roles$
begin
  perform set_config('search_path', '${schemaName}, pg_temp', true);
  if (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) then${makeRole(programRole)}${makeRole(archivistRole)}
  end if;
  if (select count(*) from pg_roles where rolname in ('${programRole}', '${archivistRole}')) < 2 then
    return;
  end if;
${grants.trim().replaceAll(/^/gm, '  ')}
end
$roles$;
`;
