/** Adds up what the comparison of a whole day has shown, one key at a time, and checks that nothing is left over. */
import { toSatang, zeroSatang } from '../../core/money.ts';
import { amountOf } from './differences.ts';
import {
  type BreakKind,
  breakKinds,
  type DayFacts,
  type Figures,
  type Judgement,
  type LineClass,
  type PaidClass,
} from './types.ts';

const linePlaces: readonly LineClass[] = [
  'matched',
  'matched-other-day',
  'settled-paid',
  'settled-paid-other-day',
  'agreed-failed',
  'settled-failed',
  'others',
  ...breakKinds,
];

const paidPlaces: readonly PaidClass[] = ['matched', 'settled-paid', 'found-other-day', ...breakKinds];

/** Both sides of one day, each line and each payout that we call paid in exactly one place. */
export interface DayTotals {
  /** The statement's lines with their AMOUNT; places without a line are left out. */
  readonly lines: ReadonlyMap<LineClass, Figures>;
  /** Attempts of the day that we call paid, after what the statement has settled, with the amount that was sent. */
  readonly paid: ReadonlyMap<PaidClass, Figures>;
  /** How often each difference was named. A line with two differences is counted, with its satang, under the more severe alone. */
  readonly breaks: ReadonlyMap<BreakKind, number>;
}

export interface Tally {
  /** Counts one key of the day; a key of another day has no place here. */
  add(facts: Pick<DayFacts, 'lines' | 'attempt'>, judgement: Judgement): void;
  /** What has been counted so far. */
  totals(): DayTotals;
}

interface Counter {
  count: number;
  satang: bigint;
}

function count<Place>(counters: Map<Place, Counter>, place: Place, satang: bigint): void {
  const counter = counters.get(place);
  if (counter === undefined) {
    counters.set(place, { count: 1, satang });
    return;
  }
  counter.count += 1;
  counter.satang += satang;
}

/** The places that have a value, in their order. */
function pick<Place, Value>(
  order: readonly Place[],
  read: (place: Place) => Value | undefined,
): ReadonlyMap<Place, Value> {
  const picked = new Map<Place, Value>();
  for (const place of order) {
    const value = read(place);
    if (value !== undefined) picked.set(place, value);
  }
  return picked;
}

function figuresOf<Place>(
  counters: ReadonlyMap<Place, Counter>,
  order: readonly Place[],
): ReadonlyMap<Place, Figures> {
  return pick(order, (place) => {
    const counter = counters.get(place);
    return counter === undefined ? undefined : { count: counter.count, satang: toSatang(counter.satang) };
  });
}

/** A tally of one day, to which its keys are added in any order. */
export function makeTally(): Tally {
  const lines = new Map<LineClass, Counter>();
  const paid = new Map<PaidClass, Counter>();
  const breaks = new Map<BreakKind, number>();
  return {
    add: (facts, judgement) => {
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
    totals: () => ({
      lines: figuresOf(lines, linePlaces),
      paid: figuresOf(paid, paidPlaces),
      breaks: pick(breakKinds, (kind) => breaks.get(kind)),
    }),
  };
}

/** The sum over some places, or over all of them. */
function sumFigures<Place>(
  figures: ReadonlyMap<Place, Figures>,
  isWanted: (place: Place) => boolean = () => true,
): Figures {
  let sum = 0;
  let satang: bigint = zeroSatang;
  for (const [place, one] of figures) {
    if (!isWanted(place)) continue;
    sum += one.count;
    satang += one.satang;
  }
  return { count: sum, satang: toSatang(satang) };
}

const breakPlaces: ReadonlySet<string> = new Set(breakKinds);

/** True for a place of the totals where something differs. */
export function isBreakKind(place: LineClass | PaidClass): place is BreakKind {
  return breakPlaces.has(place);
}

/** The totals as each side has them without us: the reader's sums over the file, the store's over its payouts. */
export interface CountedApart {
  /** All lines of the statement, with their AMOUNT. */
  readonly statement: Figures;
  /** Attempts with the statement's tranDate that are paid, once its changes are recorded. */
  readonly paid: Figures;
}

/** Two figures that should be one. */
export interface TotalsGap {
  /** `statement`: all lines; `paid`: all that we call paid; the others: what both sides call the same. */
  readonly where: 'statement' | 'paid' | 'matched' | 'settled-paid';
  readonly counted: Figures;
  readonly expected: Figures;
}

const noFigures: Figures = { count: 0, satang: zeroSatang };

const isSame = (a: Figures, b: Figures): boolean => a.count === b.count && a.satang === b.satang;

/**
 * Checks that the day ties out to the satang: statement total = matched + breaks + others', payouts paid by us =
 * matched + breaks, and what is matched is the same figure on both sides. Empty when it does.
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

/** A figure that a corrected statement has changed. */
export interface FiguresChange {
  readonly side: 'statement' | 'paid';
  readonly place: LineClass | PaidClass;
  readonly before: Figures;
  readonly after: Figures;
}

function compareSide<Place extends LineClass | PaidClass>(
  side: FiguresChange['side'],
  before: ReadonlyMap<Place, Figures>,
  after: ReadonlyMap<Place, Figures>,
): FiguresChange[] {
  const places = new Set([...before.keys(), ...after.keys()]);
  return [...places]
    .map((place) => ({
      side,
      place,
      before: before.get(place) ?? noFigures,
      after: after.get(place) ?? noFigures,
    }))
    .filter((change) => !isSame(change.before, change.after));
}

/** Which figures differ between two versions of one day's statement. */
export function compareTotals(before: DayTotals, after: DayTotals): readonly FiguresChange[] {
  return [
    ...compareSide('statement', before.lines, after.lines),
    ...compareSide('paid', before.paid, after.paid),
  ];
}

/** Figures by place, as JSON has them; amounts are whole satang as text. */
type EncodedFigures = Readonly<Record<string, { readonly count: number; readonly satang: string }>>;

/** The totals as the store and `--json` have them. */
export interface EncodedTotals {
  readonly lines: EncodedFigures;
  readonly paid: EncodedFigures;
  readonly breaks: Readonly<Record<string, number>>;
}

const encodeFigures = (figures: ReadonlyMap<string, Figures>): EncodedFigures =>
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

const decodeFigures = <Place extends string>(
  encoded: EncodedFigures,
  order: readonly Place[],
): ReadonlyMap<Place, Figures> =>
  pick(order, (place) => {
    const one = encoded[place];
    return one === undefined ? undefined : { count: one.count, satang: toSatang(BigInt(one.satang)) };
  });

export function decodeTotals({ lines, paid, breaks }: EncodedTotals): DayTotals {
  return {
    lines: decodeFigures(lines, linePlaces),
    paid: decodeFigures(paid, paidPlaces),
    breaks: pick(breakKinds, (kind) => breaks[kind]),
  };
}
