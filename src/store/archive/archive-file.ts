/**
 * The files that batches are moved to: each is a database with the journal's own tables, so that whatever reads the
 * journal reads it, too. It is written once, by one call of `archive`, and never changed after.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import {
  archiveNameOf,
  describeMissingArchive,
  describeUnreadableArchive,
  readArchiveNumber,
} from '../../payout/rules/archive.ts';
import { describeUnknownTables } from '../../payout/rules/journal-place.ts';
import { syncFolderNow } from '../../platform/durable-file.ts';
import {
  explainWriting,
  inTransaction,
  JournalRefusedError,
  openConnection,
  openReader,
  sqliteCodeOf,
  sqliteCodes,
} from '../connection.ts';
import { knownOf, migrate, readSchemaVersion, tablesHistory } from '../migrations.ts';
import { readLatestEventSeq } from '../payouts/rows.ts';
import { drive, query, readAll, readFirst, write } from '../statements.ts';
import { movedTables } from '../tables.ts';

/** Rows of the file whose text is hashed at a time. */
const digestRows = 2_000;

/** SHA-256 (hex) over all that a database has of a batch's rows. */
export function digestBatch(db: DatabaseSync, batchId: string): string {
  const last = db.prepare('select max(row_no) as row_no from payout where batch_id = ?').get(batchId);
  const all = createHash('sha256');
  for (const { name, key, seq } of movedTables) {
    const columns = db.prepare('select name from pragma_table_info(?)').all(name);
    const row = columns.map((column) => `quote("${String(column['name'])}")`).join(` || ',' || `);
    const page = db.prepare(
      `select group_concat(${row}, ';' order by ${key}) as text from ${name}
       where ${seq} in (select seq from payout where batch_id = ? and row_no > ? and row_no <= ?)`,
    );
    for (let from = 0; from < Number(last?.['row_no'] ?? 0); from += digestRows)
      all.update(`${name} ${String(page.get(batchId, from, from + digestRows)?.['text'])}\n`);
  }
  return all.digest('hex');
}

const unreadable = new Map<number | undefined, string>([
  [sqliteCodes.corrupt, 'damaged'],
  [sqliteCodes.notADatabase, 'no database'],
  [sqliteCodes.ioError, 'the disk reports an error, or it is no file'],
  [sqliteCodes.cannotOpen, 'it is no file, or this user may not read it'],
]);

/** Says of errors in reading that the archive has them: the cure of a damaged journal would lose what the journal has. */
export function explainReading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asArchiveRefusal(path, error);
  }
}

function asArchiveRefusal(path: string, error: unknown): unknown {
  const why = unreadable.get(sqliteCodeOf(error));
  if (why === undefined) return error;
  return new JournalRefusedError(describeUnreadableArchive(path, why), { cause: error });
}

/** Names of the archives in a folder, the oldest first. */
export const listArchives = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => readArchiveNumber(name) !== undefined)
    .toSorted((one, other) => (readArchiveNumber(one) ?? 0) - (readArchiveNumber(other) ?? 0));

/** The facts that an archive has in common with its journal. */
const identityKeys = ['bankAddress', 'companyId', 'isSandbox'];

const readIdentity = (db: DatabaseSync) =>
  readAll(db, query.selectFrom('meta').selectAll().where('key', 'in', identityKeys).orderBy('key'));

/** The highest number of an archive that was there when a person let the journal go on. */
export const seenKey = 'archivesSeen';

export const readSeen = (journal: DatabaseSync): number =>
  Number(journal.prepare('select value from meta where key = ?').get(seenKey)?.['value'] ?? 0);

/** Returns the next number: the name of an archive that is away is its own, whatever the folder has now. */
function computeNextNumber(journal: DatabaseSync, folder: string): number {
  const named = journal.prepare('select distinct archive from archived_batch').all();
  const names = [...listArchives(folder), ...named.map(({ archive }) => String(archive))];
  return 1 + Math.max(readSeen(journal), ...names.map((name) => readArchiveNumber(name) ?? 0));
}

