/** Looks for payouts, the newest first, page by page: what bounds a page is an index or the order of the rows. */
import { type Expression, type InferResult, sql, type SqlBool } from 'kysely';
import { moneyMoved, type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import type {
  FoundPayout,
  MatchReader,
  PayoutSearch,
  WaitingByCause,
  WaitingReader,
  WaitingTotal,
} from '../../payout/ports.ts';
import {
  type MoneyMoved,
  type PayeeWanted,
  type PayoutFilter,
  planSearch,
  type SearchedPayouts,
  type WaitingOrder,
  type WaitingPlace,
} from '../../payout/rules/search.ts';
import { decodeHolds, encodeHolds, hasBits, holdBits, isInDoubt, literal } from '../schema.ts';
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

const isAmongRows = (
  batchId: string,
  { after, upTo }: Required<PayoutFilter>['rowNos'] & object,
): Condition =>
  sql`p.seq in (select seq from payout where batch_id = ${batchId} and row_no > ${after} and row_no <= ${upTo})`;

const statusOf = sql.ref<SearchedPayouts['statuses'][number]>('p.status');

/** Keeps SQLite from an index of the status, by which it would have to sort all open rows into their order. */
const unindexedStatus = inDialect({ sqlite: sql`+${statusOf}`, postgres: statusOf });

/** A status that the partial index of what is in doubt has, with its condition. */
function hasStatus({ statuses, isOpen }: SearchedPayouts, status: Expression<unknown> = statusOf): Condition {
  const isOneOf = sql<SqlBool>`${status} in (${sql.join(statuses.map(literal))})`;
  const isOfIndex = !isOpen && statuses.every((one) => one === 'submitted');
  return isOfIndex ? sql`(${isInDoubt(statusOf)} and ${isOneOf})` : isOneOf;
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

const listOf = (values: readonly unknown[]) => sql.join(values.map((value) => sql`${value}`));

/** True of one of these values; of nothing, where there are none. */
const isAmong = (column: string, values: readonly (string | number)[]): Condition =>
  values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${listOf(values)})`;

function listConditions(filter: PayoutFilter): readonly Condition[] {
  const { moneyMoved: moved, anyOf = [], batchIds, seqs, aboveSatang, belowSatang } = filter;
  const { hold, isAlarm, batchId, rowNos, reference, ownName, amountSatang, payee, sinceMs, untilMs } =
    filter;
  return [
    hold !== undefined && hasBits(sql.ref('p.holds'), holdBits[hold]),
    filter.holdSets !== undefined && sql<SqlBool>`p.holds in (${listOf(filter.holdSets.map(encodeHolds))})`,
    filter.causes !== undefined && sql<SqlBool>`p.cause in (${listOf(filter.causes)})`,
    isAlarm !== undefined && sql<SqlBool>`p.is_alarm = ${sql.lit(isAlarm ? 1 : 0)}`,
    batchId !== undefined && isOfBatch(batchId),
    batchId !== undefined && rowNos !== undefined && isAmongRows(batchId, rowNos),
    reference !== undefined && hasReference(reference, filter.ownerSeqs ?? []),
    ownName !== undefined && hasOwnName(ownName, filter.ownerSeqs ?? []),
    amountSatang !== undefined && sql<SqlBool>`p.amount_satang = ${amountSatang}`,
    payee !== undefined && isPayee(payee),
    sinceMs !== undefined && sql<SqlBool>`p.placed_at_ms >= ${sinceMs}`,
    untilMs !== undefined && sql<SqlBool>`p.placed_at_ms < ${untilMs}`,
    filter.isWaiting === true && sql<SqlBool>`p.is_acknowledged = 0`,
    moved !== undefined && hasMoved(moved),
    batchIds !== undefined && isAmong('p.batch_id', batchIds),
    seqs !== undefined && isAmong('p.seq', seqs),
    aboveSatang !== undefined && sql<SqlBool>`p.amount_satang > ${aboveSatang}`,
    belowSatang !== undefined && sql<SqlBool>`p.amount_satang < ${belowSatang}`,
    anyOf.length > 0 && hasAnyOf(anyOf),
  ].filter((condition) => condition !== false);
}

function selectSeqs(filter: PayoutFilter, searched: SearchedPayouts, beforeSeq: number, limit: number) {
  const conditions = listConditions(filter);
  const status = searched.isOpen ? unindexedStatus : statusOf;
  return query
    .selectFrom(`${searched.isOpen ? 'open_payout' : 'payout_listed'} as p`)
    .select('p.seq')
    .where('p.seq', '<', beforeSeq)
    .where((eb) =>
      eb.and(searched.statuses.length === 0 ? [...conditions] : [hasStatus(searched, status), ...conditions]),
    )
    .orderBy('p.seq', 'desc')
    .limit(limit);
}

/** The columns that a list shows are read of the rows that are found alone. */
const selectPage = (...asked: Parameters<typeof selectSeqs>) =>
  selectFound().where('p.seq', 'in', selectSeqs(...asked));

const selectFound = () =>
  selectResultRows()
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .select(['b.file_name', 'b.started_at_ms']);

function toFound(record: InferResult<ReturnType<typeof selectFound>>[number]): FoundPayout {
  const { batch_id: batchId, file_name: fileName, started_at_ms: startedAtMs } = record;
  return { row: toResultRow(record), batch: { batchId, fileName, startedAtMs } };
}

function* readFound(seqs: readonly number[]): Reading<FoundPayout[]> {
  if (seqs.length === 0) return [];
  return (yield* select(selectFound().where('p.seq', 'in', [...seqs]))).map(toFound);
}

/** The column of each order, and whether its greatest value comes first. */
const orderColumns = {
  age: ['p.placed_at_ms', false],
  amount: ['coalesce(p.amount_satang, -1)', true],
  payee: ['p.names', false],
} as const satisfies Readonly<Record<WaitingOrder, readonly [column: string, isDescending: boolean]>>;

/** The numbers of a page, in its order or, before a place, in the reverse of it. */
function selectPlaced(filter: PayoutFilter, order: WaitingOrder, place: WaitingPlace, limit: number) {
  const [searched] = planSearch(filter);
  const { statuses, isOpen } = searched ?? { statuses: [], isOpen: true };
  const [column, isDescending] = orderColumns[order];
  const isForward = place?.side !== 'before';
  const direction = isDescending === isForward ? 'desc' : 'asc';
  const table = isOpen ? 'open_payout' : 'payout_listed';
  const value = sql.raw(column);
  const isBeside = (seq: number): Condition =>
    sql`(${value}, p.seq) ${sql.raw(direction === 'asc' ? '>' : '<')}
      ((select ${value} from ${sql.table(table)} as p where p.seq = ${seq}), ${seq})`;
  return query
    .selectFrom(`${table} as p`)
    .select('p.seq')
    .where((eb) =>
      eb.and([
        ...(statuses.length === 0 ? [] : [hasStatus({ statuses, isOpen })]),
        ...listConditions(filter),
        ...(place === undefined ? [] : [isBeside(place.seq)]),
      ]),
    )
    .orderBy(value, direction)
    .orderBy('p.seq', direction)
    .limit(limit);
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

interface CauseRecord {
  readonly status: PayoutStatus;
  readonly is_alarm: number;
  readonly holds: number;
  readonly cause: string;
  readonly rows: number;
  readonly high: string;
  readonly low: string;
  readonly oldest_ms: number;
  readonly batches: number;
}

const toByCause = (record: CauseRecord): WaitingByCause => ({
  status: record.status,
  isAlarm: record.is_alarm === 1,
  holds: decodeHolds(record.holds),
  cause: record.cause,
  rows: record.rows,
  amountSatang: joinParts(record.high, record.low),
  oldestMs: record.oldest_ms,
  batches: record.batches,
});

/** The sum over all payouts of one cause. */
const sumOfCause = (sinceMs: string) =>
  [
    sql<number>`count(*)`.as('rows'),
    ...sumAmount(sql.ref('p.amount_satang')),
    sql<number>`min(${sql.ref(sinceMs)})`.as('oldest_ms'),
    sql<number>`count(distinct p.batch_id)`.as('batches'),
  ] as const;

export const searchReads = {
  *waitingByCause(): Reading<WaitingByCause[]> {
    const byCause = query
      .selectFrom('open_payout as p')
      .select(['p.status', 'p.is_alarm', 'p.holds', 'p.cause'])
      .select(sumOfCause('p.placed_at_ms'))
      .where('p.is_acknowledged', '=', sql.lit(0))
      .groupBy(['p.status', 'p.is_alarm', 'p.holds', 'p.cause']);
    return (yield* select(byCause)).map(toByCause);
  },
  *inDoubtByCause(beforeMs): Reading<WaitingByCause[]> {
    const cause = sql<string>`coalesce(p.reason_code, '')`;
    const byCause = query
      .selectFrom('payout as p')
      .select(['p.status', sql<number>`0`.as('is_alarm'), sql<number>`0`.as('holds'), cause.as('cause')])
      .select(sumOfCause('p.submitted_at_ms'))
      .where((eb) => isInDoubt(eb.ref('p.status')))
      .where('p.status', '=', literal('submitted'))
      .where('p.submitted_at_ms', '<', beforeMs)
      .where('p.is_alarm', '=', sql.lit(0))
      .groupBy(['p.status', cause]);
    return (yield* select(byCause)).map(toByCause);
  },
  *waitingPage(filter, order, place, limit): Reading<FoundPayout[]> {
    let seqs = yield* select(selectPlaced(filter, order, place, limit));
    const isGone = place !== undefined && seqs.length === 0 && place.side === 'after';
    if (isGone) seqs = yield* select(selectPlaced(filter, order, undefined, limit));
    const inOrder = seqs.map(({ seq }) => seq);
    if (place?.side === 'before') inOrder.reverse();
    const found = new Map((yield* readFound(inOrder)).map((one) => [one.row.seq, one]));
    return inOrder.flatMap((seq) => found.get(seq) ?? []);
  },
  *waitingTotals(filter): Reading<WaitingTotal[]> {
    const records = yield* select(selectWaiting(filter));
    return records.map(({ status, rows, high, low, oldest_ms: oldestMs }) => {
      return { status, rows, amountSatang: joinParts(high, low), oldestMs };
    });
  },
  *searchPayouts(filter, beforeSeq, limit): Reading<FoundPayout[]> {
    const found: FoundPayout[] = [];
    for (const searched of planSearch(filter))
      found.push(...(yield* select(selectPage(filter, searched, beforeSeq, limit))).map(toFound));
    return found.toSorted((one, other) => other.row.seq - one.row.seq).slice(0, limit);
  },
  *matchingSeqs(filter, limit): Reading<number[]> {
    const seqs: number[] = [];
    for (const searched of planSearch(filter)) {
      const found = yield* select(selectSeqs(filter, searched, Number.MAX_SAFE_INTEGER, limit));
      seqs.push(...found.map(({ seq }) => seq));
    }
    return seqs.toSorted((one, other) => other - one).slice(0, limit);
  },
  *findOwners(reference): Reading<number[]> {
    const made = query.selectFrom('attempt').select('payout_seq as seq');
    const owners = made.where('trans_ref_no', '=', reference).union(made.where('sys_ref_no', '=', reference));
    return (yield* select(owners)).map(({ seq }) => seq);
  },
} satisfies BodiesOf<PayoutSearch & WaitingReader & MatchReader>;
