import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  controlHeaders,
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
  speak(bank.sandbox.baseUrl, { path, body: '', method: 'GET', headers: controlHeaders(bank.sandbox) });

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
    requests: {
      token: 1,
      tokenRefresh: 0,
      payeeCheck: 1,
      transfer: 4,
      inquiry: 1,
      statement: 0,
      registration: 0,
      other: 0,
    },
    // All within a moment; that for a token does not count.
    busiestSecond: 6,
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
    registrations: {
      totals: { success: 0, reject: 0, undecided: 0 },
      duplicatesRefused: 0,
      repeatedRequestUids: 0,
      callbacks: { acknowledged: 0, owed: 0, givenUp: 0, tries: 0 },
      entries: [],
    },
  });
});

test.each([
  ['', undefined],
  ['a wrong one', 'Bearer nonsense'],
  ['a client’s', 'token'],
])(
  'the ledger and the controls want their own token: with %s they tell and change nothing',
  async (_, given) => {
    const bank = await openBank({ control: true });
    const authorization = given === 'token' ? `Bearer ${bank.token}` : given;
    const headers = authorization === undefined ? {} : { authorization };
    const control = { path: '/sandbox/control', body: '{"serviceOpen":false}', headers };
    for (const message of [{ path: '/ledger', body: '', method: 'GET', headers }, control]) {
      const outcome = await speak(bank.sandbox.baseUrl, message);
      expect(isHeard(outcome) && outcome.status).toBe(401);
      expect(readBody(outcome)).toEqual({ message: expect.stringContaining('control token') });
    }
    expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'IC000' });
  },
);

test('under another name than its own it answers nothing, and no page of that name reads the ledger', async () => {
  const bank = await openBank({ hosts: ['bank.internal'] });
  const statusAs = async (host: string) => {
    const headers = { ...controlHeaders(bank.sandbox), host };
    const outcome = await speak(bank.sandbox.baseUrl, { path: '/ledger', body: '', method: 'GET', headers });
    return isHeard(outcome) && outcome.status;
  };
  expect(await statusAs('127.0.0.1:1')).toBe(200);
  expect(await statusAs('bank.internal:8080')).toBe(200);
  expect(await statusAs('evil.example')).toBe(421);
  const posted = await speak(bank.sandbox.baseUrl, {
    path: '/oauth/authentication/api/v2/token',
    body: '',
    headers: { host: 'evil.example' },
  });
  expect(isHeard(posted) && posted.status).toBe(421);
  expect(bank.sandbox.ledger().requests).toMatchObject({ token: 1, other: 0 });
});

test('of many connections at once it holds so many and no more', async () => {
  const { sandbox } = await openBank({ limits: { connectionsMax: 2 } });
  const sockets = [1, 2, 3, 4].map(() =>
    connect(sandbox.port, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  await Promise.race(sockets.map((socket) => once(socket, 'close')));
  for (const socket of sockets) socket.destroy();
});

describe('the controls over HTTP', () => {
  const control = (bank: TestBank, command: unknown) =>
    speak(bank.sandbox.baseUrl, {
      path: '/sandbox/control',
      body: JSON.stringify(command),
      headers: controlHeaders(bank.sandbox),
    });
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
    const headers = controlHeaders(bank.sandbox);
    const outcome = await speak(bank.sandbox.baseUrl, { path: '/sandbox/control', body, headers });
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
