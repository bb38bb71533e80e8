import { describe, expect, test } from 'vitest';
import { wireNames } from '../../src/bank/wire.ts';
import {
  goodCheck,
  goodInquiry,
  goodTransfer,
  isHeard,
  openBank,
  readBody,
  speak,
} from '../support/sandbox-kit.ts';
import type { Fields } from '../support/sandbox-kit.ts';

const long = (length: number) => 'X'.repeat(length + 1);

/** Field, value, code, what the description says. */
type Fault = readonly [field: string, value: unknown, code: string, says: string];

const commonFaults: readonly Fault[] = [
  ...['channelID', 'termID', 'tranDate', 'tranTime', 'compId', 'requestUID'].flatMap((field): Fault[] => [
    [field, undefined, 'PT001', `${field} is required`],
    [field, null, 'PT001', `${field} is required`],
    [field, '', 'PT001', `${field} is required`],
    [field, 5, 'EV012', `${field} must be text`],
  ]),
  ['channelID', long(10), 'PT001', 'channelID is over max length 10'],
  ['termID', long(20), 'PT001', 'termID is over max length 20'],
  ['tranDate', '202611211', 'PT001', 'tranDate is over max length 8'],
  ['tranDate', '2026-1-1', 'PT001', 'tranDate must be a date YYYYMMDD'],
  ['tranDate', '20261321', 'PT001', 'tranDate must be a date YYYYMMDD'],
  ['tranDate', '20260230', 'PT001', 'tranDate must be a date YYYYMMDD'],
  ['tranTime', '24:00:00', 'PT001', 'tranTime must be a time HH:mm:ss'],
  ['tranTime', '12:60:00', 'PT001', 'tranTime must be a time HH:mm:ss'],
  ['tranTime', '120000', 'PT001', 'tranTime must be a time HH:mm:ss'],
  ['compId', long(10), 'PT001', 'compId is over max length 10'],
  ['compId', 'COMP000002', 'EM002', 'Company not subscribed'],
  ['requestUID', long(20), 'PT001', 'requestUID is over max length 20'],
];

const payerFaults: readonly Fault[] = [
  ['payerBankCode', undefined, 'PT001', 'payerBankCode is required'],
  ['payerBankCode', '0060', 'PT001', 'payerBankCode is over max length 3'],
  ['payerBankCode', '014', 'EV013', 'payerBankCode must be 006'],
  ['payerAccount', undefined, 'PT001', 'payerAccount is required'],
  ['payerAccount', '1234567890123456', 'PT001', 'payerAccount is over max length 15'],
  ['payerAccount', '00003-45924', 'PT001', 'payerAccount must be numeric'],
  ['payerAccount', '0000345925', 'EM004', 'Payer account not in company account list'],
  ['proxyType', undefined, 'PT001', 'proxyType is required'],
  ['proxyType', 'EWALLETID', 'EV056', 'proxyType must be NATID or MSISDN'],
  ['proxyType', 'natid', 'EV056', 'proxyType must be NATID or MSISDN'],
  ['proxyNo', undefined, 'PT001', 'proxyNo is required'],
  ['proxyNo', '812345678', 'EV055', 'proxyNo must be a mobile number'],
  ['proxyNo', '0212345678', 'EV055', 'proxyNo must be a mobile number'],
  ['proxyNo', '081234567x', 'EV055', 'proxyNo must be a mobile number'],
  ['proxyNo', '9100000000011', 'EV055', 'proxyNo must be a mobile number'],
  ['proxyName', 'สมชาย ใจดี', 'PT001', 'proxyName must be in English'],
  ['proxyName', 'Somchai\u0000', 'PT001', 'proxyName must be in English'],
];

