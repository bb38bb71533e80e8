/** The results of the bank's statements: versions, breaks, lines of other days, and batches to be reported on. */
import { type RawBuilder, sql } from 'kysely';
import {
  type AcceptedStatement,
  type BreakName,
  type BrokenOff,
  type CleanLine,
  isOfWholeDay,
  type KeptLine,
  type OpenBreaksSum,
  type StatementDayState,
  type StatementFile,
  StatementOvertakenError,
  type StatementRun,
  type StatementStore,
  type StatementVersionMark,
  type UnreconciledDays,
} from '../../reconcile/ports.ts';
import { type BreakMove, versionOfBreak } from '../../reconcile/rules/breaks.ts';
import { encodeLine, type LineStatus } from '../../reconcile/rules/statement.ts';
import { type BreakKind, type BreakRecord, severities, type Severity } from '../../reconcile/rules/types.ts';
import type { Engine, Reader } from '../engine.ts';
import { listed } from '../lists.ts';
import { isDecided, markDecided } from '../review/proposals.ts';
import {
  type BodiesOf,
  type Body,
  change,
  define,
  driveEach,
  pick,
  query,
  type Reading,
  select,
  selectFirst,
  together,
} from '../statements.ts';
import {
  decodeProvenance,
  isAcceptedBreak,
  openDeferred,
  toAcceptedStatement,
  toBreakColumns,
  toBreakRecord,
  toVersionColumns,
} from './statement-tables.ts';

/** Stands for a date: each matching moves breaks of all days, so that of any day there is one at a time. */
const anyDay = '';

/** @throws StatementOvertakenError when a later matching has begun */
function* requirePresent({ date, runId }: StatementRun): Reading<void> {
  const present = query.selectFrom('statement_run').select('run_id').where('date', '=', anyDay);
  if ((yield* selectFirst(present))?.run_id === runId) return;
  throw new StatementOvertakenError(
    `another paydrop has begun to reconcile while ${date} was: let it finish, then reconcile ${date} again`,
  );
}

type BreakValues = ReturnType<typeof toBreakColumns>;

/** The columns of a break that may differ from one matching to the next. */
const movedColumns = [
  'state',
  'version',
  'severity',
  'line_at',
  'reason',
  'attempt',
  'lines',
  'closed_at_ms',
  'closed_by',
  'moved_by',
] as const;
const breakColumns = ['date', 'key', 'kind', 'opened_at_ms', ...movedColumns] as const;

/** An open break is the only one of its day, key and kind. */
const updateBreak = define((values: BreakValues) =>
  query
    .updateTable('statement_break')
    .set(pick(values, movedColumns))
    .where('date', '=', values.date)
    .where('key', '=', values.key)
    .where('kind', '=', values.kind)
    .where('state', '=', sql.lit('open')),
);

const insertBreak = define((values: BreakValues) =>
  query.insertInto('statement_break').values(pick(values, breakColumns)),
);

/** Whatever moves a break changes its row, and else makes one. @returns false for one that was to be changed and is not open */
function* moveBreak(run: StatementRun, move: BreakMove): Body<boolean> {
  const values = toBreakColumns(move, run);
  if ((yield* updateBreak.run(values)) > 0) return true;
  if (move.kind === 'kept' || move.kind === 'changed') return false;
  yield* insertBreak.run(values);
  return true;
}

/** Splits moves: those of one break go one after the other; those of several, side by side. */
function splitMoves(moves: readonly BreakMove[]): readonly (readonly BreakMove[])[] {
  const rounds: Map<string, BreakMove>[] = [];
  for (const move of moves) {
    const { date, key, kind } = move.record;
    const name = [date, kind, key].join(' ');
    let round = rounds.find((one) => !one.has(name));
    if (round === undefined) rounds.push((round = new Map<string, BreakMove>()));
    round.set(name, move);
  }
  return rounds.map((round) => [...round.values()]);
}

function* recordBreaks(run: StatementRun, moves: readonly BreakMove[]): Body<string | undefined> {
  yield* requirePresent(run);
  let gone: string | undefined;
  for (const round of splitMoves(moves)) {
    const moved = yield* together(round.map((move) => moveBreak(run, move)));
    gone = round.findLast((_, place) => moved[place] === false)?.record.key ?? gone;
  }
  return gone;
}

const cell = <Value extends string | number | null>(place: number) =>
  sql<Value>`listed.value ->> ${sql.lit(place)}`;
const numberIn = (place: number) => sql<number>`cast(${cell(place)} as bigint)`;

