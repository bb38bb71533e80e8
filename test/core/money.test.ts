import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBaht, parseBaht, sumSatang, toSatang, zeroSatang } from '../../src/core/money.ts';

describe('parseBaht reads decimal baht', () => {
  test.each([
    ['0', 0n],
    ['0.00', 0n],
    ['1', 100n],
    ['1.5', 150n],
    ['1.50', 150n],
    ['0.01', 1n],
    ['007.10', 710n],
    ['1234.50', 123450n],
    ['999999999999999.99', 99999999999999999n],
  ])('%j', (text, satang) => expect(parseBaht(text)).toBe(satang));
});

describe('parseBaht refuses what is not plainly an amount', () => {
  test.each([
    '',
    ' ',
    ' 12 ',
    '12 ',
    '\t12',
    '12\n',
    '-1',
    '+1',
    '--1',
    '1.005',
    '1.',
    '.5',
    '.',
    '1,234.50',
    '1 234',
    '1_000',
    '฿100',
    '100฿',
    '1e3',
    '1E3',
    '1.10E+12',
    '0x10',
    '1n',
    'NaN',
    'Infinity',
    '๑๐๐',
    '１００',
    '1..0',
    '1.0.0',
    '1000000000000000',
    '0000000000000001',
  ])('%j', (text) => expect(parseBaht(text)).toBeUndefined());
});

describe('formatBaht', () => {
  test.each([
    [0n, '0.00'],
    [1n, '0.01'],
    [10n, '0.10'],
    [100n, '1.00'],
    [123450n, '1234.50'],
    [-5n, '-0.05'],
    [-12345n, '-123.45'],
  ])('%s satang', (satang, text) => expect(formatBaht(toSatang(satang))).toBe(text));
});

describe('laws', () => {
  const amounts = fc.bigInt({ min: 0n, max: 99_999_999_999_999_999n }).map(toSatang);

  test('what formatBaht writes, parseBaht reads back', () => {
    fc.assert(fc.property(amounts, (amount) => parseBaht(formatBaht(amount)) === amount));
  });

  test('any two decimals, written or left out, mean the same amount', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 9 }), (baht, tenths) => {
        expect(parseBaht(`${baht}.${tenths}`)).toBe(parseBaht(`${baht}.${tenths}0`));
        expect(parseBaht(`${baht}.00`)).toBe(parseBaht(`${baht}`));
      }),
    );
  });

  test('a text is read only if it is made of digits and at most one point', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        if (parseBaht(text) !== undefined) expect(text).toMatch(/^[0-9]{1,15}(\.[0-9]{1,2})?$/);
      }),
    );
  });

  test('a sum does not depend on the order, and of none it is zero', () => {
    fc.assert(
      fc.property(fc.array(amounts), (list) => {
        expect(sumSatang(list)).toBe(sumSatang(list.toReversed()));
        expect(sumSatang([...list, toSatang(1n)]) - sumSatang(list)).toBe(1n);
      }),
    );
    expect(sumSatang([])).toBe(zeroSatang);
  });
});
