/** Reads workbooks: the first sheet, with its cells as they are displayed. */
import { encodeMessage, inEnglish } from '../../core/message.ts';
import { createHash } from 'node:crypto';
import type { Inspection } from '../../core/payout-file.ts';
import { FileRejected, type OpenedFile, rejectTooLarge } from '../../platform/csv/open.ts';
import { type CellFault, nameColumn, type SheetHead, type SheetRow } from '../../platform/workbook/sheet.ts';
import { readSheet, readWorkbookBytes } from '../../platform/workbook/reader.ts';
import type { ReadPart } from '../ports.ts';
import type { ControlTotals } from '../rules/control-totals.ts';
import type { FileColumns } from '../rules/file-columns.ts';
import type { FileKind, FileOptions, FileRow } from './file-kind.ts';
import { type RowRecord, RowTaker } from './file-rows.ts';
import { findLaterHeader, type Header, headerLineMax, mapHeader } from './header.ts';

/** Inspects a workbook's bytes; a later read is compared with the result. @throws FileRejected when it is too large */
export async function inspectWorkbook(
  file: OpenedFile,
  path: string,
  bytesMax: number | null,
): Promise<Inspection> {
  rejectTooLarge(file.sizeBytes, bytesMax);
  const bytes = await readWorkbookBytes(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { sizeBytes, identity } = file;
  // Fixed values of a text file's form; a workbook marks its own end.
  const form = { encoding: 'utf-8', bomBytes: 0, endsWithLineEnd: true } as const;
  return { path, sha256, sizeBytes, identity, ...form };
}

/** Cuts the blank cells at the end of a row. */
function cutBlankEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, 1 + cells.findLastIndex((cell) => cell.trim() !== ''));
}

/** Rejects a heading that is hidden or displayed as another text, which may turn its column into another one. */
function rejectUnseen(
  { places, names, line }: Header,
  columns: FileColumns,
  { hiddenColumns }: SheetHead,
  { faults, isHidden }: SheetRow,
): void {
  if (isHidden) {
    const message = `the header (row ${line}) is hidden: show it and look at it, or remove it`;
    throw new FileRejected('row-hidden', message, line);
  }
  for (const column of columns.names) {
    const place = places[column];
    if (place === undefined) continue;
    if (hiddenColumns.includes(place)) {
      const message = `column ${nameColumn(place)} (${names[place] ?? ''}) is hidden: show it and look at it, or remove it`;
      throw new FileRejected('column-hidden', message, line, column);
    }
    const found = faults.filter((fault) => fault.place === place);
    // A cell is covered by a merged cell that begins further left.
    const isCovered = ({ message }: CellFault): boolean =>
      faults.some(
        (fault) => fault.place === place - 1 && encodeMessage(fault.message) === encodeMessage(message),
      );
    const fault = found.find((one) => one.code !== 'cell-merged' || isCovered(one));
    if (fault !== undefined) throw new FileRejected(fault.code, inEnglish(fault.message), line, column);
  }
}

/**
 * Reads the header in the first row of a sheet.
 * @param later the rows after it, searched for a header that a message can name
 */
function readHead(
  row: SheetRow,
  later: readonly SheetRow[],
  head: SheetHead,
  columns: FileColumns,
  options: FileOptions,
): Header {
  const read = ({ line, cells }: SheetRow): Header => {
    const names = cutBlankEnd(cells).map((name) => name.trim());
    return mapHeader({ names, line, nextLine: line + 1, delimiter: null }, columns, options);
  };
  try {
    const header = read(row);
    rejectUnseen(header, columns, head, row);
    return header;
  } catch (error) {
    throw findLaterHeader(error, later.slice(0, headerLineMax), read) ?? error;
  }
}

/** Pads a row to the width of the header: a sheet does not keep the empty cells at its end. */
function toRecord({ line, cells, faults, isHidden }: SheetRow, cellCount: number): RowRecord {
  const shown = cutBlankEnd(cells);
  const filled = Array.from({ length: Math.max(cellCount, shown.length) }, (_, place) => shown[place] ?? '');
  return { line, cells: filled, quoted: [], isMisquoted: false, sheet: { faults, isHidden } };
}

/**
 * Reads an inspected workbook.
 * @param take receives the bytes as they are on the disk
 * @param sidecar the declaration of the control file, where one is required
 * @throws FileRejected
 */
export async function* readXlsx<Row extends FileRow, Totals>(
  file: OpenedFile,
  kind: FileKind<Row, Totals>,
  options: FileOptions,
  take: (bytes: Uint8Array) => void,
  sidecar: ControlTotals | null,
): AsyncGenerator<ReadPart<Row, Totals>, Totals> {
  const bytes = await readWorkbookBytes(file);
  take(bytes);
  let head: SheetHead | undefined;
  let begun: { readonly header: Header; readonly taker: RowTaker<Row, Totals> } | undefined;
  for await (const part of readSheet(bytes)) {
    if ('name' in part) head = part;
    else {
      let rows = part;
      if (begun === undefined) {
        const [first, ...rest] = part;
        if (first === undefined || head === undefined) break;
        const header = readHead(first, rest, head, kind.columns, options);
        begun = { header, taker: new RowTaker(header, kind, options) };
        yield { kind: 'header', extraColumns: header.extraColumns };
        rows = rest;
      }
      const { header, taker } = begun;
      const taken = rows.flatMap((row) => taker.take(toRecord(row, header.cellCount)) ?? []);
      yield { kind: 'rows', rows: taken };
    }
  }
  if (begun === undefined)
    throw new FileRejected('file-empty', 'the first sheet is empty: have it written again');
  return begun.taker.finish(sidecar);
}