const lineColumns = [
  'date',
  'version',
  'payout_seq',
  'attempt_no',
  'line',
  'status',
  'key',
  'cells',
] as const;

interface LinesToKeep {
  readonly date: string;
  readonly version: number;
  /** The rows, a JSON list of lists. */
  readonly rows: string;
}

/** @param rows the place, status, key and cells of each line */
const keepLines = define(({ date, version, rows }: LinesToKeep) =>
  query
    .insertInto('statement_line')
    .columns(lineColumns)
    .expression(
      query
        .selectFrom(listed(rows))
        .select([
          sql<string>`cast(${date} as text)`.as('date'),
          sql<number>`cast(${version} as bigint)`.as('version'),
          sql<number>`0`.as('payout_seq'),
          sql<number>`0`.as('attempt_no'),
          numberIn(0).as('line'),
          cell<LineStatus>(1).as('status'),
          cell<string | null>(2).as('key'),
          cell<string | null>(3).as('cells'),
        ]),
    ),
);

/** @param rows the payout, attempt and place of each line: a good day has as many as payouts */
const keepCleanLines = define(({ date, version, rows }: LinesToKeep) =>
  query
    .insertInto('statement_line')
    .columns(lineColumns)
    .expression(
      query
        .selectFrom(listed(rows))
        .select([
          sql<string>`cast(${date} as text)`.as('date'),
          sql<number>`cast(${version} as bigint)`.as('version'),
          numberIn(0).as('payout_seq'),
          numberIn(1).as('attempt_no'),
          numberIn(2).as('line'),
          sql<LineStatus>`'complete'`.as('status'),
          sql<null>`null`.as('key'),
          sql<null>`null`.as('cells'),
        ]),
    ),
);

function* recordLines(run: StatementRun, version: number, lines: readonly KeptLine[]): Body<void> {
  yield* requirePresent(run);
  const rows = lines.map(({ key, line, hasCells }) => [
    line.line,
    line.status,
    key,
    hasCells ? encodeLine(line) : null,
  ]);
  yield* keepLines.run({ date: run.date, version, rows: JSON.stringify(rows) });
}

function* recordCleanLines(run: StatementRun, version: number, lines: readonly CleanLine[]): Body<void> {
  yield* requirePresent(run);
  const rows = lines.map(({ payoutSeq, attemptNo, line }) => `[${payoutSeq},${attemptNo},${line}]`);
  yield* keepCleanLines.run({ date: run.date, version, rows: `[${rows.join(',')}]` });
}

/** The last event and the last break before a version began to be recorded; of several that broke off the first counts. */
const noteReading = (date: string) =>
  query
    .insertInto('statement_reading')
    .values({
      date,
      event_seq: sql<number>`(select coalesce(max(seq), 0) from event)`,
      break_id: sql<number>`(select coalesce(max(id), 0) from statement_break)`,
    })
    .onConflict((conflict) => conflict.doNothing());

/** Marks a batch to be reported on once the statement is accepted. */
const markReport = define((values: { batchId: string; date: string; runId: string }) =>
  query
    .insertInto('statement_report')
    .values({ batch_id: values.batchId, date: values.date, run_id: values.runId, is_due: sql.lit(0) })
    .onConflict((conflict) =>
      conflict.columns(['batch_id', 'date']).doUpdateSet({ run_id: values.runId, is_due: sql.lit(0) }),
    ),
);

function* markReports(run: StatementRun, batchIds: readonly string[]): Body<void> {
  yield* requirePresent(run);
  yield* together(batchIds.map((batchId) => markReport.run({ ...run, batchId })));
}

/** Makes reports due, for a matching that broke off, too: its changes stand. */
const makeDue = ({ date, runId }: StatementRun) =>
  query.updateTable('statement_report').set({ is_due: 1, run_id: runId }).where('date', '=', date);

