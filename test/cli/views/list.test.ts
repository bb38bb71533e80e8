import { verbatim } from '../../../src/core/message.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FoundPayout } from '../../../src/app/list.ts';
import { foundPayoutView, ListTable, payoutList } from '../../../src/cli/views/list.ts';
import { cutText } from '../../../src/cli/views/shown.ts';
import { widthOf } from '../../../src/core/wrap-text.ts';
import { makeBatch, makeRejectedRow, makeRow } from '../../support/report-fixtures.ts';

const find = (...rows: readonly FoundPayout['row'][]): readonly FoundPayout[] =>
  rows.map((row) => ({ row, batch: makeBatch({ fileName: 'a.csv' }) }));

const table = (width: number | undefined, ...rows: readonly FoundPayout['row'][]): string =>
  new ListTable(payoutList, width).show(find(...rows));

const held = makeRow({
  rowNo: 2,
  status: 'held',
  holds: ['name'],
  reasonCode: 'thai-name-differs',
  reason: verbatim('the Thai name in the file differs from the name that the bank holds'),
  bankPayeeName: 'FAH SAI TRADING COMPANY LIMITED',
});

describe('a list of payouts', () => {
  test('fits 80 columns', () => {
    expect(table(80, held, makeRejectedRow(3), makeRow())).toBe(`\
PayoutId  Status      Baht  Payee       Why
INV-0002  held      100.50  ******5678  thai-name-differs: the Thai name in the…
=cmd      rejected   1.005  ****E+12    amount-decimals cells-missing: line 4, …
INV-0001  paid      100.50  ******5678`);
  });

  test('tells more in 120', () => {
    expect(table(120, held, makeRow())).toBe(`\
When                 PayoutId  Status    Baht  Payee       Name                  Why
2026-11-21 14:03:05  INV-0002  held    100.50  ******5678  FAH SAI TRADING COM…  thai-name-differs: the Thai name in th…
2026-11-21 14:03:05  INV-0001  paid    100.50  ******5678  SOMCHAI J`);
  });

  test('is whole where no terminal is', () => {
    const text = table(undefined, held);
    expect(text).toContain('FAH SAI TRADING COMPANY LIMITED  4K7Q2M9XWD  thai-name-differs: the Thai name');
    expect(text).toMatch(/the bank holds \(held: name\)$/);
  });

  test('says that a row bears an alarm', () => {
    const row = makeRow({
      isAlarm: true,
      reasonCode: 'paid-twice',
      reason: verbatim('two transfers were made'),
    });
    expect(table(80, row)).toMatch(/ALARM paid-twice: two transfers/);
  });

  test('never passes the end of the line, whatever it shows, and steers no terminal', () => {
    const unit = fc.constantFrom(
      'a',
      '7',
      ' ',
      'ส',
      'ั',
      '\u001b',
      '\n',
      '\u202e',
      '\u2028',
      '😀',
      '\ud800',
      ',',
    );
    const text = fc.string({ unit, maxLength: 60 });
    fc.assert(
      fc.property(text, text, fc.constantFrom(80, 100, 120, 200), (payoutId, reason, width) => {
        const row = makeRow({
          status: 'failed',
          reason: verbatim(reason),
          cells: { ...makeRow().cells, payoutId },
        });
        const lines = table(width, row, held).split('\n');
        expect(lines).toHaveLength(3);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(lines.join('')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 50 },
    );
  });

  test('ends with what was found, and that there are more', () => {
    const found = new ListTable(payoutList, 80);
    expect(found.end(false)).toBe('No payout matches.');
    found.show(find(held, makeRejectedRow(3)));
    expect(found.end(false)).toMatch(/^\n2 payouts, 100\.50 baht\.\n"paydrop show PAYOUT"/);
    expect(found.end(true)).toMatch(/^\nThe newest 2, .* baht\. More: --limit 20, or 0 for all\.\n/);
    for (const line of found.end(true).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

test('a payout for a program: its number masked, its references and names there', () => {
  const [one] = find(makeRow({ bankPayeeName: 'CALL 0812345678' }));
  expect(one && foundPayoutView.json(one)).toMatchObject({
    payoutId: 'INV-0001',
    batchId: '4K7Q2M9XWD',
    status: 'paid',
    moneyMoved: 'yes',
    amount: '100.50',
    proxyNo: '******5678',
    payeeName: 'Somchai J',
    bankPayeeName: 'CALL ******5678',
    bankPayeeNameTh: 'สมชาย จ',
    reference1: 'R1',
    transRefNo: 'PDABCDEFGHJKMNPQRS01',
    sysRefNo: 'SYS0000000001',
    submittedAt: '2026-11-21T14:03:05+07:00',
  });
});

test('Thai marks take no column', () => {
  expect(widthOf('สวัสดี')).toBe(4);
  expect(cutText('สวัสดีครับ', 4)).toBe('สวัส…');
  expect(cutText('abc', 3)).toBe('abc');
});
