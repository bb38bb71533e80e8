/** Moves many rows of a batch at once: two statements, however many rows. */
import type { DatabaseSync } from 'node:sqlite';
import { type ExpressionBuilder, type ExpressionWrapper, sql, type SqlBool, type UpdateObject } from 'kysely';
import { canMovePayout, type PayoutCause, type PayoutStatus } from '../../core/payout.ts';
import { eventColumns, literal, type Tables } from '../schema.ts';
import { query, write } from '../statements.ts';

type OnPayout = ExpressionBuilder<Tables, 'payout'>;

/** One move of all rows of a batch in one status that meet a condition. */
export interface BulkMove {
  readonly batchId: string;
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly cause: PayoutCause;
  /** Which of the rows; all when it is left out. */
  readonly which?: (payout: OnPayout) => ExpressionWrapper<Tables, 'payout', SqlBool>;
  /** What changes beside status, version and latest event. */
  readonly set: (payout: OnPayout) => UpdateObject<Tables, 'payout'>;
  readonly nowMs: number;
  /** Number of the latest event; the event of a row is this plus its row number, so one statement numbers them all. */
  readonly eventBase: number;
  /** The same for every row. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const everyRow = () => sql<SqlBool>`true`;

/**
 * Appends an event for each row, then moves the rows; inside the caller's transaction.
 * @returns how many rows moved
 * @throws Error for a move that the table does not have
 */
export function moveAll(db: DatabaseSync, move: BulkMove): number {
  if (!canMovePayout(move.from, move.to, move.cause)) {
    throw new Error(`${move.from} cannot become ${move.to} because of "${move.cause}"`);
  }
  const which = move.which ?? everyRow;
  const eventSeq = sql<number>`${move.eventBase} + row_no`;
  const events = query
    .selectFrom('payout')
    .select([eventSeq.as('seq'), 'seq as payout_seq', 'status as from_status'])
    .select([literal(move.to).as('to_status'), sql<PayoutCause>`${move.cause}`.as('cause')])
    .select([sql<number>`${move.nowMs}`.as('at_ms'), 'attempt_no'])
    .select(sql<string>`${JSON.stringify(move.detail)}`.as('detail'))
    .where('batch_id', '=', move.batchId)
    .where('status', '=', literal(move.from))
    .where(which)
    .orderBy('row_no');
  write(db, query.insertInto('event').columns(eventColumns).expression(events));
  const update = query
    .updateTable('payout')
    .set((eb) => ({
      ...move.set(eb),
      status: move.to,
      version: eb('version', '+', 1),
      last_event_seq: eventSeq,
    }))
    .where('batch_id', '=', move.batchId)
    .where('status', '=', literal(move.from))
    .where(which);
  return write(db, update);
}
