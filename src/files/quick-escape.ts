/** Escaping for a spreadsheet what a million rows hold: the usual cells are known to be harmless at a glance. */
import { cellCharactersMax, escapeAmountCell, escapeSpreadsheetCell } from './spreadsheet.ts';

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
