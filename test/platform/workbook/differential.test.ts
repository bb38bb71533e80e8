/**
 * Random workbooks, read by us and by SheetJS: each cell has the same text and each row is hidden to both, or we refuse the
 * workbook; and we refuse none that is sound. WORKBOOK_RUNS=20000 before it reads that many.
 */
import { read, utils, type CellObject, type WorkSheet } from '@e965/xlsx';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SheetRow } from '../../../src/platform/workbook/sheet.ts';
import { makeXlsx, readShown } from '../../support/workbook-kit.ts';

const numRuns = Number(process.env['WORKBOOK_RUNS'] ?? 60);

// ---------------------------------------------------------------- workbooks

/** XML, and what is wrong with it. */
interface Piece {
  readonly xml: string;
  readonly isDamaged: boolean;
}

const sound = (xml: string): Piece => ({ xml, isDamaged: false });
const damaged = (xml: string): Piece => ({ xml, isDamaged: true });

const text = fc.oneof(
  fc.constantFrom(
    '',
    'PAY-1',
    '0812345678',
    '9100000000011',
    'สมชาย ใจดี',
    '<a> & "b"',
    '  blanks  ',
    '_x0041_',
  ),
  fc.constantFrom('=1+1', '1,250.00', 'TRUE', '#N/A', 'two\nlines', "'007", '1.10E+12', '😀', '0'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
);

const escape = (raw: string): string =>
  raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const element = fc
  .tuple(text, fc.constantFrom('', ' xml:space="preserve"'))
  .map(([raw, space]) => `<t${space}>${escape(raw)}</t>`);

/** Content of a text, shared or in its cell. */
const content = fc.oneof(
  { weight: 4, arbitrary: element },
  fc
    .array(element, { minLength: 1, maxLength: 3 })
    .map((runs) => runs.map((run) => `<r><rPr><b/></rPr>${run}</r>`).join('')),
  element.map((plain) => `${plain}<rPh sb="0" eb="1"><t>reading</t></rPh><phoneticPr fontId="0"/>`),
);

const formats = [
  '0',
  '0.00',
  '#,##0.00',
  '0000000000',
  '@',
  '0%',
  '0.00E+00',
  'dd/mm/yyyy',
  '#,##0.00;[Red]-#,##0.00',
];

const number = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map(String),
  fc.integer({ min: 0, max: 10 ** 9 }).map((satang) => String(satang / 100)),
  fc.constantFrom(
    '812345678',
    '9100000000011',
    '0.30000000000000004',
    '1.23456789012345E+19',
    '1E-7',
    '46346',
    '-0',
    '1.5e3',
  ),
  fc.constantFrom('100000000000000.25', '99999999999999.995', '12345678901234567', '+5', '.5', '7.'),
);

const style = fc.integer({ min: 0, max: formats.length }).map((at) => ` s="${at}"`);

/** The inside of a cell with the attributes that go with it, of a workbook with so many shared texts. */
const contents = (texts: number): fc.Arbitrary<Piece> => {
  const pointers = fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .nat({ max: Math.max(0, texts - 1) })
        .map((at) => (texts === 0 ? damaged : sound)(String(at))),
    },
    fc.constantFrom('', ' ', '-1', '0.5', 'x', String(texts), '0x0', '999999999999').map(damaged),
  );
  return fc.oneof(
    { weight: 3, arbitrary: content.map((xml) => sound(` t="inlineStr"><is>${xml}</is>`)) },
    {
      weight: 6,
      arbitrary: pointers.map(({ xml, isDamaged }) => ({ xml: ` t="s"><v>${xml}</v>`, isDamaged })),
    },
    { weight: 2, arbitrary: text.map((raw) => sound(` t="str"><v>${escape(raw)}</v>`)) },
    { weight: 2, arbitrary: text.map((raw) => sound(` t="str"><f>A1&amp;B1</f><v>${escape(raw)}</v>`)) },
    { weight: 5, arbitrary: fc.tuple(style, number).map(([s, value]) => sound(`${s}><v>${value}</v>`)) },
    { weight: 2, arbitrary: number.map((value) => sound(` t="n"><f>SUM(A1:B1)</f><v>${value}</v>`)) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('>', ' t="s">', ' t="str">', '><v/>', ' t="n"><v></v>', '><f>A1</f>')
        .map(sound),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(' t="b"><v>1</v>', ' t="b"><v>0</v>', ' t="e"><v>#REF!</v>').map(sound),
    },
    fc
      .constantFrom(
        ' t="x"><v>1</v>',
        '><v>abc</v>',
        ' t="b"><v>9</v>',
        ' t="inlineStr"><v>1</v>',
        '><v>1</v><v>2</v>',
        ' s="99"><v>1</v>',
      )
      .map(damaged),
  );
};

const nameOf = (row: number, column: number): string => utils.encode_cell({ r: row - 1, c: column - 1 });

interface Cell {
  readonly piece: Piece;
  /** Columns left out before it. */
  readonly gap: number;
  readonly place: 'said' | 'left out' | 'of the next row' | 'said twice';
}

interface Row {
  readonly cells: readonly Cell[];
  readonly gap: number;
  readonly isNumbered: boolean;
  readonly attributes: string;
}

const gap = fc.constantFrom(0, 0, 0, 0, 1, 3);

