/** Counts and amounts for people. Files, the wire and JSON carry no separators. */
import { formatBaht, type Satang } from './money.ts';

const groupDigits = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');

/** "1,234,567". */
export const showCount = (count: number): string => groupDigits(String(count));

/** "1 row", "1,200 rows". */
export const countOf = (count: number, thing: string, things = `${thing}s`): string =>
  `${showCount(count)} ${count === 1 ? thing : things}`;

/** Decimal baht with separators: "1,234,567.50". */
export function showAmount(baht: string): string {
  const [whole = '', fraction = ''] = baht.split('.');
  return `${groupDigits(whole)}.${fraction}`;
}

/** "1,234,567.50". */
export const showBaht = (amount: Satang): string => showAmount(formatBaht(amount));

/** A list in words: "3", "3 and 4", "3, 4 and 5". */
export const listWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
