import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readBankDateMs,
  readInquiryFields,
  readPayeeCheckFields,
  readRetryAfterMs,
  readTransferFields,
} from '../../src/bank/messages.ts';
import { wireNames } from '../../src/bank/wire.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const proxy = wireNames('proxy');
const json = JSON.stringify;

const business = { statusCode: 'IC001', statusDesc: 'ok', severity: 'INFO', requestUID: 'U1' };
const read = { statusCode: 'IC001', statusDesc: 'ok', severity: 'INFO', requestUid: 'U1' };
const bare = { statusCode: 'X', statusDesc: undefined, severity: undefined, requestUid: undefined };

describe('a payee check reply', () => {
  test('gives its names, in any scheme, whatever else it holds', () => {
    const names = { payeeName: 'A B', payeeNameTh: 'ก ข' };
    const asProxy = json({ ...business, proxyName: 'A B', displayProxyName: 'ก ข', extra: { a: [1] } });
    expect(readPayeeCheckFields(asProxy, proxy)).toEqual({ ...read, ...names });
    const asPromptpay = json({ promptpayName: 'A B', displayPromptpayName: 'ก ข', ...business });
    expect(readPayeeCheckFields(asPromptpay, wireNames('promptpay'))).toEqual({ ...read, ...names });
  });

  test('may leave out all but the code', () => {
    expect(readPayeeCheckFields('{"statusCode":"X"}', proxy)).toEqual({
      ...bare,
      payeeName: undefined,
      payeeNameTh: undefined,
    });
  });
});

describe('a transfer reply', () => {
  test('gives its references and its fee', () => {
    const body = json({ ...business, transRefNo: 'T1', sysRefNo: 'S1', transFee: '10.00', reference1: 'r' });
    const fields = { transRefNo: 'T1', sysRefNo: 'S1', transFee: '10.00' };
    expect(readTransferFields(body)).toEqual({ ...read, ...fields });
  });

  test.each([
    [
      'a number is its text, exactly as written',
      '"transFee": 10.00, "sysRefNo": 12345678901234567890',
      '10.00',
      '12345678901234567890',
    ],
    ['an exponent stays as written', '"transFee":1E+2,"sysRefNo":-0.50', '1E+2', '-0.50'],
    ['empty is missing', '"transFee":"","sysRefNo":""', undefined, undefined],
    ['null is missing', '"transFee":null,"sysRefNo":null', undefined, undefined],
    ['another shape is missing', '"transFee":{"a":"1"},"sysRefNo":["S1"]', undefined, undefined],
    ['true is no text', '"transFee":true,"sysRefNo":false', undefined, undefined],
  ])('%s', (_, text, transFee, sysRefNo) => {
    expect(readTransferFields(`{"statusCode":"X",${text}}`)).toMatchObject({ transFee, sysRefNo });
  });

  test.each([
    ['its code twice', '{"statusCode":"EM053","statusCode":"IC000"}'],
    ['its code twice alike', '{"statusCode":"IC000","statusCode":"IC000"}'],
    ['its code twice, once escaped', '{"statusCode":"EM053","status\\u0043ode":"IC000"}'],
    ['a reference twice', '{"statusCode":"IC000","transRefNo":"T1","sysRefNo":"S1","transRefNo":"T2"}'],
    ['a name twice that nobody reads', '{"statusCode":"IC000","more":[{"a":[1]},{"b":"x","b":{"c":2}}]}'],
    ['a name twice around texts that look like names', '{"statusCode":"IC000","a\\"b":"\\\\","a\\"b":":"}'],
  ])('with %s is unreadable', (_, body) => {
    expect(readTransferFields(body)).toBeUndefined();
  });

  test('with a name once in each object, and colons in texts, is read whatever its shape', () => {
    const part = fc.jsonValue({ stringUnit: fc.constantFrom('"', ':', '\\', ' ', 'a', '\u0000', 'ก') });
    const law = fc.property(part, fc.integer({ min: 0, max: 3 }), (more, indent) => {
      const body = JSON.stringify({ statusCode: 'X', more }, null, indent);
      expect(readTransferFields(body)).toMatchObject(bare);
    });
    fc.assert(law);
  });

  test('may begin with a byte order mark', () => {
    expect(readTransferFields('\uFEFF{"statusCode":"X"}')).toMatchObject(bare);
  });

  test('keeps no text without end', () => {
    expect(
      readTransferFields(json({ statusCode: 'X', statusDesc: 'y'.repeat(5_000) }))?.statusDesc,
    ).toHaveLength(1_000);
  });
});

describe('an inquiry reply', () => {
  const item = {
    transRefNo: 'T1',
    sysRefNo: 'S1',
    tranDate: '20261121',
    tranStatusCode: '010004',
    tranStatusDesc: 'COMPLETE',
  };
  const nothing = { statusCode: undefined, statusDesc: undefined };

  test('gives its items, with or without a status code of their own', () => {
    const list = [{ ...item, statusCode: 'IC000', statusDesc: 'done' }, item];
    const fields = readInquiryFields(json({ ...business, fundTfrInfoList: list }));
    expect(fields).toEqual({
      ...read,
      items: [
        { ...item, statusCode: 'IC000', statusDesc: 'done' },
        { ...item, ...nothing },
      ],
    });
  });

  test.each([
    ['a missing list is empty', {}, []],
    ['null is a missing list', { fundTfrInfoList: null }, []],
    ['an empty list is empty', { fundTfrInfoList: [] }, []],
    ['an object is no list', { fundTfrInfoList: item }, undefined],
    ['a text is no list', { fundTfrInfoList: 'none' }, undefined],
    ['an empty text is no list', { fundTfrInfoList: '' }, undefined],
    ['a list with something that is no item cannot be read', { fundTfrInfoList: [item, 'more'] }, undefined],
    ['nor one with a hole', { fundTfrInfoList: [null] }, undefined],
  ])('%s', (_, list, items) => {
    expect(readInquiryFields(json({ statusCode: 'X', ...list }))).toEqual({ ...bare, items });
  });

  test('takes numbers as texts in items too', () => {
    const body = '{"statusCode":"X","fundTfrInfoList":[{"transRefNo":7,"tranStatusCode":010004}]}';
    expect(readInquiryFields(body)).toBeUndefined();
    const fields = readInquiryFields(body.replace('010004', '10004'));
    expect(fields?.items).toMatchObject([{ transRefNo: '7', tranStatusCode: '10004' }]);
  });
});

