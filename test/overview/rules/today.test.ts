/** The day in figures, from totals as the journal gives them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { dayMs, formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import { payoutStatuses, type PayoutStatus } from '../../../src/core/payout.ts';
import type { Batch } from '../../../src/core/ports.ts';
import {
  addFigures,
  addTotals,
  computeProgress,
  type MoneyRows,
  outcomeOf,
  sumAges,
  sumDays,
} from '../../../src/overview/rules/today.ts';
import { approvalCode } from '../../../src/review/rules/approval.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makeBatch } from '../../support/report-fixtures.ts';

const money = (status: PayoutStatus, satang: bigint, rows = 1) => ({
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

const today = formatBangkokDate(noonMs);
const yesterday = formatBangkokDate(noonMs - dayMs);

const rowsOf = (changes: Partial<MoneyRows>): MoneyRows => ({
  batchId: 'B',
  status: 'ready',
  isAlarm: false,
  isForApproval: false,
  isHalted: false,
  sentOn: undefined,
  rows: 1,
  amountSatang: toSatang(100n),
  unreadableAmounts: 0,
  ...changes,
});

const sumOne = (rows: readonly MoneyRows[], changes: Partial<Batch> = {}, dates = [yesterday, today]) =>
  sumDays(
    rows,
    new Map([['B', makeBatch({ status: 'running', startedAtMs: noonMs - dayMs, ...changes })]]),
    dates,
    noonMs,
  );

describe('what is known of money', () => {
  test.each([
    ['paid', false, 'paid'],
    ['paid', true, 'unknown'],
    ['submitted', false, 'unknown'],
    ['unresolved', false, 'unknown'],
    ['disputed', false, 'unknown'],
    ['failed', false, 'none'],
    ['failed', true, 'unknown'],
    ['unpayable', false, 'none'],
    ['rejected', false, 'none'],
    ['cancelled', false, 'none'],
    ['ready', false, 'wait'],
    ['held', false, 'wait'],
    ['staged', false, 'wait'],
  ] as const)('%s, contradicted %s: %s', (status, isAlarm, outcome) => {
    expect(outcomeOf({ status, isAlarm })).toBe(outcome);
  });
});

describe('the money of days', () => {
  test('each row stands on one day, and the days sum to all rows', () => {
    const one = fc.record({
      status: fc.constantFrom(...payoutStatuses),
      isAlarm: fc.boolean(),
      isForApproval: fc.boolean(),
      isHalted: fc.boolean(),
      sentOn: fc.constantFrom(undefined, today, yesterday),
      rows: fc.nat(1_000),
      amountSatang: fc.bigInt({ min: 0n, max: 10n ** 17n }).map(toSatang),
      unreadableAmounts: fc.nat(3),
    });
    const status = fc.constantFrom(...(['running', 'done', 'halted', 'paused'] as const));
    fc.assert(
      fc.property(fc.array(one), status, (changes, batchStatus) => {
        const rows = changes.map(rowsOf);
        const days = sumOne(rows, { status: batchStatus });
        const ofDays = days.flatMap(({ byOutcome }) => Object.values(byOutcome));
        expect(addFigures(ofDays)).toEqual(addFigures(rows));
        for (const { byOutcome, byWait } of days)
          expect(addFigures(Object.values(byWait))).toEqual(byOutcome.wait);
      }),
    );
  });

  test('what was sent stands on the day of its send, what was not on today while its batch is under way', () => {
    const rows = [
      rowsOf({ status: 'paid', sentOn: yesterday }),
      rowsOf({ status: 'ready', rows: 2 }),
      rowsOf({ status: 'ready', sentOn: yesterday, rows: 4 }),
      rowsOf({ status: 'rejected', rows: 8 }),
    ];
    const [before, now] = sumOne(rows);
    expect([before?.byOutcome.paid.rows, before?.byOutcome.none.rows, before?.byOutcome.wait.rows]).toEqual([
      1, 8, 0,
    ]);
    expect(now?.byOutcome.wait.rows).toBe(6);
    const [left] = sumOne(rows, { status: 'done' });
    expect(left?.byOutcome.wait.rows).toBe(6);
  });

  test('what is not sent says what it waits for', () => {
    const waits = (changes: Partial<MoneyRows>, ofBatch: Partial<Batch> = {}) => {
      const { byWait } = sumOne([rowsOf(changes)], ofBatch)[1] ?? {};
      return Object.entries(byWait ?? {}).flatMap(([reason, { rows }]) => (rows > 0 ? [reason] : []));
    };
    expect(waits({ status: 'held', isForApproval: true })).toEqual(['approval']);
    expect(waits({}, { status: 'paused', reasonCode: approvalCode })).toEqual(['approval']);
    expect(waits({}, { status: 'halted' })).toEqual(['halted']);
    expect(waits({ status: 'held', isHalted: true })).toEqual(['halted']);
    expect(waits({ status: 'held' })).toEqual(['held']);
    expect(waits({})).toEqual(['under-way']);
  });
});

test('classes of age sum to all that is unknown', () => {
  const figures = (age: number, rows: number) => ({ ...rowsOf({ rows }), age, isAsked: true });
  const ages = sumAges([figures(0, 1), figures(2, 4), figures(2, 8)]);
  expect(ages.map(({ rows }) => rows)).toEqual([1, 0, 12, 0]);
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

  test('is the rate of late, and when the rest will be sent at it', () => {
    expect(computeProgress(totals, sends({}), noonMs)).toEqual({
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
