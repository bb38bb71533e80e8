import { inEnglish, verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addLikeness,
  type AnswerPolicy,
  computeExpectedTime,
  forecastEarlierRow,
  forecastRow,
} from '../../../src/check/rules/forecast.ts';
import { type HoldReason, type PayoutStatus, payoutStatuses } from '../../../src/core/payout.ts';
import { noBankNames } from '../../../src/payout/rules/intent.ts';
import type { PayeeVerdict } from '../../../src/payout/rules/payee.ts';
import { makePayout } from '../../support/core-fixtures.ts';

const { instruction } = makePayout();
const strict: AnswerPolicy = { enabled: true, whenUnavailable: 'hold', onThaiNameMismatch: 'hold' };
const lenient: AnswerPolicy = { enabled: true, whenUnavailable: 'pay', onThaiNameMismatch: 'pay' };
const off: AnswerPolicy = { ...strict, enabled: false };
const reason = { code: 'EV033', text: verbatim('inactive') };

const payable: PayeeVerdict = { kind: 'payable', names: noBankNames };
const otherName: PayeeVerdict = { kind: 'other-name', names: noBankNames };
const unpayable: PayeeVerdict = { kind: 'unpayable', reason };
const unavailable: PayeeVerdict = {
  kind: 'unavailable',
  reason: { code: 'reply-lost', text: verbatim('no answer') },
};
const stopped: PayeeVerdict = { kind: 'stopped' };

type Case = readonly [
  name: string,
  verdict: PayeeVerdict,
  policy: AnswerPolicy,
  holds: readonly HoldReason[],
  isHalted: boolean,
  expected: readonly [outcome: string, holds: string, issues: string, notes: string],
];

const cases: readonly Case[] = [
  ['payable', payable, strict, [], false, ['toPay', '', '', '']],
  ['unpayable', unpayable, strict, [], false, ['unpayable', '', 'EV033', '']],
  ['unpayable, nobody asks', unpayable, off, [], false, ['unpayable', '', 'EV033', '']],
  ['another name', otherName, strict, [], false, ['held', 'name', 'thai-name-differs', '']],
  ['another name that is paid', otherName, lenient, [], false, ['toPay', '', '', 'thai-name-differs']],
  ['another name, nobody asks', otherName, off, [], false, ['toPay', '', '', 'thai-name-differs']],
  ['no answer', unavailable, strict, [], false, ['held', 'unavailable', 'reply-lost', '']],
  ['no answer, paid', unavailable, lenient, [], false, ['toPay', '', '', 'reply-lost']],
  ['no answer, nobody asks', unavailable, off, [], false, ['toPay', '', '', 'reply-lost']],
  ['over the limit', payable, strict, ['limit'], false, ['held', 'limit', 'limit', '']],
  ['over the limit, unpayable', unpayable, strict, ['limit'], false, ['held', 'limit', 'limit,EV033', '']],
  [
    'over the limit, another name',
    otherName,
    strict,
    ['limit'],
    false,
    ['held', 'limit,name', 'limit,thai-name-differs', ''],
  ],
  ['a stopped line', payable, strict, [], true, ['held', 'halted', '', '']],
  ['a stopped line, unpayable', unpayable, strict, [], true, ['unpayable', '', 'EV033', '']],
  ['not asked', stopped, strict, ['limit'], true, ['notAsked', '', '', '']],
];

describe('what a run would do with a good row', () => {
  test.each(cases)('%s', (_name, verdict, policy, holds, isHalted, expected) => {
    const forecast = forecastRow({ line: 4, instruction, holds }, verdict, policy, isHalted);
    const codes = (issues: readonly { readonly code: string }[]) => issues.map(({ code }) => code).join();
    const { outcome, issues, notes } = forecast;
    expect([outcome, forecast.holds.join(), codes(issues), codes(notes)]).toEqual(expected);
    for (const { line, value, message } of [...issues, ...notes]) {
      expect(line).toBe(4);
      expect(`${value} ${inEnglish(message)}`).not.toContain(instruction.proxyNo);
    }
  });

  test('like one that was paid', () => {
    const good = { line: 4, instruction, holds: [] };
    const paying = { outcome: 'toPay', holds: [], issues: [], notes: [] } as const;
    expect(addLikeness(good, paying, 'none')).toBe(paying);
    expect(addLikeness(good, paying, 'same-payment')).toMatchObject({
      outcome: 'held',
      holds: ['similar'],
      issues: [{ line: 4, code: 'similar-payment' }],
    });
    expect(addLikeness(good, paying, 'other-reference')).toMatchObject({
      outcome: 'toPay',
      issues: [],
      notes: [{ line: 4, code: 'similar-reference' }],
    });
  });
});

