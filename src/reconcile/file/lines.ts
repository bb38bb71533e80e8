/** Amounts of a statement: baht with or without decimals and thousands separators, never through a float. */
import { parseBangkokDate } from '../../core/bangkok-time.ts';
import { findSpreadsheetDamage, showCell } from '../../core/cell-text.ts';
import { parseBaht, type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import type { FileRecord } from '../../platform/csv/records.ts';
import type { LineStatus, StatementColumn, StatementLine, StatementWords } from '../rules/statement.ts';
import type { StatementHeader } from './header.ts';

/** Digits that a whole number of JavaScript holds exactly: below 2^53 with room to spare. */
const exactDigits = 15;

const groupedPattern = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/;

/** Satang of "1234", "1234.5", "1,234.50"; undefined for anything else. */
function readStatementAmount(text: string): Satang | undefined {
  if (text.length > exactDigits) return readSlowly(text);
  // One pass over what nearly every line has: digits, a point, one or two digits.
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

/** What is wrong with an amount that cannot be read, with a short name for programs. */
function explainStatementAmount(text: string): readonly [code: string, what: string] {
  if (text === '') return ['amount-missing', 'is empty'];
  if (/^\s*(?:[-\u2212(]|.*-\s*$)/.test(text)) return ['amount-negative', 'is negative'];
  if (/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i.test(text))
    return ['amount-exponent', 'is an exponent, as a spreadsheet writes it, which has lost digits'];
  return ['amount-unreadable', 'is no amount of baht with at most two decimals'];
}

// ---- Records of a statement to lines, each held against what a whole and sound file has.

/** What helps against a damaged file. */
export const fetchAgain = 'fetch the statement again; if it stays so, ask the bank for a new file';

/** A spreadsheet's way to keep digits as text: ="0812345678". */
const textFormula = /^="([^"]*)"$/;

/** True for a character that neither is blank nor marks a text: nearly every first and last one. */
function isOrdinary(code: number): boolean {
  return (code > 39 && code < 0xa0 && code !== 61) || (code >= 0x0e00 && code < 0x0f00);
}

/** A cell without blanks around it; most have none. */
function tidyText(cell: string): string {
  if (cell === '') return cell;
  return isOrdinary(cell.charCodeAt(0)) && isOrdinary(cell.charCodeAt(cell.length - 1)) ? cell : cell.trim();
}

/** A number or code as it is meant, whatever a spreadsheet has put around it to keep it as text. */
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

/** YYYYMMDD of a date written so or as YYYY-MM-DD; undefined for any other text, and for no day. */
function readDate(text: string): string | undefined {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? text.replaceAll('-', '') : text;
  return /^\d{8}$/.test(date) && parseBangkokDate(date) !== undefined ? date : undefined;
}

function indexWords({ complete, failed, inProcess }: StatementWords): Map<string, LineStatus> {
  const entries = (words: readonly string[], status: LineStatus) =>
    words.map((word) => [word.trim().toUpperCase(), status] as const);
  return new Map([
    ...entries(inProcess, 'in-process'),
    ...entries(failed, 'failed'),
    ...entries(complete, 'complete'),
  ]);
}

type Cells = readonly string[];

/** Takes the records of one statement, in order. */
export class LineTaker {
  readonly #header: StatementHeader;
  readonly #places: StatementHeader['places'];
  readonly #words: Map<string, LineStatus>;
  #line = 0;
  #count = 0;
  /** Whether the file numbers its records; undefined before the first. */
  #isNumbered: boolean | undefined;
  #lastDateText = '';
  #lastDate = '';
  #amountSatang = 0n;
  #feeSatang = 0n;
  #netSatang = 0n;

  constructor(header: StatementHeader, words: StatementWords) {
    this.#header = header;
    this.#places = header.places;
    this.#words = indexWords(words);
  }

  totals() {
    return {
      lines: this.#count,
      amountSatang: toSatang(this.#amountSatang),
      feeSatang: toSatang(this.#feeSatang),
      netSatang: toSatang(this.#netSatang),
    };
  }

  /** @throws FileRejected when the record is damaged, or others are missing before it */
  take(record: FileRecord): StatementLine {
    const { cells, line } = record;
    this.#line = line;
    if (record.isMisquoted) this.#requireTextFormulas(cells);
    if (cells.length !== this.#header.cellCount) throw this.#miscounted(cells);
    this.#count += 1;
    const no = this.#code(cells, 'NO');
    this.#requireNext(no);
    const statusText = this.#code(cells, 'STATUS');
    const status = this.#words.get(statusText) ?? this.#words.get(statusText.toUpperCase()) ?? 'other';
    const isFailed = status === 'failed';
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
      reasonCode: this.#code(cells, 'REASON CODE'),
      reasonDesc: this.#text(cells, 'REASON DESC'),
      partnerId: this.#text(cells, 'PARTNER ID'),
      clientId: this.#text(cells, 'CLIENT ID'),
      companyId: this.#text(cells, 'COMPANY ID'),
      chargeType: this.#text(cells, 'CHARGE TYPE'),
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

  #reject(code: string, column: StatementColumn | null, message: string): FileRejected {
    const name = column === null ? null : (this.#header.names[this.#places[column]] ?? column);
    return new FileRejected(code, `${message}: ${fetchAgain}`, this.#line, name);
  }

  #number(cells: Cells, column: StatementColumn): string {
    const text = this.#code(cells, column);
    const damage = isDigits(text) ? undefined : findSpreadsheetDamage(text);
    if (damage !== undefined) throw this.#reject('number-damaged', column, damage);
    return text;
  }

  /** AMOUNT is what was credited (§2.7): of a transfer that failed a bank may leave it blank. */
  #amount(cells: Cells, column: 'AMOUNT' | 'FEE' | 'NET AMOUNT', isFailed: boolean): Satang {
    const text = this.#code(cells, column);
    if (text === '0.00' || (text === '' && isFailed)) return zeroSatang;
    const amount = readStatementAmount(text);
    if (amount !== undefined) return amount;
    const [code, what] = explainStatementAmount(text);
    throw this.#reject(code, column, `the amount${text === '' ? '' : ` "${showCell(text)}"`} ${what}`);
  }

  /** Empty where a transfer that failed has none: it never took effect. */
  #date(cells: Cells, isFailed: boolean): string {
    const text = this.#code(cells, 'EFFECTIVE DATE');
    if (text === '' && isFailed) return text;
    if (text === this.#lastDateText && this.#lastDate !== '') return this.#lastDate;
    const date = readDate(text);
    if (date === undefined) {
      const message = `the date "${showCell(text)}" is no day as YYYYMMDD or YYYY-MM-DD`;
      throw this.#reject('date-unreadable', 'EFFECTIVE DATE', message);
    }
    this.#lastDateText = text;
    this.#lastDate = date;
    return date;
  }

  /** Numbers that run on from 1 show that no line is lost; a file may have none at all. */
  #requireNext(no: string): void {
    const isNumber = no !== '' && isDigits(no);
    this.#isNumbered ??= isNumber;
    if (!this.#isNumbered && !isNumber) return;
    if (isNumber && this.#isNumbered && Number(no) === this.#count) return;
    const found = no === '' ? 'none' : `"${showCell(no)}"`;
    const message = this.#isNumbered
      ? `the record's number should be ${this.#count} and is ${found}: lines are lost, doubled or out of order`
      : `the record has the number ${found} where those before it have none: lines of two files are mixed`;
    throw this.#reject('number-gap', 'NO', message);
  }

  #requireTextFormulas(cells: Cells): void {
    if (cells.every((cell) => !cell.includes('"') || textFormula.test(cell.trim()))) return;
    throw this.#reject('quote-misplaced', null, 'a quotation mark stands inside a cell');
  }

  #miscounted(cells: Cells): FileRejected {
    const { cellCount } = this.#header;
    const what =
      cells.length < cellCount ? 'the line is cut short or cells are missing' : 'a separator is one too many';
    const message = `${cells.length} cells where the header has ${cellCount}: ${what}`;
    return this.#reject('cell-count', null, message);
  }
}
