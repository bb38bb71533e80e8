/** Reads breaks the most severe first, in pages by an index: a bad day has hundreds of thousands, and no page costs more for that. */
import type { DatabaseSync } from 'node:sqlite';
import { type Selectable, sql } from 'kysely';
import type { StatementRun } from '../../reconcile/ports.ts';
import type { BreakRecord, Severity } from '../../reconcile/rules/types.ts';
import { prepare, query } from '../statements.ts';
import { type StatementBreakTable, toBreakRecord } from './statement-tables.ts';

/** Breaks that are read at a time. */
const pageRows = 100;

const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

type State = StatementBreakTable['state'];
type Page = readonly Selectable<StatementBreakTable>[];

/** Where a page begins, among the breaks of one day and one severity. */
interface Place {
  readonly date: string;
  readonly severity: Severity;
  readonly afterId: number;
  readonly limit: number;
}

/** The state stands in the text: what plan is right must not hang on a value. */
const prepareMoved = (db: DatabaseSync, state: State) =>
  prepare(db, (place: Place & { readonly runId: string }) =>
    query
      .selectFrom('statement_break')
      .selectAll()
      .where('moved_by', '=', place.runId)
      .where('date', '=', place.date)
      .where('state', '=', sql.lit(state))
      .where('severity', '=', place.severity)
      .where('id', '>', place.afterId)
      .orderBy('id')
      .limit(place.limit),
  );

function prepareWalk(db: DatabaseSync) {
  return {
    open: prepare(db, (place: Place) =>
      query
        .selectFrom('statement_break')
        .selectAll()
        .where('date', '=', place.date)
        .where('state', '=', sql.lit('open'))
        .where('severity', '=', place.severity)
        .where('id', '>', place.afterId)
        .orderBy('id')
        .limit(place.limit),
    ),
    moved: { open: prepareMoved(db, 'open'), closed: prepareMoved(db, 'closed') },
    /** The first day after another in which a matching has moved breaks. */
    movedDay: prepare(db, (values: { readonly runId: string; readonly date: string }) =>
      query
        .selectFrom('statement_break')
        .select('date')
        .where('moved_by', '=', values.runId)
        .where('date', '>', values.date)
        .orderBy('date')
        .limit(sql.lit(1)),
    ),
  };
}

type Walk = ReturnType<typeof prepareWalk>;

function* readDaysMoved({ movedDay }: Walk, runId: string): Generator<string> {
  let date = '';
  for (;;) {
    const next = movedDay.get({ runId, date })?.date;
    if (next === undefined) return;
    yield next;
    date = next;
  }
}

function* readPages(read: (afterId: number) => Page): Generator<Page> {
  let afterId = 0;
  for (;;) {
    const page = read(afterId);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < pageRows || last === undefined) return;
    afterId = last.id;
  }
}

/** Of one severity: what is open on the judged day, then what else the matching has moved. */
function* readSeverity(walk: Walk, { date, runId }: StatementRun, severity: Severity): Generator<Page> {
  const shared = { severity, limit: pageRows };
  yield* readPages((afterId) => walk.open.all({ ...shared, date, afterId }));
  for (const day of readDaysMoved(walk, runId)) {
    const states: readonly State[] = day === date ? ['closed'] : ['open', 'closed'];
    for (const state of states)
      yield* readPages((afterId) => walk.moved[state].all({ ...shared, date: day, runId, afterId }));
  }
}

async function* readBreaksToShow(walk: Walk, run: StatementRun): AsyncGenerator<readonly BreakRecord[]> {
  for (const severity of severities) {
    for (const page of readSeverity(walk, run, severity)) yield page.map(toBreakRecord);
  }
}

function readOpenBreaks({ open }: Walk, date: string, limit: number): BreakRecord[] {
  const found: BreakRecord[] = [];
  for (const severity of severities) {
    if (found.length === limit) break;
    const page = open.all({ date, severity, afterId: 0, limit: limit - found.length });
    found.push(...page.map(toBreakRecord));
  }
  return found;
}

/** The breaks of a journal, the most severe first, those of one severity in the order in which they were opened. */
export function makeBreakWalk(db: DatabaseSync) {
  const walk = prepareWalk(db);
  return {
    breaksToShow: (run: StatementRun) => readBreaksToShow(walk, run),
    openBreaks: async (date: string, limit: number) => readOpenBreaks(walk, date, limit),
  };
}
