/**
 * The uses that count on a Bangkok day for the limits over time. Sums are kept of a day that a sender has begun to count,
 * in the transactions of the changes themselves; a day without a count costs nothing, and is added up when it is asked for.
 */
import { type ExpressionBuilder, sql } from 'kysely';
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import { type Satang, zeroSatang } from '../../core/money.ts';
import type { Payout } from '../../core/payout.ts';
import type { Change, DayLimits } from '../../core/ports.ts';
import type { CountedDay } from '../../evidence/rules/audit.ts';
import type { LimitReader } from '../../payout/ports.ts';
import {
  computeUseMoves,
  countsItsFile,
  type DayUse,
  findDayExcess,
  type UseMove,
} from '../../payout/rules/limits.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import { holdBits, literal, type Tables } from '../schema.ts';
import {
  type BodiesOf,
  type Body,
  change,
  define,
  inDialect,
  query,
  type Reading,
  select,
  textStatement,
} from '../statements.ts';
import { asText, joinParts, lowPart, partsOfAmount, sumAmount } from './rows.ts';

interface Day {
  readonly companyId: string;
  readonly date: string;
}

type Kind = Tables['day_use']['kind'];

interface UseKey extends Day {
  readonly kind: Kind;
  readonly key: string;
}

const whole = { kind: 'day', key: '' } as const;

const keyOf = ({ companyId, date, kind, key }: UseKey) => ({ company_id: companyId, date, kind, key });

const keptParts = [asText(sql.ref('high')).as('high'), asText(sql.ref('low')).as('low')] as const;

const useOf = define((values: UseKey) =>
  query
    .selectFrom('day_use')
    .select(['rows', ...keptParts])
    .where(({ and }) => and(keyOf(values))),
);

/** The uses of all keys that one payout has; each is of one kind alone. */
const usesOf = define((values: Day & { proxyNo: string; batchId: string }) =>
  query
    .selectFrom('day_use')
    .select(['kind', 'rows', ...keptParts])
    .where(({ and }) => and({ company_id: values.companyId, date: values.date }))
    .where('kind', 'in', ['day', 'payee', 'file'])
    .where('key', 'in', ['', values.proxyNo, values.batchId]),
);

const countFiles = define((values: Day) =>
  query
    .selectFrom('day_use')
    .select((eb) => eb.fn.countAll<number>().as('files'))
    .where(({ and }) => and({ company_id: values.companyId, date: values.date, kind: 'file' }))
    .where('rows', '>', sql.lit(0)),
);

/** The uses of one payout: on its day, for its payee, and for its file, for which it may not count. */
interface Added extends Day {
  readonly proxyNo: string;
  readonly batchId: string;
  readonly rows: number;
  readonly high: bigint;
  readonly low: bigint;
  readonly fileRows: number;
  readonly fileHigh: bigint;
  readonly fileLow: bigint;
}

const addUse = define((values: Added) => {
  const day = { company_id: values.companyId, date: values.date };
  const sums = { rows: values.rows, high: values.high, low: values.low };
  const ofFile = { rows: values.fileRows, high: values.fileHigh, low: values.fileLow };
  return query
    .insertInto('day_use')
    .values([
      { ...day, kind: 'day', key: '', ...sums },
      { ...day, kind: 'payee', key: values.proxyNo, ...sums },
      { ...day, kind: 'file', key: values.batchId, ...ofFile },
    ])
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'date', 'kind', 'key']).doUpdateSet({
        rows: sql<number>`day_use.rows + excluded.rows`,
        high: sql<bigint>`day_use.high + excluded.high`,
        low: sql<bigint>`day_use.low + excluded.low`,
      }),
    );
});

const keyOfPayout = { day: sql<string>`''`, payee: sql<string>`r.proxy_no`, file: sql<string>`p.batch_id` };

const isCountedStatus = (eb: ExpressionBuilder<Tables & { p: Tables['payout'] }, 'p'>) =>
  eb('p.status', 'in', mayBePaidStatuses.map(literal));

/** The payouts that count on a day (`countedDate`). */
function selectCounted({ companyId, date, fromMs, untilMs }: DaySpan) {
  return query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .where('p.seq', 'in', ({ selectFrom }) =>
      selectFrom('attempt as a')
        .select('a.payout_seq')
        .where('a.tran_date', '=', date)
        .where('a.company_id', '=', companyId),
    )
    .where('p.submitted_at_ms', '>=', fromMs)
    .where('p.submitted_at_ms', '<', untilMs)
    .where(isCountedStatus);
}

interface DaySpan extends Day {
  readonly fromMs: number;
  readonly untilMs: number;
}

function spanOf(day: Day): DaySpan {
  const fromMs = parseBangkokDate(day.date);
  if (fromMs === undefined) throw new RangeError(`${day.date} names no day`);
  return { ...day, fromMs, untilMs: fromMs + dayMs };
}

const amount = partsOfAmount(sql.ref('p.amount_satang'));
const high = sql<number>`coalesce(sum(${amount.high}), 0)`;
const low = sql<number>`coalesce(sum(${amount.low}), 0)`;

