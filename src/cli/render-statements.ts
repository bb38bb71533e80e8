/** Days and their statements as `status` shows them. */
import { dayMs, formatBangkokMoment, formatBangkokDateTime, listPastDays } from '../core/bangkok-time.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import type { StatementDayState, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';

/** A day of which a statement was accepted, or on which payouts were sent and none was. */
export interface ShownDay {
  /** YYYYMMDD. */
  readonly date: string;
  /** Undefined without any statement. */
  readonly state: StatementDayState | undefined;
  /** False when the day had not ended as its statement was read. */
  readonly isWhole: boolean;
}

/** Every day with a statement, and the last days that should have one and do not; the newest first. */
export async function readShownDays(
  store: Pick<StatementStore & UnreconciledDays, 'statementDays' | 'daysReadInPart' | 'daysWithoutStatement'>,
  nowMs: number,
): Promise<readonly ShownDay[]> {
  const inPart = new Set(await store.daysReadInPart());
  const read = (await store.statementDays()).map((state) => ({
    date: state.date,
    state,
    isWhole: !inPart.has(state.date),
  }));
  const without = await store.daysWithoutStatement(listPastDays(nowMs));
  const unread = without
    .filter((date) => !inPart.has(date))
    .map((date) => ({ date, state: undefined, isWhole: false }));
  return [...read, ...unread].toSorted((one, other) => (one.date < other.date ? 1 : -1));
}

/** Whole days that the oldest open break has been open; null without one. */
function computeOldestDays({ oldestOpenedAtMs }: StatementDayState, nowMs: number): number | null {
  return oldestOpenedAtMs === null ? null : Math.max(0, Math.floor((nowMs - oldestOpenedAtMs) / dayMs));
}

const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

function describeBreaks(state: StatementDayState, isWhole: boolean, nowMs: number): string {
  if (state.openBreaks === 0) return isWhole ? 'ties out, no open breaks' : 'no open breaks so far';
  const oldest = computeOldestDays(state, nowMs);
  const age = oldest === null ? '' : `, the oldest for ${countOf(oldest, 'day')}`;
  return `${countOf(state.openBreaks, 'open break')}${age}`;
}

/** One line a day. */
export function renderDay({ date, state, isWhole }: ShownDay, nowMs: number): string {
  if (state === undefined)
    return `${showDate(date)}  not reconciled: payouts were sent, and no statement was accepted`;
  const read = `${showDate(date)}  v${state.version}  reconciled ${formatBangkokMoment(state.acceptedAtMs)}`;
  const breaks = describeBreaks(state, isWhole, nowMs);
  return `${read}  ${isWhole ? breaks : `the day had not ended: reconcile it again; ${breaks}`}`;
}

/** For --json. */
export function describeDay({ date, state, isWhole }: ShownDay, nowMs: number): object {
  return {
    date: showDate(date),
    version: state?.version ?? null,
    reconciledAt: state === undefined ? null : formatBangkokDateTime(state.acceptedAtMs),
    isWhole,
    openBreaks: state?.openBreaks ?? null,
    oldestOpenDays: state === undefined ? null : computeOldestDays(state, nowMs),
  };
}
