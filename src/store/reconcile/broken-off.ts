/** Notes that a judging has begun to record, and finds what one that broke off before its version was accepted has left. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { BrokenOff, StatementRun } from '../../reconcile/ports.ts';
import { query, readAll, readFirst, write } from '../statements.ts';
import { toBreakRecord } from './records.ts';

/** Stands among the keys of stray lines, none of which is empty, while a judging records what it has found. */
export const recordingKey = '';

/** The last event and the last break before a judging began to record. */
type Mark = readonly [eventSeq: number, breakId: number];

/** Its own transaction is its caller's; a second note of one judging changes nothing. */
export function noteRecording(db: DatabaseSync, { date, runId }: StatementRun): void {
  const lastEvent = readFirst(
    db,
    query.selectFrom('event').select((eb) => eb.fn.max<number | null>('seq').as('last')),
  );
  const lastBreak = readFirst(
    db,
    query.selectFrom('statement_break').select((eb) => eb.fn.max<number | null>('id').as('last')),
  );
  const mark: Mark = [lastEvent?.last ?? 0, lastBreak?.last ?? 0];
  const begun = { key: recordingKey, date, line_no: 0, run_id: runId, line: JSON.stringify(mark) };
  write(
    db,
    query
      .insertInto('statement_stray')
      .values(begun)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** The earliest, where several judgings broke off one after another. */
function findMark(db: DatabaseSync, date: string): Mark | undefined {
  const begun = query
    .selectFrom('statement_stray')
    .select('line')
    .where('key', '=', recordingKey)
    .where('date', '=', date);
  const marks = readAll(db, begun).map(({ line }) => JSON.parse(line) as Mark);
  return marks.toSorted((one, other) => one[0] - other[0] || one[1] - other[1])[0];
}

/** What judgings of the day that broke off have left; undefined when none has. */
export function readBrokenOff(db: DatabaseSync, date: string, limit: number): BrokenOff | undefined {
  const mark = findMark(db, date);
  if (mark === undefined) return undefined;
  const [eventSeq, breakId] = mark;
  const opened = query
    .selectFrom('statement_break')
    .where('id', '>', breakId)
    .where('date', '<>', date)
    .where('state', '=', sql.lit('open'));
  const counted = readFirst(
    db,
    opened.select((eb) => eb.fn.countAll<number>().as('rows')),
  );
  const causes = query
    .selectFrom('event')
    .select(['cause', (eb) => eb.fn.countAll<number>().as('rows')])
    .where('seq', '>', eventSeq)
    .where(sql<boolean>`json_extract(detail, '$.statement') is not null`)
    .groupBy('cause');
  return {
    openedElsewhere: counted?.rows ?? 0,
    firstElsewhere: readAll(db, opened.selectAll().orderBy('id').limit(limit)).map(toBreakRecord),
    causes: new Map(readAll(db, causes).map(({ cause, rows }) => [cause, rows])),
  };
}
