import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BankReply, TransferFields } from '../../../src/core/bank-port.ts';
import { bankStatuses } from '../../../src/core/status-codes.ts';
import { readInquiry, readPayeeCheck, readReply } from '../../../src/payout/rules/read-reply.ts';
import {
  answered,
  inquiryFields,
  inquiryItem,
  lost,
  makeSubmitted,
  noonMs,
  transferFields,
} from '../../support/core-fixtures.ts';

const { attempt } = makeSubmitted();
const ref = attempt.order.transRefNo;
const asked = { transRefNo: ref, sends: [attempt.order] };

const readTransfer = (reply: BankReply<TransferFields>, isFirst = true) =>
  readReply(reply, { ...attempt, sends: isFirst ? 1 : 2 }, []);
const findTransfer = (reply: BankReply<TransferFields>, isFirst = true) =>
  readTransfer(reply, isFirst).finding;

describe('the reply to a transfer', () => {
  test('is paid only when IC000 bears both our references', () => {
    const ours = transferFields('IC000', { transRefNo: ref });
    expect(findTransfer(answered(ours))).toMatchObject({
      kind: 'paid',
      sysRefNo: 'SYS1',
    });
    for (const missing of [{ transRefNo: undefined }, { requestUid: undefined }]) {
      const finding = findTransfer(answered({ ...ours, ...missing }));
      expect(finding).toMatchObject({ kind: 'unknown', acknowledged: true });
    }
  });

  test.each([
    ['another transRefNo', { transRefNo: 'PDOTHER' }],
    ['another requestUID', { requestUid: 'OTHER' }],
  ])('that bears %s is unknown, whatever its code', (_name, echo) => {
    for (const { code } of bankStatuses) {
      const reply = answered(transferFields(code, { transRefNo: ref, ...echo }));
      expect(findTransfer(reply)).toMatchObject({
        kind: 'unknown',
        scope: 'payout',
        reason: { code: 'foreign-reply' },
      });
    }
  });

  test.each([301, 307])('with HTTP %i is unknown, even with a body that says paid', (httpStatus) => {
    const body = transferFields('IC000', { transRefNo: ref });
    expect(findTransfer(answered(body, { httpStatus }))).toMatchObject({ kind: 'unknown', scope: 'payout' });
  });

  test.each([400, 401, 403, 404, 429, 500, 503])('with HTTP %i and our proof is paid', (httpStatus) => {
    const reply = answered(transferFields('IC000', { transRefNo: ref }), { httpStatus });
    expect(readTransfer(reply)).toMatchObject({ finding: { kind: 'paid' }, breaker: { kind: 'paid' } });
  });

  describe.each([
    [401, 'payer', undefined],
    [403, 'payer', 'payer'],
    [429, 'service', 'service'],
  ] as const)('with HTTP %i', (httpStatus, scope, scopeOfDoubt) => {
    const at = (code: string, fields: Partial<TransferFields> = {}) =>
      findTransfer(answered(transferFields(code, { transRefNo: ref, ...fields }), { httpStatus }));

    test('and without a code is refused, and does not tell which send', () => {
      const refused = { kind: 'refused', scope, bearsRequestUid: false };
      expect(findTransfer(answered<never>(undefined, { httpStatus }))).toMatchObject(refused);
    });

    test.each(bankStatuses.map((status) => [status.code, status] as const))(
      'and %s is refused where the code says failed, else unknown or proved',
      (code, { outcome, scope: scopeOfCode }) => {
        const kind = { failed: 'refused', unknown: 'unknown', paid: 'paid' }[outcome];
        expect(at(code)).toMatchObject({ kind });
        if (outcome === 'failed') expect(at(code)).toMatchObject({ scope, bearsRequestUid: true });
        if (outcome === 'unknown') expect(at(code)).toMatchObject({ scope: scopeOfDoubt ?? scopeOfCode });
      },
    );

    test('keeps what a code acknowledges, and believes no success that is not ours', () => {
      expect(at('ET001')).toMatchObject({ kind: 'unknown', acknowledged: true });
      expect(at('XX999')).toMatchObject({ kind: 'unknown', acknowledged: false });
      expect(at('IC000', { requestUid: undefined })).toMatchObject({ kind: 'unknown', acknowledged: true });
      expect(at('EM053', { requestUid: 'OTHER' })).toMatchObject({ reason: { code: 'foreign-reply' } });
    });
  });

  test.each([
    ['our requestUID', {}, {}, true],
    ['our transRefNo alone', { transRefNo: ref, requestUid: undefined }, {}, false],
    ['no reference', { requestUid: undefined }, {}, false],
    ['our requestUID after a 401 that bore none', {}, { followsBare401: true } as const, false],
  ])('that is a refusal bearing %s says so', (_name, echo, changes, bearsRequestUid) => {
    for (const code of ['EV033', 'EM053', 'TM001']) {
      const finding = findTransfer(answered(transferFields(code, echo), changes));
      expect(finding).toMatchObject({ kind: 'failed', bearsRequestUid });
    }
  });

  test('that is EM001 after a 401 that may have been processed speaks of this very transfer', () => {
    const reply = answered(transferFields('EM001'), { followsBare401: true });
    expect(findTransfer(reply)).toMatchObject({ acknowledged: true, referenceConflict: false });
  });

  test.each([
    [{ kind: 'credentials-refused', code: 'TK001' }, 'payer', 'TK001'],
    [{ kind: 'not-sent', why: 'no access token: timed out' }, 'service', 'no-token'],
    [{ kind: 'withheld' }, 'service', 'http-401'],
  ] as const)(
    'that is a 401 after which nothing left (%j) has left all the same',
    (unrepeated, scope, code) => {
      const finding = findTransfer(answered<never>(undefined, { httpStatus: 401, unrepeated }));
      expect(finding).toMatchObject({ kind: 'refused', scope, reason: { code } });
    },
  );

  test('honours Retry-After', () => {
    const reply = answered<never>(undefined, { httpStatus: 429, retryAfterMs: 7_000 });
    expect(findTransfer(reply)).toMatchObject({ reason: { retryAfterMs: 7_000 } });
  });

  test.each(bankStatuses.map((status) => [status.code, status] as const))(
    'reads %s by the table, whatever the HTTP status',
    (code, { outcome, scope }) => {
      for (const httpStatus of [200, 400, 500]) {
        const reply = answered(transferFields(code, { transRefNo: ref }), { httpStatus });
        const finding = findTransfer(reply, false);
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
    '%s on a first send (%s) acknowledges: %s, is referenceConflict: %s',
    (code, isFirst, acknowledged, referenceConflict) => {
      const finding = findTransfer(answered(transferFields(code)), isFirst);
      expect(finding).toMatchObject({ kind: 'unknown', acknowledged, referenceConflict });
    },
  );

  test('with a code that §7.3 lacks is unknown for the payout and says so', () => {
    const finding = findTransfer(answered(transferFields('XX999')));
    expect(finding).toMatchObject({ kind: 'unknown', scope: 'payout', reason: { code: 'XX999' } });
  });

  test.each([
    ['garbage', answered<never>(undefined), 'unreadable-reply'],
    ['HTTP 500', answered<never>(undefined, { httpStatus: 500 }), 'http-500'],
    ['a timeout', lost, 'reply-lost'],
  ])('that is %s is unknown', (_name, reply, code) => {
    expect(findTransfer(reply)).toMatchObject({ kind: 'unknown', reason: { code } });
  });

  test('that was never sent says so: the service when unreachable, the payer when credentials are refused', () => {
    expect(findTransfer({ kind: 'not-sent', why: 'no route' })).toMatchObject({
      kind: 'not-sent',
      scope: 'service',
    });
    expect(findTransfer({ kind: 'credentials-refused', code: 'TK001' })).toMatchObject({
      kind: 'not-sent',
      scope: 'payer',
    });
  });

  test('never lets a long number of the bank text through', () => {
    const fields = transferFields('EV055', { statusDesc: 'proxy 0812345678 of 1-1037-01234-56-7 unknown' });
    const finding = findTransfer(answered(fields));
    expect(JSON.stringify(finding)).not.toMatch(/0812345678|1-1037-01234-56-7/);
  });
});

describe('the reply to an inquiry', () => {
  const read = (codes: readonly (string | undefined)[], own = ref) =>
    readInquiry(answered(inquiryFields(codes.map((code) => inquiryItem(own, code)))), asked).finding.kind;

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
    expect(readInquiry(answered(inquiryFields(mixed)), asked).finding.kind).toBe('failed');
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
    const kind = readInquiry(answered(inquiryFields([], code)), asked).finding.kind;
    const expected = ['EV034', 'EV035', 'IC001'].includes(code) ? 'not-found' : 'nothing-said';
    expect(kind).toBe(expected);
  });

  test.each([401, 403, 429, 302, 500])('with HTTP %i and no body says nothing', (httpStatus) => {
    expect(readInquiry(answered<never>(undefined, { httpStatus }), asked).finding.kind).toBe('nothing-said');
  });

  test.each([401, 403, 429])('with HTTP %i believes only what forbids another send', (httpStatus) => {
    const at = (items: readonly string[], code = 'IC001') => {
      const fields = inquiryFields(
        items.map((one) => inquiryItem(ref, one)),
        code,
      );
      return readInquiry(answered(fields, { httpStatus }), asked).finding.kind;
    };
    expect(at(['010004'])).toBe('complete');
    expect(at(['010003'])).toBe('in-process');
    expect(at(['030003'])).toBe('nothing-said');
    expect(at([])).toBe('nothing-said');
    expect(at([], 'EV034')).toBe('nothing-said');
  });

  test('says nothing when the list cannot be read, or the reply is another request’s', () => {
    expect(readInquiry(answered(inquiryFields(undefined)), asked).finding.kind).toBe('nothing-said');
    const foreign = { ...inquiryFields([inquiryItem(ref, '010004')]), requestUid: 'OTHER' };
    expect(readInquiry(answered(foreign), asked).finding.kind).toBe('nothing-said');
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
            : 'nothing-said';
      expect(readPayeeCheck(answered(fields(code)), false).finding.kind).toBe(expected);
    },
  );

  test.each([
    ['lost', lost, 'nothing-said'],
    ['unknown code', answered(fields('XX999')), 'nothing-said'],
    ['garbage', answered<never>(undefined), 'nothing-said'],
    ['403', answered<never>(undefined, { httpStatus: 403 }), 'halt'],
    ['429', answered<never>(undefined, { httpStatus: 429 }), 'nothing-said'],
    ['403 beside a good code', answered(fields('IC001'), { httpStatus: 403 }), 'halt'],
    ['429 beside a bad code', answered(fields('EV033'), { httpStatus: 429 }), 'nothing-said'],
    ['refused credentials', { kind: 'credentials-refused', code: 'TK001' } as const, 'halt'],
    ['another’s reply', answered({ ...fields('IC001'), requestUid: 'OTHER' }), 'nothing-said'],
  ])('%s is never taken for an answer about the payee', (_name, reply, kind) => {
    expect(readPayeeCheck(reply, false).finding.kind).toBe(kind);
  });
});

