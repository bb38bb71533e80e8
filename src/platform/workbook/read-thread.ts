/**
 * The thread that reads a workbook: unpacks it, then returns its rows page by page, on request. Rows are texts as a person
 * sees them, with the faults of misleading cells.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { FileRejected } from '../csv/open.ts';
import type { ReadOrder, ReadReply } from './reader.ts';
import { type CellFault, nameColumn, type SheetChoice, type SheetHead, type SheetRow } from './sheet.ts';
import { quoteBriefly, rejectCutShort, rejectDamaged, WorkbookParts } from './unpack.ts';
import { message, type Message } from '../../core/message.ts';
import { type Book, readBook } from './book.ts';
import { readStoredCell, showCell, type ShownCell, type StoredCell } from './cell.ts';
import { readElements, readFlag, requireNoText, requireOnly, type XmlElement, XmlError } from './xml.ts';

const rowsPerPage = 500;

function* listPages(rows: Iterable<SheetRow>): Generator<readonly SheetRow[]> {
  let page: SheetRow[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < rowsPerPage) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Reports a library's error as a fault of the workbook. */
function describeFailure(error: unknown): ReadReply {
  const { rejection } = error instanceof FileRejected ? error : rejectCutShort();
  return { kind: 'rejected', rejection };
}

async function* work({ bytes, ...choice }: ReadOrder): AsyncGenerator<ReadReply> {
  try {
    const { head, rows } = await showSheet(bytes, choice);
    yield { kind: 'head', head };
    for (const page of listPages(rows)) yield { kind: 'rows', rows: page };
    yield { kind: 'end' };
  } catch (error) {
    yield describeFailure(error);
  }
}

/** Answers each message with the next part of what was ordered. */
function answerOn(port: MessagePort, order: ReadOrder): void {
  const answers = work(order);
  port.on('message', () => {
    void answers.next().then(({ value }) => port.postMessage(value, []));
  });
}

// ---------------------------------------------------------------- the sheet as stored in its part

/** Rows and columns by number, from 1, the last included. */
interface Area {
  readonly firstRow: number;
  readonly firstColumn: number;
  readonly lastRow: number;
  readonly lastColumn: number;
}

type Cells = ReadonlyMap<number, StoredCell>;

interface Worksheet {
  /** Cells by the row's number, then the column's, both from 1. */
  readonly rows: ReadonlyMap<number, Cells>;
  /** Last column with a cell. */
  readonly lastColumn: number;
  readonly hiddenRows: ReadonlySet<number>;
  readonly hiddenColumns: ReadonlySet<number>;
  readonly merged: readonly Area[];
}

const rowParts = ['c', 'extLst'];
const rowsMax = 1_048_576;
const columnsMax = 16_384;

/** The position of a cell's name; undefined for a name that no cell can have. */
function parsePlace(name: string): readonly [row: number, column: number] | undefined {
  const [, letters = '', digits = ''] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(name) ?? [];
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  const row = Number(digits);
  return column > 0 && row <= rowsMax && column <= columnsMax ? [row, column] : undefined;
}

function readArea({ attributes }: XmlElement): Area {
  const [first, last = first] = (attributes['ref'] ?? '').split(':').map(parsePlace);
  if (first === undefined || last === undefined || first[0] > last[0] || first[1] > last[1])
    throw new XmlError('a merged cell without a place');
  return { firstRow: first[0], firstColumn: first[1], lastRow: last[0], lastColumn: last[1] };
}

/** A number from 1; undefined for any other text. */
const parseNumber = (text: string, max: number): number | undefined =>
  /^[1-9]\d{0,6}$/.test(text) && Number(text) <= max ? Number(text) : undefined;

/** A short quote of an invalid position. */
const quote = (text = ''): string => JSON.stringify(text.slice(0, 12));

/** Takes a sheet's elements in order. */
class SheetTaker {
  readonly #book: Book;
  readonly #rows = new Map<number, Map<number, StoredCell>>();
  readonly #rowLines = new Map<number, Line>();
  readonly #columnLines = new Map<number, Line>();
  readonly #merged: Area[] = [];
  #sizes = usualSizes;
  #areFoldedAfter = { rows: true, columns: true };
  #tables = 0;
  #lastColumn = 0;
  /** The last row, and its cell in work. */
  #row = 0;
  #cell = '';
  #isInRow = false;

  constructor(book: Book) {
    this.#book = book;
  }

