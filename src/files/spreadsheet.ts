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
