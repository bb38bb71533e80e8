/** Moves many rows of a batch at once, two statements however many rows: holds, goes on with, or cancels what is unsent. */
import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  sql,
  type SqlBool,
  type UpdateObject,
} from 'kysely';
import { encodeMessage, message, stopInEnglish } from '../../core/message.ts';
import {
  canMovePayout,
  type HoldReason,
  type PayoutCause,
  type PayoutStatus,
  sourceStatuses,
} from '../../core/payout.ts';
import type { BatchReason } from '../../core/ports.ts';
import { hashedDetail, saltDetail } from '../../review/rules/payout-chain.ts';
import { addBits, encodeHolds, hasBits, literal, removeBits, type Tables } from '../schema.ts';
import { type Body, change, define, defineHere, query, type Reading } from '../statements.ts';
import { batchReads } from './batches.ts';
import { makeSalt, nextHashOf, textOfColumns } from './chain.ts';
import { recordOpen } from './open-payouts.ts';
import { readLastRowNo, readLatestEventSeq } from './rows.ts';

export type OnPayout = ExpressionBuilder<Tables, 'payout'>;

/** One move of all rows of a batch in one status that meet a condition. */
export interface BulkMove {
  readonly batchId: string;
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly cause: PayoutCause;
  /** The rows to move; all when it is left out. */
  readonly which?: (payout: OnPayout) => ExpressionWrapper<Tables, 'payout', SqlBool>;
  /** The changes beside status, version and latest event. */
  readonly set: (payout: OnPayout) => UpdateObject<Tables, 'payout'>;
  readonly nowMs: number;
  /** Number of the latest event; the event of a row is this plus its row number, so one statement numbers them all. */
  readonly eventBase: number;
  /** The detail of every event, the same for each row. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Rows whose hashes one statement computes: what each call of a function of ours takes of memory is free at its end. */
const hashPageRows = 1_000;

const everyRow = () => sql<SqlBool>`true`;

/**
 * Appends an event for each row, then moves the rows; inside the caller's transaction.
 * @returns how many rows moved
 * @throws Error for a move that the table does not have
 */
export function* moveAll(move: BulkMove): Body<number> {
  if (!canMovePayout(move.from, move.to, move.cause)) {
    throw new Error(`${move.from} cannot become ${move.to} because of "${move.cause}"`);
  }
  const which = move.which ?? everyRow;
  const eventSeq = sql<number>`${sql.lit(move.eventBase)} + row_no`;
  yield* appendEvents(move, eventSeq);
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
  return yield* change(update);
}

/** An event for each row that is to be moved, in the order of the rows. */
function* appendEvents(move: BulkMove, eventSeq: RawBuilder<number>): Body<void> {
  const { batchId, from, to, cause, nowMs } = move;
  const detail = JSON.stringify(saltDetail(move.detail, makeSalt));
  const batch = yield* batchReads.batch(batchId);
  if (batch === undefined) throw new Error(`there is no batch ${batchId}`);
  const counted = {
    rowNo: sql.ref<number>('row_no'),
    seq: eventSeq,
    attemptNo: sql.ref<number>('attempt_no'),
  };
  const shared = { companyId: batch.companyId, batchId, from, to, cause, atMs: nowMs };
  const text = textOfColumns({ ...shared, ...counted, detail: hashedDetail(detail) });
  const hash = nextHashOf(sql.ref('payout.seq'), text);
  const append = defineHere((values: { afterRowNo: number; lastRowNo: number }) =>
    query.insertInto('event').expression(
      query
        .selectFrom('payout')
        // The columns stand in the order of the table.
        .select([eventSeq.as('seq'), 'seq as payout_seq', 'status as from_status'])
        .select([literal(to).as('to_status'), sql<PayoutCause>`cast(${cause} as text)`.as('cause')])
        .select([sql<number>`cast(${nowMs} as bigint)`.as('at_ms'), 'attempt_no'])
        .select([sql<string>`cast(${detail} as text)`.as('detail'), hash.as('hash')])
        .where('batch_id', '=', batchId)
        .where('status', '=', literal(from))
        .where('row_no', '>', values.afterRowNo)
        .where('row_no', '<=', values.lastRowNo)
        .where(move.which ?? everyRow)
        .orderBy('row_no'),
    ),
  );
  const lastRowNo = yield* readLastRowNo(batchId);
  for (let afterRowNo = 0; afterRowNo < lastRowNo; afterRowNo += hashPageRows)
    yield* append.run({ afterRowNo, lastRowNo: afterRowNo + hashPageRows });
}

/** Makes moves of a batch; inside the caller's transaction. Returns how many rows changed. */
export function* moveInTurn(
  batchId: string,
  nowMs: number,
  moves: readonly Omit<BulkMove, 'batchId' | 'nowMs' | 'eventBase'>[],
): Body<number> {
  const eventBase = yield* readLatestEventSeq();
  let moved = 0;
  for (const move of moves) moved += yield* moveAll({ ...move, batchId, nowMs, eventBase });
  if (moved > 0) yield* recordOpen(batchId);
  return moved;
}

/** Adds a hold to every ready row of the batch. Returns how many rows changed. */
export function holdReady(batchId: string, hold: HoldReason, why: BatchReason, nowMs: number): Body<number> {
  const set: BulkMove['set'] = (payout) => ({
    holds: addBits(payout.ref('holds'), encodeHolds([hold])),
    reason_code: why.code,
    reason: encodeMessage(why.reason),
  });
  const detail = { hold, ...stopInEnglish(why) };
  return moveInTurn(batchId, nowMs, [{ from: 'ready', to: 'held', cause: 'hold-added', set, detail }]);
}

const defineAny = (status: PayoutStatus) =>
  define((values: { batchId: string }) =>
    query
      .selectFrom('payout')
      .select('seq')
      .where('batch_id', '=', values.batchId)
      .where('status', '=', literal(status))
      .limit(1),
  );

const anyRow = {
  ready: defineAny('ready'),
  held: defineAny('held'),
};

/** True where the batch has a row in the status. */
export function* hasAny(batchId: string, status: keyof typeof anyRow): Reading<boolean> {
  return (yield* anyRow[status].get({ batchId })) !== undefined;
}

/** Lifts holds from the held rows of the batch; those left without any become ready. Returns how many rows changed. */
export function liftHolds(batchId: string, holds: readonly HoldReason[], nowMs: number): Body<number> {
  const lifted = encodeHolds(holds);
  const shared = { from: 'held', cause: 'hold-lifted', detail: { lifted: holds } } as const;
  return moveInTurn(batchId, nowMs, [
    {
      ...shared,
      to: 'ready',
      which: (payout) =>
        payout.and([
          hasBits(payout.ref('holds'), lifted),
          payout(removeBits(payout.ref('holds'), lifted), '=', 0),
        ]),
      set: () => ({ holds: 0, reason_code: null, reason: null }),
    },
    {
      ...shared,
      to: 'held',
      which: (payout) => payout.and([hasBits(payout.ref('holds'), lifted)]),
      set: (payout) => ({ holds: removeBits(payout.ref('holds'), lifted) }),
    },
  ]);
}

/** Cancels every ready or held row of the batch of which no attempt was ever made. Returns how many rows changed. */
export function cancelUnsent(batchId: string, nowMs: number): Body<number> {
  const cancelled = {
    holds: 0,
    reason_code: 'cancelled',
    reason: encodeMessage(message('reason.cancelled-unsent')),
    settled_at_ms: nowMs,
    settled_by: 'decision',
  } as const;
  const which = (payout: OnPayout) => payout.and([payout('attempt_no', '=', 0)]);
  const move = { to: 'cancelled', cause: 'cancelled', which, set: () => cancelled, detail: {} } as const;
  const moves = sourceStatuses('cancelled', 'cancelled').map((from) => ({ ...move, from }));
  return moveInTurn(batchId, nowMs, moves);
}
