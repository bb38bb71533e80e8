/**
 * A cell as stored in a sheet's part, and as shown. A cell without a value is empty, as in spreadsheets; one with a
 * meaningless value is damaged, since programs interpret it differently; one that may not mean what it shows has a fault.
 */
import { formatValue, isDateFormat, serialToDate } from 'hucre';
import { message } from '../../core/message.ts';
import { type Book, decodeCharacters, readText } from './book.ts';
import type { CellFault, FaultCode } from './sheet.ts';
import { requireNoText, requireOnly, type XmlElement, XmlError } from './xml.ts';

/** The format is a code, empty for a value shown as it is. */
export type StoredCell =
  | { readonly kind: 'empty' | 'no-result' }
  | { readonly kind: 'text'; readonly text: string; readonly format: string }
  | { readonly kind: 'number'; readonly value: number; readonly format: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date' | 'error'; readonly text: string };

type Reader = (written: string, format: string, book: Book) => StoredCell;

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const moment = /^(?:\d{4}-\d\d-\d\d)?T?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

const readNumber: Reader = (written, format) => {
  const text = written.trim();
  if (text === '') return { kind: 'empty' };
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new XmlError('a number that is none');
  return { kind: 'number', value, format };
};

const readPointer: Reader = (written, format, { texts }) => {
  const at = written.trim();
  const text = /^\d{1,9}$/.test(at) ? texts[Number(at)] : undefined;
  if (text === undefined)
    throw new XmlError(`no text: it points to none of the ${texts.length} that the workbook has`);
  return { kind: 'text', text, format };
};

const readBoolean: Reader = (written) => {
  const text = written.trim();
  if (!/^(?:0|1|true|false)$/.test(text)) throw new XmlError('neither true nor false');
  return { kind: 'boolean', value: text === '1' || text === 'true' };
};

const readDate: Reader = (written) => {
  const text = written.trim();
  if (!moment.test(text)) throw new XmlError('a date that is none');
  return { kind: 'date', text };
};

/** Readers by type of cell; the text of `inlineStr` is not in the value. */
const readers = new Map<string, Reader>([
  ['n', readNumber],
  ['s', readPointer],
  ['str', (written, format) => ({ kind: 'text', text: decodeCharacters(written), format })],
  ['b', readBoolean],
  ['d', readDate],
  ['e', (written) => ({ kind: 'error', text: written.trim() })],
]);

function readFormat({ attributes }: XmlElement, { formats }: Book): string {
  const said = attributes['s'] ?? '';
  // Some programs leave out the index of the first format, and some write no formats.
  const at = said === '' ? '0' : said;
  const format = /^\d{1,9}$/.test(at) ? formats[Number(at)] : undefined;
  if (format === undefined && at !== '0') throw new XmlError('a format that the workbook lacks');
  return format ?? '';
}

/** The elements of a cell, each at most once. */
interface CellParts {
  f?: XmlElement;
  v?: XmlElement;
  is?: XmlElement;
  extLst?: XmlElement;
}

const partNames: readonly string[] = ['f', 'v', 'is', 'extLst'] satisfies (keyof CellParts)[];

function readParts(cell: XmlElement): CellParts {
  requireOnly(cell, partNames);
  requireNoText(cell);
  const parts: CellParts = {};
  for (const part of cell.children) {
    const name = part.name as keyof CellParts;
    if (parts[name] !== undefined) throw new XmlError(`several elements ${name}`);
    parts[name] = part;
  }
  return parts;
}

/** @throws XmlError for a damaged cell */
export function readStoredCell(cell: XmlElement, book: Book): StoredCell {
  const { f: formula, v: value, is: inline } = readParts(cell);
  const type = cell.attributes['t'] ?? 'n';
  const format = readFormat(cell, book);
  const isInline = type === 'inlineStr';
  const read = readers.get(type);
  if (!isInline && read === undefined) throw new XmlError('an unknown type');
  if (isInline ? value !== undefined : inline !== undefined) throw new XmlError('a text and another type');
  if (inline !== undefined) return { kind: 'text', text: readText(inline), format };
  if (value !== undefined) requireOnly(value);
  const stored = value === undefined ? undefined : read?.(value.text, format, book);
  if (stored !== undefined && stored.kind !== 'empty') return stored;
  return { kind: formula === undefined ? 'empty' : 'no-result' };
}

export interface ShownCell {
  readonly text: string;
  readonly fault?: Omit<CellFault, 'place'>;
}

/** Least integer with more digits than a spreadsheet stores for a number: its last digits have become zeros. */
const unsafeFrom = 1e15;
const digitsKept = 15;

/** Fewest decimals that cannot hide satang. */
const decimalsMin = 2;

const spoilt = (text: string, code: Exclude<FaultCode, 'cell-merged'>): ShownCell => ({
  text,
  fault: { code, message: message(`issue.${code}`) },
});

/** A date as 2026-11-20, with the time if there is one: a spreadsheet's form depends on where it is opened. */
const showMoment = (text: string): ShownCell =>
  spoilt(text.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace('T', ' '), 'cell-date');

function showDate(days: number, isFrom1904: boolean): ShownCell {
  const date = serialToDate(days, isFrom1904);
  if (Number.isNaN(date.getTime())) return spoilt('', 'cell-error');
  return showMoment(date.toISOString().replace(/\.\d+Z$/, ''));
}

const plainNumber = /^-?\d+(?:\.\d+)?$/;
const groupedNumber = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
/** Digits in the forms of telephone and card numbers. */
const partedDigits = /^[\d\s()+./-]+$/;

/** The number alone, with all digits that a spreadsheet stores. */
const showWhole = (value: number): string => String(Number(value.toPrecision(digitsKept)));

const countDecimals = (text: string): number => text.split('.')[1]?.length ?? 0;

/** Rounds decimal digits as a spreadsheet shows them: half a unit rounds away from zero. */
function roundDecimals(text: string, decimals: number): string {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const kept = BigInt(whole + fraction.slice(0, decimals)) + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n);
  const digits = String(kept).padStart(decimals + 1, '0');
  return `${text.startsWith('-') ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** True when a number's text shows its value, except decimals below the satang. */
function saysNumber(text: string, value: number): boolean {
  const held = showWhole(value);
  if (!plainNumber.test(held)) return false;
  const decimals = countDecimals(text);
  if (countDecimals(held) <= decimals) return Number(text) === Number(held);
  return decimals >= decimalsMin && Number(text) === Number(roundDecimals(held, decimals));
}

/** The formatted number; undefined when the library cannot apply the format, and what it shows is uncertain. */
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
    : // A currency, a percentage, an exponent: the reader of the cell decides on its meaning.
      !partedDigits.test(text) || text.replaceAll(/\D/g, '').endsWith(showWhole(value));
  return isSaid ? { text } : spoilt(text, 'cell-rounded');
}

/** Most sections of a format: positive, negative, zero, text. */
const sectionsMax = 4;

/**
 * True when a format shows a text unchanged, which only its last section can prevent. Colours and blanks do not matter.
 */
function showsText(format: string): boolean {
  if (!/[;@]/.test(format)) return true;
  const sections = format.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const last = sections.at(-1)?.replaceAll(/\[[^\]]*\]|[_*\\]?\s|[_*]./g, '') ?? '';
  return last === '@' || (sections.length < sectionsMax && !last.includes('@')) || /^general$/i.test(last);
}

const showText = (text: string, format: string): ShownCell =>
  text.trim() === '' || showsText(format) ? { text } : spoilt(text, 'cell-format');

/**
 * A cell as shown: numbers by their format, dates as ISO 8601, texts unchanged. Errors and misleading cells get a
 * fault.
 */
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
