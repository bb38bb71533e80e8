/** Reads CSV files in one pass over the bytes, with at most one block in memory. */
import { parse } from 'csv-parse/sync';
import { describeCharacter } from '../../core/characters.ts';
import type { Inspection } from '../../core/payout-file.ts';
import { FileRejected, type OpenedFile } from '../../platform/csv/open.ts';
import { unguardFormula } from '../../platform/csv/spreadsheet-cells.ts';
import {
  type Delimiter,
  type FileRecord,
  openText,
  RecordReader,
  type RecordScan,
  type WholeScan,
  rowBytesMax,
  scanRecord,
} from '../../platform/csv/records.ts';
import type { ReadPart } from '../ports.ts';
import type { ControlTotals } from '../rules/control-totals.ts';
import { describeStrange, GuessedThai } from '../rules/guessed-thai.ts';
import type { FileKind, FileOptions, FileRow } from './file-kind.ts';
import { findLaterHeader, type Header, headerLineMax, type HeaderNames, mapHeader } from './header.ts';
import { RowTaker } from './file-rows.ts';

/**
 * Reads an inspected CSV file.
 * @param take receives the bytes as they are on the disk
 * @param sidecar the declaration of the control file, where one is required
 * @throws FileRejected
 */
export async function* readCsv<Row extends FileRow, Totals>(
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
    const message =
      'the last line has no line end, so its last cell may be cut short: have the file written again, ' +
      'use control totals, or set input.finalLineEnd to optional';
    throw new FileRejected('line-end-missing', message, records.lastLine);
  }
  yield last;
  return totals;
}

/** @throws FileRejected for a file that was taken for windows-874 and contains no Thai */
function requireThai(guess: GuessedThai | undefined): void {
  if (guess?.strange === undefined) return;
  const message = `${describeStrange(guess.strange)}, or set input.encoding to windows-1252 or, if it is Thai after all, to windows-874`;
  throw new FileRejected('encoding-unclear', message, guess.strange.line);
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
  throw new FileRejected('file-empty', 'the file is empty: have it written again');
}

function findLineStart(head: Buffer, offset: number): number {
  return Math.max(head.lastIndexOf(10, offset), head.lastIndexOf(13, offset)) + 1;
}

const unreadable = {
  tooLong: `its line is too long (more than ${rowBytesMax} bytes): a line end may be missing, have the file written again`,
  formulas: 'its names are written as formulas (="payoutId"): write the names alone',
  quotes: 'a quotation mark in it is missing or misplaced: write the names without quotation marks',
} as const;

function findUnreadable(text: Buffer, scan: RecordScan): keyof typeof unreadable | undefined {
  if (scan.kind !== 'whole') return scan.openedAfter < 0 ? 'tooLong' : 'quotes';
  const bytes = text.subarray(0, scan.end);
  if (bytes.length > rowBytesMax) return 'tooLong';
  if (!scan.isMisquoted) return undefined;
  return bytes.includes('="') ? 'formulas' : 'quotes';
}

/** Scans the header's record, from the start of its line. @throws FileRejected when it is unreadable */
function scanHeader(text: Buffer, line: number, isWhole: boolean, delimiter: Delimiter): WholeScan {
  const delimiterByte = delimiter.charCodeAt(0);
  const scan = scanRecord(text, 0, { delimiterByte, cellCount: Infinity, isLast: isWhole });
  const fault = findUnreadable(text, scan);
  if (scan.kind === 'whole' && fault === undefined) return scan;
  const message = `the header cannot be read: ${unreadable[fault ?? 'quotes']}`;
  throw new FileRejected('header-unreadable', message, line);
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
    const message = `${which} stands in the header, where LF or CR LF should end its line: have the file written with such line ends`;
    throw new FileRejected('line-ends', message, line);
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
