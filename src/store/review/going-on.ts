/** Counts the rows that a decision about a whole batch, or about its account, lets go on, in SQL. */
import { sql } from 'kysely';
import type { PayoutStatus } from '../../core/payout.ts';
import {
  type CountedFile,
  type CountedRow,
  GoingOn,
  type LetsGoOn,
} from '../../review/rules/proposal-figures.ts';
import { decodeHolds } from '../schema.ts';
import { define, type Reading, selectFirst, textStatement } from '../statements.ts';
import { pagesOf, paidBefore, selectApproval } from './approvals.ts';

interface Page {
  readonly batchId: string;
  readonly afterRowNo: number;
  readonly lastRowNo: number;
}

interface CountedRecord {
  readonly seq: number;
  readonly row_no: number;
  readonly proxy_no: string | null;
  readonly amount_text: string | null;
  readonly digest: string | null;
  readonly status: PayoutStatus;
  readonly reason_code: string | null;
  readonly holds: number;
  readonly accepted_holds: number;
  readonly is_new: number;
}

/** True of rows that may go on: for these alone the payees that an account has paid are looked up. */
const unsent = sql`p.status in ('ready', 'held')`;

const countedPage = define((values: Page) =>
  textStatement<CountedRecord>(
    sql`select p.seq, p.row_no, r.proxy_no, cast(p.amount_satang as text) as amount_text, r.digest, p.status,
        p.reason_code, p.holds, p.accepted_holds,
        case when ${unsent} and not ${paidBefore(sql`q.status = 'paid'`)}
          and not exists (select 1 from paid_payee g where g.proxy_no = r.proxy_no) then 1 else 0 end as is_new
      from payout p join payout_row r on r.seq = p.seq
      where p.batch_id = ${values.batchId} and p.row_no > ${values.afterRowNo} and p.row_no <= ${values.lastRowNo}
      order by p.row_no`,
  ),
);

const toCountedRow = (record: CountedRecord): CountedRow => ({
  seq: record.seq,
  rowNo: record.row_no,
  proxyNo: record.proxy_no,
  amountSatang: record.amount_text === null ? null : BigInt(record.amount_text),
  digest: record.digest,
  status: record.status,
  reasonCode: record.reason_code,
  holds: decodeHolds(record.holds),
  acceptedHolds: decodeHolds(record.accepted_holds),
  isNewPayee: record.is_new === 1,
});

/** Reads the rows at one moment; undefined where there is no such batch. */
export function* readGoingOn(batchId: string, terms: LetsGoOn): Reading<CountedFile | undefined> {
  const batch = yield* selectFirst(selectApproval(batchId).select('file_name as fileName'));
  if (batch === undefined) return undefined;
  const counted = new GoingOn(batch, terms);
  for (const page of yield* pagesOf(batchId))
    for (const record of yield* countedPage.all({ batchId, ...page })) counted.add(toCountedRow(record));
  return counted.end();
}
