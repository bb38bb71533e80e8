import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { type AttemptStatus, attemptStatuses } from '../../../src/core/payout.ts';
import { computeTransRefNo } from '../../../src/core/reference.ts';
import { isOwnReference, lineKeyOf } from '../../../src/reconcile/rules/differences.ts';
import { judgeDay } from '../../../src/reconcile/rules/judge-day.ts';
import type { LineStatus, StatementLine } from '../../../src/reconcile/rules/statement.ts';
import type { StatementDay } from '../../../src/reconcile/rules/types.ts';
import {
  baht,
  date,
  day,
  judge,
  kindsOf,
  makeFacts,
  makeKey,
  makeLine,
  nextDate,
} from '../../support/statement-fixtures.ts';

const lineOf = (status: LineStatus, changes: Partial<StatementLine> = {}) =>
  makeLine(makeFacts('paid'), status, changes);

describe('one line for one attempt', () => {
  test.each<[AttemptStatus, LineStatus, string, string | undefined, string | undefined]>([
    ['paid', 'complete', 'matched', undefined, 'matched'],
    ['paid', 'failed', 'status-mismatch', 'dispute', 'status-mismatch'],
    ['paid', 'in-process', 'pending-at-bank', undefined, 'pending-at-bank'],
    ['paid', 'other', 'unknown-status-word', undefined, 'unknown-status-word'],
    ['sent', 'complete', 'settled-paid', 'prove', 'settled-paid'],
    ['recorded', 'complete', 'settled-paid', 'prove', 'settled-paid'],
    ['unresolved', 'complete', 'settled-paid', 'prove', 'settled-paid'],
    ['sent', 'failed', 'settled-failed', 'fail', undefined],
    ['unresolved', 'failed', 'settled-failed', 'fail', undefined],
    ['unresolved', 'in-process', 'pending-at-bank', 'doubt', undefined],
    ['unresolved', 'other', 'unknown-status-word', 'doubt', undefined],
    ['failed', 'complete', 'status-mismatch', 'prove', 'status-mismatch'],
    ['refused', 'complete', 'status-mismatch', 'prove', 'status-mismatch'],
    ['failed', 'failed', 'agreed-failed', undefined, undefined],
    ['refused', 'failed', 'agreed-failed', undefined, undefined],
    ['failed', 'in-process', 'pending-at-bank', 'doubt', undefined],
    ['failed', 'other', 'unknown-status-word', undefined, undefined],
  ])('%s here, %s at the bank: %s', (attemptStatus, status, lineClass, step, paidClass) => {
    const judged = judge(makeFacts(attemptStatus), [lineOf(status)]);
    expect([judged.lineClasses, judged.step, judged.paidClass]).toEqual([[lineClass], step, paidClass]);
    expect(kindsOf(judged)).toEqual(
      judged.lineClasses.filter((place) => /mismatch|pending|word/.test(place)),
    );
  });

  test('is critical where the bank paid what we had called failed', () => {
    const severity = (status: AttemptStatus, line: LineStatus) =>
      judge(makeFacts(status), [lineOf(line)]).breaks[0]?.severity;
    expect(severity('failed', 'complete')).toBe('critical');
    expect(severity('paid', 'failed')).toBe('high');
  });

  test.each<[AttemptStatus, string]>([
    ['failed', 'high'],
    ['refused', 'high'],
    ['paid', 'high'],
    ['unresolved', 'medium'],
    ['sent', 'medium'],
  ])('is %s here, and its STATUS a word that nobody knows: %s', (status, severity) => {
    expect(judge(makeFacts(status), [lineOf('other')]).breaks).toMatchObject([
      { kind: 'unknown-status-word', severity },
    ]);
  });

  test('is high where money may go astray, and medium where none moved', () => {
    const severity = (status: LineStatus) =>
      judge(makeFacts('unresolved'), [lineOf(status, { proxyNo: '0810000002' })]).breaks[0]?.severity;
    expect((['complete', 'in-process', 'other', 'failed'] as const).map(severity)).toEqual([
      'high',
      'high',
      'high',
      'medium',
    ]);
  });

  test('tells the bank’s knowledge of an attempt in doubt once', () => {
    const known = makeFacts('unresolved', { acknowledged: true });
    expect(judge(known, [lineOf('in-process')]).step).toBeUndefined();
    expect(judge(known, [lineOf('in-process', { proxyNo: '0810000002' })]).step).toBe('doubt');
    const contested = makeFacts('unresolved', { acknowledged: true, referenceConflict: true });
    expect(judge(contested, [lineOf('complete', { proxyNo: '0810000002' })]).step).toBeUndefined();
    expect(judge(contested, [lineOf('complete')]).step).toBe('prove');
  });

  test('brings a disputed payout back when a later version has it complete', () => {
    const disputed = makeFacts('paid', { payoutStatus: 'disputed' });
    expect(judge(disputed, [lineOf('failed')]).step).toBeUndefined();
    expect(judge(disputed, [lineOf('complete')]).step).toBe('prove');
  });
});

