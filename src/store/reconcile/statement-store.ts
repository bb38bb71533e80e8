/** What became of the bank's statements: versions, breaks, lines of other days, and batches to be reported on. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import {
  type BreakName,
  type BrokenOff,
  isOfWholeDay,
  type StatementDayState,
  type StatementFile,
  StatementOvertakenError,
  type StatementRun,
  type StatementStore,
  type StatementVersionMark,
  type UnreconciledDays,
} from '../../reconcile/ports.ts';
import { versionOfBreak } from '../../reconcile/rules/breaks.ts';
import { encodeLine } from '../../reconcile/rules/statement.ts';
import { type BreakRecord, severities, type Severity } from '../../reconcile/rules/types.ts';
import { findArchived } from '../archive/move.ts';
import type { Write } from '../connection.ts';
import { isDecided, markDecided } from '../review/proposals.ts';
import { drive, pick, prepare, query, readAll, readFirst, write } from '../statements.ts';
import { openDeferred } from './deferred.ts';
import {
  decodeProvenance,
  isAcceptedBreak,
  toAcceptedStatement,
  toBreakColumns,
  toBreakRecord,
  toVersionColumns,
} from './statement-tables.ts';
import { openStatementView } from './statement-view.ts';

/** Stands for a date: each matching moves breaks of all days, so that of any day there is one at a time. */
const anyDay = '';

/** @throws StatementOvertakenError when a later matching has begun */
function requirePresent(db: DatabaseSync, { date, runId }: StatementRun): void {
  const present = query.selectFrom('statement_run').select('run_id').where('date', '=', anyDay);
  if (readFirst(db, present)?.run_id === runId) return;
  throw new StatementOvertakenError(
    `another paydrop has begun to reconcile while ${date} was: let it finish, then reconcile ${date} again`,
  );
}

type Present = <Result>(run: StatementRun, body: () => Result) => Promise<Result>;

type BreakValues = ReturnType<typeof toBreakColumns>;

/** What may differ in a break from one matching to the next. */
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

/** An open break is the only one of its day, key and kind; whatever moves it changes its row, and else makes one. */
function prepareBreakMoves(db: DatabaseSync) {
  return {
    update: prepare(db, (values: BreakValues) =>
      query
        .updateTable('statement_break')
        .set(pick(values, movedColumns))
        .where('date', '=', values.date)
        .where('key', '=', values.key)
        .where('kind', '=', values.kind)
        .where('state', '=', sql.lit('open')),
    ),
    insert: prepare(db, (values: BreakValues) =>
      query.insertInto('statement_break').values(pick(values, breakColumns)),
    ),
  };
}

const keepLine = 'insert into statement_line values (?, ?, 0, 0, ?, ?, ?, ?)';

/** Many at once, as a list of payout, attempt and line: a good day has as many as payouts. */
const keepCleanLines = `
  insert into statement_line
  select ?1, ?2, value ->> 0, value ->> 1, value ->> 2, 'complete', null, null from json_each(?3)
`;

/** The last event and the last break before a version began to be recorded; of several that broke off the first counts. */
const noteReading = `
  insert or ignore into statement_reading
  values (?, (select coalesce(max(seq), 0) from event), (select coalesce(max(id), 0) from statement_break))
`;

/** To be reported on once the statement is accepted. */
const markReport = `
  insert into statement_report values (?, ?, ?, 0)
  on conflict (batch_id, date) do update set run_id = excluded.run_id, is_due = 0
`;

