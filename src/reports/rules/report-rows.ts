/**
 * The columns of the result and exceptions files and how a row fills them (design: "Output").
 * Pure text: the writers quote and encode it.
 */
import { inEnglish, inEnglishIfAny, joined, listed, type Message, message } from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import type { Issue } from '../../core/payout-file.ts';
import { finalStatuses, moneyMoved, type PayoutStatus } from '../../core/payout.ts';
import { readAttemptNumber } from '../../core/reference.ts';
import type { Batch, ResultRow, StatusTotal } from '../../core/ports.ts';
import { openStatuses } from '../../payout/rules/search.ts';
import { describeAlarmRemedy, describeHolds, describeRemedy } from './remedies.ts';
import { type Columns, makeTableLines } from './report-tables.ts';

/**
 * Statuses that a person must look at. `cancelled` was a person's own decision; `ready` and `staged` rows need no person:
 * the next run sends them.
 */
export const exceptionStatuses: readonly PayoutStatus[] = [...openStatuses, 'submitted'];

/** True for a row in the exceptions file: until a person acknowledges it, and for any alarm, whatever its status. */
export function isException(row: Pick<ResultRow, 'status' | 'isAlarm' | 'isAcknowledged'>): boolean {
  return row.isAlarm || (exceptionStatuses.includes(row.status) && !row.isAcknowledged);
}

/** Rows that belong in the exceptions file, from the totals by status. */
export function countExceptions(totals: readonly StatusTotal[]): number {
  let rows = 0;
  for (const { status, rows: all, alarmRows, acknowledgedRows = 0 } of totals)
    rows += exceptionStatuses.includes(status) ? all - acknowledgedRows : alarmRows;
  return rows;
}

/** A moment in Bangkok time in the form of the tables; empty for none. */
export const renderMoment = (epochMs: number | null): string =>
  epochMs === null ? '' : formatBangkokDateTime(epochMs);

/** One issue with its place and what was found: `line 7, amount: at most 2 decimals (found "1.005")`. */
export function describeIssue({ line, column, value, message: issue }: Issue): Message {
  const place = column === null ? message('issue.line', { line }) : message('issue.cell', { line, column });
  return value === null || value === ''
    ? message('issue.at', { place, issue })
    : message('issue.found', { place, issue, found: value });
}

/** Why the row has its status. Several codes, of a row with many issues or holds, are separated by a space. */
export function describeReason(row: ResultRow): [code: string, reason: Message | null] {
  if (row.status === 'rejected') return describeRejection(row);
  if (row.status !== 'held' || row.holds.length === 0) return [row.reasonCode ?? '', row.reason];
  const reason = row.reason ?? describeHolds(row.holds);
  const holds = listed(row.holds.map((hold) => message(`hold-is.${hold}`)));
  return [row.reasonCode ?? row.holds.join(' '), message('reason.held', { reason, holds })];
}

/** Every issue of a rejected row, and the journal's own findings. */
export function describeRejection({
  issues,
  reasonCode,
  reason,
}: Pick<ResultRow, 'issues' | 'reasonCode' | 'reason'>): [code: string, reason: Message] {
  const codes = new Set(issues.map((issue) => issue.code));
  const found = issues.map(describeIssue);
  if (reasonCode !== null && !codes.has(reasonCode)) {
    codes.add(reasonCode);
    if (reason !== null) found.push(reason);
  }
  return [[...codes].join(' '), joined(found)];
}

// ---------------------------------------------------------------- columns, each with how a row fills it

/** The instruction as sent for a valid row; the partner's cells for an invalid one. */
const instructionColumns: Columns<ResultRow> = {
  payoutId: ({ cells, instruction }) => (instruction ?? cells).payoutId,
  proxyType: ({ cells, instruction }) => (instruction ?? cells).proxyType,
  proxyNo: ({ cells, instruction }) => (instruction ?? cells).proxyNo,
  payeeName: ({ cells, instruction }) => (instruction ?? cells).payeeName ?? '',
  amount: ({ cells, instruction }) =>
    instruction === null ? cells.amount : formatBaht(instruction.amountSatang),
};