/** Writes that are one transaction each. */
const statementWrites = {
  *beginStatement({ runId }) {
    const begin = query
      .insertInto('statement_run')
      .values({ date: anyDay, run_id: runId })
      .onConflict((conflict) => conflict.column('date').doUpdateSet({ run_id: runId }));
    yield* change(begin);
  },
  *beginRecording(run, version) {
    yield* requirePresent(run);
    yield* change(noteReading(run.date));
    const left = query.deleteFrom('statement_line').where('date', '=', run.date);
    yield* change(left.where('version', '>=', version));
  },
  *acceptStatement(run, accepted: AcceptedStatement) {
    yield* requirePresent(run);
    if (yield* hasArchivedOn(run.date)) return false;
    yield* change(query.insertInto('statement_version').values(toVersionColumns(accepted, run)));
    yield* change(query.deleteFrom('statement_reading').where('date', '=', run.date));
    yield* change(makeDue(run));
    return true;
  },
  *endStatement(run) {
    yield* requirePresent(run);
    yield* change(makeDue(run));
  },
  *acceptBreak(known, accepted, item) {
    const present = (yield* openBreak.all(known)).map(toBreakRecord)[0];
    if (present === undefined || versionOfBreak(present) !== versionOfBreak(known)) return false;
    if (!(yield* isDecided(item))) return false;
    const decided = { date: known.date, runId: `proposal ${item.proposalId}` };
    yield* updateBreak.run(toBreakColumns({ kind: 'closed', record: accepted }, decided));
    yield* markDecided(item);
    return true;
  },
  *clearDueReport({ batchId, date, runId }) {
    const clear = query
      .deleteFrom('statement_report')
      .where('batch_id', '=', batchId)
      .where('date', '=', date)
      .where('run_id', '=', runId)
      .where('is_due', '=', 1);
    yield* change(clear);
  },
} satisfies Partial<BodiesOf<StatementStore>>;

// ---------------------------------------------------------------- days

/** The remains of readings of the day that broke off; undefined when there are none. */
function* readBrokenOff(date: string, limit: number): Reading<BrokenOff | undefined> {
  const begun = yield* selectFirst(
    query.selectFrom('statement_reading').selectAll().where('date', '=', date),
  );
  if (begun === undefined) return undefined;
  const opened = query
    .selectFrom('statement_break')
    .where('id', '>', begun.break_id)
    .where('date', '<>', date)
    .where('state', '=', sql.lit('open'));
  const counted = yield* selectFirst(opened.select((eb) => eb.fn.countAll<number>().as('rows')));
  const causes = query
    .selectFrom('event')
    .select(['cause', (eb) => eb.fn.countAll<number>().as('rows')])
    .where('seq', '>', begun.event_seq)
    .where(sql<boolean>`json_extract(detail, '$.statement') is not null`)
    .groupBy('cause');
  const first = yield* select(opened.selectAll().orderBy('id').limit(limit));
  return {
    openedOnOtherDays: counted?.rows ?? 0,
    firstOnOtherDays: first.map(toBreakRecord),
    causes: new Map((yield* select(causes)).map(({ cause, rows }) => [cause, rows])),
  };
}

function* readDays(): Reading<StatementDayState[]> {
  const days = query
    .selectFrom('statement_version as v')
    .select((eb) => [
      'v.date',
      eb.fn.max<number>('v.version').as('version'),
      eb.fn.max<number>('v.accepted_at_ms').as('accepted_at_ms'),
      eb
        .selectFrom('statement_break as b')
        .select((inner) => inner.fn.countAll<number>().as('rows'))
        .whereRef('b.date', '=', 'v.date')
        .where('b.state', '=', sql.lit('open'))
        .as('open_breaks'),
      eb
        .selectFrom('statement_break as b')
        .select((inner) => inner.fn.min<number | null>('b.opened_at_ms').as('opened_at_ms'))
        .whereRef('b.date', '=', 'v.date')
        .where('b.state', '=', sql.lit('open'))
        .as('oldest'),
      eb
        .selectFrom('statement_version as last')
        .select('last.provenance')
        .whereRef('last.date', '=', 'v.date')
        .orderBy('last.version', 'desc')
        .limit(1)
        // A version exists for each of these days.
        .$asScalar()
        .$notNull()
        .as('provenance'),
    ])
    .groupBy('v.date')
    .orderBy('v.date', 'desc');
  return (yield* select(days)).map((row) => ({
    date: row.date,
    version: row.version,
    acceptedAtMs: row.accepted_at_ms,
    openBreaks: row.open_breaks ?? 0,
    oldestOpenedAtMs: row.oldest,
    provenance: decodeProvenance(row.provenance),
  }));
}

function* readVersions(date: string): Reading<StatementVersionMark[]> {
  const versions = query
    .selectFrom('statement_version')
    .select(['version', 'sha256', 'original_sha256', 'reading', 'provenance'])
    .where('date', '=', date)
    .orderBy('version');
  return (yield* select(versions)).map(({ original_sha256: originalSha256, provenance, ...rest }) => ({
    ...rest,
    originalSha256,
    provenance: decodeProvenance(provenance),
  }));
}