const cases: readonly (readonly [
  endpoint: 'payeeCheck' | 'transfer' | 'inquiry',
  good: Fields,
  success: string,
  faults: readonly Fault[],
])[] = [
  [
    'payeeCheck',
    goodCheck,
    'IC001',
    [
      ...commonFaults,
      ...payerFaults,
      ['proxyNo', '08123456789012345', 'PT001', 'proxyNo is over max length 16'],
      ['proxyName', long(160), 'PT001', 'proxyName is over max length 160'],
    ],
  ],
  [
    'transfer',
    goodTransfer,
    'IC000',
    [
      ...commonFaults,
      ...payerFaults,
      ['proxyNo', '08123456789012', 'PT001', 'proxyNo is over max length 13'],
      ['proxyName', long(300), 'PT001', 'proxyName is over max length 300'],
      ['transRefNo', undefined, 'PT001', 'transRefNo is required'],
      ['transRefNo', long(20), 'PT001', 'transRefNo is over max length 20'],
      ['tranAmount', undefined, 'PT001', 'tranAmount is required'],
      ['tranAmount', 100.25, 'EV012', 'tranAmount must be text'],
      ['tranAmount', '123456789012345.00', 'PT001', 'tranAmount is over max length 17'],
      ['tranAmount', '1234567890123456', 'PT001', 'tranAmount must be decimal text'],
      ...['1.005', '1,000.00', '-1.00', '+1.00', '1e3', ' 1.00', '1.', '.50', '฿1'].map((amount): Fault => [
        'tranAmount',
        amount,
        'PT001',
        'tranAmount must be decimal text',
      ]),
      ['tranAmount', '0.00', 'PT001', 'tranAmount must be more than 0'],
      ['resendFlag', undefined, 'PT001', 'resendFlag is required'],
      ['resendFlag', 'Y', 'PT001', 'resendFlag must be N'],
      ['resendFlag', 'NO', 'PT001', 'resendFlag is over max length 1'],
      ['reference1', long(20), 'PT001', 'reference1 is over max length 20'],
      ['reference2', long(20), 'PT001', 'reference2 is over max length 20'],
      ['reference2', 7, 'EV012', 'reference2 must be text'],
    ],
  ],
  [
    'inquiry',
    goodInquiry,
    'EV035',
    [
      ...commonFaults,
      ['transRefNo', undefined, 'PT001', 'transRefNo is required'],
      ['transRefNo', long(20), 'PT001', 'transRefNo is over max length 20'],
      ['transferType', long(10), 'PT001', 'transferType is over max length 10'],
    ],
  ],
];

describe.each(cases)('%s', (endpoint, good, success, faults) => {
  test(`has nothing against a good request: ${success}`, async () => {
    const bank = await openBank();
    expect(await bank.ask(endpoint, good)).toMatchObject({
      statusCode: success,
      requestUID: good['requestUID'],
    });
  });

  test('answers each fault with its code and the name of the field, and moves nothing', async () => {
    const bank = await openBank();
    const answers: unknown[] = [];
    for (const [place, [field, value]] of faults.entries()) {
      // A transfer that fails inside the bank uses its reference up.
      const fresh = { ...good, ...(endpoint === 'transfer' ? { transRefNo: `PD${place}` } : {}) };
      const { statusCode, statusDesc } = await bank.ask(endpoint, { ...fresh, [field]: value });
      answers.push([field, value, statusCode, String(statusDesc)]);
    }
    expect(answers).toEqual(
      faults.map(([field, value, code, says]) => [field, value, code, expect.stringContaining(says)]),
    );
    expect(bank.sandbox.ledger().totals.count).toBe(0);
  });
});

test.each([
  ['NATID', '9100000000011'],
  ['NATID', '0995000000015'],
  ['MSISDN', '0612345678'],
  ['MSISDN', '0912345678'],
])('%s %s is a well-formed payee', async (proxyType, proxyNo) => {
  const bank = await openBank();
  expect(await bank.ask('transfer', { ...goodTransfer, proxyType, proxyNo })).toMatchObject({
    statusCode: 'IC000',
  });
});

