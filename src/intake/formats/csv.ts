/**
 * Payout files in: a first pass says what the file is, a second reads its rows and must meet the same
 * bytes. Neither keeps more than a block of the file in memory.
 */
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { showCell } from '../../core/cell-text.ts';
import { showBaht } from '../../core/figures.ts';
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import {
  type FileEncoding,
  type Inspection,
  type Issue,
  type RowCells,
  type RowColumn,
  rowColumns,
  type SealTotals,
  type StagedRow,
} from '../../core/payout-file.ts';
import {
  FileRejected,
  inspectFile,
  type OpenedFile,
  openRegularFile,
  rejectChanged,
  requireUnchanged,
} from '../../platform/csv/open.ts';
import {
  type Delimiter,
  type FileRecord,
  openText,
  RecordReader,
  rowBytesMax,
  scanRecord,
} from '../../platform/csv/records.ts';
import type { PayoutFileReader, ReadPart, RejectedFile } from '../ports.ts';
import {
  type ControlTotals,
  findControlMismatch,
  looksLikeTrailer,
  readControlFile,
  readTrailer,
} from '../rules/control-totals.ts';
import { DuplicateIndex } from '../rules/duplicates.ts';
import { exceptionMarks } from '../../reports/rules/report-rows.ts';
import { parseRow, requiredColumns } from '../rules/row.ts';

/** The settings' `input` and `limits`, in the units that the reader needs. */
export interface PayoutFileOptions {
  readonly delimiter: 'auto' | Delimiter;
  /** Our column → the file's header; a column that stands here must be in the file. */
  readonly columns: Readonly<Partial<Record<RowColumn, string | undefined>>>;
  readonly encoding: 'auto' | FileEncoding;
  readonly control: 'none' | 'trailer' | 'sidecar';
  readonly trailerMark: string;
  readonly finalLineEnd: 'required' | 'optional';
  readonly limits: PayoutFileLimits;
}

/** Null stands for no limit. */
export interface PayoutFileLimits {
  readonly rowsMax: number | null;
  readonly bytesMax: number | null;
  /** Larger payouts are held. */
  readonly payoutSatangMax: Satang | null;
  /** A larger total rejects the file. */
  readonly fileSatangMax: Satang | null;
}

/** A control file holds two numbers. */
const controlFileBytesMax = 65_536;

async function readSidecar(path: string): Promise<ControlTotals> {
  const sidecarPath = `${path}.control.json`;
  const about = (message: string): string => `${sidecarPath}: ${message}`;
  await using file = await openRegularFile(sidecarPath).catch((error: unknown) => {
    if (!(error instanceof FileRejected)) throw error;
    throw new FileRejected('control-missing', about(error.rejection.message));
  });
  if (file.sizeBytes > controlFileBytesMax)
    throw new FileRejected('control-unreadable', about('too large for a control file'));
  const text = await file.handle.readFile('utf8');
  const reading = readControlFile(text.replace(/^\ufeff/, ''));
  if (!reading.ok) throw new FileRejected(reading.code, about(reading.message));
  return reading.totals;
}

