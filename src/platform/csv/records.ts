/**
 * Splits bytes into records, for payout files and statements. csv-parse splits the cells of quoted records; this module
 * finds where records end, counts lines, and checks quotation marks first. A misplaced mark spoils only its own row; a
 * mark that is never closed would swallow the rows after it, so the whole file is rejected.
 */
import { type Options, parse } from 'csv-parse/sync';
import { message } from '../../core/message.ts';
import type { Inspection } from '../../core/payout-file.ts';
import { endMark, FileRejected, type OpenedFile, readBlocks } from './open.ts';

export type Delimiter = ',' | ';' | '\t';

/** Longest row in bytes. A longer one has far too much in a cell, or lacks a quotation mark. */
export const rowBytesMax = 65_536;

/** Bytes at the start of a file that are certain to contain its header. */
const headBytes = rowBytesMax * 2;

/**
 * Bytes per stretch, a few hundred rows: few rows alive at once means that few outlive the young generation and enlarge
 * the heap.
 */
const stretchBytes = 16_384;

/** A file's text as UTF-8 without its byte order mark: its start, and the rest. */
interface FileText {
  /** Start of the text, enough for any header. */
  readonly head: Buffer;
  /** True when there is no rest. */
  readonly isWhole: boolean;
  readonly rest: AsyncIterable<Buffer>;
}

/**
 * Begins the second reading of an inspected file.
 * @param take gets the bytes as they are on the disk
 */
export async function openText(
  file: OpenedFile,
  inspection: Inspection,
  take?: (bytes: Buffer) => void,
): Promise<FileText> {
  const rest = decodeBlocks(file, inspection, take);
  let head = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await rest.next();
    if (next.done === true) return { head, isWhole: true, rest };
    head = Buffer.concat([head, next.value]);
  }
  return { head, isWhole: false, rest };
}

async function* decodeBlocks(
  file: OpenedFile,
  { encoding, bomBytes }: Inspection,
  take?: (bytes: Buffer) => void,
): AsyncGenerator<Buffer> {
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding, { fatal: true });
  let skip = bomBytes;
  for await (const block of readBlocks(file.handle)) {
    take?.(block);
    const text = block.subarray(skip);
    skip = Math.max(0, skip - block.length);
    yield decoder === undefined ? text : Buffer.from(decoder.decode(text, { stream: true }));
  }
  if (decoder !== undefined) yield Buffer.from(decoder.decode());
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** One record of the file; blank lines and the end mark of DOS are not records. */
export interface FileRecord {
  /** Line of the file, from 1, where the record starts. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Positions of the quoted cells, in order. */
  readonly quoted: readonly number[];
  /** True when a quotation mark is misplaced; the cells are then a guess. */
  readonly isMisquoted: boolean;
}

export type RecordScan =
  /** The record's bytes end before `end`, line end included; it contains `lineEnds` line ends inside quotes. */
  | {
      readonly kind: 'whole';
      readonly end: number;
      readonly lineEnds: number;
      readonly isMisquoted: boolean;
      readonly quoted: readonly number[];
    }
  /** The bytes end within the record; `openedAfter` line ends precede the open quotation mark, -1 without one. */
  | { readonly kind: 'incomplete'; readonly openedAfter: number }
  /** The open quotation mark runs over a whole line that looks like a row. */
  | { readonly kind: 'swallowing'; readonly openedAfter: number };

export type WholeScan = Extract<RecordScan, { readonly kind: 'whole' }>;

const cellStart = 0;
const unquoted = 1;
const inQuotes = 2;
/** State after a quotation mark inside a quoted cell: it closes the cell, or is the first of a doubled one. */
const quoteSeen = 3;

const noneQuoted: readonly number[] = [];

const isLineEnd = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn;

interface ScanOptions {
  readonly delimiterByte: number;
  /** Cells of a row; Infinity while the header is unknown. */
  readonly cellCount: number;
  /** True when no bytes follow. */
  readonly isLast: boolean;
}

