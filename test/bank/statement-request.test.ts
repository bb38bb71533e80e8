import { afterEach, describe, expect, test } from 'vitest';
import { type ExchangeRecord, makeBankClient } from '../../src/bank/client.ts';
import { makeStatementRequests, readStatementFields } from '../../src/bank/statement-request.ts';
import { answer, type Behaviour, clientOptions, startFakeBank } from '../support/fake-bank.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const address = 'https://files.example/s.zip?signature=secret';
const path = '/directcredit/v1/open-api/proxy/signed-url-reconcile-file';

/** A bank that answers endpoint 8 so, and a desk before it. */
async function start(behave: Behaviour, dateField: 'date' | 'Date' = 'date', scheme = 'proxy') {
  const bank = await startFakeBank();
  const records: ExchangeRecord[] = [];
  const onExchange = (record: ExchangeRecord) => void records.push(record);
  const client = makeBankClient(clientOptions(bank.baseUrl, { onExchange, scheme }));
  open.push(client, bank);
  bank.behave = (arrival, response) => !arrival.path.includes('/oauth/') && behave(arrival, response);
  return { bank, client, records, desk: makeStatementRequests(client, dateField) };
}

const offer: Behaviour = (_, response) =>
  answer(response, { statusCode: '0', statusDesc: 'Success', storageSignedUrl: address, unZipKey: 'k' });

describe('endpoint 8', () => {
  test.each(['date', 'Date'] as const)('is asked with the field %s, the token and ids', async (dateField) => {
    const { bank, desk } = await start(offer, dateField);
    expect(await desk.request('20261120', 'COMP000001')).toEqual({ kind: 'offered', address, key: 'k' });
    expect(bank.business()).toMatchObject([
      { path, headers: { authorization: 'Bearer token-1', 'x-request-id': expect.any(String) } },
    ]);
    expect(JSON.parse(bank.business()[0]?.body ?? '')).toEqual({
      [dateField]: '2026-11-20',
      companyID: 'COMP000001',
    });
  });

  test("has the scheme's word in its path, and a blank company for all", async () => {
    const { bank, desk } = await start(offer, 'date', 'promptpay');
    await desk.request('20261120', null);
    expect(bank.business()[0]?.path).toBe(path.replace('proxy', 'promptpay'));
    expect(JSON.parse(bank.business()[0]?.body ?? '')).toMatchObject({ companyID: '' });
  });

  test('renews the token once after a 401', async () => {
    let calls = 0;
    const { bank, desk } = await start((arrival, response) =>
      (calls += 1) === 1 ? answer(response, {}, 401) : offer(arrival, response),
    );
    expect(await desk.request('20261120', null)).toMatchObject({ kind: 'offered' });
    expect(bank.business()).toHaveLength(2);
  });

  test('leaves neither address nor key in the log', async () => {
    const { desk, records } = await start(offer);
    await desk.request('20261120', null);
    expect(records).toMatchObject([{}, { endpoint: 'statement', code: '0' }]);
    expect(JSON.stringify(records)).not.toMatch(/secret|files\.example/);
  });
});

describe('an answer', () => {
  test.each<[number, unknown, object]>([
    [200, { statusCode: 0, storageSignedUrl: address }, { kind: 'offered', address, key: null }],
    [
      200,
      { statusCode: 0, storageSignedUrl: address, unZipKey: 'k'.repeat(1_000) },
      { kind: 'offered', address, key: 'k'.repeat(1_000) },
    ],
    [
      200,
      { statusCode: 0, storageSignedUrl: address, unZipKey: 'k'.repeat(1_001) },
      {
        kind: 'unavailable',
        why: 'the bank gives an unZipKey of more than 1000 characters, which is none',
        retryAfterMs: null,
      },
    ],
    [200, { statusCode: 'AU00002', statusDesc: 'File not Found' }, { kind: 'not-found' }],
    [404, { statusCode: 'AU00002' }, { kind: 'not-found' }],
    [
      400,
      { statusCode: 'AU00001', statusDesc: 'Invalid' },
      { kind: 'refused', code: 'AU00001', text: 'Invalid' },
    ],
    [200, { statusCode: 'AU00003' }, { kind: 'refused', code: 'AU00003', text: 'no description' }],
    [200, { statusCode: 'XX' }, { kind: 'refused', code: 'XX' }],
    [200, { statusCode: '0' }, { kind: 'unavailable', why: expect.stringContaining('no address') }],
    [200, { statusCode: '0', storageSignedUrl: '' }, { kind: 'unavailable' }],
    [200, {}, { kind: 'unavailable' }],
    [401, {}, { kind: 'not-allowed', code: 'HTTP 401' }],
    [403, {}, { kind: 'not-allowed', code: 'HTTP 403', text: expect.stringContaining('ask the bank') }],
    [302, { statusCode: '0', storageSignedUrl: address }, { kind: 'refused', code: 'HTTP 302' }],
    [429, {}, { kind: 'unavailable', retryAfterMs: 7_000 }],
    [503, {}, { kind: 'unavailable', retryAfterMs: 7_000 }],
  ])('HTTP %i %j is %j', async (status, body, expected) => {
    const { desk } = await start((_, response) => {
      response.setHeader('retry-after', '7');
      return answer(response, body, status);
    });
    expect(await desk.request('20261120', null)).toMatchObject(expected);
  });

  test('that is lost, and a bank out of reach, are unavailable', async () => {
    const { bank, desk } = await start(({ socket }) => Boolean(socket.destroy()));
    expect(await desk.request('20261120', null)).toMatchObject({ kind: 'unavailable', why: 'ECONNRESET' });
    await bank[Symbol.asyncDispose]();
    expect(await desk.request('20261120', null)).toMatchObject({ kind: 'unavailable' });
  });

  test('that refuses our credentials says that they are to be corrected', async () => {
    const { bank, desk } = await start(offer);
    bank.behave = (_, response) => answer(response, { code: 'TK001' });
    expect(await desk.request('20261120', null)).toMatchObject({
      kind: 'not-allowed',
      code: 'TK001',
      text: expect.stringContaining('correct them in the settings'),
    });
  });

  test('may have a long address, but not one without end', () => {
    const of = (url: unknown) =>
      readStatementFields(JSON.stringify({ statusCode: '0', storageSignedUrl: url }))?.address;
    expect(of(`https://x/${'a'.repeat(5_000)}`)).toHaveLength(5_010);
    expect(of('x'.repeat(20_000))).toBeUndefined();
    expect(of({})).toBeUndefined();
  });
});