async function* readOpened(
  file: OpenedFile,
  inspection: Inspection,
  options: PayoutFileOptions,
  take: (bytes: Buffer) => void,
): AsyncGenerator<ReadPart, SealTotals> {
  const sidecar = options.control === 'sidecar' ? await readSidecar(inspection.path) : null;
  const { head, isWhole, rest } = await openText(file, inspection, take);
  const header = readHeader(head, isWhole, options);
  yield { kind: 'header', extraColumns: header.extraColumns };
  const records = new RecordReader(header.delimiter, header.cellCount, header.nextLine);
  const taker = new RowTaker(header, options);
  const takeAll = (found: readonly FileRecord[]): ReadPart => ({
    kind: 'rows',
    rows: found.flatMap((record) => taker.take(record) ?? []),
  });
  for await (const found of records.readAll(head.subarray(header.endOffset), rest)) yield takeAll(found);
  const last = takeAll(records.end());
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

async function* readPayoutFile(inspection: Inspection, options: PayoutFileOptions): AsyncGenerator<ReadPart> {
  await using file = await openRegularFile(inspection.path);
  try {
    await requireUnchanged(file, inspection);
    const hash = createHash('sha256');
    const totals = yield* readOpened(file, inspection, options, (bytes) => hash.update(bytes));
    await requireUnchanged(file, inspection);
    if (hash.digest('hex') !== inspection.sha256) throw rejectChanged();
    yield { kind: 'summary', totals };
  } catch (error) {
    if (error instanceof FileRejected) await requireUnchanged(file, inspection);
    throw error;
  }
}

function asRejected(error: unknown): RejectedFile {
  if (error instanceof FileRejected) return { kind: 'rejected', rejection: error.rejection };
  throw error;
}

/** A reader of payout files under these settings. */
export function makePayoutFileReader(options: PayoutFileOptions): PayoutFileReader {
  const { encoding, limits } = options;
  return {
    inspect: (path) =>
      inspectFile(path, { encoding, bytesMax: limits.bytesMax }).then(
        (inspection) => ({ kind: 'inspected', inspection }),
        asRejected,
      ),
    async *read(inspection) {
      try {
        yield* readPayoutFile(inspection, options);
      } catch (error) {
        yield asRejected(error);
      }
    },
  };
}

// ---------------------------------------------------------------- records to rows: the rules, duplicates within the file, totals, and the trailer row.

/** What a store with 64-bit integers can hold; no file that means well comes near it. */
const storableSatangMax = 2n ** 63n - 1n;

const noExtras: readonly string[] = [];

const misquotedText =
  'a quotation mark stands inside a cell: put the whole cell in quotation marks and double those inside';

function issueOfRow(line: number, code: string, message: string): Issue {
  return { line, column: null, code, value: null, message };
}

function miscounted({ cells, line }: FileRecord, header: Header, trailerMark: string): Issue {
  const isTrailer = cells[0]?.trim() === trailerMark;
  const many = 'a separator stands inside a cell, as in 1,234.50? put such a cell in quotation marks';
  const few = 'the row is cut short or cells are missing (empty ones need their separators too)';
  const what = isTrailer
    ? 'is it the trailer row? set input.control to trailer'
    : cells.length > header.cellCount
      ? many
      : few;
  return issueOfRow(
    line,
    'cell-count',
    `${cells.length} cells where the header has ${header.cellCount}: ${what}`,
  );
}

function pickCells(all: readonly string[], places: Header['places']): RowCells {
  const pick = (column: RowColumn): string => all[places[column] ?? -1] ?? '';
  return {
    payoutId: pick('payoutId'),
    proxyType: pick('proxyType'),
    proxyNo: pick('proxyNo'),
    payeeName: pick('payeeName'),
    amount: pick('amount'),
    reference1: pick('reference1'),
    reference2: pick('reference2'),
  };
}

/** Takes the records of one file, in order. */
class RowTaker {
  readonly #header: Header;
  readonly #options: PayoutFileOptions;
  readonly #duplicates = new DuplicateIndex();
  #trailer: FileRecord | undefined;
  /** The last row that is not blank, when it is no payment and looks like a trailer. */
  #unreadTrailer: FileRecord | undefined;
  readonly #counted = {
    rows: 0,
    totalSatang: zeroSatang,
    unreadableAmounts: 0,
    unreadableLine: null as number | null,
  };

  constructor(header: Header, options: PayoutFileOptions) {
    this.#header = header;
    this.#options = options;
  }

  /**
   * The row that a record is; undefined for the trailer row.
   * @throws FileRejected when the file has too many rows, or rows after its trailer
   */
  take(record: FileRecord): StagedRow | undefined {
    this.#requireNoTrailer();
    if (this.#options.control === 'trailer' && record.cells[0]?.trim() === this.#options.trailerMark) {
      this.#trailer = record;
      return undefined;
    }
    const counted = this.#counted;
    const before = { ...counted };
    counted.rows += 1;
    const { rowsMax } = this.#options.limits;
    if (rowsMax !== null && counted.rows > rowsMax) {
      const message = `the file has more rows than limits.rowsPerFile allows (${rowsMax}): split it`;
      throw new FileRejected('rows-over-limit', message, record.line);
    }
    const row = this.#rejectDuplicate(this.#read(record), record);
    if (record.cells.some((cell) => cell.trim() !== '')) {
      const isTrailer =
        row.instruction === null && looksLikeTrailer(record.cells, before, this.#header.cellCount);
      this.#unreadTrailer = isTrailer ? record : undefined;
    }
    if (row.amountSatang === null) {
      counted.unreadableAmounts += 1;
      counted.unreadableLine ??= record.line;
    } else counted.totalSatang = toSatang(counted.totalSatang + row.amountSatang);
    return row;
  }

  #requireNoTrailer(): void {
    if (this.#trailer === undefined) return;
    const message = `the trailer row (${this.#options.trailerMark}) must be the last: rows stand after it`;
    throw new FileRejected('control-not-last', message, this.#trailer.line);
  }

  #read(record: FileRecord): StagedRow {
    const { line, cells: all, isMisquoted } = record;
    const { places, extraPlaces, cellCount } = this.#header;
    const cells = pickCells(all, places);
    const extras = extraPlaces.length === 0 ? noExtras : extraPlaces.map((place) => all[place] ?? '');
    const row = { rowNo: this.#counted.rows, line, cells, extras };
    const unread = { ...row, instruction: null, amountSatang: null, holds: [] };
    const misquoted = isMisquoted ? [issueOfRow(line, 'quote-misplaced', misquotedText)] : [];
    if (all.length !== cellCount) {
      // No cell can be trusted to be in its place: not even the amount is counted.
      const count = miscounted(record, this.#header, this.#options.trailerMark);
      return { ...unread, issues: [...misquoted, count] };
    }
    const parsed = parseRow(cells, line, this.#options.limits);
    if (isMisquoted)
      return { ...unread, amountSatang: parsed.amountSatang, issues: [...misquoted, ...parsed.issues] };
    if (parsed.instruction === null && all.every((cell) => cell.trim() === ''))
      return { ...unread, issues: [issueOfRow(line, 'row-empty', 'every cell is empty: remove the line')] };
    const { instruction, amountSatang, holds, issues } = parsed;
    return { rowNo: row.rowNo, line, cells, instruction, amountSatang, holds, issues, extras };
  }

  #rejectDuplicate(row: StagedRow, record: FileRecord): StagedRow {
    const payoutId = row.cells.payoutId.trim();
    if (payoutId === '') return row;
    const { rowNo, line, instruction } = row;
    const seen = { rowNo, line, payoutId, cells: record.cells, isValid: instruction !== null };
    const verdict = this.#duplicates.add(seen);
    if (verdict.kind === 'new') return row;
    const first = `line ${verdict.firstLine} (row ${verdict.firstRowNo})`;
    const issue = {
      line: row.line,
      column: 'payoutId',
      code: verdict.kind === 'repeat' ? 'duplicate-repeat' : 'duplicate-differs',
      value: showCell(payoutId),
      message:
        verdict.kind === 'repeat'
          ? `this row repeats ${first} in every cell: only that one counts, remove the repeat`
          : `${first} has the same payoutId and other cells: all such rows are rejected, give each payout a payoutId of its own`,
    };
    return { ...row, instruction: null, holds: [], issues: [...row.issues, issue] };
  }

  /**
   * The totals, once the last record has been taken.
   * @param sidecar what the control file declares, when one is wanted
   * @throws FileRejected when there is no row, or totals are missing, differ or exceed a limit
   */
  finish(sidecar: ControlTotals | null): SealTotals {
    const { rows, totalSatang, unreadableAmounts } = this.#counted;
    if (rows === 0) {
      const message = 'the file has a header and no rows: have it written again';
      throw new FileRejected('rows-missing', message, this.#header.nextLine);
    }
    this.#requireNoUnreadTrailer();
    this.#requireControl(this.#declaredTotals(sidecar));
    this.#requireLimit(totalSatang);
    const { conflictingRowNos } = this.#duplicates;
    return { rows, totalSatang, unreadableAmounts, conflictingRowNos };
  }

  /** What a trailer says would go unread: a file that was cut short would be paid as far as it goes. */
  #requireNoUnreadTrailer(): void {
    if (this.#options.control !== 'none' || this.#unreadTrailer === undefined) return;
    const { cells, line } = this.#unreadTrailer;
    const mark = showCell(cells[0]?.trim() ?? '');
    const message =
      `the last row looks like a trailer with control totals ("${mark}"), and input.control is none: set input.control to ` +
      'trailer, with this word as input.trailerMark, or have the row left out';
    throw new FileRejected('trailer-unread', message, line, mark);
  }

  #declaredTotals(sidecar: ControlTotals | null): ControlTotals | null {
    if (this.#options.control !== 'trailer') return sidecar;
    if (this.#trailer === undefined) {
      const message = `the last row must be ${this.#options.trailerMark},<rows>,<total>: the file is cut short, or input.control is wrong`;
      throw new FileRejected('control-missing', message);
    }
    const reading = readTrailer(this.#trailer.cells);
    if (!reading.ok) throw new FileRejected(reading.code, reading.message, this.#trailer.line);
    return reading.totals;
  }

  #requireControl(declared: ControlTotals | null): void {
    if (declared === null) return;
    const mismatch = findControlMismatch(declared, this.#counted);
    if (mismatch === undefined) return;
    throw new FileRejected(mismatch.code, mismatch.message, mismatch.line ?? this.#trailer?.line ?? null);
  }

  #requireLimit(totalSatang: Satang): void {
    const { fileSatangMax } = this.#options.limits;
    const limit = fileSatangMax ?? toSatang(storableSatangMax);
    if (totalSatang <= limit) return;
    const name = fileSatangMax === null ? 'any batch can hold' : 'limits.bahtPerBatch allows';
    const message = `the rows add up to ${showBaht(totalSatang)} baht, more than ${name} (${showBaht(limit)}): split the file, or correct an amount`;
    throw new FileRejected('total-over-limit', message);
  }
}

// ---------------------------------------------------------------- the header: its delimiter, and our columns

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

interface Header extends HeaderRecord {
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
  columns: PayoutFileOptions['columns'],
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
  options: PayoutFileOptions,
): FileRejected {
  const [first = 'payoutId'] = missing;
  const headers = missing.map((column) => options.columns[column] ?? column).join(', ');
  const similar = record.names.find((name) => squeeze(name) === squeeze(first));
  const hint = similar === undefined ? '' : ` ("${similar}" is not taken for it)`;
  const mapping = describeMapping(record, missing);
  const message = `the header lacks ${headers}${hint}: add the column, or name the file's own header in the settings: ${mapping}`;
  return new FileRejected('column-missing', message, record.line, first);
}

/** What to paste into the settings: each missing column with the header that is probably meant, or a place to fill in. */
function describeMapping({ names }: HeaderRecord, missing: readonly RowColumn[]): string {
  const known = rowColumns.filter((column) => !missing.includes(column)).map(squeeze);
  const free = names.filter((name) => name !== '' && !known.includes(squeeze(name)));
  const pairs = missing.map((column) => {
    const meant = free.find((name) => squeeze(name) === squeeze(column)) ?? findMeant(column, free);
    return `${column}: ${JSON.stringify(meant ?? 'the header in the file')}`;
  });
  return `input: { columns: { ${pairs.join(', ')} } }`;
}

/** Parts of the headers that partners give these columns, in English and Thai. */
const usualHeaders: Readonly<Record<RowColumn, RegExp>> = {
  payoutId: /payout|payment.?(id|no)|invoice|order|เลขที่/iu,
  proxyType: /type|ประเภท/iu,
  proxyNo: /proxy|promptpay|mobile|phone|citizen|tax.?id|พร้อมเพย์|มือถือ|บัตร/iu,
  payeeName: /name|payee|ชื่อ/iu,
  amount: /amount|baht|total|sum|จำนวน|ยอด/iu,
  reference1: /ref.*1|อ้างอิง.*1/iu,
  reference2: /ref.*2|อ้างอิง.*2/iu,
};

const findMeant = (column: RowColumn, names: readonly string[]): string | undefined =>
  names.find((name) => usualHeaders[column].test(name));

function rejectUnusable(record: HeaderRecord, options: PayoutFileOptions): FileRejected {
  const wanted = requiredColumns.map((column) => options.columns[column] ?? column).join(', ');
  const message =
    `the first line is no header: it must name ${wanted}, separated by commas, semicolons or tabs; ` +
    `add it, or name the file's own headers in the settings: ${describeMapping(record, requiredColumns)}`;
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

/** Two names that only differ in case are one to most readers, and in most spreadsheets: none of them is guessed at. */
function rejectTwins(record: HeaderRecord): void {
  const firsts = new Map<string, number>();
  for (const [place, name] of record.names.entries()) {
    if (name === '') continue;
    const key = name.normalize('NFKC').toLowerCase();
    const first = firsts.get(key);
    if (first !== undefined) throw rejectDoubled(record, name, [first, place]);
    firsts.set(key, place);
  }
}

/**
 * An exceptions file that we wrote is no payout file: what a person has filled in beside the old number and amount would
 * be carried through unread, and the old ones paid.
 */
function rejectExceptionsFile({ names, line }: HeaderRecord): void {
  if (!exceptionMarks.every((column) => names.includes(column))) return;
  const message =
    'this is an exceptions file that paydrop wrote: newProxyNo and newAmount would not be read. Take the rows out of ' +
    'your own payout file, correct them there, and give them, under the same payoutId, as a new file';
  throw new FileRejected('exceptions-file', message, line);
}

function mapHeader(record: HeaderRecord, options: PayoutFileOptions): Header {
  rejectExceptionsFile(record);
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
  rejectTwins(record);
  rejectUnclear(record, places, extraColumns);
  return { ...record, cellCount: record.names.length, places, extraPlaces, extraColumns };
}

/**
 * Reads the header from the start of a file. The delimiter, when it is not set, is the one under which the header
 * names what it must; when none does, the one that finds the most cells speaks.
 * @param head the first bytes (UTF-8, without mark): the whole file, or at least `headBytes`
 * @throws FileRejected when the file is blank, or its header cannot be used
 */
function readHeader(head: Buffer, isWhole: boolean, options: PayoutFileOptions): Header {
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
