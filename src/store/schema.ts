/** The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, lists and objects JSON text. */
import {
  type ColumnType,
  type Expression,
  type Insertable,
  type RawBuilder,
  sql,
  type SqlBool,
} from 'kysely';
import { holdReasons } from '../core/payout.ts';
import type {
  AttemptStatus,
  BatchStatus,
  HoldReason,
  InquiryFinding,
  PayoutCause,
  PayoutStatus,
  ProxyType,
  SettledBy,
} from '../core/payout.ts';
import type { ReportKind } from '../core/ports.ts';
import type { StatementTables } from './reconcile/statement-tables.ts';
import type { WatchTables } from './watch/tables.ts';

/**
 * Satang go in as bigint. They come out as text (`amountText`), since a 64-bit integer does not fit a JS number,
 * and reading every integer of a row as bigint would cost more than this one.
 */
type SatangColumn = ColumnType<never, bigint | null, never>;

interface MetaTable {
  readonly key: string;
  readonly value: string;
}

interface SchemaVersionTable {
  readonly version: number;
  readonly applied_at_ms: number;
}

export interface BatchTable {
  readonly batch_id: string;
  readonly sha256: string;
  readonly file_name: string;
  readonly company_id: string;
  readonly payer_account: string;
  readonly status: BatchStatus;
  readonly reason_code: string | null;
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly rows: number;
  /** Decimal text: a million amounts of 10^17 pass 2^63. */
  readonly total_satang: string;
  readonly unreadable_amounts: number;
  readonly extra_columns: string;
  readonly started_at_ms: number;
  readonly age_from_ms: number;
  readonly sealed_at_ms: number | null;
  readonly rested_at_ms: number | null;
  /** Number of the latest event, of any batch, when it last came to rest. */
  readonly rested_event_seq: ColumnType<number, number | undefined, number>;
  /** Kept by the trigger report_of_batch. */
  readonly reported_event_seq: ColumnType<number, undefined, never>;
  readonly told_event_seq: ColumnType<number, undefined, number>;
}

/** A row as its file has it; written once. Apart from its state, so that a change of state rewrites few bytes. */
export interface PayoutRowTable {
  readonly seq: number;
  /** Trimmed; null when the cell is empty. */
  readonly payout_id: string | null;
  readonly line: number;
  readonly cells: string;
  readonly extras: string | null;
  /** Null, with the three that follow, when the row has no instruction. */
  readonly proxy_type: ProxyType | null;
  readonly proxy_no: string | null;
  readonly payee_name: string | null;
  readonly reference1: string | null;
  readonly reference2: string | null;
}

/** Where a payoutId occurs: one row for each sealed row that names it. */
interface PayoutPlaceTable {
  readonly payout_id: string;
  readonly payout_seq: number;
}

/** The present state of a row. */
export interface PayoutTable {
  readonly seq: number;
  readonly batch_id: string;
  readonly row_no: number;
  readonly amount_satang: SatangColumn;
  readonly status: PayoutStatus;
  /** A set as bits (`holdBits`). */
  readonly holds: number;
  readonly reason_code: string | null;
  readonly reason: string | null;
  readonly issues: string | null;
  readonly version: number;
  readonly attempt_no: number;
  readonly bank_payee_name: string | null;
  readonly bank_payee_name_th: string | null;
  readonly submitted_at_ms: number | null;
  readonly settled_at_ms: number | null;
  readonly settled_by: SettledBy | null;
  readonly last_event_seq: number;
  /** A set as bits (`holdBits`). */
  readonly accepted_holds: ColumnType<number, number | undefined, number>;
  readonly is_alarm: ColumnType<number, number | undefined, number>;
}

export interface AttemptTable {
  readonly payout_seq: number;
  readonly attempt_no: number;
  readonly status: AttemptStatus;
  readonly trans_ref_no: string;
  readonly channel_id: string;
  readonly term_id: string;
  readonly company_id: string;
  readonly payer_account: string;
  readonly tran_date: string;
  readonly tran_time: string;
  readonly proxy_type: ProxyType;
  readonly proxy_no: string;
  readonly proxy_name: string | null;
  readonly amount_text: string;
  readonly reference1: string | null;
  readonly reference2: string | null;
  readonly order_hash: string;
  readonly intent_at_ms: number;
  readonly sends: number;
  readonly last_sent_at_ms: number | null;
  readonly last_sent_bank_ms: number | null;
  readonly turned_away: number;
  readonly acknowledged: number;
  readonly contested: number;
  readonly inquiries: number;
  readonly last_inquiry_at_ms: number | null;
  readonly last_finding: InquiryFinding | null;
  readonly next_inquiry_at_ms: number | null;
  readonly sys_ref_no: string | null;
  readonly fee_text: string | null;
}

/** One row a (company, payoutId) for ever. */
interface ClaimTable {
  readonly company_id: string;
  /** `similarKeyOf` the payoutId; leads the key, so that similar ones are neighbours. */
  readonly similar_key: string;
  readonly payout_id: string;
  /** The row that holds it; null when it was given back. */
  readonly payout_seq: number | null;
  /** Intents ever recorded for the payoutId, over all files. */
  readonly attempts_recorded: number;
}

/** Append-only: the database itself refuses to change or remove one. */
export interface EventTable {
  readonly seq: number;
  readonly payout_seq: number;
  readonly from_status: PayoutStatus;
  readonly to_status: PayoutStatus;
  readonly cause: PayoutCause;
  readonly at_ms: number;
  readonly attempt_no: number;
  readonly detail: string;
}

