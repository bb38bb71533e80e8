import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { showCell } from '../../../src/platform/workbook/cell.ts';

const show = (value: number, format: string) => showCell({ kind: 'number', value, format }, false);

const decimal = (hundredths: number): string =>
  `${Math.trunc(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;

test.each(['0.00', '#,##0.00', '_-* #,##0.00_-', '#,##0.00_);[Red](#,##0.00)'])(
  'every amount is read from %s to the satang',
  (format) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 14 }).map(decimal), (text) => {
        expect(show(Number(text), format)).toEqual({ text });
      }),
    );
  },
);

test('no number is read as another one: it is what it shows to the satang, or has a fault', () => {
  const formats = fc.constantFrom(
    '0',
    '0.0',
    '0.00',
    '0.000',
    '#,##0',
    '#,##0,',
    '0000000000',
    '0.00;0.00',
    '0.00;(0.00)',
  );
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), formats, (value, format) => {
      const { text, fault } = show(value, format);
      if (fault === undefined && /^-?[\d.]+$/.test(text))
        expect(Math.abs(Number(text) - value)).toBeLessThanOrEqual(0.0050001);
    }),
  );
});
