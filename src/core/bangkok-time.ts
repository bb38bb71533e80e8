/**
 * Bangkok time, in which the bank counts: UTC+07:00, without daylight saving (§2.3, §2.4). All functions take epoch
 * milliseconds, so that a simulated clock can drive them.
 */

/** Bangkok time minus UTC. */
export const bangkokOffsetMs = 7 * 3_600_000;
/** Length of a Bangkok day: there is no daylight saving. */
export const dayMs = 86_400_000;

/** Date and time in Bangkok as "YYYY-MM-DDTHH:mm:ss.sss", to be cut to size. */
function bangkokIso(epochMs: number): string {
  return new Date(epochMs + bangkokOffsetMs).toISOString();
}

/** The day formatted last: it is requested several times a row, and is nearly always the same. */
const written = { dayNo: NaN, date: '' };

/** tranDate of §2.4: "YYYYMMDD" in Bangkok. */
export function formatBangkokDate(epochMs: number): string {
  const dayNo = Math.floor((epochMs + bangkokOffsetMs) / dayMs);
  if (dayNo !== written.dayNo) {
    const date = bangkokIso(dayNo * dayMs - bangkokOffsetMs);
    Object.assign(written, { dayNo, date: date.slice(0, 10).replaceAll('-', '') });
  }
  return written.date;
}

/** True when both moments are on one Bangkok day. Formats no date: it runs many times a row. */
export const isSameBangkokDay = (oneMs: number, otherMs: number): boolean =>
  Math.floor((oneMs + bangkokOffsetMs) / dayMs) === Math.floor((otherMs + bangkokOffsetMs) / dayMs);

/** tranTime of §2.4: "HH:mm:ss" in Bangkok. */
export function formatBangkokTime(epochMs: number): string {
  return bangkokIso(epochMs).slice(11, 19);
}

/** Date and time for people and files: "2026-11-21T14:03:05+07:00". */
export function formatBangkokDateTime(epochMs: number): string {
  return `${bangkokIso(epochMs).slice(0, 19)}+07:00`;
}

/** Format of a Thai date: Buddhist era, Arabic digits. */
const thaiDay = { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' } as const;

/** A date for Thai readers, from "YYYYMMDD": "21 พ.ย. 2569". */
export function formatThaiDate(date: string): string {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(date) ?? [];
  if (year === undefined) return date;
  const startMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return new Intl.DateTimeFormat('th-TH-u-ca-buddhist-nu-latn', thaiDay).format(startMs);
}

/** Bangkok date and time for people: "2026-11-21 14:03:05". */
export function formatBangkokMoment(epochMs: number): string {
  return bangkokIso(epochMs).slice(0, 19).replace('T', ' ');
}

/** The day of the week in Bangkok: 0 is Sunday. */
export const bangkokWeekday = (epochMs: number): number => new Date(epochMs + bangkokOffsetMs).getUTCDay();

/** Milliseconds since the latest Bangkok midnight. */
export function msSinceBangkokMidnight(epochMs: number): number {
  return (((epochMs + bangkokOffsetMs) % dayMs) + dayMs) % dayMs;
}

/** Milliseconds to the nearest Bangkok midnight, before or after. */
export function msFromBangkokMidnight(epochMs: number): number {
  const sinceMidnight = msSinceBangkokMidnight(epochMs);
  return Math.min(sinceMidnight, dayMs - sinceMidnight);
}

/** Epoch milliseconds at which a stored day "YYYYMMDD" begins in Bangkok; undefined for text that is not a day. */
export function parseBangkokDate(date: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(date) ?? [];
  const startMs = Date.UTC(Number(year), Number(month) - 1, Number(day)) - bangkokOffsetMs;
  return !Number.isNaN(startMs) && formatBangkokDate(startMs) === date ? startMs : undefined;
}

/** Years outside this range are typing errors, or are of another era. */
export const firstYear = 1970;
export const lastYear = 2199;

/** Years by which the Buddhist era, used in Thailand, is ahead of the Christian one. */
const buddhistYears = 543;

export type DayReading =
  /** `date` is YYYYMMDD; the day begins at `startMs` and ends at `endMs`. */
  { readonly ok: true; readonly date: string; readonly startMs: number; readonly endMs: number } | DayFault;

/**
 * Why a text is not a day. `what` continues a sentence after the text: "names no day"; `meant` is the Christian day
 * that a Buddhist one stands for.
 */
export interface DayFault {
  readonly ok: false;
  readonly what: string;
  readonly meant: string | undefined;
}

/**
 * The one reader of days that people, files and the bank write: YYYY-MM-DD or YYYYMMDD, in the Christian era. A day of
 * the Buddhist era is refused, never converted; the message says which day it stands for.
 */
export function readDay(text: string): DayReading {
  const [, year, hyphen = '', month = '', day = ''] = /^(\d{4})(-?)(\d{2})\2(\d{2})$/.exec(text) ?? [];
  const [christian, buddhist] = [Number(year), Number(year) - buddhistYears];
  const startsAt = (ofYear: number): number | undefined =>
    ofYear >= firstYear && ofYear <= lastYear ? parseBangkokDate(`${ofYear}${month}${day}`) : undefined;
  const startMs = startsAt(christian);
  if (startMs !== undefined)
    return { ok: true, date: `${christian}${month}${day}`, startMs, endMs: startMs + dayMs };
  if (startsAt(buddhist) !== undefined)
    return { ok: false, what: 'is of the Buddhist era', meant: [buddhist, month, day].join(hyphen) };
  return { ok: false, what: `names no day of the years ${firstYear} to ${lastYear}`, meant: undefined };
}

/** End of a message about a day that a person typed: why it is not a day, and what to type. */
export const explainDay = ({ what, meant }: DayFault): string =>
  `${what}: write ${meant ?? 'it as YYYY-MM-DD'}`;

/**
 * The days from `first` to `last`, both included, as "YYYYMMDD"; none when `first` is the later one.
 * @throws RangeError when `first` is not a day
 */
export function* eachBangkokDate(first: string, last: string): Generator<string> {
  const startMs = parseBangkokDate(first);
  if (startMs === undefined) throw new RangeError(`${first} names no day`);
  for (let atMs = startMs; formatBangkokDate(atMs) <= last; atMs += dayMs) yield formatBangkokDate(atMs);
}

/** Days back for which a missing statement is reported. */
const lookBackDays = 31;

/**
 * The last days that ended before a moment, newest first.
 * @param skipped number of the newest days to leave out
 */
export function listPastDays(nowMs: number, skipped = 0): readonly string[] {
  return Array.from({ length: lookBackDays - skipped }, (_, place) =>
    formatBangkokDate(nowMs - (place + 1 + skipped) * dayMs),
  );
}
