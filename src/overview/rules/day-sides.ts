/** Both sides of a reconciled day in one line each. */
import { type Satang, toSatang } from '../../core/money.ts';
import type { DayTotals } from '../../reconcile/rules/tally.ts';
import { addFigures, isBreakKind, noFigures } from '../../reconcile/rules/tally.ts';
import type { Figures, LineClass, PaidClass } from '../../reconcile/rules/types.ts';

interface DaySides {
  /** All payouts that we call paid. */
  readonly ours: Figures;
  /** All lines of our company. */
  readonly theirs: Figures;
  /** Our total minus the statement's, over the transfers on which the two disagree. */
  readonly differenceSatang: Satang;
}

function sum(
  places: ReadonlyMap<LineClass | PaidClass, Figures>,
  counts: (place: LineClass | PaidClass) => boolean,
): Figures {
  let all = noFigures;
  for (const [place, figures] of places) if (counts(place)) all = addFigures(all, figures);
  return all;
}

export function compareSides({ lines, paid }: Pick<DayTotals, 'lines' | 'paid'>): DaySides {
  const difference = sum(paid, isBreakKind).satang - sum(lines, isBreakKind).satang;
  return {
    ours: sum(paid, () => true),
    theirs: sum(lines, (place) => place !== 'others'),
    differenceSatang: toSatang(difference),
  };
}
