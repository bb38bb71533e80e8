/** The thread that reads a workbook: unpacks it, then hands out its rows in pages, each when it is asked for. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Cell, type MergeRange, readXlsx, type Sheet, type SheetFilterInfo } from 'hucre';
import { FileRejected } from '../csv/open.ts';
import type { ReadOrder, ReadReply } from './reader.ts';
import { nameColumn, type CellFault, type SheetRow } from './sheet.ts';
import { type ShownCell, showCell, showPlain } from './shown-cell.ts';
import { rejectDamaged, repackCells } from './unpack.ts';

const rowsPerPage = 500;

/** The only sheet that is read: the others are not even parsed. */
function chooseSheet(preferredName: string | undefined): (info: SheetFilterInfo) => boolean {
  let isChosen = false;
  return ({ name, hidden, veryHidden }) => {
    const isWanted =
      preferredName === undefined ? !isChosen && !hidden && !veryHidden : name === preferredName;
    isChosen ||= isWanted;
    return isWanted;
  };
}

async function readSheet({ bytes, preferredName }: ReadOrder): Promise<Sheet> {
  const packed = await repackCells(bytes);
  const read = async (name: string | undefined): Promise<Sheet | undefined> =>
    (await readXlsx(packed, { sheets: chooseSheet(name), readStyles: true })).sheets[0];
  const sheet =
    (preferredName === undefined ? undefined : await read(preferredName)) ?? (await read(undefined));
  if (sheet === undefined)
    throw new FileRejected(
      'workbook-empty',
      'the workbook has no sheet that is not hidden: unhide the one that is meant',
    );
  return sheet;
}

const keyOf = (row: number, place: number): string => `${row},${place}`;

/** Of cells that lie under one merged cell nobody can say whose the value is. */
function findMerged(merges: readonly MergeRange[], row: number, places: number): CellFault[] {
  return merges
    .filter(({ startRow, endRow, startCol }) => startRow <= row && row <= endRow && startCol < places)
    .flatMap(({ startRow, startCol, endRow, endCol }) => {
      const area = `${nameColumn(startCol)}${startRow + 1}:${nameColumn(endCol)}${endRow + 1}`;
      const message = `the cell is part of a merged one (${area}): split it and write each value in its own cell`;
      return Array.from({ length: Math.min(endCol + 1, places) - startCol }, (_, at) => ({
        place: startCol + at,
        code: 'cell-merged' as const,
        message,
      }));
    });
}

function showRow(sheet: Sheet, row: number): SheetRow {
  const values = sheet.rows[row] ?? [];
  const detailed = (place: number): Cell | undefined => sheet.cells?.get(keyOf(row, place));
  const shown = values.map((value, place): ShownCell => {
    const cell = detailed(place);
    return cell === undefined ? showPlain(value) : showCell(cell);
  });
  const faults = shown.flatMap(({ fault }, place) => (fault === undefined ? [] : [{ ...fault, place }]));
  return {
    line: row + 1,
    cells: shown.map(({ text }) => text),
    faults: [...faults, ...findMerged(sheet.merges ?? [], row, values.length)],
    isHidden: sheet.rowDefs?.get(row)?.hidden === true,
  };
}

const isBlank = ({ cells, faults }: SheetRow): boolean =>
  faults.every(({ code }) => code === 'cell-merged') && cells.every((cell) => cell.trim() === '');

/** Rows that show something, in pages. */
function* listPages(sheet: Sheet): Generator<readonly SheetRow[]> {
  let page: SheetRow[] = [];
  for (let row = 0; row < sheet.rows.length; row += 1) {
    const shown = showRow(sheet, row);
    if (!isBlank(shown)) page.push(shown);
    if (page.length < rowsPerPage) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** What the library stumbles over is a fault of the workbook. */
function describeFailure(error: unknown): ReadReply {
  const { rejection } = error instanceof FileRejected ? error : rejectDamaged();
  return { kind: 'rejected', rejection };
}

function* replies(sheet: Sheet): Generator<ReadReply> {
  const hiddenColumns = (sheet.columns ?? []).flatMap(({ hidden }, place) =>
    hidden === true ? [place] : [],
  );
  yield { kind: 'head', head: { name: sheet.name, hiddenColumns } };
  for (const rows of listPages(sheet)) yield { kind: 'rows', rows };
  yield { kind: 'end' };
}

async function* work(order: ReadOrder): AsyncGenerator<ReadReply> {
  try {
    yield* replies(await readSheet(order));
  } catch (error) {
    yield describeFailure(error);
  }
}

const answers = work(workerData as ReadOrder);
parentPort?.on('message', () => {
  void answers.next().then(({ value }) => parentPort?.postMessage(value, []));
});
