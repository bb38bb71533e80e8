/**
 * Columns and rows of a day's `.matched.csv` and `.breaks.csv`. Plain text with whole numbers, as in the exceptions
 * file; the writers quote it, and guard it against spreadsheets.
 */
import { inEnglish } from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht, type Satang } from '../../core/money.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { describeBreakRemedy } from './break-remedies.ts';
import { computeAgeDays } from './breaks.ts';
import type { StatementLine } from './statement.ts';
import { isBreakKind } from './tally.ts';
import type {
  AttemptFacts,
  BreakAcceptance,
  BreakClosure,
  BreakRecord,
  DayFacts,
  Judgement,
} from './types.ts';
import { isAccepted } from './types.ts';

/** `20261121.v2.breaks.csv`. */
export function computeStatementFileName(date: string, version: number, kind: 'matched' | 'breaks'): string {
  return `${date}.v${version}.${kind}.csv`;
}

/** Columns of the matched file: one row for each line on which both sides agree. */
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
  'source',
] as const;

/** Columns of either file with an amount, which a spreadsheet must be able to add up. */
export const statementAmountColumns: readonly string[] = [
  'amount',
  'fee',
  'bankAmount',
  'bankFee',
  'bankNet',
] satisfies ((typeof matchedColumns)[number] | keyof typeof breakCells)[];

/**
 * Rows of the matched file for one key, in the order of `matchedColumns`; none for a line that differs, or belongs to
 * another company.
 * @param source origin of the statement, in words
 */
export function renderMatched(
  date: string,
  version: number,
  { lines, attempt }: DayFacts,
  { lineClasses }: Judgement,
  source: string,
): string[][] {
  if (attempt === undefined) return [];
  return lines.flatMap((line, at) => {
    const outcome = lineClasses[at];
    if (outcome === undefined || isBreakKind(outcome)) return [];
    const cells = [
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
      source,
    ];
    return [cells];
  });
}

/** A break with the line that it concerns and the order of the attempt. */
interface BreakRow {
  readonly record: BreakRecord;
  readonly attempt: AttemptFacts | null;
  readonly order: AttemptFacts['order'] | undefined;
  readonly line: StatementLine | undefined;
  readonly nowMs: number;
  /** Origin of the statement that the file is about. */
  readonly source: string;
}

const showSatang = (amount: Satang | undefined) => (amount === undefined ? '' : formatBaht(amount));
const showMoment = (ms: number | null) => (ms === null ? '' : formatBangkokDateTime(ms));

/**
 * Cells of the breaks file: one row for each difference, with its kind, our side, the bank's side and the remedy; a
 * missing side is empty.
 */
const breakCells = {
  date: ({ record }) => showDate(record.date),
  version: ({ record }) => record.version,
  state: ({ record }) => (isAccepted(record) ? 'accepted' : record.state),
  kind: ({ record }) => record.kind,
  severity: ({ record }) => record.severity,
  transRefNo: ({ order, line }) => order?.transRefNo ?? line?.transRefNo,
  payoutId: ({ attempt }) => attempt?.payoutId,
  batchId: ({ attempt }) => attempt?.batchId,
  rowNo: ({ attempt }) => attempt?.rowNo,
  attemptNo: ({ attempt }) => attempt?.attemptNo,
  status: ({ attempt }) => attempt?.attemptStatus,
  proxyType: ({ order }) => order?.proxyType,
  proxyNo: ({ order }) => order?.proxyNo,
  payeeName: ({ order }) => order?.proxyName,
  amount: ({ order }) => order?.amountText,
  fee: ({ attempt }) => attempt?.feeText,
  bankLine: ({ line }) => line?.line,
  bankStatus: ({ line }) => line?.statusText,
  bankProxyType: ({ line }) => line?.proxyType,
  bankProxyNo: ({ line }) => line?.proxyNo,
  bankPayeeName: ({ line }) => (line?.proxyNameTh === '' ? line.proxyName : line?.proxyNameTh),
  bankAmount: ({ line }) => showSatang(line?.amountSatang),
  bankFee: ({ line }) => showSatang(line?.feeSatang),
  bankNet: ({ line }) => showSatang(line?.netSatang),
  chargeType: ({ line }) => line?.chargeType,
  effectiveDate: ({ line }) => line?.effectiveDate,
  bankCompanyId: ({ line }) => line?.companyId,
  bankPayerAccount: ({ line }) => line?.payerAccount,
  sysRefNo: ({ attempt, line }) => line?.sysRefNo ?? attempt?.sysRefNo,
  reason: ({ record }) => inEnglish(record.reason),
  remedy: ({ record }) =>
    record.state === 'closed' ? 'Nothing to do' : inEnglish(describeBreakRemedy(record)),
  openedAt: ({ record }) => showMoment(record.openedAtMs),
  ageDays: ({ record, nowMs }) => computeAgeDays(record, nowMs),
  closedAt: ({ record }) => showMoment(record.closedAtMs),
  closedBy: ({ record }) => (record.closedBy === null ? '' : describeClosure(record.closedBy)),
  source: ({ source }) => source,
} satisfies Record<string, (row: BreakRow) => string | number | null | undefined>;

export const breakColumns: readonly string[] = Object.keys(breakCells);

/**
 * One row of the breaks file, in the order of `breakColumns`.
 * @param source origin of the statement that the file is about, in words
 */
export function renderBreak(record: BreakRecord, nowMs: number, source: string): string[] {
  const { attempt, lines, lineAt } = record;
  const row = { record, attempt, order: attempt?.order, line: lines[lineAt ?? -1], nowMs, source };
  return Object.values(breakCells).map((cell) => String(cell(row) ?? ''));
}

/** "accepted by Mali, checked by Nok (proposal 3)". */
const describeAcceptance = ({ by, checkedBy, proposal }: BreakAcceptance): string =>
  `accepted by ${by}${checkedBy === null ? '' : `, checked by ${checkedBy}`} (proposal ${proposal})`;

/** The closure of a break, in words. */
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
    case 'accepted':
      return describeAcceptance(closure);
  }
}
