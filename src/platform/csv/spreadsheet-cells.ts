/**
 * Cells that a spreadsheet opens without damage, and saves so that we can read them again.
 *
 * A spreadsheet that opens a CSV file runs what looks like a formula and rewrites what looks like a number, a
 * date or a truth value: 0812345678 loses its zero, 13 digits become 1.10E+12, JAN-24 becomes a date. Quotes in
 * the file do not prevent it. A leading apostrophe does, in Excel and LibreOffice alike: the cell is text,
 * opening and saving it any number of times leaves it as it is, and one rule covers formulas and digits. (="…"
 * would be evaluated: saved once, the bare digits are damaged when the file is opened a second time.)
 * A cell that begins with an apostrophe of its own gets another one, so that taking one away is always right.
 */

const textMark = "'";

/** Characters that a spreadsheet cell holds; what is longer would spill into the next cell. */
export const cellCharactersMax = 32_767;

/** = + - @, tab and CR start a formula; so do the full-width forms, and blanks before them do not help. */
const formulaPattern = /^[\t\r]|^\s*[=+\-@＝＋－＠]/;

/** Integers that every spreadsheet shows and saves as they are: no leading zero, and short of an exponent. */
const plainIntegerPattern = /^(?:0|[1-9]\d{0,8})$/;

/** An amount as we write it, short enough to be shown whole; losing a trailing zero does not change it. */
const plainAmountPattern = /^(?:0|[1-9]\d{0,7})\.\d\d$/;

/** Truth values and error values are rewritten or become more than text. */
const wordPattern = /^(?:true|false|#.*)$/i;

/** Latin words that begin a date or an amount; a word in another script may be a month's name there. */
const valueStartPattern =
  /^(?![a-z])|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|thb|usd|eur|gbp|jpy)/i;

/** True for what a spreadsheet may take for a number, a date, a time, a fraction or a truth value. */
function looksLikeValue(text: string): boolean {
  if (wordPattern.test(text)) return true;
  return /\p{Nd}/u.test(text) && !plainIntegerPattern.test(text) && valueStartPattern.test(text);
}

/** The cell as it must stand in a CSV file (before quoting) that a spreadsheet opens. */
export function escapeSpreadsheetCell(text: string): string {
  const isAtRisk = text.startsWith(textMark) || formulaPattern.test(text) || looksLikeValue(text);
  const cell = isAtRisk ? textMark + text : text;
  return cell.length <= cellCharactersMax ? cell : `${cell.slice(0, cellCharactersMax - 1)}…`;
}

/** An amount stays a number, so that a column of them can be added up; anything else is escaped. */
export function escapeAmountCell(text: string): string {
  return plainAmountPattern.test(text) ? text : escapeSpreadsheetCell(text);
}

/** The text that `escapeSpreadsheetCell` was given, unless it was too long for a cell and was cut. */
export function unescapeSpreadsheetCell(cell: string): string {
  return cell.startsWith(textMark) ? cell.slice(textMark.length) : cell;
}

// ---- Cells of a table for programs: a spreadsheet that opens it runs no formula, and all else stays as it is.

/** Apostrophes before it belong to the guard, or were guarded in their turn. */
const guardablePattern = /^'*\s*[=+\-@＝＋－＠]/;

/** A signed number, an international mobile number, or dashes that stand for nothing. */
const signedPattern = /^\s*(?:[+-](?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?%?\s*|\+\d[\d\s-]*|[-－]+\s*)$/i;

const beginsFormula = (text: string): boolean =>
  guardablePattern.test(text) && !signedPattern.test(text.replace(/^'+/, ''));

/** The cell with an apostrophe before what a spreadsheet would run as a formula. */
export function guardFormula(text: string): string {
  const first = text.charCodeAt(0);
  if ((first >= zero && first <= nine) || isLetter(first)) return text;
  return beginsFormula(text) ? textMark + text : text;
}

/** The text that `guardFormula` was given. */
export const unguardFormula = (cell: string): string =>
  cell.startsWith(textMark) && beginsFormula(cell) ? cell.slice(textMark.length) : cell;

// ---- Escaping for a spreadsheet what a million rows hold: the usual cells are known to be harmless at a glance.

const zero = 0x30;
const nine = 0x39;
const point = 0x2e;

/** Integers of so many digits are shown and saved as they are, and so many digits of an amount before its point. */
const plainDigitsMax = 9;
const amountDigitsMax = 8;

/** Latin letters with which nothing begins that a spreadsheet takes for a value: no month, day, currency or truth value. */
const harmlessFirst = new Set(Array.from('bchiklpqrvxyzBCHIKLPQRVXYZ', (letter) => letter.charCodeAt(0)));

/** True for a Latin letter; NaN, where the text has ended, is none. */
const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

/** True for what begins with a letter and cannot be a value: those begin with three letters, or are truth values. */
function isWord(text: string, first: number): boolean {
  if (!isLetter(first)) return false;
  return harmlessFirst.has(first) || !isLetter(text.charCodeAt(1)) || !isLetter(text.charCodeAt(2));
}

/** Place of the first character from a place on that is no digit. */
function skipDigits(text: string, from: number): number {
  let place = from;
  while (place < text.length) {
    const code = text.charCodeAt(place);
    if (code < zero || code > nine) return place;
    place += 1;
  }
  return place;
}

/** The same as `escapeSpreadsheetCell`, or for an amount `escapeAmountCell`. */
export function escapeQuickly(text: string, isAmount: boolean): string {
  if (text === '') return text;
  const first = text.charCodeAt(0);
  if (first >= zero && first <= nine) {
    const digits = skipDigits(text, 0);
    const isPlain = first !== zero || digits === 1;
    if (digits === text.length && digits < cellCharactersMax)
      return isPlain && digits <= plainDigitsMax ? text : `'${text}`;
    if (isAmount && isPlain && digits <= amountDigitsMax && isHundredths(text, digits)) return text;
  } else if (isWord(text, first) && text.length <= cellCharactersMax) return text;
  return isAmount ? escapeAmountCell(text) : escapeSpreadsheetCell(text);
}

const isHundredths = (text: string, at: number): boolean =>
  text.length === at + 3 && text.charCodeAt(at) === point && skipDigits(text, at + 1) === text.length;