describe('what differs in a line', () => {
  const edits: [string, Partial<StatementLine>][] = [
    ['payee-mismatch', { proxyNo: '0810000002' }],
    ['payee-mismatch', { proxyType: 'NATID' }],
    ['payee-mismatch', { proxyNo: '' }],
    ['amount-mismatch', { amountSatang: baht('99.99'), netSatang: baht('104.99') }],
    ['other-company', { companyId: 'COMP000002' }],
    ['other-company', { companyId: '' }],
    ['payer-mismatch', { payerAccount: '0000345925' }],
    ['date-mismatch', { effectiveDate: nextDate }],
    ['date-mismatch', { effectiveDate: '' }],
  ];
  test.each(edits)('%s (edit %#)', (kind, changes) => {
    const judged = judge(makeFacts('paid'), [lineOf('complete', changes)]);
    expect([kindsOf(judged), judged.lineClasses, judged.paidClass]).toEqual([[kind], [kind], kind]);
  });

  test.each(edits.filter(([kind]) => kind !== 'date-mismatch'))(
    'proves nothing: %s (edit %#)',
    (kind, changes) => {
      const judged = judge(makeFacts('unresolved'), [lineOf('complete', changes)]);
      expect([judged.step, judged.lineClasses, judged.paidClass]).toEqual(['doubt', [kind], undefined]);
      const failed = judge(makeFacts('unresolved'), [lineOf('failed', changes)]);
      expect([failed.step, failed.lineClasses]).toEqual(['doubt', [kind]]);
      const closed = judge(makeFacts('failed'), [lineOf('complete', changes)]);
      expect([closed.step, kindsOf(closed)]).toEqual(['doubt', ['status-mismatch', kind]]);
    },
  );

  test('is all named, and counted under the most severe', () => {
    const changes = {
      proxyNo: '0810000002',
      payerAccount: '1000345924',
      feeSatang: baht('6.00'),
      effectiveDate: '',
    };
    const judged = judge(makeFacts('paid'), [lineOf('complete', changes)]);
    const kinds = ['payee-mismatch', 'payer-mismatch', 'fee-mismatch', 'net-mismatch', 'date-mismatch'];
    expect([kindsOf(judged), judged.lineClasses]).toEqual([kinds, ['payee-mismatch']]);
  });

  test('says nothing in full that belongs to a person or an account', () => {
    const changes = { proxyNo: '0810000002', payerAccount: '1234567890' };
    const reasons = judge(makeFacts('paid'), [lineOf('complete', changes)]).breaks.map((one) =>
      inEnglish(one.reason),
    );
    expect(reasons.join()).not.toMatch(/081000000|000034592|123456789/);
    expect(reasons.join()).toMatch(/\*{6}0002/);
  });

  test.each(['+66810000001', '081-000-0001', '66810000001', '0066810000001'])(
    'is not the form of a mobile number: %s',
    (proxyNo) => {
      expect(kindsOf(judge(makeFacts('paid'), [lineOf('complete', { proxyNo })]))).toEqual([]);
    },
  );

  test('is neither the case of the type nor hyphens in numbers', () => {
    const attempt = makeFacts('unresolved', {}, { proxyType: 'NATID', proxyNo: '9999999999994' });
    const changes = { proxyType: 'natid', proxyNo: '9-9999-99999-99-4', payerAccount: '000-034592-4' };
    expect(judge(attempt, [makeLine(attempt, 'complete', changes)]).step).toBe('prove');
  });

  test('lets a failed line have no amount credited, and no other', () => {
    const zero = { amountSatang: baht('0.00'), netSatang: baht('0.00') };
    expect(judge(makeFacts('unresolved'), [lineOf('failed', zero)]).step).toBe('fail');
    expect(kindsOf(judge(makeFacts('paid'), [lineOf('complete', zero)]))).toContain('amount-mismatch');
    const other = { amountSatang: baht('1.00') };
    expect(judge(makeFacts('unresolved'), [lineOf('failed', other)]).step).toBe('doubt');
  });
});

