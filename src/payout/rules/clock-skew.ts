/**
 * What the bank's clock beside ours means: when no transfer may be begun, and when the difference between our clock and
 * the bank's is worth an alarm. Offsets are the bank's time less ours.
 */
import { countOf } from '../../core/figures.ts';
import {
  dayMs,
  formatBangkokMoment,
  isSameBangkokDay,
  msFromBangkokMidnight,
  msSinceBangkokMidnight,
} from '../../core/bangkok-time.ts';
import type { BatchReason } from '../../core/ports.ts';

/** Our time, and the bank's as its latest `Date` header tells; undefined before it has spoken. */
export interface ClockReading {
  readonly nowMs: number;
  readonly bankNowMs: number | undefined;
}

/** An answer that was longer on its way bears the time of then. */
const exchangeMaxMs = 60_000;

/**
 * Whether the `Date` of an answer tells the bank's time of now: one that was under way while the machine slept does not.
 * @param elapsedMs of the exchange
 */
export const tellsTime = (elapsedMs: number): boolean => elapsedMs <= exchangeMaxMs;

/** Our codes for a payer account that waits for a day that both clocks agree on. */
export const clocksDiffer = 'clocks-differ';
export const aroundMidnight = 'around-midnight';

/** No transfer is begun nearer to midnight than this, by either clock. */
export const firstSendMarginMs = 60_000;
/** How often it is looked whether the days agree again. */
export const dayPollMs = 60_000;

/** Why no transfer may be begun now, and until when at least; undefined when the day is one and the same by both clocks. */
export function findDayTrouble({
  nowMs,
  bankNowMs = nowMs,
}: ClockReading): { readonly why: BatchReason; readonly untilMs: number } | undefined {
  const near = [nowMs, bankNowMs].filter((timeMs) => msFromBangkokMidnight(timeMs) < firstSendMarginMs);
  if (near.length > 0) {
    const reason = 'it is midnight in Bangkok, or nearly: the day of a transfer would be in doubt';
    const remedy = 'Goes on by itself a minute after midnight; or run the same file again then';
    const waitMs = Math.max(...near.map(computeMsPastMidnight));
    return { why: { code: aroundMidnight, reason, remedy }, untilMs: nowMs + waitMs };
  }
  if (isSameBangkokDay(nowMs, bankNowMs)) return undefined;
  const [ours, banks] = [nowMs, bankNowMs].map((timeMs) => formatBangkokMoment(timeMs).slice(0, 10));
  const reason = `the day is ${ours} by the clock of this machine and ${banks} by the bank's`;
  const remedy = 'Set the clock of this machine by a time server; goes on by itself when the days agree';
  return { why: { code: clocksDiffer, reason, remedy }, untilMs: nowMs + dayPollMs };
}

/** From shortly before or after a midnight until it is over by the margin. */
function computeMsPastMidnight(timeMs: number): number {
  const sinceMs = msSinceBangkokMidnight(timeMs);
  return firstSendMarginMs + (sinceMs < firstSendMarginMs ? -sinceMs : dayMs - sinceMs);
}

/**
 * `differs`: too far apart; `jumped`: one of them has moved by itself; `agrees`: they are together again; `untold`: the
 * bank does not tell its time.
 */
export interface ClockAlarm {
  readonly kind: 'differs' | 'jumped' | 'agrees' | 'untold';
  /** In words, for a person. */
  readonly text: string;
}

/** A `Date` header has whole seconds and a reply takes its time; minutes are no accident. */
const differenceMaxMs = 5 * 60_000;
const jumpMaxMs = 60_000;

/**
 * @param beforeMs the offset that the latest reply showed; undefined before the first
 * @param offsetMs the one that this reply shows
 * @param toldMs the offset that the latest alarm told of; 0 before the first
 */
export function decideClockAlarm(
  beforeMs: number | undefined,
  offsetMs: number,
  toldMs: number,
): ClockAlarm | undefined {
  const isFar = Math.abs(offsetMs) > differenceMaxMs;
  const isNews = Math.abs(offsetMs - toldMs) > jumpMaxMs;
  if (isFar && isNews) {
    const side = offsetMs > 0 ? 'behind' : 'ahead of';
    const text =
      `the clock of this machine is ${describeSpan(offsetMs)} ${side} the bank's: set it by a time server; ` +
      'nothing is sent a second time unless it is the same day by both';
    return { kind: 'differs', text };
  }
  if (isFar) return undefined;
  if (Math.abs(toldMs) > differenceMaxMs)
    return { kind: 'agrees', text: "the clock of this machine and the bank's are together again" };
  if (beforeMs === undefined || Math.abs(offsetMs - beforeMs) <= jumpMaxMs) return undefined;
  return {
    kind: 'jumped',
    text: `the clock of this machine, or the bank's, has jumped by ${describeSpan(offsetMs - beforeMs)}`,
  };
}

function describeSpan(spanMs: number): string {
  const minutes = Math.round(Math.abs(spanMs) / 60_000);
  if (minutes < 120) return countOf(minutes, 'minute');
  return `${Math.round(minutes / 60)} hours`;
}
