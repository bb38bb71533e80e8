/** The day in figures, from totals as the journal gives them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { payoutStatuses } from '../../../src/core/payout.ts';
import {
  addTotals,
  computeProgress,
  countChecks,
  divideBar,
  type MoneyInStatus,
} from '../../../src/overview/rules/today.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makePerson } from '../../support/persons.ts';

const money = (status: MoneyInStatus['status'], satang: bigint, rows = 1): MoneyInStatus => ({
  status,
  rows,
  amountSatang: toSatang(satang),
  unreadableAmounts: 0,
});

test('totals of several batches are one line a status, what is paid first', () => {
  const all = [money('failed', 5n), money('paid', 100n, 2), money('paid', 50n), money('rejected', 0n)];
  expect(addTotals(all)).toEqual([money('paid', 150n, 3), money('failed', 5n), money('rejected', 0n)]);
  expect(addTotals(payoutStatuses.map((status) => money(status, 1n)))).toHaveLength(payoutStatuses.length);
});

describe('the bar', () => {
  test('is filled from end to end, whatever the amounts, and hides nobody', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 20n }), { minLength: 1, maxLength: 11 });
    fc.assert(
      fc.property(amounts, (satang) => {
        const pieces = divideBar(satang.map((one, place) => money(payoutStatuses[place] ?? 'paid', one)));
        let end = 0;
        for (const { start, width } of pieces) {
          expect(start).toBeCloseTo(end, 6);
          expect(width).toBeGreaterThanOrEqual(1);
          end = start + width;
        }
        if (pieces.length > 0) expect(Math.abs(end - 100)).toBeLessThan(0.2);
        expect(pieces).toHaveLength(satang.filter((one) => one > 0n).length);
      }),
    );
  });
});

describe('how far a batch has come', () => {
  const totals = [
    money('paid', 1n, 60),
    money('failed', 1n, 20),
    money('ready', 1n, 100),
    money('submitted', 1n, 20),
  ];
  const sends = (changes: object) => ({
    batchId: 'B',
    sends: 51,
    firstMs: noonMs - 50_000,
    lastMs: noonMs,
    ...changes,
  });

  test('is what has ended of all, and when the rest will be sent at the rate of late', () => {
    expect(computeProgress(totals, sends({}), noonMs)).toEqual({
      rows: 200,
      rowsEnded: 80,
      perMinute: 60,
      endsAtMs: noonMs + 100_000,
    });
  });

  test.each([
    ['nothing was sent', undefined],
    ['the last send is long ago', sends({ lastMs: noonMs - 60_001, firstMs: noonMs - 90_000 })],
    ['too few were sent', sends({ sends: 2 })],
    ['all bear one moment', sends({ firstMs: noonMs })],
  ])('has no end when %s', (_name, seen) => {
    const { perMinute, endsAtMs } = computeProgress(totals, seen, noonMs);
    expect([perMinute, endsAtMs]).toEqual([undefined, undefined]);
  });

  test('has no end either when all has been sent', () => {
    expect(computeProgress([money('paid', 1n, 60)], sends({}), noonMs).endsAtMs).toBeUndefined();
  });
});

test('what waits for a check waits for those who may, and never for its maker', () => {
  const people = [
    makePerson({ personId: 1 }),
    makePerson({ personId: 2, name: 'boon', role: 'maker' }),
    makePerson({ personId: 3, name: 'dao', role: 'checker' }),
  ];
  const proposals = [{ makerId: 2 }, { makerId: 2 }, { makerId: 1 }, { makerId: null }];
  const counts = people.map((person) => countChecks(proposals, person, people));
  expect(counts).toEqual([
    { mine: 1, forMe: 2 },
    { mine: 2, forMe: 0 },
    { mine: 0, forMe: 3 },
  ]);
});