/** Makes the next archive of a journal, with its tables; readable by its owner only. */
export function makeArchive(journal: DatabaseSync, folder: string, nowMs: number): string {
  const name = archiveNameOf(computeNextNumber(journal, folder));
  const path = join(folder, name);
  explainWriting(path, () => closeSync(openSync(path, 'wx', 0o600)));
  try {
    using db = openConnection(path, 'delete');
    inTransaction(db, () => {
      migrate(db, nowMs);
      const made = { key: 'atEventSeq', value: String(drive(journal, readLatestEventSeq())) };
      write(db, query.insertInto('meta').values([made, ...readIdentity(journal)]));
    });
    syncFolderNow(folder);
  } catch (error) {
    dropArchive(journal, folder, name);
    throw error;
  }
  return name;
}

/** Removes an archive that the journal does not name: it would take space, and would never be read. */
export function dropArchive(journal: DatabaseSync, folder: string, archive: string): void {
  const isNamed = journal.prepare('select 1 from archived_batch where archive = ? limit 1');
  if (isNamed.get(archive) !== undefined) return;
  for (const name of [archive, `${archive}-journal`]) rmSync(join(folder, name), { force: true });
  syncFolderNow(folder);
}

/**
 * The number of the journal's latest event when an archive of it was made.
 * @returns undefined for one that has no batch, or is not of this bank, company and kind
 */
export const readArchivedAtEvent = (journal: DatabaseSync, path: string): number | undefined =>
  explainReading(path, () => findArchivedAtEvent(journal, path));

function findArchivedAtEvent(journal: DatabaseSync, path: string): number | undefined {
  using db = openWhole(path);
  if (readSchemaVersion(db) === 0 || db.prepare('select 1 from batch').get() === undefined) return undefined;
  if (!isDeepStrictEqual(readIdentity(db), readIdentity(journal))) return undefined;
  const made = query.selectFrom('meta').select('value').where('key', '=', 'atEventSeq');
  return Number(readFirst(db, made)?.value);
}

/**
 * A file that a statement of today can read: the archive itself, or a copy with today's tables, which its owner removes.
 * @param history of the tables, as the program knows it
 */
export function makeReadable(path: string, history = tablesHistory): { readonly path: string } & Disposable {
  if (!existsSync(path)) throw new JournalRefusedError(describeMissingArchive(path));
  const known = knownOf(history);
  const version = explainReading(path, () => readVersion(path));
  const unknown = describeUnknownTables(path, version, known);
  if (unknown !== undefined) throw new JournalRefusedError(unknown);
  if (version === known.latest) return { path, [Symbol.dispose]: () => {} };
  const copy = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);
  const remove = (): void => rmSync(copy, { force: true });
  try {
    explainWriting(copy, () => copyFileSync(path, copy));
    using db = openConnection(copy, 'delete');
    inTransaction(db, () => migrate(db, 0, history));
  } catch (error) {
    remove();
    throw error;
  }
  return { path: copy, [Symbol.dispose]: remove };
}

/** Opens an archive. A write that a killed process left half done is taken back first, which a reader may not do. */
function openWhole(path: string): DatabaseSync {
  if (existsSync(`${path}-journal`)) {
    using db = openConnection(path, 'delete');
    db.exec('select 1 from sqlite_schema limit 1');
  }
  return openReader(path);
}

function readVersion(path: string): number {
  using db = openWhole(path);
  return readSchemaVersion(db);
}

/** Opens an archive to read it; `readArchive` says what is wrong with it, too. */
export function openArchive(path: string): DatabaseSync {
  using readable = makeReadable(path);
  return openReader(readable.path);
}

/** Reads in an archive. @throws JournalRefusedError that names it where it cannot be read */
export const readArchive = <Found>(path: string, read: (archive: DatabaseSync) => Found): Found =>
  explainReading(path, () => {
    using archive = openArchive(path);
    return read(archive);
  });
