/** Conversions from records of the registrations' tables to their types, and back. */
import { hash } from 'node:crypto';
import { type InferResult, type Selectable, sql } from 'kysely';
import { decodeMessageIfAny } from '../../core/message.ts';
import type { Issue } from '../../core/payout-file.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { KeptCallback, RegistrationBatch, RegistrationRow } from '../../registration/ports.ts';
import type { RegistrationCallback } from '../../registration/rules/callback.ts';
import { type RegistrationCells, registrationColumns } from '../../registration/rules/registration-file.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationHold,
  RegistrationInstruction,
  RegistrationStatus,
} from '../../registration/rules/registration.ts';
import { awaitedStatuses, registrationHolds } from '../../registration/rules/registration.ts';
import { query } from '../statements.ts';
import type { Tables } from '../schema.ts';

/** A status inside the statement's text: a partial index is used only where the statement names its condition. */
export const statusLiteral = <Status extends RegistrationStatus>(status: Status) => sql.lit(status);

/** The condition of the index registration_awaited, word for word. */
export const isAwaited = sql<boolean>`p.status in (${sql.join(awaitedStatuses.map(statusLiteral))})`;

/** The bits of the holds, written in the file: a bit is never given to another hold. */
const registrationHoldBits: Readonly<Record<RegistrationHold, number>> = {
  paused: 1,
  halted: 2,
  similar: 4,
  'called-back': 8,
};

/** The bits of a set of holds. */
export const encodeHolds = (holds: readonly RegistrationHold[]): number =>
  holds.reduce((bits, hold) => bits | registrationHoldBits[hold], 0);

const noHolds: readonly RegistrationHold[] = [];

/** The holds that the bits stand for. */
export const decodeHolds = (bits: number): readonly RegistrationHold[] =>
  bits === 0 ? noHolds : registrationHolds.filter((hold) => (bits & registrationHoldBits[hold]) !== 0);

/** Rows with their state and what they ask for now. */
export function selectRegistrations() {
  return query
    .selectFrom('registration as p')
    .leftJoin('registration_asked as a', 'a.seq', 'p.seq')
    .select(['p.seq', 'p.batch_id', 'p.row_no', 'p.version', 'p.status', 'p.holds', 'p.accepted_holds'])
    .select([
      'p.reason_code',
      'p.reason',
      'p.attempt_no',
      'p.submitted_at_ms',
      'p.settled_at_ms',
      'p.settled_by',
    ])
    .select([
      'p.awaited_until_ms',
      'p.resp_code',
      'p.resp_desc',
      'p.apply_dtm',
      'p.is_alarm',
      'p.is_acknowledged',
    ])
    .select(['a.registration_id', 'a.customer_id', 'a.vendor_id', 'a.company_id', 'a.account_no'])
    .select(['a.ref1', 'a.ref2', 'a.ref3', 'a.ref4']);
}

type RegistrationRecord = InferResult<ReturnType<typeof selectRegistrations>>[number];

function readInstruction(record: RegistrationRecord): RegistrationInstruction | null {
  const { registration_id: registrationId, customer_id: customerId, account_no: accountNo } = record;
  const { vendor_id: vendorId, company_id: companyId, ref1, ref2, ref3, ref4 } = record;
  if (registrationId === null || customerId === null || accountNo === null) return null;
  if (vendorId === null || companyId === null) return null;
  return { registrationId, customerId, vendorId, companyId, accountNo, refs: [ref1, ref2, ref3, ref4] };
}

export function toRegistration(record: RegistrationRecord): Registration {
  return {
    seq: record.seq,
    batchId: record.batch_id,
    rowNo: record.row_no,
    instruction: readInstruction(record),
    version: record.version,
    status: record.status,
    holds: decodeHolds(record.holds),
    acceptedHolds: decodeHolds(record.accepted_holds),
    reasonCode: record.reason_code,
    reason: decodeMessageIfAny(record.reason),
    attemptNo: record.attempt_no,
    submittedAtMs: record.submitted_at_ms,
    settledAtMs: record.settled_at_ms,
    settledBy: record.settled_by,
    awaitedUntilMs: record.awaited_until_ms,
    respCode: record.resp_code,
    respDesc: record.resp_desc,
    applyDtm: record.apply_dtm,
    isAlarm: record.is_alarm === 1,
    isAcknowledged: record.is_acknowledged === 1,
  };
}

