/** Decides whether a reconciled day leaves anything for a person. */
import type { BreakKind } from './types.ts';

/** The changes of a matching that a person may have to look at. */
interface Outcome {
  /** Changed payouts, by cause. */
  readonly causes: ReadonlyMap<string, number>;
  readonly openedOnOtherDays: number;
}

/** Causes after which a person must look, whatever breaks are open. */
const alarmCauses: ReadonlySet<string> = new Set([
  'late-proof',
  'second-proof',
  'statement-contradicts',
  'earlier-attempt-alive',
  'alarm-raised',
]);

export function countBreaks(openBreaks: ReadonlyMap<BreakKind, number>): number {
  return [...openBreaks.values()].reduce((all, rows) => all + rows, 0);
}

/** Number of payouts for which this matching has raised an alarm. */
export function countAlarms({ causes }: Pick<Outcome, 'causes'>): number {
  let alarms = 0;
  for (const [cause, rows] of causes) if (alarmCauses.has(cause)) alarms += rows;
  return alarms;
}

/**
 * True when a person has nothing to do: no break is open on the day, none was opened on another, and no alarm was
 * raised.
 */
export function isQuiet(openBreaks: ReadonlyMap<BreakKind, number>, outcome: Outcome): boolean {
  return countBreaks(openBreaks) === 0 && outcome.openedOnOtherDays === 0 && countAlarms(outcome) === 0;
}
