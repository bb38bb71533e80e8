/** A consistent view for reports: a connection of its own with one read transaction open. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { dayMs } from '../core/bangkok-time.ts';
import { quietCauses } from '../core/payout.ts';
import type { OtherReferences, ResultRow, Snapshot } from '../core/ports.ts';
import { mayBePaidStatuses } from '../payout/rules/similar.ts';
import { openArchive } from './archive/archive-file.ts';
import { findArchive, requireWhole } from './archive/move.ts';
import { bulkCacheKib, openReader } from './connection.ts';
import { batchReads } from './payouts/batches.ts';
import { readLastRowNo, readLatestEventSeq, selectResultRows, toResultRow } from './payouts/rows.ts';
import { literal } from './schema.ts';
import { drive, prepare, query } from './statements.ts';

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 500;

/** Events of a row that somebody who has its result wants to hear of. */
const selectNews = (changedSince: number) =>
  query
    .selectFrom('event as e')
    .select('e.seq')
    .whereRef('e.payout_seq', '=', sql.ref('p.seq'))
    .where('e.seq', '>', changedSince)
    .where(
      'e.cause',
      'not in',
      quietCauses.map((cause) => sql.lit(cause)),
    );

async function* readRows(
  db: DatabaseSync,
  batchId: string,
  changedSince: number | undefined,
): AsyncGenerator<readonly ResultRow[]> {
  const nextPage = prepare(db, (values: { afterRowNo: number; changedSince: number }) =>
    selectResultRows()
      .where('p.batch_id', '=', batchId)
      .where('p.row_no', '>', values.afterRowNo)
      .where('p.last_event_seq', '>', values.changedSince)
      .where((eb) =>
        eb.or([eb(eb.val(values.changedSince), '<', 0), eb.exists(selectNews(values.changedSince))]),
      )
      .orderBy('p.row_no')
      .limit(pageRows),
  );
  let afterRowNo = 0;
  for (;;) {
    // Every event number is above -1: without a bound, rows that never had an event are shown too.
    const page = nextPage.all({ afterRowNo, changedSince: changedSince ?? -1 });
    yield page.map(toResultRow);
    afterRowNo = page.at(-1)?.row_no ?? afterRowNo;
    if (page.length < pageRows) return;
  }
}

/** Rows that are looked at before others get their turn. */
const likePageRows = 2_000;

/** As many as a message names. */
const firstRowsMax = 5;

const selectOtherReferences = (batchId: string, days: number, afterRowNo: number) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .innerJoin('attempt as a', (join) =>
      join.onRef('a.payout_seq', '=', 'p.seq').onRef('a.attempt_no', '=', 'p.attempt_no'),
    )
    .select('p.row_no')
    .where('p.batch_id', '=', batchId)
    .where('p.row_no', '>', afterRowNo)
    .where('p.row_no', '<=', sql<number>`${afterRowNo} + ${likePageRows}`)
    .where('p.status', 'in', mayBePaidStatuses.map(literal))
    .where(({ exists, selectFrom, eb }) =>
      exists(
        selectFrom('attempt as o')
          .innerJoin('payout as op', 'op.seq', 'o.payout_seq')
          .innerJoin('payout_row as other', 'other.seq', 'o.payout_seq')
          .select('o.payout_seq')
          .whereRef('o.proxy_no', '=', 'a.proxy_no')
          .whereRef('o.amount_text', '=', 'a.amount_text')
          .where('o.intent_at_ms', '>=', eb('a.intent_at_ms', '-', days * dayMs))
          .where(sql<boolean>`(o.intent_at_ms, o.payout_seq) < (a.intent_at_ms, a.payout_seq)`)
          .whereRef('o.proxy_type', '=', 'a.proxy_type')
          .whereRef('o.company_id', '=', 'a.company_id')
          .whereRef('o.reference1', '<>', 'a.reference1')
          .whereRef('other.payout_id', '<>', 'r.payout_id')
          .where('op.status', 'in', mayBePaidStatuses.map(literal)),
      ),
    )
    .orderBy('p.row_no');

async function findOtherReferences(
  db: DatabaseSync,
  batchId: string,
  days: number,
): Promise<OtherReferences> {
  const found = { rows: 0, firstRowNos: [] as number[] };
  if (days === 0) return found;
  const page = prepare(db, (values: { afterRowNo: number }) =>
    selectOtherReferences(batchId, days, values.afterRowNo),
  );
  const lastRowNo = readLastRowNo(db, batchId);
  for (let afterRowNo = 0; afterRowNo < lastRowNo; afterRowNo += likePageRows) {
    const rowNos = page.all({ afterRowNo }).map((row) => row.row_no);
    found.rows += rowNos.length;
    found.firstRowNos.push(...rowNos.slice(0, firstRowsMax - found.firstRowNos.length));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** From its archive, where the batch stands in one. */
async function* readRowsOf(
  db: DatabaseSync,
  path: string,
  batchId: string,
  changedSince: number | undefined,
): AsyncGenerator<readonly ResultRow[]> {
  const archived = findArchive(db, path, batchId);
  if (archived !== undefined) requireWhole(archived, batchId);
  using archive = archived && openArchive(archived.path);
  yield* readRows(archive ?? db, batchId, changedSince);
}

/** Opens a view of this moment. While it is open the write-ahead log grows, so its owner closes it soon. */
export function openSnapshot(path: string): Snapshot {
  const db = openReader(path);
  try {
    db.exec(`pragma cache_size = -${bulkCacheKib}; begin`);
    // The view is of the moment of the first read.
    const eventSeq = drive(db, readLatestEventSeq());
    return {
      eventSeq,
      batch: async (batchId) => drive(db, batchReads.batch(batchId)),
      totals: async (batchId) => drive(db, batchReads.totals(batchId)),
      holdTotals: async (batchId) => drive(db, batchReads.holdTotals(batchId)),
      otherReferences: (batchId, days) => findOtherReferences(db, batchId, days),
      resultRows: (batchId, changedSince) => readRowsOf(db, path, batchId, changedSince),
      [Symbol.asyncDispose]: async () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
