import { inEnglishIfAny } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import {
  agreeOn,
  bankStatuses,
  findBankStatus,
  readStatusCode,
  readTransferStatus,
} from '../../src/core/status-codes.ts';

/** Every code of §7.3, in the interface's order. */
const codes = `
  PT001 TM001 IC000 IC001 ED001 EA001 EA002 EA003 EA004 EM000 EM001 EM002 EM003 EM004 EM005 EM006 EM009 EM013 EM026
  EM027 EM053 EM058 EM059 EM063 EM066 EM067 EM068 EM069 EM070 EM073 EV001 EV006 EV007 EV011 EV012 EV013 EV032 EV033
  EV034 EV035 EV036 EV037 EV038 EV039 EV040 EV042 EV043 EV051 EV052 EV053 EV054 EV055 EV056 EV058 ET001 ET002 ET004
`
  .trim()
  .split(/\s+/);

describe('the status codes of §7.3', () => {
  test('there are 57, each in the table once, and no other', () => {
    expect(codes).toHaveLength(57);
    expect(bankStatuses.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
  });

  test.each(codes)('%s says what is known about the money, whom it concerns and what to do', (code) => {
    const status = findBankStatus(code);
    expect(status?.code).toBe(code);
    expect(inEnglishIfAny(status?.remedy).length).toBeGreaterThan(5);
  });

  test('only IC000 proves a payment', () => {
    expect(bankStatuses.filter(({ outcome }) => outcome === 'paid').map(({ code }) => code)).toEqual([
      'IC000',
    ]);
  });

  test.each([
    'EM066',
    'EM073',
    'ET001',
    'EM001',
    'EM059',
    'EM067',
    'EM027',
    'EA001',
    'ED001',
    'EV034',
    'EV035',
  ])('%s leaves open where the money is (§3.2)', (code) =>
    expect(findBankStatus(code)?.outcome).toBe('unknown'),
  );

  test.each([
    ['EM053', 'failed', 'payer'],
    ['EM004', 'failed', 'payer'],
    ['EV001', 'failed', 'payer'],
    ['TM001', 'failed', 'service'],
    ['EM058', 'failed', 'service'],
    ['EV033', 'failed', 'payout'],
    ['EV051', 'failed', 'payout'],
    ['ET004', 'unknown', 'service'],
  ])('%s is %s and concerns the %s', (code, outcome, scope) => {
    expect(findBankStatus(code)).toMatchObject({ outcome, scope });
  });

  test.each(['', 'XX999', 'ic000', 'IC000 ', '__proto__', 'constructor'])(
    '%j is not in the table',
    (code) => {
      expect(findBankStatus(code)).toBeUndefined();
    },
  );
});

describe('the codes of one item or line', () => {
  const read = (tranStatusCode: string | undefined, code: string | undefined) =>
    agreeOn(readTransferStatus(tranStatusCode), readStatusCode(code));

  test.each([
    ['030002', undefined, 'failed'],
    ['030003', 'EV055', 'failed'],
    ['030003', 'EM053', 'failed'],
    ['030003', 'EM027', 'failed'],
    ['030003', 'X99', 'failed'],
    ['010004', 'IC000', 'paid'],
    ['010004', undefined, 'paid'],
    ['010004', 'IC001', 'paid'],
    ['010004', 'X99', 'paid'],
    ['030003', 'IC001', 'failed'],
    ['030004', 'ET001', 'open'],
    ['010003', 'IC000', 'open'],
    ['010003', 'EV055', 'open'],
    ['010009', 'EV055', 'open'],
    [undefined, 'IC000', 'open'],
  ] as const)('%s and %s say %s', (tranStatusCode, code, meaning) =>
    expect(read(tranStatusCode, code)).toBe(meaning),
  );

  test.each(['IC000', 'ET001', 'EM066', 'EM073', 'EM001', 'EM059', 'EM067'])(
    'a failed status beside %s is a contradiction',
    (code) => {
      for (const failed of ['030002', '030003']) expect(read(failed, code)).toBe('contradiction');
    },
  );

  test.each(['EV055', 'EM053', 'TM001', 'PT001', 'ET001', 'EM001', 'EM003', 'EM027', 'EM000', 'EV034'])(
    'a complete status beside %s is a contradiction',
    (code) => expect(read('010004', code)).toBe('contradiction'),
  );
});
