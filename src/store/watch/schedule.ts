/** Trifles that a watcher keeps: the day of each round, and proof that the disk takes what is written. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { inTransaction } from '../connection.ts';
import { query, readFirst, write } from '../statements.ts';
import type { Store } from '../store.ts';

/** Among the facts that the journal was stamped with; nobody reads it. */
const probeKey = 'probedAtMs';

export function makeUpkeep(db: DatabaseSync): Pick<Store, 'probe' | 'lastRound' | 'recordRound'> {
  return {
    probe: async (nowMs) => writeProbe(db, nowMs),
    lastRound: async (name) => {
      const latest = query.selectFrom('daily_round').select('date').where('name', '=', name);
      return readFirst(db, latest)?.date;
    },
    recordRound: async (name, date) => {
      const insert = query
        .insertInto('daily_round')
        .values({ name, date })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ date }));
      inTransaction(db, () => write(db, insert));
    },
  };
}

/** SQLite writes nothing at all when the row would stay as it is. */
const anotherThan = (value: string) =>
  sql<string>`case meta.value when ${value} then ${value} || ' again' else ${value} end`;

function writeProbe(db: DatabaseSync, nowMs: number): void {
  const value = String(nowMs);
  const insert = query
    .insertInto('meta')
    .values({ key: probeKey, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: anotherThan(value) }));
  inTransaction(db, () => write(db, insert));
}
