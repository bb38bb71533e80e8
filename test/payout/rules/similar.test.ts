import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { payoutStatuses } from '../../../src/core/payout.ts';
import type { EarlierPayment } from '../../../src/core/ports.ts';
import {
  computeSimilarKey,
  decideSimilarHold,
  describeClaimed,
  likenessOf,
  mayBePaidStatuses,
} from '../../../src/payout/rules/similar.ts';
import { makePayout, noonMs, payer } from '../../support/core-fixtures.ts';

const dayMs = 86_400_000;
const { companyId } = payer;

const earlier: EarlierPayment = {
  payoutId: 'INV-0',
  batchId: 'ABCDEFGHJK',
  rowNo: 12,
  fileName: 'october.csv',
  status: 'paid',
  // 2026-11-20 00:30 in Bangkok, still the 19th in UTC.
  submittedAtMs: Date.UTC(2026, 10, 19, 17, 30),
};

describe('an id that was changed on its way has the identity that it had', () => {
  test.each([
    '1001.0',
    '1001.00',
    '1001.000',
    '1001.0000000',
    '01001',
    '0001001.0',
    '1,001',
    '1,001.0',
    '1,001.00',
    '1 001',
    "1'001.00",
    '1.001',
    '1001,0',
    '1001,00',
    '1001,000',
    '1.001,00',
    "'1001",
    '="1001.0"',
    '1001.',
    '1.001E+03',
    '1.001e+03',
    '1.001E3',
    '1.001e+3',
    '1,001E+03',
    ' 1001.0 ',
  ])('%j is 1001', (id) => expect(computeSimilarKey(id)).toBe(computeSimilarKey('1001')));

  test.each([
    ['1,000', '1000'],
    ['12,000', '12000'],
    ['1,000,000', '1000000'],
    ['1,000,000.00', '1000000'],
    ['1.000.000,00', '1000000'],
    ['7.0', '7'],
    ['1.0E7', '10000000'],
    ['1.2345678E7', '12345678'],
    ['1E+15', '1000000000000000'],
    ['5.00E+00', '5'],
    ['1.20E+01', '12'],
    ['1.2E+05', '120000'],
    ['INV-7', 'inv 7'],
    ['00a-Bc', 'A/BC'],
    ['12E5', '12e5'],
  ])('%j is %j', (id, other) => expect(computeSimilarKey(id)).toBe(computeSimilarKey(other)));

  test.each([
    ['10010', '1001.0'],
    ['100', '1.0'],
    ['1001.5', '1001'],
    ['1001.10', '1001.1'],
    ['1,001', '1,001,000'],
    ['INV-1001.0', 'INV-1001'],
    ['1A.0', '1A'],
    ['1.2.0', '1.2'],
    // Codes of hexadecimal digits.
    ['12E5', '1200000'],
    ['12E5', '12.0E5'],
    ['1e10', '10000000000'],
    ['1E5', '1E+05'],
    ['5E-01', '0.5'],
    // An exponent that leaves decimals over, or is beyond all ids.
    ['1.2345E+02', '12345'],
    ['1E+100', '1'],
    ['1.5E999999999', '15'],
  ])('%j is not %j', (id, other) => expect(computeSimilarKey(id)).not.toBe(computeSimilarKey(other)));

  test('a cell of a million characters takes no longer than it should', () => {
    for (const id of ['-'.repeat(1_000_000), `1.${'0'.repeat(1_000_000)}`, `1${', '.repeat(500_000)}`])
      expect(computeSimilarKey(`${id}x`)).toHaveLength(id.replaceAll(/[^\d]/g, '').length + 1);
  });

  test('every way of writing a number is the number', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,14}$/);
    const ways = fc.constantFrom<(number: string) => string>(
      (number) => `${number}.0`,
      (number) => `${number}.00`,
      (number) => `00${number}`,
      (number) => Number(number).toLocaleString('en-US'),
      (number) => Number(number).toLocaleString('en-US', { minimumFractionDigits: 2 }),
      (number) => Number(number).toLocaleString('de-DE', { minimumFractionDigits: 2 }),
      (number) => Number(number).toExponential(number.length),
    );
    fc.assert(
      fc.property(digits, ways, (number, write) => {
        expect([write(number), computeSimilarKey(write(number))]).toEqual([write(number), number]);
      }),
    );
  });
});