  /** @throws FileRejected for a damaged sheet */
  takeAll(xml: string): Worksheet {
    try {
      for (const element of readElements(xml, 'worksheet', 'sheetData')) {
        this.#take(element);
        this.#isInRow = false;
      }
      if (this.#tables !== 1) throw new XmlError(`${this.#tables} tables instead of one`);
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      throw rejectDamaged(
        message('workbook.place-has', { place: this.#describePlace(), fault: quoteBriefly(error.message) }),
        this.#isInRow ? this.#row : null,
      );
    }
    return this.#finish();
  }

  #describePlace(): Message {
    const name = quoteBriefly(JSON.stringify(this.#book.sheetName));
    if (!this.#isInRow) return message('workbook.sheet', { name });
    return this.#cell === ''
      ? message('workbook.row', { row: this.#row, name })
      : message('workbook.cell', { cell: this.#cell, name });
  }

  #take(element: XmlElement): void {
    const { name, children } = element;
    if (name === 'sheetData/row') this.#takeRow(element);
    else if (name.startsWith('sheetData/')) throw new XmlError(`${name} among its rows`);
    else if (name === 'sheetPr') this.#takeOutline(children);
    else if (name === 'sheetFormatPr') this.#takeSizes(element);
    else if (name === 'cols') for (const column of children) this.#takeColumns(column);
    else if (name === 'mergeCells') for (const merged of children) this.#merged.push(readArea(merged));
    else if (name === 'sheetData') {
      requireNoText(element);
      this.#tables += 1;
    }
  }

  #takeOutline(properties: readonly XmlElement[]): void {
    const outline = properties.find(({ name }) => name === 'outlinePr');
    if (outline === undefined) return;
    const isAfter = (flag: string): boolean =>
      outline.attributes[flag] === undefined || readFlag(outline, flag);
    this.#areFoldedAfter = { rows: isAfter('summaryBelow'), columns: isAfter('summaryRight') };
  }

  #takeSizes(element: XmlElement): void {
    if (this.#rowLines.size > 0 || this.#columnLines.size > 0)
      throw new XmlError(`${element.name} after what it holds for`);
    this.#sizes = readDefaultSizes(element);
  }

  #takeColumns(element: XmlElement): void {
    const line = readColumnLine(element, this.#sizes);
    const { min = '', max = '' } = element.attributes;
    // Some programs write columns beyond the last possible one.
    const [first, last] = [parseNumber(min, columnsMax), parseNumber(max, Infinity)];
    if (first === undefined || last === undefined) throw new XmlError('columns without a number');
    for (let column = first; column <= Math.min(last, columnsMax); column += 1)
      this.#columnLines.set(column, joinLines(this.#columnLines.get(column) ?? line, line));
  }

  #takeRow(element: XmlElement): void {
    const row = parseNumber(element.attributes['r'] ?? String(this.#row + 1), rowsMax);
    if (row === undefined) throw new XmlError(`a row that says that it is ${quote(element.attributes['r'])}`);
    [this.#row, this.#isInRow, this.#cell] = [row, true, ''];
    requireOnly(element, rowParts);
    requireNoText(element);
    const line = readRowLine(element, this.#sizes);
    this.#rowLines.set(row, joinLines(this.#rowLines.get(row) ?? line, line));
    const cells = this.#rows.get(row) ?? new Map<number, StoredCell>();
    this.#rows.set(row, cells);
    let column = 0;
    for (const cell of element.children) {
      if (cell.name !== 'c') continue;
      column = this.#takeCell(cell, cells, column + 1);
    }
  }

  /** @returns the number of its column */
  #takeCell(cell: XmlElement, cells: Map<number, StoredCell>, next: number): number {
    const name = cell.attributes['r'] ?? `${nameColumn(next - 1)}${this.#row}`;
    const [row, column] = parsePlace(name) ?? [];
    this.#cell = '';
    if (row !== this.#row || column === undefined)
      throw new XmlError(`a cell that says that it is ${quote(name)}`);
    this.#cell = name;
    if (cells.has(column)) throw new XmlError('two contents');
    cells.set(column, readStoredCell(cell, this.#book));
    this.#lastColumn = Math.max(this.#lastColumn, column);
    return column;
  }

  #finish(): Worksheet {
    for (let column = 1; column <= this.#lastColumn; column += 1)
      if (!this.#columnLines.has(column)) this.#columnLines.set(column, usualColumn(this.#sizes));
    return {
      rows: this.#rows,
      lastColumn: this.#lastColumn,
      hiddenRows: findHidden(this.#rowLines, this.#areFoldedAfter.rows),
      hiddenColumns: findHidden(this.#columnLines, this.#areFoldedAfter.columns),
      merged: this.#merged,
    };
  }
}

/** @throws FileRejected for a damaged sheet */
const readWorksheet = (xml: string, book: Book): Worksheet => new SheetTaker(book).takeAll(xml);

// ---------------------------------------------------------------- what a person does not see

/** Least readable height of a row, in points. */
const rowHeightMin = 3;
/** Least readable width of a column, in characters. */
const columnWidthMin = 0.5;

/** A row or a column. */
interface Line {
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

const usualSizes: DefaultSizes = { rowHeight: rowHeightMin, columnWidth: columnWidthMin };

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
const readDefaultSizes = (format: XmlElement): DefaultSizes => ({
  rowHeight: readSize(format, 'defaultRowHeight') ?? usualSizes.rowHeight,
  columnWidth: readSize(format, 'defaultColWidth') ?? usualSizes.columnWidth,
});

const readLine = (element: XmlElement, isTooSmall: boolean): Line => ({
  isHidden: readFlag(element, 'hidden') || isTooSmall,
  level: readSize(element, 'outlineLevel') ?? 0,
  isFolded: readFlag(element, 'collapsed'),
});

const readRowLine = (row: XmlElement, { rowHeight }: DefaultSizes): Line =>
  readLine(row, (readSize(row, 'ht') ?? rowHeight) < rowHeightMin);

const readColumnLine = (column: XmlElement, { columnWidth }: DefaultSizes): Line =>
  readLine(column, (readSize(column, 'width') ?? columnWidth) < columnWidthMin);

/** A column without its own definition. */
const usualColumn = ({ columnWidth }: DefaultSizes): Line => ({
  isHidden: columnWidth < columnWidthMin,
  level: 0,
  isFolded: false,
});

/** Joins several definitions of a line: hidden when one of them says so. */
const joinLines = (one: Line, other: Line): Line => ({
  isHidden: one.isHidden || other.isHidden,
  level: Math.max(one.level, other.level),
  isFolded: one.isFolded || other.isFolded,
});

/**
 * Numbers of the lines that a person does not see: hidden ones, and those of collapsed groups.
 * @param isFoldedAfter true when the line that marks a collapsed group follows it instead of preceding it
 */
function findHidden(lines: ReadonlyMap<number, Line>, isFoldedAfter: boolean): ReadonlySet<number> {
  const step = isFoldedAfter ? -1 : 1;
  const hidden = new Set<number>();
  for (const [number, { isHidden, isFolded, level }] of lines) {
    if (isHidden) hidden.add(number);
    if (!isFolded) continue;
    for (let at = number + step; (lines.get(at)?.level ?? 0) > level; at += step) hidden.add(at);
  }
  return hidden;
}

// ---------------------------------------------------------------- the sheet as a person sees it

interface ShownSheet {
  readonly head: SheetHead;
  /** Rows in order of their numbers; rows that show nothing are left out. */
  readonly rows: Iterable<SheetRow>;
}

/** Faults of merged cells: the value may be meant for any cell beneath. */
function findMerged({ merged, lastColumn }: Worksheet, row: number): CellFault[] {
  return merged
    .filter(
      ({ firstRow, lastRow, firstColumn }) => firstRow <= row && row <= lastRow && firstColumn <= lastColumn,
    )
    .flatMap((area) => {
      const issue = message('issue.cell-merged', { area: nameArea(area) });
      const { firstColumn } = area;
      const places = Math.min(area.lastColumn, lastColumn) - firstColumn + 1;
      return Array.from({ length: places }, (_, at) => ({
        place: firstColumn - 1 + at,
        code: 'cell-merged' as const,
        message: issue,
      }));
    });
}

const nameArea = ({ firstRow, firstColumn, lastRow, lastColumn }: Area): string =>
  `${nameColumn(firstColumn - 1)}${firstRow}:${nameColumn(lastColumn - 1)}${lastRow}`;

const nothing: ShownCell = { text: '' };

function showRow(sheet: Worksheet, line: number, isFrom1904: boolean): SheetRow {
  const cells = sheet.rows.get(line) ?? new Map<number, never>();
  const shown = Array.from({ length: Math.max(0, ...cells.keys()) }, (_, place) => {
    const cell = cells.get(place + 1);
    return cell === undefined ? nothing : showCell(cell, isFrom1904);
  });
  const faults = shown.flatMap(({ fault }, place) => (fault === undefined ? [] : [{ ...fault, place }]));
  return {
    line,
    cells: shown.map(({ text }) => text),
    faults: [...faults, ...findMerged(sheet, line)],
    isHidden: sheet.hiddenRows.has(line),
  };
}

const isBlank = ({ cells, faults }: SheetRow): boolean =>
  faults.every(({ code }) => code === 'cell-merged') && cells.every((cell) => cell.trim() === '');

function* showRows(sheet: Worksheet, isFrom1904: boolean): Generator<SheetRow> {
  for (const line of Array.from(sheet.rows.keys()).toSorted((one, other) => one - other)) {
    const row = showRow(sheet, line, isFrom1904);
    if (!isBlank(row)) yield row;
  }
}

/** @throws FileRejected for a file that is not a workbook, or is damaged, encrypted, empty or too large @forTests */
export async function showSheet(bytes: Uint8Array, choice: SheetChoice): Promise<ShownSheet> {
  await using parts = await WorkbookParts.open(bytes);
  const book = await readBook(parts, choice);
  const sheet = await parts.read(book.sheetPart, (xml) => readWorksheet(xml, book));
  const hiddenColumns = Array.from(sheet.hiddenColumns, (column) => column - 1)
    .filter((place) => place < sheet.lastColumn)
    .toSorted((one, other) => one - other);
  return { head: { name: book.sheetName, hiddenColumns }, rows: showRows(sheet, book.isFrom1904) };
}

if (parentPort !== null) answerOn(parentPort, workerData as ReadOrder);
