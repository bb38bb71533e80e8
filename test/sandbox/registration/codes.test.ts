/** Endpoint 3 (§2.2): each code of §7.1, by the input that brings it about, and all of them by the table. */
import { describe, expect, test } from 'vitest';
import { registrationCodes } from '../../../src/core/direct-debit-codes.ts';
import { registrationStatus } from '../../../src/sandbox/registration/status-texts.ts';
import type { RegistrationBehaviourInput } from '../../../src/sandbox/registration/table.ts';
import { companyId, isHeard, readBody, silenceMs } from '../../support/sandbox-kit.ts';
import { openRegistrationBank, vendorId } from '../../support/sandbox-registration-kit.ts';
import type { Changes } from '../../support/sandbox-registration-kit.ts';

/** Code, description, what is unlike a good request. Sent one after another to one bank. */
type Row = readonly [code: string, says: string, Changes];

const long = (length: number) => 'X'.repeat(length + 1);
const body = (fields: Changes['body'] = {}): Changes => ({ body: fields });
const header = (fields: Changes['header'] = {}): Changes => ({ header: fields });
const headers = (fields: Changes['headers'] = {}): Changes => ({ headers: fields });

const rows: readonly Row[] = [
  ['AU00401', 'Unauthorized', headers({ authorization: null })],
  ['AU00401', 'Unauthorized', headers({ authorization: 'Bearer nonsense' })],
  ['AU00003', 'msg-hdr is required', headers({ 'msg-hdr': null })],
  ['AU00003', 'digital-id is required', headers({ 'digital-id': null })],
  ['AU00003', 'digital-id is required', headers({ 'digital-id': '  ' })],
  ['AU00003', 'ipAddress is required', header({ ipAddress: undefined })],
  ['AU00003', 'requestUID is required', header({ requestUID: '' })],
  ['AU00004', 'Invalid format, msg-hdr', headers({ 'msg-hdr': '[]' })],
  ['AU00004', 'Invalid format, msg-hdr', headers({ 'msg-hdr': '{' })],
  ['AU00004', 'Invalid format, ipAddress', header({ ipAddress: '192.0.2' })],
  ['AU00004', 'Invalid format, ipAddress', header({ ipAddress: 7 })],
  ['AU00004', 'Invalid format, requestUID', header({ requestUID: long(36) })],
  ['AU00004', 'Invalid format, requestUID', header({ requestUID: 'with a space' })],
  ['AU00004', 'Invalid format, requestUID', header({ requestUID: 5 })],
  ['AU00400', 'Bad Request', { text: '{' }],
  ['AU00400', 'Bad Request', { text: '[]' }],
  ['AU00400', 'Bad Request', headers({ 'content-type': 'text/plain' })],
  ['CMN002', 'Invalid format requestDateTime', header({ requestDateTime: '2026-11-21 12:00:00' })],
  ['CMN003', 'Invalid requestDateTime', header({ requestDateTime: '20261341 12:00:00' })],
  ['CMN003', 'Invalid channelId', header({ channelId: 'ELSEWHERE' })],
  ...['vendorID', 'companyID', 'accountNo'].flatMap((name): Row[] => [
    ['CMN001', `${name} is required`, body({ [name]: undefined })],
    ['CMN001', `${name} is required`, body({ [name]: '' })],
    ['CMN002', `Invalid format ${name}`, body({ [name]: 5 })],
  ]),
  ['CMN002', 'Invalid format vendorID', body({ vendorID: 'A-1' })],
  ['CMN002', 'Invalid format ref4', body({ ref4: {} })],
  ['CMN003', 'Invalid ref2', body({ ref2: 'a\nb' })],
  ['CMN004', 'accountNo must be numeric', body({ accountNo: '99000-00001' })],
  ['CMN005', 'vendorID is over max length 10', body({ vendorID: long(10) })],
  ['CMN005', 'companyID is over max length 15', body({ companyID: long(15) })],
  ['CMN005', 'accountNo is over max length 13', body({ accountNo: '99000000000001' })],
  ...['ref1', 'ref2', 'ref3', 'ref4'].map((name): Row => [
    'CMN005',
    `${name} is over max length 20`,
    body({ [name]: long(20) }),
  ]),
  ['BSN001', 'Vendor Id Not Found', body({ vendorID: 'NOBODY' })],
  ['BSN004', 'Company Profile Not Found', body({ companyID: 'NOBODY' })],
  ['BSN005', 'Company Id and Company Code already used', body({ companyID: 'COMP000009' })],
  ['CBS001', 'Invalid Account No', body({ accountNo: '9900000901' })],
  ['CBS001', 'Invalid Account No', body({ accountNo: '990000001' })],
  ['CBS001', 'Invalid Account No', body({ accountNo: '0000000000' })],
  ['CBS002', 'Invalid Product Group', body({ accountNo: '9900000902' })],
  ['CBS003', 'Invalid Account Status', body({ accountNo: '9900000903' })],
  ['0', 'Success', header({ requestUID: 'ONCE' })],
  ['BSN007', 'Duplicate Request UID', header({ requestUID: 'ONCE' })],
  ['BSN002', 'Duplicate Transaction', {}],
  ['0', 'Success', body({ ref2: 'another' })],
  ['0', 'Success', body({ accountNo: '9900000000002', ref4: 'ไทย' })],
  [
    '0',
    'Success',
    { ...header({ requestDateTime: '20261121 12:00:00', channelId: 'PAYDROP' }), ...body({ ref1: 'C' }) },
  ],
];

