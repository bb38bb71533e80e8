/** The schedule: the last day of each daily job, and the write probe, which shows that the disk takes what is written. */
import { sql } from 'kysely';
import type { ScheduleStore, WatchStore } from '../../watch/ports.ts';
import { type BodiesOf, change, query, selectFirst } from '../statements.ts';

export const scheduleReads = {
  *lastDailyJob(name) {
    return (yield* selectFirst(query.selectFrom('daily_job').select('date').where('name', '=', name)))?.date;
  },
} satisfies Partial<BodiesOf<ScheduleStore>>;

/** The key of the write probe among the facts of the journal's identity; it is never read. */
const probeKey = 'probedAtMs';

/** SQLite writes nothing at all when the row would stay as it is. */
const anotherThan = (value: string) =>
  sql<string>`case meta.value when ${value} then ${value} || ' again' else ${value} end`;

/** Writes that are one transaction each. */
export const scheduleWrites = {
  *recordDailyJob(name, date) {
    const insert = query
      .insertInto('daily_job')
      .values({ name, date })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ date }));
    yield* change(insert);
  },
  /** The write probe. */
  *probe(nowMs) {
    const value = String(nowMs);
    const insert = query
      .insertInto('meta')
      .values({ key: probeKey, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: anotherThan(value) }));
    yield* change(insert);
  },
} satisfies Partial<BodiesOf<WatchStore>>;
