/** The header of a payout file: its delimiter, and which of its columns are ours. */
import { parse } from 'csv-parse/sync';
import { type RowColumn, rowColumns } from '../../core/payout-file.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import { rowBytesMax, scanRecord } from '../../platform/csv/records.ts';
import type { Delimiter } from '../../platform/csv/records.ts';
import { requiredColumns } from '../rules/row.ts';

export interface HeaderOptions {
  readonly delimiter: 'auto' | Delimiter;
  /** Our column → the file's header; a column that stands here must be in the file. */
  readonly columns: Readonly<Partial<Record<RowColumn, string | undefined>>>;
}

/** The header as it stands in the file. */
interface HeaderRecord {
  readonly delimiter: Delimiter;
  readonly names: readonly string[];
  readonly line: number;
  /** Bytes up to the end of the header's line, blank lines before it included. */
  readonly endOffset: number;
  /** Line of the file at which the rows start. */
  readonly nextLine: number;
}

export interface Header extends HeaderRecord {
  readonly cellCount: number;
  /** Place of each of our columns in a row; undefined for one that the file leaves out. */
  readonly places: Readonly<Partial<Record<RowColumn, number>>>;
  /** Places and names of the columns that are carried through. */
  readonly extraPlaces: readonly number[];
  readonly extraColumns: readonly string[];
}

function skipBlankLines(head: Buffer): { readonly offset: number; readonly line: number } {
  let line = 1;
  for (let offset = 0; offset < head.length; offset += 1) {
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

function readHeaderRecord(head: Buffer, isWhole: boolean, delimiter: Delimiter): HeaderRecord {
  const { offset, line } = skipBlankLines(head);
  const delimiterByte = delimiter.charCodeAt(0);
  const scan = scanRecord(head, offset, { delimiterByte, cellCount: Infinity, isLast: isWhole });
  if (scan.kind !== 'whole' || scan.isMisquoted || scan.end - offset > rowBytesMax) {
    const message =
      'the header cannot be read: its line is too long, or a quotation mark is missing or misplaced';
    throw new FileRejected('header-unreadable', message, line);
  }
  const [names = []] = parse(head.subarray(offset, scan.end), {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  const nextLine = line + scan.lineEnds + 1;
  return { delimiter, names: names.map((name) => name.trim()), line, endOffset: scan.end, nextLine };
}

/** Names that people take for one another: payee_name, Payee Name, payee-name. */
function squeeze(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]/g, '');
}

function placesOf(names: readonly string[], wanted: string): number[] {
  const places = (isSame: (name: string) => boolean): number[] =>
    names.flatMap((name, place) => (isSame(name) ? [place] : []));
  const exact = places((name) => name === wanted);
  return exact.length > 0 ? exact : places((name) => name.toLowerCase() === wanted.toLowerCase());
}

function rejectDoubled(record: HeaderRecord, column: string, places: readonly number[]): FileRejected {
  const numbers = places.map((place) => place + 1).join(' and ');
  const message = `the header has this column twice (as number ${numbers}): rename or remove one`;
  return new FileRejected('column-doubled', message, record.line, column);
}

/** Finds our columns, those with a name of their own in the settings first: no other takes a header they claim. */
function findPlaces(
  record: HeaderRecord,
  columns: HeaderOptions['columns'],
): Partial<Record<RowColumn, number>> {
  const found: Partial<Record<RowColumn, number>> = {};
  const claimed = new Set<number>();
  const mappedFirst = rowColumns.toSorted(
    (a, b) => Number(columns[a] === undefined) - Number(columns[b] === undefined),
  );
  for (const column of mappedFirst) {
    const places = placesOf(record.names, columns[column]?.trim() ?? column).filter(
      (place) => !claimed.has(place),
    );
    if (places.length > 1) throw rejectDoubled(record, columns[column] ?? column, places);
    const [place] = places;
    if (place === undefined) continue;
    found[column] = place;
    claimed.add(place);
  }
  return found;
}

function rejectMissing(
  record: HeaderRecord,
  missing: readonly RowColumn[],
  options: HeaderOptions,
): FileRejected {
  const [first = 'payoutId'] = missing;
  const headers = missing.map((column) => options.columns[column] ?? column).join(', ');
  const similar = record.names.find((name) => squeeze(name) === squeeze(first));
  const hint = similar === undefined ? '' : ` ("${similar}" is not taken for it)`;
  const message = `the header lacks ${headers}${hint}: add the column, or name the file's own header in input.columns`;
  return new FileRejected('column-missing', message, record.line, first);
}

function rejectUnusable(record: HeaderRecord, options: HeaderOptions): FileRejected {
  const wanted = requiredColumns.map((column) => options.columns[column] ?? column).join(', ');
  const message =
    `the first line is no header: it must name ${wanted}, separated by commas, semicolons or tabs; ` +
    "add it, or name the file's own headers in input.columns";
  return new FileRejected('header-missing', message, record.line);
}

/** A column that is carried through although its name is all but one of ours: its content would go unnoticed. */
function rejectUnclear(
  record: HeaderRecord,
  places: Partial<Record<RowColumn, number>>,
  extras: readonly string[],
): void {
  for (const column of rowColumns) {
    const similar = places[column] === undefined && extras.find((name) => squeeze(name) === squeeze(column));
    if (typeof similar !== 'string') continue;
    const message = `is "${similar}" meant as ${column}? rename it, or set input.columns.${column}`;
    throw new FileRejected('column-unclear', message, record.line, similar);
  }
}

function mapHeader(record: HeaderRecord, options: HeaderOptions): Header {
  const places = findPlaces(record, options.columns);
  const found = Object.values(places);
  if (!requiredColumns.some((column) => places[column] !== undefined)) throw rejectUnusable(record, options);
  const mapped = rowColumns.filter((column) => options.columns[column] !== undefined);
  const missing = [...new Set([...requiredColumns, ...mapped])].filter(
    (column) => places[column] === undefined,
  );
  if (missing.length > 0) throw rejectMissing(record, missing, options);
  const extraPlaces = record.names.flatMap((_, place) => (found.includes(place) ? [] : [place]));
  const extraColumns = extraPlaces.map((place) => record.names[place] ?? '');
  for (const [index, name] of extraColumns.entries()) {
    const first = extraColumns.indexOf(name);
    if (name !== '' && first < index)
      throw rejectDoubled(record, name, [extraPlaces[first] ?? 0, extraPlaces[index] ?? 0]);
  }
  rejectUnclear(record, places, extraColumns);
  return { ...record, cellCount: record.names.length, places, extraPlaces, extraColumns };
}

/**
 * Reads the header from the start of a file. The delimiter, when it is not set, is the one under which the header
 * names what it must; when none does, the one that finds the most cells speaks.
 * @param head the first bytes (UTF-8, without mark): the whole file, or at least `headBytes`
 * @throws FileRejected when the file is blank, or its header cannot be used
 */
export function readHeader(head: Buffer, isWhole: boolean, options: HeaderOptions): Header {
  const delimiters: readonly Delimiter[] =
    options.delimiter === 'auto' ? [',', ';', '\t'] : [options.delimiter];
  let rejected: { readonly cells: number; readonly error: FileRejected } | undefined;
  for (const delimiter of delimiters) {
    let cells = 0;
    try {
      const record = readHeaderRecord(head, isWhole, delimiter);
      cells = record.names.length;
      return mapHeader(record, options);
    } catch (error) {
      if (!(error instanceof FileRejected)) throw error;
      if (rejected === undefined || cells > rejected.cells) rejected = { cells, error };
    }
  }
  throw rejected?.error ?? new Error('no delimiter was tried');
}
