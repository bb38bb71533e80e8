import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOf, showBaht, showCount, showTotal } from '../../../src/cli/views/amounts.ts';
import { alignColumns } from '../../../src/cli/views/shown.ts';
import { toSatang } from '../../../src/core/money.ts';

test('cells stand below each other, two spaces apart, and nothing follows the last one', () => {
  const rows = [
    ['Status', 'Rows', 'Baht'],
    ['paid', '1,234', '5.00'],
  ];
  expect(alignColumns(rows)).toEqual(['Status  Rows   Baht', 'paid    1,234  5.00']);
  expect(alignColumns(rows, [1, 2])).toEqual(['Status   Rows  Baht', 'paid    1,234  5.00']);
  expect(alignColumns([['', 'b '], ['a']])).toEqual(['   b ', 'a']);
  expect(alignColumns([])).toEqual([]);
});

test('right columns make lines of one length', () => {
  const cell = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
      const lengths = new Set(alignColumns(rows, [1]).map((line) => line.length));
      expect(lengths.size).toBeLessThanOrEqual(1);
    }),
  );
});

test.each([
  [0, '0', '0 rows'],
  [1, '1', '1 row'],
  [1_234_567, '1,234,567', '1,234,567 rows'],
])('%d is shown as %s, and counted as %s', (count, shown, counted) => {
  expect([showCount(count), countOf(count, 'row')]).toEqual([shown, counted]);
});

test('amounts are grouped in words for an operator alone', () => {
  expect(showBaht(toSatang(123_456_750n))).toBe('1,234,567.50');
  expect(showTotal({ rows: 1, amount: '1234567.50' })).toBe('1 row, 1,234,567.50 baht');
});
