/** Which lines speak of an attempt, and what is left of a failure that nobody says any more. */
import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { type AttemptStatus, attemptStatuses } from '../../../src/core/payout.ts';
import { describeBreakRemedy } from '../../../src/reconcile/rules/break-remedies.ts';
import type { LineStatus } from '../../../src/reconcile/rules/statement.ts';
import {
  date,
  day,
  judge,
  kindsOf,
  makeFacts,
  makeLine,
  nextDate,
} from '../../support/statement-fixtures.ts';

const earlier = '20261101';
const onEarlier = { ...day, date: earlier };

describe('a line of before the attempt', () => {
  const cases = attemptStatuses.flatMap((status) =>
    (['complete', 'failed', 'in-process', 'other'] as const).map((said) => [status, said] as const),
  );

  test.each(cases)('settles nothing, and is a high date-mismatch: %s, %s', (status, said) => {
    const facts = makeFacts(status);
    for (const judged of [
      judge(facts, [makeLine(facts, said, { effectiveDate: earlier })], [], onEarlier),
      // The statement of the right day, with a line that took effect long before.
      judge(facts, [makeLine(facts, said, { effectiveDate: earlier })]),
    ]) {
      expect([undefined, 'doubt']).toContain(judged.step);
      expect(judged.breaks).toMatchObject([{ kind: 'date-mismatch', severity: 'high' }]);
      expect(judged.lineClasses).toEqual(['date-mismatch']);
      expect(inEnglishIfAny(judged.breaks[0]?.reason)).toMatch(
        /2026-11-01.*sent on 2026-11-21: that is another transfer/,
      );
    }
  });

  test.each<[AttemptStatus, LineStatus, string | undefined]>([
    ['unresolved', 'complete', 'doubt'],
    ['sent', 'failed', 'doubt'],
    ['failed', 'complete', 'doubt'],
    ['failed', 'in-process', 'doubt'],
    ['failed', 'failed', undefined],
    ['paid', 'failed', undefined],
    ['paid', 'complete', undefined],
  ])(
    'keeps what may have been paid under its reference from being tried again: %s, %s',
    (status, said, step) => {
      const facts = makeFacts(status);
      expect(judge(facts, [makeLine(facts, said, { effectiveDate: earlier })], [], onEarlier).step).toBe(
        step,
      );
    },
  );

  test('is not what its own day lacks', () => {
    const facts = makeFacts('paid');
    const elsewhere = [{ date: earlier, line: makeLine(facts, 'complete', { effectiveDate: earlier }) }];
    expect(kindsOf(judge(facts, [], elsewhere))).toEqual(['missing-at-bank']);
    expect(kindsOf(judge(makeFacts('unresolved'), [], elsewhere))).toEqual(['pending-not-in-statement']);
  });

  test('has a remedy of its own', () => {
    const facts = makeFacts('unresolved');
    const line = makeLine(facts, 'complete', { effectiveDate: earlier });
    const [found] = judge(facts, [line], [], onEarlier).breaks;
    if (found === undefined) throw new Error('there is no break');
    expect(inEnglish(describeBreakRemedy({ ...found, attempt: facts, lines: [line] }))).toMatch(
      /journal that was lost/,
    );
  });

  test('is none that took effect on the next day', () => {
    const facts = makeFacts('unresolved');
    const line = makeLine(facts, 'complete', { effectiveDate: nextDate });
    expect(judge(facts, [line], [], { ...day, date: nextDate })).toMatchObject({ step: 'prove', breaks: [] });
  });
});

describe('a line of the day before, of an attempt from just after midnight', () => {
  const eve = '20261120';
  const onEve = { ...day, date: eve };
  const justAfter = { tranTime: '00:00:41' };
  const said = { effectiveDate: eve, effectiveTime: '23:59:58' };

  test('proves what is in doubt, and is what its own day lacks', () => {
    const facts = makeFacts('unresolved', {}, justAfter);
    const line = makeLine(facts, 'complete', said);
    expect(judge(facts, [line], [], onEve)).toMatchObject({ step: 'prove', breaks: [] });
    const paid = makeFacts('paid', {}, justAfter);
    expect(judge(paid, [], [{ date: eve, line }])).toMatchObject({
      breaks: [],
      paidClass: 'found-other-day',
    });
    expect(judge(paid, [line], [], onEve).lineClasses).toEqual(['matched-other-day']);
    // Both days have it complete: money may have gone out twice.
    expect(kindsOf(judge(paid, [makeLine(paid, 'complete')], [{ date: eve, line }]))).toEqual([
      'duplicate-line',
    ]);
  });

  test('is told by the bank’s own reference, too, where it bears no time', () => {
    const facts = makeFacts('unresolved', { sysRefNo: 'SYS1' }, justAfter);
    const line = makeLine(facts, 'complete', { ...said, effectiveTime: '' });
    expect(judge(facts, [line], [], onEve)).toMatchObject({ step: 'prove', breaks: [] });
  });

  test.each([
    ['one that failed', 'failed', {}, {}],
    ['long before midnight', 'complete', { effectiveTime: '23:50:00' }, {}],
    ['sent long after midnight', 'complete', {}, { tranTime: '00:20:00' }],
    ['sent before the midnight after', 'complete', {}, { tranTime: '23:59:59' }],
    ['without a time', 'complete', { effectiveTime: '' }, {}],
    ['of two days before', 'complete', { effectiveDate: '20261119' }, {}],
  ] as const)('is another transfer’s: %s', (_name, status, changes, order) => {
    const facts = makeFacts('unresolved', {}, { ...justAfter, ...order });
    const judged = judge(facts, [makeLine(facts, status, { ...said, ...changes })], [], onEve);
    expect(judged.step).toBe('doubt');
    expect(kindsOf(judged)).toEqual(['date-mismatch']);
  });

  test('proves nothing with another payee or amount', () => {
    const facts = makeFacts('unresolved', {}, justAfter);
    for (const other of [{ proxyNo: '0810000009' }, { amountSatang: toSatang(1n) }])
      expect(judge(facts, [makeLine(facts, 'complete', { ...said, ...other })], [], onEve).step).toBe(
        'doubt',
      );
  });
});