/** What readings of the day that broke off have left; undefined when none has. */
function readBrokenOff(db: DatabaseSync, date: string, limit: number): BrokenOff | undefined {
  const begun = readFirst(db, query.selectFrom('statement_reading').selectAll().where('date', '=', date));
  if (begun === undefined) return undefined;
  const opened = query
    .selectFrom('statement_break')
    .where('id', '>', begun.break_id)
    .where('date', '<>', date)
    .where('state', '=', sql.lit('open'));
  const counted = readFirst(
    db,
    opened.select((eb) => eb.fn.countAll<number>().as('rows')),
  );
  const causes = query
    .selectFrom('event')
    .select(['cause', (eb) => eb.fn.countAll<number>().as('rows')])
    .where('seq', '>', begun.event_seq)
    .where(sql<boolean>`json_extract(detail, '$.statement') is not null`)
    .groupBy('cause');
  return {
    openedOnOtherDays: counted?.rows ?? 0,
    firstOnOtherDays: readAll(db, opened.selectAll().orderBy('id').limit(limit)).map(toBreakRecord),
    causes: new Map(readAll(db, causes).map(({ cause, rows }) => [cause, rows])),
  };
}

function makeMatchingMethods(db: DatabaseSync, transact: Write, present: Present) {
  const moves = prepareBreakMoves(db);
  return {
    beginStatement: async ({ runId }) => {
      const begin = query.replaceInto('statement_run').values({ date: anyDay, run_id: runId });
      await transact(() => write(db, begin));
    },
    recordBreaks: async (run, records) => {
      if (records.length === 0) return undefined;
      return await present(run, () => {
        let gone: string | undefined;
        for (const move of records) {
          const values = toBreakColumns(move, run);
          if (moves.update.run(values) > 0) continue;
          if (move.kind === 'kept' || move.kind === 'changed') gone = move.record.key;
          else moves.insert.run(values);
        }
        return gone;
      });
    },
    recordLines: async (run, version, lines) => {
      if (lines.length === 0) return;
      await present(run, () => {
        const keep = db.prepare(keepLine);
        for (const { key, line, hasCells } of lines)
          keep.run(run.date, version, line.line, line.status, key, hasCells ? encodeLine(line) : null);
      });
    },
    recordCleanLines: async (run, version, lines) => {
      if (lines.length === 0) return;
      const rows = lines.map(({ payoutSeq, attemptNo, line }) => `[${payoutSeq},${attemptNo},${line}]`);
      await present(run, () => db.prepare(keepCleanLines).run(run.date, version, `[${rows.join(',')}]`));
    },
    markReports: async (run, batchIds) => {
      if (batchIds.length === 0) return;
      await present(run, () => {
        const mark = db.prepare(markReport);
        for (const batchId of batchIds) mark.run(batchId, run.date, run.runId);
      });
    },
    beginRecording: async (run, version) =>
      await present(run, () => {
        db.prepare(noteReading).run(run.date);
        const left = query.deleteFrom('statement_line').where('date', '=', run.date);
        write(db, left.where('version', '>=', version));
      }),
    acceptStatement: (run, accepted) =>
      present(run, () => {
        if (findArchived(db, 'date', [run.date]).length > 0) return false;
        write(db, query.insertInto('statement_version').values(toVersionColumns(accepted, run)));
        write(db, query.deleteFrom('statement_reading').where('date', '=', run.date));
        write(db, makeDue(run));
        return true;
      }),
    endStatement: async (run) => void (await present(run, () => write(db, makeDue(run)))),
  } satisfies Partial<StatementStore>;
}

/** Those of a matching that broke off too: its changes stand. */
const makeDue = ({ date, runId }: StatementRun) =>
  query.updateTable('statement_report').set({ is_due: 1, run_id: runId }).where('date', '=', date);

function readDays(db: DatabaseSync): StatementDayState[] {
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
        .as('provenance'),
    ])
    .groupBy('v.date')
    .orderBy('v.date', 'desc');
  return readAll(db, days).map((row) => ({
    date: row.date,
    version: row.version,
    acceptedAtMs: row.accepted_at_ms,
    openBreaks: row.open_breaks ?? 0,
    oldestOpenedAtMs: row.oldest,
    provenance: decodeProvenance(row.provenance),
  }));
}