const archivedOn = define(({ date }: { date: string }) =>
  query
    .selectFrom('archived_batch')
    .select('batch_id')
    .where(sql<boolean>`${date} between first_date and last_date`)
    .limit(sql.lit(1)),
);

/** True when payouts of the day stand in an archive. */
function* hasArchivedOn(date: string): Reading<boolean> {
  return (yield* archivedOn.get({ date })) !== undefined;
}

/** The latest day up to this one that has attempts. PostgreSQL would look for one of a day itself among all of them. */
const latestUpTo = define(({ date }: { date: string }) =>
  query
    .selectFrom('attempt')
    .select((eb) => eb.fn.max<string | null>('tran_date').as('latest'))
    .where('tran_date', '<=', date),
);

function* hasAttemptsOn(date: string): Reading<boolean> {
  return (yield* latestUpTo.get({ date }))?.latest === date || (yield* hasArchivedOn(date));
}

/** Days by whether their present statement is of the whole day. */
function* readWholeness(): Reading<ReadonlyMap<string, boolean>> {
  const versions = query.selectFrom('statement_version').select(['date', 'reading']).orderBy('version');
  return new Map((yield* select(versions)).map(({ date, reading }) => [date, isOfWholeDay(reading)]));
}

const unreconciledReads = {
  *daysWithoutStatement(dates) {
    const days = yield* readWholeness();
    const missing: string[] = [];
    for (const date of dates) if (days.get(date) !== true && (yield* hasAttemptsOn(date))) missing.push(date);
    return missing;
  },
  *daysReadInPart() {
    return [...(yield* readWholeness())].flatMap(([date, isWhole]) => (isWhole ? [] : [date]));
  },
  *firstDaySent() {
    const first = query.selectFrom('attempt').select('tran_date').orderBy('tran_date').limit(1);
    return (yield* selectFirst(first))?.tran_date;
  },
} satisfies BodiesOf<UnreconciledDays>;

const dueReports = define((_values: object) =>
  query.selectFrom('statement_report').selectAll().where('is_due', '=', 1).orderBy('batch_id'),
);

// ---------------------------------------------------------------- breaks, the most severe first

const openBreak = define(({ date, key, kind }: BreakName) =>
  query
    .selectFrom('statement_break')
    .selectAll()
    .where('date', '=', date)
    .where('key', '=', key)
    .where('kind', '=', kind)
    .where('state', '=', sql.lit('open')),
);

const openBreaks = define((values: { date: string; severity: Severity; limit: number }) =>
  query
    .selectFrom('statement_break')
    .selectAll()
    .where('date', '=', values.date)
    .where('state', '=', sql.lit('open'))
    .where('severity', '=', values.severity)
    .orderBy('id')
    .limit(values.limit),
);

const statementReads = {
  ...unreconciledReads,
  *statement(date) {
    const versions = query.selectFrom('statement_version').selectAll().where('date', '=', date);
    const row = yield* selectFirst(versions.orderBy('version', 'desc').limit(1));
    return row === undefined ? undefined : toAcceptedStatement(row);
  },
  statementVersions: readVersions,
  brokenOff: readBrokenOff,
  *acceptedFiles() {
    const every = yield* select(query.selectFrom('statement_version').select('files'));
    return every.flatMap(({ files }) => JSON.parse(files) as StatementFile[]);
  },
  hasAttemptsOn,
  statementDays: readDays,
  *countAcceptedBreaks(date) {
    const accepted = query
      .selectFrom('statement_break')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('date', '=', date)
      .where(isAcceptedBreak);
    return (yield* selectFirst(accepted))?.rows ?? 0;
  },
  *acceptedBreaks(date, limit) {
    const accepted = query.selectFrom('statement_break').selectAll().where('date', '=', date);
    const latest = accepted.where(isAcceptedBreak).orderBy('closed_at_ms', 'desc').limit(limit);
    return (yield* select(latest)).map(toBreakRecord);
  },
  *countOpenBreaks(date): Reading<ReadonlyMap<BreakKind, number>> {
    const byKind = query
      .selectFrom('statement_break')
      .select(['kind', (eb) => eb.fn.countAll<number>().as('rows')])
      .where('date', '=', date)
      .where('state', '=', sql.lit('open'))
      .groupBy('kind');
    return new Map((yield* select(byKind)).map(({ kind, rows }) => [kind, rows]));
  },
  *openBreak(name) {
    return (yield* openBreak.all(name)).map(toBreakRecord)[0];
  },
  *openBreaksBySeverity(): Reading<OpenBreaksSum[]> {
    const open = query
      .selectFrom('statement_break')
      .select(['date', 'severity', (eb) => eb.fn.countAll<number>().as('breaks')])
      .select((eb) => eb.fn.min<number>('opened_at_ms').as('oldestMs'))
      .where('state', '=', sql.lit('open'))
      .groupBy(['date', 'severity'])
      .orderBy('date')
      .orderBy('severity');
    return yield* select(open);
  },
  *openBreaks(date, limit) {
    const found: BreakRecord[] = [];
    for (const severity of severities) {
      const rows = yield* openBreaks.all({ date, severity, limit: limit - found.length });
      found.push(...rows.map(toBreakRecord));
    }
    return found;
  },
  *dueReports() {
    const due = yield* dueReports.all({});
    return due.map((row) => ({ batchId: row.batch_id, date: row.date, runId: row.run_id }));
  },
} satisfies Partial<BodiesOf<StatementStore & UnreconciledDays>>;

