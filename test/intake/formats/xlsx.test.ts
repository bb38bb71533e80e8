import { message } from '../../../src/core/message.ts';
import { appendFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makePayoutFileReader } from '../../../src/intake/formats/payout-file.ts';
import { makeWorkbook } from '../../../src/platform/workbook/writer.ts';
import { payoutTables } from '../../../src/reports/rules/payout-tables.ts';
import { makeTableSheet } from '../../../src/reports/rules/workbook.ts';
import { payoutLines } from '../../../src/reports/rules/report-rows.ts';
import { defaults, gather, useFolder, type WholeReading } from '../../support/payout-file-kit.ts';
import { makeRow } from '../../support/report-fixtures.ts';
import { makeTextXlsx, makeXlsx, type SheetText, textRow } from '../../support/workbook-kit.ts';

const folder = useFolder();

const head = ['payoutId', 'proxyNo', 'payeeName', 'amount', 'reference1', 'branch'];
const rows = [
  ['000123', '0812345678', 'สมชาย ใจดี', '1250.50', 'INV-1', 'BKK'],
  ['PAY-2', '9100000000011', 'Malee', '5', '', ''],
  ['PAY-3', '812345678', '=cmd', '1.10E+12', '', 'CNX'],
  ['PAY-2', '0812345678', 'Malee', '5', '', ''],
];

const sheet = (xml: string, more: Partial<SheetText> = {}, formats: readonly string[] = []) =>
  makeXlsx({ sheets: [{ name: 'S', rows: textRow(1, head) + xml, ...more }], formats });

const cell = (name: string, value: string, format = 0) => `<c r="${name}" s="${format}"><v>${value}</v></c>`;

/** What was found of each row: its amount and the issues by column and code. */
const issuesOf = ({ rows: found }: WholeReading) =>
  found.map(({ line, amountSatang, issues }) => [
    line,
    amountSatang,
    issues.map(({ column, code }) => `${column ?? '-'} ${code}`),
  ]);

