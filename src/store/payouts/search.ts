/** Looks for payouts, the newest first, page by page: what bounds a page is an index or the order of the rows. */
import { type Expression, sql, type SqlBool } from 'kysely';
import type { PayoutStatus } from '../../core/payout.ts';
import type { FoundPayout, PayoutSearch } from '../../payout/ports.ts';
import type { PayeeWanted, PayoutFilter } from '../../payout/rules/search.ts';
import { hasBits, holdBits, isInDoubt, literal } from '../schema.ts';
import { type BodiesOf, query, type Reading, select } from '../statements.ts';
import { selectResultRows, toResultRow } from './rows.ts';

type Condition = Expression<SqlBool>;

/** Ends with, or contains, whatever characters are looked for. */
const endsWith = (text: Expression<unknown>, end: string): Condition =>
  sql`substr(${text}, ${-end.length}) = ${end}`;
const contains = (text: Expression<unknown>, part: string): Condition =>
  sql`instr(lower(${text}), lower(${part})) > 0`;

/** Of a row without an instruction, what its file says: see `encodeCells`. */
const cellNumber = sql<string>`replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', '')`;
const cellName = sql<string>`json_extract(r.cells, '$[3]')`;
const hasNoInstruction = sql<SqlBool>`r.proxy_type is null`;

function isPayee(payee: PayeeWanted): Condition {
  switch (payee.kind) {
    case 'number': {
      const unread = sql`select x.seq from payout as x join payout_row as r on r.seq = x.seq where x.status = ${literal('rejected')} and (r.proxy_no = ${payee.proxyNo} or (${hasNoInstruction} and ${endsWith(cellNumber, payee.end)}))`;
      return sql`p.seq in (select payout_seq from payee_place where proxy_no = ${payee.proxyNo} union all ${unread})`;
    }
    case 'number-end':
      return sql`(${endsWith(sql.ref('r.proxy_no'), payee.end)} or (${hasNoInstruction} and ${endsWith(cellNumber, payee.end)}))`;
    case 'name': {
      const names = ['r.payee_name', 'p.bank_payee_name', 'p.bank_payee_name_th'].map((name) =>
        contains(sql.ref(name), payee.part),
      );
      return sql`(${sql.join(names, sql` or `)} or (${hasNoInstruction} and ${contains(cellName, payee.part)}))`;
    }
  }
}

/** A reference of ours or the partner's, or of the rows whose attempts bear it. */
const hasReference = (reference: string, ownerSeqs: readonly number[]): Condition =>
  sql`(r.payout_id = ${reference} or r.reference1 = ${reference} or r.reference2 = ${reference} or p.seq in (${sql.join(ownerSeqs.map((seq) => sql.lit(seq)))}))`;

/** The rows of a batch were numbered in their order; the plus keeps its index from being read whole for each page. */
const isOfBatch = (batchId: string): Condition => {
  const rowOf = (direction: 'asc' | 'desc') =>
    query
      .selectFrom('payout')
      .select('seq')
      .where('batch_id', '=', batchId)
      .orderBy('row_no', direction)
      .limit(1);
  return sql`(+p.batch_id = ${batchId} and p.seq between (${rowOf('asc')}) and (${rowOf('desc')}))`;
};

/** A status with the condition of the partial index that has it. */
function hasStatus(status: PayoutStatus): Condition {
  const column = sql.ref<PayoutStatus>('p.status');
  const isStatus = sql<SqlBool>`${column} = ${literal(status)}`;
  return status === 'submitted' || status === 'unresolved'
    ? sql`(${isInDoubt(column)} and ${isStatus})`
    : isStatus;
}

const placeInTime = sql`coalesce(p.submitted_at_ms, b.started_at_ms)`;

function listConditions(filter: PayoutFilter): readonly Condition[] {
  const { hold, isAlarm, batchId, reference, amountSatang, payee, sinceMs, untilMs } = filter;
  return [
    hold !== undefined && hasBits(sql.ref('p.holds'), holdBits[hold]),
    isAlarm === true && sql<SqlBool>`p.seq in (select seq from payout where is_alarm = 1)`,
    batchId !== undefined && isOfBatch(batchId),
    reference !== undefined && hasReference(reference, filter.ownerSeqs ?? []),
    amountSatang !== undefined && sql<SqlBool>`p.amount_satang = ${amountSatang}`,
    payee !== undefined && isPayee(payee),
    sinceMs !== undefined && sql<SqlBool>`${placeInTime} >= ${sinceMs}`,
    untilMs !== undefined && sql<SqlBool>`${placeInTime} < ${untilMs}`,
  ].filter((condition) => condition !== false);
}

/** One status at a time, so that each is read in the order of its own index; the attempt only of what is found. */
function selectPage(
  filter: PayoutFilter,
  status: PayoutStatus | undefined,
  beforeSeq: number,
  limit: number,
) {
  const conditions = listConditions(filter);
  const found = query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .select('p.seq')
    .where('p.seq', '<', beforeSeq)
    .where((eb) => eb.and(status === undefined ? [...conditions] : [hasStatus(status), ...conditions]))
    .orderBy('p.seq', 'desc')
    .limit(limit);
  return selectResultRows()
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .select(['b.file_name', 'b.started_at_ms'])
    .where('p.seq', 'in', found);
}

export const searchReads = {
  *searchPayouts(filter, beforeSeq, limit): Reading<FoundPayout[]> {
    const statuses = filter.statuses?.length ? filter.statuses : [undefined];
    const found: FoundPayout[] = [];
    for (const status of statuses)
      for (const record of yield* select(selectPage(filter, status, beforeSeq, limit))) {
        const { batch_id: batchId, file_name: fileName, started_at_ms: startedAtMs } = record;
        found.push({ row: toResultRow(record), batch: { batchId, fileName, startedAtMs } });
      }
    return found.toSorted((one, other) => other.row.seq - one.row.seq).slice(0, limit);
  },
  *findOwners(reference): Reading<number[]> {
    const made = query.selectFrom('attempt').select('payout_seq as seq');
    const owners = made.where('trans_ref_no', '=', reference).union(made.where('sys_ref_no', '=', reference));
    return (yield* select(owners)).map(({ seq }) => seq);
  },
} satisfies BodiesOf<PayoutSearch>;
