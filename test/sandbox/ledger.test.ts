import { describe, expect, test } from 'vitest';
import {
  goodCheck,
  goodInquiry,
  goodTransfer,
  isHeard,
  openBank,
  readBody,
  speak,
} from '../support/sandbox-kit.ts';
import type { TestBank } from '../support/sandbox-kit.ts';

const get = async (bank: TestBank, path: string) =>
  speak(bank.sandbox.baseUrl, { path, body: '', method: 'GET' });

test('GET /ledger shows what moved, what did not, and what was asked', async () => {
  const bank = await openBank({
    behaviours: [{ match: { amount: '5' }, money: 'moves-later', afterMs: 1_000 }],
  });
  await bank.ask('payeeCheck', goodCheck);
  await bank.ask('transfer', goodTransfer);
  await bank.ask('transfer', goodTransfer);
  await bank.ask('transfer', { ...goodTransfer, transRefNo: 'B', tranAmount: '5.00' });
  await bank.ask('transfer', { ...goodTransfer, transRefNo: 'C', payerBankCode: '014' });
  await bank.ask('inquiry', goodInquiry);
  const ledger = readBody(await get(bank, '/ledger'));
  expect(ledger).toEqual(bank.sandbox.ledger());
  expect(ledger).toEqual({
    isSandbox: true,
    at: '2026-11-21T12:00:00+07:00',
    totals: { count: 1, references: 1, amount: '100.25', fees: '0.00' },
    duplicatesRefused: 1,
    requests: { token: 1, tokenRefresh: 0, payeeCheck: 1, transfer: 4, inquiry: 1, statement: 0, other: 0 },
    statements: { issued: 0, downloads: 0, tokenSeen: false },
    entries: [
      {
        transRefNo: goodTransfer['transRefNo'],
        companyId: 'COMP000001',
        payerAccount: '0000345924',
        tranDate: '20261121',
        proxyType: 'MSISDN',
        proxyNo: '0812345678',
        amount: '100.25',
        fee: '0.00',
        sysRefNo: 'SB202611210000000001',
        reference1: 'INV-1',
        reference2: '',
        status: '010004',
        statusCode: 'IC000',
        acceptedAt: '2026-11-21T12:00:00+07:00',
        movedAt: '2026-11-21T12:00:00+07:00',
        requests: 2,
      },
      expect.objectContaining({ transRefNo: 'B', amount: '5.00', status: '010001', movedAt: null }),
    ],
  });
});

describe('the controls over HTTP', () => {
  const control = (bank: TestBank, command: unknown) =>
    speak(bank.sandbox.baseUrl, { path: '/sandbox/control', body: JSON.stringify(command) });
  const codeOf = async (bank: TestBank) => (await bank.ask('transfer', goodTransfer))['statusCode'];

  test('are not there unless the table allows them', async () => {
    const bank = await openBank();
    const outcome = await control(bank, { serviceOpen: false });
    expect(isHeard(outcome) && outcome.status).toBe(404);
    expect(await codeOf(bank)).toBe('IC000');
  });

  test.each([
    [{ serviceOpen: false }, 'TM001'],
    [{ behaviours: [{ match: {}, money: 'untouched', code: 'EM069' }] }, 'EM069'],
    [{ payerBalanceBaht: '100.24' }, 'EM053'],
    [{ payerBalanceBaht: '' }, 'IC000'],
    [{ advanceMs: 1_000, serviceOpen: false }, 'TM001'],
  ])('%j makes a transfer %s', async (command, code) => {
    const bank = await openBank({ control: true });
    expect(readBody(await control(bank, command))).toEqual({ done: true });
    expect(await codeOf(bank)).toBe(code);
  });

  test('set the clock, the tokens and an outage', async () => {
    const bank = await openBank({ control: true });
    await control(bank, { advanceMs: 86_400_000 });
    expect(bank.sandbox.ledger().at).toBe('2026-11-22T12:00:00+07:00');
    await control(bank, { advanceMs: -86_400_000 });
    await control(bank, { outage: true });
    expect(await bank.send('transfer', goodTransfer)).toBe('closed');
    expect(await bank.send('payeeCheck', goodCheck)).toBe('closed');
    expect(bank.sandbox.ledger().entries).toEqual([]);
    await control(bank, { outage: false });
    await control(bank, { revokeTokens: true });
    const outcome = await bank.send('transfer', goodTransfer);
    expect(isHeard(outcome) && outcome.status).toBe(401);
  });

  test.each([
    ['no JSON', '{', 'send any of'],
    ['an unknown command', '{"serviceOpn":false}', 'send any of'],
    ['a wrong type', '{"advanceMs":"1"}', 'send any of'],
    ['a wrong behaviour', '{"behaviours":[{"match":{}}]}', 'behaviours[0].money'],
    ['a wrong amount', '{"payerBalanceBaht":"x"}', 'baht'],
  ])('refuse %s and change nothing', async (_, body, says) => {
    const bank = await openBank({ control: true });
    const outcome = await speak(bank.sandbox.baseUrl, { path: '/sandbox/control', body });
    expect(isHeard(outcome) && outcome.status).toBe(400);
    expect(readBody(outcome)['message']).toContain(says);
    expect(await codeOf(bank)).toBe('IC000');
  });
});

test('a port that is taken is refused with the cure', async () => {
  const { sandbox } = await openBank();
  await expect(openBank({ port: sandbox.port })).rejects.toThrow(`127.0.0.1:${sandbox.port} (EADDRINUSE)`);
});

test('a closed bank answers nobody', async () => {
  const bank = await openBank();
  await bank.sandbox.close();
  expect(await bank.send('transfer', goodTransfer)).toBe('closed');
});
