/** Looks for payouts, the newest first, page by page: what bounds a page is an index or the order of the rows. */
import { type Expression, sql, type SqlBool } from 'kysely';
import { moneyMoved, payoutStatuses } from '../../core/payout.ts';
import type { FoundPayout, PayoutSearch, WaitingReader, WaitingTotal } from '../../payout/ports.ts';
import {
  type MoneyMoved,
  type PayeeWanted,
  type PayoutFilter,
  planSearch,
  type SearchedPayouts,
} from '../../payout/rules/search.ts';
import { hasBits, holdBits, isInDoubt, literal } from '../schema.ts';
import { type BodiesOf, inDialect, query, type Reading, select } from '../statements.ts';
import { isOfBatch } from './open-payouts.ts';
import { joinParts, selectResultRows, sumAmount, toResultRow } from './rows.ts';

type Condition = Expression<SqlBool>;

function endsWith(text: Expression<unknown>, end: string): Condition {
  const length = sql.lit(end.length);
  const last = inDialect({
    sqlite: sql`substr(${text}, -${length})`,
    postgres: sql`right(${text}, ${length})`,
  });
  return sql`${last} = ${end}`;
}

/** Lowers the letters A to Z alone, whatever language the server speaks. */
const inSmallLetters = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

function isPayee(payee: PayeeWanted): Condition {
  switch (payee.kind) {
    case 'number': {
      const unread = sql`select seq from open_payout where unread_no is not null and ${endsWith(sql.ref('unread_no'), payee.end)}`;
      return sql`p.seq in (select payout_seq from payee_place where proxy_no = ${payee.proxyNo} union all ${unread})`;
    }
    case 'number-end':
      return endsWith(sql`coalesce(p.proxy_no, p.unread_no)`, payee.end);
    case 'name':
      return sql`instr(p.names, ${inSmallLetters(payee.part)}) > 0`;
  }
}

/** True of the rows with the payoutId, and of the rows that own an attempt of this name. */
function hasOwnName(name: string, ownerSeqs: readonly number[]): Condition {
  const seqs = sql.join(ownerSeqs.map((seq) => sql.lit(seq)));
  const isOwned = ownerSeqs.length === 0 ? sql`` : sql` or p.seq in (${seqs})`;
  return sql`(p.payout_id = ${name}${isOwned})`;
}

/** A reference of ours or the partner's. */
const hasReference = (reference: string, ownerSeqs: readonly number[]): Condition =>
  sql`(p.reference1 = ${reference} or p.reference2 = ${reference} or ${hasOwnName(reference, ownerSeqs)})`;

/** A status that the partial index of what is in doubt has, with its condition. */
function hasStatus({ statuses, isOpen }: SearchedPayouts): Condition {
  const status = sql.ref<SearchedPayouts['statuses'][number]>('p.status');
  const isOneOf = sql<SqlBool>`${status} in (${sql.join(statuses.map(literal))})`;
  const isOfIndex = !isOpen && statuses.every((one) => one === 'submitted');
  return isOfIndex ? sql`(${isInDoubt(status)} and ${isOneOf})` : isOneOf;
}

/** Statuses are few, and written out: an alarm makes it unknown where no money was thought to have moved. */
function hasMoved(wanted: MoneyMoved): Condition {
  const isOf = (moved: MoneyMoved) => {
    const statuses = payoutStatuses.filter((status) => moneyMoved(status) === moved);
    return sql`p.status in (${sql.join(statuses.map(literal))})`;
  };
  if (wanted === 'yes') return sql`${isOf('yes')}`;
  return wanted === 'no'
    ? sql`(${isOf('no')} and p.is_alarm = 0)`
    : sql`(${isOf('unknown')} or (${isOf('no')} and p.is_alarm = 1))`;
}

const hasAnyOf = (filters: readonly PayoutFilter[]): Condition =>
  sql`(${sql.join(
    filters.map((filter) => sql`(${sql.join(listConditions(filter), sql` and `)})`),
    sql` or `,
  )})`;

function listConditions(filter: PayoutFilter): readonly Condition[] {
  const { moneyMoved: moved, anyOf = [] } = filter;
  const { hold, isAlarm, batchId, reference, ownName, amountSatang, payee, sinceMs, untilMs } = filter;
  return [
    hold !== undefined && hasBits(sql.ref('p.holds'), holdBits[hold]),
    isAlarm === true && sql<SqlBool>`p.is_alarm = 1`,
    batchId !== undefined && isOfBatch(batchId),
    reference !== undefined && hasReference(reference, filter.ownerSeqs ?? []),
    ownName !== undefined && hasOwnName(ownName, filter.ownerSeqs ?? []),
    amountSatang !== undefined && sql<SqlBool>`p.amount_satang = ${amountSatang}`,
    payee !== undefined && isPayee(payee),
    sinceMs !== undefined && sql<SqlBool>`p.placed_at_ms >= ${sinceMs}`,
    untilMs !== undefined && sql<SqlBool>`p.placed_at_ms < ${untilMs}`,
    filter.isWaiting === true && sql<SqlBool>`p.is_acknowledged = 0`,
    moved !== undefined && hasMoved(moved),
    anyOf.length > 0 && hasAnyOf(anyOf),
  ].filter((condition) => condition !== false);
}

/** The columns that a list shows are read of the rows that are found alone. */
function selectPage(filter: PayoutFilter, searched: SearchedPayouts, beforeSeq: number, limit: number) {
  const conditions = listConditions(filter);
  const found = query
    .selectFrom(`${searched.isOpen ? 'open_payout' : 'payout_listed'} as p`)
    .select('p.seq')
    .where('p.seq', '<', beforeSeq)
    .where((eb) =>
      eb.and(searched.statuses.length === 0 ? [...conditions] : [hasStatus(searched), ...conditions]),
    )
    .orderBy('p.seq', 'desc')
    .limit(limit);
  return selectResultRows()
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .select(['b.file_name', 'b.started_at_ms'])
    .where('p.seq', 'in', found);
}

/** The payouts that wait for a person. */
function selectWaiting(filter: PayoutFilter) {
  const conditions = listConditions({ ...filter, isWaiting: true });
  const { statuses = [] } = filter;
  return query
    .selectFrom('open_payout as p')
    .select(['p.status', (eb) => eb.fn.countAll<number>().as('rows')])
    .select(sumAmount(sql.ref('p.amount_satang')))
    .select(sql<number>`min(p.placed_at_ms)`.as('oldest_ms'))
    .where((eb) =>
      eb.and(
        statuses.length === 0 ? [...conditions] : [hasStatus({ statuses, isOpen: true }), ...conditions],
      ),
    )
    .groupBy('p.status')
    .orderBy('p.status');
}

export const searchReads = {
  waitingPayouts: (filter, beforeSeq, limit): Reading<FoundPayout[]> =>
    searchReads.searchPayouts({ ...filter, isWaiting: true }, beforeSeq, limit),
  *waitingTotals(filter): Reading<WaitingTotal[]> {
    const records = yield* select(selectWaiting(filter));
    return records.map(({ status, rows, high, low, oldest_ms: oldestMs }) => {
      return { status, rows, amountSatang: joinParts(high, low), oldestMs };
    });
  },
  *searchPayouts(filter, beforeSeq, limit): Reading<FoundPayout[]> {
    const found: FoundPayout[] = [];
    for (const searched of planSearch(filter))
      for (const record of yield* select(selectPage(filter, searched, beforeSeq, limit))) {
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
} satisfies BodiesOf<PayoutSearch & WaitingReader>;
