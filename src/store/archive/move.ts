/**
 * Moves batches out of the journal and back. A batch stands in one of the two, whole. Out: its rows are copied and
 * synced, the copy is read again from the disk, and one transaction of the journal names the archive and lets the rows
 * go; killed before that, the journal has them as before. Back: one transaction of the journal.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  type ArchivePolicy,
  describeMissingArchive,
  describeOtherArchive,
  findArchiveObstacle,
} from '../../payout/rules/archive.ts';
import { inTransaction, JournalRefusedError, openConnection, openReader } from '../connection.ts';
import type { Reader } from '../engine.ts';
import { readSchemaVersion } from '../migrations.ts';
import { recordOpen } from '../payouts/open-payouts.ts';
import { drive, type Reading } from '../statements.ts';
import { movedTables } from '../tables.ts';
import {
  beginMoving,
  endMoving,
  forgetArchive,
  forgetPlaces,
  retainReferenced,
  nameArchive,
  namedArchive,
  noteRecalled,
  readArchiveFacts,
} from './archived.ts';
import { digestBatch, explainReading, makeReadable, openArchive } from './archive-file.ts';

/** Receives the progress of a move, so that a test can end the process there. */
export type OnStep = (step: 'copied' | 'verified' | 'named' | 'removed' | 'committed') => void;

interface ArchiveOrder {
  readonly batchId: string;
  /** The name of the archive's file, beside the journal. */
  readonly archive: string;
  readonly policy: ArchivePolicy;
  readonly nowMs: number;
  readonly onStep?: OnStep;
}

const rowsOf = (seq: string): string => `${seq} in (select seq from payout where batch_id = ?)`;

/** Copies a batch into the archive, durably. */
function copyBatch(path: string, journalPath: string, batchId: string): void {
  using db = openConnection(path, 'delete');
  db.prepare('attach ? as journal').run(journalPath);
  inTransaction(db, () => {
    for (const name of ['batch', 'report'])
      db.prepare(`insert into ${name} select * from journal.${name} where batch_id = ?`).run(batchId);
    for (const { name, seq } of movedTables)
      db.prepare(
        `insert into ${name} select * from journal.${name} where ${seq} in (
           select seq from journal.payout where batch_id = ?)`,
      ).run(batchId);
    recordPlaces(db, batchId);
  });
}

/** Records what is looked for by other than its number: where its payees are paid an amount, and open payouts. */
function recordPlaces(db: DatabaseSync, batchId: string): void {
  db.prepare(
    `insert or ignore into payee_place select r.proxy_no, p.amount_satang, p.seq
     from payout p join payout_row r on r.seq = p.seq
     where p.batch_id = ? and r.proxy_no is not null and p.amount_satang is not null order by 1, 2, 3`,
  ).run(batchId);
  drive(db, recordOpen(batchId));
}

/** The digest of a batch on the disk; empty for an empty file. */
export const digestCopy = (path: string, batchId: string): string =>
  explainReading(path, () => {
    if (!existsSync(path)) throw new JournalRefusedError(describeMissingArchive(path));
    using db = openReader(path);
    return readSchemaVersion(db) === 0 ? '' : digestBatch(db, batchId);
  });

/** Moves a batch into an archive. @returns false when it may not go any more, or has changed since it was copied */
export function archiveBatch(db: DatabaseSync, journalPath: string, order: ArchiveOrder): boolean {
  const { batchId, archive, policy, nowMs, onStep = () => {} } = order;
  const path = join(dirname(journalPath), archive);
  copyBatch(path, journalPath, batchId);
  onStep('copied');
  const digest = digestCopy(path, batchId);
  onStep('verified');
  const isMoved = inTransaction(db, () => {
    const [facts] = drive(db, readArchiveFacts(Number.MAX_SAFE_INTEGER, batchId));
    if (facts === undefined || findArchiveObstacle(facts, policy) !== undefined) return false;
    if (digestBatch(db, batchId) !== digest) return false;
    drive(db, nameArchive({ batchId, archive, digest, nowMs }));
    onStep('named');
    removeRows(db, batchId);
    onStep('removed');
    return true;
  });
  onStep('committed');
  return isMoved;
}

