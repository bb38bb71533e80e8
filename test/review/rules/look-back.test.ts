/** The look back at the last file of the same name: its name without dates, and the parts of the difference. */
import { describe, expect, test } from 'vitest';
import { sumSatang, toSatang } from '../../../src/core/money.ts';
import {
  type ComparedRow,
  Comparison,
  differenceOf,
  findLastOfName,
  isTotalUnusual,
  stemOf,
} from '../../../src/review/rules/look-back.ts';

const last = { batchId: 'OLD', fileName: 'salary-october.csv', startedAtMs: 0 };

const row = (proxyNo: string, baht: number, changes: Partial<ComparedRow> = {}): ComparedRow => ({
  seq: Number(proxyNo),
  rowNo: Number(proxyNo),
  proxyNo,
  payeeName: `payee ${proxyNo}`,
  amountSatang: BigInt(Math.round(baht * 100)),
  status: 'held',
  ...changes,
});

function compare(now: readonly ComparedRow[], before: readonly ComparedRow[]) {
  const comparison = new Comparison(last);
  for (const one of now) comparison.addNow(one);
  for (const one of before) comparison.addBefore(one);
  return comparison.end();
}

test.each([
  ['salary-november.csv', 'salary'],
  ['Salary October 2026.xlsx', 'salary'],
  ['salary_2026-11-27 (2).csv', 'salary'],
  ['advances-w48.csv', 'advances w'],
  ['เงินเดือน พ.ย. 2569.csv', 'เงินเดือน'],
  ['เงินเดือนพฤศจิกายน๒๕๖๙.csv', 'เงินเดือน'],
  ['market-refunds.csv', 'market refunds'],
  ['2026-11.csv', ''],
])('%s is named "%s" without dates, months and numbers', (fileName, stem) => {
  expect(stemOf(fileName)).toBe(stem);
});

test('a name of numbers alone has no last file', () => {
  expect(findLastOfName('2.csv', [{ ...last, fileName: '1.csv' }])).toBeUndefined();
  expect(findLastOfName('salary-november.csv', [{ ...last, fileName: 'vendors.csv' }, last])).toBe(last);
});

describe('two files', () => {
  const before = [row('1', 100), row('2', 50), row('3', 10), row('3', 5), row('4', 70), row('5', 1)];
  const now = [
    row('1', 101),
    row('2', 500),
    row('3', 15),
    row('6', 20),
    row('7', 9, { status: 'rejected' }),
    row('8', 1, { amountSatang: null }),
  ];
  const compared = compare(now, before);
  if (compared === undefined) throw new Error('nothing was compared');

  test('count what neither rejected nor cancelled rows add to', () => {
    expect(compared.now).toEqual({ payouts: 5, amountSatang: 63_600n, largestSatang: 50_000n });
    expect(compared.before).toEqual({ payouts: 6, amountSatang: 23_600n, largestSatang: 10_000n });
  });

  test('differ by what is new, gone, changed and other: these sum to the difference', () => {
    const { changes } = compared;
    expect(changes).toEqual({
      new: { payees: 2, changeSatang: 2_000n },
      gone: { payees: 2, changeSatang: -7_100n },
      changed: { payees: 1, changeSatang: 45_000n },
      other: { payees: 2, changeSatang: 100n },
    });
    const parts = sumSatang(Object.values(changes).map(({ changeSatang }) => changeSatang));
    expect(parts).toBe(differenceOf(compared));
    expect(isTotalUnusual(compared)).toBe(true);
  });

  test('name who gets over twice as much, and what the largest rows got before', () => {
    expect(compared.grown).toMatchObject({
      payees: 1,
      first: [{ seq: 2, nowSatang: 50_000n, beforeSatang: 5_000n }],
    });
    expect([...compared.beforeBySeq]).toEqual([
      [2, 5_000n],
      [1, 10_000n],
      [3, 1_500n],
    ]);
  });

  test('are not compared where the last one has no rows left', () => {
    expect(compare(now, [])).toBeUndefined();
  });

  test('are usual up to a fifth', () => {
    const sums = (amount: bigint) => ({
      payouts: 1,
      amountSatang: toSatang(amount),
      largestSatang: toSatang(1n),
    });
    expect(isTotalUnusual({ now: sums(120n), before: sums(100n) })).toBe(false);
    expect(isTotalUnusual({ now: sums(79n), before: sums(100n) })).toBe(true);
  });
});
