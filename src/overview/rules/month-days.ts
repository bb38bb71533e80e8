/** The days of a month, each with the state of its reconciliation. */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';

/** `open`: the day is not over, or its statement is not due yet; `unpaid`: nothing was paid. */
export type DayState =
  | { readonly kind: 'agrees' | 'missing' | 'in-part' | 'open' | 'unpaid' }
  | { readonly kind: 'breaks'; readonly breaks: number };

export interface MonthDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly state: DayState;
}

export interface DayFacts {
  /** Days with a statement, and their open breaks. */
  readonly breaks: ReadonlyMap<string, number>;
  /** Days with payouts and without a whole statement. */
  readonly missing: ReadonlySet<string>;
  /** Days with a statement that was read in part. */
  readonly inPart: ReadonlySet<string>;
}

/** The days of the month of this moment, as YYYYMMDD. */
export function listMonth(nowMs: number): readonly string[] {
  const month = formatBangkokDate(nowMs).slice(0, 6);
  const firstMs = parseBangkokDate(`${month}01`) ?? nowMs;
  return Array.from({ length: 31 }, (_, place) => formatBangkokDate(firstMs + place * dayMs)).filter((date) =>
    date.startsWith(month),
  );
}

function stateOf(date: string, { breaks, missing, inPart }: DayFacts, nowMs: number): DayState {
  if (date >= formatBangkokDate(nowMs)) return { kind: 'open' };
  const open = breaks.get(date);
  if (open !== undefined && open > 0) return { kind: 'breaks', breaks: open };
  if (inPart.has(date)) return { kind: 'in-part' };
  if (open !== undefined) return { kind: 'agrees' };
  if (!missing.has(date)) return { kind: 'unpaid' };
  // The bank sends the statement of a day on the next one.
  return { kind: date === formatBangkokDate(nowMs - dayMs) ? 'open' : 'missing' };
}

export const readMonth = (facts: DayFacts, nowMs: number): readonly MonthDay[] =>
  listMonth(nowMs).map((date) => ({ date, state: stateOf(date, facts, nowMs) }));
