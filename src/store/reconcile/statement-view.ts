/** The journal at one moment, as a statement is held against it: pages and lists at a time, for an engine far away. */
import { isSettledByStatement } from '../../core/exit-code.ts';
import { sql } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type { AttemptStatus, InquiryFinding, PayoutStatus, ProxyType, SettledBy } from '../../core/payout.ts';
import type { AttemptKey } from '../../core/ports.ts';
import { type DayAttempt, isOfWholeDay, isUnread, type StatementView } from '../../reconcile/ports.ts';
import { rebuildLine } from '../../reconcile/rules/differences.ts';
import { statusesInDoubt } from '../../reconcile/rules/evidence.ts';
import { decodeLine, type StatementLine } from '../../reconcile/rules/statement.ts';
import type { AttemptFacts, DayLines } from '../../reconcile/rules/types.ts';
import { ReadAhead, stretchRows } from '../../platform/read-ahead.ts';
import { type Engine, openOn, type Reader } from '../engine.ts';
import { isListed, listed } from '../lists.ts';
import { isInDoubt } from '../schema.ts';
import { define, defineLists, query, type Reading, select } from '../statements.ts';
import { decodeProvenance, isAcceptedBreak, toBreakRecord } from './statement-tables.ts';

/** Rows that are read at a time: the event loop goes on between two pages. */
const pageRows = 1_000;

const beforeAll: AttemptKey = { payoutSeq: 0, attemptNo: 0 };

/** Reads all rows in their order, in pages. @param first stands before all of them */
async function* readPages<Place, Row extends Place>(
  view: Reader,
  first: Place,
  page: (after: Place) => Reading<Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ;) {
    const rows = await view.read(() => page(after));
    yield rows;
    const last = rows.at(-1);
    if (rows.length < pageRows || last === undefined) return;
    after = last;
  }
}

// ---------------------------------------------------------------- attempts

const attemptsFirst = () =>
  query
    .selectFrom('attempt as a')
    .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
    .innerJoin('payout_row as r', 'r.seq', 'a.payout_seq');

/** SQLite keeps the order of a cross join: few payouts are in doubt, many attempts were made. */
const doubtfulFirst = () =>
  query
    .selectFrom('payout as p')
    .crossJoin('attempt as a')
    .crossJoin('payout_row as r')
    .whereRef('a.payout_seq', '=', 'p.seq')
    .whereRef('r.seq', '=', 'p.seq');

/** True when another attempt of the row is paid. A second proof is an alarm, and few rows bear one: others are skipped. */
const isPaidOtherwise = sql<number>`case when p.is_alarm = 1 and exists (
  select 1 from attempt as o
  where o.payout_seq = a.payout_seq and o.attempt_no <> a.attempt_no and o.status = 'paid'
) then 1 else 0 end`;

/** True when a statement has ended the attempt, as an event says. Few attempts fail. */
const isFailedByStatement = sql<number>`case when a.status = 'failed' and exists (
  select 1 from event as e
  where e.payout_seq = a.payout_seq and json_extract(e.detail, '$.transRefNo') = a.trans_ref_no
    and json_extract(e.detail, '$.failedBy') = 'statement'
) then 1 else 0 end`;

/** Few attempts are in doubt. */
const isRepeatedOnDay = sql<number>`case when a.status in (${sql.join(statusesInDoubt.map((status) => sql.lit(status)))})
  and exists (
    select 1 from attempt as before
    where before.trans_ref_no = a.trans_ref_no and before.tran_date = a.tran_date and before.attempt_no <> a.attempt_no
  ) then 1 else 0 end`;

/** An attempt with its payout, in the order in which `toFacts` takes the columns. */
function selectFacts(
  from: ReturnType<typeof attemptsFirst> | ReturnType<typeof doubtfulFirst> = attemptsFirst(),
) {
  return (from as ReturnType<typeof attemptsFirst>).select([
    'a.payout_seq',
    'r.payout_id',
    'p.batch_id',
    'p.row_no',
    'a.attempt_no',
    'p.status as payout_status',
    'a.status as attempt_status',
    'a.trans_ref_no',
    'a.company_id',
    'a.payer_account',
    'a.tran_date',
    'a.proxy_type',
    'a.proxy_no',
    'a.proxy_name',
    'a.amount_text',
    'a.sends',
    'a.acknowledged',
    'a.reference_conflict',
    'a.last_inquiry_at_ms',
    'a.last_finding',
    'a.sys_ref_no',
    'a.fee_text',
    'p.settled_by',
    'p.attempt_no as latest_attempt_no',
    isPaidOtherwise.as('is_paid_otherwise'),
    isFailedByStatement.as('is_failed_by_statement'),
    'a.tran_time',
    'a.reference1',
    isRepeatedOnDay.as('is_repeated_on_day'),
    'p.reason_code',
  ]);
}