const readers = [
  (body: string) => readPayeeCheckFields(body, proxy),
  readTransferFields,
  readInquiryFields,
] as const;

describe('a body that is not what the interface says', () => {
  test.each([
    '',
    'null',
    'true',
    '"IC000"',
    '7',
    '[]',
    '[{"statusCode":"IC000"}]',
    '{}',
    '{"statusCode":""}',
    '{"statusCode":null}',
    '{"statusCode":0}',
    '{"statusCode":{"code":"IC000"}}',
    '{"StatusCode":"IC000"}',
    '{"__proto__":{"statusCode":"IC000"}}',
    '{"statusCode":"IC000"',
    '{"statusCode":"IC000"}{"statusCode":"IC000"}',
    '<html><body>Bad gateway</body></html>',
    '{"a":'.repeat(50_000),
    `{"n":1,"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    '\u0000\u0001\ufffd',
  ])('has no fields: %.40s', (body) => {
    for (const reader of readers) expect(reader(body)).toBeUndefined();
  });
});

const fieldNames = [
  'statusCode',
  'statusDesc',
  'severity',
  'requestUID',
  'transRefNo',
  'sysRefNo',
  'transFee',
  'proxyName',
  'displayProxyName',
  'fundTfrInfoList',
  'constructor',
  'toString',
];

describe('laws', () => {
  const anyBody = fc.oneof(
    fc.dictionary(fc.oneof(fc.constantFrom(...fieldNames), fc.string()), fc.jsonValue()).map(json),
    fc.jsonValue().map(json),
    fc.string(),
  );

  test('no body makes a reader throw, and what it reads is text or missing', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        for (const reader of readers) {
          const { items, ...texts } = { items: [], ...reader(body) };
          for (const text of Object.values(texts)) expect(['string', 'undefined']).toContain(typeof text);
          expect(items === undefined || Array.isArray(items)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('neither order nor unknown fields change what is read', () => {
    const whole = { ...business, transRefNo: 'T1', sysRefNo: 'S1', transFee: '1.00' };
    const others = fc.dictionary(
      fc.string().filter((name) => !fieldNames.includes(name)),
      fc.jsonValue(),
    );
    const known = fc.shuffledSubarray(Object.entries(whole), { minLength: 7 });
    fc.assert(
      fc.property(known, others, fc.boolean(), (fields, extra, first) => {
        const own = Object.fromEntries(fields);
        const body = json(first ? { ...own, ...extra } : { ...extra, ...own });
        expect(readTransferFields(body)).toEqual(readTransferFields(json(whole)));
      }),
    );
  });

  test('a missing field leaves the others as they are', () => {
    const whole = { ...business, transRefNo: 'T1', sysRefNo: 'S1', transFee: '1.00' };
    const optionals = fc.subarray(Object.keys(whole).filter((name) => name !== 'statusCode'));
    fc.assert(
      fc.property(optionals, (missing) => {
        const kept = Object.fromEntries(Object.entries(whole).filter(([name]) => !missing.includes(name)));
        const fields = readTransferFields(json(kept));
        const present = Object.values(fields ?? {}).filter((value) => value !== undefined);
        expect(new Set(present)).toEqual(new Set(Object.values(kept)));
      }),
    );
  });
});

describe('headers', () => {
  const clock = makeVirtualClock(Date.parse('2026-11-21T03:00:00Z'));

  test.each([
    ['Sat, 21 Nov 2026 03:00:05 GMT', Date.parse('2026-11-21T03:00:05Z')],
    ['Sat, 21 Nov 2026 03:00:05 +0700', undefined],
    ['Sat, 41 Nov 2026 03:00:05 GMT', undefined],
    ['21 Nov 2026', undefined],
    ['1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('Date: %s', (date, bankDateMs) => {
    expect(readBankDateMs(date === undefined ? {} : { date })).toBe(bankDateMs);
  });

  test.each([
    ['120', {}, 120_000],
    ['0', {}, 0],
    ['Sat, 21 Nov 2026 03:01:00 GMT', {}, 60_000],
    ['Sat, 21 Nov 2026 03:01:00 GMT', { date: 'Sat, 21 Nov 2026 03:00:50 GMT' }, 10_000],
    ['Sat, 21 Nov 2026 02:00:00 GMT', {}, 0],
    ['soon', {}, undefined],
    ['-1', {}, undefined],
    ['1.5', {}, undefined],
    ['9'.repeat(30), {}, undefined],
  ])('Retry-After: %s', (retryAfter, others, retryAfterMs) => {
    expect(readRetryAfterMs({ 'retry-after': retryAfter, ...others }, clock)).toBe(retryAfterMs);
  });

  test('Retry-After may be missing', () => {
    expect(readRetryAfterMs({}, clock)).toBeUndefined();
  });
});
