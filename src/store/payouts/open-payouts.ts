/**
 * The payouts that wait for a person, beside all others: few among many, they are searched by anything without the rest.
 * The table is kept by every change that makes a row wait, or wait no more: a trigger would cost those that only pass.
 */
import { type Expression, sql, type SqlBool } from 'kysely';
import type { Change } from '../../core/ports.ts';
import { isOpen } from '../../payout/rules/search.ts';
import { type Body, change, define, inDialect, query } from '../statements.ts';

/** The condition `isOpen`, as the tables have it for ever. */
const isOpenRow = `(status in ('held', 'rejected', 'unpayable', 'failed', 'unresolved', 'disputed') or is_alarm = 1)`;

/** The plus keeps the index of the column from being read whole for each page. */
const unindexedBatchId = inDialect<string>({ sqlite: sql`+p.batch_id`, postgres: sql`p.batch_id` });

/** True of the rows of a batch, which were numbered in their order. */
export function isOfBatch(batchId: string): Expression<SqlBool> {
  const rowOf = (direction: 'asc' | 'desc') =>
    query
      .selectFrom('payout')
      .select('seq')
      .where('batch_id', '=', batchId)
      .orderBy('row_no', direction)
      .limit(1);
  return sql`(${unindexedBatchId} = ${batchId} and p.seq between (${rowOf('asc')}) and (${rowOf('desc')}))`;
}

const selectOpen = () =>
  query
    .selectFrom('payout_listed as p')
    .selectAll('p')
    .where(sql<SqlBool>`${sql.raw(isOpenRow)}`);

/** Takes the rows of a batch that wait for a person as they are now: it was sealed, has come back, or many were moved. */
export function* recordOpen(batchId: string): Body<void> {
  yield* change(query.deleteFrom('open_payout as p').where(isOfBatch(batchId)));
  yield* change(query.insertInto('open_payout').expression(selectOpen().where(isOfBatch(batchId))));
}

const forget = define(({ seq }: { seq: number }) => query.deleteFrom('open_payout').where('seq', '=', seq));
const keep = define(({ seq }: { seq: number }) =>
  query.insertInto('open_payout').expression(selectOpen().where('seq', '=', seq)),
);

/** Takes a row as it is now. */
export function* recordRow(seq: number): Body<void> {
  yield* forget.note({ seq });
  yield* keep.note({ seq });
}

/** Takes a row as it is after a change. */
export function* recordChange({ before, after }: Pick<Change, 'before' | 'after'>): Body<void> {
  if (!isOpen(before) && !isOpen(after)) return;
  yield* recordRow(before.seq);
}
