/** Reconciled days as `status` shows them. */
import { formatBangkokMoment, formatBangkokStamp } from '../core/bangkok-time.ts';
import { showDate } from '../core/recovery.ts';
import type { StatementDayState } from '../core/statement-store-port.ts';

const dayMs = 86_400_000;

/** Whole days that the oldest open break has been open; null without one. */
function computeOldestDays({ oldestOpenedAtMs }: StatementDayState, nowMs: number): number | null {
  return oldestOpenedAtMs === null ? null : Math.max(0, Math.floor((nowMs - oldestOpenedAtMs) / dayMs));
}

const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** One line a day. */
export function renderDay(day: StatementDayState, nowMs: number): string {
  const oldest = computeOldestDays(day, nowMs);
  const age = oldest === null ? '' : `, the oldest for ${countOf(oldest, 'day')}`;
  const breaks =
    day.openBreaks === 0 ? 'ties out, no open breaks' : `${countOf(day.openBreaks, 'open break')}${age}`;
  return `${showDate(day.date)}  v${day.version}  reconciled ${formatBangkokMoment(day.acceptedAtMs)}  ${breaks}`;
}

/** For --json. */
export function describeDay(day: StatementDayState, nowMs: number): object {
  return {
    date: showDate(day.date),
    version: day.version,
    reconciledAt: formatBangkokStamp(day.acceptedAtMs),
    openBreaks: day.openBreaks,
    oldestOpenDays: computeOldestDays(day, nowMs),
  };
}
