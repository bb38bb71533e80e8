/** Reads for the pages that show many payouts at once: each look is bounded, however many there are. */
import { type Expression, sql, type SqlBool } from 'kysely';
import { bangkokOffsetMs, dayMs, formatBangkokDate } from '../../core/bangkok-time.ts';
import { statementCodes } from '../../core/exit-code.ts';
import type { ProxyType } from '../../core/payout.ts';
import type { PayeeWanted } from '../../payout/rules/search.ts';
import type { OverviewReader, PayeeOrder, PayeeSeen, PayeesFound } from '../../overview/ports.ts';
import { answerCauses, type BankEvent } from '../../overview/rules/bank-answers.ts';
import type { MoneyRows, SendsSeen, UnknownRows } from '../../overview/rules/today.ts';
import { joinParts, sumAmount } from '../payouts/rows.ts';
import { holdBits, literal } from '../schema.ts';
import { type BodiesOf, define, inDialect, query, type Reading, select, selectFirst } from '../statements.ts';

/** Rows that one look at payees goes through. */
const payeeWindow = 100_000;
/** The names that are read of one payee, at most. */
const namesMax = 10;

type Payee = Pick<PayeeSeen, 'proxyType' | 'proxyNo'>;

/** True of the latest row that names a payee: earlier ones are not listed. */
const isLatest = sql<SqlBool>`not exists (select 1 from payee_place as o where o.proxy_no = r.proxy_no and o.payout_seq > r.seq)`;

/** Lowers the letters of the Latin alphabet, as both engines know them. */
const toSmallLetters = (text: string): string => text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());

/** True of a payee without a paid transfer. */
const isUnpaid = sql<SqlBool>`not exists (select 1 from attempt as t where t.proxy_no = r.proxy_no and t.status = 'paid')`;

type RowsWanted = Exclude<PayeeWanted, { kind: 'number' }> | { readonly kind: 'unpaid' } | undefined;

function isWanted(wanted: RowsWanted): Expression<SqlBool> {
  if (wanted === undefined) return isLatest;
  if (wanted.kind === 'unpaid') return sql`(${isLatest} and ${isUnpaid})`;
  if (wanted.kind === 'number-end') {
    const end = sql`substr(r.proxy_no, length(r.proxy_no) + 1 - ${sql.lit(wanted.end.length)})`;
    return sql`(${end} = ${wanted.end} and ${isLatest})`;
  }
  const names = sql`lower(concat_ws(${sql.lit('\n')}, r.payee_name, p.bank_payee_name, p.bank_payee_name_th))`;
  return sql`instr(${names}, ${toSmallLetters(wanted.part)}) > 0`;
}

/** The type follows from the number: SQLite takes it from one of the rows that are grouped. */
const typeOfNumber = sql<ProxyType>`${inDialect({ sqlite: sql`r.proxy_type`, postgres: sql`max(r.proxy_type)` })}`;

/** Payees in the rows of a window, the newest first; by a name each row in which it stands. */
function selectPayees(wanted: RowsWanted, beforeSeq: number, limit: number) {
  const isByName = wanted?.kind === 'name';
  const rows = query
    .selectFrom('payout as p')
    .crossJoin('payout_row as r')
    .select('r.proxy_no as proxyNo')
    .select((isByName ? typeOfNumber : sql<ProxyType>`r.proxy_type`).as('proxyType'))
    .whereRef('r.seq', '=', 'p.seq')
    .where('p.seq', '<', beforeSeq)
    .where('p.seq', '>=', beforeSeq - payeeWindow)
    // PostgreSQL would go through all of them without this bound.
    .where('r.seq', '<', beforeSeq)
    .where('r.seq', '>=', beforeSeq - payeeWindow)
    .where('r.proxy_no', 'is not', null)
    .where(isWanted(wanted))
    .orderBy(sql.ref('latestSeq'), 'desc')
    .limit(limit);
  return isByName
    ? rows.select(sql<number>`max(p.seq)`.as('latestSeq')).groupBy('r.proxy_no')
    : rows.select('p.seq as latestSeq');
}

const countWhere = (condition: Expression<SqlBool>) => sql<number>`count(*) filter (where ${condition})`;

