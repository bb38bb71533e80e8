/** Cells that a reader may take for others: what is empty is read as empty, and what is damaged is refused by its place. */
import { describe, expect, test } from 'vitest';
import { makeXlsx, readShown, textRow, type WorkbookText } from '../../support/workbook-kit.ts';

const sharedStrings = ['<t>first</t>', '<t>second</t>'];

const readRows = async (rows: string, more: Partial<WorkbookText> = {}) =>
  await readShown(await makeXlsx({ sheets: [{ name: 'Pay', rows }], sharedStrings, ...more }));

const inline = (text: string): string => `<is><t>${text}</t></is>`;
const row = (cells: string): string =>
  `${textRow(1, ['id', 'no'])}<row r="2"><c r="A2" t="s"><v>1</v></c>${cells}</row>`;

describe('a cell', () => {
  test.each([
    ['without anything', '<c r="B2"/>'],
    ['of the type of shared texts, without a value', '<c r="B2" t="s"/>'],
    ['of that type, with a style alone', '<c r="B2" s="0" t="s"></c>'],
    ['of the type of texts, without a value', '<c r="B2" t="str"/>'],
    ['of the type of texts in place, without one', '<c r="B2" t="inlineStr"/>'],
    ['of the type of texts in place, with an empty one', '<c r="B2" t="inlineStr"><is/></c>'],
    ['of the type of numbers, with an empty value', '<c r="B2" t="n"><v/></c>'],
    ['of no type, with an empty value', '<c r="B2"><v></v></c>'],
    ['of the type of truth values, without one', '<c r="B2" t="b"/>'],
    ['of the type of errors, without one', '<c r="B2" t="e"/>'],
  ])('%s is empty', async (_, cell) => {
    const found = await readRows(row(cell));
    expect(found).toMatchObject({ rows: [{}, { cells: ['second', ''], faults: [] }] });
  });

  test.each([
    ['an empty number of a text', '<c r="B2" t="s"><v/></c>', 'no text: it points to none of the 2'],
    ['a blank number of a text', '<c r="B2" t="s"><v> </v></c>', 'no text'],
    ['the number of a text beyond the last', '<c r="B2" t="s"><v>2</v></c>', 'no text'],
    ['a negative number of a text', '<c r="B2" t="s"><v>-1</v></c>', 'no text'],
    ['half a number of a text', '<c r="B2" t="s"><v>0.5</v></c>', 'no text'],
    ['a word as the number of a text', '<c r="B2" t="s"><v>first</v></c>', 'no text'],
    ['the number of a text in other digits', '<c r="B2" t="s"><v>0x1</v></c>', 'no text'],
    ['a word as a number', '<c r="B2"><v>12a</v></c>', 'a number that is none'],
    ['a number in other digits', '<c r="B2"><v>0x10</v></c>', 'a number that is none'],
    ['a number without end', '<c r="B2"><v>1e999</v></c>', 'a number that is none'],
    ['a truth value that is none', '<c r="B2" t="b"><v>2</v></c>', 'neither true nor false'],
    ['an empty truth value', '<c r="B2" t="b"><v/></c>', 'neither true nor false'],
    ['a date that is none', '<c r="B2" t="d"><v>20 Nov</v></c>', 'a date that is none'],
    ['an unknown type', '<c r="B2" t="x"><v>1</v></c>', 'an unknown type'],
    [
      'a text beside its value',
      `<c r="B2" t="inlineStr"><v>1</v>${inline('2')}</c>`,
      'a text and another type',
    ],
    ['a text of another type', `<c r="B2">${inline('2')}</c>`, 'a text and another type'],
    ['two values', '<c r="B2"><v>1</v><v>2</v></c>', 'several elements v'],
    ['two texts', `<c r="B2" t="inlineStr">${inline('1')}${inline('2')}</c>`, 'several elements is'],
    ['two texts in one', '<c r="B2" t="inlineStr"><is><t>1</t><t>2</t></is></c>', 'several texts in one is'],
    [
      'a text of two kinds',
      '<c r="B2" t="inlineStr"><is><t>1</t><r><t>2</t></r></is></c>',
      'several texts in one is',
    ],
    ['a value outside its element', '<c r="B2">12</c>', 'text between the elements of c'],
    ['an element that no cell has', '<c r="B2"><x><v>1</v></x></c>', 'x inside c'],
    ['an element inside its value', '<c r="B2"><v>1<v>2</v></v></c>', 'v inside v'],
    ['a format that there is none of', '<c r="B2" s="9"><v>1</v></c>', 'a format that the workbook lacks'],
    ['a place that another has', '<c r="B2"><v>1</v></c><c r="B2"><v>2</v></c>', 'two contents'],
    ['a place that it comes to and another has', '<c r="B2"><v>1</v></c><c r="A2"/>', 'two contents'],
  ])('with %s is refused', async (_, cell, words) => {
    const found = await readRows(row(cell));
    const place = cell.endsWith('<c r="A2"/>') ? 'A2' : 'B2';
    expect(found).toMatchObject({ code: 'workbook-damaged', line: 2 });
    expect(found).toHaveProperty(
      'message',
      expect.stringMatching(
        new RegExp(`cell ${place} of sheet "Pay" has ${words}.*give the rows as "CSV UTF-8"$`),
      ),
    );
  });

  test.each([
    ['another row', 'B3'],
    ['no row', 'B'],
    ['no column', '2'],
    ['a column beyond the last', 'XFE2'],
    ['nothing', ''],
  ])('that says that it is in %s is refused', async (_, name) => {
    const found = await readRows(row(`<c r="${name}"><v>1</v></c>`));
    expect(found).toMatchObject({
      code: 'workbook-damaged',
      message: expect.stringContaining(`row 2 of sheet "Pay" has a cell that says that it is "${name}"`),
      line: 2,
    });
  });
});

