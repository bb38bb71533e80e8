/**
 * A journal that was lost or restored beside archives that were made later: what these have counts, so that nothing that
 * was archived is paid again. Other than by a person's word, such a journal is refused.
 */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describeAhead, describeUnlike, readArchiveNumber } from '../../payout/rules/archive.ts';
import { inTransaction, JournalRefusedError } from '../connection.ts';
import { drive } from '../statements.ts';
import { batch } from '../tables/payouts.ts';
import { forgetArchive, nameArchive, type Naming } from './archived.ts';
import { listArchives, openArchive, readArchivedAtEvent, readSeen, seenKey } from './archive-file.ts';
import {
  deleteRows,
  digestCopy,
  findArchive,
  recallBatch,
  removeRows,
  takeRows,
  withArchive,
} from './move.ts';

/** The reason why the journal is behind the archives beside it; undefined when it is not. */
export function findAhead(db: DatabaseSync, dataDir: string, latestEventSeq: number): string | undefined {
  const seen = readSeen(db);
  const isNamed = db.prepare('select 1 from archived_batch where archive = ? limit 1');
  const ahead = listArchives(dataDir).filter(
    (name) =>
      (readArchiveNumber(name) ?? 0) > seen &&
      isNamed.get(name) === undefined &&
      (readArchivedAtEvent(db, join(dataDir, name)) ?? 0) > latestEventSeq,
  );
  return ahead.length === 0 ? undefined : describeAhead(dataDir, ahead);
}

/** The terminals that have sent the rows in the archives beside the journal. */
export function readArchivedTerminals(db: DatabaseSync, dataDir: string): readonly string[] {
  return listArchives(dataDir).flatMap((name) => {
    const path = join(dataDir, name);
    if (readArchivedAtEvent(db, path) === undefined) return [];
    using opened = openArchive(path);
    return opened
      .prepare('select distinct term_id from attempt')
      .all()
      .map((row) => String(row['term_id']));
  });
}

/** Takes in the batches of all archives in a folder that the journal does not name, unless it knows more of them. */
export function takeInArchives(db: DatabaseSync, dataDir: string, nowMs: number): void {
  // Half-read files are read from the start; until then their rows have numbers that others may have got since.
  db.prepare(
    `delete from payout where batch_id in (select batch_id from batch where status = 'ingesting')`,
  ).run();
  const archives = listArchives(dataDir);
  for (const [archive, batchIds] of findLatest(db, dataDir, archives)) {
    const path = join(dataDir, archive);
    const unknown = batchIds.filter((batchId) => drive(db, findArchive(path, batchId))?.archive !== archive);
    // A batch for which the journal names an earlier archive has come back from that one since, and gone on.
    for (const batchId of unknown) recallBatch(db, path, batchId, nowMs);
    withArchive(db, path, () => {
      for (const batchId of unknown) {
        const digest = digestCopy(path, batchId);
        inTransaction(db, () => takeIn(db, { batchId, archive, digest, nowMs }));
      }
    });
  }
  const latest = readArchiveNumber(archives.at(-1) ?? '') ?? 0;
  db.prepare('insert or replace into meta values (?, ?)').run(seenKey, String(latest));
}

/**
 * The archives of a journal, the oldest first, each with those of its batches that no later one has: a batch that came
 * back, went on and was moved again stands in both, and only the later one has what became of it.
 */
function findLatest(
  db: DatabaseSync,
  dataDir: string,
  archives: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const taken = new Set<string>();
  for (const archive of archives.toReversed()) {
    const path = join(dataDir, archive);
    if (readArchivedAtEvent(db, path) === undefined) continue;
    using opened = openArchive(path);
    const rows = opened.prepare('select batch_id from batch order by sealed_at_ms').all();
    const batchIds = rows.map((row) => String(row['batch_id'])).filter((batchId) => !taken.has(batchId));
    for (const batchId of batchIds) taken.add(batchId);
    found.set(archive, batchIds);
  }
  return new Map([...found].toReversed());
}

