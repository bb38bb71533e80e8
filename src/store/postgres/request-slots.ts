/** When the machines that work a journal may call the bank, one after the other, by the database's clock. */
import { sql } from 'kysely';
import { define, textStatement } from '../statements.ts';
import type { Store } from '../store.ts';
import type { PostgresEngine } from './engine.ts';

/** Finer than the milliseconds of the other tables: of hundreds of calls a second each has a moment of its own. */
const nowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** Nobody waits for longer: a clock that was ahead, and was put right, has left moments that are far off. */
const aheadMaxUs = sql.lit(60_000_000);

interface Wanted {
  readonly spanUs: number;
}

const reserve = define(({ spanUs }: Wanted) =>
  textStatement<{ readonly nextUs: number; readonly nowUs: number }>(sql`
    insert into request_slot as t (name, next_us) values ('bank', ${nowUs} + ${spanUs}::bigint)
    on conflict (name) do update
      set next_us = greatest(least(t.next_us, ${nowUs} + ${aheadMaxUs}), ${nowUs}) + ${spanUs}::bigint
    returning next_us as "nextUs", ${nowUs} as "nowUs"`),
);

/**
 * Reserves turns that nobody else has.
 * @param intervalMs between two of them
 */
export async function reserveRequestSlots(
  engine: PostgresEngine,
  count: number,
  intervalMs: number,
): ReturnType<NonNullable<Store['reserveRequestSlots']>> {
  const spanUs = Math.round(count * intervalMs * 1_000);
  const reserved = await engine.writeAside(() => reserve.get({ spanUs }));
  if (reserved === undefined) throw new Error('turns were asked for, and none are told of');
  const { nextUs, nowUs: atUs } = reserved;
  return { firstMs: (nextUs - spanUs) / 1_000, intervalMs, count, nowMs: atUs / 1_000 };
}
