/** Composes a workbook's bytes from tables of texts; the same tables give the same bytes. */
import {
  type Cell,
  type CellStyle,
  type DataValidation,
  type FillStyle,
  type WriteSheet,
  writeXlsx,
} from 'hucre';
import { widthOf } from '../../core/wrap-text.ts';
import { cellCharactersMax } from '../csv/spreadsheet-cells.ts';
import { nameColumn } from './sheet.ts';

interface WorkbookColumn {
  /** Width in characters. */
  readonly width: number;
  /** True: aligned to the right, like numbers. */
  readonly isNumber?: boolean;
  /** True: to be filled in by the reader, and coloured. */
  readonly isInput?: boolean;
  /** True: longer texts wrap. */
  readonly isWrapped?: boolean;
  /** Range with the list of allowed values: `Lists!$A$2:$A$9`. */
  readonly listedAt?: string;
}

/** A sheet of texts: every cell shows its text, and none is a formula, a number or a date. */
export interface WorkbookSheet {
  readonly name: string;
  readonly columns: readonly WorkbookColumn[];
  /** Columns at the left that stay in view. */
  readonly frozenColumns: number;
  /** Rows; the first is the head, which stays in view. */
  readonly rows: readonly (readonly string[])[];
}

const font = { name: 'Calibri', size: 11 };
const inputFill: FillStyle = { type: 'pattern', pattern: 'solid', fgColor: { rgb: 'FFF8DC' } };
const headFill: FillStyle = { type: 'pattern', pattern: 'solid', fgColor: { rgb: '1F3A5F' } };
const headStyle: CellStyle = {
  numFmt: '@',
  font: { ...font, bold: true, color: { rgb: 'FFFFFF' } },
  fill: headFill,
  alignment: { vertical: 'center', wrapText: true },
};
/** Height of two lines, English and Thai. */
const headHeight = 36;

const styleOf = ({ isNumber, isInput, isWrapped }: WorkbookColumn): CellStyle => ({
  numFmt: '@',
  font,
  border: { bottom: { style: 'hair', color: { rgb: 'A0A0A0' } } },
  alignment: {
    vertical: 'top',
    ...(isNumber === true ? { horizontal: 'right', indent: 1 } : {}),
    ...(isWrapped === true ? { wrapText: true } : {}),
  },
  ...(isInput === true ? { fill: inputFill } : {}),
});

/** Characters that XML cannot hold: control characters, lone surrogates and noncharacters. */
const unfit = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Start of a text that would be decoded as a character number: `_x0041_` is A. */
const characterNumber = /_(?=x[\da-f]{4}_)/gi;

const fitCell = (cell: string): string => {
  const fit = cell.replaceAll(unfit, '\ufffd');
  const cut = fit.length <= cellCharactersMax ? fit : `${fit.slice(0, cellCharactersMax - 1)}…`;
  return cut.replaceAll(characterNumber, '_x005F_');
};

function listValidation(listedAt: string, column: string, rows: number): DataValidation {
  return {
    type: 'list',
    formula1: listedAt,
    range: `${column}2:${column}${Math.max(rows, 2)}`,
    allowBlank: true,
    showErrorMessage: true,
    errorTitle: 'paydrop',
    errorMessage: 'Choose from the list, or leave the cell empty. เลือกจากรายการ หรือเว้นว่างไว้',
  };
}

const page = {
  orientation: 'landscape',
  paperSize: 'a4',
  fitToPage: true,
  fitToWidth: 1,
  fitToHeight: 0,
} as const;

const lineHeight = 15;
/** Most lines of a row. */
const linesMax = 20;

/** Height for the wrapped text: not every spreadsheet computes it. */
function heightOf(row: readonly string[], columns: readonly WorkbookColumn[]): number {
  const lines = row.map((cell, place) => {
    const { width = 1, isWrapped = false } = columns[place] ?? {};
    // Words do not break, so a line is not filled to its end.
    return isWrapped
      ? cell.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / (width * 0.9))), 0)
      : 1;
  });
  return lineHeight * Math.min(linesMax, Math.max(1, ...lines));
}

function composeSheet({ name, columns, frozenColumns, rows: unfitted }: WorkbookSheet): WriteSheet {
  const rows = unfitted.map((row) => row.map(fitCell));
  const [head = []] = rows;
  const lastColumn = nameColumn(columns.length - 1);
  const headCells = head.map((value, place): [string, Partial<Cell>] => [
    `0,${place}`,
    { value, type: 'string', style: headStyle },
  ]);
  const styles = columns.map(styleOf);
  // The library turns a text that reads like an error into one, unless it is given as rich text.
  const likeErrors = rows.flatMap((row, rowAt) =>
    row.flatMap((value, place): [string, Partial<Cell>][] =>
      value.startsWith('#') && rowAt > 0
        ? [[`${rowAt},${place}`, { value, richText: [{ text: value }], style: styles[place] ?? headStyle }]]
        : [],
    ),
  );
  return {
    name,
    columns: columns.map(({ width }, place) => ({ width, style: styles[place] ?? headStyle })),
    // Null instead of an empty text: such a cell is empty, and still becomes text when it is filled in.
    rows: rows.map((row) => row.map((cell) => (cell === '' ? null : cell))),
    cells: new Map([...headCells, ...likeErrors]),
    rowDefs: new Map(rows.map((row, at) => [at, { height: at === 0 ? headHeight : heightOf(row, columns) }])),
    freezePane: { rows: 1, columns: frozenColumns },
    autoFilter: { range: `A1:${lastColumn}${rows.length}` },
    dataValidations: columns.flatMap(({ listedAt }, place) =>
      listedAt === undefined ? [] : [listValidation(listedAt, nameColumn(place), rows.length)],
    ),
    pageSetup: { ...page, printTitlesRow: '$1:$1' },
  };
}

/** Fixed creation time, so that the same tables give the same bytes. */
const madeAt = new Date(Date.UTC(2000, 0, 1));

export async function composeWorkbook(sheets: readonly WorkbookSheet[]): Promise<Uint8Array> {
  const properties = { creator: 'paydrop', created: madeAt, modified: madeAt };
  return await writeXlsx({ sheets: sheets.map(composeSheet), properties, defaultFont: font });
}
