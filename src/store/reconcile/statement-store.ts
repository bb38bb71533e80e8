/** What became of the bank's statements: versions, breaks, lines of other days, and batches to be reported on. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import {
  type StatementDayState,
  StatementOvertakenError,
  type StatementRun,
  type StatementStore,
  type StatementVersionMark,
} from '../../reconcile/ports.ts';
import type { Write } from '../connection.ts';
import { pick, prepare, query, readAll, readFirst, write } from '../statements.ts';
import { makeBreakWalk } from './break-walk.ts';
import { noteRecording, readBrokenOff, recordingKey } from './broken-off.ts';
import {
  encodeLine,
  toAcceptedStatement,
  toBreakColumns,
  toStatementFiles,
  toVersionColumns,
} from './records.ts';
import { openLineScratch } from './scratch.ts';
import { openStatementView } from './statement-view.ts';

/** Stands for a date: each judging moves breaks of all days, so that of any day there is one at a time. */
const anyDay = '';

/** @throws StatementOvertakenError when a later judging has begun */
function requirePresent(db: DatabaseSync, { date, runId }: StatementRun): void {
  const present = query.selectFrom('statement_run').select('run_id').where('date', '=', anyDay);
  if (readFirst(db, present)?.run_id === runId) return;
  throw new StatementOvertakenError(
    `another paydrop has begun to reconcile while ${date} was: let it finish, then reconcile ${date} again`,
  );
}

type Present = <Result>(run: StatementRun, body: () => Result) => Promise<Result>;

type BreakValues = ReturnType<typeof toBreakColumns>;

/** What may differ in a break from one judging to the next. */
const movedColumns = [
  'state',
  'version',
  'loudness',
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

function makeJudgingMethods(db: DatabaseSync, transact: Write, present: Present) {
  const moves = prepareBreakMoves(db);
  return {
    beginStatement: async ({ runId }) => {
      const begin = query
        .insertInto('statement_run')
        .values({ date: anyDay, run_id: runId })
        .onConflict((conflict) => conflict.column('date').doUpdateSet({ run_id: runId }));
      await transact(() => write(db, begin));
    },
    recordBreaks: async (run, records) => {
      if (records.length === 0) return;
      await present(run, () => {
        for (const record of records) {
          const values = toBreakColumns(record, run);
          if (moves.update.run(values) === 0) moves.insert.run(values);
        }
      });
    },
    recordStrays: async (run, strays) => {
      if (strays.length === 0) return;
      const shared = { date: run.date, run_id: run.runId };
      const rows = strays.map(({ key, line }) =>
        line === null
          ? { ...shared, key, line_no: 0, line: '' }
          : { ...shared, key, line_no: line.line, line: encodeLine(line) },
      );
      const insert = query
        .insertInto('statement_stray')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing());
      await present(run, () => write(db, insert));
    },
    markReports: async (run, batchIds) => {
      if (batchIds.length === 0) return;
      const { date, runId } = run;
      const rows = batchIds.map((batchId) => ({ batch_id: batchId, date, run_id: runId, is_due: 0 }));
      const insert = query
        .insertInto('statement_report')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['batch_id', 'date']).doUpdateSet({ run_id: runId, is_due: 0 }),
        );
      await present(run, () => write(db, insert));
    },
    beginRecording: async (run) => present(run, () => noteRecording(db, run)),
    acceptStatement: async (run, accepted) => {
      const { date, runId } = run;
      const strays = query
        .deleteFrom('statement_stray')
        .where('date', '=', date)
        .where((eb) => eb.or([eb('run_id', '<>', runId), eb('key', '=', recordingKey)]));
      await present(run, () => {
        write(db, query.insertInto('statement_version').values(toVersionColumns(accepted, run)));
        write(db, strays);
        write(db, makeDue(run));
      });
    },
    endStatement: async (run) => void (await present(run, () => write(db, makeDue(run)))),
  } satisfies Partial<StatementStore>;
}

/** Those of a judging that broke off too: its changes stand. */
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
    ])
    .groupBy('v.date')
    .orderBy('v.date', 'desc');
  return readAll(db, days).map((row) => ({
    date: row.date,
    version: row.version,
    acceptedAtMs: row.accepted_at_ms,
    openBreaks: row.open_breaks ?? 0,
    oldestOpenedAtMs: row.oldest,
  }));
}

function readVersions(db: DatabaseSync, date: string): StatementVersionMark[] {
  const versions = query
    .selectFrom('statement_version')
    .select(['version', 'sha256', 'original_sha256', 'reading'])
    .where('date', '=', date)
    .orderBy('version');
  return readAll(db, versions).map(({ original_sha256: originalSha256, ...rest }) => ({
    ...rest,
    originalSha256,
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

/**
 * @param path of the journal's file, for views of one moment
 * @param transact where every write waits its turn
 */
export function makeStatementStore(db: DatabaseSync, path: string, transact: Write): StatementStore {
  const present: Present = (run, body) =>
    transact(() => {
      requirePresent(db, run);
      return body();
    });
  return {
    openStatementView: (run, version) => openStatementView(path, run, version),
    openLineScratch: () => openLineScratch(path),
    statement: async (date) => {
      const latest = query
        .selectFrom('statement_version')
        .selectAll()
        .where('date', '=', date)
        .orderBy('version', 'desc')
        .limit(1);
      const row = readFirst(db, latest);
      return row === undefined ? undefined : toAcceptedStatement(row);
    },
    statementVersions: async (date) => readVersions(db, date),
    brokenOff: async (date, limit) => readBrokenOff(db, date, limit),
    acceptedFiles: async () => {
      const every = query.selectFrom('statement_version').select('files');
      return readAll(db, every).flatMap(({ files }) => toStatementFiles(files));
    },
    hasAttemptsOn: async (date) => {
      const any = query.selectFrom('attempt').select('payout_seq').where('tran_date', '=', date).limit(1);
      return readFirst(db, any) !== undefined;
    },
    statementDays: async () => readDays(db),
    countOpenBreaks: async (date) => {
      const byKind = query
        .selectFrom('statement_break')
        .select(['kind', (eb) => eb.fn.countAll<number>().as('rows')])
        .where('date', '=', date)
        .where('state', '=', sql.lit('open'))
        .groupBy('kind');
      return new Map(readAll(db, byKind).map(({ kind, rows }) => [kind, rows]));
    },
    ...makeJudgingMethods(db, transact, present),
    ...makeBreakWalk(db),
    ...makeDueMethods(db, transact),
  };
}