/** Counts the rows of a batch that the journal or the archive alone has, or has as they were earlier. */
const comparison = `
select
  (select count(*) from main.payout p where p.batch_id = ?1 and not exists (select 1 from archive.payout a
     where a.seq = p.seq and a.batch_id = ?1 and a.version >= p.version)) as ahead,
  (select count(*) from archive.payout a where a.batch_id = ?1 and not exists (select 1 from main.payout p
     where p.seq = a.seq and p.batch_id = ?1 and p.version >= a.version)) as behind,
  exists (select 1 from archive.payout a join main.payout p on p.seq = a.seq
    where a.batch_id = ?1 and p.batch_id <> ?1)
  or exists (select 1 from archive.payout a join archived_rows g on a.seq between g.first_seq and g.last_seq
    where a.batch_id = ?1) as is_foreign,
  coalesce((select sealed_at_ms is not null from batch where batch_id = ?1), 0) as is_sealed`;

function takeIn(db: DatabaseSync, naming: Naming): void {
  const { batchId, archive } = naming;
  const found = db.prepare(comparison).get(batchId);
  const [isAhead, isBehind] = [Number(found?.['ahead']) > 0, Number(found?.['behind']) > 0];
  const isSealed = found?.['is_sealed'] === 1;
  if (found?.['is_foreign'] === 1 || (isSealed && isAhead && isBehind))
    throw new JournalRefusedError(describeUnlike(archive));
  // The batch was brought back, and went on in the journal.
  if (isSealed && isAhead) return;
  if (isSealed) {
    drive(db, nameArchive(naming));
    deleteRows(db, batchId);
    drive(db, forgetArchive(batchId));
  }
  takeBatch(db, batchId, isSealed);
  takeRows(db, batchId);
  takeNames(db, batchId);
  drive(db, nameArchive(naming));
  removeRows(db, batchId);
}

/** Takes the batch over; what was sealed is never changed, and is the same. */
function takeBatch(db: DatabaseSync, batchId: string, isSealed: boolean): void {
  const added = db
    .prepare('insert or ignore into batch select * from archive.batch where batch_id = ?')
    .run(batchId);
  if (added.changes === 1) return;
  const columns = Object.keys(batch.columns)
    .filter((name) => name !== 'batch_id' && !(isSealed && name === 'digest'))
    .join(', ');
  db.prepare(
    `update batch set (${columns}) = (select ${columns} from archive.batch where batch_id = ?1) where batch_id = ?1`,
  ).run(batchId);
}

/**
 * A claim stays with another row that is paid, or that has done anything since the archived one was cancelled: it was
 * released in between.
 */
const isKept = `
exists (select 1 from payout h join payout p on p.seq = excluded.payout_seq where h.seq = claim.payout_seq
  and (h.status in ('paid', 'disputed') or (p.status <> 'paid' and h.last_event_seq > p.last_event_seq)))
or exists (select 1 from archived_rows g
  where claim.payout_seq between g.first_seq and g.last_seq and g.status = 'paid')`;

/** Takes its reports, places and claims: a row that holds a claim there holds it here, and no attempt is numbered again. */
function takeNames(db: DatabaseSync, batchId: string): void {
  const rows = `from payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
    where p.batch_id = ? and r.payout_id is not null`;
  db.prepare('insert or ignore into report select * from archive.report where batch_id = ?').run(batchId);
  db.prepare(`insert or ignore into payout_place select r.payout_id, p.seq ${rows}`).run(batchId);
  db.prepare(
    `update claim set payout_seq = null where (company_id, similar_key, payout_id, payout_seq) in (
       select b.company_id, r.similar_key, r.payout_id, p.seq ${rows}
       and p.status not in ('paid', 'cancelled'))`,
  ).run(batchId);
  db.prepare(
    `insert into claim
     select b.company_id, r.similar_key, r.payout_id, iif(p.status in ('paid', 'cancelled'), p.seq, null),
       max(p.attempt_no, coalesce((select max(attempt_no) from attempt where payout_seq = p.seq), 0)) ${rows}
     on conflict (company_id, similar_key, payout_id) do update set
       payout_seq = iif(excluded.payout_seq is null or ${isKept}, payout_seq, excluded.payout_seq),
       attempts_recorded = max(attempts_recorded, excluded.attempts_recorded)`,
  ).run(batchId);
}
