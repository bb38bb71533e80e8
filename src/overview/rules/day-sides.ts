/** Both sides of a reconciled day, kind by kind; the kinds add up to the difference of the totals. */
import { parseBaht, type Satang, sumSatang, toSatang } from '../../core/money.ts';
import type { DayTotals } from '../../reconcile/rules/tally.ts';
import { addFigures, isBreakKind, noFigures } from '../../reconcile/rules/tally.ts';
import type { BreakRecord, Figures, LineClass, PaidClass } from '../../reconcile/rules/types.ts';

type Place = LineClass | PaidClass;

/** One kind on both sides. */
export interface SidesOf {
  readonly place: Place;
  /** Payouts that we call paid. */
  readonly ours: Figures;
  /** Lines of our company. */
  readonly bank: Figures;
  /** Ours minus the bank's. */
  readonly differenceSatang: Satang;
}

interface DaySides {
  /** Kinds that are compared: agreed ones first, then breaks, most severe first. */
  readonly compared: readonly SidesOf[];
  /** The sum of the compared kinds. */
  readonly all: Omit<SidesOf, 'place'>;
  /** Kinds that statement or journal also have, and no comparison counts. */
  readonly beside: readonly SidesOf[];
}

const minus = (one: Figures, other: Figures): Satang => toSatang(one.satang - other.satang);

/** Agreed places that stand on both sides with the same figures; the others belong to another day, or moved nothing. */
const agreedOnBoth: ReadonlySet<Place> = new Set<Place>(['matched', 'settled-paid']);

const isCompared = ({ place }: SidesOf): boolean => agreedOnBoth.has(place) || isBreakKind(place);

function sumFigures(all: readonly Figures[]): Figures {
  let sum = noFigures;
  for (const figures of all) sum = addFigures(sum, figures);
  return sum;
}

export function compareSides({ lines, paid }: Pick<DayTotals, 'lines' | 'paid'>): DaySides {
  const places = new Set<Place>([...agreedOnBoth, ...paid.keys(), ...lines.keys()]);
  const rows = [...places]
    .map((place) => {
      const ours = paid.get(place as PaidClass) ?? noFigures;
      const bank = lines.get(place as LineClass) ?? noFigures;
      return { place, ours, bank, differenceSatang: minus(ours, bank) };
    })
    .filter(({ ours, bank }) => ours.count + bank.count > 0);
  const compared = rows.filter(isCompared);
  const ours = sumFigures(compared.map((row) => row.ours));
  const bank = sumFigures(compared.map((row) => row.bank));
  return {
    compared,
    all: { ours, bank, differenceSatang: minus(ours, bank) },
    beside: rows.filter((row) => !isCompared(row)),
  };
}

/** Kinds drawn as steps of their own. */
const stepsMax = 5;

/** A step from the bank's total to ours; without a place: the smaller kinds together. */
interface DayStep {
  readonly place: Place | undefined;
  readonly satang: Satang;
}

/** Steps from the bank's total to ours: every kind whose sides differ, or the largest ones and the rest. */
export function stepsOf({ compared }: Pick<DaySides, 'compared'>): readonly DayStep[] {
  const steps = compared
    .filter(({ differenceSatang }) => differenceSatang !== 0n)
    .map(({ place, differenceSatang: satang }) => ({ place, satang }));
  if (steps.length <= stepsMax) return steps;
  const bySize = steps.toSorted((one, other) => (sizeOf(one.satang) < sizeOf(other.satang) ? 1 : -1));
  const large = new Set(bySize.slice(0, stepsMax - 1));
  const rest = steps.filter((step) => !large.has(step)).reduce((sum, { satang }) => sum + satang, 0n);
  return [...steps.filter((step) => large.has(step)), { place: undefined, satang: toSatang(rest) }];
}

export const sizeOf = (satang: bigint): Satang => toSatang(satang < 0n ? -satang : satang);

/** Both sides of one break; undefined for a side that does not count it. */
export interface BreakSides {
  readonly oursSatang: Satang | undefined;
  readonly bankSatang: Satang | undefined;
  readonly differenceSatang: Satang;
}

/** The surplus line of a repeated transfer has no payout of its own. */
const surplusKinds: ReadonlySet<string> = new Set(['duplicate-line', 'unmatched-bank-line']);

export function sidesOfBreak({
  kind,
  attempt,
  lines,
  lineAt,
}: Pick<BreakRecord, 'kind' | 'attempt' | 'lines' | 'lineAt'>): BreakSides {
  const isOurs = attempt?.attemptStatus === 'paid' && !surplusKinds.has(kind);
  const oursSatang = isOurs ? parseBaht(attempt.order.amountText) : undefined;
  const bankSatang = lines[lineAt ?? -1]?.amountSatang;
  const differenceSatang = toSatang((oursSatang ?? 0n) - (bankSatang ?? 0n));
  return { oursSatang, bankSatang, differenceSatang };
}

/** True when these breaks, each transfer once, add up to the difference of the day. */
export function explainDifference(
  records: readonly Pick<BreakRecord, 'key' | 'kind' | 'attempt' | 'lines' | 'lineAt'>[],
  differenceSatang: Satang,
): boolean {
  const first = new Map(records.toReversed().map((record) => [record.key, record]));
  const parts = [...first.values()].map((record) => sidesOfBreak(record).differenceSatang);
  return sumSatang(parts) === differenceSatang;
}