interface LineStopTable {
  readonly company_id: string;
  readonly payer_account: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  readonly since_ms: number;
  /** Null while it is in force. */
  readonly lifted_at_ms: number | null;
}

/** How long the service asked, or was seen, to be left alone; at most one row for a payer account. */
interface LinePauseTable {
  readonly company_id: string;
  readonly payer_account: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  readonly troubles: number;
  /** A transfer met it. */
  readonly is_transfer: number;
  readonly since_ms: number;
  readonly until_ms: number;
}

/** Each time that the journal was lost or restored and a person let it go on. */
interface JournalLossTable {
  readonly recovered_at_ms: number;
  /** YYYYMMDD in Bangkok: the first day of which something may be missing. */
  readonly since_date: string;
  /** YYYYMMDD in Bangkok: the last day of which something may be missing. */
  readonly until_date: string;
}

interface ReportTable {
  readonly batch_id: string;
  readonly kind: ReportKind;
  readonly number: number;
  readonly path: string;
  readonly temporary_path: string;
  readonly sha256: string;
  readonly event_seq: number;
  readonly at_ms: number;
}

export interface Tables extends WatchTables, StatementTables {
  meta: MetaTable;
  schema_version: SchemaVersionTable;
  batch: BatchTable;
  payout_row: PayoutRowTable;
  payout_place: PayoutPlaceTable;
  payout: PayoutTable;
  attempt: AttemptTable;
  claim: ClaimTable;
  event: EventTable;
  line_stop: LineStopTable;
  line_pause: LinePauseTable;
  journal_loss: JournalLossTable;
  report: ReportTable;
}

export const attemptColumns = [
  'payout_seq',
  'attempt_no',
  'status',
  'trans_ref_no',
  'channel_id',
  'term_id',
  'company_id',
  'payer_account',
  'tran_date',
  'tran_time',
  'proxy_type',
  'proxy_no',
  'proxy_name',
  'amount_text',
  'reference1',
  'reference2',
  'order_hash',
  'intent_at_ms',
  'sends',
  'last_sent_at_ms',
  'last_sent_bank_ms',
  'turned_away',
  'acknowledged',
  'contested',
  'inquiries',
  'last_inquiry_at_ms',
  'last_finding',
  'next_inquiry_at_ms',
  'sys_ref_no',
  'fee_text',
] as const satisfies readonly (keyof AttemptTable)[];

export const eventColumns = [
  'seq',
  'payout_seq',
  'from_status',
  'to_status',
  'cause',
  'at_ms',
  'attempt_no',
  'detail',
] as const satisfies readonly (keyof EventTable)[];

export const payoutColumns = [
  'seq',
  'batch_id',
  'row_no',
  'amount_satang',
  'status',
  'holds',
  'reason_code',
  'reason',
  'issues',
  'version',
  'attempt_no',
  'bank_payee_name',
  'bank_payee_name_th',
  'submitted_at_ms',
  'settled_at_ms',
  'settled_by',
  'last_event_seq',
] as const satisfies readonly (keyof PayoutTable)[];

export const payoutRowColumns = [
  'seq',
  'payout_id',
  'line',
  'cells',
  'extras',
  'proxy_type',
  'proxy_no',
  'payee_name',
  'reference1',
  'reference2',
] as const satisfies readonly (keyof PayoutRowTable)[];

/** A row of `payout` on its way in. */
export type StagedPayout = Insertable<PayoutTable>;

/** A status inside the statement's text: a partial index is used only where the statement names its condition. */
export function literal<Status extends PayoutStatus>(status: Status): RawBuilder<Status> {
  return sql.lit(status);
}

const inDoubtStatuses = ['submitted', 'unresolved'] as const satisfies readonly PayoutStatus[];

/** What may be with the bank and is not proved: the condition of the index payout_in_doubt. */
export function isInDoubt(status: Expression<PayoutStatus>): RawBuilder<SqlBool> {
  return sql`${status} in (${sql.join(inDoubtStatuses.map(literal))})`;
}

/** What payoutIds that differ only in case or leading zeros have in common. payoutIds are plain ASCII. */
export function similarKeyOf(payoutId: string | Expression<string | null>): RawBuilder<string> {
  return sql`ltrim(lower(${payoutId}), '0')`;
}

/**
 * A set of holds as the bits of one integer, so that a statement can add and lift holds of a whole batch. Written in
 * the file: a bit is never given to another reason.
 */
export const holdBits = {
  approval: 1,
  name: 2,
  limit: 4,
  halted: 8,
  paused: 16,
  unavailable: 32,
  similar: 64,
} as const satisfies Record<HoldReason, number>;

/** The bits of a set of holds. */
export function encodeHolds(holds: readonly HoldReason[]): number {
  let bits = 0;
  for (const hold of holds) bits |= holdBits[hold];
  return bits;
}

const noHolds: readonly HoldReason[] = [];

/** The holds that the bits stand for, in the order of the core's list. */
export function decodeHolds(bits: number): readonly HoldReason[] {
  return bits === 0 ? noHolds : holdReasons.filter((hold) => (bits & holdBits[hold]) !== 0);
}

/** The bits of a column with some added. */
export function addBits(bits: Expression<number>, added: number): RawBuilder<number> {
  return sql`(${bits} | ${sql.lit(added)})`;
}

/** The bits of a column without some. */
export function removeBits(bits: Expression<number>, removed: number): RawBuilder<number> {
  return sql`(${bits} & ~${sql.lit(removed)})`;
}

/** True where a column has any of some bits. */
export function hasBits(bits: Expression<number>, wanted: number): RawBuilder<SqlBool> {
  return sql`(${bits} & ${sql.lit(wanted)}) <> 0`;
}
