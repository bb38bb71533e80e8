/** Looks for an earlier payment that a payout is like: one index lookup however many rows the journal has. */
import type { DatabaseSync } from 'node:sqlite';
import { formatBaht } from '../../core/money.ts';
import type { EarlierPayment, PaymentLikeness } from '../../core/ports.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import { literal } from '../schema.ts';
import { prepare, query } from '../statements.ts';
import type { Journal } from '../store.ts';

interface Values extends Omit<PaymentLikeness, 'amountSatang'> {
  readonly amountText: string;
}

/** By what their attempts have sent; the latest first, so that the search ends with the first that counts. */
function prepareSimilar(db: DatabaseSync) {
  return prepare(db, (values: Values) =>
    query
      .selectFrom('attempt as a')
      .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
      .innerJoin('payout_row as r', 'r.seq', 'a.payout_seq')
      .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
      .select(['r.payout_id', 'p.batch_id', 'p.row_no', 'p.status', 'b.file_name', 'a.intent_at_ms'])
      .where('a.proxy_no', '=', values.proxyNo)
      .where('a.amount_text', '=', values.amountText)
      .where('a.intent_at_ms', '>=', values.sinceMs)
      .where('a.proxy_type', '=', values.proxyType)
      .where('a.company_id', '=', values.companyId)
      .where('r.payout_id', '<>', values.payoutId)
      .where('p.status', 'in', mayBePaidStatuses.map(literal))
      .orderBy('a.intent_at_ms', 'desc')
      .limit(1),
  );
}

/** The lookup of one connection. */
export function makeSimilarPayment(db: DatabaseSync): Journal['similarPayment'] {
  const similar = prepareSimilar(db);
  return async ({ amountSatang, ...likeness }): Promise<EarlierPayment | undefined> => {
    const found = similar.get({ ...likeness, amountText: formatBaht(amountSatang) });
    if (found === undefined || found.payout_id === null) return undefined;
    const { payout_id: payoutId, batch_id: batchId, row_no: rowNo, file_name: fileName, status } = found;
    return { payoutId, batchId, rowNo, fileName, status, submittedAtMs: found.intent_at_ms };
  };
}
