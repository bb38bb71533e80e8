/** What a watcher asks about all batches at once, again and again: index lookups but for the count of every row. */
import type { DatabaseSync } from 'node:sqlite';
import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { BatchStatus } from '../core/payout.ts';
import type { Store } from '../core/store-port.ts';
import { query } from './dialect.ts';
import { toBatch } from './rows.ts';
import { isInDoubt, literal } from './schema.ts';
import { prepare, readAll } from './statements.ts';

/** The condition of the index batch_open, word for word. */
const isOpen = (status: Expression<BatchStatus>): RawBuilder<SqlBool> =>
  sql`${status} not in ('done', 'rejected')`;

/** Batches with ready rows, found by one step in the index payout_ready each, however many rows are ready. */
function withReadyBatches() {
  return query.withRecursive('with_ready', (db) =>
    db
      .selectFrom('payout')
      .select((eb) => eb.fn.min<string | null>('batch_id').as('batch_id'))
      .where('status', '=', literal('ready'))
      .unionAll(
        db
          .selectFrom('with_ready')
          .select((eb) =>
            eb
              .selectFrom('payout')
              .select((inner) => inner.fn.min<string | null>('payout.batch_id').as('batch_id'))
              .where('payout.status', '=', literal('ready'))
              .whereRef('payout.batch_id', '>', 'with_ready.batch_id')
              .as('batch_id'),
          )
          .where('with_ready.batch_id', 'is not', null),
      ),
  );
}

/** A batch whose file is still being read belongs to whoever reads it. A done one goes on when rows are tried again. */
export function prepareOpenBatches(db: DatabaseSync) {
  return prepare(db, (_values: object) =>
    withReadyBatches()
      .selectFrom('batch')
      .selectAll('batch')
      .where(({ ref }) => isOpen(ref('status')))
      .where('status', '<>', 'ingesting')
      .unionAll((eb) =>
        eb
          .selectFrom('with_ready')
          .innerJoin('batch', 'batch.batch_id', 'with_ready.batch_id')
          .selectAll('batch')
          .where('batch.status', '=', 'done'),
      )
      .orderBy('age_from_ms')
      .orderBy('started_at_ms')
      .orderBy('batch_id'),
  );
}

export function prepareOldestInDoubt(db: DatabaseSync) {
  return prepare(db, (_values: object) =>
    query
      .selectFrom('payout')
      .select((eb) => eb.fn.min<number | null>('submitted_at_ms').as('submitted_at_ms'))
      .where(({ ref }) => isInDoubt(ref('status'))),
  );
}

/** Of each row in doubt, the oldest first: grouped, SQLite would read every row in the order of the batches. */
export function prepareBatchesInDoubt(db: DatabaseSync) {
  return prepare(db, (values: { beforeMs: number }) =>
    query
      .selectFrom('payout')
      .select('batch_id')
      .where(({ ref }) => isInDoubt(ref('status')))
      .where('submitted_at_ms', '<', values.beforeMs)
      .orderBy('submitted_at_ms')
      .orderBy('seq'),
  );
}

/** Reads every batch at rest; by the events, whatever the clock said. */
function readUnreported(db: DatabaseSync): string[] {
  const unreported = query
    .selectFrom('batch as b')
    .select('b.batch_id')
    .where('b.status', 'in', ['done', 'paused', 'halted'])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('report as r')
            .select('r.number')
            .whereRef('r.batch_id', '=', 'b.batch_id')
            .whereRef('r.event_seq', '>=', 'b.rested_event_seq'),
        ),
      ),
    )
    .orderBy('b.age_from_ms')
    .orderBy('b.batch_id');
  return readAll(db, unreported).map(({ batch_id: batchId }) => batchId);
}

function countByStatus(db: DatabaseSync) {
  const byStatus = query
    .selectFrom('payout')
    .select(['status', (eb) => eb.fn.countAll<number>().as('rows')])
    .groupBy('status');
  return new Map(readAll(db, byStatus).map(({ status, rows }) => [status, rows]));
}

/** The reads of one connection. */
export function makeOpenBatches(
  db: DatabaseSync,
): Pick<
  Store,
  'openBatches' | 'countByStatus' | 'oldestInDoubtAtMs' | 'batchesInDoubtSince' | 'unreportedBatches'
> {
  const openBatches = prepareOpenBatches(db);
  const oldestInDoubt = prepareOldestInDoubt(db);
  const batchesInDoubt = prepareBatchesInDoubt(db);
  return {
    openBatches: async () => openBatches.all({}).map(toBatch),
    unreportedBatches: async () => readUnreported(db),
    countByStatus: async () => countByStatus(db),
    oldestInDoubtAtMs: async () => oldestInDoubt.get({})?.submitted_at_ms ?? undefined,
    batchesInDoubtSince: async (beforeMs) => [
      ...new Set(batchesInDoubt.all({ beforeMs }).map(({ batch_id: batchId }) => batchId)),
    ],
  };
}
