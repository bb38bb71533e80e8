import { inEnglish, say } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { BankReply, RegistrationFields } from '../../../src/core/bank-port.ts';
import { readAnswer } from '../../../src/registration/rules/read-answer.ts';
import { findRegistrationCode, registrationCodes } from '../../../src/core/direct-debit-codes.ts';

const exchange = { requestUid: 'our-uid', xRequestId: 'x', elapsedMs: 5 };

function answered(
  statusCode: string,
  more: Partial<RegistrationFields> = {},
  httpStatus = 200,
): Extract<BankReply<RegistrationFields>, { kind: 'answered' }> {
  const fields = {
    statusCode,
    statusDesc: 'text',
    severity: 'INFO',
    requestUid: 'our-uid',
    ddrOapiSeqId: '7',
  };
  const around = { httpStatus, bankDateMs: undefined, retryAfterMs: undefined };
  return { kind: 'answered', ...around, ...exchange, fields: { ...fields, ...more } };
}

describe('what each code of §7.1 means', () => {
  test.each([
    ['0', 'acknowledged'],
    ['AU00400', 'turned-down service'],
    ['AU00401', 'turned-down service'],
    ['AU00003', 'turned-down service'],
    ['AU00004', 'turned-down service'],
    ['SYS001', 'unknown service'],
    ['SYS002', 'unknown service'],
    ['CMN001', 'turned-down registration'],
    ['CMN002', 'turned-down registration'],
    ['CMN003', 'turned-down registration'],
    ['CMN004', 'turned-down registration'],
    ['CMN005', 'turned-down registration'],
    ['BSN001', 'turned-down company'],
    ['BSN002', 'unknown registration'],
    ['BSN003', 'unknown registration'],
    ['BSN004', 'turned-down company'],
    ['BSN005', 'turned-down company'],
    ['BSN006', 'turned-down service'],
    ['BSN007', 'unknown registration'],
    ['CBS001', 'turned-down registration'],
    ['CBS002', 'turned-down registration'],
    ['CBS003', 'turned-down registration'],
    ['0429', 'usage-exceeded'],
    ['ZZ999', 'unknown registration'],
  ])('%s: %s', (code, expected) => {
    const { finding } = readAnswer(answered(code));
    const scope = 'scope' in finding ? ` ${finding.scope}` : '';
    expect(`${finding.kind}${scope}`).toBe(expected);
  });

  test('the table has each of the 22 codes and success, with a remedy in both languages', () => {
    expect(registrationCodes).toHaveLength(23);
    expect(new Set(registrationCodes.map(({ code }) => code)).size).toBe(23);
    for (const { remedy } of registrationCodes) {
      expect(inEnglish(remedy)).not.toBe('');
      expect(say('th', remedy)).toMatch(/[\u0e00-\u0e7f]/u);
    }
    expect(findRegistrationCode('toString')).toBeUndefined();
  });
});

/** An answer without a body. */
const silent = (httpStatus: number): BankReply<RegistrationFields> => ({
  ...answered('0', {}, httpStatus),
  fields: undefined,
});
const anonymous = { requestUid: undefined };

