/** Whether anything that a reconciled day has shown is left for a person. */
import type { BreakKind } from './types.ts';

/** What a matching has done, as far as a person may have to look. */
export interface Outcome {
  /** Payouts that were changed, by cause. */
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

/** Payouts about which this matching has raised an alarm. */
export function countAlarms({ causes }: Pick<Outcome, 'causes'>): number {
  let alarms = 0;
  for (const [cause, rows] of causes) if (alarmCauses.has(cause)) alarms += rows;
  return alarms;
}

/** Nothing is left for a person: no break is open on the day, none was opened on another, and no alarm was raised. */
export function isQuiet(openBreaks: ReadonlyMap<BreakKind, number>, outcome: Outcome): boolean {
  return countBreaks(openBreaks) === 0 && outcome.openedOnOtherDays === 0 && countAlarms(outcome) === 0;
}