/** Rows with everything that a result file shows: as the file has them, and their latest attempt. */
export function selectResultRows() {
  return selectRegistrations()
    .innerJoin('registration_row as r', 'r.seq', 'p.seq')
    .leftJoin('registration_attempt as t', (join) =>
      join.onRef('t.registration_seq', '=', 'p.seq').onRef('t.attempt_no', '=', 'p.attempt_no'),
    )
    .select(['p.issues', 'r.line', 'r.cells', 'r.extras', 'r.instruction as file_instruction'])
    .select(['t.instruction as sent', 't.request_uid', 't.renewed_uid', 't.ip_address', 't.intent_at_ms'])
    .select(['t.http_status', 't.status_code', 't.status_desc', 't.severity', 't.ddr_oapi_seq_id'])
    .select(['t.elapsed_ms', 't.bank_offset_ms', 't.taken']);
}

type ResultRecord = InferResult<ReturnType<typeof selectResultRows>>[number];

const parseInstruction = (text: string): RegistrationInstruction =>
  JSON.parse(text) as RegistrationInstruction;

function readAttempt(record: ResultRecord): RegistrationAttempt | undefined {
  const { sent, request_uid: requestUid, ip_address: ipAddress, intent_at_ms: intentAtMs } = record;
  if (sent === null || requestUid === null || ipAddress === null || intentAtMs === null) return undefined;
  return {
    registrationSeq: record.seq,
    attemptNo: record.attempt_no,
    instruction: parseInstruction(sent),
    requestUid,
    renewedUid: record.renewed_uid,
    ipAddress,
    intentAtMs,
    httpStatus: record.http_status,
    statusCode: record.status_code,
    statusDesc: record.status_desc,
    severity: record.severity,
    ddrOapiSeqId: record.ddr_oapi_seq_id,
    elapsedMs: record.elapsed_ms,
    bankOffsetMs: record.bank_offset_ms,
    taken: record.taken,
  };
}

const parseList = (text: string | null): unknown => (text === null ? [] : JSON.parse(text));

/** Cells as a JSON list, in the order of `registrationColumns`. */
export const encodeCells = (cells: RegistrationCells): string =>
  JSON.stringify(registrationColumns.map((name) => cells[name]));

function decodeCells(text: string): RegistrationCells {
  const cells = JSON.parse(text) as string[];
  return Object.fromEntries(
    registrationColumns.map((name, place) => [name, cells[place] ?? '']),
  ) as RegistrationCells;
}

export function toResultRow(record: ResultRecord): RegistrationRow {
  const { instruction: currentInstruction, ...state } = toRegistration(record);
  const { file_instruction: instruction } = record;
  return {
    ...state,
    currentInstruction,
    instruction: instruction === null ? null : parseInstruction(instruction),
    line: record.line,
    cells: decodeCells(record.cells),
    extras: parseList(record.extras) as string[],
    issues: parseList(record.issues) as Issue[],
    attempt: readAttempt(record),
  };
}

// ---------------------------------------------------------------- batches, attempts, callbacks

type BatchRecord = Selectable<Tables['registration_batch']>;

const batchRecords = makeRowMapping({
  json: ['reason', 'remedy', 'extra_columns'],
  // The column `rowid` is one of its own on PostgreSQL alone.
  own: ['rowid', 'latest_news_seq', 'reported_event_seq'],
});

export const toBatch = (record: BatchRecord): RegistrationBatch =>
  batchRecords.toRecord<RegistrationBatch>(record);

const attemptRecords = makeRowMapping({ json: ['instruction'], own: ['identity_key'] });

export const toAttempt = (record: Selectable<Tables['registration_attempt']>): RegistrationAttempt =>
  attemptRecords.toRecord<RegistrationAttempt>(record);

export const toCallback = (record: Selectable<Tables['registration_callback']>): KeptCallback => ({
  id: record.id,
  key: record.key,
  registrationSeq: record.registration_seq,
  repeats: record.repeats,
  callback: JSON.parse(record.callback) as RegistrationCallback,
  body: record.body,
  header: JSON.parse(record.header) as Record<string, string>,
  fromAddress: record.from_address,
  receivedAtMs: record.received_at_ms,
});

// ---------------------------------------------------------------- digests

/** The place of a row. */
interface RegistrationKey {
  readonly companyId: string;
  readonly batchId: string;
  readonly rowNo: number;
}

/** SHA-256 (base64url) over everything that a row asks for, and where: what its chain commits to. */
export function computeRegistrationDigest(
  place: RegistrationKey,
  instruction: RegistrationInstruction,
): string {
  const { registrationId, customerId, vendorId, companyId, accountNo, refs } = instruction;
  const asked = [registrationId, customerId, vendorId, companyId, accountNo, ...refs];
  const parts = ['registration/1', place.companyId, place.batchId, place.rowNo, ...asked];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
