/** Rows and columns that a person does not see, however a program has hidden them. */
import { readFlag, type XmlElement, XmlError } from './xml.ts';

/** In points: nothing can be read in a row that is lower. */
const rowHeightMin = 3;
/** In characters: nothing can be read in a column that is narrower. */
const columnWidthMin = 0.5;

/** A row or a column. */
export interface Line {
  readonly isHidden: boolean;
  /** How many groups it is part of. */
  readonly level: number;
  /** The group beside it is folded up. */
  readonly isFolded: boolean;
}

/** Sizes of rows and columns that have none of their own. */
export interface DefaultSizes {
  readonly rowHeight: number;
  readonly columnWidth: number;
}

export const usualSizes: DefaultSizes = { rowHeight: rowHeightMin, columnWidth: columnWidthMin };

function readSize({ attributes, name }: XmlElement, size: string): number | undefined {
  const text = attributes[size];
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) throw new XmlError(`no size for ${size} of ${name}`);
  return Number(text);
}

/**
 * @param format the element `sheetFormatPr`. Its `zeroHeight` hides only rows that the sheet leaves out: Excel writes rows
 * that it shows without a word.
 */
export const readDefaultSizes = (format: XmlElement): DefaultSizes => ({
  rowHeight: readSize(format, 'defaultRowHeight') ?? usualSizes.rowHeight,
  columnWidth: readSize(format, 'defaultColWidth') ?? usualSizes.columnWidth,
});

const readLine = (element: XmlElement, isTooSmall: boolean): Line => ({
  isHidden: readFlag(element, 'hidden') || isTooSmall,
  level: readSize(element, 'outlineLevel') ?? 0,
  isFolded: readFlag(element, 'collapsed'),
});

export const readRowLine = (row: XmlElement, { rowHeight }: DefaultSizes): Line =>
  readLine(row, (readSize(row, 'ht') ?? rowHeight) < rowHeightMin);

export const readColumnLine = (column: XmlElement, { columnWidth }: DefaultSizes): Line =>
  readLine(column, (readSize(column, 'width') ?? columnWidth) < columnWidthMin);

/** A column that the sheet says nothing of. */
export const usualColumn = ({ columnWidth }: DefaultSizes): Line => ({
  isHidden: columnWidth < columnWidthMin,
  level: 0,
  isFolded: false,
});

/** A line that is described in several places is hidden when one of them says so. */
export const joinLines = (one: Line, other: Line): Line => ({
  isHidden: one.isHidden || other.isHidden,
  level: Math.max(one.level, other.level),
  isFolded: one.isFolded || other.isFolded,
});

/**
 * The lines that a person does not see, by their numbers: those that are hidden, and the groups that are folded up.
 * @param isFoldedAfter the line that says that a group is folded up stands after it rather than before it
 */
export function findHidden(lines: ReadonlyMap<number, Line>, isFoldedAfter: boolean): ReadonlySet<number> {
  const step = isFoldedAfter ? -1 : 1;
  const hidden = new Set<number>();
  for (const [number, { isHidden, isFolded, level }] of lines) {
    if (isHidden) hidden.add(number);
    if (!isFolded) continue;
    for (let at = number + step; (lines.get(at)?.level ?? 0) > level; at += step) hidden.add(at);
  }
  return hidden;
}
