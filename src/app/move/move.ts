/**
 * `paydrop move`: carries a journal from its file into a PostgreSQL database, where several machines may work it, step by
 * step: commits the copy there as not arrived, compares both sides, marks the file's journal as gone, and only then opens
 * the database for use. After a kill between any two steps, the journal is in the file alone, or in neither until the same
 * command has finished the move.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { countOf } from '../../core/figures.ts';
import {
  describeNoFile,
  siteOfDatabase,
  siteOfFile,
  type DatabaseIdentity,
  type JournalSite,
} from '../../payout/rules/journal-place.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { complainAboutJournalUrl, nameJournalUrl } from '../../settings/journal-url.ts';
import { requireJournalUrl, SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import {
  journalFileName,
  JournalRefusedError,
  openConnection,
  openReader,
  asWriteError,
} from '../../store/connection.ts';
import { requireIdentity } from '../../store/identity.ts';
import { type Gone, readGone, markGone, moveFacts, noteArrived } from '../../store/moved.ts';
import { readHighWaterMark } from '../../store/high-water-mark.ts';
import { type JournalAddress, openDatabaseJournal } from '../../store/postgres/open.ts';
import { drive } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { lockOwnJournal, openOwnJournal } from '../journal/own-journal.ts';
import { describeIdentity, requireJournal } from '../open-store.ts';
import { findSender, type SenderLockOwner } from '../sender-lock.ts';
import { SenderBusyError } from '../session.ts';
import { countRows, compareSides, ownTable, requireKnownColumns, copyTables } from './tables.ts';
import { makePostgresEngine, type PostgresEngine, writeLockKey } from '../../store/postgres/engine.ts';
import { asPostgresRefusal } from '../../store/postgres/errors.ts';
import { migrateWithin, readTablesVersion } from '../../store/postgres/migrations.ts';
import { schemaName, wholeSchemaName } from '../../store/postgres/pool.ts';
import { requireSameDatabase, requireServer } from '../../store/postgres/server.ts';

interface MoveWish {
  /** Address of the database; that of the settings when left out. */
  readonly to: string | undefined;
  /** Brings archived batches back into the journal first. */
  readonly recalls: boolean;
}

interface Ways {
  readonly journalId: string;
  readonly dataDir: string;
  /** Address of the database, without user and password. */
  readonly database: string;
  /** False where the journal is in the database and no file is here: nothing to move. */
  readonly hasFile: boolean;
}

/** Contents of a move, and what blocks it. */
export interface MovePlan extends Ways {
  readonly ahead: MoveAhead;
  readonly rows: number;
  /** Batches in archives beside the file. */
  readonly archivedBatches: number;
  /** The process that sends from the file; undefined when none does. */
  readonly sender: SenderLockOwner | undefined;
}

export type Moved = Ways & MoveEnd;

/**
 * Moves the journal. No other process may send or change anything meanwhile.
 * @throws SenderBusyError while another process may send
 * @throws SettingsError without a journal, or without an address
 * @throws JournalRefusedError when the journal may not go there, or the copy differs from the original
 */
export async function moveJournal(
  loaded: LoadedSettings,
  log: Logger,
  { to, recalls }: MoveWish,
): Promise<Moved> {
  const address = readAddress(loaded, to);
  const source = inFile(loaded);
  const there = await findWithoutFile(source, address);
  if (there !== undefined) return { ...there, kind: 'was-there' };
  await using stack = new AsyncDisposableStack();
  // Refuses a missing journal: opening it for writing would make one.
  if (peekGone(source) === undefined) await (await requireJournal(source))[Symbol.asyncDispose]();
  const lock = await lockOwnJournal(source, 'move', log, systemClock, {});
  if ('heldBy' in lock) throw new SenderBusyError(lock.heldBy);
  stack.use(lock);
  // Opens it as a sender does: a journal that is lost, a copy or another's does not move.
  if (peekGone(source) === undefined) {
    await using journal = await openOwnJournal(source, log, systemClock, {});
    await takeArchivesAlong(journal, recalls);
  }
  using db = openConnection(pathOf(source));
  const way = findWay(db, source, address);
  const onTable: Move['onTable'] = (table, rows) => log.info({ table, rows }, 'rows are on their way');
  const end = await carryOver(db, { ...way, nowMs: systemClock.now(), onTable });
  return { ...describeWay(way), ...end };
}

