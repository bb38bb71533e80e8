/**
 * The columns of the result and exceptions files and how a row fills them (design: "Output").
 * Pure text: the writers quote and encode it.
 */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import type { Issue } from '../../core/payout-file.ts';
import { finalStatuses, moneyMoved, type PayoutStatus } from '../../core/payout.ts';
import type { ResultRow, StatusTotal } from '../../core/ports.ts';
import { describeAlarmRemedy, describeHolds, describeRemedy } from './remedies.ts';

/** The result file's own columns; the carried-through ones follow. */
export const resultColumns = [
  'rowNo',
  'payoutId',
  'proxyType',
  'proxyNo',
  'payeeName',
  'amount',
  'reference1',
  'reference2',
  'status',
  'final',
  'reasonCode',
  'reason',
  'transRefNo',
  'sysRefNo',
  'fee',
  'bankPayeeName',
  'bankPayeeNameTh',
  'attempts',
  'submittedAt',
  'settledAt',
  'settledBy',
] as const;

/** The exceptions file's columns; the last four are left empty, for a person to fill in. */
export const exceptionColumns = [
  'batchId',
  'rowNo',
  'version',
  'payoutId',
  'proxyType',
  'proxyNo',
  'payeeName',
  'amount',
  'status',
  'moneyMoved',
  'reasonCode',
  'reason',
  'remedy',
  'transRefNo',
  'decision',
  'newProxyNo',
  'newAmount',
  'note',
] as const;

/**
 * Statuses that a person must look at. `cancelled` was a person's own decision; `ready` and `staged` rows
 * need nobody: the next run goes on with them.
 */
const exceptionStatuses: readonly PayoutStatus[] = [
  'rejected',
  'unpayable',
  'failed',
  'held',
  'submitted',
  'unresolved',
  'disputed',
];

/** True for a row that belongs in the exceptions file; an alarm does, whatever its status. */
export function isException(row: Pick<ResultRow, 'status' | 'isAlarm'>): boolean {
  return row.isAlarm || exceptionStatuses.includes(row.status);
}

/** Rows that belong in the exceptions file, from the totals by status. */
export function countExceptions(totals: readonly StatusTotal[]): number {
  let rows = 0;
  for (const total of totals) rows += exceptionStatuses.includes(total.status) ? total.rows : total.alarmRows;
  return rows;
}

/**
 * The result file's header. A carried-through column whose name is taken (a result file fed in again has
 * a `status` of its own) gets `input_` before it, so that every name stands once.
 */
export function renderResultHeader(extraColumns: readonly string[]): string[] {
  const taken = new Set<string>(resultColumns);
  const extras = extraColumns.map((column) => {
    let name = column;
    while (taken.has(name)) name = `input_${name}`;
    taken.add(name);
    return name;
  });
  return [...resultColumns, ...extras];
}

/** The instruction as it is sent where the row is valid, the cells as the partner wrote them where it is not. */
function renderInstruction(row: ResultRow): string[] {
  const { cells, instruction } = row;
  if (instruction === null) {
    return [cells.payoutId, cells.proxyType, cells.proxyNo, cells.payeeName, cells.amount];
  }
  const { payoutId, proxyType, proxyNo, payeeName, amountSatang } = instruction;
  return [payoutId, proxyType, proxyNo, payeeName ?? '', formatBaht(amountSatang)];
}

function renderReferences({ cells, instruction }: ResultRow): string[] {
  if (instruction === null) return [cells.reference1, cells.reference2];
  return [instruction.reference1 ?? '', instruction.reference2 ?? ''];
}

const renderMoment = (epochMs: number | null): string =>
  epochMs === null ? '' : formatBangkokDateTime(epochMs);

/** One issue in words: `line 7, amount: at most 2 decimals (found "1.005")`. */
export function describeIssue(issue: Issue): string {
  const place = issue.column === null ? `line ${issue.line}` : `line ${issue.line}, ${issue.column}`;
  const found = issue.value === null || issue.value === '' ? '' : ` (found "${issue.value}")`;
  return `${place}: ${issue.message}${found}`;
}

/** Why the row is where it is. Several codes, of a row with many issues or holds, are parted by a space. */
function renderReason(row: ResultRow): [code: string, reason: string] {
  if (row.status === 'rejected') return renderRejection(row);
  if (row.status !== 'held' || row.holds.length === 0) return [row.reasonCode ?? '', row.reason ?? ''];
  const reason = row.reason ?? describeHolds(row.holds);
  return [row.reasonCode ?? row.holds.join(' '), `${reason} (held: ${row.holds.join(', ')})`];
}

function renderRejection({ issues, reasonCode, reason }: ResultRow): [code: string, reason: string] {
  const codes = new Set(issues.map((issue) => issue.code));
  const texts = issues.map(describeIssue);
  if (reasonCode !== null && !codes.has(reasonCode)) {
    codes.add(reasonCode);
    if (reason !== null) texts.push(reason);
  }
  return [[...codes].join(' '), texts.join('; ')];
}

/**
 * One row of the result file, in the order of `resultColumns`, then the carried-through cells.
 * @param extrasCount how many carried-through columns the header has: a row with too few or too many cells
 *   must not make the table ragged
 */
export function renderResultRow(row: ResultRow, extrasCount = row.extras.length): string[] {
  return [
    String(row.rowNo),
    ...renderInstruction(row),
    ...renderReferences(row),
    row.status,
    String(finalStatuses.includes(row.status)),
    ...renderReason(row),
    row.transRefNo ?? '',
    row.sysRefNo ?? '',
    row.feeText ?? '',
    row.bankPayeeName ?? '',
    row.bankPayeeNameTh ?? '',
    String(row.attemptNo),
    renderMoment(row.submittedAtMs),
    renderMoment(row.settledAtMs),
    row.settledBy ?? '',
    ...Array.from({ length: extrasCount }, (_, index) => row.extras[index] ?? ''),
  ];
}

/** One row of the exceptions file, in the order of `exceptionColumns`. */
export function renderException(batchId: string, row: ResultRow): string[] {
  const moved = moneyMoved(row.status);
  return [
    batchId,
    String(row.rowNo),
    String(row.version),
    ...renderInstruction(row),
    row.status,
    // The bank has contradicted what the status says.
    row.isAlarm && moved === 'no' ? 'unknown' : moved,
    ...renderReason(row),
    row.isAlarm ? describeAlarmRemedy(row) : describeRemedy(row),
    row.transRefNo ?? '',
    '',
    '',
    '',
    '',
  ];
}
