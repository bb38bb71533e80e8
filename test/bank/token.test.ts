import { afterEach, describe, expect, test } from 'vitest';
import { type BankClientOptions, makeBankClient } from '../../src/bank/client.ts';
import {
  answer,
  type Behaviour,
  clientOptions,
  clientSecret,
  startFakeBank,
  tokenReply,
} from '../support/fake-bank.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { eventually } from '../support/eventually.ts';

const check = { proxyType: 'MSISDN', proxyNo: '0812345678', proxyName: null } as const;
const token = '/oauth/authentication/api/v2/token';
const refresh = `${token}/refresh`;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function start(changes: Partial<BankClientOptions> = {}) {
  const bank = await startFakeBank();
  const clock = makeVirtualClock();
  const client = makeBankClient(clientOptions(bank.baseUrl, { clock, ...changes }));
  open.push(client, bank);
  return { bank, clock, ask: () => client.checkPayee(check) };
}

const formOf = (body: string | undefined) => Object.fromEntries(new URLSearchParams(body));
const answered = { kind: 'answered', httpStatus: 200 };

/** Answers at the token endpoints with this; business calls are answered well. */
const atToken =
  (behave: Behaviour): Behaviour =>
  (arrival, response) =>
    arrival.path.startsWith(token) && behave(arrival, response);

