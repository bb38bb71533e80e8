/** The formats of a workbook's cells. */
import { readElements, requireOnly, type XmlElement, XmlError } from './xml.ts';

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
export function readFormats(xml: string): readonly string[] {
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