describe('what is looked for before an intent', () => {
  test('is the same payee and amount under another payoutId, some days back', () => {
    const payout = makePayout();
    const { proxyType, proxyNo, amountSatang, reference1 } = payout.instruction;
    const sinceMs = noonMs - 3 * dayMs;
    const payment = { payoutId: 'INV-1', proxyType, proxyNo, amountSatang, reference1 };
    const likeness = { companyId, ...payment, sinceMs };
    expect(likenessOf(payout, companyId, 3, noonMs)).toEqual(likeness);
  });

  test.each([
    ['the setting is 0', 0, []],
    ['a person has looked', 3, ['similar']],
    ['a person has looked at more', 3, ['name', 'similar']],
  ] as const)('is nothing when %s', (_name, days, acceptedHolds) => {
    expect(likenessOf(makePayout({ acceptedHolds }), companyId, days, noonMs)).toBeUndefined();
  });

  test('is looked for when a person has accepted something else', () => {
    expect(likenessOf(makePayout({ acceptedHolds: ['name', 'limit'] }), companyId, 1, noonMs)).toBeDefined();
  });

  test('counts in every status in which money may have moved, and in no other', () => {
    const counting = ['submitted', 'paid', 'unresolved', 'disputed'];
    expect(mayBePaidStatuses).toEqual(payoutStatuses.filter((status) => counting.includes(status)));
  });
});

describe('a like payout', () => {
  test('is held and names the earlier one', () => {
    const payout = makePayout();
    const { before, after, event, isIntent } = decideSimilarHold(payout, earlier, noonMs);
    expect({ before, isIntent }).toEqual({ before: payout, isIntent: undefined });
    expect(after).toMatchObject({ status: 'held', holds: ['similar'], reasonCode: 'similar-payment' });
    expect(inEnglishIfAny(after.reason)).toBe(
      'the same amount was paid to the same payee as payoutId INV-0 (row 12 of october.csv, batch ABCDEFGHJK, sent on 2026-11-20)',
    );
    expect(event).toMatchObject({
      cause: 'hold-added',
      detail: { hold: 'similar', earlier: { batchId: 'ABCDEFGHJK', rowNo: 12, status: 'paid' } },
    });
  });

  test.each(['submitted', 'unresolved', 'disputed'] as const)(
    'of one that is %s may be one too',
    (status) => {
      const { after } = decideSimilarHold(makePayout(), { ...earlier, status }, noonMs);
      expect(inEnglishIfAny(after.reason)).toMatch(/^the same amount may have been paid to the same payee/);
    },
  );

  test('never shows the payee’s number, be it the payoutId itself', () => {
    const payout = makePayout();
    const { proxyNo } = payout.instruction;
    const change = decideSimilarHold(payout, { ...earlier, payoutId: `SAL-${proxyNo}` }, noonMs);
    const said = JSON.stringify([change.after.reason, change.event]);
    expect(said).not.toContain(proxyNo);
    expect(said).toContain(proxyNo.slice(-4));
  });
});

test('a payoutId that is in doubt or paid elsewhere says not to pay it again, never to give it another', () => {
  const other = { other_batch_id: 'B', other_row_no: 7, other_file_name: 'a.csv' };
  const say = (status: (typeof payoutStatuses)[number]): string =>
    inEnglish(describeClaimed({ ...other, other_status: status }, 'A'));
  for (const status of mayBePaidStatuses)
    expect(say(status)).toBe(
      `this payoutId is already taken by row 7 of a.csv (batch B), which is ${status}: do not pay it again; ` +
        'a payoutId is paid once, and only another payment gets another one',
    );
  for (const status of ['ready', 'held'] as const)
    expect(say(status)).toMatch(/: do not send it twice; it goes on or is cancelled there/);
  expect(say('cancelled')).toMatch(/: a person has cancelled it, .* if it is to be paid after all/);
});