/** Finds the end of the record at `from`, in bytes that may contain quotation marks (RFC 4180). */
export function scanRecord(bytes: Buffer, from: number, options: ScanOptions): RecordScan {
  const { delimiterByte, cellCount, isLast } = options;
  let state = cellStart;
  let isMisquoted = false;
  let lineEnds = 0;
  let openedAfter = -1;
  let delimitersInLine = 0;
  let cellPlace = 0;
  let quotedPlaces: number[] | undefined;
  for (let place = from; place < bytes.length; place += 1) {
    const byte = bytes[place];
    const endsLine = byte === lineFeed || (byte === carriageReturn && bytes[place + 1] !== lineFeed);
    if (state === inQuotes) {
      if (byte === quote) state = quoteSeen;
      else if (byte === delimiterByte) delimitersInLine += 1;
      else if (endsLine) {
        if (lineEnds > openedAfter && delimitersInLine === cellCount - 1)
          return { kind: 'swallowing', openedAfter };
        lineEnds += 1;
        delimitersInLine = 0;
      }
    } else if (byte === quote) {
      if (state === unquoted) isMisquoted = true;
      else {
        if (state === cellStart) {
          openedAfter = lineEnds;
          (quotedPlaces ??= []).push(cellPlace);
        }
        state = inQuotes;
      }
    } else if (byte === delimiterByte) {
      state = cellStart;
      cellPlace += 1;
    } else if (endsLine) {
      // A carriage return at the very end may be the first half of a line end.
      if (byte === carriageReturn && place + 1 === bytes.length && !isLast) break;
      return { kind: 'whole', end: place + 1, lineEnds, isMisquoted, quoted: quotedPlaces ?? noneQuoted };
    } else if (byte !== carriageReturn) {
      if (state === quoteSeen) isMisquoted = true;
      state = unquoted;
    }
  }
  const isOpen = state === inQuotes;
  if (isLast && !isOpen)
    return { kind: 'whole', end: bytes.length, lineEnds, isMisquoted, quoted: quotedPlaces ?? noneQuoted };
  return { kind: 'incomplete', openedAfter: isOpen ? openedAfter : -1 };
}

/**
 * The rejection of a quotation mark that opens in this line and is never closed, or only by one that was meant to open
 * another cell.
 */
function rejectUnclosed(line: number): FileRejected {
  return new FileRejected('quote-unclosed', message('file.quote-unclosed'), line);
}

function rejectTooLong(line: number): FileRejected {
  return new FileRejected('row-too-long', message('file.row-too-long', { most: rowBytesMax }), line);
}