/** Says what a move would do. @throws as `moveJournal` does, but not for a sender, which may work until the move */
export async function planMove(loaded: LoadedSettings, { to, recalls }: MoveWish): Promise<MovePlan> {
  const address = readAddress(loaded, to);
  const source = inFile(loaded);
  const there = await findWithoutFile(source, address);
  if (there !== undefined)
    return { ...there, ahead: 'nothing', rows: 0, archivedBatches: 0, sender: undefined };
  const gone = peekGone(source);
  let archivedBatches = 0;
  if (gone === undefined) {
    await using journal = await requireJournal(source);
    archivedBatches = await countArchived(journal, recalls);
  }
  using db = openReader(pathOf(source));
  const way = findWay(db, source, address);
  const ahead = await lookAhead(way, gone);
  return {
    ...describeWay(way),
    ahead,
    rows: countRows(db),
    archivedBatches,
    // A process that sends from the database blocks no move.
    sender: ahead === 'nothing' ? undefined : findSender(source.dataDir),
  };
}

/** The settings as before the move, with the journal in its file. */
const inFile = (loaded: LoadedSettings): LoadedSettings => ({
  ...loaded,
  journalUrl: { ok: true, secret: '', from: 'move' },
});

const pathOf = ({ dataDir }: Pick<LoadedSettings, 'dataDir'>): string => join(dataDir, journalFileName);

/** @throws SettingsError where no address is given, or two */
function readAddress({ journalUrl }: LoadedSettings, to: string | undefined): JournalAddress {
  const set = requireJournalUrl(journalUrl);
  const url = to ?? set;
  if (url === '')
    throw new SettingsError('name the database: with --to, in journal.url, or in PAYDROP_JOURNAL_URL');
  const complaint = complainAboutJournalUrl(url);
  if (complaint !== undefined) throw new SettingsError(`--to ${complaint}`);
  const name = nameJournalUrl(url);
  if (set !== '' && nameJournalUrl(set) !== name)
    throw new SettingsError(
      `--to names ${name}, and ${journalUrl.ok ? journalUrl.from : 'journal.url'} names ${nameJournalUrl(set)}: leave --to out`,
    );
  return { url, name };
}

/** The file's mark of a move; undefined without a file, or where it cannot be read, which opening it reports. */
function peekGone(source: LoadedSettings): Gone | undefined {
  if (!existsSync(pathOf(source))) return undefined;
  try {
    using db = openReader(pathOf(source));
    return drive(db, readGone());
  } catch {
    return undefined;
  }
}

/** @throws JournalRefusedError when the journal belongs to another bank, another company or the sandbox */
function findWay(db: DatabaseSync, source: LoadedSettings, address: JournalAddress): Way {
  const { dataDir } = source;
  const from = siteOfFile(dataDir);
  const journalId = drive(db, requireIdentity(from, describeIdentity(source)));
  return { journalId, from, to: siteOfDatabase(dataDir, address.name), address };
}

const describeWay = ({ journalId, from, address }: Way): Ways => ({
  journalId,
  dataDir: from.dataDir,
  database: address.name,
  hasFile: true,
});

/**
 * The state where there is no file: a journal that began in the database never had one.
 * @returns undefined where there is a file, or no trace of a journal
 * @throws JournalRefusedError when the database lacks the journal that worked here, or it may not be used
 */
