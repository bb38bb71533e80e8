import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import {
  findControlMismatch,
  readControlFile,
  readTrailer,
} from '../../../src/intake/rules/control-totals.ts';

const totals = { rows: 3, totalSatang: toSatang(123450n) };

describe('a trailer row', () => {
  test.each([
    [['TRAILER', '3', '1234.50']],
    [[' TRAILER ', ' 3', '1234.5 ']],
    [['TRAILER', '3', '1234.50', '', ' ', '']],
  ])('%j is read', (cells) => expect(readTrailer(cells, 'rows and total')).toEqual({ ok: true, totals }));

  test.each([
    [['TRAILER']],
    [['TRAILER', '3']],
    [['TRAILER', '', '1234.50']],
    [['TRAILER', '3.0', '1234.50']],
    [['TRAILER', '-3', '1234.50']],
    [['TRAILER', '1,000', '1234.50']],
    [['TRAILER', '3', '1,234.50']],
    [['TRAILER', '3', '1234.505']],
    [['TRAILER', '3', '1', '234.50']],
    [['TRAILER', '9'.repeat(13), '1234.50']],
  ])('%j is not', (cells) =>
    expect(readTrailer(cells, 'rows and total')).toMatchObject({ ok: false, code: 'control-unreadable' }),
  );
});

describe('a control file', () => {
  test.each(['{"rows": 3, "total": "1234.50"}', '{"total":"1234.5","rows":3,"sender":"ERP"}\n'])(
    '%s is read',
    (text) => {
      expect(readControlFile(text, 'rows and total')).toEqual({ ok: true, totals });
    },
  );

  test.each([
    ['', 'no JSON'],
    ['rows: 3', 'no JSON'],
    ['[3, "1234.50"]', 'both keys'],
    ['null', 'both keys'],
    ['{"rows": 3}', 'both keys'],
    ['{"rows": "3", "total": "1234.50"}', 'whole number'],
    ['{"rows": 3.5, "total": "1234.50"}', 'whole number'],
    ['{"rows": -3, "total": "1234.50"}', 'in digits'],
    ['{"rows": 3, "total": 1234.50}', 'in quotes'],
    ['{"rows": 3, "total": "1,234.50"}', 'two decimals'],
  ])('%s is not', (text, words) => {
    const reading = readControlFile(text, 'rows and total');
    expect(reading).toMatchObject({ ok: false, code: 'control-unreadable' });
    expect(reading.ok ? '' : inEnglish(reading.message)).toContain(words);
  });
});

describe('what was declared and what was counted', () => {
  const counted = { ...totals, unreadableAmounts: 0, unreadableLine: null };

  test('agree', () => expect(findControlMismatch(totals, counted)).toBeUndefined());

  test.each([
    ['a row lost', { ...counted, rows: 2 }, 'control-rows', '3 rows and the file has 2'],
    ['a satang lost', { ...counted, totalSatang: toSatang(123449n) }, 'control-total', 'add up to 1,234.49'],
    [
      'an amount that cannot be read, though the rest adds up',
      { ...counted, unreadableAmounts: 1, unreadableLine: 4 },
      'control-unproved',
      'cannot be proved',
    ],
  ])('%s', (_, found, code, words) => {
    const mismatch = findControlMismatch(totals, found);
    expect(mismatch).toMatchObject({ code, line: found.unreadableLine });
    expect(inEnglishIfAny(mismatch?.message)).toContain(words);
  });
});
