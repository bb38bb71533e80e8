/** A consistent view of registrations for reports. */
import type { RegistrationRow, RegistrationSnapshot } from '../../registration/ports.ts';
import type { Engine, View } from '../engine.ts';
import { define } from '../statements.ts';
import { registrationBatchReads } from './batches.ts';
import { readLatestRegistrationEventSeq } from './chain.ts';
import { selectResultRows, toResultRow } from './rows.ts';

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 500;

const changedPage = define((values: { batchId: string; afterRowNo: number; changedSince: number }) =>
  selectResultRows()
    .where('p.batch_id', '=', values.batchId)
    .where('p.row_no', '>', values.afterRowNo)
    .where('p.last_news_seq', '>', values.changedSince)
    .orderBy('p.row_no')
    .limit(pageRows),
);

async function* readRows(
  view: View,
  batchId: string,
  changedSince: number,
): AsyncGenerator<readonly RegistrationRow[]> {
  let afterRowNo = 0;
  for (;;) {
    const asked = { batchId, afterRowNo, changedSince };
    const page = await view.read(() => changedPage.all(asked));
    yield page.map(toResultRow);
    afterRowNo = page.at(-1)?.row_no ?? afterRowNo;
    if (page.length < pageRows) return;
  }
}

/** Opens a view of this moment; its owner closes it soon. */
export async function openRegistrationSnapshot(engine: Engine): Promise<RegistrationSnapshot> {
  const view = await engine.openView();
  try {
    const eventSeq = await view.read(readLatestRegistrationEventSeq);
    return {
      eventSeq,
      batch: async (batchId) => view.read(() => registrationBatchReads.registrationBatch(batchId)),
      totals: async (batchId) => view.read(() => registrationBatchReads.registrationTotals(batchId)),
      holdTotals: async (batchId) => view.read(() => registrationBatchReads.registrationHoldTotals(batchId)),
      // Every event number is above -1: without a bound, rows that never had an event are shown too.
      resultRows: (batchId, changedSince) => readRows(view, batchId, changedSince ?? -1),
      [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
    };
  } catch (error) {
    await view[Symbol.asyncDispose]();
    throw error;
  }
}
