/** Amounts that a comma has cut: an unquoted 18,500.00 is two cells, 18 and 500.00. */
import { inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { PayoutFileOptions } from '../../../src/intake/formats/payout-file.ts';
import { readPath, useFolder, type WholeReading } from '../../support/payout-file-kit.ts';

const folder = useFolder();

type Options = Partial<PayoutFileOptions>;

/** Rows below a header that ends with these columns. */
function file(columns: string, ...ends: readonly string[]): string {
  const rows = ends.map((end, place) => `C-${place + 1},081000000${place + 1},${end}`);
  return [`payoutId,proxyNo,${columns}`, ...rows].map((line) => `${line}\n`).join('');
}

/** Each row by what is paid for it, or its codes; the code and line of a file that is refused. */
const outline = ({ rows, rejection }: WholeReading): readonly string[] =>
  rejection === undefined
    ? rows.map(({ instruction, issues }) =>
        instruction === null ? issues.map(({ code }) => code).join(' ') : String(instruction.amountSatang),
      )
    : [`${rejection.code} ${rejection.line}`];

describe('an unquoted amount that the next cell goes on', () => {
  test.each<[string, string, string[], string[]]>([
    ['with decimals', 'amount,reference1', ['18,500.00', '20,A'], ['amount-cut', '2000']],
    ['with one decimal', 'amount,reference1', ['18,500.5'], ['amount-cut']],
    ['with a point alone', 'amount,reference1', ['18,500.'], ['amount-cut']],
    ['with spaces', 'amount,reference1', ['18, 500.00 '], ['amount-cut']],
    ['with a minus', 'amount,reference1', ['18,500.00-', '18,500.-'], ['amount-cut', 'amount-cut']],
    ['with a currency', 'amount,note', ['18,500 บาท', '1,250.00 THB'], ['amount-cut', 'amount-cut']],
    ['with three groups', 'amount,a,b', ['1,234,567.00'], ['amount-cut']],
    ['with four groups', 'amount,a,b,c', ['1,234,567,890.50'], ['amount-cut']],
    ['in a column of the partner’s own', 'amount,branch', ['18,500.00'], ['amount-cut']],
    ['in a column without a heading', 'amount,,x', ['18,500.00,'], ['amount-cut']],
    [
      'although others are written without separators',
      'amount,a',
      ['18,500.00', '2500.00,'],
      ['amount-cut', '250000'],
    ],
    ['beside another issue', 'amount,reference1,payeeName', ['18,500.00,ç'], ['amount-cut name-script']],
  ])('rejects the row: %s', async (_, columns, ends, expected) => {
    const reading = await folder.read(file(columns, ...ends));
    expect(outline(reading)).toEqual(expected);
    const cut = expected.filter((codes) => codes.startsWith('amount-cut')).length;
    expect(reading.totals?.unreadableAmounts).toBe(cut);
  });

  test.each<[string, string, string[]]>([
    ['three digits', 'amount,reference1', ['1,500']],
    ['three digits in one row of many', 'amount,reference1', ['20.00,A', '1,500', '30.00,B']],
    ['three groups', 'amount,a,b', ['1,234,567']],
    ['the decimals of a comma', 'amount,reference1', ['99,95']],
    ['the decimals of a comma, after four digits', 'amount,reference1', ['1234,50', '99,95']],
    ['the decimals of a comma, after four digits alone', 'amount,reference1', ['1234,50']],
    ['the decimals of a comma, beside whole amounts', 'amount,reference1', ['1234,50', '99,95', '25000,']],
    ['one decimal of a comma', 'amount,reference1', ['1500,5', '12345,5']],
    ['one decimal of a comma, beside two', 'amount,reference1', ['99,95', '1500,5', '25000,A']],
    ['spaces around it', 'amount,reference1', ['1, 500']],
  ])('refuses the file that does not show how it writes amounts: %s', async (_, columns, ends) => {
    const line = ends.findIndex((end) => /^\d+, ?\d+/.test(end)) + 2;
    expect(outline(await folder.read(file(columns, ...ends)))).toEqual([`amount-unclear ${line}`]);
  });

  test.each<[string, string, string[]]>([
    ['an amount of four digits has no separator', 'amount,branch', ['20,123', '1500,456']],
    ['an amount of four digits and decimals has none', 'amount,branch', ['20,123', '1500.00,456']],
    ['a quoted amount of four digits has none', 'amount,branch', ['20,123', '"1500",456']],
    ['decimals stand behind a point', 'amount,branch', ['20,12', '1.50,34']],
    ['the amount has decimals', 'amount,branch', ['18.00,500', '18.00,500.00']],
    ['the amount stands in quotation marks', 'amount,branch', ['"18",500', '"18",500.00']],
    ['the next cell does', 'amount,branch', ['18,"500"', '18,"500.00"']],
    ['all cells do', 'amount,branch', ['"18","500"'].map((end) => end)],
    ['the next cell is no group of digits', 'amount,branch', ['18,5000', '18,BKK-500', '18,50.00', '18,']],
    ['four digits go before', 'amount,branch', ['1234,567.00']],
  ])('pays where %s', async (_, columns, ends) => {
    const { rejection, rows } = await folder.read(file(columns, ...ends));
    expect(rejection).toBeUndefined();
    expect(rows.map(({ issues }) => issues)).toEqual(ends.map(() => []));
  });

  test.each([';', '\t'])('says nothing where %j separates the cells', async (delimiter) => {
    const content = file('amount,branch', '18,500.00', '18,500').replaceAll(',', delimiter);
    expect(outline(await folder.read(content))).toEqual(['1800', '1800']);
  });

  test('is proved by control totals, or refused by them', async () => {
    const content = file('amount,fee', '18,500.00', '20,123');
    const control: Options = { control: 'trailer' };
    expect(outline(await folder.read(`${content}TRAILER,2,38.00\n`, control))).toEqual(['1800', '2000']);
    expect(outline(await folder.read(`${content}TRAILER,2,18520.00\n`, control))).toEqual([
      'control-total 4',
    ]);
    const path = await folder.write(content, 'cut.csv');
    await folder.write('{"rows": 2, "total": "38.00"}', 'cut.csv.control.json');
    expect(outline(await readPath(path, { control: 'sidecar' }))).toEqual(['1800', '2000']);
  });

  test('is allowed by a setting where it may be a number of its own', async () => {
    const content = file('amount,branch', '18,500', '20,12', '18,500.00');
    const reading = await folder.read(content, { numberAfterAmount: 'allowed' });
    expect(outline(reading)).toEqual(['1800', '2000', 'amount-cut']);
  });

  test('names the cure, and what is typed by it is paid', async () => {
    const cut = await folder.read(file('amount,fee', '18,500.00'));
    expect(cut.rows[0]?.issues[0]).toMatchObject({ line: 2, column: 'amount', value: '18' });
    expect(inEnglishIfAny(cut.rows[0]?.issues[0]?.message)).toContain('1234.50');
    expect(inEnglishIfAny(cut.rows[0]?.issues[0]?.message)).toContain('18.00');
    expect(outline(await folder.read(file('amount,fee', '18500.00,', '18.00,500.00')))).toEqual([
      '1850000',
      '1800',
    ]);
    const { rejection } = await folder.read(file('amount,branch', '18,500'));
    expect(rejection).toMatchObject({ line: 2, column: 'amount' });
    expect(rejection?.message).toContain('18.00');
    expect(rejection?.message).toContain('input.numberAfterAmount to allowed');
    expect(outline(await folder.read(file('amount,branch', '18.00,500')))).toEqual(['1800']);
  });

  test.each([
    [['1,500', '12,345', '25,000'], '1500', '2 more (lines 3 and 4)', ['1500.00,', '12345,', '25000,']],
    [['99,95', '20,A', '1500,5'], '99.95', '1 more (line 4)', ['99.95,', '20,A', '1500.5,']],
  ])('names every line in doubt: %j', async (ends, whole, others, corrected) => {
    const { rejection } = await folder.read(file('amount,branch', ...ends));
    expect(rejection).toMatchObject({ code: 'amount-unclear', line: 2 });
    expect(rejection?.message).toContain(`may be ${ends[0]}, which`);
    expect(rejection?.message).toContain(`write each of them whole, this one as ${whole}, or`);
    expect(rejection?.message).toContain(others);
    expect((await folder.read(file('amount,branch', ...corrected))).rejection).toBeUndefined();
  });

  test('counts the lines in doubt where there are many', async () => {
    const { rejection } = await folder.read(
      file('amount,branch', ...Array.from({ length: 40 }, () => '1,500')),
    );
    expect(rejection?.message).toContain('39 more (lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and others)');
  });
});