const accounts = [
  { accountNo: '9900000901', state: 'unknown' },
  { accountNo: '9900000902', group: 'corporate' },
  { accountNo: '9900000903', state: 'inactive' },
] as const;

const vendors = [
  { vendorId, companyIds: [companyId] },
  { vendorId: 'VENDOR0009', companyIds: ['COMP000009'] },
];

/** What no input brings about: the bank's own trouble, and what another test shows. */
const broughtAboutOtherwise = ['SYS001', 'SYS002', 'BSN003', 'BSN006', '0429'];

describe('a registration', () => {
  test('gets each code by its own rule, with the name of the field, and only a success enters the book', async () => {
    const bank = await openRegistrationBank({ accounts: [...accounts] }, { vendors });
    const answers: unknown[] = [];
    for (const [, , changes] of rows) {
      const { statusCode, statusDesc, severity } = await bank.register(changes);
      answers.push([statusCode, statusDesc, severity, changes]);
    }
    expect(answers).toEqual(
      rows.map(([code, says, changes]) => [code, says, code === '0' ? 'INFO' : 'ERROR', changes]),
    );
    const succeeded = rows.filter(([code]) => code === '0').length;
    expect(bank.registrations().entries).toHaveLength(succeeded);
    expect(bank.sandbox.ledger().requests.registration).toBe(rows.length);
    const covered = new Set([...rows.map(([code]) => code), ...broughtAboutOtherwise]);
    expect(registrationCodes.filter(({ code }) => !covered.has(code))).toEqual([]);
  });

  test('gets any code by the table, by what it carries, and 401 without a token', async () => {
    const codes = registrationCodes.map(({ code }) => code).filter((code) => code !== '0');
    const behaviours = codes.map((code) => ({ match: { ref1: code }, outcome: 'untouched', code }) as const);
    const bank = await openRegistrationBank({ behaviours });
    for (const code of codes)
      expect(await bank.register(body({ ref1: code }))).toMatchObject({
        statusCode: code,
        statusDesc: registrationStatus(code).text,
        severity: 'ERROR',
      });
    expect(bank.registrations().entries).toEqual([]);
    const outcome = await bank.sendRegistration(headers({ authorization: null }));
    expect(isHeard(outcome) && outcome.status).toBe(401);
  });

  test('is answered with its requestUID and numbers that go up', async () => {
    const bank = await openRegistrationBank();
    const first = await bank.register(header({ requestUID: 'FIRST' }));
    expect(first).toEqual({
      statusCode: '0',
      statusDesc: 'Success',
      severity: 'INFO',
      requestUID: 'FIRST',
      ddrOapiSeqId: 100_001,
    });
    expect(await bank.register(body({ ref1: 'B' }))).toMatchObject({ ddrOapiSeqId: 100_002 });
    const refused = await bank.register(body({ ref1: 'B' }));
    expect(refused).not.toHaveProperty('ddrOapiSeqId');
  });

  test('uses its requestUID up once the bank has looked at it, and for its own client alone', async () => {
    const strange = {
      clientId: 'strange-app',
      clientSecret: 'strange',
      companies: [{ companyId: 'COMP9', payerAccounts: ['9'] }],
    };
    const bank = await openRegistrationBank(
      { behaviours: [{ match: { ref1: 'LOST' }, outcome: 'untouched', reply: 'lost' }] },
      { clients: [{ ...strange, vendors: [{ vendorId: 'VENDOR0009', companyIds: ['COMP000009'] }] }] },
    );
    const codeOf = async (changes: Changes) =>
      (await bank.register({ ...header({ requestUID: 'U' }), ...changes }))['statusCode'];
    expect(await bank.sendRegistration({ ...header({ requestUID: 'U' }), ...body({ ref1: 'LOST' }) })).toBe(
      'closed',
    );
    expect(await codeOf(body({ accountNo: 'x' }))).toBe('CMN004');
    expect(await codeOf(body({ vendorID: 'NOBODY' }))).toBe('BSN001');
    expect(await codeOf({})).toBe('BSN007');
  });

  test('of a body that is too large is a bad request', async () => {
    const bank = await openRegistrationBank();
    const outcome = await bank.sendRegistration({ text: `{"ref1":"${'x'.repeat(65_536)}"}` });
    expect(isHeard(outcome) && outcome.status).toBe(413);
    expect(readBody(outcome)).toMatchObject({ statusCode: 'AU00400' });
  });
});

