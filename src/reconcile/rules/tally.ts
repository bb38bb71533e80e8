/** Adds up the comparison of a whole day, one key at a time, and checks that nothing is left over. */
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import { amountOf } from './differences.ts';
import {
  agreedPlaces,
  type BreakKind,
  breakKinds,
  type DayFacts,
  type Figures,
  type Judgement,
  type LineClass,
  type PaidClass,
} from './types.ts';

const linePlaces: readonly LineClass[] = [...agreedPlaces, ...breakKinds];
const paidPlaces: readonly PaidClass[] = ['matched', 'settled-paid', 'found-other-day', ...breakKinds];

/** Both sides of one day: each line, and each payout that we call paid, in exactly one place. */
export interface DayTotals {
  /** Lines of the statement with their AMOUNT; places without a line are left out. */
  readonly lines: ReadonlyMap<LineClass, Figures>;
  /** Attempts of the day that we call paid, after the statement's settlements, with the amount sent. */
  readonly paid: ReadonlyMap<PaidClass, Figures>;
  /**
   * Number of differences by kind. A line with two differences is counted, with its satang, only under the more severe
   * one.
   */
  readonly breaks: ReadonlyMap<BreakKind, number>;
}

export const noFigures: Figures = { count: 0, satang: zeroSatang };

export const addFigures = (one: Figures, other: Figures): Figures => ({
  count: one.count + other.count,
  satang: toSatang(one.satang + other.satang),
});

function count<Place>(counted: Map<Place, Figures>, place: Place, satang: Satang): void {
  counted.set(place, addFigures(counted.get(place) ?? noFigures, { count: 1, satang }));
}

/** The places with a value, in order. */
function sort<Place, Value>(
  values: ReadonlyMap<Place, Value>,
  order: readonly Place[],
): ReadonlyMap<Place, Value> {
  return new Map([...values].toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other)));
}

const sortTotals = ({ lines, paid, breaks }: DayTotals): DayTotals => ({
  lines: sort(lines, linePlaces),
  paid: sort(paid, paidPlaces),
  breaks: sort(breaks, breakKinds),
});

export type Tally = ReturnType<typeof makeTally>;

/** A tally of one day; its keys are added in any order. */
export function makeTally() {
  const lines = new Map<LineClass, Figures>();
  const paid = new Map<PaidClass, Figures>();
  const breaks = new Map<BreakKind, number>();
  return {
    /** Counts one key of the day; keys of other days are not allowed. */
    add: (facts: Pick<DayFacts, 'lines' | 'attempt'>, judgement: Judgement): void => {
      for (const [at, line] of facts.lines.entries()) {
        const place = judgement.lineClasses[at];
        if (place === undefined) throw new RangeError(`line ${line.line} was judged to be nothing`);
        count(lines, place, line.amountSatang);
      }
      if (judgement.paidClass !== undefined && facts.attempt !== undefined) {
        count(paid, judgement.paidClass, amountOf(facts.attempt));
      }
      for (const { kind } of judgement.breaks) breaks.set(kind, (breaks.get(kind) ?? 0) + 1);
    },
    /** The counts so far. */
    totals: (): DayTotals => sortTotals({ lines, paid, breaks }),
  };
}

function sumFigures(places: ReadonlyMap<unknown, Figures>): Figures {
  let sum = noFigures;
  for (const figures of places.values()) sum = addFigures(sum, figures);
  return sum;
}

const breakPlaces: ReadonlySet<string> = new Set(breakKinds);

/** True for a place of the totals that is a difference. */
export function isBreakKind(place: LineClass | PaidClass): place is BreakKind {
  return breakPlaces.has(place);
}

/** The totals of each side without reconciliation: the reader's sums over the file, the store's over its payouts. */
interface CountedApart {
  /** All lines of the statement, with their AMOUNT. */
  readonly statement: Figures;
  /** Attempts with the statement's tranDate that are paid, after its changes are recorded. */
  readonly paid: Figures;
}

/** Two figures that should be equal. */
interface TotalsGap {
  /** `statement`: all lines; `paid`: all that we call paid; the others: places that both sides share. */
  readonly where: 'statement' | 'paid' | 'matched' | 'settled-paid';
  readonly counted: Figures;
  readonly expected: Figures;
}

const isSame = <Counted extends Figures | EncodedFigures>(one: Counted, other: Counted): boolean =>
  one.count === other.count && one.satang === other.satang;

/**
 * Checks that the day agrees to the satang: statement total = matched + breaks + others', payouts paid by us = matched
 * + breaks, and the matched figures of both sides are equal. Empty when it does.
 */
export function findTotalsGaps({ lines, paid }: DayTotals, apart: CountedApart): readonly TotalsGap[] {
  const both = (where: 'matched' | 'settled-paid'): TotalsGap => ({
    where,
    counted: lines.get(where) ?? noFigures,
    expected: paid.get(where) ?? noFigures,
  });
  const checks: readonly TotalsGap[] = [
    { where: 'statement', counted: sumFigures(lines), expected: apart.statement },
    { where: 'paid', counted: sumFigures(paid), expected: apart.paid },
    both('matched'),
    both('settled-paid'),
  ];
  return checks.filter(({ counted, expected }) => !isSame(counted, expected));
}

/** Count and amount in JSON, with satang as text. */
interface EncodedFigures {
  readonly count: number;
  readonly satang: string;
}
type EncodedPlaces = Readonly<Record<string, EncodedFigures>>;

/** The totals in the store's form. */
export interface EncodedTotals {
  readonly lines: EncodedPlaces;
  readonly paid: EncodedPlaces;
  readonly breaks: Readonly<Record<string, number>>;
}

/** A figure that a corrected statement has changed. */
export interface FiguresChange {
  readonly side: 'statement' | 'paid';
  readonly place: string;
  readonly before: EncodedFigures;
  readonly after: EncodedFigures;
}

const nothingCounted: EncodedFigures = { count: 0, satang: '0' };

function compareSide(
  side: FiguresChange['side'],
  before: EncodedPlaces,
  after: EncodedPlaces,
): FiguresChange[] {
  return Object.keys({ ...before, ...after })
    .map((place) => ({
      side,
      place,
      before: before[place] ?? nothingCounted,
      after: after[place] ?? nothingCounted,
    }))
    .filter((change) => !isSame(change.before, change.after));
}

/** Figures that differ between two versions of one day's statement. */
export function compareTotals(before: EncodedTotals, after: EncodedTotals): readonly FiguresChange[] {
  return [
    ...compareSide('statement', before.lines, after.lines),
    ...compareSide('paid', before.paid, after.paid),
  ];
}

const encodeFigures = (figures: ReadonlyMap<string, Figures>): EncodedPlaces =>
  Object.fromEntries(
    [...figures].map(([place, one]) => [place, { count: one.count, satang: String(one.satang) }]),
  );

export function encodeTotals({ lines, paid, breaks }: DayTotals): EncodedTotals {
  return {
    lines: encodeFigures(lines),
    paid: encodeFigures(paid),
    breaks: Object.fromEntries(breaks),
  };
}

const decodeFigures = <Place extends string>(encoded: EncodedPlaces): ReadonlyMap<Place, Figures> =>
  new Map(
    Object.entries(encoded).map(([place, one]) => [
      place as Place,
      { count: one.count, satang: toSatang(BigInt(one.satang)) },
    ]),
  );

export function decodeTotals({ lines, paid, breaks }: EncodedTotals): DayTotals {
  return sortTotals({
    lines: decodeFigures(lines),
    paid: decodeFigures(paid),
    breaks: new Map(Object.entries(breaks) as [BreakKind, number][]),
  });
}
