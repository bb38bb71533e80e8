/** Conversions from records of the store to the core's types, and back. */
import {
  type Expression,
  type InferResult,
  type RawBuilder,
  type Selectable,
  sql,
  type SqlBool,
} from 'kysely';
import { decodeMessageIfAny, encodeMessage, joined } from '../../core/message.ts';
import { type Satang, toSatang } from '../../core/money.ts';
import { type Issue, type RowCells, type RowColumn, rowColumns } from '../../core/payout-file.ts';
import type { Attempt, Instruction, Payout } from '../../core/payout.ts';
import type { Batch, ResultRow } from '../../core/ports.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import { decodeHolds, type Tables } from '../schema.ts';
import { define, query, type Reading } from '../statements.ts';

/** The reason of a row; the batch has it for a row that is held with its whole file. */
const reasonShown = sql<string | null>`case
  when p.reason is null and p.reason_code in (${sql.join(Object.values(likeFileCodes).map((code) => sql.lit(code)))})
  then (select b.like_reason from batch as b where b.batch_id = p.batch_id) else p.reason end`;

/** The state of rows joined with what their file says. */
export function selectPayouts() {
  return query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .select([
      'p.seq',
      'p.batch_id',
      'p.row_no',
      sql<string | null>`cast(p.amount_satang as text)`.as('amount_text'),
      'p.status',
      'p.holds',
      'p.reason_code',
      reasonShown.as('reason'),
      'p.version',
      'p.attempt_no',
      'p.bank_payee_name',
      'p.bank_payee_name_th',
      'p.submitted_at_ms',
      'p.settled_at_ms',
      'p.settled_by',
      'p.accepted_holds',
      'p.is_alarm',
      'p.is_acknowledged',
      'r.payout_id',
      'r.proxy_type',
      'r.proxy_no',
      'r.payee_name',
      'r.reference1',
      'r.reference2',
    ]);
}

export type PayoutRecord = InferResult<ReturnType<typeof selectPayouts>>[number];

/** The attempt that a row stands for: the one that was paid, which late proof may show to be an earlier one, else the latest. */
const shownAttemptNo = sql<number>`case when p.status = 'paid' then coalesce((select max(x.attempt_no) from attempt x where x.payout_seq = p.seq and x.status = 'paid'), p.attempt_no) else p.attempt_no end`;

/** Rows with everything that a result file shows. */
export function selectResultRows() {
  return selectPayouts()
    .leftJoin('attempt as a', (join) =>
      join.onRef('a.payout_seq', '=', 'p.seq').on('a.attempt_no', '=', shownAttemptNo),
    )
    .select(['p.issues', 'r.line', 'r.cells', 'r.extras', 'a.trans_ref_no', 'a.sys_ref_no', 'a.fee_text']);
}

type ResultRecord = InferResult<ReturnType<typeof selectResultRows>>[number];

function readAmount(text: string | null): Satang | null {
  return text === null ? null : toSatang(BigInt(text));
}

/** The columns of a record that say what its row asks for. */
export type InstructionColumns = Pick<
  PayoutRecord,
  'payout_id' | 'proxy_type' | 'proxy_no' | 'payee_name' | 'reference1' | 'reference2' | 'amount_text'
>;

/** The instruction of a row; null for one that asks for nothing that can be paid. */
export function readInstruction(record: InstructionColumns): Instruction | null {
  const { proxy_type: proxyType, proxy_no: proxyNo, payout_id: payoutId } = record;
  const amountSatang = readAmount(record.amount_text);
  if (proxyType === null || proxyNo === null || payoutId === null || amountSatang === null) return null;
  const { payee_name: payeeName, reference1, reference2 } = record;
  return { payoutId, proxyType, proxyNo, payeeName, amountSatang, reference1, reference2 };
}

/** The fields that Payout and ResultRow share. */
function readState(record: PayoutRecord) {
  return {
    seq: record.seq,
    rowNo: record.row_no,
    status: record.status,
    holds: decodeHolds(record.holds),
    reasonCode: record.reason_code,
    reason: decodeMessageIfAny(record.reason),
    version: record.version,
    attemptNo: record.attempt_no,
    bankPayeeName: record.bank_payee_name,
    bankPayeeNameTh: record.bank_payee_name_th,
    submittedAtMs: record.submitted_at_ms,
    settledAtMs: record.settled_at_ms,
    settledBy: record.settled_by,
    isAlarm: record.is_alarm === 1,
    isAcknowledged: record.is_acknowledged === 1,
  };
}

