/** What the statements of several days say of one transfer. */
import { describe, expect, test } from 'vitest';
import type { AttemptStatus } from '../../../src/core/payout.ts';
import { judgeDay } from '../../../src/reconcile/rules/judge-day.ts';
import type { LineStatus, StatementLine } from '../../../src/reconcile/rules/statement.ts';
import type { AttemptFacts, DayFacts } from '../../../src/reconcile/rules/types.ts';
import {
  date,
  day,
  judge,
  kindsOf,
  makeFacts,
  makeKey,
  makeLine,
  nextDate,
} from '../../support/statement-fixtures.ts';

type KeyElsewhere = DayFacts['otherDayLines'];

const lineOf = (status: LineStatus, changes: Partial<StatementLine> = {}) =>
  makeLine(makeFacts('paid'), status, changes);

describe('several days', () => {
  const next = { ...day, date: nextDate };
  const late = lineOf('complete', { effectiveDate: nextDate });

  test('finds a transfer of just before midnight on the next day', () => {
    const judged = judge(makeFacts('paid'), [late], [], next);
    expect([judged.lineClasses, judged.paidClass, kindsOf(judged)]).toEqual([
      ['matched-other-day'],
      undefined,
      [],
    ]);
    expect(judge(makeFacts('sent'), [late], [], next).lineClasses).toEqual(['settled-paid-other-day']);
    expect(judge(makeFacts('paid'), [], [{ date: nextDate, line: late }])).toMatchObject({
      paidClass: 'found-other-day',
      breaks: [],
    });
  });

  test('names a transfer that an earlier day has complete already', () => {
    const elsewhere = [{ date, line: lineOf('complete') }];
    const judged = judge(makeFacts('paid'), [late], elsewhere, next);
    expect([kindsOf(judged), judged.lineClasses]).toEqual([['duplicate-line'], ['duplicate-line']]);
    expect(kindsOf(judge(makeFacts('paid'), [lineOf('complete')], [{ date: nextDate, line: late }]))).toEqual(
      [],
    );
  });

  test('disputes nothing that a later day has complete', () => {
    const completeLater = [{ date: nextDate, line: late }];
    const judged = judge(makeFacts('paid'), [lineOf('failed')], completeLater);
    expect([judged.step, kindsOf(judged)]).toEqual([undefined, ['status-mismatch']]);
    const others = [{ date: nextDate, line: { ...late, proxyNo: '0899999999' } }];
    expect(judge(makeFacts('paid'), [lineOf('failed')], others).step).toBe('dispute');
    const completeBefore = [{ date, line: lineOf('complete') }];
    expect(judge(makeFacts('paid'), [lineOf('failed')], completeBefore, next).step).toBe('dispute');
  });

  test('believes neither of two days that contradict each other', () => {
    const failedLater = [{ date: nextDate, line: lineOf('failed') }];
    expect(judge(makeFacts('unresolved'), [lineOf('complete')], failedLater).step).toBe('doubt');
    const completeLater = [{ date: nextDate, line: late }];
    expect(judge(makeFacts('unresolved'), [lineOf('failed')], completeLater).step).toBe('doubt');
    const failedBefore = [{ date, line: lineOf('failed') }];
    expect(judge(makeFacts('unresolved'), [late], failedBefore, next).step).toBe('prove');
  });
});

