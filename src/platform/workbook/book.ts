/** The workbook around a sheet: the choice of the sheet, and the texts and formats that its cells refer to. */
import { posix } from 'node:path';
import { message } from '../../core/message.ts';
import { FileRejected } from '../csv/open.ts';
import type { SheetChoice } from './sheet.ts';
import { quoteBriefly, rejectDamaged, type WorkbookParts } from './unpack.ts';
import { readElements, readFlag, requireNoText, requireOnly, type XmlElement, XmlError } from './xml.ts';

export interface Book {
  readonly sheetName: string;
  /** Part of the archive with the sheet. */
  readonly sheetPart: string;
  /** Texts, by their index in the cells. */
  readonly texts: readonly string[];
  /** Codes of formats, by their index in the cells; empty for a format that shows the value as it is. */
  readonly formats: readonly string[];
  /** True when days count from 1904 instead of 1900. */
  readonly isFrom1904: boolean;
}

// ---------------------------------------------------------------- relations between parts

interface Relation {
  readonly id: string;
  /** Last word of the type. */
  readonly type: string;
  readonly part: string;
}

/** @param part the part that has the relations; empty for the archive */
async function readRelations(parts: WorkbookParts, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations = await parts.read(name, (xml) =>
    Array.from(readElements(xml, 'Relationships'), ({ attributes }) => ({
      id: attributes['Id'] ?? '',
      type: attributes['Type']?.split('/').at(-1) ?? '',
      part: posix.resolve('/', folder, attributes['Target'] ?? '').slice(1),
    })),
  );
  if (new Set(relations.map(({ id }) => id)).size < relations.length)
    throw rejectDamaged(message('workbook.part-name-shared', { part: quoteBriefly(name) }));
  return relations;
}

/**
 * The one part of a type.
 * @throws FileRejected when there are several
 */
function findPart(relations: readonly Relation[], wanted: string): string | undefined {
  const [found, ...others] = relations.filter(({ type }) => type === wanted);
  if (others.length > 0)
    throw rejectDamaged(message('workbook.parts-of-type', { count: others.length + 1, type: wanted }));
  return found?.part;
}

// ---------------------------------------------------------------- texts

const characterNumber = /_x([\dA-Fa-f]{4})_/g;

/** Decodes characters written by number, which XML cannot hold: `_x000D_`. */
export const decodeCharacters = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(characterNumber, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

function readRun(run: XmlElement): string {
  requireOnly(run, ['t', 'rPr']);
  const [text, ...others] = run.children.filter(({ name }) => name === 't');
  if (others.length > 0) throw new XmlError(`several texts in one run of ${run.name}`);
  if (text === undefined) return '';
  requireOnly(text);
  return decodeCharacters(text.text);
}

/**
 * A text as shown: plain, or in runs of several formats; phonetic text is left out.
 * @throws XmlError
 */
export function readText(element: XmlElement): string {
  requireOnly(element, ['t', 'r', 'rPh', 'phoneticPr']);
  requireNoText(element);
  const [plain, ...others] = element.children.filter(({ name }) => name === 't');
  const runs = element.children.filter(({ name }) => name === 'r');
  if (others.length > 0 || (plain !== undefined && runs.length > 0))
    throw new XmlError(`several texts in one ${element.name}`);
  if (plain === undefined) return runs.map(readRun).join('');
  requireOnly(plain);
  return decodeCharacters(plain.text);
}

function readTexts(xml: string): readonly string[] {
  return Array.from(readElements(xml, 'sst')).flatMap((element) => {
    if (element.name === 'si') return readText(element);
    if (element.name === 'extLst') return [];
    throw new XmlError(`${element.name} among its texts`);
  });
}

// ---------------------------------------------------------------- choice of the sheet

interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly relation: string;
}

interface Contents {
  readonly sheets: readonly ListedSheet[];
  readonly isFrom1904: boolean;
}

function listSheet({ attributes }: XmlElement): ListedSheet {
  const relation = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
  const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
  return { name: attributes['name'] ?? '', isHidden, relation };
}

function readContents(xml: string): Contents {
  const elements = Array.from(readElements(xml, 'workbook'));
  const sheets = elements.filter(({ name }) => name === 'sheets').flatMap(({ children }) => children);
  const isFrom1904 = elements.some(
    (element) => element.name === 'workbookPr' && readFlag(element, 'date1904'),
  );
  return { sheets: sheets.filter(({ name }) => name === 'sheet').map(listSheet), isFrom1904 };
}

