/**
 * The thread that reads a workbook: unpacks it, then returns its rows page by page, on request. Rows are texts as a person
 * sees them, with the faults of misleading cells.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { FileRejected } from '../csv/open.ts';
import type { ReadOrder, ReadReply } from './reader.ts';
import { type CellFault, nameColumn, type SheetChoice, type SheetHead, type SheetRow } from './sheet.ts';
import { rejectCutShort, WorkbookParts } from './unpack.ts';
import { message } from '../../core/message.ts';
import { readBook } from './book.ts';
import { showCell, type ShownCell } from './cell.ts';
import { type Area, readWorksheet, type Worksheet } from './worksheet.ts';

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