describe('in process on one day, finished on a later one', () => {
  const next = { ...day, date: nextDate };
  const before = (...statuses: LineStatus[]) => statuses.map((status) => ({ date, line: lineOf(status) }));
  const after = (status: LineStatus, changes: Partial<StatementLine> = {}) => [
    { date: nextDate, line: lineOf(status, changes) },
  ];

  test.each<[LineStatus, string, LineStatus[]]>([
    ['complete', 'prove', ['in-process']],
    ['failed', 'fail', ['in-process']],
    ['failed', 'doubt', ['complete']],
    ['failed', 'doubt', ['other']],
    ['failed', 'doubt', ['in-process', 'complete']],
  ])('the later line says %s: %s after %j', (status, step, earlier) => {
    const judged = judge(makeFacts('unresolved'), [lineOf(status)], before(...earlier), next);
    expect([judged.step, judged.breaks.length]).toEqual([step, step === 'doubt' ? 1 : 0]);
  });

  test('is no word of the same day, nor of a later one', () => {
    const both = [lineOf('failed'), lineOf('in-process', { line: 3 })];
    expect(judge(makeFacts('unresolved'), both, [], next).step).toBe('doubt');
    expect(judge(makeFacts('unresolved'), [lineOf('failed')], after('in-process')).step).toBe('doubt');
  });

  test.each<[AttemptStatus, LineStatus, string | undefined]>([
    ['paid', 'complete', 'found-other-day'],
    ['failed', 'failed', undefined],
    ['refused', 'failed', undefined],
  ])('answers the earlier line: %s here, %s later', (attemptStatus, status, paidClass) => {
    const judged = judge(makeFacts(attemptStatus), [lineOf('in-process')], after(status));
    expect(judged.breaks).toMatchObject([{ kind: 'pending-at-bank', severity: 'low', isResolved: true }]);
    expect(judged).toMatchObject({ step: undefined, paidClass, lineClasses: ['pending-at-bank'] });
  });

  test.each<[AttemptStatus, KeyElsewhere, string | undefined]>([
    ['unresolved', after('complete'), 'doubt'],
    ['unresolved', after('failed'), 'doubt'],
    ['paid', after('failed'), undefined],
    ['paid', after('complete', { proxyNo: '0999999999' }), undefined],
    ['paid', [{ date: '20261120', line: lineOf('complete') }], undefined],
    ['paid', [...after('complete'), { date: '20261123', line: lineOf('failed') }], undefined],
    ['failed', after('complete'), 'doubt'],
    ['failed', after('in-process'), 'doubt'],
    ['failed', [...after('complete'), { date: '20261123', line: lineOf('failed') }], 'doubt'],
  ])('is no answer unless both say the same: %s (case %#)', (attemptStatus, elsewhere, step) => {
    const judged = judge(makeFacts(attemptStatus), [lineOf('in-process')], elsewhere);
    expect([kindsOf(judged), judged.step]).toEqual([['pending-at-bank'], step]);
    expect(judged.breaks[0]?.isResolved).toBeUndefined();
  });

  const midnightMs = Date.parse('2026-11-22T00:00:00+07:00');

  test.each<[AttemptStatus, AttemptFacts['lastFinding'], number, boolean]>([
    ['failed', 'failed', midnightMs, true],
    ['paid', 'complete', midnightMs + 1, true],
    ['failed', 'failed', midnightMs - 1, false],
    ['failed', 'not-found', midnightMs, false],
    ['paid', 'failed', midnightMs, false],
  ])(
    'is answered by an inquiry that says the same when its day was over: %s, %s (case %#)',
    (attemptStatus, lastFinding, lastInquiryAtMs, isResolved) => {
      const judged = judge(makeFacts(attemptStatus, { lastFinding, lastInquiryAtMs }), [
        lineOf('in-process'),
      ]);
      expect(judged.breaks).toMatchObject([{ kind: 'pending-at-bank' }]);
      expect(judged.breaks[0]?.isResolved ?? false).toBe(isResolved);
      if (isResolved) expect(judged.step).toBeUndefined();
    },
  );

  test('is answered by what has settled our side since', () => {
    const facts = { ...makeKey(makeFacts('failed'), [lineOf('in-process')]), isSettledSince: true };
    expect(judgeDay(facts, day)).toMatchObject({ breaks: [{ isResolved: true }], step: undefined });
    const open = { ...facts, attempt: makeFacts('unresolved') };
    expect(judgeDay(open, day).breaks[0]?.isResolved).toBeUndefined();
  });
});
