/** A batch in figures: counts and amounts by status, and the check that every satang is accounted for. */
import { inEnglish } from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import {
  type BatchExitCode,
  computeExitCode,
  countAlarms,
  countRows,
  type ExitOptions,
  inDoubtStatuses,
} from '../../core/exit-code.ts';
import { formatBaht, type Satang, sumSatang, toSatang, zeroSatang } from '../../core/money.ts';
import { payoutStatuses } from '../../core/payout.ts';
import type {
  Batch,
  HoldTotal,
  OtherReferences,
  ReportKind,
  RowTotal,
  StatusTotal,
} from '../../core/ports.ts';
import type { LowestLimit } from '../../payout/rules/adaptive-limit.ts';
import { countExceptions } from './report-rows.ts';

export interface BatchSummary extends RowTotal {
  readonly batch: Batch;
  /** Statuses with rows, in the order of a payout's life. */
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
  /** Amount by which corrected rows exceed their file. */
  readonly correctionSatang: Satang;
  /** True when rows, satang and unreadable amounts match the file as sealed, apart from corrections. */
  readonly addsUp: boolean;
  readonly exceptionRows: number;
  /** Rows that contradict a proved outcome; they count as exceptions, too. */
  readonly alarmRows: number;
  readonly inDoubtRows: number;
  readonly exitCode: BatchExitCode;
}

/** Adds a batch up as it stands. */
export function summariseBatch(
  batch: Batch,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[],
  options: ExitOptions,
): BatchSummary {
  const inOrder = payoutStatuses.flatMap((status) =>
    totals.filter((total) => total.status === status && total.rows > 0),
  );
  const rows = countRows(inOrder, payoutStatuses);
  const amountSatang = sumSatang(inOrder.map((total) => total.amountSatang));
  const correctionSatang = sumSatang(inOrder.map((total) => total.correctionSatang ?? zeroSatang));
  let unreadableAmounts = 0;
  for (const total of inOrder) unreadableAmounts += total.unreadableAmounts;
  return {
    batch,
    totals: inOrder,
    holds: holds.filter((total) => total.rows > 0),
    rows,
    amountSatang,
    unreadableAmounts,
    correctionSatang,
    addsUp: isWholeFile(batch, rows, toSatang(amountSatang - correctionSatang), unreadableAmounts),
    exceptionRows: countExceptions(inOrder),
    alarmRows: countAlarms(inOrder),
    inDoubtRows: countRows(inOrder, inDoubtStatuses),
    exitCode: computeExitCode(batch, inOrder, holds, options),
  };
}

/** True for the whole file. A file rejected as a whole keeps no rows, so that nothing can fail to add up. */
function isWholeFile(batch: Batch, rows: number, amountSatang: Satang, unreadableAmounts: number): boolean {
  if (batch.status === 'rejected') return rows === 0;
  return (
    rows === batch.rows && amountSatang === batch.totalSatang && unreadableAmounts === batch.unreadableAmounts
  );
}

/** Facts of the summary file besides the figures. */
export interface SummaryContext {
  readonly isSandbox: boolean;
  /** The bank's base address. */
  readonly bankAddress: string;
  /** Time of writing. */
  readonly nowMs: number;
  /** The lowest pace of the run; left out when it was never below the settings. */
  readonly pace?: LowestLimit | undefined;
  readonly otherReferences: OtherReferences;
}

/** A file that the summary names. */
export interface SummaryFile {
  readonly kind: ReportKind;
  readonly name: string;
  readonly rows: number;
  readonly sha256: string;
}

/** An address with scheme, host and path only: it may carry a user name, a password or a key. */
export function stripSecrets(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
}

const renderMoment = (epochMs: number | null): string | null =>
  epochMs === null ? null : formatBangkokDateTime(epochMs);

/** A batch of either kind in figures; those of registrations have no amounts. */
interface AnySummary {
  readonly batch: Omit<Batch, 'payerAccount' | 'totalSatang' | 'unreadableAmounts' | 'ageFromMs'>;
  readonly totals: readonly (Partial<RowTotal> & { readonly status: string; readonly rows: number })[];
  readonly holds: readonly { readonly hold: string; readonly rows: number }[];
  readonly addsUp: boolean;
  readonly exceptionRows: number;
  readonly alarmRows: number;
  readonly exitCode: BatchExitCode;
}

const renderTotal = ({ rows, amountSatang, unreadableAmounts }: Partial<RowTotal>): object =>
  amountSatang === undefined ? { rows } : { rows, amount: formatBaht(amountSatang), unreadableAmounts };

/**
 * The summary of a batch of either kind as a plain object for JSON: amounts are decimal baht, times are in Bangkok.
 * @param own the figures of its kind alone
 */
export function renderAnySummary(
  { batch, totals, holds, ...summary }: AnySummary,
  files: readonly SummaryFile[],
  { isSandbox, bankAddress, nowMs }: Pick<SummaryContext, 'isSandbox' | 'bankAddress' | 'nowMs'>,
  own: object,
): Record<string, unknown> {
  return {
    batchId: batch.batchId,
    file: batch.fileName,
    sha256: batch.sha256,
    isSandbox,
    bank: stripSecrets(bankAddress),
    companyId: batch.companyId,
    status: batch.status,
    reasonCode: batch.reasonCode,
    reason: batch.reason && inEnglish(batch.reason),
    remedy: batch.remedy && inEnglish(batch.remedy),
    exitCode: summary.exitCode,
    rows: batch.rows,
    ...own,
    byStatus: Object.fromEntries(totals.map((total) => [total.status, renderTotal(total)])),
    holds: Object.fromEntries(holds.map(({ hold, rows }) => [hold, rows])),
    addsUp: summary.addsUp,
    exceptions: summary.exceptionRows,
    alarms: summary.alarmRows,
    startedAt: renderMoment(batch.startedAtMs),
    sealedAt: renderMoment(batch.sealedAtMs),
    restedAt: renderMoment(batch.restedAtMs),
    reportedAt: renderMoment(nowMs),
    durationMs: (batch.restedAtMs ?? nowMs) - batch.startedAtMs,
    files,
  };
}

/** The summary of a batch of payouts. */
export function renderSummary(
  summary: BatchSummary,
  files: readonly SummaryFile[],
  context: SummaryContext,
): Record<string, unknown> {
  const { batch, correctionSatang } = summary;
  const { pace, otherReferences } = context;
  return renderAnySummary(summary, files, context, {
    amount: formatBaht(batch.totalSatang),
    unreadableAmounts: batch.unreadableAmounts,
    ...(correctionSatang === 0n ? {} : { corrected: formatBaht(correctionSatang) }),
    inDoubt: summary.inDoubtRows,
    otherReferences,
    ...(pace && { lowestPace: { transfersAtOnce: pace.limit, settings: pace.ceiling, why: pace.why } }),
  });
}