/** The payout of a record; undefined for a row without an instruction, which can never be paid. */
export function toPayout(record: PayoutRecord): Payout | undefined {
  const instruction = readInstruction(record);
  if (instruction === null) return undefined;
  const acceptedHolds = decodeHolds(record.accepted_holds);
  return { ...readState(record), acceptedHolds, batchId: record.batch_id, instruction };
}

/** The payout of a record whose status only a row with an instruction can have. */
export function requirePayout(record: PayoutRecord): Payout {
  const payout = toPayout(record);
  if (payout === undefined)
    throw new Error(`payout ${record.seq} is ${record.status} and has no instruction`);
  return payout;
}

/** Cells as a JSON list, in the order of `rowColumns`. */
export function encodeCells(cells: RowCells): string {
  return JSON.stringify(rowColumns.map((name) => cells[name]));
}

function decodeCells(text: string): RowCells {
  const cells = JSON.parse(text) as string[];
  return Object.fromEntries(rowColumns.map((name, place) => [name, cells[place] ?? ''])) as Record<
    RowColumn,
    string
  >;
}

/** A list as JSON; an empty one takes no space. */
export function encodeList(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

/** How a row is kept before the seal: rejected already, or staged. */
export function toStaged(
  { startedAtMs, batchId }: Pick<Batch, 'batchId' | 'startedAtMs'>,
  row: {
    readonly rowNo: number;
    readonly issues: readonly Issue[];
    readonly instruction: object | null;
    readonly holds: readonly string[];
  },
  holdBits: number,
) {
  const isRejected = row.issues.length > 0 || row.instruction === null;
  return {
    batch_id: batchId,
    row_no: row.rowNo,
    status: isRejected ? 'rejected' : 'staged',
    holds: isRejected ? 0 : holdBits,
    reason_code: row.issues[0]?.code ?? row.holds[0] ?? null,
    reason: isRejected ? encodeMessage(joined(row.issues.map(({ message }) => message))) : null,
    issues: encodeList(row.issues),
    settled_at_ms: isRejected ? startedAtMs : null,
    settled_by: isRejected ? 'rules' : null,
  } as const;
}

export function toResultRow(record: ResultRecord): ResultRow {
  return {
    ...readState(record),
    line: record.line,
    cells: decodeCells(record.cells),
    instruction: readInstruction(record),
    amountSatang: readAmount(record.amount_text),
    issues: record.issues === null ? [] : (JSON.parse(record.issues) as Issue[]),
    extras: record.extras === null ? [] : (JSON.parse(record.extras) as string[]),
    transRefNo: record.trans_ref_no,
    sysRefNo: record.sys_ref_no,
    feeText: record.fee_text,
  };
}

export function toBatch(record: Selectable<Tables['batch']>): Batch {
  return {
    batchId: record.batch_id,
    sha256: record.sha256,
    fileName: record.file_name,
    companyId: record.company_id,
    payerAccount: record.payer_account,
    status: record.status,
    reasonCode: record.reason_code,
    reason: decodeMessageIfAny(record.reason),
    remedy: decodeMessageIfAny(record.remedy),
    rows: record.rows,
    totalSatang: toSatang(BigInt(record.total_satang)),
    unreadableAmounts: record.unreadable_amounts,
    extraColumns: JSON.parse(record.extra_columns) as string[],
    startedAtMs: record.started_at_ms,
    ageFromMs: record.age_from_ms,
    sealedAtMs: record.sealed_at_ms,
    restedAtMs: record.rested_at_ms,
  };
}

export function toAttempt(record: Selectable<Tables['attempt']>): Attempt {
  return {
    payoutSeq: record.payout_seq,
    attemptNo: record.attempt_no,
    status: record.status,
    order: {
      transRefNo: record.trans_ref_no,
      channelId: record.channel_id,
      termId: record.term_id,
      companyId: record.company_id,
      payerAccount: record.payer_account,
      tranDate: record.tran_date,
      tranTime: record.tran_time,
      proxyType: record.proxy_type,
      proxyNo: record.proxy_no,
      proxyName: record.proxy_name,
      amountText: record.amount_text,
      reference1: record.reference1,
      reference2: record.reference2,
    },
    orderHash: record.order_hash,
    intentAtMs: record.intent_at_ms,
    sends: record.sends,
    lastSentAtMs: record.last_sent_at_ms,
    lastSentBankMs: record.last_sent_bank_ms,
    refusals: record.refusals,
    unprovenRefusals: record.unproven_refusals,
    refusalCode: record.refusal_code,
    uncountedSends: record.uncounted_sends,
    hasFailedItem: record.has_failed_item === 1,
    acknowledged: record.acknowledged === 1,
    referenceConflict: record.reference_conflict === 1,
    inquiries: record.inquiries,
    lastInquiryAtMs: record.last_inquiry_at_ms,
    lastFinding: record.last_finding,
    nextInquiryAtMs: record.next_inquiry_at_ms,
    sysRefNo: record.sys_ref_no,
    feeText: record.fee_text,
  };
}

/** Each of the two is found by one step in an index. */
const latestEvent = define((_values: object) =>
  query.selectNoFrom([
    sql<number | null>`(select max(seq) from event)`.as('seq'),
    sql<number | null>`(select max(latest_event_seq) from archived_batch)`.as('archived_seq'),
  ]),
);

/** Returns the number of the latest event, archived ones included; 0 before the first. */
export function* readLatestEventSeq(): Reading<number> {
  const latest = yield* latestEvent.get({});
  return Math.max(latest?.seq ?? 0, latest?.archived_seq ?? 0);
}

const lastRow = define((values: { batchId: string }) =>
  query
    .selectFrom('payout')
    .select((eb) => eb.fn.max<number | null>('row_no').as('row_no'))
    .where('batch_id', '=', values.batchId),
);

/** Returns the number of the last row; 0 when the batch has no rows; an index knows it. */
export function* readLastRowNo(batchId: string): Reading<number> {
  return (yield* lastRow.get({ batchId }))?.row_no ?? 0;
}

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 1_000;

/** Rows of a batch, in the order of the file. */
export interface BatchPage {
  readonly batchId: string;
  readonly afterRowNo: number;
  readonly lastRowNo: number;
}

/** True of a row, as `p`, on the page: with a limit PostgreSQL could look at all rows for each page. */
export const isOnPage = ({ batchId, afterRowNo, lastRowNo }: BatchPage): RawBuilder<SqlBool> =>
  sql`p.batch_id = ${batchId} and p.row_no > ${afterRowNo} and p.row_no <= ${lastRowNo}`;

/** The bounds of each page. */
export function* pagesOf(batchId: string): Reading<Omit<BatchPage, 'batchId'>[]> {
  const pages = Math.ceil((yield* readLastRowNo(batchId)) / pageRows);
  return Array.from({ length: pages }, (_, page) => ({
    afterRowNo: page * pageRows,
    lastRowNo: (page + 1) * pageRows,
  }));
}

// ---------------------------------------------------------------- sums

/** Amounts are summed in two parts: a million amounts of 10^17 pass SQLite's 2^63. */
export const lowPart = 1_000_000_000n;

const part = sql.lit(Number(lowPart));

/** The two parts of an amount in satang. */
export const partsOfAmount = (amount: Expression<unknown>) => ({
  high: sql<number>`${amount} / ${part}`,
  low: sql<number>`${amount} % ${part}`,
});

/** The sum as text: beyond 2^53 JavaScript has no exact number. */
export const asText = (sum: Expression<unknown>) => sql<string>`cast(coalesce(${sum}, 0) as text)`;

/** The sums of the two parts of an amount, for `joinParts`. */
export function sumAmount(amount: Expression<unknown>) {
  const { high, low } = partsOfAmount(amount);
  return [asText(sql`sum(${high})`).as('high'), asText(sql`sum(${low})`).as('low')] as const;
}

/** The sum of the two parts. */
export function joinParts(high: string, low: string): Satang {
  return toSatang(BigInt(high) * lowPart + BigInt(low));
}
