/** The journal at one moment, as a statement is held against it: a connection of its own with one read transaction open. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Compilable, sql } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type { AttemptStatus, InquiryFinding, PayoutStatus, ProxyType, SettledBy } from '../../core/payout.ts';
import { type DayAttempt, type StatementRun, type StatementView, wholeDay } from '../../reconcile/ports.ts';
import { statusesInDoubt } from '../../reconcile/rules/evidence.ts';
import type { AttemptFacts } from '../../reconcile/rules/types.ts';
import { openReader } from '../connection.ts';
import { isInDoubt } from '../schema.ts';
import { prepare, query } from '../statements.ts';
import { prepareElsewhere, readElsewhere } from './elsewhere.ts';
import { ReadAhead, stretchRows } from './read-ahead.ts';
import { toBreakRecord } from './records.ts';

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
  };
}

/** Prepares a statement whose rows come as lists, which are made faster than objects; its values stand as `:name`. */
function prepareRows(db: DatabaseSync, build: Compilable): StatementSync {
  const statement = db.prepare(build.compile().sql);
  statement.setReturnArrays(true);
  return statement;
}

const placeholder = sql<never>`?`;

function prepareFacts(db: DatabaseSync) {
  const byKey = prepareRows(
    db,
    selectFacts().where('a.payout_seq', '=', placeholder).where('a.attempt_no', '=', placeholder),
  );
  const from = prepareRows(
    db,
    selectFacts()
      .where('a.payout_seq', '>=', placeholder)
      .orderBy('a.payout_seq')
      .orderBy('a.attempt_no')
      .limit(sql.lit(stretchRows)),
  );
  const byReference = prepareRows(db, selectFacts().where('a.trans_ref_no', '=', placeholder));
  const inDoubt = prepareRows(
    db,
    selectFacts(doubtfulFirst())
      .where(({ ref }) => isInDoubt(ref('p.status')))
      .where(
        'a.status',
        'in',
        statusesInDoubt.map((status) => sql.lit<AttemptStatus>(status)),
      )
      .where('p.seq', '>', placeholder)
      .orderBy('p.seq')
      .limit(sql.lit(pageRows)),
  );
  // Alarms are few, and have an index of their own.
  const provedLate = prepareRows(
    db,
    selectFacts(doubtfulFirst())
      .where('p.is_alarm', '=', sql.lit(1))
      .where('p.status', '=', sql.lit<PayoutStatus>('paid'))
      .where('a.status', '=', sql.lit<AttemptStatus>('paid'))
      .where('a.last_finding', '=', sql.lit<InquiryFinding>('complete')),
  );
  const ahead = new ReadAhead<AttemptFacts>(
    ({ payoutSeq, attemptNo }) => {
      const row = byKey.get(payoutSeq, attemptNo) as unknown as FactsRow | undefined;
      return row === undefined ? undefined : toFacts(row);
    },
    (payoutSeq) => (from.all(payoutSeq) as unknown as readonly FactsRow[]).map(toFacts),
  );
  return { ahead, byReference, inDoubt, provedLate };
}

type Facts = ReturnType<typeof prepareFacts>;

function readAttempt({ ahead }: Facts, payoutSeq: number, attemptNo: number): AttemptFacts {
  const facts = ahead.get({ payoutSeq, attemptNo });
  if (facts === undefined) throw new Error(`payout ${payoutSeq} has no attempt ${attemptNo}`);
  return facts;
}

function readByReference({ byReference }: Facts, references: readonly string[]) {
  const found = new Map<string, AttemptFacts>();
  for (const reference of references) {
    const row = byReference.get(reference) as unknown as FactsRow | undefined;
    if (row !== undefined) found.set(reference, toFacts(row));
  }
  return found;
}

/** A payout may have several that are in doubt: the last page's last payout is read again. */
function* readInDoubt({ inDoubt }: Facts): Generator<AttemptFacts> {
  let afterSeq = -1;
  for (;;) {
    const page = (inDoubt.all(afterSeq) as unknown as readonly FactsRow[]).map(toFacts);
    const last = page.at(-1)?.payoutSeq;
    const isWhole = page.length < pageRows || page[0]?.payoutSeq === last;
    for (const facts of page) if (isWhole || facts.payoutSeq !== last) yield facts;
    if (page.length < pageRows || last === undefined) return;
    afterSeq = isWhole ? last : last - 1;
  }
}

type DayRow = readonly [number, number, string, AttemptStatus, string, number];

/** The latest attempt of a row that failed by a statement's word. */
const failedByStatement = sql<number>`a.status = 'failed' and p.status = 'failed' and p.settled_by = 'statement' and p.attempt_no = a.attempt_no`;

