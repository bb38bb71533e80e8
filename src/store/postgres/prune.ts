/** Removes records of past workers that are not asked for any more, so that the tables stay as short as the work. */
import { sql } from 'kysely';
import { dayMs } from '../../core/bangkok-time.ts';
import { lastSendOverMs } from '../../payout/rules/lease.ts';
import { type Body, define, textStatement } from '../statements.ts';

/** The moment at which it is read, not that at which the transaction began. */
export const databaseNowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const ago = (spanMs: number) => sql`${databaseNowMs} - ${sql.lit(spanMs)}`;

/** The record of who paid which rows is kept for so long, for a person who looks into what has happened. */
const shownMs = dayMs;

/** A process that stood still for longer, just when the answer to its commit was lost, has other troubles. */
const markedMs = 30 * dayMs;

const forgetOver = define((_values: object) =>
  textStatement(sql`delete from latest_send where sent_at_ms < ${ago(2 * lastSendOverMs)}`),
);

/** Draws near the sends that lie ahead, since the database's clock was put back: they end no later than those of now. */
const drawNear = define((_values: object) =>
  textStatement(
    sql`update latest_send set sent_at_ms = ${databaseNowMs} where sent_at_ms > ${databaseNowMs}`,
  ),
);

/** Forgets sends of which nothing can be on its way any more. */
export function* forgetSends(): Body<void> {
  yield* forgetOver.run({});
  yield* drawNear.run({});
}

/** Shards of a batch that is not done show how far it has come, and what a worker that is gone has left. */
const forgetShards = define((_values: object) =>
  textStatement(sql`
    delete from shard s using worker w, batch b
    where w.worker_id = s.worker_id and b.batch_id = s.batch_id and b.status in ('done', 'rejected')
      and coalesce(s.ended_at_ms, w.ended_at_ms, w.lease_until_ms) < ${ago(shownMs)}`),
);

/** The latest sender stays: its epoch is counted on from. */
const forgetWorkers = define((_values: object) =>
  textStatement(sql`
    delete from worker w
    where coalesce(w.ended_at_ms, w.superseded_at_ms, w.lease_until_ms) < ${ago(shownMs)}
      and w.worker_id <> (select coalesce(max(worker_id), 0) from worker where role = 'sender')
      and not exists (select from shard s where s.worker_id = w.worker_id)
      and not exists (select from latest_send l where l.worker_id = w.worker_id)`),
);

const forgetMarks = define((_values: object) =>
  textStatement(sql`delete from write_mark where at_ms < ${ago(markedMs)}`),
);

/** Claims of files that have ended, and that are not shown any more. */
const forgetClaims = define((_values: object) =>
  textStatement(sql`
    delete from file_claim c using intake_item i
    where i.item_id = c.item_id and i.outcome is not null and i.ended_at_ms < ${ago(shownMs)}
      and not exists (select from taken_file t where t.item_id = c.item_id and t.is_watched = 1)`),
);

/** Prunes in a transaction that excludes all other writers. */
export function* prune(): Body<void> {
  yield* forgetSends();
  yield* forgetShards.run({});
  yield* forgetWorkers.run({});
  yield* forgetMarks.run({});
  yield* forgetClaims.run({});
}
