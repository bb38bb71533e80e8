/** The sheets of a workbook for people: exceptions, result, summary, the lists of words, and how to fill it in. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { type ColumnLook, headingOf, lookOf, type SheetTable } from './column-words.ts';

/** English, ไทย. */
type Pair = readonly [english: string, thai: string];

/** Texts of a workbook about rows of one kind. */
export interface BookWords<Row> {
  /** The owner's own id of a row; this column and those before it stay in sight. */
  readonly idColumn: string;
  /** Columns that people read beside another column, by that column. */
  readonly beside: Readonly<Record<string, readonly string[]>>;
  /** Possible decisions about a row: code, English, Thai. */
  readonly decisions: readonly (readonly [code: string, english: string, thai: string])[];
  /** Other words in the sheets: code, English, Thai, column. */
  readonly lists: readonly (readonly [code: string, english: string, thai: string, column: string])[];
  readonly howTo: readonly Pair[];
  /** "ชุดจ่ายเงิน" */
  readonly batchTh: string;
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
  ['as of\nณ วันที่', `${formatBangkokMoment(nowMs)} (Bangkok)`],
  ...(isSandbox ? [['sandbox\nระบบทดสอบ', 'a rehearsal, no real money\nไม่มีเงินจริง'] as const] : []),
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
    ['code\nรหัส', 'English\nอังกฤษ', 'Thai\nไทย', 'column\nคอลัมน์'],
    ...decisions.map((words) => [...words, 'decision']),
    ...lists,
  ],
});

export const makeHowToSheet = ({ howTo }: Pick<BookWords<never>, 'howTo'>): SheetTable => ({
  name: 'How to',
  frozenColumns: 0,
  columns: [{ width: 6 }, { width: 70, isWrapped: true }, { width: 70, isWrapped: true }],
  rows: [
    ['no.\nข้อ', 'How to fill it in', 'วิธีกรอก'],
    ...howTo.map(([english, thai], at) => [String(at + 1), english, thai]),
  ],
});