type FactsRow = readonly [
  number,
  string,
  string,
  number,
  number,
  PayoutStatus,
  AttemptStatus,
  string,
  string,
  string,
  string,
  ProxyType,
  string,
  string | null,
  string,
  number,
  number,
  number,
  number | null,
  InquiryFinding | null,
  string | null,
  string | null,
  SettledBy | null,
  number,
  number,
  number,
  string,
  string | null,
  number,
  string | null,
];

function toFacts(row: FactsRow): AttemptFacts {
  return {
    payoutSeq: row[0],
    payoutId: row[1],
    batchId: row[2],
    rowNo: row[3],
    attemptNo: row[4],
    payoutStatus: row[5],
    attemptStatus: row[6],
    order: {
      transRefNo: row[7],
      companyId: row[8],
      payerAccount: row[9],
      tranDate: row[10],
      proxyType: row[11],
      proxyNo: row[12],
      proxyName: row[13],
      amountText: row[14],
      tranTime: row[26],
      reference1: row[27],
    },
    sends: row[15],
    acknowledged: row[16] === 1,
    referenceConflict: row[17] === 1,
    lastInquiryAtMs: row[18],
    lastFinding: row[19],
    sysRefNo: row[20],
    feeText: row[21],
    settledBy: row[4] === row[23] ? row[22] : null,
    isPaidOtherwise: row[24] === 1,
    isFailedByStatement: row[25] === 1,
    isRepeatedOnDay: row[28] === 1,
    isByStatement: isSettledByStatement({ status: row[5], reasonCode: row[29] }),
  };
}

const factsOfKey = defineLists<AttemptKey, FactsRow>((values) =>
  selectFacts().where('a.payout_seq', '=', values.payoutSeq).where('a.attempt_no', '=', values.attemptNo),
);

/** The bound stands for each table: PostgreSQL would go through the others from their beginning. */
const factsFrom = defineLists<{ payoutSeq: number }, FactsRow>((values) =>
  selectFacts()
    .where('a.payout_seq', '>=', values.payoutSeq)
    .where('p.seq', '>=', values.payoutSeq)
    .where('r.seq', '>=', values.payoutSeq)
    .orderBy('a.payout_seq')
    .orderBy('a.attempt_no')
    .limit(sql.lit(stretchRows)),
);

const factsOfReferences = defineLists<{ references: string }, FactsRow>((values) =>
  selectFacts()
    .where(isListed(sql.ref('a.trans_ref_no'), values.references))
    .where(isLatestUnderReference),
);

const factsInDoubt = defineLists<AttemptKey, FactsRow>((after) =>
  selectFacts(doubtfulFirst())
    .where(({ ref }) => isInDoubt(ref('p.status')))
    .where(
      'a.status',
      'in',
      statusesInDoubt.map((status) => sql.lit<AttemptStatus>(status)),
    )
    .where('p.seq', '>=', after.payoutSeq)
    .where('r.seq', '>=', after.payoutSeq)
    .where(sql<boolean>`(p.seq, a.attempt_no) > (${after.payoutSeq}, ${after.attemptNo})`)
    .orderBy('p.seq')
    .orderBy('a.attempt_no')
    .limit(sql.lit(pageRows)),
);

/** Alarms are few, and have an index of their own. */
const factsProvedLate = defineLists<object, FactsRow>(() =>
  selectFacts(doubtfulFirst())
    .where('p.is_alarm', '=', sql.lit(1))
    .where('p.status', '=', sql.lit<PayoutStatus>('paid'))
    .where('a.status', '=', sql.lit<AttemptStatus>('paid'))
    .where('a.last_finding', '=', sql.lit<InquiryFinding>('complete')),
);

function* readFacts(key: AttemptKey): Reading<AttemptFacts | undefined> {
  const row = yield* factsOfKey.get(key);
  return row === undefined ? undefined : toFacts(row);
}

