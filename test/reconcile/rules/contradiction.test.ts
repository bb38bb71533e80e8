/** Lines whose codes contradict each other, and failures that are of another transfer than ours: nothing is settled by them. */
import { inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { type AttemptStatus, attemptStatuses } from '../../../src/core/payout.ts';
import type { StatementLine } from '../../../src/reconcile/rules/statement.ts';
import type { AttemptFacts } from '../../../src/reconcile/rules/types.ts';
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

const lineOf = (attempt: AttemptFacts, changes: Partial<StatementLine> = {}): StatementLine =>
  makeLine(attempt, 'contradiction', { statusText: '030003', reasonCode: 'IC000', ...changes });

describe('STATUS and REASON CODE contradict each other', () => {
  test.each<[AttemptStatus, string | undefined, string | undefined]>([
    ['recorded', 'doubt', undefined],
    ['sent', 'doubt', undefined],
    ['unresolved', 'doubt', undefined],
    ['failed', 'doubt', undefined],
    ['refused', 'doubt', undefined],
    ['paid', undefined, 'status-contradiction'],
  ])('%s here: a critical break of its own, and in doubt', (status, step, paidClass) => {
    const attempt = makeFacts(status);
    const judged = judge(attempt, [lineOf(attempt)]);
    expect([judged.lineClasses, judged.step, judged.paidClass]).toEqual([
      ['status-contradiction'],
      step,
      paidClass,
    ]);
    expect(judged.breaks).toMatchObject([{ kind: 'status-contradiction', severity: 'critical', lineAt: 0 }]);
    expect(inEnglishIfAny(judged.breaks[0]?.reason)).toBe(
      'STATUS says "030003" and REASON CODE says "IC000": the two contradict each other',
    );
  });

  test('tells the bank’s knowledge of an attempt in doubt once', () => {
    const known = makeFacts('unresolved', { acknowledged: true });
    expect(judge(known, [lineOf(known)]).step).toBeUndefined();
  });

  test('may have no amount credited', () => {
    const attempt = makeFacts('unresolved');
    const nothing = { amountSatang: baht('0.00'), feeSatang: baht('0.00'), netSatang: baht('0.00') };
    expect(kindsOf(judge(attempt, [lineOf(attempt, nothing)]))).toEqual(['status-contradiction']);
  });

  test('shows no number of a person that shifted columns have brought there', () => {
    const attempt = makeFacts('unresolved');
    const changes = { statusText: '0812345678', reasonCode: '1101700230705' };
    expect(inEnglishIfAny(judge(attempt, [lineOf(attempt, changes)]).breaks[0]?.reason)).not.toMatch(
      /081234|11017002/,
    );
  });

  test('keeps another line of the same transfer from settling it, on its day and on others', () => {
    const attempt = makeFacts('unresolved');
    for (const status of ['complete', 'failed'] as const) {
      const clear = makeLine(attempt, status);
      const both = judge(attempt, [clear, lineOf(attempt)]);
      expect([both.step, kindsOf(both)]).toEqual([
        'doubt',
        expect.arrayContaining(['status-contradiction', 'duplicate-line']),
      ]);
      const later = judge(attempt, [clear], [{ date: nextDate, line: lineOf(attempt) }]);
      expect(later.step).toBe('doubt');
    }
    const failedLater = makeLine(attempt, 'failed', { effectiveDate: date });
    const on = { ...day, date: nextDate };
    expect(judge(attempt, [failedLater], [{ date, line: lineOf(attempt) }], on).step).toBe('doubt');
  });

  test('lets what failed rest when an inquiry after its day has said so', () => {
    const attempt = makeFacts('failed', { lastFinding: 'failed', lastInquiryAtMs: Date.UTC(2026, 10, 22) });
    const judged = judge(attempt, [lineOf(attempt)]);
    expect([judged.step, kindsOf(judged)]).toEqual([undefined, ['status-contradiction']]);
  });

  test('makes what had failed by an earlier version doubtful again', () => {
    const attempt = makeFacts('failed', { settledBy: 'statement', isFailedByStatement: true });
    expect(judge(attempt, [lineOf(attempt)]).step).toBe('doubt');
  });

  test('of nobody’s transfer is high: money may have moved', () => {
    const judged = judge(undefined, [lineOf(makeFacts('sent'), { transRefNo: 'X1' })]);
    expect(judged.breaks).toMatchObject([{ kind: 'unmatched-bank-line', severity: 'high' }]);
  });
});

describe('a failed line that is not of a send', () => {
  const inDoubt = attemptStatuses.filter((status) => ['recorded', 'sent', 'unresolved'].includes(status));

  test.each(inDoubt)('of another day settles nothing: %s', (status) => {
    const attempt = makeFacts(status);
    const on = { ...day, date: nextDate };
    const judged = judge(attempt, [makeLine(attempt, 'failed', { effectiveDate: nextDate })], [], on);
    expect([judged.step, judged.breaks]).toMatchObject([
      'doubt',
      [{ kind: 'status-mismatch', severity: 'low' }],
    ]);
    expect(inEnglishIfAny(judged.breaks[0]?.reason)).toContain(
      'nothing was sent under its reference on 2026-11-22',
    );
    const own = judge(attempt, [makeLine(attempt, 'failed', { effectiveDate: date })], [], on);
    expect([own.step, kindsOf(own)]).toEqual(['fail', []]);
  });

  test.each([
    ['INV-1', 'INV-1', 'fail'],
    ['INV-1', '', 'fail'],
    ['00123', '123', 'fail'],
    ['INV-1', 'INV-2', 'doubt'],
    [null, 'INV-2', 'doubt'],
    [null, '', 'fail'],
  ] as const)('sent with REFERENCE1 %j, listed with %j: %s', (reference1, listed, step) => {
    const attempt = makeFacts('sent', {}, { reference1 });
    const judged = judge(attempt, [makeLine(attempt, 'failed', { reference1: listed })]);
    expect(judged.step).toBe(step);
    if (step === 'fail') return;
    expect(judged.breaks).toMatchObject([{ kind: 'status-mismatch', severity: 'low' }]);
    expect(inEnglishIfAny(judged.breaks[0]?.reason)).toContain('REFERENCE1 is not the one that was sent');
  });

  test('settles nothing where the reference went before on that day', () => {
    const attempt = makeFacts('sent', { isRepeatedOnDay: true });
    const judged = judge(attempt, [makeLine(attempt, 'failed')]);
    expect([judged.step, judged.breaks]).toMatchObject([
      'doubt',
      [{ kind: 'status-mismatch', severity: 'low' }],
    ]);
    expect(judge(attempt, [makeLine(attempt, 'complete')]).step).toBe('prove');
  });

  test('does not keep what had failed by a statement as failed', () => {
    const attempt = makeFacts('failed', { settledBy: 'statement', isFailedByStatement: true });
    const other = makeLine(attempt, 'failed', { effectiveDate: nextDate });
    expect(judge(attempt, [], [{ date: nextDate, line: other }]).step).toBe('reopen');
    const judged = judge(attempt, [other], [], { ...day, date: nextDate });
    expect([judged.step, judged.breaks]).toMatchObject([
      'doubt',
      [{ kind: 'status-mismatch', severity: 'low' }],
    ]);
  });

  test('agrees with what has failed here, whatever its day', () => {
    const attempt = makeFacts('failed');
    const on = { ...day, date: nextDate };
    const judged = judge(attempt, [makeLine(attempt, 'failed', { effectiveDate: nextDate })], [], on);
    expect([judged.step, kindsOf(judged)]).toEqual([undefined, []]);
  });
});