/** True for a blank line, and for one with only the end mark of DOS. */
const isBlank = ([cell = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && (cell.trim() === '' || cell.trim() === endMark);

/** The place of a record: its first line, its number of lines, and its quoted cells. */
interface RecordPosition {
  readonly line: number;
  readonly lines: number;
  readonly quoted: readonly number[];
}

function* cutIntoStretches(block: Buffer): Generator<Buffer> {
  for (let from = 0; from < block.length; from += stretchBytes)
    yield block.subarray(from, from + stretchBytes);
}

const everyLineEnd = ['\r\n', '\n', '\r'] as const;

type LineEnd = (typeof everyLineEnd)[number];

/** The line end of the record before `end`; undefined for a record that ends with the file. */
function readLineEnd(bytes: Buffer, end: number): LineEnd | undefined {
  const last = bytes[end - 1];
  if (last === lineFeed) return bytes[end - 2] === carriageReturn ? '\r\n' : '\n';
  return last === carriageReturn ? '\r' : undefined;
}

/** Reads the records of one file, from the bytes after its header. */
export class RecordReader {
  readonly #delimiter: string;
  readonly #delimiterByte: number;
  readonly #cellCount: number;
  readonly #csvOptions: Options;
  /**
   * Bytes that belong to no record yet. One buffer serves the whole file: blocks that are created faster than they are
   * collected would fill the memory.
   */
  #window = Buffer.allocUnsafe(rowBytesMax * 2);
  #pendingBytes = 0;
  /** Line at which the next record starts. */
  #line: number;
  /** Line of the latest record; before the first, that of the header's end. */
  lastLine: number;

  constructor(delimiter: string, cellCount: number, firstLine: number) {
    this.#delimiter = delimiter;
    this.#delimiterByte = delimiter.charCodeAt(0);
    this.#cellCount = cellCount;
    this.#line = firstLine;
    this.lastLine = firstLine - 1;
    this.#csvOptions = { delimiter, relax_column_count: true, skip_empty_lines: true };
  }

  /**
   * The records that each stretch of the text completes, from the end of the header; `end` returns the rest.
   * @throws FileRejected as `read` does
   */
  async *readAll(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<FileRecord[]> {
    // The first stretch is as short as the others: objects that live long at the start would be treated as long-lived
    // for good.
    for (const bytes of cutIntoStretches(head)) yield this.read(bytes);
    for await (const block of rest) for (const bytes of cutIntoStretches(block)) yield this.read(bytes);
  }

  /** The records that the end of the file completes. */
  end(): FileRecord[] {
    return this.read(Buffer.alloc(0), true);
  }

  /**
   * The records that are complete with these bytes (UTF-8), which may be reused afterwards. Stretches without a fault
   * are split as a whole, a row with a misplaced mark by itself.
   * @throws FileRejected when a quotation mark never closes, or a row is too long
   */
  read(bytes: Buffer, isLast = false): FileRecord[] {
    const joined = this.#append(bytes);
    const options = { delimiterByte: this.#delimiterByte, cellCount: this.#cellCount, isLast };
    const records: FileRecord[] = [];
    let sound: RecordPosition[] = [];
    let lineEnds = new Set<LineEnd>();
    let soundFrom = 0;
    let at = 0;
    while (at < joined.length) {
      const scan = scanRecord(joined, at, options);
      if (scan.kind !== 'whole') {
        this.#requireClosable(scan, joined.length - at, isLast);
        break;
      }
      if (scan.end - at > rowBytesMax) throw rejectTooLong(this.#line);
      const place = { line: this.#line, lines: scan.lineEnds + 1, quoted: scan.quoted };
      if (scan.isMisquoted) {
        this.#takeSound(joined.subarray(soundFrom, at), sound, lineEnds, records);
        this.#takeMisquoted(joined.subarray(at, scan.end), place, records);
        soundFrom = scan.end;
        sound = [];
        lineEnds = new Set();
      } else {
        if (!isLineEnd(joined[at])) sound.push(place);
        const lineEnd = readLineEnd(joined, scan.end);
        if (lineEnd !== undefined) lineEnds.add(lineEnd);
      }
      this.#line += place.lines;
      at = scan.end;
    }
    this.#takeSound(joined.subarray(soundFrom, at), sound, lineEnds, records);
    this.#pendingBytes = joined.length - at;
    this.#window.copyWithin(0, at, joined.length);
    this.lastLine = records.at(-1)?.line ?? this.lastLine;
    return records;
  }

  /** Checks that later bytes can still complete the row. */
  #requireClosable(scan: Exclude<RecordScan, { kind: 'whole' }>, bytes: number, isLast: boolean): void {
    const isOpen = scan.kind === 'swallowing' || scan.openedAfter >= 0;
    const isHopeless = scan.kind === 'swallowing' || isLast || bytes > rowBytesMax;
    if (isOpen && isHopeless) throw rejectUnclosed(this.#line + scan.openedAfter);
    if (bytes > rowBytesMax) throw rejectTooLong(this.#line);
  }

  /** All bytes that belong to no record yet. */
  #append(bytes: Buffer): Buffer {
    const end = this.#pendingBytes + bytes.length;
    if (end > this.#window.length) {
      this.#window = Buffer.concat([this.#window.subarray(0, this.#pendingBytes)], end * 2);
    }
    bytes.copy(this.#window, this.#pendingBytes);
    return this.#window.subarray(0, end);
  }

  /**
   * Adds the records of a stretch without a fault.
   * @param lineEnds the line ends that it uses
   */
  #takeSound(
    bytes: Buffer,
    positions: readonly RecordPosition[],
    lineEnds: ReadonlySet<LineEnd>,
    records: FileRecord[],
  ): void {
    const parsed = this.#cutPlain(bytes, lineEnds) ?? this.#parse(bytes, lineEnds);
    if (parsed.length !== positions.length) {
      throw new Error(
        `${parsed.length} records were found where ${positions.length} end, before line ${this.#line}`,
      );
    }
    for (const [index, { line, lines, quoted }] of positions.entries()) {
      const cells = parsed[index] ?? [];
      // A row over several lines with a wrong number of cells has probably swallowed others.
      if (lines > 1 && cells.length !== this.#cellCount) throw rejectUnclosed(line);
      if (!isBlank(cells)) records.push({ line, cells, quoted, isMisquoted: false });
    }
  }

  /** Cuts at the delimiters when there is no quotation mark, in a tenth of csv-parse's time. */
  #cutPlain(bytes: Buffer, lineEnds: ReadonlySet<LineEnd>): string[][] | undefined {
    if (lineEnds.size > 1 || bytes.includes(quote)) return undefined;
    const [lineEnd = '\n'] = lineEnds;
    const cut: string[][] = [];
    for (const text of bytes.toString('utf8').split(lineEnd)) {
      if (text !== '') cut.push(text.split(this.#delimiter));
    }
    return cut;
  }

  #parse(bytes: Buffer, lineEnds: ReadonlySet<LineEnd>): string[][] {
    // csv-parse compares every byte with each line end: when the file uses only one, only that one is given.
    const record_delimiter = [...(lineEnds.size === 1 ? lineEnds : everyLineEnd)];
    return parse(bytes, { ...this.#csvOptions, record_delimiter });
  }

  #takeMisquoted(bytes: Buffer, { line, lines, quoted }: RecordPosition, records: FileRecord[]): void {
    if (lines > 1) throw rejectUnclosed(line);
    const options = { ...this.#csvOptions, record_delimiter: [...everyLineEnd], relax_quotes: true };
    const [cells = []] = parse(bytes, options);
    records.push({ line, cells, quoted, isMisquoted: true });
  }
}