function* readDay(db: DatabaseSync, date: string): Generator<readonly DayAttempt[]> {
  const statement = prepareRows(
    db,
    query
      .selectFrom('attempt as a')
      .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
      .select(['a.payout_seq', 'a.attempt_no', 'a.trans_ref_no', 'a.status'])
      .select(sql<string>`cast(p.amount_satang as text)`.as('amount_text'))
      .select(sql<number>`ifnull(${failedByStatement}, 0)`.as('is_failed_by_statement'))
      .where('a.tran_date', '=', placeholder)
      .where(sql<boolean>`(a.payout_seq, a.attempt_no) > (?, ?)`)
      .orderBy('a.payout_seq')
      .orderBy('a.attempt_no')
      .limit(sql.lit(pageRows)),
  );
  let after: readonly [number, number] = [0, 0];
  for (;;) {
    const page = statement.all(date, ...after) as unknown as readonly DayRow[];
    yield page.map(([payoutSeq, attemptNo, transRefNo, status, amount, isFailedByStatement]) => ({
      payoutSeq,
      attemptNo,
      transRefNo,
      status,
      amountSatang: toSatang(BigInt(amount)),
      isFailedByStatement: isFailedByStatement === 1,
    }));
    const last = page.at(-1);
    if (page.length < pageRows || last === undefined) return;
    after = [last[0], last[1]];
  }
}

function* readKeys(db: DatabaseSync, build: Compilable, date: string): Generator<string> {
  for (const row of db.prepare(build.compile().sql).iterate(date)) yield String(row['key']);
}

/** The same value, wherever it stands. */
const theDate = sql<string>`?1`;

const everyBreak = () => query.selectFrom('statement_break').select('statement_break.key');
const everyStray = () => query.selectFrom('statement_stray').select('statement_stray.key');

/** Few keys have a past, many attempts were made: the join keeps this order. */
const keysOfDay = (breaks = everyBreak(), strays = everyStray()) =>
  query
    .selectFrom(breaks.union(strays).as('k'))
    .crossJoin('attempt as a')
    .select('k.key')
    .whereRef('a.trans_ref_no', '=', 'k.key')
    .where('a.tran_date', '=', theDate);

const keysElsewhere = () =>
  keysOfDay(everyBreak().where('date', '<>', theDate), everyStray().where('date', '<>', theDate));

const keysWithBreaks = () =>
  query
    .selectFrom('statement_break')
    .select('key')
    .distinct()
    .where('date', '=', placeholder)
    .where('state', '=', sql.lit('open'));

const strayKeys = () =>
  query
    .selectFrom('statement_stray')
    .select('key')
    .distinct()
    .where('date', '=', placeholder)
    .where('line_no', '>', sql.lit(0));

// The state stands in the text: by a value that decides on an index SQLite plans the statement anew for each key.
const prepareOpenBreaks = (db: DatabaseSync) =>
  prepare(db, (values: { key: string; date: string }) =>
    query
      .selectFrom('statement_break')
      .selectAll()
      .where('key', '=', values.key)
      .where('date', '=', values.date)
      .where('state', '=', sql.lit('open'))
      .orderBy('id'),
  );

function readDates(db: DatabaseSync): ReadonlySet<string> {
  const dates = query
    .selectFrom('statement_version')
    .select('date')
    .distinct()
    .where('reading', 'like', sql.lit(`% ${wholeDay}`));
  return new Set(
    db
      .prepare(dates.compile().sql)
      .all()
      .map((row) => String(row['date'])),
  );
}

/**
 * Opens a view of this moment. While it is open the write-ahead log grows, so its owner closes it soon.
 * @param version what the run has judged its day as, where it has: of that day nothing else counts
 */
export function openStatementView(path: string, { date, runId }: StatementRun, version = 0): StatementView {
  const db = openReader(path);
  const judged = { runId, judgedDate: version === 0 ? '' : date, judgedVersion: version };
  try {
    db.exec('begin');
    // The view is of the moment of the first read.
    const dates = readDates(db);
    const facts = prepareFacts(db);
    const open = prepareOpenBreaks(db);
    const elsewhere = prepareElsewhere(db);
    return {
      attemptsOfDay: (of) => readDay(db, of),
      attempt: (payoutSeq, attemptNo) => readAttempt(facts, payoutSeq, attemptNo),
      byReference: (references) => readByReference(facts, references),
      attemptsInDoubt: () => readInDoubt(facts),
      attemptsProvedLate: () => (facts.provedLate.all() as unknown as readonly FactsRow[]).map(toFacts),
      keysWithPast: (of) => readKeys(db, keysOfDay(), of),
      keysElsewhere: (of) => readKeys(db, keysElsewhere(), of),
      elsewhere: (key, of) => readElsewhere(elsewhere, { ...judged, key, date: of }),
      isAbsent: (key, of) => elsewhere.absences.get({ ...judged, key, date: of }) !== undefined,
      isNoted: (key, of) => elsewhere.notes.get({ ...judged, key, date: of }) !== undefined,
      openBreaks: (key, of) => open.all({ key, date: of }).map(toBreakRecord),
      keysWithBreaks: (of) => readKeys(db, keysWithBreaks(), of),
      strayKeys: (of) => readKeys(db, strayKeys(), of),
      readDates: () => dates,
      [Symbol.dispose]: () => {
        if (db.isOpen) db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
