/** Endpoint 8 and the signed address (§2.7, §7.2). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StatementTableInput } from '../../../src/sandbox/statement/table.ts';
import { parseSandboxTable } from '../../../src/sandbox/table.ts';
import { companyId, controlHeaders, isHeard, readBody, speak } from '../../support/sandbox-kit.ts';
import type { Fields } from '../../support/sandbox-kit.ts';
import { columnOf, dayMs, openStatementBank, payThree, today } from '../../support/sandbox-statement-kit.ts';

describe('what is asked', () => {
  const wrongFormat = 'AU00001';
  const notFound = 'AU00002';
  test.each<[Fields, string, StatementTableInput?]>([
    [{ date: today }, '0'],
    [{ Date: today }, '0'],
    [{ date: today, Date: today }, '0'],
    [{ date: today, Date: '2026-11-20' }, wrongFormat],
    [{ date: today }, '0', { dateField: 'date' }],
    [{ Date: today }, wrongFormat, { dateField: 'date' }],
    [{ Date: today }, '0', { dateField: 'Date' }],
    [{ date: today }, wrongFormat, { dateField: 'Date' }],
    [{}, wrongFormat],
    [{ date: '' }, wrongFormat],
    [{ date: 20261121 }, wrongFormat],
    [{ date: [today] }, wrongFormat],
    [{ date: [] }, wrongFormat],
    [{ Date: [[today]] }, wrongFormat],
    [{ date: today, Date: [today] }, wrongFormat],
    [{ date: '20261121' }, wrongFormat],
    [{ date: '2026-11-31' }, wrongFormat],
    [{ date: '2026-11-21T00:00' }, wrongFormat],
    [{ date: today, companyID: '' }, '0'],
    [{ date: today, companyID: '  ' }, '0'],
    [{ date: today, companyID: companyId }, '0'],
    [{ date: today, companyID: 'COMP000002' }, notFound],
    [{ date: today, companyID: 'COMP/1' }, 'AU00003'],
    [{ date: today, companyID: '1234567890123456' }, 'AU00003'],
    [{ date: today, companyID: 7 }, 'AU00003'],
    [{ date: today }, notFound, { today: false }],
    [{ date: '2026-11-22' }, notFound, { emptyDays: true }],
    [{ date: '2026-11-20' }, notFound],
    [{ date: '2026-11-20' }, '0', { emptyDays: true }],
    [{ date: '2026-11-20' }, '0', { edits: [{ edit: 'add' }] }],
    [{ date: '2026-11-20' }, notFound, { edits: [{ edit: 'add', date: today }] }],
  ])('%j gets %s with %j', async (fields, code, table) => {
    const bank = await openStatementBank(table);
    await payThree(bank);
    const body = await bank.statement(fields);
    expect(body['statusCode']).toBe(code);
    expect(Object.keys(body).length).toBe(code === '0' ? 4 : 2);
  });

  test('the texts of §7.2', async () => {
    const bank = await openStatementBank();
    await payThree(bank);
    expect(await bank.statement({})).toMatchObject({
      statusDesc: expect.stringMatching(/^Invalid Message Format/) as string,
    });
    expect(await bank.statement({ date: '2026-11-20' })).toMatchObject({ statusDesc: 'File not Found' });
    expect(await bank.statement({ date: today, companyID: '-' })).toMatchObject({
      statusDesc: 'Invalid CompanyID Format',
    });
    expect(await bank.statement()).toMatchObject({ statusDesc: 'Success', unZipKey: '' });
  });

  test('the rules of every business request hold, in the words of this one', async () => {
    const bank = await openStatementBank();
    expect((await bank.ask8({}, { authorization: 'Bearer x' })).status).toBe(401);
    for (const headers of [{ 'content-type': 'text/plain' }, { 'x-request-id': 'x' }]) {
      expect(readBody(await bank.ask8({ date: today }, headers))).toMatchObject({ statusCode: 'AU00001' });
    }
  });
});

describe('when there is a file', () => {
  test('not before so many requests for the day', async () => {
    const bank = await openStatementBank({ notBefore: { requests: 3 } });
    await payThree(bank);
    await bank.statement({ date: '2026-11-20' });
    const codes = [await bank.statement(), await bank.statement(), await bank.statement()];
    expect(codes.map(({ statusCode }) => statusCode)).toEqual(['AU00002', 'AU00002', '0']);
  });

  test('not before so many seconds after the first request', async () => {
    const bank = await openStatementBank({ notBefore: { seconds: 60 } });
    await payThree(bank);
    for (const [laterMs, code] of [
      [0, 'AU00002'],
      [59_999, 'AU00002'],
      [1, '0'],
    ] as const) {
      bank.clock.skip(laterMs);
      expect((await bank.statement())['statusCode']).toBe(code);
    }
  });

  test('a behaviour of the table comes first', async () => {
    const bank = await openStatementBank(undefined, {
      behaviours: [
        { match: {}, endpoint: 'statement', code: 'AU00002', times: 1 },
        { match: {}, endpoint: 'statement', reply: 'http', httpStatus: 503, times: 1 },
      ],
    });
    await payThree(bank);
    expect(await bank.statement()).toEqual({ statusCode: 'AU00002', statusDesc: 'File not Found' });
    expect((await bank.ask8()).status).toBe(503);
    expect((await bank.statement())['statusCode']).toBe('0');
  });
});

describe('the signed address', () => {
  const openAddress = async (table?: StatementTableInput) => {
    const bank = await openStatementBank(table);
    await payThree(bank);
    const { storageSignedUrl = '' } = await bank.statement();
    return { bank, address: new URL(storageSignedUrl) };
  };

  test.each([
    ['same', true],
    ['other', false],
  ] as const)('host: %s', async (host, isSame) => {
    const { bank, address } = await openAddress({ host });
    expect(address.origin === bank.sandbox.baseUrl).toBe(isSame);
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect(response.headers.get('date')).toBe('Sat, 21 Nov 2026 05:00:00 GMT');
    expect(await response.text()).toMatch(/^NO,EFFECTIVE DATE,/);
    expect(bank.sandbox.ledger()).toMatchObject({
      requests: { statement: 1 },
      statements: { issued: 1, downloads: 1, tokenSeen: false },
    });
  });

  test('expires', async () => {
    const { bank, address } = await openAddress();
    bank.clock.skip(299_999);
    expect((await fetch(address)).status).toBe(200);
    bank.clock.skip(1);
    expect((await fetch(address)).status).toBe(403);
  });

  test.each(['expires', 'signature'])('is refused with another %s, or none', async (name) => {
    const { address } = await openAddress();
    const changed = new URL(address);
    changed.searchParams.set(name, '9999999999');
    expect((await fetch(changed)).status).toBe(403);
    changed.searchParams.delete(name);
    expect((await fetch(changed)).status).toBe(403);
    const renamed = new URL(address);
    renamed.pathname = renamed.pathname.replace('PARTNER001', 'PARTNER002');
    expect((await fetch(renamed)).status).toBe(403);
    expect((await fetch(address)).status).toBe(200);
  });

  test('a client that sends the token there is caught', async () => {
    const { bank, address } = await openAddress({ host: 'other' });
    const response = await fetch(address, { headers: { authorization: `Bearer ${bank.token}` } });
    expect(response.status).toBe(400);
    expect(bank.sandbox.ledger().statements.tokenSeen).toBe(true);
  });

  test('an outage closes it too', async () => {
    const { bank, address } = await openAddress();
    bank.sandbox.control({ outage: true });
    await expect(fetch(address)).rejects.toThrow();
  });

  test('what was given out stays as it was', async () => {
    const { bank, address } = await openAddress();
    const before = await (await fetch(address)).text();
    await bank.pay({ transRefNo: 'D' });
    bank.sandbox.control({ statement: { edits: [{ edit: 'drop', match: {} }] } });
    expect(await (await fetch(address)).text()).toBe(before);
    expect(await bank.lines()).toEqual([]);
  });
});

test('a bank that starts again gives the same statement, and goes on counting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-statement-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stateFile = join(folder, 'bank.jsonl');
  const edits = [{ edit: 'drop', match: { row: 1 }, fromIssue: 2, toIssue: 2 } as const];
  const open = async () => {
    const bank = await openStatementBank({ edits, notBefore: { requests: 2 } }, { stateFile });
    bank.clock.skip(dayMs);
    await bank.renew();
    return bank;
  };
  const first = await openStatementBank({ edits }, { stateFile });
  await payThree(first);
  const before = await first.download();
  await first.sandbox.close();
  const second = await open();
  expect(columnOf(await second.lines(), 'TRANSREF NO')).toEqual(['B', 'C']);
  await second.sandbox.close();
  const third = await open();
  expect(await third.download()).toEqual(before);
  expect(third.sandbox.ledger().statements.issued).toBe(3);
});

describe('the control endpoint', () => {
  test.each<readonly [unknown, number, string]>([
    [{ edits: [{ edit: 'drop', match: { transRefNo: 'A' } }] }, 200, ''],
    [{ edits: [{ edit: 'drop' }] }, 400, 'statement.edits[0].match: say which lines'],
    [{ form: 'rar' }, 400, 'statement.form'],
    [{ host: 'other' }, 400, 'statement.host: cannot be changed'],
    [{ colour: 'red' }, 400, 'statement: Unrecognized key'],
  ])('statement %j gets %i', async (statement, status, says) => {
    const bank = await openStatementBank(undefined, { control: true });
    await payThree(bank);
    const body = JSON.stringify({ statement });
    const headers = controlHeaders(bank.sandbox);
    const outcome = await speak(bank.sandbox.baseUrl, { path: '/sandbox/control', body, headers });
    expect(isHeard(outcome) && outcome.status).toBe(status);
    expect(readBody(outcome)).toEqual(
      status === 200 ? { done: true } : { message: expect.stringContaining(says) as string },
    );
    expect(await bank.lines()).toHaveLength(status === 200 ? 2 : 3);
  });
});

describe('a table that cannot be used names the key and the cure', () => {
  test.each<readonly [object, string]>([
    [{ edits: [{ edit: 'drop' }] }, 'edits[0].match: say which lines'],
    [{ edits: [{ edit: 'add', match: {} }] }, 'edits[0].match: a line that is added'],
    [{ edits: [{ edit: 'add', times: 2 }] }, 'edits[0].times: a line is added once'],
    [{ edits: [{ edit: 'alter', match: {} }] }, 'edits[0].columns: say which'],
    [{ edits: [{ edit: 'drop', match: {}, columns: {} }] }, 'edits[0].columns: only for'],
    [{ edits: [{ edit: 'add', columns: { COLOUR: 'x' } }] }, 'edits[0].columns'],
    [{ edits: [{ edit: 'add', date: '20261121' }] }, 'edits[0].date: must be a date'],
    [{ edits: [{ edit: 'drop', match: { amount: '1.005' } }] }, 'edits[0].match.amount: must be'],
    [{ damages: [{ damage: 'path' }] }, 'damages[0].damage: only for form: zipcrypto or aes'],
    [{ damages: [{ damage: 'bomb' }] }, 'damages[0].damage: not for form: plain'],
    [{ bom: true, encoding: 'windows-874' }, 'bom: only for encoding: utf-8'],
    [{ partnerId: 'a/b' }, 'partnerId: must be'],
  ])('%j', (statement, message) => {
    expect(() => parseSandboxTable({ statement })).toThrow(`sandbox.statement.${message}`);
  });

  test('a statement request carries nothing to match', () => {
    const behaviours = [{ match: { proxyNo: '0812345678' }, endpoint: 'statement', code: 'AU00002' }];
    expect(() => parseSandboxTable({ behaviours })).toThrow('behaviours[0].match: a statement request');
  });
});
