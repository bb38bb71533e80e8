/** Looks back from a batch at earlier files, in SQL. */
import { sql } from 'kysely';
import type { PayoutStatus } from '../../core/payout.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import {
  Comparison,
  type ComparedRow,
  type EarlierFile,
  findLastOfName,
  type LikePayment,
  type LookBack,
} from '../../review/rules/look-back.ts';
import { batchReads } from '../payouts/batches.ts';
import { type BatchPage, isOnPage, pagesOf } from '../payouts/rows.ts';
import { literal } from '../schema.ts';
import { define, query, type Reading, select, selectFirst, textStatement } from '../statements.ts';

/** The limit of earlier files that are searched for a name. */
const filesMax = 2_000;

interface ComparedRecord {
  readonly seq: number;
  readonly row_no: number;
  readonly proxy_no: string | null;
  readonly payee_name: string | null;
  readonly amount_text: string | null;
  readonly status: PayoutStatus;
}

const comparedPage = define((values: BatchPage) =>
  textStatement<ComparedRecord>(
    sql`select p.seq, p.row_no, r.proxy_no, r.payee_name, cast(p.amount_satang as text) as amount_text, p.status
      from payout p join payout_row r on r.seq = p.seq
      where ${isOnPage(values)}
      order by p.row_no`,
  ),
);

const toComparedRow = (record: ComparedRecord): ComparedRow => ({
  seq: record.seq,
  rowNo: record.row_no,
  proxyNo: record.proxy_no,
  payeeName: record.payee_name,
  amountSatang: record.amount_text === null ? null : BigInt(record.amount_text),
  status: record.status,
});

function* addRows(batchId: string, add: (row: ComparedRow) => void): Reading<void> {
  for (const page of yield* pagesOf(batchId))
    for (const record of yield* comparedPage.all({ batchId, ...page })) add(toComparedRow(record));
}

const mayBePaid = sql.join(mayBePaidStatuses.map(literal));

interface LikeRecord {
  readonly seq: number;
  readonly fileName: string;
  readonly atMs: number;
}

/** The latest payment of another file to the payee of a row, of an equal amount. */
const likePayment = define((values: { readonly seq: number }) =>
  textStatement<LikeRecord>(
    sql`select q.seq, b.file_name as "fileName", q.submitted_at_ms as "atMs"
      from payout p join payout_row r on r.seq = p.seq
        join payee_place o on o.proxy_no = r.proxy_no and o.amount_satang = p.amount_satang
        join payout q on q.seq = o.payout_seq join batch b on b.batch_id = q.batch_id
      where p.seq = ${values.seq} and q.batch_id <> p.batch_id and q.status in (${mayBePaid})
        and q.submitted_at_ms is not null
      order by q.submitted_at_ms desc limit 1`,
  ),
);

function* readLikes(seqs: readonly number[]): Reading<ReadonlyMap<number, LikePayment>> {
  const likes = new Map<number, LikePayment>();
  for (const seq of seqs) {
    const like = yield* likePayment.get({ seq });
    if (like !== undefined) likes.set(seq, { ...like });
  }
  return likes;
}

/** The latest file with exactly this name of which rows were paid. */
function* findSameName(fileName: string, earlier: readonly EarlierFile[]): Reading<EarlierFile | undefined> {
  for (const file of earlier.filter((one) => one.fileName === fileName)) {
    const totals = yield* batchReads.totals(file.batchId);
    if (totals.some(({ status, rows }) => status === 'paid' && rows > 0)) return file;
  }
  return undefined;
}

/** Reads at one moment; undefined for an unknown batch. */
export function* readLookBack(batchId: string, likeSeqs: readonly number[]): Reading<LookBack | undefined> {
  const files = query
    .selectFrom('batch')
    .select(['batch_id as batchId', 'file_name as fileName', 'started_at_ms as startedAtMs']);
  const own = yield* selectFirst(files.select('company_id as companyId').where('batch_id', '=', batchId));
  if (own === undefined) return undefined;
  const earlier = yield* select(
    files
      .where('company_id', '=', own.companyId)
      .where('batch_id', '<>', batchId)
      .where('started_at_ms', '<=', own.startedAtMs)
      .where('status', 'not in', ['ingesting', 'rejected'])
      .orderBy('started_at_ms', 'desc')
      .limit(filesMax),
  );
  const last = findLastOfName(own.fileName, earlier);
  let compared;
  if (last !== undefined) {
    const comparison = new Comparison(last);
    yield* addRows(batchId, (row) => comparison.addNow(row));
    yield* addRows(last.batchId, (row) => comparison.addBefore(row));
    compared = comparison.end();
  }
  return {
    compared,
    archived: compared === undefined ? last : undefined,
    sameName: yield* findSameName(own.fileName, earlier),
    likes: yield* readLikes(likeSeqs),
  };
}
