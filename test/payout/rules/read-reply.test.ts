import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bankStatuses } from '../../../src/core/status-codes.ts';
import {
  classifyInquiryReply,
  classifyPayeeCheckReply,
  classifyTransferReply,
} from '../../../src/payout/rules/read-reply.ts';
import { answered, inquiryFields, inquiryItem, lost, transferFields } from '../../support/core-fixtures.ts';

const ref = 'PD0000000000000000A01';

describe('the reply to a transfer', () => {
  test('is paid only when IC000 bears both our references', () => {
    const ours = transferFields('IC000', { transRefNo: ref });
    expect(classifyTransferReply(answered(ours), ref, true)).toMatchObject({
      kind: 'paid',
      sysRefNo: 'SYS1',
    });
    for (const missing of [{ transRefNo: undefined }, { requestUid: undefined }]) {
      const finding = classifyTransferReply(answered({ ...ours, ...missing }), ref, true);
      expect(finding).toMatchObject({ kind: 'unknown', acknowledged: true });
    }
  });

  test.each([
    ['another transRefNo', { transRefNo: 'PDOTHER' }],
    ['another requestUID', { requestUid: 'OTHER' }],
  ])('that bears %s is unknown, whatever its code', (_name, echo) => {
    for (const { code } of bankStatuses) {
      const reply = answered(transferFields(code, { transRefNo: ref, ...echo }));
      expect(classifyTransferReply(reply, ref, true)).toMatchObject({
        kind: 'unknown',
        scope: 'payout',
        reason: { code: 'foreign-reply' },
      });
    }
  });

  test.each([
    [301, 'unknown', 'payout'],
    [307, 'unknown', 'payout'],
    [401, 'refused', 'payer'],
    [403, 'refused', 'payer'],
    [429, 'refused', 'service'],
  ])('with HTTP %i is %s, scope %s, even with a body that says paid', (httpStatus, kind, scope) => {
    const body = transferFields('IC000', { transRefNo: ref });
    expect(classifyTransferReply(answered(body, { httpStatus }), ref, true)).toMatchObject({ kind, scope });
  });

  test('honours Retry-After', () => {
    const reply = answered<never>(undefined, { httpStatus: 429, retryAfterMs: 7_000 });
    expect(classifyTransferReply(reply, ref, true)).toMatchObject({ reason: { retryAfterMs: 7_000 } });
  });

  test.each(bankStatuses.map((status) => [status.code, status] as const))(
    'reads %s by the table, whatever the HTTP status',
    (code, { outcome, scope }) => {
      for (const httpStatus of [200, 400, 500]) {
        const reply = answered(transferFields(code, { transRefNo: ref }), { httpStatus });
        const finding = classifyTransferReply(reply, ref, false);
        expect(finding.kind).toBe(outcome);
        if (outcome !== 'paid') expect(finding).toMatchObject({ scope });
      }
    },
  );

  test.each([
    ['EM001', true, true, true],
    ['EM001', false, true, false],
    ['EM059', false, true, true],
    ['EM067', false, true, true],
    ['EM066', true, true, false],
    ['EM073', true, true, false],
    ['ET001', true, true, false],
    ['ED001', true, false, false],
  ])(
    '%s on a first send (%s) acknowledges: %s, is contested: %s',
    (code, isFirst, acknowledged, contested) => {
      const finding = classifyTransferReply(answered(transferFields(code)), ref, isFirst);
      expect(finding).toMatchObject({ kind: 'unknown', acknowledged, contested });
    },
  );

  test('with a code that §7.3 lacks is unknown for the payout and says so', () => {
    const finding = classifyTransferReply(answered(transferFields('XX999')), ref, true);
    expect(finding).toMatchObject({ kind: 'unknown', scope: 'payout', reason: { code: 'XX999' } });
  });

  test.each([
    ['garbage', answered<never>(undefined), 'unreadable-reply'],
    ['HTTP 500', answered<never>(undefined, { httpStatus: 500 }), 'http-500'],
    ['a timeout', lost, 'reply-lost'],
  ])('that is %s is unknown', (_name, reply, code) => {
    expect(classifyTransferReply(reply, ref, true)).toMatchObject({ kind: 'unknown', reason: { code } });
  });

  test('that was never sent says so: the service when unreachable, the payer when credentials are refused', () => {
    expect(classifyTransferReply({ kind: 'not-sent', why: 'no route' }, ref, true)).toMatchObject({
      kind: 'not-sent',
      scope: 'service',
    });
    expect(classifyTransferReply({ kind: 'credentials-refused', code: 'TK001' }, ref, true)).toMatchObject({
      kind: 'not-sent',
      scope: 'payer',
    });
  });

  test('never lets a long number of the bank text through', () => {
    const fields = transferFields('EV055', { statusDesc: 'proxy 0812345678 of 1-1037-01234-56-7 unknown' });
    const finding = classifyTransferReply(answered(fields), ref, true);
    expect(JSON.stringify(finding)).not.toMatch(/0812345678|1-1037-01234-56-7/);
  });
});

