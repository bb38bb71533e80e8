/** The exit code for a batch (design: "Exit codes"). */
import type { BatchStatus, HoldReason, PayoutStatus } from './payout.ts';
import type { Batch, HoldTotal, StatusTotal } from './ports.ts';

/** 0 all paid, 3 finished with exceptions, 4 in doubt, 5 rejected as a whole, 6 stopped short. */
export type BatchExitCode = 0 | 3 | 4 | 5 | 6;

export interface ExitOptions {
  /** `--exceptions-ok`: exceptions alone still end with 0. */
  readonly exceptionsOk: boolean;
}

/** Statuses without a proved outcome. */
export const inDoubtStatuses: readonly PayoutStatus[] = ['submitted', 'unresolved'];

/** Reasons of rows that only a line of the statement calls paid: an inquiry shows neither amount nor payee. */
export const statementCodes: readonly string[] = ['found-after-loss', 'two-contents'];

/** True for a row in doubt about which no inquiry helps. */
export const isSettledByStatement = ({
  status,
  reasonCode,
}: {
  readonly status: PayoutStatus;
  readonly reasonCode: string | null;
}): boolean => inDoubtStatuses.includes(status) && statementCodes.includes(reasonCode ?? '');

/** Statuses of rows that are yet to be sent and have no hold. */
export const toBeSentStatuses: readonly PayoutStatus[] = ['staged', 'ready'];

/** Statuses of rows that ended other than paid; every held row counts. */
const notPaidStatuses: readonly PayoutStatus[] = [
  'rejected',
  'failed',
  'unpayable',
  'held',
  'disputed',
  'cancelled',
];

/** Holds of a whole batch, lifted by another run or by a person; the batch has stopped short. */
const stoppingHolds: readonly HoldReason[] = ['approval', 'halted', 'paused'];

/** A total of rows of either kind, by status. */
export interface CountedStatus<Status extends string> {
  readonly status: Status;
  readonly rows: number;
  readonly alarmRows: number;
}

/** Rows in any of the statuses. */
export function countRows<Status extends string>(
  totals: readonly Pick<CountedStatus<Status>, 'status' | 'rows'>[],
  statuses: readonly Status[],
): number {
  let rows = 0;
  for (const total of totals) if (statuses.includes(total.status)) rows += total.rows;
  return rows;
}

/** Rows that bear an alarm. */
export function countAlarms(totals: readonly Pick<StatusTotal, 'alarmRows'>[]): number {
  let rows = 0;
  for (const total of totals) rows += total.alarmRows;
  return rows;
}

/** Stages that need a person or another run to go on. */
const unfinishedStages: readonly BatchStatus[] = ['ingesting', 'paused', 'halted'];

/** The exit code of one batch in its present state: the highest that applies. */
export function computeExitCode(
  batch: Pick<Batch, 'status'>,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[],
  options: ExitOptions,
): BatchExitCode {
  if (batch.status === 'rejected') return 5;
  const isStopped = holds.some(({ hold, rows }) => rows > 0 && stoppingHolds.includes(hold));
  if (isStopped || unfinishedStages.includes(batch.status) || countRows(totals, toBeSentStatuses) > 0)
    return 6;
  if (countRows(totals, inDoubtStatuses) > 0) return 4;
  if (countAlarms(totals) > 0) return 3;
  if (countRows(totals, notPaidStatuses) > 0) return options.exceptionsOk ? 0 : 3;
  return 0;
}
