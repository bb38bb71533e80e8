/** The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, lists and objects JSON text. */
import {
  type ColumnType,
  type Expression,
  type Generated,
  type Insertable,
  type RawBuilder,
  sql,
  type SqlBool,
} from 'kysely';
import { holdReasons } from '../core/payout.ts';
import type { Attempt, HoldReason, Payout, PayoutStatus, ProxyType, TransferOrder } from '../core/payout.ts';
import type { Batch, JournalLoss, PayerPause, Report } from '../core/ports.ts';
import type { NoticeChannel, NoticeDraft } from '../notify/rules/notice.ts';
import type { PayerHalt, PayoutEvent } from '../payout/ports.ts';
import { computeSimilarKey } from '../payout/rules/similar.ts';
import type { SnakeCase } from '../platform/record-rows.ts';
import type { IntakeRecord } from '../watch/ports.ts';
import type { FileKindName } from '../watch/rules/drop-folder.ts';
import type { TakenFile } from '../watch/rules/file-growth.ts';
import type { ArchiveTables } from './archive/archive-tables.ts';
import type { StatementTables } from './reconcile/statement-tables.ts';
import type { RegistrationTables } from './registration/registration-tables.ts';
import type { ApprovalTables } from './review/approval-tables.ts';
import type { DayHeadTables } from './evidence/day-head-tables.ts';
import type { ProposalEventTables } from './review/proposal-event-tables.ts';
import type { ProposalTables } from './review/proposal-tables.ts';
import type { PasskeyTables } from './review/passkey-tables.ts';
import type { PersonTables } from './review/people-tables.ts';
import type { QueueTables } from './review/queue-tables.ts';
import type { SessionTables } from './review/session-tables.ts';

/**
 * Satang go in as bigint. They come out as text (`amountText`), since a 64-bit integer does not fit a JS number,
 * and reading every integer of a row as bigint would cost more than this one.
 */
type SatangColumn = ColumnType<never, bigint | null, never>;

/** Flags go in as they are, and come out as 0 or 1. */
type FlagColumn = ColumnType<number, boolean, boolean | number>;

/** The columns that hold a record's fields, by the same names. */
export type Columns<Fields> = {
  readonly [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name] extends boolean
    ? FlagColumn
    : Fields[Name];
};

interface MetaTable {
  readonly key: string;
  readonly value: string;
}

interface SchemaVersionTable {
  readonly version: number;
  readonly applied_at_ms: number;
}

export interface BatchTable extends Columns<Omit<Batch, 'totalSatang' | 'extraColumns'>> {
  /** Decimal text: a million amounts of 10^17 pass 2^63. */
  readonly total_satang: string;
  readonly extra_columns: string;
  /** Number of the latest event, of any batch, when it last came to rest. */
  readonly rested_event_seq: ColumnType<number, number | undefined, number>;
  /** Kept by the trigger report_of_batch. */
  readonly reported_event_seq: ColumnType<number, undefined, never>;
  readonly noticed_event_seq: ColumnType<number, undefined, number>;
  /** Taken at the seal, and never changed: `BatchSeal.digest`. */
  readonly digest: ColumnType<string | null, undefined, string>;
  /** `BatchSeal.versionsDigest`. */
  readonly versions_digest: ColumnType<string | null, undefined, string>;
  /** How many people must approve it before it is paid; null where nobody need. */
  readonly approval_people: ColumnType<1 | 2 | null, undefined, 1 | 2>;
  readonly approved_digest: ColumnType<string | null, undefined, string | null>;
  /** `ApprovalBound`, of one that needed none at its seal: decimal text, and how many people. */
  readonly approval_bound_satang: ColumnType<string | null, undefined, string>;
  readonly approval_bound_people: ColumnType<1 | 2 | null, undefined, 1 | 2>;
  readonly approved_payer: ColumnType<string | null, undefined, string | null>;
  /** Why all its rows were held at the seal, as another file's; rows that have it as their reason bear its code alone. */
  readonly like_reason: ColumnType<string | null, undefined, string>;
}

/** A row as its file has it; written once. Apart from its state, so that a change of state rewrites few bytes. */
export interface PayoutRowTable {
  readonly seq: number;
  /** Trimmed; null when the cell is empty. */
  readonly payout_id: string | null;
  /** `computeSimilarKey` of the payoutId; null when there is none. */
  readonly similar_key: string | null;
  readonly line: number;
  readonly cells: string;
  readonly extras: string | null;
  /** Null, with the three that follow, when the row has no instruction. */
  readonly proxy_type: ProxyType | null;
  readonly proxy_no: string | null;
  readonly payee_name: string | null;
  readonly reference1: string | null;
  readonly reference2: string | null;
  /** `computeInstructionDigest`; null when the row has no instruction. */
  readonly digest: string | null;
  /** With it the chain commits to the digest; null when there is none, or an older program read the row in. */
  readonly salt: string | null;
  /** What its chain begins with once its cells, digest and salt were erased; null until then. */
  readonly commitment: ColumnType<string | null, undefined, string>;
}

