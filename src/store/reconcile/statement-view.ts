/** The journal at one moment, as a statement is held against it: a connection of its own with one read transaction open. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Compilable, sql } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type { AttemptStatus, InquiryFinding, PayoutStatus, ProxyType, SettledBy } from '../../core/payout.ts';
import { type DayAttempt, isOfWholeDay, type StatementView } from '../../reconcile/ports.ts';
import { rebuildLine } from '../../reconcile/rules/differences.ts';
import { statusesInDoubt } from '../../reconcile/rules/evidence.ts';
import { decodeLine } from '../../reconcile/rules/statement.ts';
import type { AttemptFacts } from '../../reconcile/rules/types.ts';
import { ReadAhead, stretchRows } from '../../platform/read-ahead.ts';
import { openReader } from '../connection.ts';
import { isInDoubt } from '../schema.ts';
import { prepare, query, readAll } from '../statements.ts';
import { decodeProvenance, isAcceptedBreak, toBreakRecord } from './statement-tables.ts';

/** Attempts that are read at a time: the event loop goes on between two pages. */
const pageRows = 1_000;

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

/** Another attempt of the row is paid. A second proof is an alarm, and few rows bear one: no other is searched. */
const isPaidOtherwise = sql<number>`case when p.is_alarm = 1 then exists (
  select 1 from attempt as o
  where o.payout_seq = a.payout_seq and o.attempt_no <> a.attempt_no and o.status = 'paid'
) else 0 end`;

/** A statement has ended it, as an event says, which an older program marked by its cause alone. Few attempts fail. */
const isFailedByStatement = sql<number>`case when a.status = 'failed' then exists (
  select 1 from event as e
  where e.payout_seq = a.payout_seq and e.detail ->> '$.transRefNo' = a.trans_ref_no
    and (e.detail ->> '$.failedBy' = 'statement' or e.cause = 'statement-failed')
) else 0 end`;

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
    'a.contested',
    'a.last_inquiry_at_ms',
    'a.last_finding',
    'a.sys_ref_no',
    'a.fee_text',
    'p.settled_by',
    'p.attempt_no as latest_attempt_no',
    isPaidOtherwise.as('is_paid_otherwise'),
    isFailedByStatement.as('is_failed_by_statement'),
    'a.tran_time',
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
    },
    sends: row[15],
    acknowledged: row[16] === 1,
    contested: row[17] === 1,
    lastInquiryAtMs: row[18],
    lastFinding: row[19],
    sysRefNo: row[20],
    feeText: row[21],
    settledBy: row[4] === row[23] ? row[22] : null,
    isPaidOtherwise: row[24] === 1,
    isFailedByStatement: row[25] === 1,
  };
}

/** Prepares a statement whose rows come as lists, which are made faster than objects; its values stand as `:name`. */
function prepareRows<Row>(db: DatabaseSync, build: Compilable): Rows<Row> {
  const statement = db.prepare(build.compile().sql);
  statement.setReturnArrays(true);
  return statement as unknown as Rows<Row>;
}

interface Rows<Row> {
  get(...values: readonly SQLInputValue[]): Row | undefined;
  all(...values: readonly SQLInputValue[]): Row[];
  iterate(...values: readonly SQLInputValue[]): Iterable<Row>;
}

const placeholder = sql<never>`?`;

