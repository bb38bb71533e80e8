/** When the difference between our clock and the bank's is worth an alarm. Offsets are the bank's time less ours. */

/** `differs`: too far apart; `jumped`: one of them has moved by itself; `agrees`: they are together again. */
export interface ClockAlarm {
  readonly kind: 'differs' | 'jumped' | 'agrees';
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
  if (minutes < 120) return `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
