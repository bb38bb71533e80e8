/** Turns at which the machines that work a journal may call the bank, one after the other, by the database's clock. */
import { sql } from 'kysely';
import { define, textStatement } from '../statements.ts';
import type { Store } from '../store.ts';
import type { PostgresEngine } from './engine.ts';

/** The time in microseconds, finer than in the other tables: each of hundreds of calls a second has a moment of its own. */
const nowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** The longest wait: a clock that was ahead, and was put right, has left moments that are far off. */
const aheadMaxUs = sql.lit(60_000_000);

/** The span over which turns are counted. */
export const requestWindowMs = 5_000;

interface Wanted {
  readonly count: number;
  readonly spanUs: number;
}

const nowMs = sql<number>`(${nowUs} / 1000)`;
const isWithin = (windows: number) => sql`${nowMs} - t.window_ms < ${sql.lit(windows * requestWindowMs)}`;

const reserve = define(({ count, spanUs }: Wanted) =>
  textStatement<{ readonly nextUs: number; readonly nowUs: number }>(sql`
    insert into request_slot as t (name, next_us, window_ms, taken, taken_before)
    values ('bank', ${nowUs} + ${spanUs}::bigint, ${nowMs}, ${count}, 0)
    on conflict (name) do update
      set next_us = greatest(least(t.next_us, ${nowUs} + ${aheadMaxUs}), ${nowUs}) + ${spanUs}::bigint,
        window_ms = case when ${isWithin(1)} then t.window_ms else ${nowMs} end,
        taken = case when ${isWithin(1)} then t.taken else 0 end + ${count}::bigint,
        taken_before = case when ${isWithin(1)} then t.taken_before when ${isWithin(2)} then t.taken else 0 end
    returning next_us as "nextUs", ${nowUs} as "nowUs"`),
);

/**
 * Reserves turns that no other caller has.
 * @param intervalMs between two of them
 */
export async function reserveRequestSlots(
  engine: PostgresEngine,
  count: number,
  intervalMs: number,
): ReturnType<NonNullable<Store['reserveRequestSlots']>> {
  const spanUs = Math.round(count * intervalMs * 1_000);
  const reserved = await engine.writeAside(() => reserve.get({ count, spanUs }));
  if (reserved === undefined) throw new Error('turns were asked for, and none are told of');
  const { nextUs, nowUs: atUs } = reserved;
  return { firstMs: (nextUs - spanUs) / 1_000, intervalMs, count, nowMs: atUs / 1_000 };
}
