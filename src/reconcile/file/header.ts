/** The header of a statement: its delimiter, and where the interface's columns are. */
import { parse } from 'csv-parse/sync';
import type { Delimiter } from '../../platform/csv/header.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import { rowBytesMax, scanRecord } from '../../platform/csv/records.ts';
import { type StatementColumn, statementColumns } from '../rules/statement.ts';

export interface StatementHeader {
  readonly delimiter: Delimiter;
  readonly cellCount: number;
  /** Place of each column in a record; -1 for one that the file leaves out. */
  readonly places: Readonly<Record<StatementColumn, number>>;
  /** The bank's own names, for messages. */
  readonly names: readonly string[];
  /** Bytes up to the end of the header's record. */
  readonly endOffset: number;
  /** Line of the file at which the records start. */
  readonly nextLine: number;
}

/** Columns without which a line proves nothing; the others are read when they are there. */
const requiredColumns: readonly StatementColumn[] = [
  'EFFECTIVE DATE',
  'TRANSREF NO',
  'PAYER ACCOUNT',
  'PROXY TYPE',
  'PROXY NO',
  'AMOUNT',
  'FEE',
  'NET AMOUNT',
  'STATUS',
  'COMPANY ID',
  'CHARGE TYPE',
];

const delimiters: readonly Delimiter[] = [',', ';', '\t'];

/** What names have in common that are the same but for case, spaces and the like. */
const squeeze = (name: string): string => name.toUpperCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');

/** The interface's name under a scheme: PROXY NO is PROMPTPAY NO where the scheme's word is promptpay. */
const nameUnder = (scheme: string, column: StatementColumn): string =>
  column.replace(/^PROXY(?= )/, scheme.toUpperCase());

interface HeaderRecord {
  readonly delimiter: Delimiter;
  readonly names: readonly string[];
  readonly endOffset: number;
  readonly nextLine: number;
}

function readRecord(head: Buffer, isWhole: boolean, delimiter: Delimiter): HeaderRecord {
  const scan = scanRecord(head, 0, {
    delimiterByte: delimiter.charCodeAt(0),
    cellCount: Infinity,
    isLast: isWhole,
  });
  if (scan.kind !== 'whole' || scan.isMisquoted || scan.end > rowBytesMax) {
    const message =
      'the header cannot be read: its line is too long, or a quotation mark is missing or misplaced; ask the bank for a new file';
    throw new FileRejected('header-unreadable', message, 1);
  }
  const [names = []] = parse(head.subarray(0, scan.end), {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  return {
    delimiter,
    names: names.map((name) => name.trim()),
    endOffset: scan.end,
    nextLine: scan.lineEnds + 2,
  };
}

/** @throws FileRejected for two columns of one name */
function requireDistinct(names: readonly string[]): void {
  const seen = new Map<string, number>();
  for (const [place, name] of names.entries()) {
    const squeezed = squeeze(name);
    const first = seen.get(squeezed);
    if (squeezed !== '' && first !== undefined) {
      const message = `the header has this column twice (as number ${first + 1} and ${place + 1}), so that nobody can say which counts: ask the bank for a new file`;
      throw new FileRejected('column-doubled', message, 1, name);
    }
    seen.set(squeezed, place);
  }
}

function findPlaces(names: readonly string[], scheme: string): Record<StatementColumn, number> {
  const squeezed = names.map(squeeze);
  return Object.fromEntries(
    statementColumns.map((column) => [column, squeezed.indexOf(squeeze(nameUnder(scheme, column)))]),
  ) as Record<StatementColumn, number>;
}

function rejectMissing(missing: readonly StatementColumn[], scheme: string): FileRejected {
  if (missing.length === requiredColumns.length) {
    const message =
      'the first line is no header of a statement: is this the right file? if so, look at it and ask the bank';
    return new FileRejected('header-missing', message, 1);
  }
  const names = missing.map((column) => nameUnder(scheme, column));
  const isOfScheme = missing.some((column) => column.startsWith('PROXY '));
  const hint = isOfScheme ? ' (or set bank.scheme to the word that the file has in its place)' : '';
  const message = `the header lacks ${names.join(', ')}: ask the bank for a file with all columns${hint}`;
  return new FileRejected('column-missing', message, 1, names[0] ?? null);
}

interface HeaderReading {
  readonly record: HeaderRecord;
  readonly places: Record<StatementColumn, number>;
  readonly missing: readonly StatementColumn[];
}

function readUnder(
  head: Buffer,
  isWhole: boolean,
  scheme: string,
  delimiter: Delimiter,
): HeaderReading | FileRejected {
  try {
    const record = readRecord(head, isWhole, delimiter);
    const places = findPlaces(record.names, scheme);
    return { record, places, missing: requiredColumns.filter((column) => places[column] < 0) };
  } catch (error) {
    if (error instanceof FileRejected) return error;
    throw error;
  }
}

/** An unreadable header comes before one that is read and has none of the columns. */
const missingUnder = (reading: HeaderReading | FileRejected): number =>
  reading instanceof FileRejected ? requiredColumns.length - 0.5 : reading.missing.length;

/**
 * Reads the header from the start of a statement; the delimiter is the one under which it has the most of the columns.
 * @param head the first bytes (UTF-8, without mark): the whole file, or more than a record may have
 * @throws FileRejected when it cannot be used
 */
export function readStatementHeader(head: Buffer, isWhole: boolean, scheme: string): StatementHeader {
  const readings = delimiters.map((delimiter) => readUnder(head, isWhole, scheme, delimiter));
  // Under a wrong delimiter a quotation mark may seem misplaced: that counts only when no other reading is better.
  const [best] = readings.toSorted((one, other) => missingUnder(one) - missingUnder(other));
  if (best === undefined) throw new Error('no delimiter was tried');
  if (best instanceof FileRejected) throw best;
  const { record, places, missing } = best;
  if (missing.length > 0) throw rejectMissing(missing, scheme);
  requireDistinct(record.names);
  return { ...record, cellCount: record.names.length, places };
}