describe('what is kept of a reply', () => {
  test('is everything that the bank would ask for, and no number of anybody', () => {
    const fields = transferFields('EV055', {
      statusDesc: 'proxy 0812345678 is unknown',
      transFee: undefined,
    });
    const facts = readTransfer(answered(fields, { elapsedMs: 14.391_168 })).facts;
    expect(facts).toEqual({
      requestUid: 'REQ00000000000000001',
      xRequestId: '00000000-0000-4000-8000-000000000001',
      elapsedMs: 14,
      httpStatus: 200,
      statusCode: 'EV055',
      statusDesc: 'proxy ******5678 is unknown',
      sysRefNo: 'SYS1',
    });
  });

  test.each([
    ['lost', lost, { why: 'timed out' }],
    ['not sent', { kind: 'not-sent', why: 'ECONNREFUSED' } as const, { why: 'ECONNREFUSED' }],
    ['refused credentials', { kind: 'credentials-refused', code: 'TK001' } as const, { statusCode: 'TK001' }],
    ['withheld', { kind: 'withheld' } as const, {}],
    ['without a readable body', answered<never>(undefined, { httpStatus: 502 }), { httpStatus: 502 }],
  ])('is what there is of one that is %s', (_name, reply, facts) => {
    expect(readTransfer(reply).facts).toMatchObject(facts);
  });
});

