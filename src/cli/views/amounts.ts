/** Totals and times for a screen. */
import { countRows, inDoubtStatuses, toBeSentStatuses } from '../../core/exit-code.ts';
import { countOf, showAmount, showCount } from '../../core/figures.ts';
import type { Satang } from '../../core/money.ts';
import { viewOf } from '../../core/view.ts';
import type { BatchStatus } from '../../core/payout.ts';
import type { StatusTotal } from '../../core/ports.ts';

export { countOf, showAmount, showBaht, showCount } from '../../core/figures.ts';

/** Hours from which durations are shown in days. */
const hoursMax = 48;

/** "4 min 10 s", "5 min", "47 h 3 min", "3 d 2 h"; at least one second. */
export function showDuration(ms: number): string {
  const seconds = Math.max(1, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const parts: readonly (readonly [count: number, unit: string])[] =
    hours >= hoursMax
      ? [
          [Math.floor(hours / 24), 'd'],
          [hours % 24, 'h'],
        ]
      : hours > 0
        ? [
            [hours, 'h'],
            [minutes % 60, 'min'],
          ]
        : [
            [minutes, 'min'],
            [seconds % 60, 's'],
          ];
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${showCount(count)} ${unit}`])).join(' ');
}

/** "no row needs review", "1 row needs review", "11 rows need review". */
export const showForReview = (rows: number): string =>
  rows === 0 ? 'no row needs review' : countOf(rows, 'row needs review', 'rows need review');

/** Rows of a done batch that a person has released since: "1 row is ready to be sent". */
export function showReady(status: BatchStatus, totals: readonly StatusTotal[]): string | undefined {
  const rows = status === 'done' ? countRows(totals, ['ready']) : 0;
  return rows === 0 ? undefined : countOf(rows, 'row is ready to be sent', 'rows are ready to be sent');
}

/**
 * The state of a batch in words: `running` only says that some rows have not ended; no process may be working on them.
 * @param isSending true while a process is sending
 */
export function showState(
  status: BatchStatus,
  totals: readonly StatusTotal[],
  isSending: boolean,
): BatchStatus | 'held' | 'in doubt' | 'stopped' {
  // No row is being worked, and some wait for a person.
  if (status === 'done' && countRows(totals, ['held']) > 0 && showReady(status, totals) === undefined)
    return 'held';
  if (status !== 'running') return status;
  if (countRows(totals, toBeSentStatuses) === 0 && countRows(totals, inDoubtStatuses) > 0) return 'in doubt';
  return isSending ? status : 'stopped';
}

/** Rows and their total, the amount as decimal baht. */
export interface ShownTotal {
  readonly rows: number;
  readonly amount: string;
}

/** "3 rows, 1,500.50 baht". */
export const showTotal = ({ rows, amount }: ShownTotal): string =>
  `${countOf(rows, 'row')}, ${showAmount(amount)} baht`;

/** "2 paid (1,500.50), 1 failed (10.00)". */
export const showByStatus = (totals: Readonly<Record<string, ShownTotal>>): string =>
  Object.entries(totals)
    .map(([status, { rows, amount }]) => `${showCount(rows)} ${status} (${showAmount(amount)})`)
    .join(', ');

/** Rows and amount of one status, or another group. */
export const totalView = viewOf<{ readonly rows: number; readonly amountSatang: Satang }>()('total', {
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
});

/** Rows of one status, where there is no amount. */
export const rowsView = viewOf<{ readonly rows: number }>()('row count', { rows: ({ rows }) => rows });

/** Each total under its status, for a field that holds them by name. */
export const namedTotals = <Total extends { readonly status: string }>(
  totals: readonly Total[],
): readonly (readonly [string, Total])[] => totals.map((total) => [total.status, total]);

/** Totals by status with their amounts as decimal baht, in their order. */
export const totalsByStatus = (
  totals: readonly { readonly status: string; readonly rows: number; readonly amountSatang: Satang }[],
): Readonly<Record<string, ShownTotal>> =>
  Object.fromEntries(namedTotals(totals).map(([status, total]) => [status, totalView.json(total)]));