/** Removes the rows; their references are kept as used. */
export function removeRows(db: DatabaseSync, batchId: string): void {
  drive(db, retainReferenced(batchId));
  deleteRows(db, batchId);
  drive(db, endMoving(batchId));
}

export function deleteRows(db: DatabaseSync, batchId: string): void {
  drive(db, forgetPlaces(batchId));
  for (const { name, seq } of movedTables.toReversed())
    db.prepare(`delete from ${name} where ${rowsOf(seq)}`).run(batchId);
}

// ---------------------------------------------------------------- back

/** Takes in the rows of a batch from the database that is attached as `archive`. */
export function takeRows(db: DatabaseSync, batchId: string): void {
  for (const { name, seq, key, carried } of movedTables)
    db.prepare(
      `insert into ${name} (${carried}) select ${carried} from archive.${name}
       where ${seq} in (select seq from archive.payout where batch_id = ?) order by ${key}`,
    ).run(batchId);
  recordPlaces(db, batchId);
}

/** Does something while an archive is attached as `archive`. */
export function withArchive<Result>(db: DatabaseSync, path: string, use: () => Result): Result {
  using readable = makeReadable(path);
  db.prepare('attach ? as archive').run(readable.path);
  try {
    return use();
  } finally {
    db.exec('detach archive');
  }
}

/**
 * Brings a batch back into the journal, whole; one that stands there is left as it is.
 * @throws JournalRefusedError when its archive is missing, or has not what was moved into it
 */
export function recallBatch(db: DatabaseSync, journalPath: string, batchId: string, nowMs: number): void {
  const known = drive(db, findArchive(journalPath, batchId));
  if (known === undefined) return;
  withArchive(db, known.path, () => {
    requireWhole(known, batchId);
    inTransaction(db, () => {
      // Another process may have brought it back meanwhile.
      if (drive(db, findArchive(journalPath, batchId)) === undefined) return;
      drive(db, beginMoving(batchId));
      db.prepare(
        `delete from used_reference where (trans_ref_no, payout_seq) in (select a.trans_ref_no, a.payout_seq
           from archive.payout p join archive.attempt a on a.payout_seq = p.seq where p.batch_id = ?)`,
      ).run(batchId);
      takeRows(db, batchId);
      drive(db, forgetArchive(batchId));
      drive(db, noteRecalled(batchId, nowMs));
    });
  });
}

// ---------------------------------------------------------------- where a batch stands

interface FoundArchive {
  readonly archive: string;
  readonly path: string;
  readonly digest: string;
}

/** The archive that has a batch; undefined when the journal has it, or does not know it. */
export function* findArchive(journalPath: string, batchId: string): Reading<FoundArchive | undefined> {
  const found = yield* namedArchive.get({ batchId });
  if (found === undefined) return undefined;
  const { archive, digest } = found;
  return { archive, path: join(dirname(journalPath), archive), digest };
}

/** Opens the archive that has a batch, to read its rows there; undefined where they stand in the journal. */
export async function openArchiveOf(
  view: Reader,
  journalPath: string,
  batchId: string,
): Promise<(Reader & Disposable) | undefined> {
  const found = await view.read(() => findArchive(journalPath, batchId));
  if (found === undefined) return undefined;
  requireWhole(found, batchId);
  const archive = openArchive(found.path);
  return {
    read: async (makeBody) => drive(archive, makeBody()),
    [Symbol.dispose]: () => archive.close(),
  };
}

/** @throws JournalRefusedError when an archive has not what was moved into it */
function requireWhole({ path, digest }: FoundArchive, batchId: string): void {
  if (digestCopy(path, batchId) !== digest)
    throw new JournalRefusedError(describeOtherArchive(path, batchId));
}
