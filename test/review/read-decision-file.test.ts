import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDecisionFile } from '../../src/review/read-decision-file.ts';
import { makeTextXlsx, makeXlsx, textRow } from '../support/workbook-kit.ts';
import { inWords } from '../support/in-words.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-decisions-'));
});
afterAll(() => rm(folder, { recursive: true }));

const head = ['payoutId', 'batchId', 'rowNo', 'version', 'decision', 'newProxyNo', 'newAmount', 'note', 'ชื่อ'];
const rows = [
  ["'000123", "'4K7Q2M9XWD", '2', '3', 'retry', '', '', 'first\nsecond', 'สมชาย'],
  ['', '', '', '', '', '', '', '', ''],
  ['PAY-3', '4K7Q2M9XWD', '3', '1', 'ยกเลิกรายการ', '', '', 'บัญชีปิด', 'มาลี'],
];
const expected = {
  kind: 'decisions',
  undecided: 0,
  decisions: [
    {
      line: 2,
      payoutId: '000123',
      batchId: '4K7Q2M9XWD',
      rowNo: 2,
      decision: 'retry',
      note: 'first\nsecond',
    },
    { payoutId: 'PAY-3', decision: 'cancel', note: 'บัญชีปิด' },
  ],
};

const csv = (delimiter: string, lineEnd: string): string =>
  [head, ...rows]
    .map((cells) => cells.map((cell) => (/[\n"]/.test(cell) ? `"${cell}"` : cell)).join(delimiter))
    .join(lineEnd) + lineEnd;

async function read(name: string, content: string | Uint8Array) {
  const path = join(folder, name);
  await writeFile(path, content);
  return await readDecisionFile(path);
}

test.each<[string, () => string | Uint8Array | Promise<Uint8Array>]>([
  ['as CSV UTF-8 of Excel: mark, CRLF', () => `\ufeff${csv(',', '\r\n')}`],
  ['with semicolons', () => csv(';', '\r\n')],
  [
    'with the line that names them',
    () => `sep=;\r\n${csv(';', '\r\n')}`.replace('first\nsecond', 'first second'),
  ],
  [
    'as "Unicode text" of Excel: UTF-16, tabs',
    () => iconv.encode(csv('\t', '\r\n'), 'utf-16le', { addBOM: true }),
  ],
  ['in windows-874', () => iconv.encode(csv(',', '\n'), 'windows-874')],
  ['as a workbook', () => makeTextXlsx([head, ...rows], 'Exceptions')],
])('a file comes back %s', async (what, make) => {
  const reading = await read('d.bin', await make());
  const [first, second] = expected.decisions;
  const isOneLine = what.startsWith('with the line');
  const decisions = isOneLine ? [{ ...first, line: 3, note: 'first second' }, second] : expected.decisions;
  expect(reading).toMatchObject({ ...expected, decisions });
});

test('a workbook whose decisions are hidden, or whose cells point to no text, is refused', async () => {
  const cells = ['PAY-3', '4K7Q2M9XWD', '3', '1', 'cancel', '', '', 'closed', ''];
  const make = (columns: string, cell = 'cancel') => {
    const filled = cells.with(4, cell);
    const xml = textRow(1, head) + textRow(2, filled);
    return makeXlsx({
      sheets: [{ name: 'Exceptions', rows: xml, columns }],
      sharedStrings: ['<t>retry</t>'],
    });
  };
  const hide = (column: number) => `<cols><col min="${column}" max="${column}" width="0"/></cols>`;
  expect(await read('d.xlsx', await make(hide(4)))).toMatchObject({ decisions: [{ payoutId: 'PAY-3' }] });
  expect(await read('d.xlsx', await make(hide(8)))).toMatchObject({ decisions: [{ note: 'closed' }] });
  expect(await read('d.xlsx', await make(hide(5)))).toMatchObject({
    kind: 'refused',
    issues: [{ line: 2, column: 'decision', code: 'column-hidden' }],
  });
  expect(await read('d.xlsx', await make('', '<c r="E2" t="s"/>'))).toMatchObject({
    decisions: [],
    undecided: 1,
  });
  for (const at of ['', '1', 'x'])
    expect(await read('d.xlsx', await make('', `<c r="E2" t="s"><v>${at}</v></c>`))).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'workbook-damaged', line: 2 },
    });
});

test('each line is told as an editor counts it', async () => {
  const reading = await read('d.csv', csv(',', '\n').replace('ยกเลิกรายการ', 'pay'));
  expect(reading).toMatchObject({
    kind: 'refused',
    issues: [{ line: 5, column: 'decision', code: 'decision-unknown' }],
  });
});

const cutHead = ['payoutId', 'batchId', 'rowNo', 'version', 'decision', 'newAmount', 'note', 'reference1'];
const corrected = (newAmount: string): string =>
  `${cutHead.join(',')}\nPAY-3,4K7Q2M9XWD,3,1,retry-corrected,${newAmount},as agreed,\n`;

test.each<[string, string | Uint8Array, string]>([
  ['an open quotation mark', `${head.join(',')}\n"PAY-3,4K7Q2M9XWD,3`, 'quote-misplaced'],
  ['nothing', '', 'file-empty'],
  ['a PDF', '%PDF-1.7 ...', 'not-a-csv'],
  [
    'windows-1252',
    iconv.encode(corrected('1.00').replace('as agreed', 'café'), 'windows-1252'),
    'encoding-unclear',
  ],
  ['a broken workbook', Buffer.from('PK\u0003\u0004 broken'), 'workbook-damaged'],
])('%s is rejected', async (_, content, code) => {
  expect(await read('d.csv', content)).toMatchObject({ kind: 'rejected', rejection: { code } });
});

test('a folder and a file that is not there are rejected', async () => {
  expect(await readDecisionFile(folder)).toMatchObject({ rejection: { code: 'file-directory' } });
  expect(await readDecisionFile(join(folder, 'none'))).toMatchObject({ rejection: { code: 'file-missing' } });
});

test.each([
  ['18,500.00', 'amount-cut'],
  ['18,500', 'amount-cut'],
  ['1,234,567.00', 'amount-cut'],
  ['1234,50', 'amount-cut'],
  ['"18,500.00"', 'new-amount'],
])('a correction to %s is refused in a file with commas', async (newAmount, code) => {
  const reading = await read('d.csv', corrected(newAmount));
  expect(reading).toMatchObject({ kind: 'refused', issues: [{ line: 2, column: 'newAmount', code }] });
  expect(JSON.stringify(inWords(reading))).toContain('as 1234.50');
});

test.each(['18.00', '18', '1234.50', '18500'])('a correction to %s is read there', async (newAmount) => {
  expect(await read('d.csv', corrected(newAmount))).toMatchObject({ kind: 'decisions' });
});
