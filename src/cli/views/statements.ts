/** Days and their statements as `status` shows them. */
import type { DayStanding } from '../../app/status.ts';
import { dayMs, formatBangkokMoment, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { countOf } from './amounts.ts';
import type { Shown } from './shown.ts';

type DayState = NonNullable<DayStanding['state']>;

/** Whole days that the oldest open break has been open; null without one. */
function computeOldestDays({ oldestOpenedAtMs }: DayState, nowMs: number): number | null {
  return oldestOpenedAtMs === null ? null : Math.max(0, Math.floor((nowMs - oldestOpenedAtMs) / dayMs));
}

function describeDay({ date, state, isWhole }: DayStanding, nowMs: number) {
  return {
    date: showDate(date),
    version: state?.version ?? null,
    reconciledAt: state === undefined ? null : formatBangkokDateTime(state.acceptedAtMs),
    isWhole,
    openBreaks: state?.openBreaks ?? null,
    oldestOpenDays: state === undefined ? null : computeOldestDays(state, nowMs),
  };
}

function renderBreaks(isWhole: boolean, openBreaks: number, oldestOpenDays: number | null): string {
  if (openBreaks === 0) return isWhole ? 'ties out, no open breaks' : 'no open breaks so far';
  const age = oldestOpenDays === null ? '' : `, the oldest for ${countOf(oldestOpenDays, 'day')}`;
  return `${countOf(openBreaks, 'open break')}${age}`;
}

/** One line a day. */
export function showDay(day: DayStanding, nowMs: number): Shown {
  const json = describeDay(day, nowMs);
  const { date, version, isWhole, openBreaks, oldestOpenDays } = json;
  if (day.state === undefined)
    return { json, text: `${date}  not reconciled: payouts were sent, and no statement was accepted` };
  const breaks = renderBreaks(isWhole, openBreaks ?? 0, oldestOpenDays);
  const state = isWhole ? breaks : `the day had not ended: reconcile it again; ${breaks}`;
  const reconciled = formatBangkokMoment(day.state.acceptedAtMs);
  return { json, text: `${date}  v${version}  reconciled ${reconciled}  ${state}` };
}

/** @param daysMax of the days without open breaks in the text; those with are all there */
export function showDays(days: readonly DayStanding[], nowMs: number, daysMax = Infinity): Shown {
  const json = days.map((day) => describeDay(day, nowMs));
  if (days.length === 0) return { json, text: 'No day was reconciled yet.' };
  const shown = days.filter(({ state }, place) => place < daysMax || (state?.openBreaks ?? 0) > 0);
  const lines = shown.map((day) => showDay(day, nowMs).text);
  const left = days.length - shown.length;
  const rest = left === 0 ? [] : [`${left} more without open breaks: paydrop status --statements`];
  return { json, text: ['\nStatements by day', ...lines, ...rest].join('\n') };
}