describe('a workbook', () => {
  test('is read as the same table would be as CSV', async () => {
    const csv = [head, ...rows].map((cells) => `${cells.join(',')}\n`).join('');
    const [asSheet, asCsv] = [await folder.read(await makeTextXlsx([head, ...rows])), await folder.read(csv)];
    expect(asSheet.rejection).toBeUndefined();
    expect(asSheet).toEqual(asCsv);
  });

  test('has numbers as they are shown, and rejects rows with cells that may mislead', async () => {
    const formats = ['#,##0.00', '0000000000', '0', 'dd/mm/yyyy'];
    const xml = [
      textRow(2, ['A', cell('B2', '812345678', 2), 'Malee', cell('D2', '1250.5', 1)]),
      textRow(3, ['B', cell('B3', '9100000000011'), 'Malee', cell('D3', '1250.49', 3)]),
      textRow(4, [cell('A4', '46346', 4), '0812345678', 'Malee', '<c r="D4" t="e"><v>#REF!</v></c>']),
      textRow(5, ['C', cell('B5', '1.23456789012345E+19'), 'Malee', '<c r="D5"><f>1+1</f></c>']),
      textRow(6, ['D', '0812345678', 'Malee', '5', '', cell('F6', '46346', 4)]),
      textRow(7, ['E', '0812345678', 'Malee', '5', '', '<c r="F7" t="e"><v>#N/A</v></c>']),
      textRow(8, ['F', '0812345678', 'Malee', '5'], ' hidden="1"'),
      textRow(9, ['G', '0812345678', 'Malee', '5', '', '', 'beyond']),
    ].join('');
    const found = await folder.read(await sheet(xml, {}, formats));
    expect(issuesOf(found)).toEqual([
      [2, 125_050n, []],
      [3, null, ['amount cell-rounded']],
      [4, null, ['payoutId cell-date', 'amount cell-error']],
      [5, null, ['proxyNo cell-digits', 'amount cell-formula']],
      [6, 500n, []],
      [7, 500n, ['branch cell-error']],
      [8, 500n, ['- row-hidden']],
      [9, null, ['- cell-count']],
    ]);
    expect([found.rows[0]?.instruction?.proxyNo, found.rows[4]?.extras]).toEqual([
      '0812345678',
      ['2026-11-20'],
    ]);
    expect(found.totals).toMatchObject({ rows: 8, totalSatang: 126_550n, unreadableAmounts: 4 });
    expect(found.rows[3]?.issues[0]).toMatchObject({
      value: '****************0000',
      message: message('issue.cell-digits'),
    });
  });

  test('comes in pages, keeps its limits and its control totals', async () => {
    const many = Array.from({ length: 1_200 }, (_, at) => [`P-${at}`, '0812345678', 'Malee', '1']);
    const bytes = await makeTextXlsx([head, ...many, ['TRAILER', '1200', '1200.00']]);
    const reader = makePayoutFileReader({ ...defaults, control: 'trailer' });
    const inspected = await reader.inspect(await folder.write(bytes, 'many.xlsx'));
    if (inspected.kind !== 'inspected') throw new Error('not inspected');
    const parts = await Array.fromAsync(reader.read(inspected.inspection));
    expect(parts.map((part) => (part.kind === 'rows' ? part.rows.length : part.kind))).toEqual([
      'header',
      499,
      500,
      201,
      'summary',
    ]);
    const limits = { ...defaults.limits, rowsMax: 1_000 };
    expect((await folder.read(bytes, { limits })).rejection).toMatchObject({
      code: 'rows-over-limit',
      line: 1_002,
    });
    expect(
      (await folder.read(bytes, { limits: { ...defaults.limits, bytesMax: 100 } })).rejection?.code,
    ).toBe('bytes-over-limit');
    expect((await folder.read(bytes)).rejection).toMatchObject({ code: 'trailer-unread', line: 1_202 });
  });

  test('is rejected as a whole when its head cannot be used, or a column of ours is hidden', async () => {
    const record = payoutLines.renderException('4K7Q2M9XWD', makeRow({ status: 'failed' }));
    const exceptions = makeTableSheet(
      payoutTables.book,
      'Exceptions',
      payoutLines.renderExceptionHeader([]),
      payoutLines.exceptionColumns.length,
      [record],
    );
    const hidden = { columns: '<cols><col min="4" max="4" width="9" hidden="1"/></cols>' };
    const unused = { columns: '<cols><col min="6" max="9" width="9" hidden="1"/></cols>' };
    const row = textRow(2, rows[0] ?? []);
    const codes = await Promise.all([
      folder.read(await makeTextXlsx([['Payroll November'], head, ...rows])),
      folder.read(await makeTextXlsx([])),
      folder.read(await makeTextXlsx([head])),
      folder.read(await sheet(row, hidden)),
      folder.read(await makeWorkbook([exceptions])),
      folder.read(await sheet(row, unused)),
    ]);
    expect(codes[0]?.rejection?.message).toContain('stands in line 2, remove the line above it');
    expect(codes.map(({ rejection }) => rejection && [rejection.code, rejection.line])).toEqual([
      ['header-missing', 1],
      ['file-empty', null],
      ['rows-missing', 2],
      ['column-hidden', 1],
      ['exceptions-file', 1],
      undefined,
    ]);
  });

  test('is rejected as a whole when its head is hidden, covered, or shown as another', async () => {
    const row = textRow(2, rows[0] ?? []);
    const read = async (headXml: string, more: Partial<SheetText> = {}, formats: readonly string[] = []) => {
      const bytes = await makeXlsx({ sheets: [{ name: 'S', rows: headXml + row, ...more }], formats });
      const { rejection } = await folder.read(bytes);
      return rejection && [rejection.code, rejection.line, rejection.column];
    };
    const merge = (area: string) => ({ tail: `<mergeCells><mergeCell ref="${area}"/></mergeCells>` });
    expect(await read(textRow(1, head, ' hidden="1"'))).toEqual(['row-hidden', 1, null]);
    expect(await read(textRow(1, head, ' ht="0"'))).toEqual(['row-hidden', 1, null]);
    expect(await read(textRow(1, head), merge('C1:D1'))).toEqual(['cell-merged', 1, 'amount']);
    expect(await read(textRow(1, head), merge('F1:G1'))).toBeUndefined();
    const shown = textRow(1, head.with(3, '<c r="D1" s="1" t="str"><v>amount</v></c>'));
    expect(await read(shown, {}, ['0;0;0;"fee"'])).toEqual(['cell-format', 1, 'amount']);
    expect(await read(shown, {}, ['@'])).toBeUndefined();
  });

  test('that has changed since it was inspected is rejected', async () => {
    const reader = makePayoutFileReader(defaults);
    const path = await folder.write(await makeTextXlsx([head, ...rows]), 'changed.xlsx');
    const inspected = await reader.inspect(path);
    if (inspected.kind !== 'inspected') throw new Error('not inspected');
    await appendFile(path, 'x');
    expect((await gather(reader.read(inspected.inspection))).rejection?.code).toBe('file-changed');
    await writeFile(path, 'payoutId,proxyNo,amount\n');
    expect((await gather(reader.read(inspected.inspection))).rejection?.code).toBe('file-changed');
  });
});
