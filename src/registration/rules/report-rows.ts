/** The columns of the result and exceptions files of registrations, and how a row fills them. */
import {
  inEnglish,
  joined,
  listed,
  message,
  type Message,
  type PlainCode,
  verbatim,
} from '../../core/message.ts';
import { describeRejection, renderMoment } from '../../reports/rules/report-rows.ts';
import { type Columns, makeTableLines } from '../../reports/rules/report-tables.ts';
import type { RegistrationRow, RegistrationTotal } from './registration-batch.ts';
import type { RegistrationColumn } from './registration-file.ts';
import { latestRequestUid, type RegistrationHold, type RegistrationStatus } from './registration.ts';
import { findRemedy } from '../../core/messages/row-remedies.ts';
import { joinSentences } from '../../reports/rules/remedies.ts';
import { findRegistrationCode, type RegistrationCode } from '../../core/direct-debit-codes.ts';

/**
 * Statuses that a person must look at. An accepted row awaits the callback, and needs no person until the time for it has
 * passed; a row in doubt may not be with the bank at all.
 */
export const registrationExceptionStatuses: readonly RegistrationStatus[] = [
  'rejected',
  'held',
  'submitted',
  'in-doubt',
  'unanswered',
  'refused',
  'failed',
  'contradicted',
];

/** Statuses that only a late callback, a contradiction or a decision changes. The end of an unanswered row is unknown. @forTests */
export const finalRegistrationStatuses: readonly RegistrationStatus[] = [
  'rejected',
  'cancelled',
  'registered',
  'refused',
  'failed',
  'contradicted',
];

/** True for a row in the exceptions file: until a person acknowledges it, and for any alarm, whatever its status. */
export const isRegistrationException = ({
  status,
  isAlarm,
  isAcknowledged,
}: Pick<RegistrationRow, 'status' | 'isAlarm' | 'isAcknowledged'>): boolean =>
  isAlarm || (registrationExceptionStatuses.includes(status) && !isAcknowledged);

/** Rows that belong in the exceptions file, from the totals by status. */
export function countRegistrationExceptions(totals: readonly RegistrationTotal[]): number {
  let rows = 0;
  for (const { status, rows: all, alarmRows, acknowledgedRows } of totals)
    rows += registrationExceptionStatuses.includes(status) ? all - acknowledgedRows : alarmRows;
  return rows;
}

const doubtful: readonly RegistrationStatus[] = ['submitted', 'in-doubt', 'unanswered'];

/** The bank may know one in doubt that was sent twice by either requestUID. */
function nameBoth(row: RegistrationRow, said: Message): Message {
  const { status, attempt } = row;
  if (attempt === undefined || attempt.renewedUid === null || !doubtful.includes(status)) return said;
  const { requestUid, renewedUid } = attempt;
  return message('registration.both-requests', { said, requestUid, renewedUid });
}

/** Why the row is where it is. Several codes, of a row with many issues or holds, are parted by a space. */
export function describeRegistrationReason(row: RegistrationRow): [code: string, reason: Message | null] {
  if (row.status === 'rejected') return describeRejection(row);
  if (row.status !== 'held' || row.holds.length === 0) return [row.reasonCode ?? '', row.reason];
  const reason = row.reason ?? describeRegistrationHolds(row.holds);
  const holds = listed(row.holds.map((hold) => message(`hold-is.${hold}`)));
  return [row.reasonCode ?? row.holds.join(' '), message('reason.held', { reason, holds })];
}

// ---------------------------------------------------------------- remedies, in words that a clerk can act on

/** Reason for a held registration that has none of its own. @forTests */
export const describeRegistrationHolds = (holds: readonly RegistrationHold[]): Message =>
  joined(holds.map((hold) => message(`registration-hold-reason.${hold}`)));

/** The remedy of the bank's code, if it agrees with the status. */
function codeRemedy(reasonCode: string | null, outcome: RegistrationCode['outcome']): Message[] {
  const known = findRegistrationCode(reasonCode ?? '');
  return known?.outcome === outcome ? [known.remedy] : [];
}

/** Codes of a registrationId that breaks a rule: it cannot stay as it is. */
const idPattern = /^registration-id-(?!claimed)/;

/** One remedy for each cause: all cells to correct count as one. */
function rejectedRemedies({ issues, reasonCode }: RemediedRow): Message[] {
  const codes = issues.map((issue) => issue.code);
  if (reasonCode !== null || codes.length === 0) codes.push(reasonCode ?? '');
  const isIdWrong = codes.some((code) => idPattern.test(code));
  const corrected: PlainCode = `registered-remedy.${isIdWrong ? 'rejected-for-its-id' : 'rejected'}`;
  return codes.map((code) => message(findRemedy(`registration-rejection-remedy.${code}`) ?? corrected));
}

type RemediedRow = Pick<RegistrationRow, 'status' | 'holds' | 'reasonCode' | 'issues'>;