function readVersions(db: DatabaseSync, date: string): StatementVersionMark[] {
  const versions = query
    .selectFrom('statement_version')
    .select(['version', 'sha256', 'original_sha256', 'reading', 'provenance'])
    .where('date', '=', date)
    .orderBy('version');
  return readAll(db, versions).map(({ original_sha256: originalSha256, provenance, ...rest }) => ({
    ...rest,
    originalSha256,
    provenance: decodeProvenance(provenance),
  }));
}

function makeDueMethods(db: DatabaseSync, transact: Write) {
  const due = prepare(db, (_values: object) =>
    query.selectFrom('statement_report').selectAll().where('is_due', '=', 1).orderBy('batch_id'),
  );
  return {
    dueReports: async () =>
      due.all({}).map((row) => ({ batchId: row.batch_id, date: row.date, runId: row.run_id })),
    clearDueReport: async ({ batchId, date, runId }) => {
      const clear = query
        .deleteFrom('statement_report')
        .where('batch_id', '=', batchId)
        .where('date', '=', date)
        .where('run_id', '=', runId)
        .where('is_due', '=', 1);
      await transact(() => write(db, clear));
    },
  } satisfies Partial<StatementStore>;
}

// ---------------------------------------------------------------- breaks, the most severe first

/** Breaks that are read at a time. */
const pageRows = 100;
/** Fewer where they have many lines: each has all those of its transfer. */
const pageLines = 1_000;

/**
 * Of one severity: what is open on the judged day, then what else the matching has moved, and what was accepted. A bad day has hundreds of
 * thousands: indexes alone tell which, and in which order.
 */
const breaksToShow = `
  select id from (
    select id, '' as day, state from statement_break where date = ?1 and state = 'open' and severity = ?2
    union all
    select id, date, state from statement_break
    where moved_by = ?3 and severity = ?2 and not (date = ?1 and state = 'open')
    union all
    select id, date, state from statement_break
    where date = ?1 and severity = ?2 and closed_by ->> '$.kind' = 'accepted' and moved_by <> ?3
  ) order by day, state desc, id
`;

function makeBreakMethods(db: DatabaseSync, transact: Write) {
  const { update: accept } = prepareBreakMoves(db);
  const open = prepare(db, (values: { date: string; severity: Severity; limit: number }) =>
    query
      .selectFrom('statement_break')
      .selectAll()
      .where('date', '=', values.date)
      .where('state', '=', sql.lit('open'))
      .where('severity', '=', values.severity)
      .orderBy('id')
      .limit(values.limit),
  );
  const named = prepare(db, ({ date, key, kind }: BreakName) =>
    query
      .selectFrom('statement_break')
      .selectAll()
      .where('date', '=', date)
      .where('key', '=', key)
      .where('kind', '=', kind)
      .where('state', '=', sql.lit('open')),
  );
  const byId = prepare(db, ({ id }: { id: number }) =>
    query.selectFrom('statement_break').selectAll().where('id', '=', id),
  );
  return {
    async *breaksToShow({ date, runId }) {
      for (const severity of severities) {
        const ids = db.prepare(breaksToShow).all(date, severity, runId);
        let page: BreakRecord[] = [];
        for (const { id } of ids) {
          page.push(...byId.all({ id: Number(id) }).map(toBreakRecord));
          const lines = page.reduce((sum, one) => sum + one.lines.length, 0);
          if (page.length < pageRows && lines < pageLines) continue;
          yield page;
          page = [];
        }
        yield page;
      }
    },
    openBreak: async (name) => named.all(name).map(toBreakRecord)[0],
    acceptBreak: (known, accepted, item) =>
      transact(() => {
        const present = named.all(known).map(toBreakRecord)[0];
        if (present === undefined || versionOfBreak(present) !== versionOfBreak(known)) return false;
        if (!drive(db, isDecided(item))) return false;
        const decided = { date: known.date, runId: `proposal ${item.proposalId}` };
        accept.run(toBreakColumns({ kind: 'closed', record: accepted }, decided));
        drive(db, markDecided(item));
        return true;
      }),
    openBreaks: async (date, limit) => {
      const found: BreakRecord[] = [];
      for (const severity of severities)
        found.push(...open.all({ date, severity, limit: limit - found.length }).map(toBreakRecord));
      return found;
    },
  } satisfies Partial<StatementStore>;
}