/** Breaks that are read at once. */
const readAtOnce = 10;
/** Breaks that are shown at a time. */
const pageRows = 100;
/** The most lines of a page: a break has all lines of its transfer. */
const pageLines = 1_000;

/**
 * Breaks of one severity: those open on the judged day, then others that the matching has moved, then accepted ones. A bad
 * day has hundreds of thousands: indexes alone tell which, and in which order.
 */
const breaksToShow = define((values: { date: string; severity: Severity; runId: string }) => {
  const shown = (day: RawBuilder<string>) =>
    query
      .selectFrom('statement_break')
      .select(['id', day.as('day'), 'state'])
      .where('severity', '=', values.severity);
  const date = sql.ref<string>('date');
  const open = shown(sql<string>`''`)
    .where('date', '=', values.date)
    .where('state', '=', sql.lit('open'));
  const moved = shown(date)
    .where('moved_by', '=', values.runId)
    .where(sql<boolean>`not (date = ${values.date} and state = 'open')`);
  const accepted = shown(date)
    .where('date', '=', values.date)
    .where(isAcceptedBreak)
    .where('moved_by', '<>', values.runId);
  return query
    .selectFrom(open.unionAll(moved).unionAll(accepted).as('shown'))
    .select('id')
    .orderBy('day')
    .orderBy('state', 'desc')
    .orderBy('id');
});

/** @param values.ids JSON list of lists */
const breaksById = define((values: { ids: string }) =>
  query
    .selectFrom('statement_break')
    .selectAll()
    .where('id', 'in', query.selectFrom(listed(values.ids)).select(numberIn(0).as('id'))),
);

/** Reads breaks in the order of their ids as they are given. */
function* readBreaks(ids: readonly number[]): Reading<readonly BreakRecord[]> {
  const rows = yield* breaksById.all({ ids: JSON.stringify(ids.map((id) => [id])) });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).map(toBreakRecord);
}

async function* showBreaks(
  reader: Reader,
  { date, runId }: StatementRun,
): AsyncGenerator<readonly BreakRecord[]> {
  for (const severity of severities) {
    const ids = await reader.read(() => breaksToShow.all({ date, severity, runId }));
    let page: BreakRecord[] = [];
    let lines = 0;
    for (let from = 0; from < ids.length; from += readAtOnce) {
      const some = ids.slice(from, from + readAtOnce).map(({ id }) => id);
      for (const record of await reader.read(() => readBreaks(some))) {
        page.push(record);
        lines += record.lines.length;
      }
      if (page.length < pageRows && lines < pageLines) continue;
      yield page;
      page = [];
      lines = 0;
    }
    yield page;
  }
}

export const makeStatementStore = (engine: Engine) =>
  ({
    openDeferred,
    ...driveEach(statementReads, (read: () => Reading<unknown>) => engine.read(read)),
    ...driveEach(statementWrites, engine.write),
    // An empty list, as most are, makes no transaction.
    recordBreaks: async (run, moves) =>
      moves.length === 0 ? undefined : engine.write(() => recordBreaks(run, moves)),
    recordLines: async (run, version, lines) =>
      lines.length === 0 ? undefined : engine.write(() => recordLines(run, version, lines)),
    recordCleanLines: async (run, version, lines) =>
      lines.length === 0 ? undefined : engine.write(() => recordCleanLines(run, version, lines)),
    markReports: async (run, batchIds) =>
      batchIds.length === 0 ? undefined : engine.write(() => markReports(run, batchIds)),
    breaksToShow: (run) => showBreaks(engine, run),
  }) satisfies Omit<StatementStore, 'recall' | 'openStatementView'> & UnreconciledDays;