describe('a token', () => {
  test('is asked for with the credentials as a form (§2.1)', async () => {
    const { bank, ask } = await start({ clientId: 'a&b', clientSecret: 'c=d é' });
    await ask();
    const [first] = bank.arrivals;
    expect(first).toMatchObject({
      path: token,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(formOf(first?.body)).toEqual({ client_id: 'a&b', client_secret: 'c=d é' });
    expect(first?.headers.authorization).toBeUndefined();
  });

  test('is reused while it is valid', async () => {
    const { bank, clock, ask } = await start();
    await ask();
    await clock.advance(839_000);
    await ask();
    expect(bank.tokenPaths()).toEqual([token]);
    expect(bank.business().map((one) => one.headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
    ]);
  });

  test('is asked for once, however many wait', async () => {
    const { bank, ask } = await start();
    const replies = await Promise.all(Array.from({ length: 50 }, ask));
    expect(replies.filter((reply) => reply.kind !== 'answered')).toEqual([]);
    expect(bank.tokenPaths()).toEqual([token]);
  });

  test('is refreshed shortly before it expires, once, and nobody waits for it', async () => {
    const { bank, clock, ask } = await start();
    await ask();
    const held: (() => void)[] = [];
    bank.behave = atToken((_, response) => Boolean(held.push(() => answer(response, tokenReply('fresh')))));
    await clock.advance(840_000);
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toHaveLength(20);
    await eventually(() => expect(held).toHaveLength(1));
    expect(new Set(bank.business().map((one) => one.headers.authorization))).toEqual(
      new Set(['Bearer token-1']),
    );
    held[0]?.();
    await eventually(async () => {
      await ask();
      expect(bank.business().at(-1)?.headers.authorization).toBe('Bearer fresh');
    });
    expect(bank.tokenPaths()).toEqual([token, refresh]);
    expect(formOf(bank.arrivals.find((one) => one.path === refresh)?.body)).toEqual({
      client_id: 'my-app',
      client_secret: clientSecret,
      grant_type: 'refresh_token',
      refresh_token: 'refresh-of-token-1',
    });
  });

  test('that has expired is refreshed before anything is sent', async () => {
    const { bank, clock, ask } = await start();
    await ask();
    await clock.advance(900_000);
    await Promise.all([ask(), ask(), ask()]);
    expect(bank.tokenPaths()).toEqual([token, refresh]);
    expect(bank.business().map((one) => one.headers.authorization)).toEqual([
      'Bearer token-1',
      ...Array.from({ length: 3 }, () => 'Bearer token-3'),
    ]);
  });

  test('that expires while a call waits for its turn is renewed before it goes', async () => {
    const { bank, clock, ask } = await start({ requestsPerSecond: 0.001 });
    await ask();
    const waiting = ask();
    await eventually(() => expect(clock.sleepers).toBe(1));
    await clock.advance(1_000_000);
    expect(await waiting).toMatchObject(answered);
    const used = bank.business().map((one) => one.headers.authorization);
    expect(used).toEqual(['Bearer token-1', 'Bearer token-3']);
  });

  test.each([
    ['of 10 s is renewed in its last fifth only', { expires_in: 10 }, 7_900, 8_000],
    ['with its life as a text', { expires_in: '100' }, 79_000, 80_000],
    ['of a day is renewed in its last minute', { expires_in: 86_400 }, 86_339_000, 86_340_000],
    ['without a life lives as §8 says', { expires_in: undefined }, 839_000, 840_000],
    ['with an absurd life lives as §8 says', { expires_in: -5 }, 839_000, 840_000],
  ])('%s', async (_, details, quietMs, dueMs) => {
    const { bank, clock, ask } = await start();
    bank.behave = atToken((_arrival, response) => answer(response, tokenReply('t', details)));
    await ask();
    await clock.advance(quietMs);
    await ask();
    expect(bank.tokenPaths()).toHaveLength(1);
    await clock.advance(dueMs - quietMs);
    await ask();
    await eventually(() => expect(bank.tokenPaths()).toHaveLength(2));
  });

  test.each(['Bearer', 'BEARER', 'bearer', undefined])('of type %s is used', async (tokenType) => {
    const { bank, ask } = await start();
    bank.behave = atToken((_, response) => answer(response, tokenReply('t', { token_type: tokenType })));
    expect(await ask()).toMatchObject(answered);
    expect(bank.business()[0]?.headers.authorization).toBe('Bearer t');
  });
});

describe('the fall back to endpoint 1', () => {
  // Long enough that none but a bank that says nothing is ever too late.
  test.each<[string, Behaviour, number?]>([
    ['refuses the refresh token', (_, response) => answer(response, { code: 'TK001', message: 'no' }, 401)],
    ['answers with an exception', (_, response) => answer(response, { code: '9999', message: 'no' })],
    ['speaks HTML', (_, response) => Boolean(response.writeHead(502).end('<html>'))],
    ['hangs up', ({ socket }) => Boolean(socket.destroy())],
    ['says nothing', () => true, 1_500],
  ])('comes when endpoint 2 %s', async (_, behave, timeoutMs = 60_000) => {
    const { bank, clock, ask } = await start({ timeoutMs });
    await ask();
    bank.behave = (arrival, response) => arrival.path === refresh && behave(arrival, response);
    await clock.advance(900_000);
    expect(await ask()).toMatchObject(answered);
    expect(bank.tokenPaths()).toEqual([token, refresh, token]);
  });

  test.each([
    ['there is no refresh token', { refresh_token: undefined }],
    ['the refresh token has expired', { refresh_token_expires_in: 900 }],
  ])('comes at once when %s', async (_, details) => {
    const { bank, clock, ask } = await start();
    bank.behave = atToken((_arrival, response) => answer(response, tokenReply('t', details)));
    await ask();
    await clock.advance(900_000);
    expect(await ask()).toMatchObject(answered);
    expect(bank.tokenPaths()).toEqual([token, token]);
  });
});

describe('without a token nothing is sent', () => {
  test.each<[string, Behaviour, string]>([
    ['speaks HTML', (_, response) => Boolean(response.end('<html>')), 'not what the interface says'],
    ['is broken', (_, response) => Boolean(response.writeHead(500).end()), 'HTTP 500'],
    ['hangs up', ({ socket }) => Boolean(socket.destroy()), 'ECONNRESET'],
    ['is slow', () => true, 'timed out after 3000 ms'],
    ['has an exception', (_, response) => answer(response, { code: '9999', message: 'x' }), 'code 9999'],
    [
      'redirects',
      (_, response) => Boolean(response.writeHead(302, { location: '/x' }).end()),
      'redirects are never followed',
    ],
    [
      'gives no details',
      (_, response) => answer(response, { code: '0000' }),
      'without a usable bearer token',
    ],
    ['gives no token', (_, response) => answer(response, tokenReply('')), 'without a usable bearer token'],
    [
      'gives one of another type',
      (_, response) => answer(response, tokenReply('t', { token_type: 'mac' })),
      'usable',
    ],
    [
      'gives one that no header can carry',
      (_, response) => answer(response, tokenReply('t\r\nx: y')),
      'usable',
    ],
    [
      'gives one without saying success',
      (_, response) => answer(response, { data: { access_token: 't' } }),
      'not what',
    ],
  ])('when the token endpoint %s', async (_, behave, why) => {
    const { bank, ask } = await start({ timeoutMs: 3_000 });
    bank.behave = atToken(behave);
    expect(await ask()).toEqual({ kind: 'not-sent', why: expect.stringContaining(why) });
    expect(bank.business()).toEqual([]);
    bank.behave = () => false;
    expect(await ask()).toMatchObject(answered);
  });

  test.each<[string, Behaviour, string]>([
    ['hangs up', ({ socket }) => Boolean(socket.destroy()), 'lost'],
    ['speaks HTML', (_, response) => Boolean(response.end('<html>')), 'answered'],
  ])('and the log knows whether it may have heard us when it %s', async (_, behave, outcome) => {
    const outcomes: string[] = [];
    const { bank, ask } = await start({ onExchange: (record) => outcomes.push(record.outcome) });
    bank.behave = atToken(behave);
    await ask();
    await bank[Symbol.asyncDispose]();
    await ask();
    expect(outcomes).toEqual([outcome, 'not-sent']);
  });

  test('when it is down', async () => {
    const { bank, ask } = await start();
    await bank[Symbol.asyncDispose]();
    expect(await ask()).toEqual({ kind: 'not-sent', why: expect.stringContaining('ECONNREFUSED') });
  });

  test.each([200, 400, 401, 500])('when it refuses the credentials with HTTP %i', async (httpStatus) => {
    const { bank, clock, ask } = await start();
    bank.behave = atToken((_, response) => answer(response, { code: 'TK001', message: 'no' }, httpStatus));
    const refused = { kind: 'credentials-refused', code: 'TK001' };
    expect(await Promise.all([ask(), ask()])).toEqual([refused, refused]);
    expect(await ask()).toEqual(refused);
    expect(bank.tokenPaths()).toEqual([token]);
    bank.behave = () => false;
    await clock.advance(5_000);
    expect(await ask()).toMatchObject(answered);
  });
});

describe('a renewal that fails while the token still holds', () => {
  test('leaves it in use, is tried again after a pause, and counts when it has expired', async () => {
    const { bank, clock, ask } = await start();
    await ask();
    bank.behave = atToken((_, response) => Boolean(response.writeHead(503).end()));
    await clock.advance(840_000);
    expect(await ask()).toMatchObject(answered);
    await eventually(() => expect(bank.tokenPaths()).toEqual([token, refresh, token]));
    for (let calls = 0; calls < 10; calls += 1) expect(await ask()).toMatchObject(answered);
    expect(bank.tokenPaths()).toHaveLength(3);
    await clock.advance(5_000);
    expect(await ask()).toMatchObject(answered);
    await eventually(() => expect(bank.tokenPaths()).toHaveLength(5));
    await clock.advance(55_000);
    expect(await ask()).toMatchObject({ kind: 'not-sent' });
  });

  test('a clock that is set back does not keep the pause for ever', async () => {
    const { bank, clock, ask } = await start();
    bank.behave = atToken((_, response) => answer(response, { code: 'TK001' }));
    await ask();
    clock.set(clock.now() - 3_600_000);
    await ask();
    expect(bank.tokenPaths()).toHaveLength(2);
  });
});
