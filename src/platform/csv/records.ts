/**
 * Bytes to records, for payout files and statements. csv-parse splits the cells where there are quotation marks; this
 * cuts the stream where records end, counts lines, and looks at quotation marks first: one that stands wrong spoils its
 * own row only, one that never closes would swallow the rows after it, and then the whole file is rejected.
 */
import { type Options, parse } from 'csv-parse/sync';
import type { Inspection } from '../../core/payout-file.ts';
import { endMark, FileRejected, type OpenedFile, readBlocks } from './open.ts';

export type Delimiter = ',' | ';' | '\t';

/** A row longer than this is no payout: one cell holds far too much, or a quotation mark is missing. */
export const rowBytesMax = 65_536;

/** Bytes at the start of a file that surely hold its header. */
const headBytes = rowBytesMax * 2;

/** A few hundred rows: the fewer live at once, the fewer outlive the young generation and swell the heap. */
const stretchBytes = 16_384;

/** The start of a file's text as UTF-8 without its mark, and what follows. */
export interface FileText {
  /** Enough for any header. */
  readonly head: Buffer;
  /** Nothing follows. */
  readonly isWhole: boolean;
  readonly rest: AsyncIterable<Buffer>;
}

/**
 * Begins the second reading of an inspected file.
 * @param take sees the bytes as they are on the disk
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

/** One record of the file; blank lines are none, nor is the end mark of DOS. */
export interface FileRecord {
  /** Line of the file, from 1, at which it starts. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Places of the cells that stand in quotation marks, in order. */
  readonly quoted: readonly number[];
  /** A quotation mark stands where none may; the cells are a guess. */
  readonly isMisquoted: boolean;
}

export type RecordScan =
  /** The record's bytes end before `end`, its line end included; it runs over `lineEnds` line ends inside quotes. */
  | {
      readonly kind: 'whole';
      readonly end: number;
      readonly lineEnds: number;
      readonly isMisquoted: boolean;
      readonly quoted: readonly number[];
    }
  /** The bytes end first; `openedAfter` line ends stand before the open quotation mark, -1 without one. */
  | { readonly kind: 'incomplete'; readonly openedAfter: number }
  /** What the quotation mark opens runs over a whole line that looks like a row. */
  | { readonly kind: 'swallowing'; readonly openedAfter: number };

export type WholeScan = Extract<RecordScan, { readonly kind: 'whole' }>;

const cellStart = 0;
const unquoted = 1;
const inQuotes = 2;
/** After a quotation mark inside a quoted cell: it closes the cell, or is the first of a doubled one. */
const quoteSeen = 3;

const noneQuoted: readonly number[] = [];

const isLineEnd = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn;

interface ScanOptions {
  readonly delimiterByte: number;
  /** Cells of a row; Infinity while the header is not known. */
  readonly cellCount: number;
  /** No bytes follow. */
  readonly isLast: boolean;
}

/** Finds the end of the record that starts at `from`, in bytes that may hold quotation marks (RFC 4180). */
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

const unclosedCure = 'close it, or double it where it belongs to the text';

/** A quotation mark that opens in this line and is never closed, or only by one that was meant to open another cell. */
function rejectUnclosed(line: number): FileRejected {
  return new FileRejected(
    'quote-unclosed',
    `a quotation mark opens a cell in this line and is not closed there: ${unclosedCure}`,
    line,
  );
}

function rejectTooLong(line: number): FileRejected {
  const message = `the row is longer than ${rowBytesMax} bytes: shorten its cells, or look for a missing line end`;
  return new FileRejected('row-too-long', message, line);
}