describe('places', () => {
  const read = async (rows: string) => {
    const found = await readRows(rows);
    return 'rows' in found ? found.rows.map(({ line, cells }) => [line, cells]) : found.message;
  };

  test('that are left out come after those that are not, and others may come in any order', async () => {
    const number = (value: number, name = ''): string => `<c${name && ` r="${name}"`}><v>${value}</v></c>`;
    const rows = [
      `<row>${number(1)}${number(2, 'C1')}${number(3)}</row>`,
      `<row r="5">${number(4, 'C5')}${number(5, 'A5')}${number(6)}</row>`,
      `<row>${number(7)}</row>`,
      `<row r="3">${number(8)}</row>`,
      `<row>${number(9)}</row>`,
    ];
    expect(await read(rows.join(''))).toEqual([
      [1, ['1', '', '2', '3']],
      [3, ['8']],
      [4, ['9']],
      [5, ['5', '6', '4']],
      [6, ['7']],
    ]);
  });

  test('of one row may stand in several elements, but each once', async () => {
    const cell = (name: string): string => `<row r="${name.slice(1)}"><c r="${name}"><v>1</v></c></row>`;
    expect(await read(['A1', 'B1', 'A2', 'B2'].map(cell).join(''))).toEqual([
      [1, ['1', '1']],
      [2, ['1', '1']],
    ]);
    expect(await read(['A1', 'A2', 'A1'].map(cell).join(''))).toMatch(
      'cell A1 of sheet "Pay" has two contents',
    );
    expect(await read(`${cell('A1')}<row r="1"><c><v>2</v></c></row>`)).toMatch('cell A1');
  });

  test.each(['0', '-1', '1.5', 'x', '1048577', ''])(
    'of a row that says that it is "%s" are refused',
    async (name) => {
      expect(await read(`<row r="${name}"><c><v>1</v></c></row>`)).toMatch(
        `sheet "Pay" has a row that says that it is "${name}"`,
      );
    },
  );
});

test.each<[string, string, string]>([
  [
    'the phonetic runs of a text',
    '<is><t>สมชาย</t><rPh sb="0" eb="5"><t>Somchai</t></rPh><phoneticPr/></is>',
    'สมชาย',
  ],
  [
    'the runs of a text',
    '<is><r><rPr><b/></rPr><t>08123</t></r><r><t xml:space="preserve"> 45678</t></r></is>',
    '08123 45678',
  ],
  ['numbers of characters', '<is><t>a_x000D_b_x005F_x0041_</t></is>', 'a\rb_x0041_'],
  ['references', '<is><t>&lt;&#65;&#x0e01;&amp;&quot;&apos;&gt;</t></is>', '<Aก&"\'>'],
  ['what is marked as characters', '<is><t>a<![CDATA[<b>&amp;]]></t></is>', 'a<b>&amp;'],
  ['comments', '<is><t>12<!-- 3 -->4</t></is>', '124'],
  ['blanks at the ends', '<is><t xml:space="preserve"> a </t></is>', ' a '],
])('%s are read as a person sees them', async (_, text, shown) => {
  const found = await readRows(`<row><c t="inlineStr">${text}</c></row>`);
  expect(found).toMatchObject({ rows: [{ cells: [shown], faults: [] }] });
});