describe('what another run would do with a row that an earlier one has read', () => {
  const row = (status: PayoutStatus, holds: readonly HoldReason[] = []) =>
    forecastEarlierRow({
      line: 2,
      status,
      holds,
      issues: [],
      reason: verbatim('because'),
      reasonCode: 'X1',
      instruction,
    });

  test.each<readonly [PayoutStatus, string]>([
    ['staged', 'ask'],
    ['ready', 'ask'],
    ['paid', 'paidEarlier'],
    ['submitted', 'inDoubt'],
    ['unresolved', 'inDoubt'],
    ['disputed', 'inDoubt'],
    ['rejected', 'rejected'],
    ['unpayable', 'unpayable'],
    ['failed', 'endedEarlier'],
    ['cancelled', 'endedEarlier'],
  ])('%s → %s', (status, outcome) => {
    const forecast = row(status);
    expect(forecast === 'ask' ? 'ask' : forecast.outcome).toBe(outcome);
    if (forecast !== 'ask' && status !== 'paid')
      expect(forecast.issues).toMatchObject([{ line: 2, code: 'X1' }]);
  });

  test.each<readonly [readonly HoldReason[], string]>([
    [['paused'], 'ask'],
    [['paused', 'unavailable'], 'ask'],
    [['halted'], 'ask'],
    [['paused', 'limit'], 'limit'],
    [['name', 'similar'], 'name,similar'],
  ])('held for %j → %s', (holds, expected) => {
    const forecast = row('held', holds);
    expect(forecast === 'ask' ? 'ask' : forecast.holds.join()).toBe(expected);
  });

  test('every status has an answer', () => {
    for (const status of payoutStatuses) expect(row(status, ['limit'])).toBeDefined();
  });

  test('the issues of a rejected row are told as they were', () => {
    const issues = [
      { line: 2, column: 'amount', code: 'amount-decimals', value: '1.234', message: verbatim('m') },
    ];
    const rejected = { line: 2, status: 'rejected', holds: [], reason: null, reasonCode: null } as const;
    expect(forecastEarlierRow({ ...rejected, issues, instruction: null })).toMatchObject({ issues });
  });
});

describe('the expected time', () => {
  const pace = {
    transfers: 1_000,
    inquiriesEach: 0,
    checks: 1_000,
    transferConcurrency: 4,
    rowsAtOnce: 5,
    checkConcurrency: 8,
    requestsPerSecond: 0,
    latencyMs: 100,
  };

  test.each([
    ['transfers', {}, 25_000, 'transfers'],
    ['checks', { checkConcurrency: 2 }, 50_000, 'checks'],
    ['checks that find nobody payable', { transfers: 1 }, 12_500, 'checks'],
    ['transfers that wait for their inquiries', { inquiriesEach: 2 }, 60_000, 'transfers'],
    ['many inquiries before each', { inquiriesEach: 10 }, 250_000, 'transfers'],
    ['the rate, of both', { requestsPerSecond: 20 }, 100_000, 'requestsPerSecond'],
    [
      'the rate, of inquiries, too',
      { requestsPerSecond: 20, inquiriesEach: 2 },
      200_000,
      'requestsPerSecond',
    ],
    ['the rate, when nobody is asked', { requestsPerSecond: 20, checks: 0 }, 50_000, 'requestsPerSecond'],
    ['a rate that is no bound', { requestsPerSecond: 1_000 }, 25_000, 'transfers'],
  ])('is bound by %s', (_name, changes, ms, boundBy) => {
    expect(computeExpectedTime({ ...pace, ...changes })).toEqual({ ms, boundBy });
  });

  test('never falls when there is more to do, and never breaks the rate', () => {
    const some = fc.record({
      transfers: fc.nat(100_000),
      inquiriesEach: fc.nat(10),
      checks: fc.nat(100_000),
      transferConcurrency: fc.integer({ min: 1, max: 50 }),
      rowsAtOnce: fc.integer({ min: 51, max: 99 }),
      checkConcurrency: fc.integer({ min: 1, max: 50 }),
      requestsPerSecond: fc.nat(100),
      latencyMs: fc.nat(5_000),
    });
    fc.assert(
      fc.property(some, (one) => {
        const { ms } = computeExpectedTime(one);
        expect(computeExpectedTime({ ...one, transfers: one.transfers + 1 }).ms).toBeGreaterThanOrEqual(ms);
        if (one.requestsPerSecond > 0)
          expect(ms * one.requestsPerSecond).toBeGreaterThanOrEqual(
            (one.checks + one.transfers * (1 + one.inquiriesEach)) * 999,
          );
        const more = computeExpectedTime({ ...one, inquiriesEach: one.inquiriesEach + 1 });
        expect(more.ms).toBeGreaterThanOrEqual(ms);
      }),
    );
  });
});
