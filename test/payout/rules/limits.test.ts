import { describe, expect, test } from 'vitest';
import { move } from '../../../src/core/change.ts';
import { toSatang } from '../../../src/core/money.ts';
import { type PayoutStatus, payoutStatuses } from '../../../src/core/payout.ts';
import {
  computeUseMoves,
  dayLimitsOf,
  findLimits,
  LimitForecast,
  noFacts,
  readTimeLimits,
} from '../../../src/payout/rules/limits.ts';
import { settingsSchema } from '../../../src/settings/schema.ts';
import { makePayout, noonMs, payer } from '../../support/core-fixtures.ts';

const read = (limits: object) =>
  readTimeLimits(settingsSchema.parse({ bank: { baseUrl: 'sandbox', ...payer }, limits }).limits);

function limitsOf(limits: object) {
  const found = read(limits);
  if (found === undefined) throw new Error('no limit is set');
  return found;
}

const codes = (found: readonly { readonly code: string }[]): string[] => found.map(({ code }) => code);

/** The moment at which the Bangkok day of noon begins: a Saturday. */
const midnightMs = noonMs - 12 * 3_600_000;

test('none is set by default, and 0 is none', () => {
  expect(read({})).toBeUndefined();
  expect(read({ bahtPerDay: '0', filesPerDay: 0, serviceDays: [], closedDates: [] })).toBeUndefined();
});

describe('a day on which nothing is sent is one in Bangkok', () => {
  test.each([
    ['serviceDays', { serviceDays: ['sat'] }, midnightMs - 1, ['service-day']],
    ['serviceDays', { serviceDays: ['sat'] }, midnightMs, []],
    ['serviceDays', { serviceDays: ['sun'] }, midnightMs + 86_400_000, []],
    ['closedDates', { closedDates: ['2026-11-21'] }, midnightMs - 1, []],
    ['closedDates', { closedDates: ['2026-11-21'] }, midnightMs, ['service-day']],
    ['both', { serviceDays: ['sat'], closedDates: ['2026-11-21'] }, midnightMs, ['service-day']],
  ])('%s %j', (_name, limits, nowMs, expected) => {
    expect(codes(findLimits(limitsOf(limits), makePayout(), noFacts, nowMs))).toEqual(expected);
  });
});

describe('what people let go on', () => {
  const limits = limitsOf({
    bahtPerDay: '1',
    bahtPerPayeePerDay: '1',
    newPayeeBaht: '1',
    closedDates: ['2026-11-21'],
  });
  const all = ['new-payee', 'baht-per-day', 'payee-per-day', 'service-day'];
  const facts = { ...noFacts, isPayeeKnown: false };

  test.each([
    [[], all],
    [['limit', 'similar', 'name'], all],
    [['day-limit'], ['new-payee', 'service-day']],
    [['new-payee'], ['baht-per-day', 'payee-per-day', 'service-day']],
    [['service-day'], ['new-payee', 'baht-per-day', 'payee-per-day']],
    [['new-payee', 'day-limit', 'service-day'], []],
  ] as const)('%j is not held for it again, and for the rest it is', (acceptedHolds, expected) => {
    const payout = makePayout({ acceptedHolds });
    expect(codes(findLimits(limits, payout, facts, noonMs))).toEqual(expected);
    expect(dayLimitsOf(limits, payout) === undefined).toBe(
      !expected.some((code) => code.endsWith('per-day')),
    );
  });
});

test('a payout counts from its intent on, until it is proved that no money moved', () => {
  const counting: readonly PayoutStatus[] = ['submitted', 'paid', 'unresolved', 'disputed'];
  for (const from of payoutStatuses)
    for (const to of payoutStatuses) {
      const payout = makePayout({ status: from, submittedAtMs: midnightMs - 1 });
      const change = move({ payout, patch: { status: to }, cause: 'inquired', nowMs: noonMs });
      const by = Number(counting.includes(to)) - Number(counting.includes(from));
      const expected = by === 0 ? [] : [{ date: '20261120', by }];
      expect(computeUseMoves(change).map((one) => ({ date: one.date, by: one.by }))).toEqual(expected);
    }
});

test('and on another day once the bank knows a later transfer of it, that a lost journal made', () => {
  const payout = makePayout({ status: 'unresolved', submittedAtMs: midnightMs - 1 });
  const patch = { submittedAtMs: midnightMs };
  const change = move({ payout, patch, cause: 'found-after-loss', nowMs: noonMs });
  expect(computeUseMoves(change).map(({ date, by }) => [date, by])).toEqual([
    ['20261120', -1],
    ['20261121', 1],
  ]);
});

describe('foreseen of rows that are sent one after another', () => {
  const payoutOf = (satang: bigint, proxyNo: string) => {
    const payout = makePayout();
    const instruction = { ...payout.instruction, amountSatang: toSatang(satang), proxyNo };
    return { ...payout, instruction };
  };
  const known = { payeeSatang: noFacts.payeeSatang, isPayeeKnown: true };

  test('a smaller one still fits after a bigger one is held', () => {
    const forecast = new LimitForecast(limitsOf({ bahtPerDay: '10' }), noFacts.use, noonMs);
    const found = [600n, 500n, 400n, 1n].map((satang) => codes(forecast.add(payoutOf(satang, 'A'), known)));
    expect(found).toEqual([[], ['baht-per-day'], [], ['baht-per-day']]);
  });

  test('each payee has a sum of his own, with what counts already', () => {
    const forecast = new LimitForecast(limitsOf({ bahtPerPayeePerDay: '10' }), noFacts.use, noonMs);
    const add = (satang: bigint, proxyNo: string, before = 0n) =>
      codes(forecast.add(payoutOf(satang, proxyNo), { ...known, payeeSatang: toSatang(before) }));
    expect([add(600n, 'A'), add(600n, 'B'), add(500n, 'A'), add(400n, 'B', 1n), add(400n, 'A')]).toEqual([
      [],
      [],
      ['payee-per-day'],
      ['payee-per-day'],
      [],
    ]);
  });

  test('a file is counted with its first row', () => {
    const limits = limitsOf({ filesPerDay: 1 });
    const full = { ...noFacts.use, files: 1 };
    const [late, first, goingOn] = [full, noFacts.use, { ...full, isFileCounted: true }].map((use) => {
      const forecast = new LimitForecast(limits, use, noonMs);
      return [1, 2].map(() => codes(forecast.add(payoutOf(1n, 'A'), known)).join());
    });
    expect([late, first, goingOn]).toEqual([
      ['files-per-day', 'files-per-day'],
      ['', ''],
      ['', ''],
    ]);
  });
});
