/** Lines of which a cell cannot be read: each is a break of its own, and the others of its statement count. */
import { inEnglishIfAny, message, verbatim, encodeMessage } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { AttemptStatus } from '../../../src/core/payout.ts';
import type { LineStatus } from '../../../src/reconcile/rules/statement.ts';
import {
  baht,
  date,
  day,
  judge,
  kindsOf,
  makeFacts,
  makeLine,
  nextDate,
} from '../../support/statement-fixtures.ts';

const fault = verbatim('AMOUNT: the amount "-100.00" is negative (amount-negative)');
const unread = { fault: encodeMessage(fault), amountSatang: baht('0.00'), line: 9 };

describe('a line that cannot be read', () => {
  test.each<[AttemptStatus, LineStatus, string, string | undefined, string[]]>([
    ['unresolved', 'complete', 'medium', 'doubt', ['line-unreadable']],
    ['unresolved', 'failed', 'medium', 'doubt', ['line-unreadable']],
    ['sent', 'other', 'medium', 'doubt', ['line-unreadable', 'unknown-status-word']],
    ['paid', 'complete', 'high', undefined, ['line-unreadable']],
    ['failed', 'complete', 'high', 'doubt', ['status-mismatch', 'line-unreadable']],
    ['failed', 'failed', 'medium', undefined, ['line-unreadable']],
  ])('%s here, its STATUS %s: %s, %s', (attemptStatus, status, severity, step, kinds) => {
    const attempt = makeFacts(attemptStatus);
    const judged = judge(attempt, [makeLine(attempt, status, unread)]);
    expect([judged.step, kindsOf(judged)]).toEqual([step, kinds]);
    const named = judged.breaks.find(({ kind }) => kind === 'line-unreadable');
    expect(named).toMatchObject({
      severity,
      lineAt: 0,
      reason: message('break-reason.fault', { line: 9, fault }),
    });
  });

  test('says nothing of the payee, and is told once', () => {
    const attempt = makeFacts('unresolved', { acknowledged: true });
    const line = makeLine(attempt, 'complete', { ...unread, proxyNo: '0899999999' });
    expect(judge(attempt, [line])).toMatchObject({ step: undefined, breaks: [{ kind: 'line-unreadable' }] });
  });

  test('is named where another line is held against the attempt, which it keeps from being proved', () => {
    const attempt = makeFacts('unresolved');
    const judged = judge(attempt, [makeLine(attempt, 'complete'), makeLine(attempt, 'complete', unread)]);
    expect([judged.step, kindsOf(judged)]).toEqual([
      'doubt',
      expect.arrayContaining(['line-unreadable', 'duplicate-line']),
    ]);
    expect(judged.breaks.find(({ kind }) => kind === 'line-unreadable')).toMatchObject({ lineAt: 1 });
  });

  test('is not taken for missing, wherever it stands', () => {
    const attempt = makeFacts('paid');
    expect(kindsOf(judge(attempt, [makeLine(attempt, 'complete', unread)]))).not.toContain('missing-at-bank');
    const elsewhere = [{ date: nextDate, line: makeLine(attempt, 'complete', unread) }];
    expect(kindsOf(judge(attempt, [], elsewhere))).toEqual([]);
  });

  test('of nobody’s transfer is named beside that', () => {
    const line = makeLine(makeFacts('paid'), 'complete', unread);
    expect(judge(undefined, [line]).breaks).toMatchObject([
      { kind: 'line-unreadable', severity: 'high' },
      { kind: 'unmatched-bank-line', severity: 'high' },
    ]);
    for (const transRefNo of ['', 'X1', line.transRefNo.slice(0, 12)])
      expect(kindsOf(judge(undefined, [{ ...line, transRefNo }]))).toEqual(['line-unreadable']);
    expect(judge(undefined, [{ ...line, companyId: 'COMP000002' }]).breaks).toEqual([]);
  });
});

describe('a day with a line that may be of any transfer', () => {
  const inPart = { ...day, readDates: new Set<string>(), unreadDates: new Set([date]) };

  test('lets nothing be concluded from what it lacks', () => {
    const inquired = { lastInquiryAtMs: Date.UTC(2026, 10, 30), lastFinding: 'not-found' } as const;
    const attempt = makeFacts('unresolved', inquired);
    const whole = { ...day, readDates: new Set([date, nextDate]) };
    expect(kindsOf(judge(attempt, [], [], whole))).toEqual(['no-trace']);
    for (const unreadDate of [date, nextDate]) {
      const judged = judge(attempt, [], [], { ...whole, unreadDates: new Set([unreadDate]) });
      expect(judged.breaks).toMatchObject([{ kind: 'pending-not-in-statement', severity: 'low' }]);
      expect(inEnglishIfAny(judged.breaks[0]?.reason)).toMatch(/a line that cannot be read may be it$/);
    }
    const paid = judge(makeFacts('paid'), [], [], inPart);
    expect([paid.paidClass, kindsOf(paid)]).toEqual(['line-unreadable', ['line-unreadable']]);
  });
});
