/**
 * The columns of a day's `.matched.csv` and `.breaks.csv` and how they are filled. Pure text, with whole numbers, as in
 * the exceptions file: the writers quote it, and guard it against spreadsheets.
 */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { describeBreakRemedy } from './break-remedies.ts';
import { computeAgeDays } from './breaks.ts';
import type { StatementLine } from './statement.ts';
import { isBreakKind } from './tally.ts';
import type { AttemptFacts, BreakClosure, BreakRecord, DayFacts, Judgement, LineClass } from './types.ts';

/** `20261121.v2.breaks.csv`. */
export function computeStatementFileName(date: string, version: number, kind: 'matched' | 'breaks'): string {
  return `${date}.v${version}.${kind}.csv`;
}

/** One row a line on which both sides agree. */
export const matchedColumns = [
  'date',
  'version',
  'outcome',
  'transRefNo',
  'payoutId',
  'batchId',
  'rowNo',
  'attemptNo',
  'proxyType',
  'proxyNo',
  'amount',
  'bankLine',
  'bankStatus',
  'bankFee',
  'bankNet',
  'chargeType',
  'effectiveDate',
  'effectiveTime',
  'sysRefNo',
] as const;

/** One row a difference: what it is, our side, the bank's side, what to do. */
export const breakColumns = [
  'date',
  'version',
  'state',
  'kind',
  'severity',
  'transRefNo',
  'payoutId',
  'batchId',
  'rowNo',
  'attemptNo',
  'status',
  'proxyType',
  'proxyNo',
  'payeeName',
  'amount',
  'fee',
  'bankLine',
  'bankStatus',
  'bankProxyType',
  'bankProxyNo',
  'bankPayeeName',
  'bankAmount',
  'bankFee',
  'bankNet',
  'chargeType',
  'effectiveDate',
  'bankCompanyId',
  'bankPayerAccount',
  'sysRefNo',
  'reason',
  'remedy',
  'openedAt',
  'ageDays',
  'closedAt',
  'closedBy',
] as const;

/** Columns of either file that hold an amount, which a spreadsheet is to add up. */
export const statementAmountColumns: readonly string[] = [
  'amount',
  'fee',
  'bankAmount',
  'bankFee',
  'bankNet',
] satisfies (typeof matchedColumns | typeof breakColumns)[number][];

/** Rows of the matched file for one key, in the order of `matchedColumns`; none for a line that differs, or is others'. */
export function renderMatched(
  date: string,
  version: number,
  { lines, attempt }: DayFacts,
  { lineClasses }: Judgement,
): string[][] {
  if (attempt === undefined) return [];
  return lines.flatMap((line, at) => {
    const outcome = lineClasses[at];
    return outcome === undefined || isBreakKind(outcome)
      ? []
      : [renderMatchedLine(date, version, line, attempt, outcome)];
  });
}

function renderMatchedLine(
  date: string,
  version: number,
  line: StatementLine,
  attempt: AttemptFacts,
  outcome: LineClass,
): string[] {
  return [
    showDate(date),
    String(version),
    outcome,
    attempt.order.transRefNo,
    attempt.payoutId,
    attempt.batchId,
    String(attempt.rowNo),
    String(attempt.attemptNo),
    attempt.order.proxyType,
    attempt.order.proxyNo,
    attempt.order.amountText,
    String(line.line),
    line.statusText,
    formatBaht(line.feeSatang),
    formatBaht(line.netSatang),
    line.chargeType,
    line.effectiveDate,
    line.effectiveTime,
    line.sysRefNo,
  ];
}

function renderOurSide(attempt: AttemptFacts | null): string[] {
  if (attempt === null) return Array.from({ length: 10 }, () => '');
  const { order } = attempt;
  return [
    attempt.payoutId,
    attempt.batchId,
    String(attempt.rowNo),
    String(attempt.attemptNo),
    attempt.attemptStatus,
    order.proxyType,
    order.proxyNo,
    order.proxyName ?? '',
    order.amountText,
    attempt.feeText ?? '',
  ];
}

function renderBankSide(line: StatementLine | undefined): string[] {
  if (line === undefined) return Array.from({ length: 12 }, () => '');
  return [
    String(line.line),
    line.statusText,
    line.proxyType,
    line.proxyNo,
    line.proxyNameTh === '' ? line.proxyName : line.proxyNameTh,
    formatBaht(line.amountSatang),
    formatBaht(line.feeSatang),
    formatBaht(line.netSatang),
    line.chargeType,
    line.effectiveDate,
    line.companyId,
    line.payerAccount,
  ];
}

/** One row of the breaks file, in the order of `breakColumns`. */
export function renderBreak(record: BreakRecord, nowMs: number): string[] {
  const { attempt, lines, lineAt } = record;
  const line = lines[lineAt ?? -1];
  return [
    showDate(record.date),
    String(record.version),
    record.state,
    record.kind,
    record.severity,
    attempt?.order.transRefNo ?? line?.transRefNo ?? '',
    ...renderOurSide(attempt),
    ...renderBankSide(line),
    line?.sysRefNo ?? attempt?.sysRefNo ?? '',
    record.reason,
    record.state === 'closed' ? 'Nothing to do' : describeBreakRemedy(record),
    formatBangkokDateTime(record.openedAtMs),
    String(computeAgeDays(record, nowMs)),
    record.closedAtMs === null ? '' : formatBangkokDateTime(record.closedAtMs),
    record.closedBy === null ? '' : describeClosure(record.closedBy),
  ];
}

/** What closed a break, in words. */
function describeClosure(closure: BreakClosure): string {
  switch (closure.kind) {
    case 'corrected':
      return `version ${closure.version} of the statement`;
    case 'later-statement':
      return `the statement of ${showDate(closure.date)}`;
    case 'settled':
      return `our side: the attempt is ${closure.attemptStatus}`;
    case 'judged-anew':
      return 'judged again by other settings';
  }
}