const transfersTo = define(({ proxyNo }: { proxyNo: string }) => {
  const isPaid = sql<SqlBool>`a.status = 'paid'`;
  return query
    .selectFrom('attempt as a')
    .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
    .select((eb) => eb.fn.countAll<number>().as('transfers'))
    .select(countWhere(isPaid).as('paid'))
    .select(countWhere(sql`a.status in ('failed', 'refused')`).as('failed'))
    .select(sumAmount(sql`iif(${isPaid}, p.amount_satang, 0)`))
    .select([
      sql<number | null>`min(a.intent_at_ms) filter (where ${isPaid})`.as('firstPaidMs'),
      sql<number | null>`max(a.intent_at_ms) filter (where ${isPaid})`.as('lastPaidMs'),
    ])
    .where('a.proxy_no', '=', proxyNo);
});

const payoutsTo = define(({ proxyNo }: { proxyNo: string }) =>
  query
    .selectFrom('payee_place as o')
    .innerJoin('payout as p', 'p.seq', 'o.payout_seq')
    .select((eb) => eb.fn.countAll<number>().as('payouts'))
    .select(countWhere(sql`p.status = 'unpayable'`).as('unpayable'))
    .select((eb) => eb.fn.max<number | null>('p.seq').as('latestSeq'))
    .where('o.proxy_no', '=', proxyNo),
);

const namesOf = define(({ proxyNo }: { proxyNo: string }) => {
  const rows = query
    .selectFrom('payee_place as o')
    .innerJoin('payout as p', 'p.seq', 'o.payout_seq')
    .innerJoin('payout_row as r', 'r.seq', 'o.payout_seq')
    .where('o.proxy_no', '=', proxyNo);
  const names = rows
    .select('r.payee_name as name')
    .union(rows.select('p.bank_payee_name as name'))
    .union(rows.select('p.bank_payee_name_th as name'));
  return query
    .selectFrom(names.as('n'))
    .select('n.name')
    .where('n.name', 'is not', null)
    .orderBy('n.name')
    .limit(sql.lit(namesMax));
});

function* readPayee({ proxyNo, proxyType }: Payee): Reading<PayeeSeen> {
  const sent = yield* transfersTo.get({ proxyNo });
  const named = yield* payoutsTo.get({ proxyNo });
  const names = (yield* namesOf.all({ proxyNo })).map(({ name }) => name ?? '');
  return {
    proxyNo,
    proxyType,
    names,
    latestSeq: named?.latestSeq ?? 0,
    payouts: named?.payouts ?? 0,
    paid: sent?.paid ?? 0,
    paidSatang: joinParts(sent?.high ?? '0', sent?.low ?? '0'),
    firstPaidMs: sent?.firstPaidMs ?? null,
    lastPaidMs: sent?.lastPaidMs ?? null,
    failures: (sent?.failed ?? 0) + (named?.unpayable ?? 0),
  };
}

/** The ranks of payees, over the rows `p` and their attempts `a`. */
const ranks: Readonly<Record<PayeeOrder, Expression<number>>> = {
  sum: sql<number>`sum(iif(a.status = 'paid', p.amount_satang * 1.0, 0))`,
  failures: sql<number>`count(*) filter (where a.status in ('failed', 'refused') or p.status = 'unpayable')`,
  last: sql<number>`max(iif(a.status = 'paid', a.intent_at_ms, 0))`,
};

/** Payees who were paid in the rows of a window. */
const selectPaid = (order: PayeeOrder, fromSeq: number, offset: number, limit: number) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .leftJoin('attempt as a', 'a.payout_seq', 'p.seq')
    .select(['r.proxy_no as proxyNo', sql<ProxyType>`max(r.proxy_type)`.as('proxyType')])
    .where('p.seq', '>=', fromSeq)
    .where('r.proxy_no', 'is not', null)
    .groupBy('r.proxy_no')
    .having(countWhere(sql`a.status = 'paid'`), '>', sql.lit(0))
    .orderBy(ranks[order], 'desc')
    .orderBy('r.proxy_no')
    .limit(limit)
    .offset(offset);