function makeFactsReader(view: Reader) {
  const ahead = new ReadAhead<AttemptFacts>(
    async (key) => view.read(() => readFacts(key)),
    async (payoutSeq) => (await view.read(() => factsFrom.all({ payoutSeq }))).map(toFacts),
  );
  const requireFacts = async ({ payoutSeq, attemptNo }: AttemptKey): Promise<AttemptFacts> => {
    const facts = await ahead.get({ payoutSeq, attemptNo });
    if (facts === undefined) throw new Error(`payout ${payoutSeq} has no attempt ${attemptNo}`);
    return facts;
  };
  return {
    attempt: (key) => ahead.find(key) ?? requireFacts(key),
    byReference: async (references) => {
      const rows = await view.read(() => factsOfReferences.all({ references: JSON.stringify(references) }));
      return new Map(rows.map(toFacts).map((facts) => [facts.order.transRefNo, facts]));
    },
    attemptsInDoubt: () =>
      readPages(view, beforeAll, function* (after) {
        return (yield* factsInDoubt.all(after)).map(toFacts);
      }),
    attemptsProvedLate: async () => (await view.read(() => factsProvedLate.all({}))).map(toFacts),
    attemptsOfDay: (date) =>
      readPages(view, beforeAll, function* (after) {
        return (yield* attemptsOfDay.all({ ...after, date })).map(toDayAttempt);
      }),
  } satisfies Partial<StatementView>;
}

type DayRow = readonly [number, number, string, AttemptStatus, string, number];

/** A refused reference goes again: its lines are held against the latest attempt under it whose bytes may have left. */
const isLatestUnderReference = sql<boolean>`not exists (select 1 from attempt as later
  where later.trans_ref_no = a.trans_ref_no and (case when later.sends > 0 then 1 else 0 end, later.attempt_no)
    > (case when a.sends > 0 then 1 else 0 end, a.attempt_no))`;

const attemptsOfDay = defineLists<AttemptKey & { date: string }, DayRow>((after) =>
  query
    .selectFrom('attempt as a')
    .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
    .select(['a.payout_seq', 'a.attempt_no', 'a.trans_ref_no', 'a.status'])
    .select(sql<string>`cast(p.amount_satang as text)`.as('amount_text'))
    .select(isFailedByStatement.as('is_failed_by_statement'))
    .where('a.tran_date', '=', after.date)
    .where('p.seq', '>=', after.payoutSeq)
    .where(isLatestUnderReference)
    .where(sql<boolean>`(a.payout_seq, a.attempt_no) > (${after.payoutSeq}, ${after.attemptNo})`)
    .orderBy('a.payout_seq')
    .orderBy('a.attempt_no')
    .limit(sql.lit(pageRows)),
);

const toDayAttempt = ([payoutSeq, attemptNo, transRefNo, status, amount, isFailed]: DayRow): DayAttempt => ({
  payoutSeq,
  attemptNo,
  transRefNo,
  status,
  amountSatang: toSatang(BigInt(amount)),
  isFailedByStatement: isFailed === 1,
});

// ---------------------------------------------------------------- lines and breaks of some keys

/** The present version of the day of a line. */
const presentVersion = sql<number>`(select max(version) from statement_version as v where v.date = statement_line.date)`;

const linesOfKeys = define((values: { keys: string }) =>
  query
    .selectFrom('statement_line')
    .select(['key', 'date', 'cells'])
    .where(isListed(sql.ref('key'), values.keys))
    .where('cells', 'is not', null)
    .where('version', '=', presentVersion),
);

/**
 * Only the statement of its own day agrees with an attempt in everything.
 * @param values.places the day, payout and number of each attempt
 */
const cleanLines = define((values: { places: string }) =>
  query
    .selectFrom(listed(values.places))
    .crossJoin('statement_line as l')
    .select(['l.payout_seq as payoutSeq', 'l.attempt_no as attemptNo', 'l.date', 'l.line'])
    .where('l.date', '=', sql<string>`listed.value ->> 0`)
    .where(
      'l.version',
      '=',
      sql<number>`(select max(version) from statement_version as v where v.date = listed.value ->> 0)`,
    )
    .where('l.payout_seq', '=', sql<number>`cast(listed.value ->> 1 as bigint)`)
    .where('l.attempt_no', '=', sql<number>`cast(listed.value ->> 2 as bigint)`),
);

function* readClean(places: readonly (AttemptKey & { readonly date: string })[]) {
  if (places.length === 0) return [];
  const asked = places.map(({ date, payoutSeq, attemptNo }) => [date, payoutSeq, attemptNo]);
  return yield* cleanLines.all({ places: JSON.stringify(asked) });
}

// The state stands in the text: by a value that decides on an index SQLite plans the statement anew for each list.
const breaksOfKeys = define((values: { keys: string }) =>
  query
    .selectFrom('statement_break')
    .selectAll()
    .where(isListed(sql.ref('key'), values.keys))
    .where((eb) => eb.or([eb('state', '=', sql.lit('open')), isAcceptedBreak]))
    .orderBy('id'),
);

