/**
 * A cell as stored in a sheet's part. A cell without a value is empty, as in spreadsheets; one with a meaningless value
 * is damaged, since programs interpret it differently.
 */
import { type Book, decodeCharacters, readText } from './book.ts';
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
