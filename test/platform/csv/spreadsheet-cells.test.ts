import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cellCharactersMax,
  escapeAmountCell,
  escapeSpreadsheetCell,
  guardFormula,
  unescapeSpreadsheetCell,
  unguardFormula,
} from '../../../src/platform/csv/spreadsheet-cells.ts';
import { anyCharacter } from '../../support/any-character.ts';

/**
 * What a spreadsheet makes of a cell when it opens a CSV file and saves it again: formulas are run, numbers lose
 * zeros and digits, dates and truth values are rewritten, everything else is text.
 */
function openAndSave(cell: string): string {
  const text = cell.trim();
  if (/^[=+\-@＝＋－＠]/.test(text) && !/^[+-]?[\d.,]*$/.test(text)) return '#NAME?';
  if (/^[+-]?(\d+([.,]\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    const number = Number(text.replaceAll(',', ''));
    return Math.abs(number) >= 1e11 ? number.toExponential(5) : String(number);
  }
  if (/^(true|false)$/i.test(text)) return text.toUpperCase();
  if (/^(jan|mar|nov|dec)[a-z]*[ -]?\d+$/i.test(text)) return '21-Nov';
  if (/^\d+[-/.:]\d+([-/.:]\d+)?( [ap]m)?$/i.test(text)) return '21/11/2026';
  if (/^[$฿]\d|^\d+%$/.test(text)) return '0.1';
  return cell;
}

const survives = (text: string): boolean =>
  unescapeSpreadsheetCell(openAndSave(openAndSave(escapeSpreadsheetCell(text)))) === text;

const wildText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(...Array.from("'=+-@\t\r\n 0123456789.,e/:%$฿ＪａＮ＝＋－＠ก")),
    maxLength: 20,
  }),
  fc
    .tuple(fc.constantFrom('JAN', 'mar', 'Nov ', 'DEC-', '=', "'", ' ', '00', '1e'), fc.nat())
    .map((parts) => parts.join('')),
  fc.constantFrom('TRUE', 'false', '#N/A', ''),
);

describe('a spreadsheet cell', () => {
  test('gives back what was put in', () => {
    fc.assert(fc.property(wildText, (text) => unescapeSpreadsheetCell(escapeSpreadsheetCell(text)) === text));
  });

  test('survives being opened and saved twice', () => {
    fc.assert(fc.property(wildText, survives), { numRuns: 1000 });
  });

  test('never begins a formula', () => {
    fc.assert(
      fc.property(wildText, (text) => !/^\s*[=+\-@＝＋－＠]|^[\t\r]/.test(escapeSpreadsheetCell(text))),
    );
  });

  test.each([
    ['=HYPERLINK("http://x")', 'a formula'],
    ['+66812345678', 'a plus'],
    ['-1', 'a minus'],
    ['@SUM(A1)', 'an at sign'],
    ['\t=1', 'a tab'],
    ['\r=1', 'a carriage return'],
    [' =1', 'a blank before it'],
    ['\n=1', 'a line end before it'],
    ['＝1', 'a full-width sign'],
    ['＠x', 'another full-width sign'],
    ['0812345678', 'a leading zero'],
    ['9876543210987', 'thirteen digits'],
    ['1234567E89', 'a batch id that looks like an exponent'],
    ['1.50', 'a trailing zero'],
    ['1,234.50', 'separators'],
    ['JAN-24', 'a month'],
    ['12-11', 'a date'],
    ['21 พ.ย. 2569', 'a Thai date'],
    ['พ.ย. 69', 'a Thai month'],
    ['THB 100', 'a currency'],
    ['฿100', 'a currency sign'],
    ['๑๒๓', 'Thai digits'],
    ['TRUE', 'a truth value'],
    ['#REF!', 'an error value'],
    ["'quoted", 'an apostrophe of its own'],
  ])('%j is kept as text for %s', (text) => {
    expect(escapeSpreadsheetCell(text)).toBe(`'${text}`);
  });

  test.each([
    '',
    '0',
    '7',
    '1000000',
    'paid',
    'สมชาย ใจดี',
    'INV-0001',
    'PDABCDEFGHJKMNPQRS01',
    'EM053',
    'Pay on 5 May',
  ])('%j is left as it is', (text) => {
    expect(escapeSpreadsheetCell(text)).toBe(text);
  });

  test.each([
    ['1234.50', '1234.50'],
    ['0.01', '0.01'],
    ['99999999.99', '99999999.99'],
    ['100000000.00', "'100000000.00"],
    ['1,234.50', "'1,234.50"],
    ['01.00', "'01.00"],
    ['=1', "'=1"],
  ])('the amount %j stands as %j, to be added up where that is safe', (amount, cell) => {
    expect(escapeAmountCell(amount)).toBe(cell);
  });

  test('is cut before it spills into the next one', () => {
    const cell = escapeSpreadsheetCell(`=${'x'.repeat(10_000_000)}`);
    expect(cell).toHaveLength(cellCharactersMax);
    expect(cell.slice(0, 3) + cell.slice(-2)).toBe("'=xx…");
    expect(escapeSpreadsheetCell('x'.repeat(cellCharactersMax))).toBe('x'.repeat(cellCharactersMax));
  });
});

describe('a guarded cell', () => {
  test('gives back what was put in, guarded before or not', () => {
    const guarded = fc.tuple(fc.constantFrom('', "'", "''"), wildText).map((parts) => parts.join(''));
    fc.assert(
      fc.property(guarded, (text) => unguardFormula(guardFormula(text)) === text),
      { numRuns: 1000 },
    );
  });

  test('begins no formula but a signed number', () => {
    const isRun = (text: string) => /^\s*[=+\-@＝＋－＠]/.test(text) && !/^[\s\d.,e%+\-－]*$/i.test(text);
    fc.assert(
      fc.property(wildText, (text) => !isRun(guardFormula(text))),
      { numRuns: 1000 },
    );
  });

  test.each([
    `=HYPERLINK("http://x.example","pay")`,
    '@SUM(1)',
    '+E5',
    '+cmd|x',
    `-2+3+cmd|' /C calc'!A0`,
    ' =1',
    '\u00a0=1',
    '＝1',
    '－a',
    '+66x',
    '- none',
    `'=1`,
  ])('%j has an apostrophe before it', (text) => expect(guardFormula(text)).toBe(`'${text}`));

  test.each(
    [
      '-12.50',
      '+5',
      '-1,234.50',
      '-5%',
      '-1e5',
      '+66812345678',
      '+66 81-234-5678',
      '-',
      '--',
      '',
      'a=b',
    ].concat(['0812345678', "'", "'a", "'-5", 'กข', '1.10E+12']),
  )('%j stays as it is', (text) => {
    expect(guardFormula(text)).toBe(text);
    expect(unguardFormula(text)).toBe(text);
  });

  test.each(['+1 '.repeat(200_000), `+${'1'.repeat(600_000)}x`, `${"'".repeat(600_000)}=`])(
    'of 600,000 characters is looked at at once',
    (text) => {
      const before = process.cpuUsage();
      expect(unguardFormula(guardFormula(text)) === text).toBe(true);
      // Time of the processor, because the time on the wall depends on what else the machine does.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    },
  );
});
