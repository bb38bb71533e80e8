/** Numbers of a statement that a spreadsheet has saved: zeros that are certain are put back, other damage is named. */
import { inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { StatementLine } from '../../../src/reconcile/rules/statement.ts';
import { judge, kindsOf, makeFacts, makeLine } from '../../support/statement-fixtures.ts';

/** Tax IDs that begin with a zero, and with two. */
const companyTaxId = '0994000000014';
const otherTaxId = '0994000000022';
const withTwoZeros = '0099400000005';

describe('a number that has lost its leading zeros', () => {
  test.each([
    ['MSISDN', '0810000001', '810000001'],
    ['MSISDN', '0810000001', '81-000-0001'],
    ['NATID', companyTaxId, companyTaxId.slice(1)],
    ['NATID', withTwoZeros, withTwoZeros.slice(2)],
  ] as const)('%s %s is still the payee: %s', (proxyType, proxyNo, listed) => {
    const attempt = makeFacts('unresolved', {}, { proxyType, proxyNo });
    const judged = judge(attempt, [makeLine(attempt, 'complete', { proxyNo: listed })]);
    expect([judged.step, kindsOf(judged)]).toEqual(['prove', []]);
    const failed = judge(attempt, [makeLine(attempt, 'failed', { proxyNo: listed })]);
    expect([failed.step, kindsOf(failed)]).toEqual(['fail', []]);
  });

  test.each(['345924', '000345924', '034-5924'])('is still the payer account: %s', (payerAccount) => {
    const attempt = makeFacts('unresolved');
    const judged = judge(attempt, [makeLine(attempt, 'complete', { payerAccount })]);
    expect([judged.step, kindsOf(judged)]).toEqual(['prove', []]);
  });

  test('is still the company', () => {
    const attempt = makeFacts('unresolved', {}, { companyId: '0012345678' });
    const judged = judge(attempt, [makeLine(attempt, 'complete', { companyId: '12345678' })]);
    expect([judged.step, kindsOf(judged)]).toEqual(['prove', []]);
  });

  test.each([
    ['MSISDN', '0810000001', '810000002'],
    ['NATID', companyTaxId, otherTaxId.slice(1)],
  ] as const)('is of another payee where it names one: %s %s, not %s', (proxyType, proxyNo, listed) => {
    const attempt = makeFacts('paid', {}, { proxyType, proxyNo });
    expect(kindsOf(judge(attempt, [makeLine(attempt, 'complete', { proxyNo: listed })]))).toEqual([
      'payee-mismatch',
    ]);
  });
});

describe('a number that has lost other digits', () => {
  const damaged: [string, Partial<StatementLine>][] = [
    ['PROXY NO', { proxyNo: '10000001' }],
    ['PROXY NO', { proxyNo: '510000001' }],
    ['PROXY NO', { proxyType: 'NATID', proxyNo: '994000000016' }],
    ['PAYER ACCOUNT', { payerAccount: '34592' }],
  ];
  test.each(damaged)('%s: is named, and proves nothing (%#)', (column, changes) => {
    const proxyType = changes.proxyType === 'NATID' ? 'NATID' : 'MSISDN';
    const proxyNo = proxyType === 'NATID' ? companyTaxId : '0810000001';
    const attempt = makeFacts('unresolved', {}, { proxyType, proxyNo });
    const line = makeLine(attempt, 'complete', { line: 7, ...changes });
    const judged = judge(attempt, [line]);
    expect([judged.step, kindsOf(judged)]).toEqual(['doubt', ['line-unreadable']]);
    const reason = inEnglishIfAny(judged.breaks[0]?.reason);
    expect(reason).toMatch(new RegExp(`^line 7: ${column}: .*\\(number-damaged\\)$`));
    expect(reason).not.toContain(changes.proxyNo ?? changes.payerAccount ?? '');
    // The bank knows it: nothing is noted twice, and nothing says that the payee is another.
    const known = { ...attempt, acknowledged: true };
    expect(judge(known, [line]).step).toBeUndefined();
  });
});
