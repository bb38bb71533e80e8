/**
 * Reads files: a first pass inspects the file, and a second reads its rows and must find the same bytes, whatever the
 * format. The first bytes determine the format, not the name.
 */
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { encodeMessage, message, type Message } from '../../core/message.ts';
import { describeCharacter } from '../../core/characters.ts';
import type { Inspection } from '../../core/payout-file.ts';
import {
  FileRejected,
  inspectFile,
  type OpenedFile,
  openRegularFile,
  rejectChanged,
  rejectTooLarge,
  requireUnchanged,
} from '../../platform/csv/open.ts';
import {
  type Delimiter,
  type FileRecord,
  openText,
  RecordReader,
  type RecordScan,
  rowBytesMax,
  scanRecord,
  type WholeScan,
} from '../../platform/csv/records.ts';
import { unguardFormula } from '../../platform/csv/spreadsheet-cells.ts';
import { beginsAsArchive, readSheet, readWorkbookBytes } from '../../platform/workbook/reader.ts';
import { type CellFault, nameColumn, type SheetHead, type SheetRow } from '../../platform/workbook/sheet.ts';
import type { FileReader, ReadPart, RejectedFile } from '../ports.ts';
import { type ControlForm, type ControlTotals, readControlFile } from '../rules/control-totals.ts';
import type { FileColumns } from '../rules/file-columns.ts';
import { describeStrange, GuessedThai } from '../rules/guessed-thai.ts';
import type { FileKind, FileOptions, FileRow } from './file-kind.ts';
import { type RowRecord, RowTaker } from './file-rows.ts';
import { findLaterHeader, type Header, headerLineMax, type HeaderNames, mapHeader } from './header.ts';

/** The limit of a control file, which holds a number or two. */
const controlFileBytesMax = 65_536;

async function readSidecar(path: string, form: ControlForm): Promise<ControlTotals> {
  const sidecarPath = `${path}.control.json`;
  const about = (why: Message): Message => message('control.about', { path: sidecarPath, why });
  await using file = await openRegularFile(sidecarPath).catch((error: unknown) => {
    if (!(error instanceof FileRejected)) throw error;
    throw new FileRejected('control-missing', about(error.rejection.message));
  });
  if (file.sizeBytes > controlFileBytesMax)
    throw new FileRejected('control-unreadable', about(message('control.too-large')));
  const text = await file.handle.readFile('utf8');
  const reading = readControlFile(text.replace(/^\ufeff/, ''), form);
  if (!reading.ok) throw new FileRejected(reading.code, about(reading.message));
  return reading.totals;
}

async function* readFile<Row extends FileRow, Totals>(
  inspection: Inspection,
  kind: FileKind<Row, Totals>,
  options: FileOptions,
): AsyncGenerator<ReadPart<Row, Totals>> {
  await using file = await openRegularFile(inspection.path);
  try {
    await requireUnchanged(file, inspection);
    const hash = createHash('sha256');
    const take = (bytes: Uint8Array): void => void hash.update(bytes);
    const sidecar = options.control === 'sidecar' ? await readSidecar(inspection.path, kind.control) : null;
    const totals = (await beginsAsArchive(file))
      ? yield* readXlsx(file, kind, options, take, sidecar)
      : yield* readCsv(file, inspection, kind, options, take, sidecar);
    await requireUnchanged(file, inspection);
    if (hash.digest('hex') !== inspection.sha256) throw rejectChanged();
    yield { kind: 'summary', totals };
  } catch (error) {
    if (error instanceof FileRejected) await requireUnchanged(file, inspection);
    throw error;
  }
}

async function inspect(path: string, { encoding, limits }: FileOptions): Promise<Inspection> {
  const { bytesMax } = limits;
  await using file = await openRegularFile(path);
  if (!(await beginsAsArchive(file))) return await inspectFile(path, { encoding, bytesMax });
  const inspection = await inspectWorkbook(file, path, bytesMax);
  await requireUnchanged(file, inspection);
  return inspection;
}

function asRejected(error: unknown): RejectedFile {
  if (error instanceof FileRejected) return { kind: 'rejected', rejection: error.rejection };
  throw error;
}

/** Makes a reader of files of this kind. */
export function makeFileReader<Row extends FileRow, Totals>(
  kind: FileKind<Row, Totals>,
  options: FileOptions,
): FileReader<Row, Totals> {
  return {
    inspect: (path) =>
      inspect(path, options).then((inspection) => ({ kind: 'inspected', inspection }), asRejected),
    async *read(inspection) {
      try {
        yield* readFile(inspection, kind, options);
      } catch (error) {
        yield asRejected(error);
      }
    },
  };
}

