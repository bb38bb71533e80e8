/** Several clients, companies and payer accounts: each sees its own and nothing else. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { wireNames } from '../../src/bank/wire.ts';
import type { SandboxOptions } from '../../src/sandbox/bank.ts';
import { parseSandboxTable } from '../../src/sandbox/table.ts';
import {
  askForToken,
  clientId,
  clientSecret,
  companyId,
  goodCheck,
  goodInquiry,
  goodTransfer,
  itemsOf,
  payerAccount,
  readBody,
  tokenOf,
} from '../support/sandbox-kit.ts';
import type { Fields } from '../support/sandbox-kit.ts';
import { columnOf, openStatementBank, today } from '../support/sandbox-statement-kit.ts';
import type { StatementBank } from '../support/sandbox-statement-kit.ts';

const sister = { companyId: 'COMP000002', payerAccounts: ['0000000022', '0000000023'] };
const stranger = { companyId: 'COMP000009', payerAccounts: ['0000000099'] };
/** Another application of the same partner, and one of another partner. */
const clients = [
  { clientId: 'second-app', clientSecret: 'second-secret', companies: [sister] },
  { clientId: 'strange-app', clientSecret: 'strange-secret', partnerId: 'PARTNER009', companies: [stranger] },
];

const openCrowd = (options: Partial<SandboxOptions> = {}): Promise<StatementBank> =>
  openStatementBank({}, { clients, companies: [sister], ...options });

/** Makes the bank's next requests those of this client. */
async function speakAs(bank: StatementBank, id: string, secret: string): Promise<void> {
  bank.token = tokenOf(await askForToken(bank.sandbox.baseUrl, { client_id: id, client_secret: secret }));
}

const asSister: Fields = { compId: sister.companyId, payerAccount: '0000000022' };
const asStranger: Fields = { compId: stranger.companyId, payerAccount: '0000000099' };

describe('a client', () => {
  test('gets tokens for its own credentials alone, and refreshes its own alone', async () => {
    const { sandbox } = await openCrowd();
    const refresh = wireNames('proxy').paths.tokenRefresh;
    const own = { client_id: 'second-app', client_secret: 'second-secret' };
    const granted = await askForToken(sandbox.baseUrl, own);
    expect(readBody(granted)).toMatchObject({ code: '0000' });
    const crossed = { client_id: clientId, client_secret: 'second-secret' };
    expect(readBody(await askForToken(sandbox.baseUrl, crossed))).toMatchObject({ code: 'TK001' });
    const renewal = { grant_type: 'refresh_token', refresh_token: tokenOf(granted, 'refresh_token') };
    const stolen = { client_id: clientId, client_secret: clientSecret, ...renewal };
    expect(readBody(await askForToken(sandbox.baseUrl, stolen, refresh))).toMatchObject({ code: 'TK001' });
    const renewed = await askForToken(sandbox.baseUrl, { ...own, ...renewal }, refresh);
    expect(readBody(renewed)).toMatchObject({ code: '0000' });
  });

  test.each([
    ['its company', {}, 'IC000'],
    ['a further company of its own', asSister, 'IC000'],
    ['that company’s other account', { ...asSister, payerAccount: '0000000023' }, 'IC000'],
    ['a company of another client', asStranger, 'EM002'],
    ['a company of nobody', { compId: 'COMP000077' }, 'EM002'],
    ['an account that is registered for another company', { payerAccount: '0000000022' }, 'EM004'],
    ['its first company’s account for the further one', { ...asSister, payerAccount }, 'EM004'],
  ])('pays for %s: %j gets %s', async (_, fields, code) => {
    const bank = await openCrowd();
    expect(await bank.ask('transfer', { ...goodTransfer, ...fields })).toMatchObject({ statusCode: code });
    const found = code === 'IC000' ? 'IC001' : code;
    expect(await bank.ask('payeeCheck', { ...goodCheck, ...fields })).toMatchObject({ statusCode: found });
  });

  test('that is not the settings’ own is bound in the same way', async () => {
    const bank = await openCrowd();
    await speakAs(bank, 'strange-app', 'strange-secret');
    for (const [fields, code] of [
      [asStranger, 'IC000'],
      [{}, 'EM002'],
      [asSister, 'EM002'],
    ] as const)
      expect(await bank.ask('transfer', { ...goodTransfer, ...fields })).toMatchObject({ statusCode: code });
  });
});

test('a duplicate is one of the same company, and an inquiry finds the company’s own alone', async () => {
  const bank = await openCrowd();
  const pay = async (fields: Fields) =>
    (await bank.ask('transfer', { ...goodTransfer, ...fields }))['statusCode'];
  const inquire = async (compId: string) => bank.ask('inquiry', { ...goodInquiry, compId });
  expect(await pay({})).toBe('IC000');
  expect(await inquire(sister.companyId)).toMatchObject({ statusCode: 'EV035' });
  expect(await pay(asSister)).toBe('IC000');
  expect([await pay({}), await pay(asSister)]).toEqual(['EM001', 'EM001']);
  const [one] = itemsOf(await inquire(companyId));
  const [other] = itemsOf(await inquire(sister.companyId));
  expect(one?.['sysRefNo']).not.toBe(other?.['sysRefNo']);
  expect(await inquire(stranger.companyId)).toMatchObject({ statusCode: 'EM002' });
  const { entries, duplicatesRefused } = bank.sandbox.ledger();
  expect(entries.map((entry) => [entry.companyId, entry.payerAccount, entry.requests])).toEqual([
    [companyId, payerAccount, 2],
    [sister.companyId, '0000000022', 2],
  ]);
  expect(duplicatesRefused).toBe(2);
});

