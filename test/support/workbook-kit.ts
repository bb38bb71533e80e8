/** Workbooks written by hand, part by part: what spreadsheets write, and what nobody should. */
import { deflateRawSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { sayRejection, type SaidRejection } from './payout-file-kit.ts';
import { FileRejected } from '../../src/platform/csv/open.ts';
import type { SheetHead, SheetRow } from '../../src/platform/workbook/sheet.ts';
import { showSheet } from '../../src/platform/workbook/read-thread.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

export interface SheetText {
  readonly name: string;
  /** Rows as XML: `<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c></row>`. */
  readonly rows: string;
  /** hidden, veryHidden */
  readonly state?: string;
  /** Before the rows. */
  readonly columns?: string;
  /** After them. */
  readonly tail?: string;
}

export interface WorkbookText {
  readonly sheets: readonly SheetText[];
  /** Format codes; a cell with `s="1"` has the first. */
  readonly formats?: readonly string[];
  readonly sharedStrings?: readonly string[];
  /** More parts, or others in place of those. */
  readonly parts?: Readonly<Record<string, string>>;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const cellName = (row: number, place: number): string => `${String.fromCharCode(65 + place)}${row}`;

const textCell = (row: number, place: number, text: string): string =>
  `<c r="${cellName(row, place)}" t="inlineStr"><is><t xml:space="preserve">${escape(text)}</t></is></c>`;

/** A row of texts; a cell that begins with `<` is XML as it stands. */
export function textRow(row: number, cells: readonly string[], more = ''): string {
  const inside = cells.map((cell, place) => (cell.startsWith('<') ? cell : textCell(row, place, cell)));
  return `<row r="${row}"${more}>${inside.join('')}</row>`;
}

/** A number as it stands in the file, in one of the formats. */
export const numberCell = (name: string, value: string, format = 0): string =>
  `<c r="${name}" s="${format}"><v>${value}</v></c>`;

function listParts({ sheets, formats = [], sharedStrings = [] }: WorkbookText): Record<string, string> {
  const numbers = sheets.map((_, at) => at + 1);
  const xfs = formats.map((_, at) => `<xf numFmtId="${164 + at}" applyNumberFormat="1"/>`).join('');
  const codes = formats
    .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escape(code)}"/>`)
    .join('');
  const listed = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${escape(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"${state === undefined ? '' : ` state="${state}"`}/>`,
  );
  const related = [
    ...numbers.map((at) => [`rId${at}`, 'worksheet', `worksheets/sheet${at}.xml`]),
    ['rId90', 'styles', 'styles.xml'],
    ['rId91', 'sharedStrings', 'sharedStrings.xml'],
  ].map(([id, type, target]) => `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`);
  const packages = 'http://schemas.openxmlformats.org/package/2006';
  const overrides = [
    ['workbook', 'sheet.main'],
    ['styles', 'styles'],
    ['sharedStrings', 'sharedStrings'],
    ...numbers.map((at) => [`worksheets/sheet${at}`, 'worksheet']),
  ].map(
    ([part, type]) =>
      `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`,
  );
  return {
    '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${packages}/relationships">${related.join('')}</Relationships>`,
    'xl/styles.xml': `${head}<styleSheet xmlns="${main}"><numFmts>${codes}</numFmts><cellXfs><xf numFmtId="0"/>${xfs}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${head}<sst xmlns="${main}">${sharedStrings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      sheets.map(({ rows, columns = '', tail = '' }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${head}<worksheet xmlns="${main}">${columns}<sheetData>${rows}</sheetData>${tail}</worksheet>`,
      ]),
    ),
  };
}

export async function zipParts(
  parts: Readonly<Record<string, string>>,
  password?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    ...(password === undefined ? {} : { password }),
  });
  for (const [name, text] of Object.entries(parts))
    await writer.add(name, new Uint8ArrayReader(Buffer.from(text)));
  return new Uint8Array(await writer.close());
}

export const makeXlsx = (workbook: WorkbookText): Promise<Uint8Array<ArrayBuffer>> =>
  zipParts({ ...listParts(workbook), ...workbook.parts });

/** The sheet that is read of a workbook, without the program's thread; or why the workbook is refused. */
export async function readShown(
  bytes: Uint8Array,
): Promise<{ readonly head: SheetHead; readonly rows: readonly SheetRow[] } | SaidRejection> {
  try {
    const shown = await showSheet(bytes, {});
    return { head: shown.head, rows: Array.from(shown.rows) };
  } catch (error) {
    if (error instanceof FileRejected) return sayRejection(error.rejection);
    throw error;
  }
}

/** One sheet of texts, whose first row is the head. */
export const makeTextXlsx = (
  rows: readonly (readonly string[])[],
  name = 'Sheet1',
): Promise<Uint8Array<ArrayBuffer>> =>
  makeXlsx({ sheets: [{ name, rows: rows.map((cells, at) => textRow(at + 1, cells)).join('') }] });

/**
 * An archive whose sheet says that it unpacks to so many bytes: blanks, which pack well.
 * @param declaredBytes what the archive says of it
 */
export async function makeBomb(realBytes: number, declaredBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const plain = await makeTextXlsx([['a']]);
  const name = Buffer.from('xl/worksheets/sheet9.xml');
  const packed = deflateRawSync(Buffer.alloc(realBytes, ' '), { level: 9 });
  const bytes = Buffer.from(plain);
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const directoryAt = bytes.readUInt32LE(end + 16);
  const fields = Buffer.alloc(26);
  for (const [at, value] of [
    [0, 20],
    [4, 8],
    [8, 33],
  ] as const)
    fields.writeUInt16LE(value, at);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(declaredBytes, 18);
  fields.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), fields, name, packed]);
  const offset = Buffer.alloc(14);
  offset.writeUInt32LE(directoryAt, 10);
  const listed = Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 0]), fields, offset, name]);
  const tail = Buffer.from(bytes.subarray(end));
  for (const at of [8, 10]) tail.writeUInt16LE(tail.readUInt16LE(at) + 1, at);
  tail.writeUInt32LE(end - directoryAt + listed.length, 12);
  tail.writeUInt32LE(directoryAt + local.length, 16);
  const parts = [bytes.subarray(0, directoryAt), local, bytes.subarray(directoryAt, end), listed, tail];
  return new Uint8Array(Buffer.concat(parts));
}
