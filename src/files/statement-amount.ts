/** Amounts of a statement: baht with or without decimals and thousands separators, never through a float. */
import { parseBaht, toSatang, type Satang } from '../core/money.ts';

/** Digits that a whole number of JavaScript holds exactly: below 2^53 with room to spare. */
const exactDigits = 15;

const groupedPattern = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/;

/** Satang of "1234", "1234.5", "1,234.50"; undefined for anything else. */
export function readStatementAmount(text: string): Satang | undefined {
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
export function explainStatementAmount(text: string): readonly [code: string, what: string] {
  if (text === '') return ['amount-missing', 'is empty'];
  if (/^\s*(?:[-\u2212(]|.*-\s*$)/.test(text)) return ['amount-negative', 'is negative'];
  if (/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i.test(text))
    return ['amount-exponent', 'is an exponent, as a spreadsheet writes it, which has lost digits'];
  return ['amount-unreadable', 'is no amount of baht with at most two decimals'];
}
