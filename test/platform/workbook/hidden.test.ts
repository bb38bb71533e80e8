/** Rows and columns that a person does not see, in all the ways in which programs write them. */
import { expect, test } from 'vitest';
import { makeXlsx, readShown } from '../../support/workbook-kit.ts';

/** A row of three cells without places. */
const row = (attributes = ''): string => `<row ${attributes}>${'<c><v>1</v></c>'.repeat(3)}</row>`;

/** Numbers of the rows and names of the columns that are hidden. */
async function findHidden(rows: string, columns = ''): Promise<string> {
  const found = await readShown(await makeXlsx({ sheets: [{ name: 'S', rows, columns }] }));
  if ('code' in found) return found.message;
  const hiddenRows = found.rows.filter(({ isHidden }) => isHidden).map(({ line }) => line);
  return [...hiddenRows, ...found.head.hiddenColumns.map((place) => 'ABC'[place])].join(' ');
}

test.each([
  ['said so', 'hidden="1"'],
  ['said so in another word', 'hidden="true"'],
  ['without height', 'ht="0"'],
  ['without height, set by hand', 'ht="0.0" customHeight="1"'],
  ['too low to read', 'ht="0.75" customHeight="1"'],
])('a row is hidden: %s, with a number and without', async (_, attributes) => {
  expect(await findHidden(row() + row(attributes) + row())).toBe('2');
  expect(await findHidden(row('r="1"') + row(`${attributes} r="4"`) + row('r="9"'))).toBe('4');
});

test.each(['', 'hidden="0"', 'hidden="false"', 'ht="15" customHeight="1"', 'ht="6"', 'customHeight="1"'])(
  'a row is shown: %s',
  async (attributes) => {
    expect(await findHidden(row() + row(attributes))).toBe('');
  },
);

test('a row in several elements is hidden when one of them says so', async () => {
  const cell = (name: string, attributes = ''): string =>
    `<row r="${name.slice(1)}" ${attributes}><c r="${name}"><v>1</v></c></row>`;
  expect(await findHidden(cell('A2', 'hidden="1"') + cell('B2') + cell('A3'))).toBe('2');
});

test.each([
  ['said so', '<col min="2" max="2" width="9" hidden="1"/>', 'B'],
  ['said so of several', '<col min="2" max="16384" hidden="true"/>', 'B C'],
  ['said so of more than there are', '<col min="3" max="99999" hidden="1"/>', 'C'],
  ['without width', '<col min="1" max="1" width="0"/>', 'A'],
  ['too narrow to read', '<col min="1" max="1" width="0.14" customWidth="1"/>', 'A'],
  [
    'said so of one of two stretches',
    '<col min="1" max="3" width="9"/><col min="3" max="3" hidden="1"/>',
    'C',
  ],
  ['beyond the last', '<col min="4" max="9" hidden="1"/>', ''],
  ['shown', '<col min="1" max="9" width="9" hidden="0"/>', ''],
])('columns are hidden: %s', async (_, columns, hidden) => {
  expect(await findHidden(row(), `<cols>${columns}</cols>`)).toBe(hidden);
});

test('the usual size of the sheet hides what has no size of its own', async () => {
  const low = '<sheetFormatPr defaultRowHeight="0"/>';
  expect(await findHidden(row() + row('ht="15"') + row('hidden="0"'), low)).toBe('1 3');
  const narrow =
    '<sheetFormatPr defaultRowHeight="15" defaultColWidth="0"/><cols><col min="2" max="2" width="9"/></cols>';
  expect(await findHidden(row(), narrow)).toBe('A C');
});

test('a sheet that hides the rows that it leaves out shows those that it has, as Excel does', async () => {
  const leftOut = '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>';
  expect(await findHidden(row() + row() + row('hidden="1"'), leftOut)).toBe('3');
});

test('a group that is folded up is hidden, whether its rows say so or not', async () => {
  const group = (level: number): string => row(`outlineLevel="${level}"`);
  const folded = row('collapsed="1"');
  const rows = row() + group(1) + group(2) + folded + group(1) + row();
  expect(await findHidden(rows)).toBe('2 3');
  const above = '<sheetPr><outlinePr summaryBelow="0"/></sheetPr>';
  expect(await findHidden(rows, above)).toBe('5');
  expect(await findHidden(row() + group(1) + group(1) + row('collapsed="0"'))).toBe('');
  const inner = row() + group(1) + group(2) + row('outlineLevel="1" collapsed="1"') + row();
  expect(await findHidden(inner)).toBe('3');
});

test('a group of columns that is folded up is hidden', async () => {
  const columns =
    '<cols><col min="1" max="2" width="9" outlineLevel="1"/><col min="3" max="3" width="9" collapsed="1"/></cols>';
  expect(await findHidden(row(), columns)).toBe('A B');
  const left = columns.replace('<cols>', '<sheetPr><outlinePr summaryRight="0"/></sheetPr><cols>');
  expect(await findHidden(row(), left)).toBe('');
});

test.each([
  ['a row that is neither hidden nor shown', row('hidden="2"'), '', 'row 1 of sheet "S" has hidden of'],
  ['a row without a size', row('ht="x"'), '', 'row 1 of sheet "S" has no size for ht'],
  [
    'a column without a size',
    row(),
    '<cols><col min="1" max="1" width="-1"/></cols>',
    'no size for width of col',
  ],
  [
    'columns without numbers',
    row(),
    '<cols><col min="0" max="1" hidden="1"/></cols>',
    'columns without a number',
  ],
  [
    'a usual size that comes late',
    row(),
    '<cols><col min="1" max="1"/></cols><sheetFormatPr defaultColWidth="0"/>',
    'after what it holds for',
  ],
])('%s is refused', async (_, rows, columns, words) => {
  expect(await findHidden(rows, columns)).toMatch(words);
});