test.each([
  ['a minute', 60_000, noonMs],
  ['longer, while the machine slept', 60_001, undefined],
])('a reply that was under way for %s', (_, elapsedMs, bankDateMs) => {
  expect(readTransfer(answered(transferFields('IC000'), { elapsedMs })).bankDateMs).toBe(bankDateMs);
});

const exchange = { requestUid: 'R', xRequestId: 'X', elapsedMs: 1 };
const answeredWith = (httpStatus: number, code?: string): BankReply<TransferFields> => ({
  kind: 'answered',
  httpStatus,
  fields: code === undefined ? undefined : transferFields(code),
  bankDateMs: undefined,
  retryAfterMs: undefined,
  ...exchange,
});

describe('what a reply says about the load', () => {
  test.each([
    ['a timeout', { kind: 'lost', why: 'timed out', ...exchange }, 'no answer'],
    ['no connection', { kind: 'not-sent', why: 'ECONNREFUSED' }, 'no connection'],
    ['429', answeredWith(429), 'HTTP 429'],
    ['429 with a code', answeredWith(429, 'IC000'), 'HTTP 429'],
    ['503 from a gateway', answeredWith(503), 'HTTP 503'],
    ['ET004', answeredWith(200, 'ET004'), 'ET004'],
    ['a closed service', answeredWith(500, 'TM001'), 'TM001'],
    ['success', answeredWith(200, 'IC000'), 'good'],
    ['a refused payee', answeredWith(200, 'EM069'), 'good'],
    ['HTTP 500 with a code of one payout', answeredWith(500, 'EM053'), 'good'],
    ['a page for people', answeredWith(200), 'nothing'],
    ['nothing sent', { kind: 'withheld' }, 'nothing'],
    ['refused credentials', { kind: 'credentials-refused', code: 'TK001' }, 'nothing'],
  ] as const)('%s', (_name, reply, said) => {
    const signal = readTransfer(reply).limit;
    expect(signal.kind === 'trouble' ? signal.why : signal.kind).toBe(said);
  });
});

