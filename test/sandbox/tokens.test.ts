import { describe, expect, test } from 'vitest';
import { wireNames } from '../../src/bank/wire.ts';
import {
  askForToken,
  clientId,
  clientSecret,
  goodCheck,
  isHeard,
  openBank,
  readBody,
  speak,
  tokenOf,
} from '../support/sandbox-kit.ts';

const credentials = { client_id: clientId, client_secret: clientSecret };
const { paths } = wireNames('proxy');

const statusOf = (outcome: Awaited<ReturnType<typeof speak>>) =>
  isHeard(outcome) ? outcome.status : outcome;

describe('endpoint 1', () => {
  test('grants a token for 15 minutes and one to refresh it for a day', async () => {
    const { sandbox } = await openBank();
    expect(readBody(await askForToken(sandbox.baseUrl, credentials))).toEqual({
      code: '0000',
      message: 'Success',
      data: {
        token_type: 'BEARER',
        access_token: expect.stringMatching(/^[\w-]{32}$/),
        expires_in: 900,
        refresh_token: expect.stringMatching(/^[\w-]{32}$/),
        refresh_token_expires_in: 86_400,
      },
    });
  });

  test.each([
    ['no client ID', { client_secret: clientSecret }, 'client_id is required'],
    ['no secret', { client_id: clientId }, 'client_secret is required'],
    ['an empty secret', { ...credentials, client_secret: '' }, 'client_secret is required'],
    ['a wrong client ID', { ...credentials, client_id: 'x' }, 'is wrong'],
    ['a wrong secret', { ...credentials, client_secret: 'x' }, 'is wrong'],
  ])('refuses %s with TK001', async (_, form, why) => {
    const { sandbox } = await openBank();
    const outcome = await askForToken(sandbox.baseUrl, form);
    expect(statusOf(outcome)).toBe(401);
    expect(readBody(outcome)).toMatchObject({ code: 'TK001', message: expect.stringContaining(why) });
    expect(readBody(outcome)).not.toHaveProperty('data');
  });

  test('takes a form, not JSON', async () => {
    const { sandbox } = await openBank();
    const outcome = await speak(sandbox.baseUrl, {
      path: paths.token,
      body: JSON.stringify(credentials),
      headers: { 'content-type': 'application/json' },
    });
    expect(statusOf(outcome)).toBe(400);
    expect(readBody(outcome)).toMatchObject({ code: '9999' });
  });
});

describe('endpoint 2', () => {
  const refresh = (baseUrl: string, form: Record<string, string>) =>
    askForToken(baseUrl, { ...credentials, grant_type: 'refresh_token', ...form }, paths.tokenRefresh);

  test('gives a new pair for a refresh token, once', async () => {
    const bank = await openBank();
    const { baseUrl } = bank.sandbox;
    const first = await askForToken(baseUrl, credentials);
    const second = await refresh(baseUrl, { refresh_token: tokenOf(first, 'refresh_token') });
    expect(readBody(second)).toMatchObject({ code: '0000' });
    bank.token = tokenOf(second);
    expect(await bank.ask('payeeCheck', goodCheck)).toMatchObject({ statusCode: 'IC001' });
    const again = await refresh(baseUrl, { refresh_token: tokenOf(first, 'refresh_token') });
    expect(readBody(again)).toMatchObject({ code: 'TK001' });
  });

  test.each([
    ['no grant type', { grant_type: '' }],
    ['another grant type', { grant_type: 'password' }],
    ['no refresh token', { refresh_token: '' }],
    ['an unknown refresh token', { refresh_token: 'x' }],
    ['a wrong secret', { client_secret: 'x' }],
  ])('refuses %s with TK001', async (_, form) => {
    const { sandbox } = await openBank();
    const good = { refresh_token: tokenOf(await askForToken(sandbox.baseUrl, credentials), 'refresh_token') };
    const outcome = await refresh(sandbox.baseUrl, { ...good, ...(form as Record<string, string>) });
    expect(readBody(outcome)).toMatchObject({ code: 'TK001' });
  });

  test.each([
    [86_399_000, '0000'],
    [86_400_000, 'TK001'],
  ])('after %d ms a refresh token gets %s', async (ms, code) => {
    const { sandbox, clock } = await openBank();
    const good = { refresh_token: tokenOf(await askForToken(sandbox.baseUrl, credentials), 'refresh_token') };
    clock.skip(ms);
    expect(readBody(await refresh(sandbox.baseUrl, good))).toMatchObject({ code });
  });
});

describe('a business endpoint', () => {
  test.each([
    [899_999, 200],
    [900_000, 401],
  ])('takes an access token of %d ms with %d', async (ms, status) => {
    const bank = await openBank();
    bank.clock.skip(ms);
    expect(statusOf(await bank.send('payeeCheck', goodCheck))).toBe(status);
  });

  test.each([
    ['none', {}],
    ['an unknown one', { authorization: 'Bearer x' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic x' }],
  ])('answers 401 to %s, on every endpoint', async (_, headers) => {
    const { sandbox } = await openBank();
    for (const path of [paths.payeeCheck, paths.transfer, paths.inquiry]) {
      const message = { path, body: '{}', headers: { 'content-type': 'application/json', ...headers } };
      expect(statusOf(await speak(sandbox.baseUrl, message as never))).toBe(401);
    }
  });

  test('forgets its tokens when told to', async () => {
    const bank = await openBank();
    bank.sandbox.control({ revokeTokens: true });
    expect(statusOf(await bank.send('payeeCheck', goodCheck))).toBe(401);
  });
});

test.each([
  ['TK001', 401],
  ['9999', 200],
])('the table can refuse tokens with %s', async (code, status) => {
  const { sandbox } = await openBank({ behaviours: [{ match: {}, endpoint: 'token', code, times: 2 }] });
  const outcome = await askForToken(sandbox.baseUrl, credentials);
  expect([statusOf(outcome), readBody(outcome)['code']]).toEqual([status, code]);
  expect(readBody(await askForToken(sandbox.baseUrl, credentials))).toMatchObject({ code: '0000' });
});