function prepareFacts(db: DatabaseSync) {
  const byKey = prepareRows<FactsRow>(
    db,
    selectFacts().where('a.payout_seq', '=', placeholder).where('a.attempt_no', '=', placeholder),
  );
  const from = prepareRows<FactsRow>(
    db,
    selectFacts()
      .where('a.payout_seq', '>=', placeholder)
      .orderBy('a.payout_seq')
      .orderBy('a.attempt_no')
      .limit(sql.lit(stretchRows)),
  );
  const byReference = prepareRows<FactsRow>(db, selectFacts().where('a.trans_ref_no', '=', placeholder));
  const inDoubt = selectFacts(doubtfulFirst())
    .where(({ ref }) => isInDoubt(ref('p.status')))
    .where(
      'a.status',
      'in',
      statusesInDoubt.map((status) => sql.lit<AttemptStatus>(status)),
    );
  // Alarms are few, and have an index of their own.
  const provedLate = selectFacts(doubtfulFirst())
    .where('p.is_alarm', '=', sql.lit(1))
    .where('p.status', '=', sql.lit<PayoutStatus>('paid'))
    .where('a.status', '=', sql.lit<AttemptStatus>('paid'))
    .where('a.last_finding', '=', sql.lit<InquiryFinding>('complete'));
  const ahead = new ReadAhead<AttemptFacts>(
    ({ payoutSeq, attemptNo }) => {
      const row = byKey.get(payoutSeq, attemptNo);
      return row === undefined ? undefined : toFacts(row);
    },
    (payoutSeq) => from.all(payoutSeq).map(toFacts),
  );
  return {
    attempt: (payoutSeq, attemptNo) => {
      const facts = ahead.get({ payoutSeq, attemptNo });
      if (facts === undefined) throw new Error(`payout ${payoutSeq} has no attempt ${attemptNo}`);
      return facts;
    },
    byReference: (references) => {
      const rows = references.flatMap((reference) => byReference.all(reference));
      return new Map(rows.map(toFacts).map((facts) => [facts.order.transRefNo, facts]));
    },
    *attemptsInDoubt() {
      for (const row of prepareRows<FactsRow>(db, inDoubt).iterate()) yield toFacts(row);
    },
    attemptsProvedLate: () => prepareRows<FactsRow>(db, provedLate).all().map(toFacts),
  } satisfies Partial<StatementView>;
}

type DayRow = readonly [number, number, string, AttemptStatus, string, number];

function* readDay(db: DatabaseSync, date: string): Generator<readonly DayAttempt[]> {
  const statement = prepareRows<DayRow>(
    db,
    query
      .selectFrom('attempt as a')
      .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
      .select(['a.payout_seq', 'a.attempt_no', 'a.trans_ref_no', 'a.status'])
      .select(sql<string>`cast(p.amount_satang as text)`.as('amount_text'))
      .select(isFailedByStatement.as('is_failed_by_statement'))
      .where('a.tran_date', '=', placeholder)
      .where(sql<boolean>`(a.payout_seq, a.attempt_no) > (?, ?)`)
      .orderBy('a.payout_seq')
      .orderBy('a.attempt_no')
      .limit(sql.lit(pageRows)),
  );
  let after: readonly [number, number] = [0, 0];
  for (;;) {
    const page = statement.all(date, ...after);
    yield page.map(([payoutSeq, attemptNo, transRefNo, status, amount, isFailed]) => ({
      payoutSeq,
      attemptNo,
      transRefNo,
      status,
      amountSatang: toSatang(BigInt(amount)),
      isFailedByStatement: isFailed === 1,
    }));
    const last = page.at(-1);
    if (page.length < pageRows || last === undefined) return;
    after = [last[0], last[1]];
  }
}

/** The present version of the day of a line. */
const presentVersion = sql<number>`(select max(version) from statement_version as v where v.date = statement_line.date)`;

function prepareLines(db: DatabaseSync) {
  const statements = {
    byKey: prepare(db, ({ key }: { key: string }) =>
      query
        .selectFrom('statement_line')
        .select(['date', 'cells'])
        .where('key', '=', key)
        .where('cells', 'is not', null)
        .where('version', '=', presentVersion)
        .orderBy('date')
        .orderBy('line'),
    ),
    /** Only the statement of its own day agrees with an attempt in everything. */
    clean: prepare(db, (values: { date: string; payoutSeq: number; attemptNo: number }) =>
      query
        .selectFrom('statement_line')
        .select('line')
        .where('date', '=', values.date)
        .where('version', '=', presentVersion)
        .where('payout_seq', '=', values.payoutSeq)
        .where('attempt_no', '=', values.attemptNo),
    ),
    // The state stands in the text: by a value that decides on an index SQLite plans the statement anew for each key.
    standingBreaks: prepare(db, ({ key }: { key: string }) =>
      query
        .selectFrom('statement_break')
        .selectAll()
        .where('key', '=', key)
        .where((eb) => eb.or([eb('state', '=', sql.lit('open')), isAcceptedBreak]))
        .orderBy('id'),
    ),
  };
  return {
    hasCleanLine: (date, { payoutSeq, attemptNo }) =>
      statements.clean.get({ date, payoutSeq, attemptNo }) !== undefined,
    linesOf: (key, attempt) => {
      const found = statements.byKey
        .all({ key })
        .map(({ date, cells }) => ({ date, line: decodeLine(cells ?? '') }));
      if (attempt !== undefined) {
        const { payoutSeq, attemptNo } = attempt;
        const date = attempt.order.tranDate;
        const clean = statements.clean.get({ date, payoutSeq, attemptNo });
        if (clean !== undefined) found.unshift({ date, line: rebuildLine(attempt, clean.line) });
      }
      const byDate = Map.groupBy(
        found.toSorted((one, other) => one.line.line - other.line.line),
        ({ date }) => date,
      );
      return [...byDate]
        .map(([date, lines]) => ({ date, lines: lines.map(({ line }) => line) }))
        .toSorted((one, other) => (one.date < other.date ? -1 : 1));
    },
    standingBreaks: (key) => statements.standingBreaks.all({ key }).map(toBreakRecord),
  } satisfies Partial<StatementView>;
}

