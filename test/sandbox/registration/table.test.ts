import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findRegistrationCode, registrationCodes } from '../../../src/core/direct-debit-codes.ts';
import { registrationStatus } from '../../../src/sandbox/registration/status-texts.ts';
import { parseSandboxTable } from '../../../src/sandbox/table.ts';
import { openRegistrationBank } from '../../support/sandbox-registration-kit.ts';

describe('a table that cannot be used names the key and the cure', () => {
  const registration = (fields: object) => ({ registration: fields });
  const behaviour = (fields: object) =>
    registration({ behaviours: [{ match: {}, outcome: 'success', ...fields }] });
  const at = 'sandbox.registration.behaviours[0]';
  const mustBeLocal = 'sandbox.registration.callbackUrl: must be an http or https address of this machine';

  test.each<readonly [unknown, string]>([
    ...[
      'https://bank.example/callbacks',
      'http://127.0.0.1.example/',
      'http://localhost.example/',
      'http://user:word@127.0.0.1/',
      'http://10.0.0.1/',
      'ftp://127.0.0.1/',
      'callbacks',
    ].map((callbackUrl) => [registration({ callbackUrl }), mustBeLocal] as const),
    [registration({ apiKey: '' }), 'sandbox.registration.apiKey: must be up to 512 characters'],
    [registration({ applyDtm: 'ISO' }), 'sandbox.registration.applyDtm: '],
    [registration({ callbackConcurrency: 0 }), 'sandbox.registration.callbackConcurrency: '],
    [
      registration({ callbackRetries: { delay: 1 } }),
      'sandbox.registration.callbackRetries: Unrecognized key',
    ],
    [
      registration({ accounts: [{ accountNo: 9900000001 }] }),
      'accounts[0].accountNo: must be digits in quotes',
    ],
    [
      registration({ accounts: [{ accountNo: '99000000000001' }] }),
      'accounts[0].accountNo: must be at most 13',
    ],
    [behaviour({ outcome: undefined }), `${at}.outcome: say one of: success, reject, undecided, untouched`],
    [behaviour({ outcome: 'untouched' }), `${at}.code: say which code refuses it`],
    [behaviour({ reply: 'wrong-reference' }), `${at}.reply: an answer to a registration bears no reference`],
    [behaviour({ outcome: 'undecided', callbacks: [{}] }), `${at}.callbacks: only for what is decided`],
    [behaviour({ outcome: 'undecided', decideAfterMs: 1 }), `${at}.decideAfterMs: only for what is decided`],
    [
      behaviour({ decideAfterMs: 1, callbacks: [{ beforeAnswer: true }] }),
      `${at}.decideAfterMs: what is told before the answer is decided at once`,
    ],
    [
      behaviour({ callbacks: [{ beforeAnswer: true, afterMs: 1 }] }),
      `${at}.callbacks: a call before the answer waits for nothing`,
    ],
    [behaviour({ reply: 'http' }), `${at}.httpStatus: say which`],
    [behaviour({ match: { ref5: 'x' } }), `${at}.match: Unrecognized key: "ref5"`],
    [{ vendors: [{ vendorId: 'TOO-LONG', companyIds: ['A'] }] }, 'vendors[0].vendorId: must be at most 10'],
    [{ vendors: [{ vendorId: 'A', companyIds: [] }] }, 'sandbox.vendors[0].companyIds: '],
    [{ behaviours: [{ match: {}, endpoint: 'registration', code: '0429' }] }, 'behaviours[0].endpoint: '],
  ])('%j', (raw, message) => {
    expect(() => parseSandboxTable(raw)).toThrow(message);
  });

  test('a company of two vendors', async () => {
    const vendors = [
      { vendorId: 'A', companyIds: ['ONE'] },
      { vendorId: 'A', companyIds: ['ONE', 'TWO'] },
      { vendorId: 'B', companyIds: ['TWO'] },
    ];
    await expect(openRegistrationBank({}, { vendors })).rejects.toThrow(
      'sandbox.vendors: TWO is a company of A and of B: give it to one',
    );
  });
});

test('addresses of this machine are where it may call', () => {
  for (const callbackUrl of ['', 'http://127.0.0.1:1/a?b', 'https://localhost:8443/', 'http://[::1]:80/'])
    expect(parseSandboxTable({ registration: { callbackUrl } }).registration.callbackUrl).toBe(callbackUrl);
});

test('every code of §7.1 has a description', () => {
  for (const { code } of registrationCodes) expect(registrationStatus(code).text).not.toMatch(/^Status|[{}]/);
});

describe('config/sandbox.yaml', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../config/sandbox.yaml'), 'utf8');
  const { sandbox } = parse(text) as { sandbox: unknown };
  const { registration } = parseSandboxTable(sandbox);

  test('its list of accounts is its table', () => {
    const listed = [...text.matchAll(/^# {5}(\d{10,13}) {2,}/gm)].map(([, first = '']) => first);
    const rows = [...registration.behaviours.map(({ match }) => match), ...registration.accounts];
    const accounts = rows.flatMap(({ accountNo }) => accountNo ?? []);
    expect(listed.toSorted()).toEqual(accounts.toSorted());
    expect(new Set(accounts).size).toBe(rows.length);
  });

  test('its codes are of §7.1, but for the one that is unknown on purpose', () => {
    const codes = registration.behaviours.flatMap(({ code }) => code ?? []);
    expect(codes.filter((code) => findRegistrationCode(code) === undefined)).toEqual(['XX999']);
  });
});
