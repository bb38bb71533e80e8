/** A cell as a sheet shows it, and what may not be taken for what it looks like. */
import { formatValue, isDateFormat, serialToDate } from 'hucre';
import type { CellFault, FaultCode } from './sheet.ts';
import type { StoredCell } from './stored-cell.ts';

export interface ShownCell {
  readonly text: string;
  readonly fault?: Omit<CellFault, 'place'>;
}

/** Integers from here on have more digits than a spreadsheet keeps of a number: it has put zeros for the last ones. */
const unsafeFrom = 1e15;
const digitsKept = 15;

/** What shows fewer decimals may hide satang. */
const decimalsMin = 2;

const messages: Readonly<Record<Exclude<FaultCode, 'cell-merged'>, string>> = {
  'cell-error': 'the sheet shows an error here instead of a value: correct the cell',
  'cell-formula':
    'the formula here has no result: open the workbook in a spreadsheet, save it, and give it again',
  'cell-digits':
    'a number of more than 15 digits, of which a spreadsheet loses the last ones: format the cell as text and write it again',
  'cell-rounded':
    'the cell holds another number than it shows: round it to what is meant, or format the cell as text',
  'cell-date': 'a spreadsheet has made a date of this cell: format it as text and write it again',
  'cell-format':
    'the format shows another text here than the cell holds: clear it, and look at what is there',
};

const spoilt = (text: string, code: keyof typeof messages): ShownCell => ({
  text,
  fault: { code, message: messages[code] },
});

/** 2026-11-20, with the time where there is one: what a spreadsheet shows of a date depends on where it is opened. */
const showMoment = (text: string): ShownCell =>
  spoilt(text.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace('T', ' '), 'cell-date');

function showDate(days: number, isFrom1904: boolean): ShownCell {
  const date = serialToDate(days, isFrom1904);
  if (Number.isNaN(date.getTime())) return spoilt('', 'cell-error');
  return showMoment(date.toISOString().replace(/\.\d+Z$/, ''));
}

const plainNumber = /^-?\d+(?:\.\d+)?$/;
const groupedNumber = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
/** As people write the numbers of telephones and cards. */
const partedDigits = /^[\d\s()+./-]+$/;

/** Nothing but the number: all the digits that a spreadsheet keeps. */
const showWhole = (value: number): string => String(Number(value.toPrecision(digitsKept)));

const countDecimals = (text: string): number => text.split('.')[1]?.length ?? 0;

/** Rounds decimal digits as a spreadsheet shows them: half a unit goes away from zero. */
function roundDecimals(text: string, decimals: number): string {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const kept = BigInt(whole + fraction.slice(0, decimals)) + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n);
  const digits = String(kept).padStart(decimals + 1, '0');
  return `${text.startsWith('-') ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** True when a number's text says what the number is, but for decimals below the satang. */
function saysNumber(text: string, value: number): boolean {
  const held = showWhole(value);
  if (!plainNumber.test(held)) return false;
  const decimals = countDecimals(text);
  if (countDecimals(held) <= decimals) return Number(text) === Number(held);
  return decimals >= decimalsMin && Number(text) === Number(roundDecimals(held, decimals));
}

/** As it is formatted; a format that the library cannot apply shows nothing that can be relied on. */
function formatNumber(value: number, format: string): string | undefined {
  try {
    return formatValue(value, format).trim();
  } catch {
    return undefined;
  }
}

function showNumber(value: number, format: string): ShownCell {
  if (Math.abs(value) >= unsafeFrom) return spoilt(showWhole(value), 'cell-digits');
  if (/^(?:|@|general)$/i.test(format.trim())) return { text: showWhole(value) };
  const shown = formatNumber(value, format);
  if (shown === undefined) return spoilt(showWhole(value), 'cell-rounded');
  const text = groupedNumber.test(shown) ? shown.replaceAll(',', '') : shown;
  const isSaid = plainNumber.test(text)
    ? saysNumber(text, value)
    : // A currency, a percentage, an exponent: whoever reads the cell decides what to make of it.
      !partedDigits.test(text) || text.replaceAll(/\D/g, '').endsWith(showWhole(value));
  return isSaid ? { text } : spoilt(text, 'cell-rounded');
}

/** Sections of a format: positive, negative, zero, text. */
const sectionsMax = 4;

/** True when a format shows a text as it is: unless its last section says otherwise. Colours and blanks do not matter. */
function showsText(format: string): boolean {
  if (!/[;@]/.test(format)) return true;
  const sections = format.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const last = sections.at(-1)?.replaceAll(/\[[^\]]*\]|[_*\\]?\s|[_*]./g, '') ?? '';
  return last === '@' || (sections.length < sectionsMax && !last.includes('@')) || /^general$/i.test(last);
}

const showText = (text: string, format: string): ShownCell =>
  text.trim() === '' || showsText(format) ? { text } : spoilt(text, 'cell-format');

/** Numbers as their format shows them, dates as ISO 8601, texts as they are; errors and what may mislead with a fault. */
export function showCell(cell: StoredCell, isFrom1904: boolean): ShownCell {
  switch (cell.kind) {
    case 'empty':
      return { text: '' };
    case 'text':
      return showText(cell.text, cell.format);
    case 'number':
      return isDateFormat(cell.format)
        ? showDate(cell.value, isFrom1904)
        : showNumber(cell.value, cell.format);
    case 'boolean':
      return { text: cell.value ? 'TRUE' : 'FALSE' };
    case 'date':
      return showMoment(cell.text);
    case 'error':
      return spoilt(cell.text, 'cell-error');
    case 'no-result':
      return spoilt('', 'cell-formula');
  }
}
