/** A sentence of a day's page about money is the sum of the rows beside it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import {
  agreedPlaces,
  breakKinds,
  type Figures,
  type LineClass,
  type PaidClass,
} from '../../../src/reconcile/rules/types.ts';
import {
  compareSides,
  explainDifference,
  sidesOfBreak,
  stepsOf,
} from '../../../src/overview/rules/day-sides.ts';
import { makeFacts, makeLine } from '../../support/statement-fixtures.ts';

const figures = fc.record({
  count: fc.integer({ min: 1, max: 9_999 }),
  satang: fc.bigInt({ min: 0n, max: 10n ** 12n }).map(toSatang),
});

const mapOf = <Place extends string>(places: readonly Place[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...places), figures), { selector: ([place]) => place })
    .map((entries) => new Map<Place, Figures>(entries));

/** As reconciling leaves them: what both call paid has the same figures on both sides. */
const days = fc
  .tuple(
    mapOf<LineClass>([...agreedPlaces, ...breakKinds]),
    mapOf<PaidClass>(['found-other-day', ...breakKinds]),
  )
  .map(([lines, paid]) => {
    for (const place of ['matched', 'settled-paid'] as const) {
      const both = lines.get(place);
      if (both !== undefined) paid.set(place, both);
    }
    return { lines, paid };
  });

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);

test('the rows add up to the totals, and the steps lead from the bank to us', () => {
  fc.assert(
    fc.property(days, (day) => {
      const { compared, all, beside } = compareSides(day);
      expect(all.ours.satang).toBe(sum(compared.map(({ ours }) => ours.satang)));
      expect(all.bank.satang).toBe(sum(compared.map(({ bank }) => bank.satang)));
      expect(all.differenceSatang).toBe(sum(compared.map((row) => row.differenceSatang)));
      const steps = stepsOf({ compared });
      expect(all.bank.satang + sum(steps.map(({ satang }) => satang))).toBe(all.ours.satang);
      expect(steps.length).toBeLessThanOrEqual(5);
      // Nothing of the day is left out.
      const shown = [...compared, ...beside];
      expect(sum(shown.map(({ ours }) => ours.satang))).toBe(
        sum([...day.paid.values()].map((one) => one.satang)),
      );
      expect(sum(shown.map(({ bank }) => bank.satang))).toBe(
        sum([...day.lines.values()].map((one) => one.satang)),
      );
    }),
  );
});

test('what belongs to another day, or moved no money, is beside the comparison', () => {
  const one = { count: 1, satang: toSatang(500n) };
  const lines = new Map<LineClass, Figures>([
    ['agreed-failed', one],
    ['matched-other-day', one],
    ['others', one],
    ['matched', one],
  ]);
  const paid = new Map<PaidClass, Figures>([
    ['matched', one],
    ['found-other-day', one],
  ]);
  const { compared, all, beside } = compareSides({ lines, paid });
  expect(compared.map(({ place }) => place)).toEqual(['matched']);
  expect(all).toEqual({ ours: one, bank: one, differenceSatang: 0n });
  expect(beside.map(({ place }) => place)).toEqual(
    expect.arrayContaining(['agreed-failed', 'matched-other-day', 'others', 'found-other-day']),
  );
});

test('a break counts our side only where we call it paid, and a surplus line only for the bank', () => {
  const paid = makeFacts('paid');
  const line = makeLine(paid, 'complete');
  const sides = (kind: (typeof breakKinds)[number], lineAt: number | null, attempt = paid) =>
    sidesOfBreak({ kind, attempt, lines: [line], lineAt });
  expect(sides('missing-at-bank', null).bankSatang).toBeUndefined();
  expect(sides('missing-at-bank', null).differenceSatang).toBe(sides('missing-at-bank', null).oursSatang);
  expect(sides('duplicate-line', 0).oursSatang).toBeUndefined();
  expect(sides('pending-at-bank', 0, makeFacts('unresolved')).oursSatang).toBeUndefined();
  expect(sides('fee-mismatch', 0).differenceSatang).toBe(0n);
});

test('the difference is explained only when the breaks add up, each transfer once', () => {
  const attempt = makeFacts('paid');
  const missing = { key: 'a', kind: 'missing-at-bank', attempt, lines: [], lineAt: null } as const;
  const { differenceSatang } = sidesOfBreak(missing);
  const again = { ...missing, kind: 'fee-mismatch' } as const;
  expect(explainDifference([missing, again], differenceSatang)).toBe(true);
  expect(explainDifference([missing, { ...missing, key: 'b' }], differenceSatang)).toBe(false);
  expect(explainDifference([], differenceSatang)).toBe(false);
});