/**
 * @param path of the journal's file, for views of one moment
 * @param transact where every write waits its turn
 */
export function makeStatementStore(
  db: DatabaseSync,
  path: string,
  transact: Write,
): Omit<StatementStore, 'recall'> {
  const present: Present = (run, body) =>
    transact(() => {
      requirePresent(db, run);
      return body();
    });
  return {
    openStatementView: () => openStatementView(path),
    openDeferred,
    statement: async (date) => {
      const versions = query.selectFrom('statement_version').selectAll().where('date', '=', date);
      const row = readFirst(db, versions.orderBy('version', 'desc').limit(1));
      return row === undefined ? undefined : toAcceptedStatement(row);
    },
    statementVersions: async (date) => readVersions(db, date),
    brokenOff: async (date, limit) => readBrokenOff(db, date, limit),
    acceptedFiles: async () => {
      const every = query.selectFrom('statement_version').select('files');
      return readAll(db, every).flatMap(({ files }) => JSON.parse(files) as StatementFile[]);
    },
    hasAttemptsOn: async (date) => hasAttemptsOn(db, date),
    statementDays: async () => readDays(db),
    countAcceptedBreaks: async (date) => {
      const accepted = query
        .selectFrom('statement_break')
        .select((eb) => eb.fn.countAll<number>().as('rows'))
        .where('date', '=', date)
        .where(isAcceptedBreak);
      return readFirst(db, accepted)?.rows ?? 0;
    },
    acceptedBreaks: async (date, limit) => {
      const accepted = query.selectFrom('statement_break').selectAll().where('date', '=', date);
      const latest = accepted.where(isAcceptedBreak).orderBy('closed_at_ms', 'desc').limit(limit);
      return readAll(db, latest).map(toBreakRecord);
    },
    countOpenBreaks: async (date) => {
      const byKind = query
        .selectFrom('statement_break')
        .select(['kind', (eb) => eb.fn.countAll<number>().as('rows')])
        .where('date', '=', date)
        .where('state', '=', sql.lit('open'))
        .groupBy('kind');
      return new Map(readAll(db, byKind).map(({ kind, rows }) => [kind, rows]));
    },
    ...makeMatchingMethods(db, transact, present),
    ...makeBreakMethods(db, transact),
    ...makeDueMethods(db, transact),
  };
}

// ---------------------------------------------------------------- days without a statement

function hasAttemptsOn(db: DatabaseSync, date: string): boolean {
  const any = query.selectFrom('attempt').select('payout_seq').where('tran_date', '=', date).limit(1);
  return readFirst(db, any) !== undefined || findArchived(db, 'date', [date]).length > 0;
}

/** Days by whether their present statement is of the whole day. */
function readWholeness(db: DatabaseSync): ReadonlyMap<string, boolean> {
  const versions = query.selectFrom('statement_version').select(['date', 'reading']).orderBy('version');
  return new Map(readAll(db, versions).map(({ date, reading }) => [date, isOfWholeDay(reading)]));
}

export function makeUnreconciledDays(db: DatabaseSync): UnreconciledDays {
  return {
    daysWithoutStatement: async (dates) => {
      const days = readWholeness(db);
      return dates.filter((date) => days.get(date) !== true && hasAttemptsOn(db, date));
    },
    daysReadInPart: async () => [...readWholeness(db)].flatMap(([date, isWhole]) => (isWhole ? [] : [date])),
    firstDaySent: async () => {
      const first = query.selectFrom('attempt').select('tran_date').orderBy('tran_date').limit(1);
      return readFirst(db, first)?.tran_date;
    },
  };
}