describe('fee and net amount', () => {
  const charge = (chargeType: string, fee: string, net: string) => {
    const changes = { chargeType, feeSatang: baht(fee), netSatang: baht(net) };
    return kindsOf(judge(makeFacts('paid', { feeText: fee }), [lineOf('complete', changes)]));
  };
  test.each([
    ['Our', '5.00', '100.00', []],
    ['OUR', '5.00', '105.00', []],
    ['Our', '5.00', '95.00', ['net-mismatch']],
    ['Ben', '5.00', '95.00', []],
    ['Ben', '5.00', '100.00', ['net-mismatch']],
    ['Ben', '5.00', '105.00', ['net-mismatch']],
    ['Ben', '0.00', '100.00', []],
    ['', '5.00', '95.00', []],
    ['Shared', '5.00', '102.50', ['net-mismatch']],
    ['Our', '0.00', '100.01', ['net-mismatch']],
  ])('%s, fee %s, net %s: %j', (chargeType, fee, net, kinds) => {
    expect(charge(chargeType, fee, net)).toEqual(kinds);
  });

  test.each([
    ['5.00', []],
    ['5', []],
    [null, []],
    ['', []],
    ['6.00', ['fee-mismatch']],
    ['0.00', ['fee-mismatch']],
  ])('a reply with fee %j', (feeText, kinds) => {
    expect(kindsOf(judge(makeFacts('paid', { feeText }), [lineOf('complete')]))).toEqual(kinds);
  });
});

describe('several lines for one transfer', () => {
  test('counts one of them and names the others once', () => {
    const judged = judge(makeFacts('paid'), [lineOf('complete'), lineOf('complete', { line: 9 })]);
    expect([kindsOf(judged), judged.lineClasses]).toEqual([
      ['duplicate-line'],
      ['matched', 'duplicate-line'],
    ]);
    expect(inEnglishIfAny(judged.breaks[0]?.reason)).toMatch(/lines 2, 9/);
  });

  test.each<[LineStatus, LineStatus, string]>([
    ['complete', 'complete', 'high'],
    ['complete', 'other', 'high'],
    ['complete', 'failed', 'medium'],
    ['failed', 'failed', 'medium'],
  ])('%s and %s: %s', (first, second, severity) => {
    const { breaks } = judge(makeFacts('paid'), [lineOf(first), lineOf(second, { line: 3 })]);
    expect(breaks.find(({ kind }) => kind === 'duplicate-line')?.severity).toBe(severity);
  });

  test('prefers the one that is ours', () => {
    const other = lineOf('complete', { proxyNo: '0810000002' });
    const judged = judge(makeFacts('unresolved'), [other, lineOf('complete', { line: 3 })]);
    expect([judged.lineClasses, judged.step, judged.stepLineAt]).toEqual([
      ['duplicate-line', 'settled-paid'],
      'prove',
      1,
    ]);
  });

  test.each<[AttemptStatus, LineStatus, LineStatus, string | undefined]>([
    ['unresolved', 'complete', 'failed', 'doubt'],
    ['unresolved', 'failed', 'complete', 'doubt'],
    ['unresolved', 'failed', 'in-process', 'doubt'],
    ['unresolved', 'complete', 'other', 'doubt'],
    ['unresolved', 'in-process', 'complete', 'prove'],
    ['unresolved', 'failed', 'failed', 'fail'],
    ['failed', 'complete', 'failed', 'doubt'],
    ['paid', 'complete', 'failed', undefined],
  ])('%s: %s and %s', (status, first, second, step) => {
    const judged = judge(makeFacts(status), [lineOf(first), lineOf(second)]);
    expect(judged.step).toBe(step);
    expect(kindsOf(judged)).toContain('duplicate-line');
  });
});

describe('a failure while a lost journal may have made a later attempt', () => {
  const held = (attemptStatus: AttemptStatus, status: LineStatus) => {
    const facts = makeKey(makeFacts(attemptStatus), [lineOf(status)]);
    return judgeDay({ ...facts, mayHaveLaterAttempt: true }, day);
  };

  test('is a break of low severity, and settles nothing', () => {
    const judged = held('unresolved', 'failed');
    expect([judged.step, judged.lineClasses]).toEqual(['doubt', ['status-mismatch']]);
    expect(judged.breaks).toMatchObject([{ kind: 'status-mismatch', severity: 'low' }]);
    expect(inEnglishIfAny(judged.breaks[0]?.reason)).toMatch(/lost part of the journal/);
  });

  test('concerns nothing but what is in doubt and failed', () => {
    expect(held('unresolved', 'complete').step).toBe('prove');
    expect(held('failed', 'failed').lineClasses).toEqual(['agreed-failed']);
    expect(held('paid', 'failed').breaks).toMatchObject([{ kind: 'status-mismatch', severity: 'high' }]);
  });
});