test.each(['9100000000012', '910000000001', '91000000000x1'])('NATID %s is not: EV055', async (proxyNo) => {
  const bank = await openBank();
  const request = { ...goodTransfer, proxyType: 'NATID', proxyNo };
  expect(await bank.ask('transfer', request)).toMatchObject({ statusCode: 'EV055' });
});

test.each(['1', '0.01', '10.5', '12345678901234.56', '123456789012345'])(
  '%s is an amount',
  async (tranAmount) => {
    const bank = await openBank();
    expect(await bank.ask('transfer', { ...goodTransfer, tranAmount })).toMatchObject({
      statusCode: 'IC000',
    });
  },
);

test('a field that the interface does not have is ignored', async () => {
  const bank = await openBank();
  expect(await bank.ask('transfer', { ...goodTransfer, colour: 'red' })).toMatchObject({
    statusCode: 'IC000',
  });
});

describe('a message that is none gets PT001', () => {
  const json = { 'content-type': 'application/json' };
  test.each([
    ['broken JSON', '{"channelID":', json, 'JSON object'],
    ['an array', '[]', json, 'JSON object'],
    ['null', 'null', json, 'JSON object'],
    ['nothing', '', json, 'JSON object'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 'Content-Type'],
    ['no content type', '{}', {}, 'Content-Type'],
    [
      'an x-request-id that is no UUID',
      '{}',
      { ...json, 'x-request-id': '1' },
      'x-request-id must be a UUID',
    ],
  ])('%s', async (_, body, headers, says) => {
    const bank = await openBank();
    const outcome = await speak(bank.sandbox.baseUrl, {
      path: wireNames('proxy').paths.transfer,
      body,
      headers: { ...(headers as Record<string, string>), authorization: `Bearer ${bank.token}` },
    });
    expect(readBody(outcome)).toMatchObject({
      statusCode: 'PT001',
      statusDesc: expect.stringContaining(says),
    });
  });

  test('one of 64 KB and more', async () => {
    const bank = await openBank();
    const outcome = await bank.send('transfer', { ...goodTransfer, reference1: 'x'.repeat(65_536) });
    expect(isHeard(outcome) && outcome.status).toBe(413);
    expect(readBody(outcome)).toMatchObject({ statusCode: 'PT001' });
  });
});

test('an x-request-id comes back', async () => {
  const bank = await openBank();
  const id = '123e4567-e89b-42d3-a456-426614174000';
  const outcome = await speak(bank.sandbox.baseUrl, {
    path: wireNames('proxy').paths.inquiry,
    body: JSON.stringify(goodInquiry),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${bank.token}`,
      'x-request-id': id,
    },
  });
  expect(isHeard(outcome) && outcome.headers['x-request-id']).toBe(id);
});

describe('what an answer gives back', () => {
  test('is the requestUID also where the x-request-id is refused', async () => {
    const bank = await openBank();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${bank.token}`,
      'x-request-id': 'no UUID',
    };
    const { paths } = wireNames('proxy');
    for (const [path, good] of [
      [paths.payeeCheck, goodCheck],
      [paths.transfer, goodTransfer],
      [paths.inquiry, goodInquiry],
    ] as const) {
      const outcome = await speak(bank.sandbox.baseUrl, { path, headers, body: JSON.stringify(good) });
      expect(readBody(outcome)).toMatchObject({ statusCode: 'PT001', requestUID: good['requestUID'] });
    }
  });

  test.each(['requestUID', 'transRefNo', 'reference1', 'reference2'])(
    'is never a %s that is longer than its field',
    async (field) => {
      const bank = await openBank();
      const whole = 'X'.repeat(20);
      expect(await bank.ask('transfer', { ...goodTransfer, [field]: whole })).toMatchObject({
        [field]: whole,
      });
      const answer = await bank.ask('transfer', { ...goodTransfer, [field]: long(20) });
      expect(answer).toMatchObject({ statusCode: 'PT001', [field]: '' });
    },
  );
});