const rowOf = (texts: number): fc.Arbitrary<Row> =>
  fc.record({
    cells: fc.array(
      fc.record({
        piece: contents(texts),
        gap,
        place: fc.oneof(
          { weight: 40, arbitrary: fc.constantFrom('said' as const, 'left out' as const) },
          fc.constantFrom('of the next row' as const, 'said twice' as const),
        ),
      }),
      { maxLength: 5 },
    ),
    gap,
    isNumbered: fc.boolean(),
    attributes: fc.constantFrom(
      '',
      '',
      '',
      ' hidden="1"',
      ' hidden="0"',
      ' spans="1:5" ht="15"',
      ' hidden="true"',
    ),
  });

function writeRow({ cells, isNumbered, attributes }: Row, row: number): Piece {
  let column = 0;
  const pieces = cells.map(({ piece, gap: skipped, place }): Piece => {
    column += 1 + (place === 'left out' ? 0 : skipped);
    const name = nameOf(place === 'of the next row' ? row + 1 : row, column);
    const xml = `<c${place === 'left out' ? '' : ` r="${name}"`}${piece.xml}</c>`;
    if (place === 'of the next row') return damaged(xml);
    return place === 'said twice' ? damaged(`${xml}<c r="${name}"><v>0</v></c>`) : { ...piece, xml };
  });
  return {
    xml: `<row${isNumbered ? ` r="${row}"` : ''}${attributes}>${pieces.map(({ xml }) => xml).join('')}</row>`,
    isDamaged: pieces.some(({ isDamaged }) => isDamaged),
  };
}

function writeRows(rows: readonly Row[]): Piece {
  let row = 0;
  const pieces = rows.map((one) => {
    row += 1 + (one.isNumbered ? one.gap : 0);
    return writeRow(one, row);
  });
  return {
    xml: pieces.map(({ xml }) => xml).join(''),
    isDamaged: pieces.some(({ isDamaged }) => isDamaged),
  };
}

const workbook = fc
  .array(content, { maxLength: 4 })
  .chain((texts) =>
    fc.record({ texts: fc.constant(texts), rows: fc.array(rowOf(texts.length), { maxLength: 5 }) }),
  )
  .map(({ texts, rows }) => ({ sharedStrings: texts, ...writeRows(rows) }));

// ---------------------------------------------------------------- the two readings

/** Their text of a cell in our form: numbers without a format by value, others as shown, without marks. */
function describeTheirs({ t, v, w, z }: CellObject): string {
  if (t === 'n' && (z === undefined || /^(?:general|@)$/i.test(String(z))))
    return String(Number(Number(v).toPrecision(15)));
  if (t === 'n') return (w ?? '').trim().replaceAll(',', '');
  if (t === 'b') return v === true ? 'TRUE' : 'FALSE';
  return t === 's' ? String(v) : '';
}

function readTheirs(bytes: Uint8Array): {
  readonly sheet: WorkSheet;
  readonly hiddenRows: readonly number[];
} {
  const { Sheets } = read(bytes, { type: 'array', cellNF: true, cellStyles: true });
  const sheet = Sheets['S'] ?? {};
  const hiddenRows = (sheet['!rows'] ?? []).flatMap((row, at) => (row?.hidden === true ? [at + 1] : []));
  return { sheet, hiddenRows };
}

/** Texts by the names of their cells; those with a fault, which reject their row, are left out. */
function listTexts(rows: readonly SheetRow[], sheet: WorkSheet): [string, string, string][] {
  const ours = new Map(
    rows.flatMap(({ line, cells, faults }) =>
      cells.map((cell, place): [string, string | undefined] => [
        nameOf(line, place + 1),
        faults.some((fault) => fault.place === place) ? undefined : cell,
      ]),
    ),
  );
  const names = new Set([...ours.keys(), ...Object.keys(sheet).filter((name) => !name.startsWith('!'))]);
  return Array.from(names).flatMap((name): [string, string, string][] => {
    const [our, their] = [ours.has(name) ? ours.get(name) : '', sheet[name] as CellObject | undefined];
    return our === undefined ? [] : [[name, our, their === undefined ? '' : describeTheirs(their)]];
  });
}

test('each cell has the text that SheetJS reads, or the workbook is refused; none is refused that is sound', async () => {
  let [refused, compared] = [0, 0];
  await fc.assert(
    fc.asyncProperty(workbook, async ({ xml, isDamaged, sharedStrings }) => {
      const bytes = await makeXlsx({ sheets: [{ name: 'S', rows: xml }], formats, sharedStrings });
      const ours = await readShown(bytes);
      const isRefused = 'code' in ours;
      expect({ isRefused, ...(isRefused ? { message: ours.message } : {}) }).toMatchObject({
        isRefused: isDamaged,
      });
      if (isRefused) {
        refused += 1;
        return;
      }
      const theirs = readTheirs(bytes);
      const texts = listTexts(ours.rows, theirs.sheet);
      expect(texts.map(([name, our]) => [name, our])).toEqual(texts.map(([name, , their]) => [name, their]));
      const seen = ours.rows.map(({ line }) => line);
      expect(ours.rows.filter(({ isHidden }) => isHidden).map(({ line }) => line)).toEqual(
        theirs.hiddenRows.filter((row) => seen.includes(row)),
      );
      compared += texts.length;
    }),
    { numRuns },
  );
  // Neither half of the law is empty.
  expect(refused).toBeGreaterThan(numRuns / 20);
  expect(compared).toBeGreaterThan(numRuns);
});
