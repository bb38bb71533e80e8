/** A batch of registrations in figures: counts by status, and the check that every row is accounted for. */
import { type BatchExitCode, type ExitOptions, countAlarms, countRows } from '../../core/exit-code.ts';
import { renderAnySummary, type SummaryContext, type SummaryFile } from '../../reports/rules/summary.ts';
import type { RegistrationBatch, RegistrationHoldTotal, RegistrationTotal } from './registration-batch.ts';
import {
  awaitedStatuses,
  type RegistrationHold,
  type RegistrationStatus,
  registrationStatuses,
} from './registration.ts';
import { countRegistrationExceptions } from './report-rows.ts';

export interface RegistrationSummary {
  readonly batch: RegistrationBatch;
  /** Statuses with rows, in the order of a registration's life. */
  readonly totals: readonly RegistrationTotal[];
  readonly holds: readonly RegistrationHoldTotal[];
  readonly rows: number;
  /** True when the rows are as many as the file had when it was sealed. */
  readonly addsUp: boolean;
  readonly exceptionRows: number;
  /** Rows that contradict a recorded end; they count as exceptions, too. */
  readonly alarmRows: number;
  /** Sent rows whose end the bank has not reported. */
  readonly awaitedRows: number;
  readonly exitCode: BatchExitCode;
}

/** Totals with rows, in the order of a registration's life. */
export const orderTotals = (totals: readonly RegistrationTotal[]): readonly RegistrationTotal[] =>
  registrationStatuses.flatMap((status) =>
    totals.filter((total) => total.status === status && total.rows > 0),
  );

/** Adds a batch up as it stands. */
export function summariseRegistrations(
  batch: RegistrationBatch,
  totals: readonly RegistrationTotal[],
  holds: readonly RegistrationHoldTotal[],
  options: ExitOptions,
): RegistrationSummary {
  const inOrder = orderTotals(totals);
  const rows = countRows(inOrder, registrationStatuses);
  return {
    batch,
    totals: inOrder,
    holds: holds.filter((total) => total.rows > 0),
    rows,
    // A file that is rejected as a whole keeps no rows.
    addsUp: rows === (batch.status === 'rejected' ? 0 : batch.rows),
    exceptionRows: countRegistrationExceptions(inOrder),
    alarmRows: countAlarms(inOrder),
    awaitedRows: countRows(inOrder, awaitedStatuses),
    exitCode: computeRegistrationExitCode(batch, inOrder, holds, options),
  };
}

/** Stages at which nothing goes on by itself. */
const unfinishedStages: readonly RegistrationBatch['status'][] = ['ingesting', 'paused', 'halted'];

/** Holds that concern more than the row: the batch has stopped short. */
const stoppingHolds: readonly RegistrationHold[] = ['halted', 'paused'];

/** True when rows wait for the bank, or for a person, to release them all. */
export const isHeldAsAWhole = (holds: readonly RegistrationHoldTotal[]): boolean =>
  holds.some(({ hold, rows }) => rows > 0 && stoppingHolds.includes(hold));

/** Statuses without success; a held row counts under any hold. */
const notRegisteredStatuses: readonly RegistrationStatus[] = [
  'rejected',
  'held',
  'cancelled',
  'unanswered',
  'refused',
  'failed',
  'contradicted',
];

/** Exit code of the process for a batch: the highest of the codes that apply. */
function computeRegistrationExitCode(
  { status }: Pick<RegistrationBatch, 'status'>,
  totals: readonly RegistrationTotal[],
  holds: readonly RegistrationHoldTotal[],
  { exceptionsOk }: ExitOptions,
): BatchExitCode {
  if (status === 'rejected') return 5;
  if (isHeldAsAWhole(holds) || unfinishedStages.includes(status)) return 6;
  if (countRows(totals, ['staged', 'ready']) > 0) return 6;
  if (countRows(totals, awaitedStatuses) > 0) return 4;
  if (countAlarms(totals) > 0) return 3;
  if (countRows(totals, notRegisteredStatuses) > 0) return exceptionsOk ? 0 : 3;
  return 0;
}

/** Facts of the summary file besides the figures. */
export type RegistrationSummaryContext = Pick<SummaryContext, 'isSandbox' | 'bankAddress' | 'nowMs'>;

/** Rows by status, for JSON. */
export const renderRegistrationTotals = (totals: readonly RegistrationTotal[]): Record<string, object> =>
  Object.fromEntries(totals.map(({ status, rows }) => [status, { rows }]));

/** Rows by hold, for JSON. */
export const renderRegistrationHolds = (holds: readonly RegistrationHoldTotal[]): Record<string, number> =>
  Object.fromEntries(holds.map(({ hold, rows }) => [hold, rows]));

/** The summary of a batch of registrations. */
export const renderRegistrationSummary = (
  summary: RegistrationSummary,
  files: readonly SummaryFile[],
  context: RegistrationSummaryContext,
): Record<string, unknown> => ({
  kind: 'registrations',
  ...renderAnySummary(summary, files, context, { awaited: summary.awaitedRows }),
});