describe('the statement', () => {
  async function payAll(): Promise<StatementBank> {
    const bank = await openCrowd();
    await bank.pay({ transRefNo: 'A' });
    await bank.pay({ transRefNo: 'B', ...asSister });
    await speakAs(bank, 'strange-app', 'strange-secret');
    await bank.pay({ transRefNo: 'C', ...asStranger });
    return bank;
  }
  const nameIn = (answer: Record<string, string>) => /[^/]+\.csv/.exec(answer['storageSignedUrl'] ?? '')?.[0];

  test.each([
    [clientId, clientSecret, '', ['A', 'B'], 'PARTNER001_PROXY_20261121.csv'],
    [clientId, clientSecret, companyId, ['A'], 'PARTNER001_COMP000001_PROXY_20261121.csv'],
    [clientId, clientSecret, sister.companyId, ['B'], 'PARTNER001_COMP000002_PROXY_20261121.csv'],
    ['second-app', 'second-secret', '', ['A', 'B'], 'PARTNER001_PROXY_20261121.csv'],
    ['strange-app', 'strange-secret', '', ['C'], 'PARTNER009_PROXY_20261121.csv'],
  ])('of %s (%s) for company "%s" has %j', async (id, secret, companyID, references, name) => {
    const bank = await payAll();
    await speakAs(bank, id, secret);
    const fields = { date: today, companyID };
    expect(nameIn(await bank.statement(fields))).toBe(name);
    expect(columnOf(await bank.lines(fields), 'TRANSREF NO')).toEqual(references);
  });

  test('says whose each line is', async () => {
    const bank = await payAll();
    const [line] = await bank.lines({ date: today });
    expect(line).toMatchObject({
      'PARTNER ID': 'PARTNER009',
      'CLIENT ID': 'strange-app',
      'COMPANY ID': stranger.companyId,
      'PAYER ACCOUNT': '0000000099',
    });
  });

  test('of another partner’s company is not there', async () => {
    const bank = await payAll();
    expect(await bank.statement({ date: today, companyID: companyId })).toMatchObject({
      statusCode: 'AU00002',
    });
  });

  test('counts its files for each company by itself', async () => {
    const bank = await openStatementBank(
      { edits: [{ edit: 'drop', match: {}, toIssue: 1 }] },
      { companies: [sister] },
    );
    await bank.pay({ transRefNo: 'A' });
    await bank.pay({ transRefNo: 'B', ...asSister });
    const count = async (companyID: string) => (await bank.lines({ date: today, companyID })).length;
    expect([await count(companyId), await count(sister.companyId)]).toEqual([0, 0]);
    // All of the partner's share the count of the settings' own company.
    expect([await count(sister.companyId), await count('')]).toEqual([1, 2]);
  });
});

test('a restart forgets none of it, and reads what a bank of one company has written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stateFile = join(folder, 'bank.jsonl');
  const alone = await openStatementBank({}, { stateFile });
  await alone.pay({ transRefNo: 'A' });
  await alone.sandbox.close();
  expect(readFileSync(stateFile, 'utf8')).toContain('"transRefNo":"A"');
  const first = await openCrowd({ stateFile });
  await first.pay({ transRefNo: 'A', ...asSister });
  const before = first.sandbox.ledger().entries;
  await first.sandbox.close();
  const again = await openCrowd({ stateFile });
  expect(again.sandbox.ledger().entries).toEqual(before);
  for (const fields of [{}, asSister])
    expect(await again.ask('transfer', { ...goodTransfer, transRefNo: 'A', ...fields })).toMatchObject({
      statusCode: 'EM001',
    });
});

test.each([
  [{ clients: [{ clientId: 'a', clientSecret: 'b', companies: [] }] }, /sandbox\.clients\[0\]\.companies/],
  [{ companies: [{ companyId: 'TOO-LONG-A-NAME', payerAccounts: ['1'] }] }, /at most 10 letters and digits/],
  [{ companies: [{ companyId: 'A', payerAccounts: [1] }] }, /payerAccounts\[0\]: must be digits in quotes/],
  [{ companies: [{ companyId: 'A', payerAccounts: ['12a'] }] }, /at most 15 digits/],
])('%j is refused', (table, says) => {
  expect(() => parseSandboxTable(table)).toThrow(says);
});

test('two clients of one name are refused', async () => {
  const twin = { clientId, clientSecret: 'other', companies: [sister] };
  await expect(openStatementBank({}, { clients: [twin] })).rejects.toThrow(
    'sandbox.clients[0].clientId: there is a client of this name already',
  );
});
