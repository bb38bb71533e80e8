/**
 * Hours in which transfers may be sent (setting `serviceHours`, Bangkok time). Pure: all functions take epoch
 * milliseconds.
 */
import { dayMs, msSinceBangkokMidnight } from '../../core/bangkok-time.ts';
import type { ClockReading } from './clock-skew.ts';

const minuteMs = 60_000;

/** The same hours every day; they cross midnight when they close before they open. */
export interface ServiceHours {
  /** Minutes after Bangkok midnight, 0–1439. */
  readonly openMinute: number;
  /** 1–1440; the minute that begins then is outside. Never equal to `openMinute`. */
  readonly closeMinute: number;
}

/** Time in ms before closing in which nothing new begins, since it would be cut off. */
const closingMarginMs = 30_000;

/** Minutes after midnight of "HH:mm"; "24:00" is the end of the day. Undefined for any other text. */
export function parseTimeOfDay(text: string): number | undefined {
  if (text === '24:00') return dayMs / minuteMs;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** Reads hours that the settings have checked; undefined for a service that never closes. */
export function readServiceHours(
  hours: { readonly open: string; readonly close: string } | undefined,
): ServiceHours | undefined {
  if (hours === undefined) return undefined;
  const openMinute = parseTimeOfDay(hours.open);
  const closeMinute = parseTimeOfDay(hours.close);
  if (openMinute === undefined || closeMinute === undefined)
    throw new Error('service hours that the settings have not checked');
  return { openMinute, closeMinute };
}

/** True while the service accepts transfers. */
export function isOpen({ openMinute, closeMinute }: ServiceHours, nowMs: number): boolean {
  const sinceMidnightMs = msSinceBangkokMidnight(nowMs);
  const isAfterOpening = sinceMidnightMs >= openMinute * minuteMs;
  const isBeforeClosing = sinceMidnightMs < closeMinute * minuteMs;
  return openMinute < closeMinute ? isAfterOpening && isBeforeClosing : isAfterOpening || isBeforeClosing;
}

/** The next moment, `nowMs` included, at which the service is open. @forTests */
export function nextOpeningMs(hours: ServiceHours, nowMs: number): number {
  if (isOpen(hours, nowMs)) return nowMs;
  const untilOpeningMs = hours.openMinute * minuteMs - msSinceBangkokMidnight(nowMs);
  return nowMs + ((untilOpeningMs + dayMs) % dayMs);
}

/** The next opening after `nowMs`, open or not. */
export function nextOpeningAfterMs({ openMinute }: ServiceHours, nowMs: number): number {
  const untilOpeningMs = openMinute * minuteMs - msSinceBangkokMidnight(nowMs);
  return nowMs + (untilOpeningMs > 0 ? untilOpeningMs : untilOpeningMs + dayMs);
}

/** Difference in ms above which the clocks raise an alarm, and do not decide when the service opens. */
const clocksApartMaxMs = 5 * minuteMs;

/** Time at which new work may begin, by both clocks: too early by the bank's would use up an attempt. */
export function mayBeginByBothAtMs(hours: ServiceHours, { nowMs, bankNowMs = nowMs }: ClockReading): number {
  const ahead = bankNowMs - nowMs;
  const oursMs = mayBeginAtMs(hours, nowMs);
  if (Math.abs(ahead) > clocksApartMaxMs) return oursMs;
  return Math.max(oursMs, mayBeginAtMs(hours, bankNowMs) - ahead);
}

/** Time at which new work may begin: now, or at the next opening if the service is closed or about to close. */
export function mayBeginAtMs(hours: ServiceHours, nowMs: number): number {
  const isClosing = isOpen(hours, nowMs) && !isOpen(hours, nowMs + closingMarginMs);
  return nextOpeningMs(hours, isClosing ? nowMs + closingMarginMs : nowMs);
}
