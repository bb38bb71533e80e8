/**
 * Reads statements in two passes: the first checks that the bytes are complete and finds their encoding, the second
 * reads the lines and must find the same file. Neither keeps more than a block in memory. A fault that makes the file's
 * lines doubtful refuses the file; an unreadable cell only affects its own line.
 */
import { parse } from 'csv-parse/sync';
import { counted, encodeMessage, message, type Message } from '../../core/message.ts';
import { type DayFault, firstYear, lastYear, readDay } from '../../core/bangkok-time.ts';
import { findSpreadsheetDamage, showCell } from '../../core/cell-text.ts';
import { parseBaht, type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { Inspection } from '../../core/payout-file.ts';
import {
  FileRejected,
  inspectFile,
  type OpenedFile,
  openRegularFile,
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
import type { StatementPart } from '../ports.ts';
import {
  commonSchemes,
  makeStatusReader,
  type StatementColumn,
  statementColumns,
  type StatementLine,
  type StatementWords,
} from '../rules/statement.ts';

interface StatementFileOptions {
  /** The scheme's word in column names, in lower case. */
  readonly scheme: string;
  readonly words: StatementWords;
  readonly bytesMax: number;
}

/** Messages of the payout file reader, reworded for a file of the bank. */
const rewordings: Readonly<Record<string, (options: StatementFileOptions) => Message>> = {
  'file-empty': () => message('statement-file.empty'),
  'nul-bytes': () => message('statement-file.nul-byte'),
  undecodable: () => message('statement-file.undecodable'),
  'quote-unclosed': () => message('statement-file.quote-unclosed'),
  'row-too-long': () => message('statement-file.row-too-long'),
  'bytes-over-limit': ({ bytesMax }) => message('statement-file.too-large', { most: bytesMax }),
};

async function* readOpened(
  file: OpenedFile,
  inspection: Inspection,
  options: StatementFileOptions,
): AsyncGenerator<StatementPart> {
  const { head, isWhole, rest } = await openText(file, inspection);
  const header = readStatementHeader(head, isWhole, options.scheme);
  const records = new RecordReader(header.delimiter, header.names.length, header.nextLine);
  const taker = new LineTaker(header, options.words);
  const takeAll = (found: readonly FileRecord[]): StatementPart => {
    const lines: StatementLine[] = [];
    for (const record of found) lines.push(taker.take(record));
    return { kind: 'lines', lines };
  };
  for await (const found of records.readAll(head.subarray(header.endOffset), rest)) yield takeAll(found);
  yield takeAll(records.end());
  if (!inspection.endsWithLineEnd) {
    throw new FileRejected('line-end-missing', message('statement-file.line-end-missing'), records.lastLine);
  }
  await requireUnchanged(file, inspection);
  const { sha256, sizeBytes } = inspection;
  yield { kind: 'summary', totals: { ...taker.totals(), sha256, sizeBytes } };
}

async function* readStatement(path: string, options: StatementFileOptions): AsyncGenerator<StatementPart> {
  const inspection = await inspectFile(path, { encoding: 'auto', bytesMax: options.bytesMax });
  await using file = await openRegularFile(path);
  await requireUnchanged(file, inspection);
  yield* readOpened(file, inspection, options);
}

export type StatementReader = ReturnType<typeof makeStatementReader>;

/** Makes a reader of plain statements; a failing disk throws. */
export function makeStatementReader(options: StatementFileOptions) {
  return {
    /** Yields the parts of a statement; none may be applied before the summary. */
    async *read(path: string): AsyncGenerator<StatementPart> {
      try {
        yield* readStatement(path, options);
      } catch (error) {
        if (!(error instanceof FileRejected)) throw error;
        const { rejection } = error;
        const why = rewordings[rejection.code]?.(options) ?? rejection.message;
        yield { kind: 'refused', refusal: { ...rejection, message: why } };
      }
    },
  };
}

// ---------------------------------------------------------------- the header

interface StatementHeader {
  readonly delimiter: Delimiter;
  /** Position of each column in a record; -1 for a missing one. */
  readonly places: Readonly<Record<StatementColumn, number>>;
  /** Missing columns without which a line proves nothing. */
  readonly missing: readonly StatementColumn[];
  /** The bank's column names, one for each cell. */
  readonly names: readonly string[];
  /** Bytes up to the end of the header's record. */
  readonly endOffset: number;
  /** Line of the file at which the records start. */
  readonly nextLine: number;
}

/** Columns without which a line proves nothing; the others are optional. */
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

/** The common form of names that differ only in case, spaces and the like. */
const squeeze = (name: string): string => name.toUpperCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');

/** The interface's column name under a scheme: PROXY NO is PROMPTPAY NO for the scheme promptpay. */
const nameUnder = (scheme: string, column: StatementColumn): string =>
  column.replace(/^PROXY(?= )/, scheme.toUpperCase());

/** The header under a delimiter; a rejection when it cannot be read that way. */
function readUnder(
  delimiter: Delimiter,
  head: Buffer,
  isWhole: boolean,
  scheme: string,
): StatementHeader | FileRejected {
  const scan = scanRecord(head, 0, {
    delimiterByte: delimiter.charCodeAt(0),
    cellCount: Infinity,
    isLast: isWhole,
  });
  if (scan.kind !== 'whole' || scan.isMisquoted || scan.end > rowBytesMax) {
    return new FileRejected('header-unreadable', message('statement-file.header-unreadable'), 1);
  }
  const [cells = []] = parse(head.subarray(0, scan.end), {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  const names = cells.map((name) => name.trim());
  const places = findPlaces(names, scheme);
  const missing = requiredColumns.filter((column) => places[column] < 0);
  return { delimiter, names, places, missing, endOffset: scan.end, nextLine: scan.lineEnds + 2 };
}

/** @throws FileRejected for two columns of the same name */
function requireDistinct(names: readonly string[]): void {
  const seen = new Map<string, number>();
  for (const [place, name] of names.entries()) {
    const squeezed = squeeze(name);
    const first = seen.get(squeezed);
    if (squeezed !== '' && first !== undefined) {
      const numbers = { first: first + 1, second: place + 1 };
      throw new FileRejected('column-doubled', message('statement-file.column-doubled', numbers), 1, name);
    }
    seen.set(squeezed, place);
  }
}

/** Positions under the settings' word, or under another one that matches more columns; never a mix of two words. */
function findPlaces(names: readonly string[], scheme: string): Record<StatementColumn, number> {
  const squeezed = names.map(squeeze);
  const isThere = (word: string, column: StatementColumn): boolean =>
    squeezed.includes(squeeze(nameUnder(word, column)));
  const countUnder = (word: string): number =>
    requiredColumns.filter((column) => isThere(word, column)).length;
  const [word = scheme] = [scheme, ...commonSchemes].toSorted(
    (one, other) => countUnder(other) - countUnder(one),
  );
  return Object.fromEntries(
    statementColumns.map((column) => [column, squeezed.indexOf(squeeze(nameUnder(word, column)))]),
  ) as Record<StatementColumn, number>;
}

function rejectMissing(missing: readonly StatementColumn[], scheme: string): FileRejected {
  if (missing.length === requiredColumns.length) {
    return new FileRejected('header-missing', message('statement-file.no-header'), 1);
  }
  const names = missing.map((column) => nameUnder(scheme, column));
  const isOfScheme = missing.some((column) => column.startsWith('PROXY '));
  const code = isOfScheme ? 'statement-file.lacks-scheme' : 'statement-file.lacks';
  const why = message(code, { columns: names.join(', ') });
  return new FileRejected('column-missing', why, 1, names[0] ?? null);
}

/** An unreadable header ranks before a readable one without any of the columns. */
const missingUnder = (reading: StatementHeader | FileRejected): number =>
  reading instanceof FileRejected ? requiredColumns.length - 0.5 : reading.missing.length;

/**
 * Reads the header at the start of a statement, with the delimiter that matches most columns.
 * @param head the first bytes (UTF-8, without mark): the whole file, or more than a record may have
 * @throws FileRejected when it cannot be used
 */
function readStatementHeader(head: Buffer, isWhole: boolean, scheme: string): StatementHeader {
  const readings = delimiters.map((delimiter) => readUnder(delimiter, head, isWhole, scheme));
  // Under a wrong delimiter a quotation mark may look misplaced; that counts only when no other reading is better.
  const [best] = readings.toSorted((one, other) => missingUnder(one) - missingUnder(other));
  if (best === undefined) throw new Error('no delimiter was tried');
  if (best instanceof FileRejected) throw best;
  if (best.missing.length > 0) throw rejectMissing(best.missing, scheme);
  requireDistinct(best.names);
  return best;
}

// ---------------------------------------------------------------- the lines

/** Zero decimals that a spreadsheet, or pandas, has added to a number. */
const zeroDecimals = /^(\d+)[.,]0+$/;

/** A spreadsheet formula that keeps digits as text: ="0812345678". */
const textFormula = /^="([^"]*)"$/;

/** True for a character that is neither blank nor marks a text, as nearly all first and last ones are. */
function isOrdinary(code: number): boolean {
  return (code > 39 && code < 0xa0 && code !== 61) || (code >= 0x0e00 && code < 0x0f00);
}

/** A cell without surrounding blanks; most have none. */
function tidyText(cell: string): string {
  if (cell === '') return cell;
  return isOrdinary(cell.charCodeAt(0)) && isOrdinary(cell.charCodeAt(cell.length - 1)) ? cell : cell.trim();
}

/** A number or code without the wrapping by which a spreadsheet keeps it as text. */
function tidyCode(cell: string): string {
  if (cell === '') return cell;
  if (isOrdinary(cell.charCodeAt(0)) && isOrdinary(cell.charCodeAt(cell.length - 1))) return cell;
  const text = cell.trim();
  if (text.startsWith("'")) return text.slice(1);
  return textFormula.exec(text)?.[1]?.trim() ?? text;
}

function isDigits(text: string): boolean {
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

type Cells = readonly string[];

/** Reads the records of one statement, in order. */
class LineTaker {
  readonly #header: StatementHeader;
  readonly #places: StatementHeader['places'];
  readonly #readStatus: ReturnType<typeof makeStatusReader>;
  #line = 0;
  #count = 0;
  #lastNo = 0;
  /** Empty records since the last number; each may have had one. */
  #emptyLines = 0;
  /** True when the file numbers its records; undefined before the first. */
  #isNumbered: boolean | undefined;
  /** First unreadable cell of the present record, with the reason. */
  #fault = '';
  #lastDateText = '';
  #lastDate = '';
  #amountSatang = 0n;
  #feeSatang = 0n;
  #netSatang = 0n;

  constructor(header: StatementHeader, words: StatementWords) {
    this.#header = header;
    this.#places = header.places;
    this.#readStatus = makeStatusReader(words);
  }

  totals() {
    return {
      lines: this.#count,
      amountSatang: toSatang(this.#amountSatang),
      feeSatang: toSatang(this.#feeSatang),
      netSatang: toSatang(this.#netSatang),
    };
  }

  /** @throws FileRejected when the record is damaged, or records before it are missing */
  take(record: FileRecord): StatementLine {
    const { cells, line } = record;
    this.#line = line;
    if (record.isMisquoted) this.#requireTextFormulas(cells);
    if (cells.length !== this.#header.names.length) throw this.#miscounted(cells);
    this.#count += 1;
    const isEmpty = cells.every((cell) => tidyCode(cell) === '');
    this.#fault = isEmpty ? encodeMessage(message('statement-fault.line-empty')) : '';
    const no = this.#code(cells, 'NO');
    if (isEmpty) this.#emptyLines += 1;
    else this.#requireNext(no);
    const statusText = this.#code(cells, 'STATUS');
    const reasonCode = this.#code(cells, 'REASON CODE');
    const status = this.#readStatus(statusText, reasonCode);
    const isFailed = status === 'failed' || status === 'contradiction';
    const amountSatang = this.#amount(cells, 'AMOUNT', isFailed);
    const feeSatang = this.#amount(cells, 'FEE', isFailed);
    const netSatang = this.#amount(cells, 'NET AMOUNT', isFailed);
    this.#amountSatang += amountSatang;
    this.#feeSatang += feeSatang;
    this.#netSatang += netSatang;
    return {
      line,
      no,
      effectiveDate: this.#date(cells, isFailed),
      effectiveTime: this.#code(cells, 'EFFECTIVE TIME'),
      transRefNo: this.#code(cells, 'TRANSREF NO'),
      sysRefNo: this.#code(cells, 'SYS REF NO'),
      channelId: this.#text(cells, 'CHANNEL ID'),
      payerAccount: this.#number(cells, 'PAYER ACCOUNT'),
      proxyType: this.#text(cells, 'PROXY TYPE'),
      proxyNo: this.#number(cells, 'PROXY NO'),
      proxyName: this.#text(cells, 'PROXY NAME (EN)'),
      proxyNameTh: this.#text(cells, 'PROXY NAME (TH)'),
      reference1: this.#text(cells, 'REFERENCE1'),
      reference2: this.#text(cells, 'REFERENCE2'),
      amountSatang,
      feeSatang,
      netSatang,
      statusText,
      status,
      reasonCode,
      reasonDesc: this.#text(cells, 'REASON DESC'),
      partnerId: this.#text(cells, 'PARTNER ID'),
      clientId: this.#text(cells, 'CLIENT ID'),
      companyId: this.#text(cells, 'COMPANY ID'),
      chargeType: this.#text(cells, 'CHARGE TYPE'),
      fault: this.#fault,
    };
  }

  #text(cells: Cells, column: StatementColumn): string {
    const place = this.#places[column];
    return place < 0 ? '' : tidyText(cells[place] ?? '');
  }

  #code(cells: Cells, column: StatementColumn): string {
    const place = this.#places[column];
    return place < 0 ? '' : tidyCode(cells[place] ?? '');
  }

  #reject(code: string, column: StatementColumn | null, why: Message): FileRejected {
    const name = column === null ? null : (this.#header.names[this.#places[column]] ?? column);
    return new FileRejected(code, why, this.#line, name);
  }

  /** Records the first unreadable cell of the record. */
  #spoil(code: string, column: StatementColumn, what: Message): void {
    const name = this.#header.names[this.#places[column]] ?? column;
    this.#fault ||= encodeMessage(message('statement-fault.cell', { column: name, what, code }));
  }

  /** Reads a number; zero decimals have not damaged it. */
  #number(cells: Cells, column: StatementColumn): string {
    const text = this.#code(cells, column);
    if (isDigits(text)) return text;
    const damage = findSpreadsheetDamage(text);
    if (damage !== undefined) this.#spoil('number-damaged', column, damage);
    return text.replace(zeroDecimals, '$1');
  }

  /** Reads an amount. AMOUNT is what was credited (§2.7), so a bank may leave it blank for a failed transfer. */
  #amount(cells: Cells, column: 'AMOUNT' | 'FEE' | 'NET AMOUNT', isFailed: boolean): Satang {
    const text = this.#code(cells, column);
    if (text === '0.00' || (text === '' && isFailed)) return zeroSatang;
    const amount = readStatementAmount(text);
    if (amount !== undefined) return amount;
    const [code, what] = explainStatementAmount(text);
    this.#spoil(code, column, what);
    return zeroSatang;
  }

  /** Reads the day; empty for a failed transfer without one, which never took effect. */
  #date(cells: Cells, isFailed: boolean): string {
    const text = this.#code(cells, 'EFFECTIVE DATE');
    if (text === '' && isFailed) return text;
    if (text === this.#lastDateText && this.#lastDate !== '') return this.#lastDate;
    const day = readDay(text);
    if (!day.ok) {
      this.#spoil('date-unreadable', 'EFFECTIVE DATE', explainStatementDay(text, day));
      return '';
    }
    this.#lastDateText = text;
    this.#lastDate = day.date;
    return day.date;
  }

  /** Checks the numbering: consecutive numbers from 1 show that no line is lost; a file may also have none at all. */
  #requireNext(no: string): void {
    const isNumber = no !== '' && isDigits(no);
    this.#isNumbered ??= isNumber;
    if (!this.#isNumbered && !isNumber) return;
    if (isNumber && this.#isNumbered && this.#isNext(Number(no))) {
      this.#lastNo = Number(no);
      this.#emptyLines = 0;
      return;
    }
    const found = no === '' ? message('statement-file.no-number') : `"${showCell(no)}"`;
    const why = this.#isNumbered
      ? message('statement-file.number-gap', { expected: this.#lastNo + 1, found })
      : message('statement-file.number-mixed', { found });
    throw this.#reject('number-gap', 'NO', why);
  }

  #isNext(no: number): boolean {
    return no > this.#lastNo && no <= this.#lastNo + 1 + this.#emptyLines;
  }

  #requireTextFormulas(cells: Cells): void {
    if (cells.every((cell) => !cell.includes('"') || textFormula.test(cell.trim()))) return;
    throw this.#reject('quote-misplaced', null, message('statement-file.quote-misplaced'));
  }

  #miscounted(cells: Cells): FileRejected {
    const cellCount = this.#header.names.length;
    const code = cells.length < cellCount ? 'statement-file.cells-missing' : 'statement-file.cells-too-many';
    const why = message(code, { cells: counted(cells.length, 'cell'), expected: cellCount });
    return this.#reject('cell-count', null, why);
  }
}

// ---------------------------------------------------------------- amounts

/** Digits that a JavaScript number holds exactly: below 2^53 with room to spare. */
const exactDigits = 15;

const groupedPattern = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/;

/** Satang of "1234", "1234.5", "1,234.50"; undefined for any other text. */
function readStatementAmount(text: string): Satang | undefined {
  if (text.length > exactDigits) return readSlowly(text);
  // One pass over the common form: digits, a point, one or two digits.
  let hundredths = 0;
  let decimals = -1;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code >= 48 && code <= 57) {
      hundredths = hundredths * 10 + (code - 48);
      if (decimals >= 0) decimals += 1;
    } else if (code === 46 && decimals < 0 && place > 0) decimals = 0;
    else return readSlowly(text);
  }
  if (decimals === 2) return toSatang(BigInt(hundredths));
  return readSlowly(text);
}

function readSlowly(text: string): Satang | undefined {
  return parseBaht(groupedPattern.test(text) ? text.replaceAll(',', '') : text);
}

/** The fault of an unreadable amount, with a short code. */
function explainStatementAmount(text: string): readonly [code: string, what: Message] {
  if (text === '') return ['amount-missing', message('statement-fault.amount-empty')];
  const said = { text: showCell(text) };
  if (/^\s*(?:[-\u2212(]|.*-\s*$)/.test(text))
    return ['amount-negative', message('statement-fault.amount-negative', said)];
  if (/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i.test(text))
    return ['amount-exponent', message('statement-fault.amount-exponent', said)];
  return ['amount-unreadable', message('statement-fault.amount-unreadable', said)];
}

/** The fault of an unreadable day. */
function explainStatementDay(text: string, { meant }: DayFault): Message {
  const said = { text: showCell(text) };
  return meant === undefined
    ? message('statement-fault.date', { ...said, first: firstYear, last: lastYear })
    : message('statement-fault.buddhist-date', { ...said, meant });
}
