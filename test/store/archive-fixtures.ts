/** Batches that may go into an archive, on either engine, and all that anybody asks of them. */
import { toSatang } from '../../src/core/money.ts';
import type { PayoutFilter } from '../../src/payout/rules/search.ts';
import type { Store } from '../../src/store/store.ts';
import { toJson } from '../support/core-fixtures.ts';
import {
  endBatch,
  firstBatchId,
  ingestAs,
  makeRow,
  makeRows,
  payer,
  resultRows,
} from '../support/journal-fixtures.ts';
import { settled } from '../support/store-fixtures.ts';

export interface DoneStore {
  readonly store: Store;
  /** Runs SQL beside the store. */
  run(statements: string): void | Promise<void>;
}

const endings = ['paid', 'failed', 'paid', 'unpayable', 'cancelled', 'paid'] as const;

/** A batch that is done: paid, failed, unpayable and cancelled rows, and one that was rejected. */
export async function makeDone({ store, run }: DoneStore, batchId = firstBatchId, from = 1): Promise<void> {
  const rows = [
    ...makeRows(endings.length, from),
    makeRow(from + endings.length, { payoutId: `INV-${from}` }),
  ];
  const numbered = rows.map((row, place) => ({ ...row, rowNo: place + 1 }));
  await ingestAs(store, endings, numbered, { batchId, conflictingRowNos: [endings.length + 1] });
  await endBatch(store, batchId);
  await run(settled);
}

export const search = async (store: Store, filter: Partial<PayoutFilter>, limit = 3) => {
  const found = await store.searchPayouts({ ...filter }, Number.MAX_SAFE_INTEGER, limit);
  return found.map(({ row, batch }) => [batch.batchId, row.rowNo, row.status]);
};

/** All that anybody asks of a batch. */
export async function look(store: Store, batchId = firstBatchId): Promise<string> {
  const payoutIds = Array.from({ length: 8 }, (_, place) => `INV-${place + 1}`);
  const histories = await Promise.all(payoutIds.map((id) => store.findPayouts(id)));
  return toJson({
    rows: await resultRows(store, batchId),
    totals: await store.totals(batchId),
    holds: await store.holdTotals(batchId),
    histories,
    holders: await store.claimHolders(payer.companyId, payoutIds),
    similar: await store.similarHolders(payer.companyId, 'inv1'),
    paid: await search(store, { statuses: ['paid'], batchId }, 2),
    payee: await search(store, { payee: { kind: 'number', proxyNo: '0810000001', end: '0810000001' } }),
    amount: await search(store, { amountSatang: toSatang(10_003n) }),
    byStatus: [...(await store.countByStatus())].map(String).toSorted(),
  });
}