async function findWithoutFile(source: LoadedSettings, address: JournalAddress): Promise<Ways | undefined> {
  const { dataDir } = source;
  if (existsSync(pathOf(source))) return undefined;
  const journalId = await findJournalThere({ to: siteOfDatabase(dataDir, address.name), address });
  const mark = readHighWaterMark(dataDir);
  if (mark !== undefined && mark.journalId !== journalId)
    throw new JournalRefusedError(describeNoFile(siteOfFile(dataDir), mark.journalId, address.name));
  if (journalId === undefined) return undefined;
  // Opens it as a sender does: a journal older than its mark, or another bank's, does not count as being there.
  const opening = { dataDir, stamp: describeIdentity(source), access: 'beside' } as const;
  await (await openDatabaseJournal(opening, address))?.[Symbol.asyncDispose]();
  return { journalId, dataDir, database: address.name, hasFile: false };
}

/** @throws JournalRefusedError for archived batches, which are files beside the journal's, unless they come back */
async function countArchived(journal: Pick<Store, 'archives'>, recalls: boolean): Promise<number> {
  const archives = await journal.archives();
  const batches = archives.reduce((sum, archive) => sum + archive.batches, 0);
  if (batches === 0 || recalls) return batches;
  const names = archives.map(({ archive }) => archive).join(', ');
  throw new JournalRefusedError(
    `${countOf(batches, 'batch', 'batches')} of the journal ${batches === 1 ? 'stands' : 'stand'} in ${names}, which ` +
      'a database cannot read: "paydrop move --recall" brings them back into the journal first, each whole, so that they ' +
      'go along',
  );
}

async function takeArchivesAlong(journal: Store, recalls: boolean): Promise<void> {
  if ((await countArchived(journal, recalls)) === 0) return;
  const batchIds = (await journal.batches()).map(({ batchId }) => batchId);
  await journal.recall('batch', batchIds, systemClock.now());
}

// ---------------------------------------------------------------- the steps

/** The step that was just taken. @forTests */
export type MoveStep = 'locked' | 'copied' | 'committed' | 'compared' | 'marked' | 'arrived';

interface Where {
  /** Names the database. */
  readonly to: JournalSite;
  readonly address: JournalAddress;
}

/** A journal and the database that it moves to. */
interface Way extends Where {
  readonly journalId: string;
  /** Names the file. */
  readonly from: JournalSite;
}

/** @forTests */
export interface Move extends Way {
  readonly nowMs: number;
  /** Called after each step, so that a test can end the process there. */
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
  /** Called with each table whose rows are copied, before the copy is committed. */
  readonly onTable?: (name: string, rows: number) => void;
}

/** Outcome; `ended` and `was-there` when the file was already marked as gone: the move was completed, or had been. @forTests */
export type MoveEnd =
  | { readonly kind: 'moved'; readonly rows: number }
  | { readonly kind: 'ended' }
  | { readonly kind: 'was-there' };

/** The journal found in a database. */
interface Found {
  /** Version of the tables; 0 where there are none. */
  readonly version: number;
  /** Undefined where there is no journal. */
  readonly journalId: string | undefined;
  readonly moveId: string | undefined;
  readonly isArriving: boolean;
}

/** Longest pause between two statements of a copy; no other process waits for this database. */
const idleMaxMs = 600_000;

/**
 * @param db the file, opened for writing by the owner of its sender lock
 * @throws JournalRefusedError when the database holds a journal already, or the two sides differ
 * @throws JournalWriteError when one of them cannot be written: repeating the command continues the move
 * @forTests
 */
export const carryOver = (db: DatabaseSync, move: Move): Promise<MoveEnd> =>
  atDatabase(move, async (database) => {
    const gone = drive(db, readGone());
    if (gone !== undefined) return endMove(db, database, move, gone);
    const moveId = randomUUID();
    const rows = await whileLocked(db, async () => {
      await move.onStep?.('locked');
      const copied = await useClient(database, (client) => copy(db, client, move, moveId));
      await move.onStep?.('committed');
      await requireSame(db, database, move);
      await move.onStep?.('compared');
      markGone(db, move.from, { moveId, to: move.address.name }, move.nowMs);
      return copied;
    });
    await move.onStep?.('marked');
    await arrive(database, move);
    return { kind: 'moved', rows };
  });

/** Opens the database for use; the file is marked as gone by then. */
async function arrive({ engine, identity }: Database, move: Move): Promise<void> {
  await engine.write(() => noteArrived(identity, move.nowMs));
  await move.onStep?.('arrived');
}