/** Remedy for the row as it stands; the bank's code, or paydrop's own, makes that of its status more precise. @forTests */
export function describeRegistrationRemedy(row: RemediedRow): Message {
  const { status, holds, reasonCode } = row;
  const ofStatus = message(`registered-remedy.${status}`);
  switch (status) {
    case 'failed':
      return joinSentences([...codeRemedy(reasonCode, 'not-taken'), ofStatus]);
    case 'held':
      return joinSentences([
        ...codeRemedy(reasonCode, 'not-taken'),
        ...(holds.length === 0
          ? [ofStatus]
          : holds.map((hold) => message(`registration-hold-remedy.${hold}`))),
      ]);
    case 'submitted':
    case 'in-doubt':
      return joinSentences([ofStatus, ...codeRemedy(reasonCode, 'unknown')]);
    case 'rejected':
      return joinSentences(rejectedRemedies(row));
    case 'staged':
    case 'ready':
    case 'cancelled':
    case 'acknowledged':
    case 'unanswered':
    case 'registered':
    case 'refused':
    case 'contradicted':
      return ofStatus;
  }
}

const isTold: readonly RegistrationStatus[] = ['registered', 'refused'];

/** Remedy for a row that contradicts a recorded end. @forTests */
export function describeRegistrationAlarmRemedy(row: RemediedRow): Message {
  if (row.status === 'contradicted') return message('registered-remedy.contradicted');
  if (isTold.includes(row.status)) return message('registered-remedy.told-after-all');
  return joinSentences([message('registered-remedy.other-alarm'), describeRegistrationRemedy(row)]);
}

// ---------------------------------------------------------------- columns, each with how a row fills it

/** The present instruction of a valid row; the partner's cell of an invalid one. */
export function readRegistrationCell(
  { cells, currentInstruction }: Pick<RegistrationRow, 'cells' | 'currentInstruction'>,
  column: RegistrationColumn,
): string {
  if (currentInstruction === null) return cells[column];
  switch (column) {
    case 'ref1':
    case 'ref2':
    case 'ref3':
    case 'ref4':
      return currentInstruction.refs[Number(column.slice(-1)) - 1] ?? '';
    case 'registrationId':
    case 'customerId':
    case 'vendorId':
    case 'companyId':
    case 'accountNo':
      return currentInstruction[column];
  }
}

const cellOf =
  (column: RegistrationColumn) =>
  (row: RegistrationRow): string =>
    readRegistrationCell(row, column);

const instructionColumns: Columns<RegistrationRow> = {
  registrationId: cellOf('registrationId'),
  customerId: cellOf('customerId'),
  vendorId: cellOf('vendorId'),
  companyId: cellOf('companyId'),
  accountNo: cellOf('accountNo'),
  ref1: cellOf('ref1'),
  ref2: cellOf('ref2'),
  ref3: cellOf('ref3'),
  ref4: cellOf('ref4'),
};

const reasonColumns: Columns<RegistrationRow> = {
  reasonCode: (row) => describeRegistrationReason(row)[0],
  reason: (row) => inEnglish(nameBoth(row, describeRegistrationReason(row)[1] ?? verbatim(''))).trim(),
};

const resultCells: Columns<RegistrationRow> = {
  rowNo: (row) => String(row.rowNo),
  ...instructionColumns,
  status: (row) => row.status,
  final: (row) => String(finalRegistrationStatuses.includes(row.status)),
  ...reasonColumns,
  statusCode: ({ attempt }) => attempt?.statusCode ?? '',
  statusDesc: ({ attempt }) => attempt?.statusDesc ?? '',
  requestUID: ({ attempt }) => (attempt === undefined ? '' : latestRequestUid(attempt)),
  ddrOapiSeqId: ({ attempt }) => attempt?.ddrOapiSeqId ?? '',
  respCode: (row) => row.respCode ?? '',
  respDesc: (row) => row.respDesc ?? '',
  applyDtm: (row) => row.applyDtm ?? '',
  attempts: (row) => String(row.attemptNo),
  submittedAt: (row) => renderMoment(row.submittedAtMs),
  settledAt: (row) => renderMoment(row.settledAtMs),
  settledBy: (row) => row.settledBy ?? '',
};

/** Remedy for a row as it stands, alarms included; never empty. */
export const remedyOfRegistration = (row: RegistrationRow): Message =>
  nameBoth(row, row.isAlarm ? describeRegistrationAlarmRemedy(row) : describeRegistrationRemedy(row));

/** Columns after the batch's id; `decision` to `note` are left empty, for a person to fill in. */
const exceptionCells: Columns<RegistrationRow> = {
  rowNo: (row) => String(row.rowNo),
  version: (row) => String(row.version),
  ...instructionColumns,
  status: (row) => row.status,
  ...reasonColumns,
  remedy: (row) => inEnglish(remedyOfRegistration(row)),
  requestUID: ({ attempt }) => (attempt === undefined ? '' : latestRequestUid(attempt)),
  decision: () => '',
  newAccountNo: () => '',
  note: () => '',
};

export const registrationLines = makeTableLines(resultCells, exceptionCells, remedyOfRegistration);