describe('a failure that a superseded statement had settled', () => {
  const failed = makeFacts('failed', { settledBy: 'statement' });

  test('is in doubt again where no statement says so any more', () => {
    expect(judge(failed, [])).toMatchObject({
      step: 'reopen',
      breaks: [{ kind: 'pending-not-in-statement', severity: 'high' }],
    });
    expect(judge(failed, [makeLine(failed, 'other')]).step).toBe('doubt');
    expect(judge(failed, [makeLine(failed, 'in-process')]).step).toBe('doubt');
  });

  test('stands where another one says so, or something else has shown it', () => {
    const elsewhere = [{ date: nextDate, line: makeLine(failed, 'failed') }];
    expect(judge(failed, [], elsewhere)).toMatchObject({ step: undefined, breaks: [] });
    expect(judge(makeFacts('failed', { settledBy: 'inquiry' }), []).step).toBeUndefined();
    expect(judge(makeFacts('failed', { settledBy: 'inquiry' }), [makeLine(failed, 'other')]).step).toBe(
      undefined,
    );
  });

  test('is said by no line of before the attempt', () => {
    const elsewhere = [{ date: earlier, line: makeLine(failed, 'failed', { effectiveDate: earlier }) }];
    expect(judge(failed, [], elsewhere).step).toBe('reopen');
  });
});

describe('two attempts of one payout that are both complete', () => {
  test.each([
    makeFacts('unresolved', { payoutStatus: 'paid' }),
    makeFacts('failed', { payoutStatus: 'paid' }),
    makeFacts('paid', { isPaidOtherwise: true }),
  ])('are the most severe break', (facts) => {
    const [first] = judge(facts, [makeLine(facts, 'complete')]).breaks;
    expect(first).toMatchObject({ kind: 'paid-twice', severity: 'critical' });
  });

  test('are none when the line proves nothing', () => {
    const facts = makeFacts('unresolved', { payoutStatus: 'paid' });
    const kinds = kindsOf(judge(facts, [makeLine(facts, 'complete', { proxyNo: '0810000009' })]));
    expect(kinds).toEqual(['payee-mismatch']);
    expect(kindsOf(judge(facts, [makeLine(facts, 'failed')]))).toEqual([]);
  });
});

describe('the reason of a break', () => {
  const facts = makeFacts('paid', { feeText: '1.00' });

  test('shows no number of a person, whichever column it slipped into', () => {
    const number = '1101700203451';
    const shifted = { proxyType: number, companyId: number, chargeType: number, statusText: number };
    const line = makeLine(facts, 'complete', { ...shifted, netSatang: toSatang(1n) });
    const reasons = judge(facts, [line]).breaks.map(({ reason }) => inEnglish(reason));
    expect(reasons.length).toBeGreaterThan(3);
    expect(reasons.join('\n')).not.toMatch(/\d{7}/);
  });

  test('has dates and amounts as everywhere else, and each amount once', () => {
    const amounts = { amountSatang: toSatang(125_001n), feeSatang: toSatang(0n), netSatang: toSatang(1n) };
    const line = makeLine(facts, 'complete', { ...amounts, effectiveDate: '20261130' });
    expect(judge(facts, [line]).breaks.map(({ reason }) => inEnglish(reason))).toEqual([
      '100.00 was sent, the statement says 1,250.01',
      'the reply to the transfer said 1.00, the statement 0.00',
      'the net amount is 0.01, with charge type Our, fee 0.00 it would be 1,250.01',
      'effective on 2026-11-30, in the statement of 2026-11-21, sent on 2026-11-21',
    ]);
    expect(date).toBe('20261121');
  });
});