/** A version of a row's instruction that came into force after the seal; what was sealed stays beside it. */
interface InstructionVersionTable {
  /** In the order in which they came. */
  readonly id: Generated<number>;
  readonly batch_id: string;
  readonly payout_seq: number;
  /** Counts the row's versions from 1; the sealed one is 0. */
  readonly version: number;
  readonly digest: string;
  readonly salt: string | null;
  readonly at_ms: number;
  /** JSON, of a correction: what it asks for, and what it asked for before; null of a row that asked for nothing. */
  readonly instruction: ColumnType<string | null, string | null | undefined, never>;
  readonly replaced: ColumnType<string | null, string | null | undefined, never>;
}

/** Where a payoutId occurs: one row for each sealed row that names it. */
interface PayoutPlaceTable {
  readonly payout_id: string;
  readonly payout_seq: number;
}

/** Where a payee is paid an amount: each sealed row that may be paid. */
interface PayeePlaceTable {
  readonly proxy_no: string;
  readonly amount_satang: SatangColumn;
  readonly payout_seq: number;
}

/** The present state of a row. */
export interface PayoutTable extends Columns<
  Omit<Payout, 'instruction' | 'holds' | 'acceptedHolds' | 'isAlarm' | 'isAcknowledged'>
> {
  readonly amount_satang: ColumnType<never, bigint | null, bigint>;
  /** A set as bits (`holdBits`). */
  readonly holds: number;
  readonly issues: string | null;
  readonly last_event_seq: number;
  /** A set as bits (`holdBits`). */
  readonly accepted_holds: ColumnType<number, number | undefined, number>;
  /** What the file asks for, of a row that was corrected. */
  readonly sealed_satang: ColumnType<never, bigint | null | undefined, bigint>;
  readonly is_alarm: ColumnType<number, boolean | undefined, boolean | number>;
  readonly is_acknowledged: ColumnType<number, boolean | undefined, boolean | number>;
}

/** By what payouts are looked for. */
interface ListedPayout extends Pick<
  PayoutTable,
  'seq' | 'batch_id' | 'status' | 'amount_satang' | 'holds' | 'is_alarm'
> {
  readonly placed_at_ms: number;
  readonly payout_id: string | null;
  readonly reference1: string | null;
  readonly reference2: string | null;
  readonly proxy_no: string | null;
  readonly unread_no: string | null;
  /** In small letters, a line each. */
  readonly names: string;
}

export type AttemptTable = Columns<TransferOrder & Omit<Attempt, 'order'>>;

/** Names the claim on an id of a company, a payoutId or a registrationId; claims on like ids have the same similar key. */
export interface ClaimKey {
  readonly companyId: string;
  readonly id: string;
  readonly similarKey: string;
}

/** The same with the row that is or wants to be its holder. */
export interface ClaimOfRow extends ClaimKey {
  readonly seq: number;
}

export const claimKeyOf = (companyId: string, id: string): ClaimKey => ({
  companyId,
  id,
  similarKey: computeSimilarKey(id),
});

/** One row a (company, payoutId) for ever. */
interface ClaimTable {
  readonly company_id: string;
  /** `computeSimilarKey` of the payoutId; leads the key, so that similar ones are neighbours. */
  readonly similar_key: string;
  readonly payout_id: string;
  /** The row that holds it; null when it was given back. */
  readonly payout_seq: number | null;
  /** Intents ever recorded for the payoutId, over all files. */
  readonly attempts_recorded: number;
}

/** Append-only: the database itself refuses to change or remove one. */
export interface EventTable extends Columns<Omit<PayoutEvent, 'from' | 'to' | 'detail'>> {
  readonly from_status: PayoutStatus;
  readonly to_status: PayoutStatus;
  readonly detail: string;
  /** Over the event and the one before it of its payout. */
  readonly hash: string;
}

/** What counts on a day for the limits over time; the two parts of satang come out as text. */
interface DayUseTable {
  readonly company_id: string;
  readonly date: string;
  readonly kind: 'day' | 'payee' | 'file';
  readonly key: string;
  readonly rows: number;
  readonly high: ColumnType<number, bigint | number, bigint>;
  readonly low: ColumnType<number, bigint | number, bigint>;
}

interface PayerHaltTable extends Columns<PayerHalt> {
  /** Null while it is in force. */
  readonly lifted_at_ms: number | null;
}