describe('answers that are no code', () => {
  test.each<[string, BankReply<RegistrationFields>, string]>([
    ['no answer', { kind: 'lost', why: 'timeout', ...exchange }, 'unknown'],
    ['nothing written', { kind: 'not-sent', why: 'refused' }, 'not-sent'],
    ['kept back', { kind: 'withheld' }, 'aborted-before-send'],
    ['credentials refused', { kind: 'credentials-refused', code: 'TK001' }, 'not-sent'],
    ['a redirect', answered('0', {}, 302), 'unknown'],
    ['HTTP 401', silent(401), 'not-sent'],
    ['HTTP 403', silent(403), 'not-sent'],
    ['HTTP 429', silent(429), 'not-sent'],
    ['success under HTTP 401', answered('0', {}, 401), 'acknowledged'],
    ['success under HTTP 403', answered('0', {}, 403), 'acknowledged'],
    ['success under HTTP 429', answered('0', {}, 429), 'acknowledged'],
    ['a refusal under HTTP 403', answered('CBS001', {}, 403), 'not-sent'],
    ['a duplicate under HTTP 403', answered('BSN002', {}, 403), 'unknown'],
    ['a code that is none under HTTP 403', answered('ZZ999', {}, 403), 'unknown'],
    ['too many', answered('0429'), 'usage-exceeded'],
    ['too many under HTTP 403', answered('0429', {}, 403), 'usage-exceeded'],
    ['too many under HTTP 429', answered('0429', {}, 429), 'usage-exceeded'],
    ['too many under HTTP 429 without our requestUID', answered('0429', anonymous, 429), 'usage-exceeded'],
    ["another's requestUID", answered('0', { requestUid: 'other' }), 'unknown'],
    ["another's requestUID beside a refusal", answered('CBS001', { requestUid: 'other' }), 'unknown'],
    ['success without our requestUID', answered('0', { requestUid: undefined }), 'unknown'],
    ['success under HTTP 500', answered('0', {}, 500), 'acknowledged'],
  ])('%s', (_, reply, kind) => expect(readAnswer(reply).finding.kind).toBe(kind));
});

describe('what the breakers of the service and of the company learn', () => {
  test.each<[string, BankReply<RegistrationFields>, string, string]>([
    ['taken', answered('0'), 'answered', 'paid'],
    ['its own fault', answered('CBS001'), 'answered', 'ended-otherwise'],
    ['the company is not known', answered('BSN001'), 'answered', 'payer-stop'],
    ['the partner is not known', answered('BSN006'), 'service-trouble', 'nothing'],
    ['too many', answered('0429'), 'service-trouble', 'nothing'],
    ['a system error', answered('SYS001'), 'service-trouble', 'nothing'],
    ['a duplicate', answered('BSN002'), 'answered', 'ended-otherwise'],
    ['a code that is none', answered('ZZ999'), 'nothing', 'ended-otherwise'],
    ["another's answer", answered('0', { requestUid: 'other' }), 'nothing', 'ended-otherwise'],
    ['no answer', { kind: 'lost', why: 'timeout', ...exchange }, 'unanswered', 'nothing'],
    ['nothing written', { kind: 'not-sent', why: 'refused' }, 'service-trouble', 'nothing'],
    ['kept back', { kind: 'withheld' }, 'nothing', 'nothing'],
    ['credentials refused', { kind: 'credentials-refused', code: 'TK001' }, 'payer-stop', 'nothing'],
    ['HTTP 403', silent(403), 'payer-stop', 'nothing'],
    ['HTTP 429', silent(429), 'service-trouble', 'nothing'],
  ])('%s', (_, reply, service, company) => {
    const read = readAnswer(reply);
    expect([read.service.kind, read.company.kind]).toEqual([service, company]);
  });

  test('the usage limit under HTTP 429 waits an hour, whatever Retry-After says', () => {
    const { service } = readAnswer({ ...answered('0429', {}, 429), retryAfterMs: 1_000 });
    expect(service).toMatchObject({ kind: 'service-trouble', reason: { retryAfterMs: 3_600_000 } });
  });

  test('HTTP 503 without a code pauses the service, and counts for the brake', () => {
    const read = readAnswer(silent(503));
    expect([read.service.kind, read.company.kind, read.limit.kind]).toEqual([
      'service-trouble',
      'ended-otherwise',
      'trouble',
    ]);
  });

  test('too many leaves the service alone for an hour', () => {
    expect(readAnswer(answered('0429')).service).toMatchObject({ reason: { retryAfterMs: 3_600_000 } });
  });
});

test('the facts of an answer show no account number', () => {
  const { facts } = readAnswer(answered('CBS001', { statusDesc: 'Invalid Account No 9900000901' }));
  expect(facts.statusDesc).not.toContain('9900000901');
  expect(facts).toMatchObject({ statusCode: 'CBS001', ddrOapiSeqId: '7', elapsedMs: 5, httpStatus: 200 });
});
