import { describe, expect, test } from 'vitest';
import { payoutStatuses } from '../../../src/core/payout.ts';
import type { EarlierPayment } from '../../../src/core/ports.ts';
import {
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
    expect(after.reason).toBe(
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
      expect(after.reason).toMatch(/^the same amount may have been paid to the same payee/);
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
    describeClaimed({ ...other, other_status: status }, 'A');
  for (const status of mayBePaidStatuses)
    expect(say(status)).toBe(
      `this payoutId is already taken by row 7 of a.csv (batch B), which is ${status}: do not pay it again; ` +
        'a payoutId is paid once, and only another payment gets another one',
    );
  for (const status of ['ready', 'held'] as const)
    expect(say(status)).toMatch(/: do not send it twice; it goes on or is cancelled there/);
  expect(say('cancelled')).toMatch(/: a person has cancelled it, .* if it is to be paid after all/);
});
