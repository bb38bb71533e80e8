/** What the present statements of other days say of a transfer: from their breaks, and from lines kept for this. */
import type { DatabaseSync } from 'node:sqlite';
import { type ExpressionBuilder, sql } from 'kysely';
import type { BreakKind, LineElsewhere } from '../../reconcile/rules/types.ts';
import type { Tables } from '../schema.ts';
import { prepare, query } from '../statements.ts';
import { decodeLine, decodeLines } from './records.ts';

const absenceKinds: readonly BreakKind[] = ['missing-at-bank', 'no-trace', 'in-doubt-absent'];

/** A key and a day, looked at in the course of a run. */
interface OfRun {
  readonly key: string;
  readonly date: string;
  readonly runId: string;
  /** The day that the run has judged, and as which version; '' and 0 while it has not. */
  readonly judgedDate: string;
  readonly judgedVersion: number;
}

/**
 * A break that was last seen in the present version of its day, or in a later one whose judging broke off; of the day
 * that the run has judged, in the version that it makes.
 */
function isPresentBreak(eb: ExpressionBuilder<Tables, 'statement_break'>, values: OfRun) {
  const present = eb
    .selectFrom('statement_version as v')
    .select((inner) => inner.fn.max('v.version').as('version'))
    .whereRef('v.date', '=', 'statement_break.date');
  return eb.or([
    eb.and([eb('date', '=', values.judgedDate), eb('version', '=', values.judgedVersion)]),
    eb.and([eb('date', '<>', values.judgedDate), eb('version', '>=', present)]),
  ]);
}

/** Kept by the run itself, or by the accepted version of a day that the run has not judged; older ones are removed. */
function isPresentStray(eb: ExpressionBuilder<Tables, 'statement_stray'>, values: OfRun) {
  const accepted = eb
    .selectFrom('statement_version as v')
    .select('v.version')
    .whereRef('v.date', '=', 'statement_stray.date')
    .whereRef('v.run_id', '=', 'statement_stray.run_id');
  return eb.or([
    eb('run_id', '=', values.runId),
    eb.and([eb('date', '<>', values.judgedDate), eb.exists(accepted)]),
  ]);
}

const presentBreaks = (values: OfRun) =>
  query
    .selectFrom('statement_break')
    .select('key')
    .where('key', '=', values.key)
    .where('date', '=', values.date)
    .where((eb) => isPresentBreak(eb, values));

const presentStrays = (values: OfRun) =>
  query
    .selectFrom('statement_stray')
    .select('key')
    .where('key', '=', values.key)
    .where('date', '=', values.date)
    .where((eb) => isPresentStray(eb, values));

/** Notes that the present statement of a day lacks a key. */
function selectAbsences(values: OfRun) {
  const kinds = absenceKinds.map((kind) => sql.lit(kind));
  const strays = presentStrays(values).where('line_no', '=', sql.lit(0));
  return presentBreaks(values).where('kind', 'in', kinds).unionAll(strays).limit(sql.lit(1));
}

/** Whatever is known of a key from the present statement of a day. */
const selectNotes = (values: OfRun) =>
  presentBreaks(values).unionAll(presentStrays(values)).limit(sql.lit(1));

export function prepareElsewhere(db: DatabaseSync) {
  return {
    breaks: prepare(db, (values: OfRun) =>
      query
        .selectFrom('statement_break')
        .select(['date', 'lines'])
        .where('key', '=', values.key)
        .where('date', '<>', values.date)
        .where((eb) => isPresentBreak(eb, values))
        .orderBy('date')
        .orderBy('id', 'desc'),
    ),
    strays: prepare(db, (values: OfRun) =>
      query
        .selectFrom('statement_stray')
        .select(['date', 'line'])
        .where('key', '=', values.key)
        .where('date', '<>', values.date)
        .where('line_no', '>', sql.lit(0))
        .where((eb) => isPresentStray(eb, values))
        .orderBy('date')
        .orderBy('line_no'),
    ),
    absences: prepare(db, selectAbsences),
    notes: prepare(db, selectNotes),
  };
}

type Elsewhere = ReturnType<typeof prepareElsewhere>;

/** From the latest break of each other day, and from its stray lines; a line that both have counts once. */
export function readElsewhere({ breaks, strays }: Elsewhere, ofRun: OfRun): LineElsewhere[] {
  const found = new Map<string, LineElsewhere>();
  const seenDates = new Set<string>();
  for (const row of breaks.all(ofRun)) {
    if (seenDates.has(row.date)) continue;
    seenDates.add(row.date);
    for (const line of decodeLines(row.lines))
      found.set(`${row.date} ${line.line}`, { date: row.date, line });
  }
  for (const row of strays.all(ofRun)) {
    const line = decodeLine(row.line);
    found.set(`${row.date} ${line.line}`, { date: row.date, line });
  }
  return [...found.values()];
}