describe('the reply to an inquiry', () => {
  const read = (codes: readonly (string | undefined)[], own = ref) =>
    classifyInquiryReply(answered(inquiryFields(codes.map((code) => inquiryItem(own, code)))), ref).kind;

  test.each([
    [['010004'], 'complete'],
    [['030002', '010004'], 'complete'],
    [['030002', '030003'], 'failed'],
    [['030002', '010001'], 'in-process'],
    [['030003', '030004'], 'in-process'],
    [['999999'], 'in-process'],
    [[undefined], 'in-process'],
    [[], 'not-found'],
  ])('with items %j is %s', (codes, kind) => {
    expect(read(codes)).toBe(kind);
  });

  test('counts only items that bear our transRefNo', () => {
    expect(read(['010004'], 'PDOTHER')).toBe('nothing-said');
    const mixed = [inquiryItem('PDOTHER', '010004'), inquiryItem(ref, '030002')];
    expect(classifyInquiryReply(answered(inquiryFields(mixed)), ref).kind).toBe('failed');
  });

  test('finds the same in any order of the items', () => {
    const codes = fc.array(
      fc.constantFrom('010001', '010002', '010003', '010004', '030002', '030003', '030004'),
    );
    fc.assert(
      fc.property(codes, (list) => {
        expect(read(list)).toBe(read(list.toReversed()));
      }),
    );
  });

  test.each(bankStatuses.map(({ code }) => code))('with the top-level code %s alone', (code) => {
    const kind = classifyInquiryReply(answered(inquiryFields([], code)), ref).kind;
    const expected = ['EV034', 'EV035', 'IC001'].includes(code) ? 'not-found' : 'nothing-said';
    expect(kind).toBe(expected);
  });

  test.each([401, 403, 429, 302, 500])('with HTTP %i and no body says nothing', (httpStatus) => {
    expect(classifyInquiryReply(answered<never>(undefined, { httpStatus }), ref).kind).toBe('nothing-said');
  });

  test('says nothing when the list cannot be read, or the reply is another request’s', () => {
    expect(classifyInquiryReply(answered(inquiryFields(undefined)), ref).kind).toBe('nothing-said');
    const foreign = { ...inquiryFields([inquiryItem(ref, '010004')]), requestUid: 'OTHER' };
    expect(classifyInquiryReply(answered(foreign), ref).kind).toBe('nothing-said');
  });
});

describe('the reply to a payee check', () => {
  const fields = (statusCode: string) => ({
    statusCode,
    statusDesc: undefined,
    severity: undefined,
    requestUid: undefined,
    payeeName: 'Somchai Jaidee',
    payeeNameTh: 'สมชาย ใจดี',
  });

  test.each(bankStatuses.map((status) => [status.code, status] as const))(
    '%s',
    (code, { outcome, scope }) => {
      const expected =
        code === 'IC001'
          ? 'payable'
          : outcome === 'failed' && scope !== 'service'
            ? { payout: 'unpayable', payer: 'halt' }[scope]
            : 'ask-again';
      expect(classifyPayeeCheckReply(answered(fields(code))).kind).toBe(expected);
    },
  );

  test.each([
    ['lost', lost, 'ask-again'],
    ['unknown code', answered(fields('XX999')), 'ask-again'],
    ['garbage', answered<never>(undefined), 'ask-again'],
    ['403', answered<never>(undefined, { httpStatus: 403 }), 'halt'],
    ['429', answered<never>(undefined, { httpStatus: 429 }), 'ask-again'],
    ['refused credentials', { kind: 'credentials-refused', code: 'TK001' } as const, 'halt'],
    ['another’s reply', answered({ ...fields('IC001'), requestUid: 'OTHER' }), 'ask-again'],
  ])('%s is never taken for an answer about the payee', (_name, reply, kind) => {
    expect(classifyPayeeCheckReply(reply).kind).toBe(kind);
  });
});
