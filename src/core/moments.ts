/** Moments, days and ages in the reader's language. */
import { formatBangkokMoment } from './bangkok-time.ts';
import type { Language } from './language.ts';
import { message, say, sayCode } from './message.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;

/** The difference between years of the Buddhist and the common era. */
const buddhistYears = 543;

/** @param month 01 to 12 */
function sayDay(language: Language, year: string, month: string, day: string): string {
  const name = months[Number(month) - 1];
  const shownYear = language === 'th' ? Number(year) + buddhistYears : year;
  return `${Number(day)} ${name === undefined ? month : sayCode(language, `month.${name}`)} ${shownYear}`;
}

/** Returns `22 Nov 2026 01:00` or `22 พ.ย. 2569 01:00 น.`, in Bangkok time. */
export function sayMoment(language: Language, epochMs: number): string {
  const [date = '', time = ''] = formatBangkokMoment(epochMs).split(' ');
  const [year = '', month = '', day = ''] = date.split('-');
  return say(
    language,
    message('time.moment', {
      day: sayDay(language, year, month, day),
      clock: time.slice(0, 'HH:mm'.length),
    }),
  );
}

/** Returns `22 Nov 2026` or `22 พ.ย. 2569` for a day YYYYMMDD. */
export function sayDate(language: Language, date: string): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})(\d\d)(\d\d)$/.exec(date) ?? [];
  return sayDay(language, year, month, day);
}

const ageUnits = [
  ['time.days', 86_400_000],
  ['time.hours', 3_600_000],
  ['time.minutes', 60_000],
] as const;

/** Returns the two largest units: `2d 4h` or `2 วัน 4 ชม.`. */
export function sayAge(language: Language, ms: number): string {
  const first = ageUnits.findIndex(([, unitMs]) => ms >= unitMs);
  if (first === -1) return sayCode(language, 'time.under-a-minute');
  let left = ms;
  const parts: string[] = [];
  for (const [code, unitMs] of ageUnits.slice(first, first + 2)) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(say(language, message(code, { count })));
  }
  return parts.join(' ');
}
