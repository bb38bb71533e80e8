/**
 * The bank's clock beside ours: decides when no transfer may begin, and when the difference needs an alarm. Offsets are
 * the bank's time minus ours, in ms.
 */
import { counted, type Message, message } from '../../core/message.ts';
import {
  dayMs,
  formatBangkokMoment,
  isSameBangkokDay,
  msFromBangkokMidnight,
  msSinceBangkokMidnight,
} from '../../core/bangkok-time.ts';
import type { BatchReason } from '../../core/ports.ts';

/** Our time, and the bank's by its latest `Date` header; undefined before the first. */
export interface ClockReading {
  readonly nowMs: number;
  readonly bankNowMs: number | undefined;
}

/** Longest exchange in ms whose `Date` still counts as the present time. */
const exchangeMaxMs = 60_000;

/**
 * True when the `Date` of an answer is the bank's present time; an answer under way while the machine slept is not.
 * @param elapsedMs length of the exchange
 */
export const tellsTime = (elapsedMs: number): boolean => elapsedMs <= exchangeMaxMs;

/** Codes for a payer account that waits until both clocks show the same day. */
export const clocksDiffer = 'clocks-differ';
export const aroundMidnight = 'around-midnight';

/** Least distance from midnight in ms, by either clock, at which a transfer may begin. */
export const firstSendMarginMs = 60_000;
/** Interval in ms at which the days are compared again. */
export const dayPollMs = 60_000;

/**
 * Reason why no transfer may begin now, and the earliest end of the wait; undefined when both clocks show the same day.
 */
export function findDayTrouble({
  nowMs,
  bankNowMs = nowMs,
}: ClockReading): { readonly why: BatchReason; readonly untilMs: number } | undefined {
  const near = [nowMs, bankNowMs].filter((timeMs) => msFromBangkokMidnight(timeMs) < firstSendMarginMs);
  if (near.length > 0) {
    const [reason, remedy] = [message('payer.midnight'), message('payer.after-midnight')];
    const waitMs = Math.max(...near.map(computeMsPastMidnight));
    return { why: { code: aroundMidnight, reason, remedy }, untilMs: nowMs + waitMs };
  }
  if (isSameBangkokDay(nowMs, bankNowMs)) return undefined;
  const [ours, banks] = [dayOf(nowMs), dayOf(bankNowMs)];
  const reason = message('payer.days-differ', { ours, banks });
  const remedy = message('payer.set-clock');
  return { why: { code: clocksDiffer, reason, remedy }, untilMs: nowMs + dayPollMs };
}

const dayOf = (timeMs: number): string => formatBangkokMoment(timeMs).slice(0, 10);

/** Time in ms from shortly before or after a midnight until the margin after it is over. */
function computeMsPastMidnight(timeMs: number): number {
  const sinceMs = msSinceBangkokMidnight(timeMs);
  return firstSendMarginMs + (sinceMs < firstSendMarginMs ? -sinceMs : dayMs - sinceMs);
}

/**
 * `differs`: too far apart; `jumped`: one clock has moved by itself; `agrees`: together again; `untold`: the bank sends
 * no time.
 */
export interface ClockAlarm {
  readonly kind: 'differs' | 'jumped' | 'agrees' | 'untold';
  /** Text of the alarm for a person. */
  readonly text: Message;
}

/** Differences in ms that are no accident: a `Date` header has whole seconds, and a reply takes time. */
const differenceMaxMs = 5 * 60_000;
const jumpMaxMs = 60_000;

/**
 * @param beforeMs offset of the previous reply; undefined before the first
 * @param offsetMs offset of this reply
 * @param toldMs offset of the latest alarm; 0 before the first
 */
export function decideClockAlarm(
  beforeMs: number | undefined,
  offsetMs: number,
  toldMs: number,
): ClockAlarm | undefined {
  const isFar = Math.abs(offsetMs) > differenceMaxMs;
  const isNews = Math.abs(offsetMs - toldMs) > jumpMaxMs;
  if (isFar && isNews) {
    const code = offsetMs > 0 ? 'clock.behind' : 'clock.ahead';
    return { kind: 'differs', text: message(code, { span: describeSpan(offsetMs) }) };
  }
  if (isFar) return undefined;
  if (Math.abs(toldMs) > differenceMaxMs) return { kind: 'agrees', text: message('clock.agrees') };
  if (beforeMs === undefined || Math.abs(offsetMs - beforeMs) <= jumpMaxMs) return undefined;
  return {
    kind: 'jumped',
    text: message('clock.jumped', { span: describeSpan(offsetMs - beforeMs) }),
  };
}

function describeSpan(spanMs: number): Message {
  const minutes = Math.round(Math.abs(spanMs) / 60_000);
  if (minutes < 120) return counted(minutes, 'minute');
  return message('clock.hours', { count: Math.round(minutes / 60) });
}
