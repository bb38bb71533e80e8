/** Rows and columns that a person does not see, by whatever means they are hidden. */
import { readFlag, type XmlElement, XmlError } from './xml.ts';

/** Least readable height of a row, in points. */
const rowHeightMin = 3;
/** Least readable width of a column, in characters. */
const columnWidthMin = 0.5;

/** A row or a column. */
export interface Line {
  readonly isHidden: boolean;
  /** Number of groups that contain it. */
  readonly level: number;
  /** True when the group beside it is collapsed. */
  readonly isFolded: boolean;
}

/** Sizes of rows and columns without their own. */
interface DefaultSizes {
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
 * @param format the element `sheetFormatPr`. Its `zeroHeight` hides only rows that the sheet leaves out: Excel writes
 * visible rows without attributes.
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

/** A column without its own definition. */
export const usualColumn = ({ columnWidth }: DefaultSizes): Line => ({
  isHidden: columnWidth < columnWidthMin,
  level: 0,
  isFolded: false,
});

/** Joins several definitions of a line: hidden when one of them says so. */
export const joinLines = (one: Line, other: Line): Line => ({
  isHidden: one.isHidden || other.isHidden,
  level: Math.max(one.level, other.level),
  isFolded: one.isFolded || other.isFolded,
});

/**
 * Numbers of the lines that a person does not see: hidden ones, and those of collapsed groups.
 * @param isFoldedAfter true when the line that marks a collapsed group follows it instead of preceding it
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