/** The number after the latest row below a number. */
function* endBefore(beforeSeq: number): Reading<number> {
  const latest = query
    .selectFrom('payout')
    .select((eb) => eb.fn.max<number | null>('seq').as('seq'))
    .where('seq', '<', beforeSeq);
  return ((yield* selectFirst(latest))?.seq ?? 0) + 1;
}

function* readPage(wanted: RowsWanted, beforeSeq: number, limit: number): Reading<PayeesFound> {
  const fromSeq = yield* endBefore(beforeSeq);
  const found = yield* select(selectPayees(wanted, fromSeq, limit));
  const payees: PayeeSeen[] = [];
  for (const { proxyNo, proxyType } of found)
    payees.push(yield* readPayee({ proxyNo: proxyNo ?? '', proxyType }));
  const lastSeq = found.length < limit ? fromSeq - payeeWindow : (found.at(-1)?.latestSeq ?? 0);
  return { payees, beforeSeq: lastSeq > 1 ? lastSeq : undefined };
}

/** Finds the payees of a whole number, by an index. */
function* findNumber(proxyNo: string): Reading<Payee[]> {
  const found = query
    .selectFrom('payee_place as o')
    .innerJoin('payout_row as r', 'r.seq', 'o.payout_seq')
    .select('r.proxy_type as proxyType')
    .where('o.proxy_no', '=', proxyNo)
    .limit(1);
  const row = yield* selectFirst(found);
  return row === undefined || row.proxyType === null ? [] : [{ proxyNo, proxyType: row.proxyType }];
}

/** Counts and sums of rows. */
const rowFigures = [
  sql<number>`count(*)`.as('rows'),
  ...sumAmount(sql.ref('p.amount_satang')),
  sql<number>`count(*) - count(p.amount_satang)`.as('unreadable'),
] as const;

interface FigureRecord {
  readonly rows: number;
  readonly high: string;
  readonly low: string;
  readonly unreadable: number;
}

const toFigures = ({ rows, high, low, unreadable }: FigureRecord) => ({
  rows,
  amountSatang: joinParts(high, low),
  unreadableAmounts: unreadable,
});

/** True while no person has acknowledged the alarm. */
const isContradicted = sql<number>`p.is_alarm * (1 - p.is_acknowledged)`;

/** The Bangkok day of the last send, counted from 1970. */
const daySent = sql<number | null>`(p.submitted_at_ms + ${sql.lit(bangkokOffsetMs)}) / ${sql.lit(dayMs)}`;

const moneySince = define(({ sinceMs }: { sinceMs: number }) =>
  query
    .selectFrom('batch as b')
    .crossJoin('payout as p')
    .select(['p.batch_id as batchId', 'p.status', isContradicted.as('alarm'), daySent.as('dayNo')])
    .select(sql<number>`p.holds & ${sql.lit(holdBits.approval)}`.as('approval'))
    .select(sql<number>`p.holds & ${sql.lit(holdBits.halted)}`.as('halted'))
    .select(rowFigures)
    .whereRef('p.batch_id', '=', 'b.batch_id')
    .where('b.status', 'not in', ['ingesting', 'rejected'])
    .where((eb) => eb.or([eb('b.status', '<>', 'done'), eb('b.rested_at_ms', '>=', sinceMs)]))
    .groupBy(['p.batch_id', 'p.status', sql.ref('alarm'), sql.ref('dayNo')])
    .groupBy([sql.ref('approval'), sql.ref('halted')]),
);

/** The borders between classes of age, as moments. */
interface Borders {
  readonly firstMs: number;
  readonly secondMs: number;
  readonly thirdMs: number;
}

/** The class of a row by the time since it was sent: 0 before the first border. */
function ageClass({ firstMs, secondMs, thirdMs }: Borders) {
  const sinceMs = sql`coalesce(p.submitted_at_ms, (select b.started_at_ms from batch as b where b.batch_id = p.batch_id))`;
  return sql<number>`case when ${sinceMs} > ${firstMs} then 0
    when ${sinceMs} > ${secondMs} then 1 when ${sinceMs} > ${thirdMs} then 2 else 3 end`;
}

/** True of a row about which the bank is asked again. */
const isAsked = sql<number>`case when p.status = 'submitted' and coalesce(p.reason_code, '') not in (${sql.join(statementCodes.map((code) => sql.lit(code)))}) then 1 else 0 end`;