function* readKeys(db: DatabaseSync, build: Compilable, ...values: readonly string[]): Generator<string> {
  for (const row of db.prepare(build.compile().sql).iterate(...values)) yield String(row['key']);
}

const openBreakKeys = () =>
  query.selectFrom('statement_break').select('key').distinct().where('state', '=', sql.lit('open'));

const acceptedBreakKeys = () =>
  query.selectFrom('statement_break').select('key').distinct().where(isAcceptedBreak);

/** What is in an archive stays there until a statement names it. */
const isInJournal = sql<boolean>`exists (select 1 from attempt as a where a.trans_ref_no = statement_break.key)`;

const unclearKeys = () =>
  query
    .selectFrom('statement_line')
    .select('key')
    .distinct()
    .where('date', '=', placeholder)
    .where('version', '=', presentVersion)
    .where('payout_seq', '=', sql.lit(0))
    .where('cells', 'is not', null);

/** Few keys have a past, many attempts were made: the join keeps this order. */
const keysWithPast = () =>
  query
    .selectFrom(
      openBreakKeys()
        .union(
          query
            .selectFrom('statement_line')
            .select('key')
            .where('cells', 'is not', null)
            .$castTo<{ key: string }>(),
        )
        .as('k'),
    )
    .crossJoin('attempt as a')
    .select('k.key')
    .whereRef('a.trans_ref_no', '=', 'k.key')
    .where('a.tran_date', '=', placeholder);

function readDays(db: DatabaseSync): ReturnType<StatementView['days']> {
  const versions = query
    .selectFrom('statement_version')
    .select(['date', 'version', 'reading', 'accepted_at_ms', 'provenance'])
    .orderBy('version');
  const all = readAll(db, versions);
  return {
    days: new Map(all.map(({ date, version }) => [date, version])),
    acceptedAtMs: new Map(all.map((row) => [row.date, row.accepted_at_ms])),
    wholeDates: new Set(all.flatMap(({ date, reading }) => (isOfWholeDay(reading) ? [date] : []))),
    provenances: new Map(all.map(({ date, provenance }) => [date, decodeProvenance(provenance)])),
  };
}

/** Opens a view of this moment. While it is open the write-ahead log grows, so its owner closes it soon. */
export function openStatementView(path: string): StatementView {
  const db = openReader(path);
  try {
    db.exec('begin');
    // The view is of the moment of the first read.
    const days = readDays(db);
    return {
      ...prepareFacts(db),
      ...prepareLines(db),
      attemptsOfDay: (of) => readDay(db, of),
      days: () => days,
      keysWithBreaks: (of) =>
        of === undefined
          ? readKeys(db, openBreakKeys().union(acceptedBreakKeys().where(isInJournal)))
          : readKeys(
              db,
              openBreakKeys()
                .where('date', '=', placeholder)
                .union(acceptedBreakKeys().where('date', '=', placeholder)),
              of,
              of,
            ),
      unclearKeysOf: (of) => readKeys(db, unclearKeys(), of),
      keysWithPast: (of) => readKeys(db, keysWithPast(), of),
      [Symbol.dispose]: () => {
        if (db.isOpen) db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
