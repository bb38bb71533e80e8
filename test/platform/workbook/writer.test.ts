import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../src/platform/workbook/reader.ts';
import type { SheetRow } from '../../../src/platform/workbook/sheet.ts';
import { makeWorkbook } from '../../../src/platform/workbook/writer.ts';

type WorkbookSheet = Parameters<typeof makeWorkbook>[0][number];

const hostile = [
  '0812345678',
  '12345678901234567890',
  '=HYPERLINK("http://x")',
  '+1',
  "'007",
  '2026-11-20',
  'TRUE',
  '#REF!',
  '1.10E+12',
  ' blanks ',
  'ก็ "ข" <ค> & ฆ',
  'two\nlines',
  '_x0041_',
  '\u{1f600}',
];

const makeSheet = (rows: number): WorkbookSheet => ({
  name: 'Exceptions',
  frozenColumns: 2,
  columns: [
    { width: 9 },
    { width: 30, isWrapped: true },
    { width: 12, isInput: true, listedAt: 'Lists!$A$2:$A$3' },
  ],
  rows: [
    ['no\nเลขที่', 'text', 'decision'],
    ...Array.from({ length: rows }, (_, at) => [String(at), hostile[at % hostile.length] ?? '', '']),
  ],
});
const lists: WorkbookSheet = {
  name: 'Lists',
  frozenColumns: 0,
  columns: [{ width: 9 }],
  rows: [['code'], ['a'], ['b']],
};

const readBack = async (bytes: Uint8Array) =>
  (await Array.fromAsync(readSheet(new Uint8Array(bytes)))).slice(1).flat() as readonly SheetRow[];

describe('a workbook', () => {
  test('keeps every text as it is', async () => {
    const sheet = makeSheet(hostile.length);
    const rows = await readBack(await makeWorkbook([sheet, lists]));
    expect(rows.map(({ cells }) => cells)).toEqual(sheet.rows);
    expect(rows.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('is made without what no cell can hold', async () => {
    const rows = [['h'], ['a\u0000b\u001bc\ud800d\uffffe'], ['x'.repeat(40_000)]];
    const bytes = await makeWorkbook([{ ...lists, rows }]);
    const [, [odd] = [], [long] = []] = (await readBack(bytes)).map(({ cells }) => cells);
    expect([odd, long?.length]).toEqual(['a\ufffdb\ufffdc\ufffdd\ufffde', 32_767]);
  });

  test('is the same bytes whenever it is made, and whoever makes it', async () => {
    const sheets = [makeSheet(7_000), lists];
    const [inThread, { composeWorkbook }] = [
      await makeWorkbook(sheets),
      await import('../../../src/platform/workbook/compose.ts'),
    ];
    expect(Buffer.compare(inThread, await composeWorkbook(sheets))).toBe(0);
  });
});