describe('no line', () => {
  const afterDayMs = Date.UTC(2026, 10, 21, 17, 0, 0);
  const asked = { lastFinding: 'not-found', lastInquiryAtMs: afterDayMs } as const;
  const bothRead = { ...day, readDates: new Set([date, nextDate]) };

  test.each(attemptStatuses)('decides nothing: %s', (status) => {
    const judged = judge(makeFacts(status, asked), [], [], bothRead);
    expect(judged.step).toBeUndefined();
  });

  test('is a break of what we call paid, and of nothing that we call ended', () => {
    expect(judge(makeFacts('paid'), [])).toMatchObject({ paidClass: 'missing-at-bank' });
    expect(kindsOf(judge(makeFacts('failed'), []))).toEqual([]);
    expect(kindsOf(judge(makeFacts('refused'), []))).toEqual([]);
  });

  test('is no break of another day’s transfer', () => {
    expect(kindsOf(judge(makeFacts('paid', {}, { tranDate: nextDate }), []))).toEqual([]);
  });

  test('is no trace when both days were read, inquiry finds nothing and the bank never knew it', () => {
    const kinds = (changes: object, on: StatementDay = bothRead) =>
      kindsOf(judge(makeFacts('unresolved', { ...asked, ...changes }), [], [], on));
    expect(kinds({})).toEqual(['no-trace']);
    expect(kinds({}, day)).toEqual(['pending-not-in-statement']);
    expect(kinds({ acknowledged: true })).toEqual(['pending-not-in-statement']);
    expect(kinds({ referenceConflict: true })).toEqual(['pending-not-in-statement']);
    expect(kinds({ lastInquiryAtMs: afterDayMs - 1 })).toEqual(['pending-not-in-statement']);
    expect(kinds({ lastInquiryAtMs: null, lastFinding: null })).toEqual(['pending-not-in-statement']);
    expect(kinds({ lastFinding: 'nothing-said' })).toEqual(['pending-not-in-statement']);
  });
});

describe('a line that the journal does not know', () => {
  const unknown = (changes: Partial<StatementLine>) => lineOf('complete', { transRefNo: 'X1', ...changes });
  test.each([
    ['unmatched-bank-line', {}],
    ['unmatched-bank-line', { companyId: '' }],
    ['unmatched-bank-line', { transRefNo: '' }],
    ['unmatched-bank-line', { transRefNo: computeTransRefNo('COMP000001', 'INV-2', 1) }],
  ] as [string, Partial<StatementLine>][])('%s (line %#)', (kind, changes) => {
    const judged = judge(undefined, [unknown(changes)]);
    expect([kindsOf(judged), judged.lineClasses]).toEqual([[kind], [kind]]);
  });

  test.each([
    ['another program', 'X1'],
    ['this one', computeTransRefNo('COMP000002', 'INV-2', 1)],
  ])('is another company’s own business, made by %s', (_by, transRefNo) => {
    const others = unknown({ transRefNo, companyId: 'COMP000002' });
    expect(judge(undefined, [others, others])).toMatchObject({
      lineClasses: ['others', 'others'],
      breaks: [],
    });
    const mixed = judge(undefined, [others, unknown({ transRefNo }), unknown({ transRefNo })]);
    expect(mixed.lineClasses).toEqual(['others', 'unmatched-bank-line', 'duplicate-line']);
    expect(kindsOf(mixed)).toEqual(['duplicate-line', 'unmatched-bank-line']);
  });

  test('is high when any of its lines may have moved money', () => {
    const severity = (...statuses: LineStatus[]) =>
      judge(
        undefined,
        statuses.map((status) => lineOf(status, { transRefNo: 'X1' })),
      ).breaks.map((one) => one.severity);
    expect(severity('failed')).toEqual(['medium']);
    expect(severity('other')).toEqual(['high']);
    expect(severity('failed', 'complete')).toEqual(['high', 'high']);
  });

  test('has an identity of its own without a reference', () => {
    const bare = unknown({ transRefNo: '', sysRefNo: '' });
    expect(lineKeyOf(unknown({}))).toBe('X1');
    expect(lineKeyOf(unknown({ transRefNo: '' }))).toBe('sys:SYS1');
    expect(lineKeyOf(bare)).toBe(lineKeyOf({ ...bare, line: 99, no: '98' }));
    expect(lineKeyOf(bare)).not.toBe(lineKeyOf({ ...bare, amountSatang: toSatang(1n) }));
  });

  test('has a reference of our shape or not', () => {
    for (const payoutId of ['INV-1', 'ก', 'x'.repeat(64)])
      expect(isOwnReference(computeTransRefNo('COMP000001', payoutId, 99))).toBe(true);
    expect(isOwnReference('PD0123456789ABCDEFIL')).toBe(false);
    expect(isOwnReference('XX0123456789ABCDEF01')).toBe(false);
  });
});