/** True of a row for which `countsItsFile` holds. */
const countsFile = sql<boolean>`p.accepted_holds & ${sql.lit(holdBits['day-limit'])} = 0`;

const sumCounted = define((values: DaySpan & { key: string | null }) =>
  selectCounted(values)
    .select(sql<number>`count(distinct case when ${countsFile} then p.batch_id end)`.as('files'))
    .select(sumAmount(sql.ref('p.amount_satang')))
    .where(sql<boolean>`(cast(${values.key} as text) is null or r.proxy_no = ${values.key})`),
);

const isFileOfDay = define((values: DaySpan & { batchId: string }) =>
  selectCounted(values).select('p.seq').where('p.batch_id', '=', values.batchId).where(countsFile).limit(1),
);

/** Adds up the sums of a kind, in the order of the table's columns. */
const sumUp = (kind: Kind, values: DaySpan) =>
  selectCounted(values)
    .select([sql<string>`cast(${values.companyId} as text)`.as('company_id')])
    .select(sql<string>`cast(${values.date} as text)`.as('date'))
    .select([sql<Kind>`${sql.lit(kind)}`.as('kind'), keyOfPayout[kind].as('key')])
    .select((eb) => [eb.fn.countAll<number>().as('rows'), high.as('high'), low.as('low')])
    .$if(kind === 'file', (counted) => counted.where(countsFile))
    .$if(kind !== 'day', (counted) => counted.groupBy(keyOfPayout[kind]));

const keepSums = (kind: Kind) =>
  define((values: DaySpan) => query.insertInto('day_use').expression(sumUp(kind, values)));

const keepAllSums = [keepSums('day'), keepSums('payee'), keepSums('file')];

const forgetOthers = define((values: Day) =>
  query.deleteFrom('day_use').where('company_id', '=', values.companyId).where('date', '<>', values.date),
);

/** True of a day of which sums are kept. */
export function* isDayCounted(day: Day): Reading<boolean> {
  return (yield* useOf.get({ ...day, ...whole })) !== undefined;
}

function* countDay(companyId: string, date: string): Body<void> {
  const day = { companyId, date };
  if (yield* isDayCounted(day)) return;
  yield* forgetOthers.run(day);
  for (const keep of keepAllSums) yield* keep.run(spanOf(day));
}

export const limitWrites = { countDay };

function* readUse(day: Day, batchId: string): Reading<DayUse | undefined> {
  const use = yield* useOf.get({ ...day, ...whole });
  if (use === undefined) return undefined;
  const file = yield* useOf.get({ ...day, kind: 'file', key: batchId });
  const isFileCounted = file !== undefined && file.rows > 0;
  const files = isFileCounted ? 0 : ((yield* countFiles.get(day))?.files ?? 0);
  return { satang: joinParts(use.high, use.low), files, isFileCounted };
}

const paidNow = define((values: { companyId: string; proxyNo: string }) =>
  query
    .selectFrom('attempt as a')
    .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
    .select('p.seq')
    .where('a.proxy_no', '=', values.proxyNo)
    .where('a.company_id', '=', values.companyId)
    .where('a.status', '=', 'paid')
    .where('p.status', '=', literal('paid'))
    .limit(1),
);

const paidArchived = define((values: { companyId: string; proxyNo: string }) =>
  query
    .selectFrom('paid_payee')
    .select('proxy_no')
    .where('company_id', '=', values.companyId)
    .where('proxy_no', '=', values.proxyNo),
);

export const limitReads = {
  *dayUse(companyId, date, batchId): Reading<DayUse> {
    const day = { companyId, date };
    const kept = yield* readUse(day, batchId);
    if (kept !== undefined) return kept;
    const span = spanOf(day);
    const sum = yield* sumCounted.get({ ...span, key: null });
    const isFileCounted = (yield* isFileOfDay.get({ ...span, batchId })) !== undefined;
    if (sum === undefined) throw new Error('a sum is never nothing');
    return { satang: joinParts(sum.high, sum.low), files: sum.files, isFileCounted };
  },
  *payeeUse(companyId, date, proxyNo): Reading<Satang> {
    const day = { companyId, date };
    const kept = yield* useOf.get({ ...day, kind: 'payee', key: proxyNo });
    if (kept !== undefined) return joinParts(kept.high, kept.low);
    if (yield* isDayCounted(day)) return zeroSatang;
    const sum = yield* sumCounted.get({ ...spanOf(day), key: proxyNo });
    return sum === undefined ? zeroSatang : joinParts(sum.high, sum.low);
  },
  *isPayeeKnown(companyId, proxyNo): Reading<boolean> {
    if ((yield* paidNow.get({ companyId, proxyNo })) !== undefined) return true;
    return (yield* paidArchived.get({ companyId, proxyNo })) !== undefined;
  },
} satisfies BodiesOf<LimitReader>;