describe('what a reply says to the circuit breaker', () => {
  const code = (statusCode: string, httpStatus = 200) =>
    answered(transferFields(statusCode, { transRefNo: ref }), { httpStatus });

  test.each([
    ['paid', code('IC000'), { kind: 'paid' }],
    ['a refused payee', code('EV033'), { kind: 'ended-otherwise' }],
    ['a refused payer', code('EM053'), { kind: 'payer-stop', reason: { code: 'EM053' } }],
    ['a sick service', code('TM001'), { kind: 'service-trouble' }],
    ['in process', code('EM066'), { kind: 'taken' }],
    ['another’s reference', code('EM067'), { kind: 'ended-otherwise' }],
    ['an unknown code', code('XX999'), { kind: 'ended-otherwise' }],
    ['a timeout', lost, { kind: 'unanswered' }],
    ['no connection', { kind: 'not-sent', why: 'ECONNREFUSED' }, { kind: 'service-trouble' }],
    ['refused credentials', { kind: 'credentials-refused', code: 'TK001' }, { kind: 'payer-stop' }],
    ['kept back', { kind: 'withheld' }, { kind: 'nothing' }],
  ] as const)('of a transfer: %s', (_name, reply, signal) => {
    expect(readTransfer(reply).breaker).toMatchObject(signal);
  });

  test('of a question: an answer, trouble of the service, or nothing', () => {
    const ask = (reply: Parameters<typeof readInquiry>[0]) => readInquiry(reply, asked).breaker;
    expect(ask(answered(inquiryFields([], 'EV034')))).toEqual({ kind: 'answered' });
    expect(ask({ kind: 'not-sent', why: 'ECONNREFUSED' })).toMatchObject({
      kind: 'service-trouble',
    });
    expect(ask(lost)).toEqual({ kind: 'nothing' });
  });

  test('of a payee check: silence counts as an end once nobody asks again', () => {
    expect(readPayeeCheck(lost, false).breaker).toEqual({ kind: 'nothing' });
    expect(readPayeeCheck(lost, true).breaker).toEqual({ kind: 'ended-otherwise' });
  });
});