const reasonColumns: Columns<ResultRow> = {
  reasonCode: (row) => describeReason(row)[0],
  reason: (row) => inEnglishIfAny(describeReason(row)[1]),
};

const referenceColumns: Columns<ResultRow> = {
  reference1: ({ cells, instruction }) => (instruction ?? cells).reference1 ?? '',
  reference2: ({ cells, instruction }) => (instruction ?? cells).reference2 ?? '',
};

const bankNameColumns: Columns<ResultRow> = {
  bankPayeeName: (row) => row.bankPayeeName ?? '',
  bankPayeeNameTh: (row) => row.bankPayeeNameTh ?? '',
};

/** Whether the row's money has moved, as far as known. */
export function moneyMovedOf({
  status,
  isAlarm,
}: Pick<ResultRow, 'status' | 'isAlarm'>): 'no' | 'unknown' | 'yes' {
  const moved = moneyMoved(status);
  // The bank has contradicted the status.
  return isAlarm && moved === 'no' ? 'unknown' : moved;
}

const resultCells: Columns<ResultRow> = {
  rowNo: (row) => String(row.rowNo),
  ...instructionColumns,
  ...referenceColumns,
  status: (row) => row.status,
  final: (row) => String(finalStatuses.includes(row.status)),
  ...reasonColumns,
  transRefNo: (row) => row.transRefNo ?? '',
  sysRefNo: (row) => row.sysRefNo ?? '',
  fee: (row) => row.feeText ?? '',
  ...bankNameColumns,
  attempts: ({ transRefNo }) => (transRefNo === null ? '0' : String(readAttemptNumber(transRefNo))),
  submittedAt: (row) => renderMoment(row.submittedAtMs),
  settledAt: (row) => renderMoment(row.settledAtMs),
  settledBy: (row) => row.settledBy ?? '',
};

const remedyOf = (row: ResultRow): Message => (row.isAlarm ? describeAlarmRemedy(row) : describeRemedy(row));

/** Columns after the batch's id; `decision` to `note` are left empty, for a person to fill in. */
const exceptionCells: Columns<ResultRow> = {
  rowNo: (row) => String(row.rowNo),
  version: (row) => String(row.version),
  ...instructionColumns,
  status: (row) => row.status,
  moneyMoved: moneyMovedOf,
  ...reasonColumns,
  remedy: (row) => inEnglish(remedyOf(row)),
  transRefNo: (row) => row.transRefNo ?? '',
  decision: () => '',
  newProxyNo: () => '',
  newAmount: () => '',
  note: () => '',
  ...referenceColumns,
  ...bankNameColumns,
};

export const payoutLines = makeTableLines(resultCells, exceptionCells, remedyOf);

/** Columns that identify an exceptions file, also one that a spreadsheet has saved. */
export const exceptionMarks = ['moneyMoved', 'remedy', 'newProxyNo', 'newAmount'] as const;

/** Order of the carried-through cells of several batches in one table. */
interface CarriedUnion {
  readonly columns: readonly string[];
  /** The cells of a row, in the order of the columns; empty where its batch has none. */
  readonly arrange: (batchId: string, extras: readonly string[]) => readonly string[];
}

/** One column for all of the same name, in whatever case; a name that a file has twice stands twice. */
export function uniteCarried(batches: readonly Pick<Batch, 'batchId' | 'extraColumns'>[]): CarriedUnion {
  const columns: string[] = [];
  const placesByKey = new Map<string, number>();
  const placesByBatch = new Map<string, readonly number[]>();
  for (const { batchId, extraColumns } of batches) {
    const seen = new Map<string, number>();
    const places = extraColumns.map((column) => {
      const name = column.toLowerCase();
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      const key = `${nth} ${name}`;
      const place = placesByKey.get(key) ?? columns.push(column) - 1;
      placesByKey.set(key, place);
      return place;
    });
    placesByBatch.set(batchId, places);
  }
  return {
    columns,
    arrange: (batchId, extras) => {
      const cells = columns.map(() => '');
      for (const [at, place] of (placesByBatch.get(batchId) ?? []).entries()) cells[place] = extras[at] ?? '';
      return cells;
    },
  };
}