describe('a workbook', () => {
  const cells = '<row><c t="s"><v>0</v></c></row>';
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const relations = (...listed: readonly string[]) => ({
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('rId1', 'worksheet', 'worksheets/sheet1.xml')}${listed.join('')}</Relationships>`,
  });
  const texts = relation('rId9', 'sharedStrings', 'sharedStrings.xml');
  const sheetPart = (inside: string) => ({ 'xl/worksheets/sheet1.xml': `<worksheet>${inside}</worksheet>` });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'whose texts are missing',
      relations(relation('rId9', 'sharedStrings', 'texts.xml')),
      'its part xl/texts.xml is missing',
    ],
    [
      'that says nothing of its texts',
      relations(),
      'cell A1 of sheet "Pay" has no text: it points to none of the 0',
    ],
    [
      'with two parts of texts',
      relations(texts, relation('rId8', 'sharedStrings', 'more.xml')),
      'it has 2 parts of the type sharedStrings',
    ],
    [
      'with one name for two parts',
      relations(texts, relation('rId1', 'worksheet', 'worksheets/other.xml')),
      'one name for several parts',
    ],
    ['without its sheet', { 'xl/_rels/workbook.xml.rels': '<Relationships/>' }, 'its sheet "Pay" is missing'],
    [
      'with something else among its texts',
      { 'xl/sharedStrings.xml': '<sst><x/><si><t>a</t></si></sst>' },
      'x among its texts',
    ],
    [
      'with something else in a text',
      { 'xl/sharedStrings.xml': '<sst><si><t>a<b/></t></si></sst>' },
      'b inside t',
    ],
    ['with a sheet that has no table', sheetPart(''), 'sheet "Pay" has 0 tables instead of one'],
    [
      'with a sheet of two tables',
      sheetPart(`<sheetData>${cells}</sheetData><sheetData/>`),
      'sheet "Pay" has 2 tables instead of one',
    ],
    [
      'with something else among its rows',
      sheetPart(`<sheetData><x>${cells}</x></sheetData>`),
      'sheet "Pay" has sheetData/x among its rows',
    ],
    [
      'with text among its rows',
      sheetPart(`<sheetData>a${cells}</sheetData>`),
      'text between the elements of sheetData',
    ],
    [
      'with a row that is cut short',
      sheetPart(`<sheetData>${cells.replace('</row>', '')}`),
      'an end of worksheet without its start',
    ],
    [
      'with a row of another namespace',
      sheetPart(`<sheetData>${cells.replace('<row', '<row xmlns="urn:x"')}</sheetData>`),
      'another meaning of xmlns',
    ],
    [
      'with a merged cell that has no place',
      sheetPart(`<sheetData>${cells}</sheetData><mergeCells><mergeCell ref="B2:A1"/></mergeCells>`),
      'a merged cell without a place',
    ],
    [
      'with two formats of one number',
      {
        'xl/styles.xml':
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0"/><numFmt numFmtId="164" formatCode="0,"/></numFmts></styleSheet>',
      },
      'two formats of the number 164',
    ],
  ])('%s is refused', async (_, parts, words) => {
    expect(await readRows(cells, { parts })).toMatchObject({
      code: 'workbook-damaged',
      message: expect.stringContaining(words),
    });
  });

  test('may count its texts wrongly, name its namespaces as it likes, and have what is no cell', async () => {
    const parts = {
      'xl/sharedStrings.xml':
        '<x:sst xmlns:x="urn:m" count="7" uniqueCount="9"><x:si><x:t>first</x:t></x:si><x:extLst/></x:sst>',
      'xl/worksheets/sheet1.xml':
        '<x:worksheet xmlns:x="urn:m" xmlns:y="urn:y"><y:sheetData/><x:sheetData><x:row><x:c t="s"><x:v>0</x:v><x:extLst><x:v>9</x:v></x:extLst></x:c></x:row></x:sheetData><x:extLst><x:row/></x:extLst></x:worksheet>',
    };
    expect(await readRows('', { parts })).toMatchObject({
      rows: [{ line: 1, cells: ['first'], faults: [] }],
    });
  });
});