interface KeyLine {
  readonly key: string;
  readonly date: string;
  readonly line: StatementLine;
}

const placeOf = ({ payoutSeq, attemptNo }: AttemptKey): string => `${payoutSeq} ${attemptNo}`;

function* readLines(keys: readonly string[], attempts: readonly AttemptFacts[]): Reading<readonly KeyLine[]> {
  const clean = yield* readClean(attempts.map((attempt) => ({ ...attempt, date: attempt.order.tranDate })));
  const byPlace = new Map(clean.map((one) => [placeOf(one), one]));
  const rebuilt = attempts.flatMap((attempt): readonly KeyLine[] => {
    const found = byPlace.get(placeOf(attempt));
    if (found === undefined) return [];
    return [{ key: attempt.order.transRefNo, date: found.date, line: rebuildLine(attempt, found.line) }];
  });
  const kept = (yield* linesOfKeys.all({ keys: JSON.stringify(keys) })).map(({ key, date, cells }) => ({
    key: key ?? '',
    date,
    line: decodeLine(cells ?? ''),
  }));
  return [...rebuilt, ...kept];
}

/** Each day's lines in the order of its file, the oldest day first. */
function toDays(lines: readonly KeyLine[]): readonly DayLines[] {
  const sorted = lines.toSorted((one, other) => one.line.line - other.line.line);
  return [...Map.groupBy(sorted, ({ date }) => date)]
    .map(([date, ofDay]) => ({ date, lines: ofDay.map(({ line }) => line) }))
    .toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

const makeKeyReader = (view: Reader) =>
  ({
    withCleanLine: async (date, attempts) =>
      view.read(() => readClean(attempts.map((attempt) => ({ ...attempt, date })))),
    linesOf: async (keys, attempts) => {
      const lines = await view.read(() => readLines(keys, [...attempts]));
      const byKey = Map.groupBy(lines, ({ key }) => key);
      return new Map([...byKey].map(([key, ofKey]) => [key, toDays(ofKey)]));
    },
    standingBreaks: async (keys) => {
      const found = await view.read(() => breaksOfKeys.all({ keys: JSON.stringify(keys) }));
      return Map.groupBy(found.map(toBreakRecord), ({ key }) => key);
    },
  }) satisfies Partial<StatementView>;

// ---------------------------------------------------------------- keys

/** The place of an open break in the index of open breaks. */
interface BreakPlace {
  readonly date: string;
  readonly key: string;
  readonly kind: string;
}

const beforeBreaks: BreakPlace = { date: '', key: '', kind: '' };

const selectOpenBreaks = () =>
  query
    .selectFrom('statement_break')
    .select(['date', 'key', 'kind'])
    .where('state', '=', sql.lit('open'))
    .orderBy('date')
    .orderBy('key')
    .orderBy('kind')
    .limit(sql.lit(pageRows));

const selectOpenBreaksAfter = ({ date, key, kind }: BreakPlace) =>
  selectOpenBreaks().where(sql<boolean>`(date, key, kind) > (${date}, ${key}, ${kind})`);

const openBreaks = define((after: BreakPlace) => selectOpenBreaksAfter(after));

const openBreaksOfDay = define(({ of, key, kind }: BreakPlace & { of: string }) =>
  selectOpenBreaks()
    .where('date', '=', of)
    .where(sql<boolean>`(key, kind) > (${key}, ${kind})`),
);

/** True of the reference of an attempt of a day. */
const isOfDay = (key: string, date: string) =>
  sql<boolean>`exists (select 1 from attempt as a where a.trans_ref_no = ${sql.ref(key)} and a.tran_date = ${date})`;

const openBreaksWithPast = define(({ of, ...after }: BreakPlace & { of: string }) =>
  selectOpenBreaksAfter(after).where(isOfDay('statement_break.key', of)),
);

/** The place of a break that people have accepted in the index of accepted breaks. */
interface AcceptedPlace {
  readonly date: string;
  readonly severity: string;
  readonly key: string;
  readonly id: number;
}

const beforeAccepted: AcceptedPlace = { date: '', severity: '', key: '', id: 0 };

const selectAcceptedBreaks = () =>
  query
    .selectFrom('statement_break')
    .select(['date', 'severity', 'key', 'id'])
    .where(isAcceptedBreak)
    .orderBy('date')
    .orderBy('severity')
    .orderBy('key')
    .orderBy('id')
    .limit(sql.lit(pageRows));

/** A break of an archived attempt stays in the archive until a statement names it. */
const acceptedBreaks = define(({ date, severity, key, id }: AcceptedPlace) =>
  selectAcceptedBreaks()
    .where(sql<boolean>`(date, severity, key, id) > (${date}, ${severity}, ${key}, ${id})`)
    .where(sql<boolean>`exists (select 1 from attempt as a where a.trans_ref_no = statement_break.key)`),
);

const acceptedBreaksOfDay = define(({ of, severity, key, id }: AcceptedPlace & { of: string }) =>
  selectAcceptedBreaks()
    .where('date', '=', of)
    .where(sql<boolean>`(severity, key, id) > (${severity}, ${key}, ${id})`),
);

/** The first alone of several lines with one key. */
const unclearLines = define((values: { date: string; line: number }) =>
  query
    .selectFrom('statement_line')
    .select(['key', 'line'])
    .where('date', '=', values.date)
    .where('version', '=', presentVersion)
    .where('payout_seq', '=', sql.lit(0))
    .where('attempt_no', '=', sql.lit(0))
    .where('cells', 'is not', null)
    .where('line', '>', values.line)
    .where(
      sql<boolean>`not exists (select 1 from statement_line as o where o.key = statement_line.key and o.cells is not null
        and o.date = statement_line.date and o.version = statement_line.version and o.payout_seq = 0
        and o.line < statement_line.line)`,
    )
    .orderBy('line')
    .limit(sql.lit(pageRows)),
);

/** Few keys have a past, many attempts were made. */
const linesWithPast = define((values: { date: string; key: string }) =>
  query
    .selectFrom('statement_line')
    .select('key')
    .distinct()
    .where('cells', 'is not', null)
    .where('key', '>', values.key)
    .where(isOfDay('statement_line.key', values.date))
    .orderBy('key')
    .limit(sql.lit(pageRows))
    .$narrowType<{ key: string }>(),
);

async function* keysOf(
  pages: AsyncIterable<readonly { readonly key: string | null }[]>,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield page.map(({ key }) => key ?? '');
}

async function* readKeysWithBreaks(view: Reader, of: string | undefined): AsyncGenerator<readonly string[]> {
  const open = (after: BreakPlace) =>
    of === undefined ? openBreaks.all(after) : openBreaksOfDay.all({ ...after, of });
  yield* keysOf(readPages(view, beforeBreaks, open));
  const accepted = (after: AcceptedPlace) =>
    of === undefined ? acceptedBreaks.all(after) : acceptedBreaksOfDay.all({ ...after, of });
  yield* keysOf(readPages(view, beforeAccepted, accepted));
}

async function* readKeysWithPast(view: Reader, of: string): AsyncGenerator<readonly string[]> {
  yield* keysOf(readPages(view, beforeBreaks, (after) => openBreaksWithPast.all({ ...after, of })));
  yield* keysOf(readPages(view, { key: '' }, ({ key }) => linesWithPast.all({ key, date: of })));
}

const beforeLines = { line: -1 };

function* readDays(): Reading<ReturnType<StatementView['days']>> {
  const versions = query
    .selectFrom('statement_version')
    .select(['date', 'version', 'reading', 'accepted_at_ms', 'provenance'])
    .orderBy('version');
  const byDate = new Map((yield* select(versions)).map((row) => [row.date, row]));
  const present = [...byDate.values()];
  const datesOf = (isOne: (reading: string) => boolean) =>
    new Set(present.flatMap(({ date, reading }) => (isOne(reading) ? [date] : [])));
  return {
    days: new Map(present.map(({ date, version }) => [date, version])),
    acceptedAtMs: new Map(present.map((row) => [row.date, row.accepted_at_ms])),
    wholeDates: datesOf(isOfWholeDay),
    unreadDates: datesOf(isUnread),
    provenances: new Map(present.map(({ date, provenance }) => [date, decodeProvenance(provenance)])),
  };
}

/** Opens a view of this moment; its owner closes it soon. */
export async function openStatementView(engine: Pick<Engine, 'openView'>): Promise<StatementView> {
  return openOn(await engine.openView(), async (view) => {
    const days = await view.read(readDays);
    return {
      ...makeFactsReader(view),
      ...makeKeyReader(view),
      days: () => days,
      keysWithBreaks: (of) => readKeysWithBreaks(view, of),
      unclearKeysOf: (date) =>
        keysOf(readPages(view, beforeLines, ({ line }) => unclearLines.all({ date, line }))),
      keysWithPast: (of) => readKeysWithPast(view, of),
      [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
    };
  });
}
