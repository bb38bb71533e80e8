/** The archives of a journal as its owner works them, and reads of payouts wherever they stand. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type {
  ArchiveStore,
  FoundPayout,
  PayoutHistory,
  PayoutSearch,
  PayoutStore,
} from '../../payout/ports.ts';
import { describeOtherArchive } from '../../payout/rules/archive.ts';
import { JournalRefusedError, sqliteCodeOf, sqliteCodes } from '../connection.ts';
import { makeSqliteBulk } from '../payouts/bulk-work.ts';
import { payoutReads, readHistory, readNamed } from '../payouts/payout-queries.ts';
import { searchReads } from '../payouts/search.ts';
import { drive } from '../statements.ts';
import type { WriteQueue } from '../write-queue.ts';
import { dropArchive, makeArchive, readArchive } from './archive-file.ts';
import { findArchived, findArchivedRow, listNamed, readArchiveFacts } from './archived.ts';
import { archiveBatch, findArchive, type OnStep } from './move.ts';

interface ArchiveParts {
  readonly db: DatabaseSync;
  /** The path of the journal's file. */
  readonly path: string;
  readonly queue: WriteQueue;
  readonly onStep?: OnStep | undefined;
  readonly threadRowsMin?: number | undefined;
}

/** The share of free pages from which on they are given back: less is filled again soon. */
const freeShareMin = 0.1;

export function makeArchiveStore({ db, path, queue, onStep, threadRowsMin }: ArchiveParts) {
  const { recall: bringBack } = makeSqliteBulk(db, path, queue, threadRowsMin);
  const recall: ArchiveStore['recall'] = async (by, values, nowMs = Date.now()) => {
    const batchIds = drive(db, findArchived(by, values));
    for (const batchId of batchIds) await bringBack(batchId, nowMs);
    return batchIds.length;
  };
  return {
    archiveFacts: async (beforeMs) => drive(db, readArchiveFacts(beforeMs)),
    makeArchive: async (nowMs) => makeArchive(db, dirname(path), nowMs),
    dropArchive: async (archive) => dropArchive(db, dirname(path), archive),
    archiveBatch: async (batchId, archive, policy, nowMs) =>
      queue.run(() => archiveBatch(db, path, { batchId, archive, policy, nowMs, ...(onStep && { onStep }) })),
    recall,
    archives: async () => listNamedThere(db, path),
    archived: async (by, values) => drive(db, findArchived(by, values)),
    giveSpaceBack: async () => queue.run(() => giveSpaceBack(db, path)),
    attemptsOf: async (companyId, payoutId) => {
      // A caller that reads a payoutId's attempts may change the rows that made them.
      await recall('payoutId', [payoutId]);
      return drive(db, payoutReads.attemptsOf(companyId, payoutId));
    },
    searchPayouts: async (...page) => {
      const found = drive(db, searchReads.searchPayouts(...page));
      for (const { archive } of drive(db, listNamed())) found.push(...searchArchive(db, path, archive, page));
      return found.toSorted((one, other) => other.row.seq - one.row.seq).slice(0, page[2]);
    },
    findOwners: async (reference) => {
      const owners = drive(db, searchReads.findOwners(reference));
      for (const { archive } of drive(db, listNamed())) {
        const file = join(dirname(path), archive);
        owners.push(...readArchive(file, (opened) => drive(opened, searchReads.findOwners(reference))));
      }
      return owners;
    },
    findPayouts: async (name) => drive(db, readNamed(name)).map((seq) => findHistory(db, path, seq)),
  } satisfies ArchiveStore & PayoutSearch & Pick<PayoutStore, 'attemptsOf' | 'findPayouts'>;
}

/** Reads a page of an archive; batches that came back have left their rows in it, which do not count. */
function searchArchive(
  db: DatabaseSync,
  path: string,
  archive: string,
  page: Parameters<PayoutSearch['searchPayouts']>,
): FoundPayout[] {
  const file = join(dirname(path), archive);
  return readArchive(file, (opened) => {
    requireBatches(db, opened, file);
    const found = searchOpened(db, opened, file, page);
    for (const { row, batch } of found) requireAsArchived(db, file, batch.batchId, row);
    return found;
  });
}

function searchOpened(
  db: DatabaseSync,
  opened: DatabaseSync,
  file: string,
  [filter, firstSeq, limit]: Parameters<PayoutSearch['searchPayouts']>,
): FoundPayout[] {
  const found: FoundPayout[] = [];
  for (let beforeSeq = firstSeq; ;) {
    const page = drive(opened, searchReads.searchPayouts(filter, beforeSeq, limit));
    const stands = ({ batch }: FoundPayout) => drive(db, findArchive(file, batch.batchId))?.path === file;
    found.push(...page.filter(stands));
    beforeSeq = page.at(-1)?.row.seq ?? 0;
    if (found.length >= limit || page.length < limit) return found;
  }
}

/** Requires the batches in an archive. One that lacks a batch is another file: a row that it lacks may exist. */
function requireBatches(db: DatabaseSync, opened: DatabaseSync, file: string): void {
  const has = opened.prepare('select 1 from payout where batch_id = ? limit 1');
  const named = db.prepare('select batch_id from archived_batch where archive = ?').all(basename(file));
  for (const { batch_id: batchId } of named)
    if (has.get(String(batchId)) === undefined)
      throw new JournalRefusedError(describeOtherArchive(file, String(batchId)));
}

/** Requires that the archive calls a row as the journal does: nothing is told of any other row. */
function requireAsArchived(
  db: DatabaseSync,
  file: string,
  batchId: string,
  row: { readonly seq: number; readonly status: string },
): void {
  const archived = drive(db, findArchivedRow(row.seq));
  if (archived?.batchId !== batchId || archived.status !== row.status)
    throw new JournalRefusedError(describeOtherArchive(file, batchId));
}

function findHistory(db: DatabaseSync, path: string, seq: number): PayoutHistory {
  const batchId = drive(db, findArchivedRow(seq))?.batchId;
  const archived = batchId === undefined ? undefined : drive(db, findArchive(path, batchId));
  if (archived === undefined) return drive(db, readHistory(seq));
  return readArchive(archived.path, (archive) => {
    requireBatches(db, archive, archived.path);
    const found = archive.prepare('select batch_id, status from payout where seq = ?').get(seq);
    const row = { seq, status: String(found?.['status']) };
    requireAsArchived(db, archived.path, String(found?.['batch_id'] ?? batchId), row);
    return drive(archive, readHistory(seq));
  });
}

/** The archives that the journal names. */
const listNamedThere = (db: DatabaseSync, path: string) =>
  drive(db, listNamed()).map((named) => ({
    ...named,
    isThere: existsSync(join(dirname(path), named.archive)),
  }));

function giveSpaceBack(db: DatabaseSync, path: string): number {
  const [free, all] = ['freelist_count', 'page_count'].map((name) =>
    Number(db.prepare(`pragma ${name}`).get()?.[name]),
  );
  if (free === undefined || all === undefined || free < all * freeShareMin) return 0;
  db.exec('pragma wal_checkpoint(truncate)');
  const before = statSync(path).size;
  try {
    db.exec('vacuum');
  } catch (error) {
    // Later payouts fill the free pages all the same.
    if (sqliteCodeOf(error) === sqliteCodes.full) return 0;
    throw error;
  }
  db.exec('pragma wal_checkpoint(truncate)');
  return before - statSync(path).size;
}
