/** Reads about whole batches; used on the main connection and on a snapshot's. */
import type { DatabaseSync } from 'node:sqlite';
import { type Expression, sql } from 'kysely';
import { type Satang, toSatang } from '../../core/money.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { Batch, HoldTotal, StatusTotal } from '../../core/ports.ts';
import { query, readAll, readFirst } from '../statements.ts';
import { decodeHolds } from './holds.ts';
import { toBatch } from './rows.ts';

export function readBatches(db: DatabaseSync): Batch[] {
  const newestFirst = query
    .selectFrom('batch')
    .selectAll()
    .orderBy('started_at_ms', 'desc')
    .orderBy(sql`rowid`, 'desc');
  return readAll(db, newestFirst).map(toBatch);
}

export function readBatch(db: DatabaseSync, batchId: string): Batch | undefined {
  const record = readFirst(db, query.selectFrom('batch').selectAll().where('batch_id', '=', batchId));
  return record === undefined ? undefined : toBatch(record);
}

/** Amounts are summed in two parts: a million amounts of 10^17 pass SQLite's 2^63. */
const lowPart = 1_000_000_000n;

const asText = (sum: Expression<unknown>) => sql<string>`cast(coalesce(${sum}, 0) as text)`;

function joinParts(high: string, low: string): Satang {
  return toSatang(BigInt(high) * lowPart + BigInt(low));
}

/** Count and amount of the rows of a batch in each status. */
export function readTotals(db: DatabaseSync, batchId: string): StatusTotal[] {
  const part = sql.lit(Number(lowPart));
  const byStatus = query
    .selectFrom('payout')
    .select(['status', (eb) => eb.fn.countAll<number>().as('rows')])
    .select([
      asText(sql`sum(amount_satang / ${part})`).as('high'),
      asText(sql`sum(amount_satang % ${part})`).as('low'),
      sql<number>`count(*) - count(amount_satang)`.as('unreadable_amounts'),
      sql<number>`sum(is_alarm)`.as('alarm_rows'),
    ])
    .where('batch_id', '=', batchId)
    .groupBy('status')
    .orderBy('status');
  return readAll(db, byStatus).map((record) => ({
    status: record.status,
    rows: record.rows,
    amountSatang: joinParts(record.high, record.low),
    unreadableAmounts: record.unreadable_amounts,
    alarmRows: record.alarm_rows,
  }));
}

/** Rows of a batch by hold; a row with two holds counts under both. */
export function readHoldTotals(db: DatabaseSync, batchId: string): HoldTotal[] {
  const bySet = query
    .selectFrom('payout')
    .select(['holds', (eb) => eb.fn.countAll<number>().as('rows')])
    .where('batch_id', '=', batchId)
    .where('holds', '<>', 0)
    .groupBy('holds')
    .orderBy('holds');
  const totals = new Map<HoldReason, number>();
  for (const { holds, rows } of readAll(db, bySet)) {
    for (const hold of decodeHolds(holds)) totals.set(hold, (totals.get(hold) ?? 0) + rows);
  }
  return [...totals].map(([hold, rows]) => ({ hold, rows }));
}
