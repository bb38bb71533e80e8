/** What a payout file may look like. */
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { columns, file, noLimits, readPath, row, useFolder } from '../../support/payout-file-kit.ts';

const folder = useFolder();

const lines = (rows: readonly { line: number }[]): number[] => rows.map(({ line }) => line);

describe('a file that can be read', () => {
  test('gives its rows with their numbers, lines, cells and instructions, and its totals', async () => {
    const { rows, totals, rejection } = await folder.read(
      file(row('A', '1.10'), row('B', '2'), row('C', '0.90')),
    );
    expect(rejection).toBeUndefined();
    expect(rows.map(({ rowNo, line }) => [rowNo, line])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(rows[1]).toMatchObject({
      cells: { payoutId: 'B', proxyNo: '0812345678', amount: '2' },
      instruction: { payoutId: 'B', proxyType: 'MSISDN', amountSatang: 200n, reference1: null },
      amountSatang: 200n,
      holds: [],
      issues: [],
      extras: [],
    });
    expect(totals).toEqual({ rows: 3, totalSatang: 400n, unreadableAmounts: 0, conflictingRowNos: [] });
  });

  test.each([
    ['LF', file(row('A'), row('B'))],
    ['CRLF', file(row('A'), row('B')).replaceAll('\n', '\r\n')],
    ['CR', file(row('A'), row('B')).replaceAll('\n', '\r')],
    ['one line end of each kind', `${columns}\r\n${row('A')}\r${row('B')}\n`],
    ['a UTF-8 mark', `\ufeff${file(row('A'), row('B'))}`],
    ['semicolons', file(row('A'), row('B')).replaceAll(',', ';')],
    ['tabs', file(row('A'), row('B')).replaceAll(',', '\t')],
    ['UTF-16, little end first', Buffer.from(`\ufeff${file(row('A'), row('B'))}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${file(row('A'), row('B'))}`, 'utf16le').swap16()],
    ['everything in quotation marks', file(row('A'), row('B')).replaceAll(/[^,\n]+/g, '"$&"')],
    ['spaces around its headers', file(row('A'), row('B')).replaceAll(/(?<=proxyNo|amount)(?=,)/g, ' ')],
    ['a header in other letters', file(row('A'), row('B')).replace(columns, ` ${columns.toUpperCase()} `)],
  ])('with %s', async (_, content) => {
    const { rows, totals } = await folder.read(content);
    expect(rows.map(({ instruction }) => instruction?.payoutId)).toEqual(['A', 'B']);
    expect(lines(rows)).toEqual([2, 3]);
    expect(totals).toMatchObject({ rows: 2, totalSatang: 20_000n });
  });

  test('ignores blank lines but counts them', async () => {
    const { rows, totals } = await folder.read(
      `\n  \n${columns}\n\n\r\n${row('A')}\n \t \n${row('B')}\n\n\n`,
    );
    expect(lines(rows)).toEqual([6, 8]);
    expect(totals?.rows).toBe(2);
  });

  test('takes its columns in any order and carries the others through', async () => {
    const content = 'note,amount,payoutId,,proxyNo\n"a, ""b""\nc",12.50,A,,0812345678\nd,1,B,x,0812345678\n';
    const { rows, extraColumns } = await folder.read(content);
    expect(extraColumns).toEqual(['note', '']);
    expect(rows.map(({ extras }) => extras)).toEqual([
      ['a, "b"\nc', ''],
      ['d', 'x'],
    ]);
    expect(lines(rows)).toEqual([2, 4]);
    expect(rows[0]?.instruction).toMatchObject({ payoutId: 'A', payeeName: null, amountSatang: 1250n });
  });

  test('has its own headers mapped, and a mapped header is taken by no other column', async () => {
    const content = 'reference1,เบอร์,จำนวนเงิน\nA,0812345678,5\n';
    const mapped = { payoutId: 'reference1', proxyNo: 'เบอร์', amount: ' จำนวนเงิน ' };
    const { rows } = await folder.read(content, { columns: mapped });
    expect(rows[0]?.instruction).toMatchObject({ payoutId: 'A', amountSatang: 500n, reference1: null });
  });

  test('tells windows-874 from UTF-8 by its bytes', async () => {
    const content = file(row('A', '1', 'กขค'));
    const { rows } = await folder.read(Buffer.from(content.replace('กขค', '\u00a1\u00a2\u00a4'), 'latin1'));
    expect(rows[0]?.instruction?.payeeName).toBe('กขค');
    expect((await folder.read(content)).rows[0]?.instruction?.payeeName).toBe('กขค');
  });

  test('may lack the last line end if a setting says so, or if control totals prove it whole', async () => {
    const content = file(row('A'));
    const cut = content.slice(0, -1);
    expect((await folder.read(cut, { finalLineEnd: 'optional' })).totals?.rows).toBe(1);
    expect((await folder.read(`${content}TRAILER,1,100.00`, { control: 'trailer' })).totals?.rows).toBe(1);
    const path = await folder.write(cut, 'cut.csv');
    await folder.write('{"rows": 1, "total": "100.00"}', 'cut.csv.control.json');
    expect((await readPath(path, { control: 'sidecar' })).totals?.rows).toBe(1);
  });

  test('holds what is above the limit of a payout', async () => {
    const limits = { ...noLimits, payoutSatangMax: toSatang(10_000n) };
    const { rows } = await folder.read(file(row('A', '100.00'), row('B', '100.01')), { limits });
    expect(rows.map(({ holds }) => holds)).toEqual([[], ['limit']]);
  });

  test('is read in small stretches, however its records fall into them', async () => {
    const all = Array.from({ length: 3_000 }, (_, place) => `"P-${place}\u00e9",,0812345678,,1.00,"a\r\nb",`);
    const { rows } = await folder.read(file(...all));
    expect(rows).toHaveLength(3_000);
    expect(rows.every(({ line }, place) => line === 2 + 2 * place)).toBe(true);
  });
});
