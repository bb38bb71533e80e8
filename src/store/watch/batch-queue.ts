/** Questions of a watcher about all batches at once, again and again: index lookups but for the count of every row. */
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { BatchStatus, PayoutStatus } from '../../core/payout.ts';
import type { BatchQueueStore } from '../../watch/ports.ts';
import { toBatch } from '../payouts/rows.ts';
import { hasBits, holdBits, isInDoubt, literal } from '../schema.ts';
import { type BodiesOf, define, query, select } from '../statements.ts';

/** Batches whose end a killed process had not told of are few, and the latest. */
const untoldMax = 50;

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

/**
 * Batches that can be run: found by as many steps as there are open batches, whatever rows these have. A batch whose
 * file is still being read belongs to its reader; a done one goes on when rows are tried again. @forTests
 */
export const runnableBatches = define((_values: object) =>
  withReadyBatches()
    .with('with_inquiry', (qb) =>
      qb
        .selectFrom('attempt as a')
        .innerJoin('payout as p', (join) =>
          join.onRef('p.seq', '=', 'a.payout_seq').onRef('p.attempt_no', '=', 'a.attempt_no'),
        )
        .select('p.batch_id')
        .where('a.next_inquiry_at_ms', 'is not', null)
        .where('p.status', 'in', [literal('submitted'), literal('paid')]),
    )
    .selectFrom('batch')
    .selectAll('batch')
    .select(sql<number>`case when ${isWithReady} then 1 else 0 end`.as('has_ready'))
    .where(({ ref }) => isOpen(ref('status')))
    .where((eb) =>
      eb.or([
        eb('status', '=', sql.lit('sealed')),
        eb.and([
          eb('status', '=', sql.lit('running')),
          sql<SqlBool>`(reported_event_seq < 0 or batch_id not in (select batch_id from with_inquiry))`,
        ]),
        eb.and([
          eb('status', 'in', [sql.lit('running' as const), sql.lit('paused' as const)]),
          eb.or([hasRowsOfAccount, isWithReady]),
        ]),
      ]),
    )
    .unionAll((eb) =>
      eb
        .selectFrom('with_ready')
        .innerJoin('batch', 'batch.batch_id', 'with_ready.batch_id')
        .selectAll('batch')
        .select(sql<number>`1`.as('has_ready'))
        .where('batch.status', '=', 'done'),
    )
    .orderBy('age_from_ms')
    .orderBy('started_at_ms')
    .orderBy('batch_id'),
);

const isWithReady = sql<SqlBool>`(batch.batch_id in (select batch_id from with_ready where batch_id is not null))`;

/** The condition of the index payout_of_account. */
const hasRowsOfAccount = sql<SqlBool>`exists (
  select 1 from payout where payout.batch_id = batch.batch_id and ${hasBits(sql`payout.holds`, holdBits.paused | holdBits.halted)})`;

/** @forTests */
export const countOpenBatches = define((_values: object) =>
  withReadyBatches()
    .selectFrom('batch')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .select(
      sql<number>`(select count(*) from with_ready join batch as b using (batch_id) where b.status = 'done')`.as(
        'done_with_ready',
      ),
    )
    .where(({ ref }) => isOpen(ref('status')))
    .where('status', '<>', 'ingesting'),
);

/** @forTests */
export const oldestInDoubt = define((_values: object) =>
  query
    .selectFrom('payout')
    .select((eb) => eb.fn.min<number | null>('submitted_at_ms').as('submitted_at_ms'))
    .where(({ ref }) => isInDoubt(ref('status'))),
);

/** The batch of each row in doubt, the oldest first: grouped, SQLite would read every row in the order of the batches. @forTests */
export const batchesInDoubt = define((values: { beforeMs: number }) =>
  query
    .selectFrom('payout')
    .select('batch_id')
    .where(({ ref }) => isInDoubt(ref('status')))
    .where('submitted_at_ms', '<', values.beforeMs)
    .orderBy('submitted_at_ms')
    .orderBy('seq'),
);

/** The condition of the index batch_unreported, word for word: by the events, whatever the clock said. @forTests */
export const unreported = define((_values: object) =>
  query
    .selectFrom('batch')
    .select('batch_id')
    .where(sql<SqlBool>`status in ('done', 'paused', 'halted')`)
    .where(sql<SqlBool>`reported_event_seq < rested_event_seq`)
    .orderBy('age_from_ms')
    .orderBy('batch_id'),
);

/** Looks for batches whose end was not told, once, at a start: reads every batch. */
function selectUntold(sinceMs: number) {
  const firstTold = query
    .selectFrom('batch')
    .select((eb) => eb.fn.min<number | null>('noticed_event_seq').as('first'))
    .where('noticed_event_seq', '>=', 0);
  const reportedSince = query
    .selectFrom('report as r')
    .select((eb) => eb.fn.min<number | null>('r.event_seq').as('first'))
    .where('r.at_ms', '>=', sinceMs);
  return query
    .selectFrom('batch')
    .select('batch_id')
    .where('status', 'in', ['done', 'halted'])
    .whereRef('noticed_event_seq', '<', 'reported_event_seq')
    .where('reported_event_seq', '>=', ({ fn }) => fn.coalesce(firstTold, reportedSince))
    .orderBy('reported_event_seq', 'desc')
    .limit(untoldMax);
}

const toBatchId = ({ batch_id: batchId }: { readonly batch_id: string }): string => batchId;

export const batchQueueReads = {
  *runnableBatches() {
    const records = yield* runnableBatches.all({});
    return records.map((record) => ({ batch: toBatch(record), hasReady: record.has_ready === 1 }));
  },
  *countOpenBatches() {
    const counted = yield* countOpenBatches.get({});
    return (counted?.open ?? 0) + (counted?.done_with_ready ?? 0);
  },
  *unreportedBatches() {
    return (yield* unreported.all({})).map(toBatchId);
  },
  *untoldBatches(sinceMs) {
    return (yield* select(selectUntold(sinceMs))).map(toBatchId);
  },
  *countByStatus() {
    const byStatus = query
      .selectFrom('payout')
      .select(['status', (eb) => eb.fn.countAll<number>().as('rows')])
      .groupBy('status')
      .unionAll(
        query
          .selectFrom('archived_rows')
          .select(['status', sql<number>`sum(last_seq - first_seq + 1)`.as('rows')])
          .groupBy('status'),
      );
    const counts = new Map<PayoutStatus, number>();
    for (const { status, rows } of yield* select(byStatus))
      counts.set(status, (counts.get(status) ?? 0) + rows);
    return counts;
  },
  *oldestInDoubtAtMs() {
    return (yield* oldestInDoubt.get({}))?.submitted_at_ms ?? undefined;
  },
  *batchesInDoubtSince(beforeMs) {
    return [...new Set((yield* batchesInDoubt.all({ beforeMs })).map(toBatchId))];
  },
} satisfies BodiesOf<BatchQueueStore>;
