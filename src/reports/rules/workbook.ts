/** The sheets of a workbook for people: exceptions, result, summary, the lists of words, and how to fill it in. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { inBoth, type PlainCode, sayCode } from '../../core/message.ts';
import { type ColumnLook, headingOf, lookOf, type SheetTable } from './column-words.ts';

type ListedWord = readonly [code: string, english: string, thai: string, column: string];

/** A word of the sheets with its meaning. @param column where it is used */
export const listWord = (word: string, meaning: PlainCode, column: string): ListedWord => [
  word,
  sayCode('en', meaning),
  sayCode('th', meaning),
  column,
];

/** Texts of a workbook about rows of one kind. */
export interface BookWords<Row> {
  /** The owner's own id of a row; this column and those before it stay in sight. */
  readonly idColumn: string;
  /** Columns that people read beside another column, by that column. */
  readonly beside: Readonly<Record<string, readonly string[]>>;
  /** Possible decisions about a row: code, English, Thai. */
  readonly decisions: readonly (readonly [code: string, english: string, thai: string])[];
  /** Other words in the sheets: code, English, Thai, column. */
  readonly lists: readonly ListedWord[];
  readonly howTo: readonly PlainCode[];
  /** The word for a batch. */
  readonly batch: PlainCode;
  readonly openTally: () => BookTally<Row>;
}

/** Adds up rows as they come. */
export interface BookTally<Row> {
  add(row: Row): void;
  /** Heads, a line for each kind of row in the order of its life, and the total. */
  table(): Pick<SheetTable, 'columns' | 'rows'>;
}

/** Places of the columns in the order for people. */
function orderForPeople(header: readonly string[], beside: BookWords<never>['beside']): readonly number[] {
  const moved = Object.values(beside)
    .flat()
    .map((column) => header.indexOf(column))
    .filter((place) => place >= 0);
  return header.flatMap((column, place) => {
    if (moved.includes(place)) return [];
    const others = Object.hasOwn(beside, column) ? (beside[column] ?? []) : [];
    return [place, ...others.map((other) => header.indexOf(other)).filter((at) => at >= 0)];
  });
}

/**
 * A table of paydrop's as a sheet.
 * @param ownColumns number of paydrop's columns in the header: a carried-through one may have any name
 * @param rows of the exceptions or the result
 */
export function makeTableSheet(
  { idColumn, beside, decisions }: Pick<BookWords<never>, 'idColumn' | 'beside' | 'decisions'>,
  name: string,
  header: readonly string[],
  ownColumns: number,
  rows: readonly (readonly string[])[],
): SheetTable {
  const order = orderForPeople(header.slice(0, ownColumns), beside);
  const carried = header.slice(ownColumns).map((_, at) => ownColumns + at);
  const places = [...order, ...carried];
  const ours = (place: number): string | undefined => (place < ownColumns ? header[place] : undefined);
  const heads = places.map((place) => {
    const column = ours(place);
    return column === undefined ? (header[place] ?? '') : headingOf(column);
  });
  const decisionsAt = `Lists!$A$2:$A$${decisions.length + 1}`;
  return {
    name,
    frozenColumns: 1 + order.findIndex((place) => header[place] === idColumn),
    columns: places.map((place) => {
      const look = lookOf(ours(place) ?? '');
      return header[place] === 'decision' && place < ownColumns ? { ...look, listedAt: decisionsAt } : look;
    }),
    rows: [heads, ...rows.map((row) => places.map((place) => row[place] ?? ''))],
  };
}

// ---------------------------------------------------------------- the summary

/** A fact of the summary besides the figures: name and value. */
export type Fact = readonly [name: string, value: string];

/** Time of making, and whether it was a rehearsal. */
export const describeMaking = (isSandbox: boolean, nowMs: number): readonly Fact[] => [
  [inBoth('sheet.as-of'), `${formatBangkokMoment(nowMs)} (Bangkok)`],
  ...(isSandbox ? [[inBoth('sheet.sandbox'), inBoth('sheet.rehearsal')] as const] : []),
];

export function makeSummarySheet(facts: readonly Fact[], tally: Pick<BookTally<never>, 'table'>): SheetTable {
  const { columns, rows } = tally.table();
  const wide = facts.map(([name, value]) => [name, value]);
  return { name: 'Summary', frozenColumns: 0, columns, rows: [...rows, [], ...wide] };
}

/** The columns of a summary; counts take the narrow ones. */
export const summaryColumns: readonly ColumnLook[] = [
  { width: 28, isWrapped: true },
  { width: 44, isWrapped: true },
  { width: 12, isNumber: true },
  { width: 20, isNumber: true },
];

// ---------------------------------------------------------------- words

/** Every word of the sheets in both languages; the decisions first, where the list of their column expects them. */
export const makeListsSheet = ({
  decisions,
  lists,
}: Pick<BookWords<never>, 'decisions' | 'lists'>): SheetTable => ({
  name: 'Lists',
  frozenColumns: 0,
  columns: [{ width: 20 }, { width: 44 }, { width: 44 }, { width: 16 }],
  rows: [
    (['sheet.code', 'sheet.english', 'sheet.thai', 'sheet.column'] as const).map(inBoth),
    ...decisions.map((words) => [...words, 'decision']),
    ...lists,
  ],
});

const inEach = (code: PlainCode): string[] => [sayCode('en', code), sayCode('th', code)];

export const makeHowToSheet = ({ howTo }: Pick<BookWords<never>, 'howTo'>): SheetTable => ({
  name: 'How to',
  frozenColumns: 0,
  columns: [{ width: 6 }, { width: 70, isWrapped: true }, { width: 70, isWrapped: true }],
  rows: [
    [inBoth('sheet.number'), ...inEach('sheet.how-to')],
    ...howTo.map((code, at) => [String(at + 1), ...inEach(code)]),
  ],
});
