/**
 * A journal that is moved from its file into a database, as each of the two knows of it. The database learns of it first,
 * then the file, and only then may the database be used: at no moment are there two that may send.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  type DatabaseIdentity,
  describeArriving,
  describeGone,
  describeTwo,
  type JournalSite,
} from '../payout/rules/journal-place.ts';
import { asRefusal, inTransaction, journalFileName, JournalRefusedError, openReader } from './connection.ts';
import { readFact, writeFact } from './meta.ts';
import { bindPlace, noteCopied } from './place.ts';
import { type Body, drive, type Reading } from './statements.ts';

/** The facts that are kept of a move, by their names. */
export const moveFacts = {
  /** The id of one try to move, in both: it tells the right database from one that an earlier try left half done. */
  moveId: 'moveId',
  /** The database in words, in the file. */
  movedTo: 'movedTo',
  /** True in the database until the file says that the journal has gone. */
  isArriving: 'isArriving',
} as const;

export interface Gone {
  readonly moveId: string;
  /** The name of the database, in words. */
  readonly to: string;
}

/** The place where the journal of this file went; undefined of one that is still here. */
export function* readGone(): Reading<Gone | undefined> {
  const to = yield* readFact(moveFacts.movedTo);
  if (to === undefined) return undefined;
  return { to, moveId: (yield* readFact(moveFacts.moveId)) ?? '' };
}

/** @throws JournalRefusedError when the journal of this file went into a database */
export function* requireNotGone(site: JournalSite): Reading<void> {
  const gone = yield* readGone();
  if (gone !== undefined) throw new JournalRefusedError(describeGone(site, gone.to));
}

const hasFacts = (db: DatabaseSync): boolean =>
  db.prepare(`select 1 from sqlite_master where name = 'meta'`).get() !== undefined;

/**
 * @param site of a database
 * @throws JournalRefusedError when the data directory has a journal in a file that did not go there
 */
export function requireNoFile(site: JournalSite): void {
  const path = join(site.dataDir, journalFileName);
  if (!existsSync(path)) return;
  if (isJournal(path)) throw new JournalRefusedError(describeTwo(site));
}

/** False of one that went elsewhere, and of a file in which none has begun. @throws JournalRefusedError when it cannot be read */
function isJournal(path: string): boolean {
  try {
    using db = openReader(path);
    if (!hasFacts(db) || drive(db, readFact('journalId')) === undefined) return false;
    return drive(db, readGone()) === undefined;
  } catch (error) {
    throw asRefusal(path, error);
  }
}

/** @throws JournalRefusedError when the journal in this database has not arrived yet */
export function* requireArrived(site: JournalSite): Reading<void> {
  if ((yield* readFact(moveFacts.isArriving)) === undefined) return;
  throw new JournalRefusedError(describeArriving(site));
}

/** Lets the database be used, and binds the journal to it: one that is copied from now on is a copy. */
export function* noteArrived(database: DatabaseIdentity, nowMs: number): Body<void> {
  yield* writeFact(moveFacts.isArriving, null);
  const present = { termId: undefined, file: undefined, database };
  yield* bindPlace({ present, terminals: [], isSaid: false, adopts: false, restores: false, nowMs });
}

const prefix = 'moved_';

/** The tables of the file, without SQLite's own. */
const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name));

/**
 * Says in the file, inside the caller's transaction, that its journal has gone. The file itself refuses a process that has
 * it open already; later it is a backup of this moment, which opens through `restore` alone.
 */
export function markGone(db: DatabaseSync, site: JournalSite, { moveId, to }: Gone, nowMs: number): void {
  drive(db, writeFact(moveFacts.moveId, moveId));
  drive(db, writeFact(moveFacts.movedTo, to));
  drive(db, noteCopied(nowMs));
  const message = describeGone(site, to).replaceAll("'", "''");
  for (const table of tablesOf(db))
    for (const change of ['insert', 'update', 'delete'])
      db.exec(
        `create trigger ${prefix}${table}_${change} before ${change} on ${table} begin
           select raise(abort, '${message}');
         end`,
      );
}

/** Makes a backup like any other of a file whose journal has gone: it is being put in place. */
export function unmarkGone(db: DatabaseSync): void {
  if (!hasFacts(db) || drive(db, readGone()) === undefined) return;
  inTransaction(db, () => {
    const triggers = db.prepare(
      `select name from sqlite_master where type = 'trigger' and name glob '${prefix}*'`,
    );
    for (const { name } of triggers.all()) db.exec(`drop trigger ${String(name)}`);
    for (const fact of [moveFacts.movedTo, moveFacts.moveId]) drive(db, writeFact(fact, null));
  });
}