/** Extent of a move: everything, only its last steps, since the file is marked as gone, or nothing. */
type MoveAhead = 'all' | 'end' | 'nothing';

/**
 * Reads only.
 * @param gone the mark in the file
 * @throws JournalRefusedError as a move would before its first step
 */
const lookAhead = (way: Way, gone: Gone | undefined): Promise<MoveAhead> =>
  atDatabase(way, async (database) => {
    const found = await useClient(database, findJournal);
    if (gone !== undefined) {
      requireMoved(found, way, gone);
      return found.isArriving ? 'end' : 'nothing';
    }
    requireRoom(found, way);
    await useClient(database, (client) => requireRights(client, way));
    return 'all';
  });

/** Id of the journal that is in use in the database; undefined where there is none. Reads only. */
const findJournalThere = (where: Where): Promise<string | undefined> =>
  atDatabase(where, async (database) => {
    const { journalId, isArriving } = await useClient(database, findJournal);
    return isArriving ? undefined : journalId;
  });

/** Completes a move whose file is already marked as gone. */
async function endMove(db: DatabaseSync, database: Database, move: Move, gone: Gone): Promise<MoveEnd> {
  const found = await useClient(database, findJournal);
  requireMoved(found, move, gone);
  if (!found.isArriving) return { kind: 'was-there' };
  await requireSame(db, database, move);
  await arrive(database, move);
  return { kind: 'ended' };
}

// ---------------------------------------------------------------- the file

