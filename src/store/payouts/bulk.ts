/** Holds, goes on with, or cancels what is unsent of a batch. */
import type { DatabaseSync } from 'node:sqlite';
import { type HoldReason, sourceStatuses } from '../../core/payout.ts';
import type { BatchReason } from '../../core/ports.ts';
import { inTransaction } from '../connection.ts';
import { prepareLatestEventSeq } from './apply-statements.ts';
import { moveAll } from './bulk-move.ts';
import { addBits, encodeHolds, hasBits, removeBits } from './holds.ts';

/** Adds a hold to every ready row of the batch. Returns how many rows changed. */
export function holdReady(
  db: DatabaseSync,
  batchId: string,
  hold: HoldReason,
  why: BatchReason,
  nowMs: number,
): number {
  return inTransaction(db, () =>
    moveAll(db, {
      batchId,
      from: 'ready',
      to: 'held',
      cause: 'hold-added',
      set: (payout) => ({
        holds: addBits(payout.ref('holds'), encodeHolds([hold])),
        reason_code: why.code,
        reason: why.reason,
      }),
      nowMs,
      eventBase: prepareLatestEventSeq(db)(),
      detail: { hold, ...why },
    }),
  );
}

/** Lifts holds from the held rows of the batch; those left without any become ready. Returns how many rows changed. */
export function liftHolds(
  db: DatabaseSync,
  batchId: string,
  holds: readonly HoldReason[],
  nowMs: number,
): number {
  const lifted = encodeHolds(holds);
  const shared = { batchId, from: 'held', cause: 'hold-lifted', nowMs, detail: { lifted: holds } } as const;
  return inTransaction(db, () => {
    const eventBase = prepareLatestEventSeq(db)();
    const freed = moveAll(db, {
      ...shared,
      to: 'ready',
      which: (payout) =>
        payout.and([
          hasBits(payout.ref('holds'), lifted),
          payout(removeBits(payout.ref('holds'), lifted), '=', 0),
        ]),
      set: () => ({ holds: 0, reason_code: null, reason: null }),
      eventBase,
    });
    const stillHeld = moveAll(db, {
      ...shared,
      to: 'held',
      which: (payout) => payout.and([hasBits(payout.ref('holds'), lifted)]),
      set: (payout) => ({ holds: removeBits(payout.ref('holds'), lifted) }),
      eventBase,
    });
    return freed + stillHeld;
  });
}

/** Cancels every ready or held row of the batch. Returns how many rows changed. */
export function cancelUnsent(db: DatabaseSync, batchId: string, nowMs: number): number {
  return inTransaction(db, () => {
    const eventBase = prepareLatestEventSeq(db)();
    let cancelled = 0;
    for (const from of sourceStatuses('cancelled', 'cancelled')) {
      cancelled += moveAll(db, {
        batchId,
        from,
        to: 'cancelled',
        cause: 'cancelled',
        set: () => ({
          holds: 0,
          reason_code: 'cancelled',
          reason: 'cancelled by a person before it was sent',
          settled_at_ms: nowMs,
          settled_by: 'people',
        }),
        nowMs,
        eventBase,
        detail: {},
      });
    }
    return cancelled;
  });
}