/** A file that was taken in, and the batch that its bytes are. */
export interface IntakeItemTable extends Columns<Omit<IntakeRecord, 'refusal'>> {
  readonly started_at_ms: number;
  /** 1 for the one file that is or was worked for its batch. */
  readonly owns_batch: number;
  readonly ended_at_ms: number | null;
  /** JSON of why it was turned away; null unless it was. */
  readonly refusal: string | null;
  readonly kind: Generated<FileKindName>;
}

export interface TakenFileTable extends Columns<Omit<TakenFile, 'isWatched' | 'growth' | 'kind'>> {
  readonly kind: Generated<FileKindName>;
  readonly is_watched: FlagColumn;
  /** JSON; null unless it has grown. */
  readonly growth: string | null;
  /** Of the growth, and of the one that was dealt with. */
  readonly growth_sha256: string | null;
  readonly closed_sha256: Generated<string | null>;
}

/** The last day for which a job was done. */
interface DailyJobTable {
  readonly name: string;
  /** YYYYMMDD in Bangkok. */
  readonly date: string;
}

/** Something that happened and is told to people outside. */
interface NoticeTable extends Columns<Omit<NoticeDraft, 'body'>> {
  readonly seq: Generated<number>;
  readonly body: string;
}

/** How far one channel has come with a notice. */
interface NoticeDeliveryTable {
  readonly notice_seq: number;
  readonly channel: NoticeChannel;
  readonly status: 'due' | 'delivered' | 'given-up';
  /** Tries that have failed. */
  readonly tries: number;
  /** Null when it is not tried any more. */
  readonly next_at_ms: number | null;
  readonly delivered_at_ms: number | null;
  /** Why the last failed try did. */
  readonly why: string | null;
}

export interface Tables
  extends
    StatementTables,
    ArchiveTables,
    ProposalTables,
    ProposalEventTables,
    DayHeadTables,
    PersonTables,
    SessionTables,
    QueueTables,
    ApprovalTables,
    PasskeyTables,
    RegistrationTables {
  meta: MetaTable;
  schema_version: SchemaVersionTable;
  batch: BatchTable;
  payout_row: PayoutRowTable;
  instruction_version: InstructionVersionTable;
  payout_place: PayoutPlaceTable;
  payee_place: PayeePlaceTable;
  payout: PayoutTable;
  payout_listed: ListedPayout;
  open_payout: ListedPayout;
  attempt: AttemptTable;
  claim: ClaimTable;
  day_use: DayUseTable;
  paid_payee: { readonly company_id: string; readonly proxy_no: string };
  event: EventTable;
  payer_halt: PayerHaltTable;
  /** At most one row for a payer account. */
  payer_pause: Columns<PayerPause>;
  /** Each time that the journal was lost or restored and a person let it go on. */
  journal_loss: Columns<JournalLoss>;
  report: Columns<Report>;
  intake_item: IntakeItemTable;
  daily_job: DailyJobTable;
  notice: NoticeTable;
  notice_delivery: NoticeDeliveryTable;
  taken_file: TakenFileTable;
}

/** A row of `payout` on its way in; the columns that are left out have their defaults. */
export type StagedPayout = Omit<
  Insertable<PayoutTable>,
  'accepted_holds' | 'is_alarm' | 'is_acknowledged' | 'sealed_satang'
>;

/** A status inside the statement's text: a partial index is used only where the statement names its condition. */
export function literal<Status extends PayoutStatus>(status: Status): RawBuilder<Status> {
  return sql.lit(status);
}

const inDoubtStatuses = ['submitted', 'unresolved'] as const satisfies readonly PayoutStatus[];

/** What may be with the bank and is not proved: the condition of the index payout_in_doubt. */
export function isInDoubt(status: Expression<PayoutStatus>): RawBuilder<SqlBool> {
  return sql`${status} in (${sql.join(inDoubtStatuses.map(literal))})`;
}

/** Joins the archived rows, as `g`, that one of these numbers is of. */
export function isArchivedSeq(seq: Expression<number | null>): RawBuilder<SqlBool> {
  return sql`g.first_seq = (select max(first_seq) from archived_rows where first_seq <= ${seq}) and g.last_seq >= ${seq}`;
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
  'new-payee': 128,
  'day-limit': 256,
  'service-day': 512,
  resend: 1024,
} as const satisfies Record<HoldReason, number>;

/** The bits of a set of holds. */
export const encodeHolds = (holds: readonly HoldReason[]): number =>
  holds.reduce((bits, hold) => bits | holdBits[hold], 0);

const noHolds: readonly HoldReason[] = [];

/** The holds that the bits stand for, in the order of the core's list. */
export const decodeHolds = (bits: number): readonly HoldReason[] =>
  bits === 0 ? noHolds : holdReasons.filter((hold) => (bits & holdBits[hold]) !== 0);

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