/** Keeps other processes from writing to the file during `work`, whose writes are durable when it resolves. */
async function whileLocked<T>(db: DatabaseSync, work: () => Promise<T>): Promise<T> {
  db.exec('begin immediate');
  try {
    const result = await work();
    db.exec('commit');
    // Without this, a file copied without its log would lack the mark.
    db.exec('pragma wal_checkpoint(passive)');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

// ---------------------------------------------------------------- the database

interface Database {
  readonly engine: PostgresEngine;
  /** Identity of the database to which every connection leads. */
  readonly identity: DatabaseIdentity;
}

/** @throws JournalRefusedError when the database cannot hold a journal */
async function atDatabase<T>({ to, address }: Where, use: (database: Database) => Promise<T>): Promise<T> {
  let identity: DatabaseIdentity | undefined;
  const greet = async (client: ClientBase): Promise<void> => {
    const present = await requireServer(client, to, true);
    if (identity === undefined) identity = present;
    else requireSameDatabase(to, identity, present);
  };
  await using engine = makePostgresEngine(address.url, greet);
  try {
    await useClient({ engine }, async () => {});
    if (identity === undefined) throw new Error('a connection was not looked at');
    return await use({ engine, identity });
  } catch (error) {
    throw asPostgresRefusal(to.journal, asWriteError(error));
  }
}

async function useClient<T>(
  { engine: { pool } }: Pick<Database, 'engine'>,
  use: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const ignore = (): void => {};
  client.on('error', ignore);
  try {
    return await use(client);
  } finally {
    client.off('error', ignore);
    client.release(true);
  }
}

async function transact<T>(client: ClientBase, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(`${begin}; set local idle_in_transaction_session_timeout = ${idleMaxMs}`);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** The journal in a database, as far as one is there. */
async function findJournal(client: ClientBase): Promise<Found> {
  const version = await readTablesVersion(client);
  const facts = new Map<string, string>();
  if (version > 0) {
    const { rows } = await client.query<{ readonly key: string; readonly value: string }>(
      `select key, value from ${schemaName}.meta`,
    );
    for (const { key, value } of rows) facts.set(key, value);
  }
  return {
    version,
    journalId: facts.get('journalId'),
    moveId: facts.get(moveFacts.moveId),
    isArriving: facts.has(moveFacts.isArriving),
  };
}

/** @throws JournalRefusedError when the journal cannot go into a database with these contents */
function requireRoom({ journalId, isArriving }: Found, move: Way): void {
  if (journalId === undefined) return;
  if (!isArriving)
    throw new JournalRefusedError(
      `there is a journal at ${move.address.name} already: name a database without one`,
    );
  if (journalId !== move.journalId)
    throw new JournalRefusedError(
      `another journal is on its way to ${move.address.name}: let that move end first, or name another database`,
    );
}

/** @throws JournalRefusedError when the database does not hold the journal that the file's mark names */
function requireMoved(
  { journalId, moveId }: Found,
  { journalId: own, from, address }: Way,
  gone: Gone,
): void {
  if (journalId === own && moveId === gone.moveId) return;
  throw new JournalRefusedError(
    `${from.journal} went to ${gone.to}, and what is at ${address.name} is not that journal: name the database that it went ` +
      'to, or put that one back from its backup',
  );
}

const rights = `
select bool_and(case when space is null then has_database_privilege(current_database(), 'create')
  else has_schema_privilege(space, 'create') and not exists (select from pg_class
    where relnamespace = space and relkind in ('r', 'S', 'v') and not pg_has_role(relowner, 'usage'))
  end)::text as suffice
from unnest(array[to_regnamespace('${schemaName}'), to_regnamespace('${wholeSchemaName}')]) as space`;

/** @throws JournalRefusedError when the role may not make the tables, or they belong to another role */
async function requireRights(client: ClientBase, { address }: Way): Promise<void> {
  const { rows } = await client.query<{ readonly suffice: string }>(rights);
  if (rows[0]?.suffice === 'true') return;
  throw new JournalRefusedError(
    `the role of ${address.name} may not make or fill the tables: give the address of the owner of the tables or the database, ` +
      `for this once, or make the schemas ${schemaName} and ${wholeSchemaName} for it (docs/operations.md, "Roles")`,
  );
}

/** All tables of the schema except the history of its versions. */
async function listTables(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string }>(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace('${schemaName}') and relkind = 'r' and relname <> '${ownTable}' order by 1`,
  );
  return rows.map(({ name }) => `${schemaName}.${name}`);
}

/** Removes what an earlier try has left. @throws JournalRefusedError for tables that no try of this move made */
async function makeRoom(client: ClientBase, found: Found, { address }: Move): Promise<void> {
  const tables = await listTables(client);
  if (tables.length === 0) return;
  if (found.journalId !== undefined) {
    await client.query(`truncate ${tables.join(', ')} restart identity`);
    return;
  }
  for (const table of tables) {
    const { rowCount } = await client.query(`select from ${table} limit 1`);
    if (rowCount === 0) continue;
    throw new JournalRefusedError(
      `${address.name} holds no journal, and rows of one (${table}): name another database, or find out whose they are`,
    );
  }
}

/** Commits the whole journal, marked as not arrived. */
async function copy(db: DatabaseSync, client: ClientBase, move: Move, moveId: string): Promise<number> {
  return transact(client, 'begin', async () => {
    await client.query(`select pg_advisory_xact_lock(${writeLockKey})`);
    const found = await findJournal(client);
    requireRoom(found, move);
    await requireRights(client, move);
    await makeRoom(client, found, move);
    await migrateWithin(client, { journal: move.address.name, nowMs: move.nowMs });
    await client.query(`set local search_path = ${schemaName}, pg_temp`);
    await requireKnownColumns(db, client);
    const rows = await copyTables(db, client, move.onTable ?? (() => {}));
    const stamp = [moveFacts.isArriving, '1', moveFacts.moveId, moveId];
    await client.query('insert into meta values ($1, $2), ($3, $4)', stamp);
    await move.onStep?.('copied');
    return rows;
  });
}

/** @throws JournalRefusedError when the database differs from the file */
async function requireSame(db: DatabaseSync, database: Database, { to, from }: Move): Promise<void> {
  const difference = await useClient(database, (client) =>
    transact(client, 'begin isolation level repeatable read read only', () => compareSides(db, client)),
  );
  if (difference === undefined) return;
  throw new JournalRefusedError(
    `${to.journal} is not what ${from.journal} is (${difference}): it is not used, and nothing more has been done. ` +
      'Run it again; if that says the same, report it',
  );
}
