/** A consistent view of registrations for reports: a connection of its own with one read transaction open. */
import type { DatabaseSync } from 'node:sqlite';
import type { RegistrationSnapshot } from '../../registration/ports.ts';
import { bulkCacheKib, openReader } from '../connection.ts';
import { drive, prepare } from '../statements.ts';
import { registrationBatchReads } from './batches.ts';
import { readLatestRegistrationEventSeq } from './chain.ts';
import { selectResultRows, toResultRow } from './rows.ts';

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 500;

async function* readRows(db: DatabaseSync, batchId: string, changedSince: number) {
  const nextPage = prepare(db, (values: { afterRowNo: number }) =>
    selectResultRows()
      .where('p.batch_id', '=', batchId)
      .where('p.row_no', '>', values.afterRowNo)
      .where('p.last_news_seq', '>', changedSince)
      .orderBy('p.row_no')
      .limit(pageRows),
  );
  let afterRowNo = 0;
  for (;;) {
    const page = nextPage.all({ afterRowNo });
    yield page.map(toResultRow);
    afterRowNo = page.at(-1)?.row_no ?? afterRowNo;
    if (page.length < pageRows) return;
  }
}

/** Opens a view of this moment. While it is open the write-ahead log grows, so its owner closes it soon. */
export function openRegistrationSnapshot(path: string): RegistrationSnapshot {
  const db = openReader(path);
  try {
    db.exec(`pragma cache_size = -${bulkCacheKib}; begin`);
    // The view is of the moment of the first read.
    const eventSeq = drive(db, readLatestRegistrationEventSeq());
    return {
      eventSeq,
      batch: async (batchId) => drive(db, registrationBatchReads.registrationBatch(batchId)),
      totals: async (batchId) => drive(db, registrationBatchReads.registrationTotals(batchId)),
      holdTotals: async (batchId) => drive(db, registrationBatchReads.registrationHoldTotals(batchId)),
      // Every event number is above -1: without a bound, rows that never had an event are shown too.
      resultRows: (batchId, changedSince) => readRows(db, batchId, changedSince ?? -1),
      [Symbol.asyncDispose]: async () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
