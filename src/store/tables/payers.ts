/** Halts and pauses of payer accounts, and the sums of a day for the limits over time. */
import type { ColumnType } from 'kysely';
import { flag, integer, text } from './column.ts';
import { table, uniqueIndex } from './table.ts';

export const payerHalt = table('payer_halt', {
  columns: {
    company_id: text(),
    payer_account: text(),
    code: text(),
    reason: text(),
    remedy: text(),
    since_ms: integer(),
    /** Null while it is in force. */
    lifted_at_ms: integer().orNull(),
  },
  indexes: [uniqueIndex('payer_halt_in_force', 'company_id, payer_account', 'lifted_at_ms is null')],
});

/** At most one row for a payer account. */
export const payerPause = table('payer_pause', {
  columns: {
    company_id: text(),
    payer_account: text(),
    code: text(),
    reason: text(),
    remedy: text(),
    /** Troubles met one after another; the next pause is longer for each. */
    troubles: integer(),
    /** A transfer met the trouble: only another transfer proves that it is over. */
    is_transfer: flag(),
    since_ms: integer(),
    until_ms: integer(),
  },
  key: ['company_id', 'payer_account'],
});

/** A part of a sum of satang: many of them pass 2^63. The two parts come out as text. */
const part = () => integer<ColumnType<number, bigint | number, bigint>>();

/** Sums of a day: of all of it, of each payee, of each file. */
export const dayUse = table('day_use', {
  columns: {
    company_id: text(),
    date: text(),
    kind: text<'day' | 'payee' | 'file'>().oneOf('day', 'payee', 'file'),
    key: text(),
    rows: integer(),
    high: part(),
    low: part(),
  },
  key: ['company_id', 'date', 'kind', 'key'],
});

/** Payees that rows which have left for an archive have paid. */
export const paidPayee = table('paid_payee', {
  columns: { company_id: text(), proxy_no: text() },
  key: ['company_id', 'proxy_no'],
});
