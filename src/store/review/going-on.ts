/** Counts the rows that a decision about a whole batch, or about its account, lets go on, in SQL. */
import { sql } from 'kysely';
import { type CountedFile, GoingOn, type LetsGoOn } from '../../review/rules/proposal-figures.ts';
import { define, type Reading, selectFirst, textStatement } from '../statements.ts';
import { type BatchPage, isOnPage, pagesOf } from '../payouts/rows.ts';
import { type CountedRecord, paidBefore, selectApproval, toCountedRow } from './approvals.ts';

interface ReasonedRecord extends CountedRecord {
  readonly reason_code: string | null;
}

/** True of rows that may go on: for these alone the payees that an account has paid are looked up. */
const unsent = sql`p.status in ('ready', 'held')`;

const countedPage = define((values: BatchPage) =>
  textStatement<ReasonedRecord>(
    sql`select p.seq, p.row_no, r.proxy_no, cast(p.amount_satang as text) as amount_text, r.digest, p.status,
        p.reason_code, p.holds, p.accepted_holds,
        case when ${unsent} and not ${paidBefore(sql`q.status = 'paid'`)}
          and not exists (select 1 from paid_payee g where g.proxy_no = r.proxy_no) then 1 else 0 end as is_new
      from payout p join payout_row r on r.seq = p.seq
      where ${isOnPage(values)}
      order by p.row_no`,
  ),
);

/** Reads the rows at one moment; undefined where there is no such batch. */
export function* readGoingOn(batchId: string, terms: LetsGoOn): Reading<CountedFile | undefined> {
  const batch = yield* selectFirst(selectApproval(batchId).select('file_name as fileName'));
  if (batch === undefined) return undefined;
  const counted = new GoingOn(batch, terms);
  for (const page of yield* pagesOf(batchId))
    for (const record of yield* countedPage.all({ batchId, ...page }))
      counted.add({ ...toCountedRow(record), reasonCode: record.reason_code });
  return counted.end();
}