/** SQLite keeps the order of a cross join: few rows were erased. */
const thenJoin = inDialect({ sqlite: sql`cross join`, postgres: sql`join` });

/** Days of which rows have left for an archive, or were erased, cannot be added up again. */
const countedDays = textStatement<Day>(sql`
select distinct company_id as "companyId", date from day_use u where not exists (
    select 1 from archived_batch where u.date between first_date and last_date)
  and not exists (select 1 from payout_row r ${thenJoin} attempt a on a.payout_seq = r.seq
    where r.commitment is not null and a.tran_date = u.date)`);

/** Days that are counted and whose rows can be added up. */
export const readCountedDays = (): Reading<Day[]> => select(countedDays);

/** The sums of a day that is counted, as they are kept and as its rows add up. */
export function* readDayUse(day: Day): Reading<CountedDay> {
  const kept = query.selectFrom('day_use').selectAll().where('date', '=', day.date);
  const sums = yield* select(kept.where('company_id', '=', day.companyId));
  const present = [];
  for (const kind of ['day', 'payee', 'file'] as const)
    present.push(...(yield* select(sumUp(kind, spanOf(day)))));
  return { date: day.date, kept: sums, present };
}

/** Keeps the payees that the rows of a batch have paid, before the rows leave. */
export const keepPaidPayees = (batchId: string): Body<number> =>
  change(
    query
      .insertInto('paid_payee')
      .columns(['company_id', 'proxy_no'])
      .expression(
        query
          .selectFrom('payout as p')
          .innerJoin('attempt as a', 'a.payout_seq', 'p.seq')
          .select(['a.company_id', 'a.proxy_no'])
          .distinct()
          .where('p.batch_id', '=', batchId)
          .where('p.status', '=', 'paid')
          .where('a.status', '=', 'paid')
          .orderBy('a.company_id')
          .orderBy('a.proxy_no'),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );

// ---------------------------------------------------------------- with each change

/** The uses that count for one payout, in one look; undefined of a day that is not counted. */
function* readUses(day: Day, { instruction, batchId }: Payout, limits: DayLimits) {
  const { proxyNo } = instruction;
  const found = yield* usesOf.all({ ...day, proxyNo, batchId });
  const findUse = (kind: Kind) => found.find((use) => use.kind === kind);
  const ofDay = findUse('day');
  if (ofDay === undefined) return undefined;
  const payee = findUse('payee');
  const isFileCounted = (findUse('file')?.rows ?? 0) > 0;
  const isAsked = limits.filesPerDay !== null && !isFileCounted;
  const files = isAsked ? ((yield* countFiles.get(day))?.files ?? 0) : 0;
  return {
    use: { satang: joinParts(ofDay.high, ofDay.low), files, isFileCounted },
    payeeSatang: payee === undefined ? zeroSatang : joinParts(payee.high, payee.low),
  };
}

/** False when an intent would pass a limit of its day, which is counted from then on. */
export function* isWithinLimits({ limits, after }: Change, companyId: string): Body<boolean> {
  if (limits === undefined) return true;
  const { submittedAtMs, instruction } = after;
  if (submittedAtMs === null) throw new Error(`payout ${after.seq}: an intent without its moment`);
  const day = { companyId, date: formatBangkokDate(submittedAtMs) };
  let uses = yield* readUses(day, after, limits);
  if (uses === undefined) {
    yield* countDay(companyId, day.date);
    uses = yield* readUses(day, after, limits);
  }
  if (uses === undefined) throw new Error(`${day.date} was counted and is not there`);
  const { use, payeeSatang } = uses;
  return findDayExcess(limits, instruction.amountSatang, use, payeeSatang, submittedAtMs).length === 0;
}

/** The moves by which the payout begins or ceases to count through a change, on days of which sums are kept. */
export function* readUseMoves(made: Change, companyId: string): Reading<readonly UseMove[]> {
  const moves: UseMove[] = [];
  for (const move of computeUseMoves(made)) {
    // With limits the day is counted in the same transaction.
    const isCounted = made.limits !== undefined || (yield* isDayCounted({ companyId, date: move.date }));
    if (isCounted) moves.push(move);
  }
  return moves;
}

/** Keeps the sums of these days. */
export function* recordUse(moves: readonly UseMove[], companyId: string): Body<void> {
  for (const { date, by, payout } of moves) yield* addUse.note({ companyId, date, ...partsOf(payout, by) });
}

function partsOf(payout: Payout, by: UseMove['by']): Omit<Added, keyof Day> {
  const { instruction, batchId } = payout;
  const { proxyNo, amountSatang } = instruction;
  const ofFile = countsItsFile(payout) ? by : 0;
  const parts = { high: amountSatang / lowPart, low: amountSatang % lowPart };
  const [sign, fileSign] = [BigInt(by), BigInt(ofFile)];
  return {
    proxyNo,
    batchId,
    rows: by,
    high: parts.high * sign,
    low: parts.low * sign,
    fileRows: ofFile,
    fileHigh: parts.high * fileSign,
    fileLow: parts.low * fileSign,
  };
}