/** True for a line without anything, and for one that holds the end mark of DOS alone. */
const isBlank = ([cell = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && (cell.trim() === '' || cell.trim() === endMark);

/** Where a record stands: its first line, how many it takes, and which of its cells are quoted. */
interface Place {
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

/** The line end of the record whose bytes end before `end`; undefined for one that the file's end completes. */
function readLineEnd(bytes: Buffer, end: number): LineEnd | undefined {
  const last = bytes[end - 1];
  if (last === lineFeed) return bytes[end - 2] === carriageReturn ? '\r\n' : '\n';
  return last === carriageReturn ? '\r' : undefined;
}

/** The records of one file, from the bytes that follow its header. */
export class RecordReader {
  readonly #delimiter: string;
  readonly #delimiterByte: number;
  readonly #cellCount: number;
  readonly #csvOptions: Options;
  /**
   * Begins with the bytes that no record has taken yet. One buffer for the whole file: blocks that come and go faster
   * than they are collected would fill the memory.
   */
  #window = Buffer.allocUnsafe(rowBytesMax * 2);
  #pendingBytes = 0;
  /** Line at which the next record starts. */
  #line: number;
  /** Line of the latest record, or of the header's end before the first. */
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
   * The records that each stretch of the text completes, from the end of its header; `end` has the others.
   * @throws FileRejected as `read` does
   */
  async *readAll(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<FileRecord[]> {
    // The first stretch is no longer than the others: what lives long at the start is taken for long-lived ever after.
    for (const bytes of cutIntoStretches(head)) yield this.read(bytes);
    for await (const block of rest) for (const bytes of cutIntoStretches(block)) yield this.read(bytes);
  }

  /** The records that the file's end completes. */
  end(): FileRecord[] {
    return this.read(Buffer.alloc(0), true);
  }

  /**
   * The records that are complete with these bytes (UTF-8); the bytes may be reused afterwards.
   * Stretches without a fault are taken as a whole, a row with a misplaced mark alone.
   * @throws FileRejected when a quotation mark never closes, or a row is too long
   */
  read(bytes: Buffer, isLast = false): FileRecord[] {
    const joined = this.#append(bytes);
    const options = { delimiterByte: this.#delimiterByte, cellCount: this.#cellCount, isLast };
    const records: FileRecord[] = [];
    let sound: Place[] = [];
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

  /** Says whether bytes still to come can make this a row. */
  #requireClosable(scan: Exclude<RecordScan, { kind: 'whole' }>, bytes: number, isLast: boolean): void {
    const isOpen = scan.kind === 'swallowing' || scan.openedAfter >= 0;
    const isHopeless = scan.kind === 'swallowing' || isLast || bytes > rowBytesMax;
    if (isOpen && isHopeless) throw rejectUnclosed(this.#line + scan.openedAfter);
    if (bytes > rowBytesMax) throw rejectTooLong(this.#line);
  }

  /** All bytes that no record has taken yet. */
  #append(bytes: Buffer): Buffer {
    const end = this.#pendingBytes + bytes.length;
    if (end > this.#window.length) {
      this.#window = Buffer.concat([this.#window.subarray(0, this.#pendingBytes)], end * 2);
    }
    bytes.copy(this.#window, this.#pendingBytes);
    return this.#window.subarray(0, end);
  }

  /** Takes records without a fault, one after the other, and the line ends that they have. */
  #takeSound(
    bytes: Buffer,
    places: readonly Place[],
    lineEnds: ReadonlySet<LineEnd>,
    records: FileRecord[],
  ): void {
    const parsed = this.#cutPlain(bytes, lineEnds) ?? this.#parse(bytes, lineEnds);
    if (parsed.length !== places.length) {
      throw new Error(
        `${parsed.length} records were found where ${places.length} end, before line ${this.#line}`,
      );
    }
    for (const [index, { line, lines, quoted }] of places.entries()) {
      const cells = parsed[index] ?? [];
      // A row over several lines with a wrong number of cells has probably swallowed others.
      if (lines > 1 && cells.length !== this.#cellCount) throw rejectUnclosed(line);
      if (!isBlank(cells)) records.push({ line, cells, quoted, isMisquoted: false });
    }
  }

  /** Without a quotation mark a cell is what stands between delimiters: to cut there takes a tenth of csv-parse's time. */
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
    // csv-parse compares every byte with each of them: where one is used throughout, only that one is named.
    const record_delimiter = [...(lineEnds.size === 1 ? lineEnds : everyLineEnd)];
    return parse(bytes, { ...this.#csvOptions, record_delimiter });
  }

  #takeMisquoted(bytes: Buffer, { line, lines, quoted }: Place, records: FileRecord[]): void {
    if (lines > 1) throw rejectUnclosed(line);
    const options = { ...this.#csvOptions, record_delimiter: [...everyLineEnd], relax_quotes: true };
    const [cells = []] = parse(bytes, options);
    records.push({ line, cells, quoted, isMisquoted: true });
  }
}