/** The sheet with the preferred name, else the first visible one; chart sheets do not count. */
function chooseSheet(
  { sheets }: Contents,
  relations: readonly Relation[],
  { preferredName }: SheetChoice,
): { readonly name: string; readonly part: string } {
  const named = sheets.filter(({ name }) => name === preferredName);
  if (named.length > 1)
    throw rejectDamaged(
      message('workbook.sheets-of-name', { count: named.length, name: preferredName ?? '' }),
    );
  for (const { name, relation } of [...named, ...sheets.filter(({ isHidden }) => !isHidden)]) {
    const found = relations.find(({ id }) => id === relation);
    if (found === undefined)
      throw rejectDamaged(message('workbook.sheet-missing', { name: quoteBriefly(name) }));
    if (found.type === 'worksheet') return { name, part: found.part };
  }
  throw new FileRejected('workbook-empty', message('workbook.no-visible-sheet'));
}

/** @throws FileRejected for a workbook that is damaged, or has no sheet to read */
export async function readBook(parts: WorkbookParts, choice: SheetChoice): Promise<Book> {
  const book = findPart(await readRelations(parts, ''), 'officeDocument');
  if (book === undefined) throw rejectDamaged(message('workbook.no-main-part'));
  const relations = await readRelations(parts, book);
  const contents = await parts.read(book, readContents);
  const sheet = chooseSheet(contents, relations, choice);
  const [texts, styles] = [findPart(relations, 'sharedStrings'), findPart(relations, 'styles')];
  return {
    sheetName: sheet.name,
    sheetPart: sheet.part,
    texts: texts === undefined ? [] : await parts.read(texts, readTexts),
    formats: styles === undefined ? [] : await parts.read(styles, readFormats),
    isFrom1904: contents.isFrom1904,
  };
}

// ---------------------------------------------------------------- formats of cells

/**
 * Formats that workbooks do not define themselves. For those that differ by country, only the decimals and whether it
 * is a date matter.
 */
const builtIn: readonly (readonly [code: string, ...ids: number[]])[] = [
  ['', 0],
  ['0', 1, 59],
  ['0.00', 2, 60],
  ['#,##0', 3, 61],
  ['#,##0.00', 4, 62],
  ['"$"#,##0_);("$"#,##0)', 5, 6, 42],
  ['"$"#,##0.00_);("$"#,##0.00)', 7, 8, 44],
  ['0%', 9, 67],
  ['0.00%', 10, 68],
  ['0.00E+00', 11],
  ['# ?/?', 12, 69],
  ['# ??/??', 13, 70],
  ['yyyy-mm-dd', 14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36],
  ['yyyy-mm-dd', 50, 51, 52, 53, 54, 55, 56, 57, 58, 71, 72, 73, 74, 77, 81],
  ['h:mm:ss', 18, 19, 20, 21, 45, 46, 47, 75, 76, 78, 79, 80],
  ['#,##0_);(#,##0)', 37, 38, 41],
  ['#,##0.00_);(#,##0.00)', 39, 40, 43],
  ['##0.0E+0', 48],
  ['@', 49],
];

function readId({ attributes, name }: XmlElement): number {
  const id = attributes['numFmtId'] ?? '0';
  if (!/^\d{1,9}$/.test(id)) throw new XmlError(`a format of ${name} that has no number`);
  return Number(id);
}

/**
 * Codes of formats, in the order of their index in cells; a format without a definition shows the value as it is.
 * @throws XmlError
 */
function readFormats(xml: string): readonly string[] {
  const codes = new Map(builtIn.flatMap(([code, ...ids]) => ids.map((id) => [id, code] as const)));
  const own = new Map<number, string>();
  const used: number[] = [];
  for (const element of readElements(xml, 'styleSheet')) {
    if (element.name === 'numFmts') {
      for (const format of element.children) {
        const [id, code] = [readId(format), format.attributes['formatCode'] ?? ''];
        if ((own.get(id) ?? code) !== code) throw new XmlError(`two formats of the number ${id}`);
        own.set(id, code);
      }
    } else if (element.name === 'cellXfs') {
      requireOnly(element, ['xf']);
      used.push(...element.children.map(readId));
    }
  }
  return used.map((id) => own.get(id) ?? codes.get(id) ?? '');
}
