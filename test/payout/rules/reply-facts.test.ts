import { describe, expect, test } from 'vitest';
import { replyFacts } from '../../../src/payout/rules/read-reply.ts';
import { answered, lost, transferFields } from '../../support/core-fixtures.ts';

describe('what is kept of a reply', () => {
  test('is everything that the bank would ask for, and no number of anybody', () => {
    const fields = transferFields('EV055', {
      statusDesc: 'proxy 0812345678 is unknown',
      transFee: undefined,
    });
    const facts = replyFacts(answered(fields, { elapsedMs: 14.391_168 }));
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
    expect(replyFacts(reply)).toMatchObject(facts);
  });
});