// ---------------------------------------------------------------- workbooks: the first sheet, with its cells as they are displayed

/** Inspects a workbook's bytes; a later read is compared with the result. @throws FileRejected when it is too large */
async function inspectWorkbook(file: OpenedFile, path: string, bytesMax: number | null): Promise<Inspection> {
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
    throw new FileRejected('row-hidden', message('workbook.header-hidden', { row: line }), line);
  }
  for (const column of columns.names) {
    const place = places[column];
    if (place === undefined) continue;
    if (hiddenColumns.includes(place)) {
      const shown = { column: nameColumn(place), name: names[place] ?? '' };
      throw new FileRejected('column-hidden', message('workbook.column-hidden', shown), line, column);
    }
    const found = faults.filter((fault) => fault.place === place);
    // A cell is covered by a merged cell that begins further left.
    const isCovered = ({ message: why }: CellFault): boolean =>
      faults.some(
        (fault) => fault.place === place - 1 && encodeMessage(fault.message) === encodeMessage(why),
      );
    const fault = found.find((one) => one.code !== 'cell-merged' || isCovered(one));
    if (fault !== undefined) throw new FileRejected(fault.code, fault.message, line, column);
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
async function* readXlsx<Row extends FileRow, Totals>(
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
  if (begun === undefined) throw new FileRejected('file-empty', message('file.sheet-empty'));
  return begun.taker.finish(sidecar);
}

// ---------------------------------------------------------------- CSV, in one pass over the bytes, with at most one block in memory

/**
 * Reads an inspected CSV file.
 * @param take receives the bytes as they are on the disk
 * @param sidecar the declaration of the control file, where one is required
 * @throws FileRejected
 */
async function* readCsv<Row extends FileRow, Totals>(
  file: OpenedFile,
  inspection: Inspection,
  kind: FileKind<Row, Totals>,
  options: FileOptions,
  take: (bytes: Buffer) => void,
  sidecar: ControlTotals | null,
): AsyncGenerator<ReadPart<Row, Totals>, Totals> {
  const { head, isWhole, rest } = await openText(file, inspection, take);
  const isGuessed = options.encoding === 'auto' && inspection.encoding === 'windows-874';
  const guess = isGuessed ? new GuessedThai() : undefined;
  guess?.look(head.toString('utf8'), 1);
  requireThai(guess);
  const header = readHeader(head, isWhole, kind, options);
  yield { kind: 'header', extraColumns: header.extraColumns };
  const records = new RecordReader(header.delimiter, header.cellCount, header.nextLine);
  const taker = new RowTaker(header, kind, options);
  const takeAll = (found: readonly FileRecord[]): ReadPart<Row, Totals> => {
    for (const { cells, line } of found) guess?.look(cells.join(), line);
    return { kind: 'rows', rows: found.flatMap((record) => taker.take(record) ?? []) };
  };
  for await (const found of records.readAll(head.subarray(header.endOffset), rest)) yield takeAll(found);
  const last = takeAll(records.end());
  requireThai(guess);
  const totals = taker.finish(sidecar);
  if (options.control === 'none' && options.finalLineEnd === 'required' && !inspection.endsWithLineEnd) {
    throw new FileRejected('line-end-missing', message('file.line-end-missing'), records.lastLine);
  }
  yield last;
  return totals;
}

/** @throws FileRejected for a file that was taken for windows-874 and contains no Thai */
function requireThai(guess: GuessedThai | undefined): void {
  if (guess?.strange === undefined) return;
  const why = message('file.encoding-unclear-set', { what: describeStrange(guess.strange) });
  throw new FileRejected('encoding-unclear', why, guess.strange.line);
}

// ---------------------------------------------------------------- the header: its delimiter

/** The header as it is in the file. */
interface HeaderRecord extends HeaderNames {
  readonly delimiter: Delimiter;
  /** The number of bytes up to the end of the header's line, preceding blank lines included. */
  readonly endOffset: number;
}

type CsvHeader = HeaderRecord & Header;

/** Line ends of some systems, which CSV does not know. */
const strangeLineEnd = /[\u0085\u2028\u2029]/u;

/** The start of a line among the first bytes. */
interface LineStart {
  readonly offset: number;
  readonly line: number;
}

function skipBlankLines(head: Buffer, from: LineStart): LineStart {
  let { line } = from;
  for (let { offset } = from; offset < head.length; offset += 1) {
    const byte = head[offset];
    if (byte === 10 || (byte === 13 && head[offset + 1] !== 10)) line += 1;
    // A tab may be a delimiter, but no header starts with one.
    else if (byte !== 32 && byte !== 9 && byte !== 13) return { offset: findLineStart(head, offset), line };
  }
  throw new FileRejected('file-empty', message('file.empty'));
}

function findLineStart(head: Buffer, offset: number): number {
  return Math.max(head.lastIndexOf(10, offset), head.lastIndexOf(13, offset)) + 1;
}

type Unreadable = 'too-long' | 'formulas' | 'quotes';

function findUnreadable(text: Buffer, scan: RecordScan): Unreadable | undefined {
  if (scan.kind !== 'whole') return scan.openedAfter < 0 ? 'too-long' : 'quotes';
  const bytes = text.subarray(0, scan.end);
  if (bytes.length > rowBytesMax) return 'too-long';
  if (!scan.isMisquoted) return undefined;
  return bytes.includes('="') ? 'formulas' : 'quotes';
}

/** Scans the header's record, from the start of its line. @throws FileRejected when it is unreadable */
function scanHeader(text: Buffer, line: number, isWhole: boolean, delimiter: Delimiter): WholeScan {
  const delimiterByte = delimiter.charCodeAt(0);
  const scan = scanRecord(text, 0, { delimiterByte, cellCount: Infinity, isLast: isWhole });
  const fault = findUnreadable(text, scan);
  if (scan.kind === 'whole' && fault === undefined) return scan;
  const why =
    fault === 'too-long'
      ? message('header.too-long', { most: rowBytesMax })
      : message(`header.${fault ?? 'quotes'}`);
  throw new FileRejected('header-unreadable', why, line);
}

function readHeaderRecord(
  head: Buffer,
  from: LineStart,
  isWhole: boolean,
  delimiter: Delimiter,
  { guardFormulas }: FileOptions,
): HeaderRecord {
  const { offset, line } = skipBlankLines(head, from);
  const text = head.subarray(offset);
  const scan = scanHeader(text, line, isWhole, delimiter);
  const [names = []] = parse(text.subarray(0, scan.end), {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  const lineEnd = names.find((name, place) => !scan.quoted.includes(place) && strangeLineEnd.test(name));
  if (lineEnd !== undefined) {
    const which = describeCharacter(strangeLineEnd.exec(lineEnd)?.[0] ?? '');
    throw new FileRejected('line-ends', message('header.line-ends', { which }), line);
  }
  const nextLine = line + scan.lineEnds + 1;
  const readName = (name: string): string => (guardFormulas ? unguardFormula(name.trim()) : name.trim());
  return { delimiter, names: names.map(readName), line, endOffset: offset + scan.end, nextLine };
}

type HeaderColumns = Pick<FileKind<never, unknown>, 'columns'>;

/**
 * Reads the header at a line. An unset delimiter is the one under which the header names the required columns; if none
 * does, the error is that of the delimiter with the most cells.
 * @param head the first bytes (UTF-8, without mark): the whole file, or at least `headBytes`
 * @throws FileRejected when only blanks follow, or the header is unusable
 */
function readHeaderAt(
  head: Buffer,
  from: LineStart,
  isWhole: boolean,
  { columns }: HeaderColumns,
  options: FileOptions,
): CsvHeader {
  const delimiters: readonly Delimiter[] =
    options.delimiter === 'auto' ? [',', ';', '\t'] : [options.delimiter];
  let rejected: { readonly cells: number; readonly error: FileRejected } | undefined;
  for (const delimiter of delimiters) {
    let cells = 0;
    try {
      const record = readHeaderRecord(head, from, isWhole, delimiter, options);
      cells = record.names.length;
      return { ...mapHeader(record, columns, options), ...record };
    } catch (error) {
      if (!(error instanceof FileRejected)) throw error;
      if (rejected === undefined || cells > rejected.cells) rejected = { cells, error };
    }
  }
  throw rejected?.error ?? new Error('no delimiter was tried');
}

/** The starts of the lines after the first in which a header is looked for. */
function* laterLines(head: Buffer): Generator<LineStart> {
  let line = 1;
  for (let offset = 0; offset < head.length && line < headerLineMax; offset += 1) {
    const byte = head[offset];
    if (byte !== 10 && (byte !== 13 || head[offset + 1] === 10)) continue;
    line += 1;
    yield { offset: offset + 1, line };
  }
}

/**
 * Reads the header at the start of a file.
 * @throws FileRejected as `readHeaderAt` does, or with the line of a header further down
 */
function readHeader(head: Buffer, isWhole: boolean, kind: HeaderColumns, options: FileOptions): CsvHeader {
  const readAt = (from: LineStart): CsvHeader => readHeaderAt(head, from, isWhole, kind, options);
  try {
    return readAt({ offset: 0, line: 1 });
  } catch (error) {
    throw findLaterHeader(error, laterLines(head), readAt) ?? error;
  }
}