describe('whoever is registered already', () => {
  const decided = { match: { ref1: 'R' }, outcome: 'reject', decideAfterMs: 1_000 } as const;
  const undecided = { match: { ref1: 'U' }, outcome: 'undecided' } as const;

  test.each([
    ['0812345678', 1_000_000_000, 'BSN002'],
    ['R', 999, 'BSN002'],
    ['R', 1_000, '0'],
    ['U', 59_999, 'BSN002'],
    ['U', 60_000, '0'],
  ])('with %s, %i ms later: %s', async (ref1, laterMs, code) => {
    const bank = await openRegistrationBank({ behaviours: [decided, undecided], undecidedSeconds: 60 });
    expect(await bank.register(body({ ref1 }))).toMatchObject({ statusCode: '0' });
    bank.clock.skip(laterMs);
    await bank.renew();
    expect(await bank.register(body({ ref1 }))).toMatchObject({ statusCode: code });
    const { duplicatesRefused, entries } = bank.registrations();
    expect(duplicatesRefused).toBe(code === '0' ? 0 : 1);
    expect(entries[0]?.requests).toBe(code === '0' ? 1 : 2);
  });
});

describe('a client', () => {
  const other = {
    clientId: 'other-app',
    clientSecret: 'other-secret',
    companies: [{ companyId: 'COMP000009', payerAccounts: ['0000000099'] }],
  };

  test('registers for its own vendors alone', async () => {
    const vendorsOfOther = [{ vendorId: 'VENDOR0009', companyIds: ['COMP000009'] }];
    const bank = await openRegistrationBank({}, { clients: [{ ...other, vendors: vendorsOfOther }] });
    expect(await bank.register(body({ vendorID: 'VENDOR0009' }))).toMatchObject({ statusCode: 'BSN001' });
    expect(await bank.register(body({ companyID: 'COMP000009' }))).toMatchObject({ statusCode: 'BSN005' });
  });

  test('without a vendor is nobody’s partner: BSN006', async () => {
    const bank = await openRegistrationBank({}, { vendors: [] });
    expect(await bank.register()).toMatchObject({ statusCode: 'BSN006' });
  });
});

describe('the usage limit', () => {
  test('turns everything away for an hour', async () => {
    const bank = await openRegistrationBank({ registrationsPerHourLimit: 2 });
    const codeOf = async (ref1: string) => {
      await bank.renew();
      return (await bank.register(body({ ref1 })))['statusCode'];
    };
    expect([await codeOf('A'), await codeOf('B')]).toEqual(['0', '0']);
    const refused = await bank.register(header({ requestUID: 'REFUSED' }));
    expect(refused).toMatchObject({
      statusCode: '0429',
      statusDesc: 'Exceed the request limit, try again after 1 hour',
      requestUID: 'REFUSED',
    });
    bank.clock.skip(3_599_999);
    expect(await codeOf('C')).toBe('0429');
    bank.clock.skip(1);
    expect([await codeOf('C'), await codeOf('D'), await codeOf('E')]).toEqual(['0', '0', '0429']);
  });

  test('counts an hour from its first request', async () => {
    const bank = await openRegistrationBank({ registrationsPerHourLimit: 2 });
    for (const ref1 of ['A', 'B', 'C', 'D', 'E']) {
      await bank.renew();
      expect(await bank.register(body({ ref1 }))).toMatchObject({ statusCode: '0' });
      bank.clock.skip(1_800_000);
    }
  });
});

describe('a spoilt answer', () => {
  const replies: readonly (readonly [Partial<RegistrationBehaviourInput>, string])[] = [
    [{ reply: 'lost' }, 'closed'],
    [{ reply: 'silent' }, 'silence'],
    [{ reply: 'stalled' }, 'silence'],
    [{ reply: 'cut' }, 'cut'],
    [{ reply: 'garbage' }, '200 {"sta'],
    [{ reply: 'html' }, '200 <!doc'],
    [{ reply: 'empty' }, '200 '],
    [{ reply: 'redirect' }, '307 '],
    [{ reply: 'http', httpStatus: 503, retryAfterSeconds: 5 }, '503 {"mes'],
    [{ reply: 'wrong-request' }, '200 {"sta'],
    [{ code: 'SYS001' }, '200 {"sta'],
  ];

  test.each(replies)('%j is heard as %s, and what it was about was taken', async (form, heard) => {
    const bank = await openRegistrationBank({ behaviours: [{ match: {}, outcome: 'success', ...form }] });
    if (heard === 'silence') bank.waitMs = silenceMs;
    const outcome = await bank.sendRegistration(header({ requestUID: 'MINE' }));
    expect(isHeard(outcome) ? `${outcome.status} ${outcome.text.slice(0, 5)}` : outcome).toBe(heard);
    if (form.reply === 'wrong-request') expect(readBody(outcome)['requestUID']).not.toBe('MINE');
    if (form.code !== undefined)
      expect(readBody(outcome)).toMatchObject({ statusCode: form.code, requestUID: 'MINE' });
    expect(bank.registrations().entries).toMatchObject([{ requestUID: 'MINE', outcome: null, requests: 1 }]);
  });
});