const unknownByAge = define((borders: Borders) => {
  const rows = query.selectFrom('payout as p').select('p.seq');
  const inDoubt = rows.where('p.status', 'in', [literal('submitted'), literal('unresolved')]);
  const contradicted = rows
    .where('p.is_alarm', '=', sql.lit(1))
    .where(sql<SqlBool>`(p.status = 'disputed' or p.is_acknowledged = 0)`);
  return query
    .selectFrom('payout as p')
    .select([ageClass(borders).as('age'), isAsked.as('asked')])
    .select(rowFigures)
    .where('p.seq', 'in', inDoubt.union(contradicted))
    .groupBy([sql.ref('age'), sql.ref('asked')]);
});

const bankEvents = define((values: { sinceMs: number; eventsMax: number }) =>
  query
    .selectFrom('event')
    .select(['payout_seq as payoutSeq', 'cause', 'at_ms as atMs'])
    .where('seq', '>', sql<number>`(select coalesce(max(seq), 0) from event) - ${values.eventsMax}`)
    .where('at_ms', '>=', values.sinceMs)
    .where(
      'cause',
      'in',
      answerCauses.map((cause) => sql.lit(cause)),
    )
    .orderBy('seq'),
);

export const overviewReads = {
  *moneySince(sinceMs): Reading<MoneyRows[]> {
    const records = yield* moneySince.all({ sinceMs });
    return records.map((record) => ({
      batchId: record.batchId,
      status: record.status,
      isAlarm: record.alarm !== 0,
      isForApproval: record.approval !== 0,
      isHalted: record.halted !== 0,
      sentOn: record.dayNo === null ? undefined : formatBangkokDate(record.dayNo * dayMs - bangkokOffsetMs),
      ...toFigures(record),
    }));
  },
  *unknownByAge(nowMs, [first, second, third]): Reading<UnknownRows[]> {
    const borders = { firstMs: nowMs - first, secondMs: nowMs - second, thirdMs: nowMs - third };
    const records = yield* unknownByAge.all(borders);
    return records.map((record) => ({ age: record.age, isAsked: record.asked !== 0, ...toFigures(record) }));
  },
  bankEvents: (sinceMs, eventsMax): Reading<BankEvent[]> => bankEvents.all({ sinceMs, eventsMax }),
  *latestSends(eventsMax): Reading<SendsSeen[]> {
    const latest = query
      .selectFrom('event')
      .select(['payout_seq', 'at_ms'])
      .where('seq', '>', sql<number>`(select coalesce(max(seq), 0) from event) - ${eventsMax}`)
      .where('to_status', '=', literal('submitted'))
      .where('from_status', '=', literal('ready'));
    const byBatch = query
      .selectFrom(latest.as('e'))
      .innerJoin('payout as p', 'p.seq', 'e.payout_seq')
      .select(['p.batch_id as batchId', (eb) => eb.fn.countAll<number>().as('sends')])
      .select([sql<number>`min(e.at_ms)`.as('firstMs'), sql<number>`max(e.at_ms)`.as('lastMs')])
      .groupBy('p.batch_id');
    return yield* select(byBatch);
  },
  *payees(wanted, beforeSeq, limit) {
    if (wanted?.kind === 'number') {
      const found = yield* findNumber(wanted.proxyNo);
      const payees: PayeeSeen[] = [];
      for (const payee of found) payees.push(yield* readPayee(payee));
      return { payees, beforeSeq: undefined };
    }
    return yield* readPage(wanted, beforeSeq, limit);
  },
  *unpaidPayees(beforeSeq, limit) {
    return yield* readPage({ kind: 'unpaid' }, beforeSeq, limit);
  },
  *paidPayees(order, offset, limit) {
    const fromSeq = (yield* endBefore(Number.MAX_SAFE_INTEGER)) - payeeWindow;
    const payees: PayeeSeen[] = [];
    for (const { proxyNo, proxyType } of yield* select(selectPaid(order, fromSeq, offset, limit)))
      payees.push(yield* readPayee({ proxyNo: proxyNo ?? '', proxyType }));
    return payees;
  },
} satisfies BodiesOf<OverviewReader>;
