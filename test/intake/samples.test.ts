/** The samples, as the reader sees them: which rows are good, and what is said of the others. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseBaht } from '../../src/core/money.ts';
import type { PayoutFileOptions } from '../../src/intake/formats/payout-file.ts';
import { noLimits, readPath, type WholeReading } from '../support/payout-file-kit.ts';

/** The usual limit of two million baht a payout. */
const limits = { ...noLimits, payoutSatangMax: parseBaht('2000000.00') ?? null };

const readSample = (name: string, options: Partial<PayoutFileOptions> = {}): Promise<WholeReading> =>
  readPath(join(import.meta.dirname, '../../samples', name), { limits, ...options });

/** What is said of each row that has an issue: "line codes". */
const outline = ({ rows }: WholeReading): string[] =>
  rows
    .filter(({ issues }) => issues.length > 0)
    .map(({ line, issues }) => `${line} ${issues.map(({ code }) => code).join(' ')}`);

const count = ({ rows }: WholeReading): object => ({
  rows: rows.length,
  good: rows.filter(({ instruction }) => instruction !== null).length,
  held: rows.filter(({ holds }) => holds.length > 0).length,
});

describe('samples whose rows are nearly all good', () => {
  test.each<[string, object, string[], Partial<PayoutFileOptions>]>([
    ['payouts.csv', { rows: 27, good: 25, held: 1 }, ['26 proxy-length', '28 duplicate-repeat'], {}],
    ['payouts-bad-day.csv', { rows: 20, good: 20, held: 0 }, [], {}],
    ['payouts-with-trailer.csv', { rows: 3, good: 3, held: 0 }, [], { control: 'trailer' }],
  ])('%s', async (name, counts, issues, options) => {
    const reading = await readSample(name, options);
    expect(reading.rejection).toBeUndefined();
    expect(outline(reading)).toEqual(issues);
    expect(count(reading)).toEqual(counts);
  });

  test('payouts-thai-windows-874.csv', async () => {
    const columns = {
      payoutId: 'เลขที่จ่าย',
      proxyType: 'ประเภท',
      proxyNo: 'พร้อมจ่าย',
      payeeName: 'ชื่อผู้รับ',
      amount: 'จำนวนเงิน',
      reference1: 'อ้างอิง',
    };
    const reading = await readSample('payouts-thai-windows-874.csv', { columns });
    expect(reading.rejection).toBeUndefined();
    expect(reading.extraColumns).toEqual(['แผนก']);
    expect(count(reading)).toEqual({ rows: 5, good: 5, held: 0 });
    expect(reading.rows[3]?.instruction?.payeeName).toBe('บริษัท รุ่งอรุณ ขนส่ง จำกัด');
  });
});

test('payouts.csv uses every form of a proxy ID, and names in both scripts', async () => {
  const { rows } = await readSample('payouts.csv');
  const forms = [
    /^0\d{9}$/,
    /^0\d\d-\d{3}-\d{4}$/,
    /^\+66\d{9}$/,
    /^66\d{9}$/,
    /^0066\d{9}$/,
    /^9\d{12}$/,
    /^099\d{10}$/,
  ];
  for (const form of forms) expect(rows.some(({ cells }) => form.test(cells.proxyNo))).toBe(true);
  const names = rows.map(({ cells }) => cells.payeeName);
  for (const script of [/^[A-Z]/, /^[ก-ฮ]/, /^$/]) expect(names.some((name) => script.test(name))).toBe(true);
});

describe('samples of bad rows', () => {
  test('payouts-broken-rows.csv', async () => {
    const reading = await readSample('payouts-broken-rows.csv');
    expect(outline(reading)).toEqual([
      '3 amount-zero',
      '4 amount-negative',
      '5 amount-decimals',
      '6 amount-separator',
      '7 amount-currency',
      '8 amount-exponent',
      '9 amount-spaces',
      '10 amount-digits',
      '11 proxy-check-digit',
      '12 proxy-length',
      '13 proxy-length',
      '14 proxy-length',
      '15 proxy-length',
      '16 proxy-characters',
      '17 proxy-thai-digits',
      '18 proxy-type-contradicts',
      '19 proxy-type',
      '20 payout-id-missing',
      '21 payout-id-length',
      '23 duplicate-differs',
      '24 formula',
      '25 name-length',
      '26 name-script',
      '27 reference-length',
      '28 cell-count',
      '29 cell-count',
      '30 proxy-length amount-characters reference-length',
      '32 proxy-ambiguous',
      '33 proxy-type-contradicts',
      '34 name-control',
      '36 formula formula',
      '37 quote-misplaced',
      '39 duplicate-repeat',
      '40 row-empty',
      '41 reference-characters',
    ]);
    // Line 22 is good until line 23 contradicts it.
    expect(count(reading)).toEqual({ rows: 40, good: 5, held: 0 });
    expect(reading.totals?.conflictingRowNos).toEqual([21]);
  });

  test('payouts-excel-damaged.csv', async () => {
    const reading = await readSample('payouts-excel-damaged.csv');
    expect(outline(reading)).toEqual([
      '3 proxy-damaged',
      '4 proxy-damaged',
      '5 proxy-damaged',
      '6 amount-exponent',
      '7 name-damaged',
      '8 amount-separator',
      '9 proxy-damaged',
      '10 payout-id-damaged',
      '11 formula',
      '12 amount-damaged',
    ]);
    expect(count(reading)).toEqual({ rows: 12, good: 2, held: 0 });
  });
});

test('payouts-trailer-mismatch.csv is rejected as a whole', async () => {
  const { rejection, totals } = await readSample('payouts-trailer-mismatch.csv', { control: 'trailer' });
  expect(rejection).toMatchObject({ code: 'control-rows', line: 5 });
  expect(totals).toBeUndefined();
});

test('the trailer of payouts-with-trailer.csv is the total of its rows', async () => {
  const { totals } = await readSample('payouts-with-trailer.csv', { control: 'trailer' });
  expect(totals?.totalSatang).toBe(parseBaht('400.00'));
});
