/** Why a cell is no amount. The strict parser is money.ts; this only finds the words for what it has refused. */
import { integerDigitsMax, parseBaht } from './money.ts';

export interface AmountIssue {
  readonly code: string;
  readonly message: string;
}

const cure = 'write baht in digits with at most two decimals, as 1234.50';

/** One line a kind of bad amount; the first that matches is told. */
const kinds: readonly (readonly [code: string, pattern: RegExp, message: string])[] = [
  ['amount-missing', /^\s*$/, `the amount is empty: ${cure}`],
  ['amount-formula', /^\s*[=@]/, 'a formula stands here: give its result, as 1234.50'],
  ['amount-damaged', /^\s*#/, 'a spreadsheet shows an error here instead of a value: correct the cell'],
  [
    'amount-exponent',
    /^\s*[+-]?\d+([.,]\d*)?e[+-]?\d+\s*$/i,
    `an exponent, as a spreadsheet writes it, may have lost digits: format the column as text and ${cure}`,
  ],
  ['amount-thai-digits', /[๐-๙]/, `Thai digits cannot be read as an amount: ${cure}`],
  [
    'amount-currency',
    /\p{Sc}|\bTHB\b|\bbaht\b|บาท/iu,
    `a currency stands beside the number: leave it out and ${cure}`,
  ],
  [
    'amount-negative',
    /^\s*(?:[-\u2212]\s*[\d.]|\(.*\)\s*$|.*\d-\s*$)/,
    'a negative amount cannot be paid: remove the row or correct the sign',
  ],
  ['amount-sign', /^\s*\+/, `leave the plus sign out: ${cure}`],
  [
    'amount-decimals',
    /^\s*\d+\.\d{3,}\s*$/,
    'no amount is smaller than a satang: give at most two decimals (a point is never a thousands separator)',
  ],
  [
    'amount-separator',
    /^\s*\d+(?:[.,' \u00a0\u202f]\d+)*(?:[,.]\d*)?\s*$/,
    `thousands separators and decimal commas can be misread: ${cure}`,
  ],
  ['amount-point', /^\s*\.\d+\s*$/, `a digit must stand before the point: ${cure}`],
];

const digitsPattern = /^\d+(?:\.\d{1,2})?$/;
const pointAtEndPattern = /^\d+\.$/;

/** Longer cells are not looked at closely: nothing that long was meant as an amount. */
const explainedCharactersMax = 64;

/** Explains a cell that parseBaht has refused. */
export function explainAmount(cell: string): AmountIssue {
  const other = { code: 'amount-characters', message: `this is no amount: ${cure}` };
  if (cell.length > explainedCharactersMax) return other;
  if (parseBaht(cell.trim()) !== undefined) {
    return { code: 'amount-spaces', message: 'spaces stand around the amount: remove them' };
  }
  if (digitsPattern.test(cell)) {
    const message = `more than ${integerDigitsMax} digits before the point cannot be sent: correct the amount`;
    return { code: 'amount-digits', message };
  }
  if (pointAtEndPattern.test(cell)) {
    return { code: 'amount-point', message: `a digit must stand after the point: ${cure}` };
  }
  const kind = kinds.find(([, pattern]) => pattern.test(cell));
  return kind === undefined ? other : { code: kind[0], message: kind[2] };
}
