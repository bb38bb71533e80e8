/** A consistent view for reports: a connection of its own with one read transaction open. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { quietCauses } from '../core/payout.ts';
import type { ResultRow, Snapshot } from '../core/ports.ts';
import { openReader } from './connection.ts';
import { batchReads } from './payouts/batches.ts';
import { readLatestEventSeq, selectResultRows, toResultRow } from './payouts/rows.ts';
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

/** Opens a view of this moment. While it is open the write-ahead log grows, so its owner closes it soon. */
export function openSnapshot(path: string): Snapshot {
  const db = openReader(path);
  try {
    db.exec('begin');
    // The view is of the moment of the first read.
    const eventSeq = drive(db, readLatestEventSeq());
    return {
      eventSeq,
      batch: async (batchId) => drive(db, batchReads.batch(batchId)),
      totals: async (batchId) => drive(db, batchReads.totals(batchId)),
      holdTotals: async (batchId) => drive(db, batchReads.holdTotals(batchId)),
      resultRows: (batchId, changedSince) => readRows(db, batchId, changedSince),
      [Symbol.asyncDispose]: async () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
