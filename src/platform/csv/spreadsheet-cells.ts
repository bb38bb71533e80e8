/**
 * Cells that a spreadsheet opens without damage, and saves in a form that we can read again. A spreadsheet that opens a
 * CSV file executes what looks like a formula, and rewrites what looks like a number, a date or a truth value:
 * 0812345678 loses its zero, 13 digits become 1.10E+12, JAN-24 becomes a date. Quotes in the file do not prevent that.
 * A leading apostrophe does, in Excel and LibreOffice alike: the cell is text, any number of openings and savings leave
 * it unchanged, and one rule covers formulas and digits. (="…" would be evaluated: after one saving, the bare digits
 * are damaged at the next opening.) A cell that begins with an apostrophe of its own gets another one, so that removing
 * one is always right.
 */

const textMark = "'";

/** Most characters of a spreadsheet cell; a longer text would spill into the next cell. */
export const cellCharactersMax = 32_767;

/** Starts of a formula: = + - @, tab and CR, and the full-width forms; blanks before them do not help. */
const formulaPattern = /^[\t\r]|^\s*[=+\-@＝＋－＠]/;

/** Integers that every spreadsheet shows and saves unchanged: without a leading zero, and too short for an exponent. */
const plainIntegerPattern = /^(?:0|[1-9]\d{0,8})$/;

/** An amount as we write it, short enough to be shown whole; a lost trailing zero does not change it. */
const plainAmountPattern = /^(?:0|[1-9]\d{0,7})\.\d\d$/;

/** Truth values and error values, which a spreadsheet rewrites or treats as more than text. */
const wordPattern = /^(?:true|false|#.*)$/i;

/** Latin words that begin a date or an amount; a word in another script may be the name of a month. */
const valueStartPattern =
  /^(?![a-z])|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|thb|usd|eur|gbp|jpy)/i;

/** True for a text that a spreadsheet may read as a number, a date, a time, a fraction or a truth value. */
function looksLikeValue(text: string): boolean {
  if (wordPattern.test(text)) return true;
  return /\p{Nd}/u.test(text) && !plainIntegerPattern.test(text) && valueStartPattern.test(text);
}

/** The cell for a CSV file (before quoting) that a spreadsheet opens. */
export function escapeSpreadsheetCell(text: string): string {
  const isAtRisk = text.startsWith(textMark) || formulaPattern.test(text) || looksLikeValue(text);
  const cell = isAtRisk ? textMark + text : text;
  return cell.length <= cellCharactersMax ? cell : `${cell.slice(0, cellCharactersMax - 1)}…`;
}

/** The cell of an amount: it stays a number, so that a column can be added up; anything else is escaped. */
export function escapeAmountCell(text: string): string {
  return plainAmountPattern.test(text) ? text : escapeSpreadsheetCell(text);
}

/** Reverses `escapeSpreadsheetCell`, unless the text was too long for a cell and was cut. @forTests */
export function unescapeSpreadsheetCell(cell: string): string {
  return cell.startsWith(textMark) ? cell.slice(textMark.length) : cell;
}

// ---- Cells of a table for programs: a spreadsheet that opens it executes no formula; all other cells stay unchanged.

/** A text that gets the guard; leading apostrophes are the guard itself, or were guarded before. */
const guardablePattern = /^'*\s*[=+\-@＝＋－＠]/;

/** A signed number, an international mobile number, or dashes used as a blank. */
const signedPattern = /^\s*(?:[+-](?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?%?\s*|\+\d[\d\s-]*|[-－]+\s*)$/i;

const beginsFormula = (text: string): boolean =>
  guardablePattern.test(text) && !signedPattern.test(text.replace(/^'+/, ''));

/** The cell, with an apostrophe before a text that a spreadsheet would execute as a formula. */
export function guardFormula(text: string): string {
  const first = text.charCodeAt(0);
  if ((first >= zero && first <= nine) || isLetter(first)) return text;
  return beginsFormula(text) ? textMark + text : text;
}

/** Reverses `guardFormula`. */
export const unguardFormula = (cell: string): string =>
  cell.startsWith(textMark) && beginsFormula(cell) ? cell.slice(textMark.length) : cell;

// ---- Fast escaping for a million rows: the usual cells are recognised as harmless at a glance.

const zero = 0x30;
const nine = 0x39;
const point = 0x2e;

/** Digits of an integer that is shown and saved unchanged, and digits of an amount before its point. */
const plainDigitsMax = 9;
const amountDigitsMax = 8;

/** Latin letters that begin no text a spreadsheet reads as a value: no month, day, currency or truth value. */
const harmlessFirst = new Set(Array.from('bchiklpqrvxyzBCHIKLPQRVXYZ', (letter) => letter.charCodeAt(0)));

/** True for a Latin letter; false for NaN, the end of the text. */
const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

/**
 * True for a text that begins with a letter and cannot be a value: values begin with three letters, or are truth
 * values.
 */
function isWord(text: string, first: number): boolean {
  if (!isLetter(first)) return false;
  return harmlessFirst.has(first) || !isLetter(text.charCodeAt(1)) || !isLetter(text.charCodeAt(2));
}

/** Position of the first character, from a position on, that is not a digit. */
function skipDigits(text: string, from: number): number {
  let place = from;
  while (place < text.length) {
    const code = text.charCodeAt(place);
    if (code < zero || code > nine) return place;
    place += 1;
  }
  return place;
}

/** The same as `escapeSpreadsheetCell`, or as `escapeAmountCell` for an amount. */
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

/** Marks a file as UTF-8 for spreadsheets, which else garble Thai names. */
export const byteOrderMark = '\uFEFF';
