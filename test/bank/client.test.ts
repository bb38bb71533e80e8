import { afterEach, describe, expect, test, vi } from 'vitest';
import { type BankClientOptions, type ExchangeRecord, makeBankClient } from '../../src/bank/client.ts';
import { BankAddressError } from '../../src/core/network-address.ts';
import { check, inquiry, order, keepRenewed, registrationOrder } from '../support/bank-samples.ts';
import {
  answer,
  clientOptions,
  clientSecret,
  type FakeBank,
  proxyNo,
  startFakeBank,
} from '../support/fake-bank.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { eventually } from '../support/eventually.ts';

const yes = () => true;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function start(changes: Partial<BankClientOptions> = {}) {
  const bank = await startFakeBank();
  const client = makeBankClient(clientOptions(bank.baseUrl, changes));
  open.push(client, bank);
  return { bank, client };
}

const bodyOf = (bank: FakeBank, index = 0) =>
  JSON.parse(bank.business()[index]?.body ?? '{}') as Record<string, string>;

const uidPattern = /^[0-9A-HJKMNP-TV-Z]{20}$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('requests', () => {
  test('of every kind ask for a body as it is', async () => {
    const { bank, client } = await start();
    await client.checkPayee(check);
    await client.transfer(order, yes);
    await client.inquire(inquiry);
    await client.register(registrationOrder, yes, keepRenewed);
    await client.requestStatement({ date: '2026-11-21', companyId: null, dateField: 'date' });
    expect(
      bank.arrivals.map(({ path, headers }) => [path.split('/').at(-1), headers['accept-encoding']]),
    ).toEqual(
      ['token', 'inquirystatus', 'fundtransfer', 'inquiry', 'registerddr', 'signed-url-reconcile-file'].map(
        (path) => [path, 'identity'],
      ),
    );
  });

  test('endpoint 5 carries every field of §2.4, date and time in Bangkok', async () => {
    const { bank, client } = await start({ clock: makeVirtualClock(Date.parse('2026-11-21T17:00:05Z')) });
    await client.checkPayee({ proxyType: 'NATID', proxyNo: '9012345678901', proxyName: 'A B' });
    expect(bank.business()[0]).toMatchObject({
      path: '/directcredit/v1/open-api/proxy/account/inquirystatus',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer token-1',
        'x-request-id': expect.stringMatching(uuidPattern),
      },
    });
    expect(bodyOf(bank)).toEqual({
      channelID: 'PAYDROP',
      termID: 'TERM0001',
      tranDate: '20261122',
      tranTime: '00:00:05',
      compId: 'COMP000001',
      requestUID: expect.stringMatching(uidPattern),
      payerBankCode: '006',
      payerAccount: '0000345924',
      proxyNo: '9012345678901',
      proxyName: 'A B',
      proxyType: 'NATID',
    });
  });

  test.each([
    [160, true],
    [161, false],
  ])('endpoint 5 with a name of %i characters sends it: %s', async (length, isSent) => {
    const { bank, client } = await start();
    await client.checkPayee({ ...check, proxyName: 'A'.repeat(length) });
    expect('proxyName' in bodyOf(bank)).toBe(isSent);
  });

  test('endpoint 6 carries the order as it is stored, and nothing of the settings', async () => {
    const { bank, client } = await start();
    await client.transfer(order, yes);
    expect(bank.business()[0]?.path).toBe('/directcredit/v1/open-api/proxy/fundtransfer');
    expect(bodyOf(bank)).toEqual({
      channelID: 'ORDERCHAN',
      termID: 'ORDERTERM',
      tranDate: '20261120',
      tranTime: '23:59:58',
      compId: 'ORDERCOMP',
      requestUID: expect.stringMatching(uidPattern),
      payerBankCode: '006',
      payerAccount: '0000345924',
      transRefNo: order.transRefNo,
      tranAmount: '1234.50',
      proxyNo,
      proxyName: 'SOMCHAI JAIDEE',
      proxyType: 'MSISDN',
      resendFlag: 'N',
      reference1: 'INV 1',
    });
  });

  test('endpoint 7 carries every required field of §2.6', async () => {
    const { bank, client } = await start();
    await client.inquire(inquiry);
    expect(bank.business()[0]?.path).toBe('/directcredit/v1/open-api/proxy/fundtransfer/inquiry');
    expect(bodyOf(bank)).toEqual({
      channelID: 'ORDERCHAN',
      termID: 'ORDERTERM',
      tranDate: '20261120',
      tranTime: '23:59:58',
      compId: 'ORDERCOMP',
      transRefNo: order.transRefNo,
      requestUID: expect.stringMatching(uidPattern),
    });
  });

  test("take paths and names from the scheme's word, below the base path", async () => {
    const bank = await startFakeBank();
    const client = makeBankClient(clientOptions(`${bank.baseUrl}/gate/`, { scheme: 'promptpay' }));
    open.push(client, bank);
    await client.transfer(order, yes);
    expect(bank.arrivals.map((one) => one.path)).toEqual([
      '/gate/oauth/authentication/api/v2/token',
      '/gate/directcredit/v1/open-api/promptpay/fundtransfer',
    ]);
    const names = { promptpayNo: proxyNo, promptpayName: 'SOMCHAI JAIDEE', promptpayType: 'MSISDN' };
    expect(bodyOf(bank)).toMatchObject(names);
    expect(Object.keys(bodyOf(bank)).filter((name) => name.startsWith('proxy'))).toEqual([]);
  });

  test('carry ids of their own each time, which the reply tells', async () => {
    const { bank, client } = await start();
    const replies = [await client.transfer(order, yes), await client.transfer(order, yes)];
    const sent = bank.business().map((one, index) => ({
      requestUid: bodyOf(bank, index)['requestUID'],
      xRequestId: one.headers['x-request-id'],
    }));
    expect(replies).toMatchObject(sent);
    expect(new Set(sent.flatMap((ids) => Object.values(ids))).size).toBe(4);
  });
});

describe('replies', () => {
  test('tell status, fields, the time of the bank and how long it took', async () => {
    const { bank, client } = await start();
    const date = 'Sat, 21 Nov 2026 03:00:05 GMT';
    bank.behave = ({ path }, response) => {
      if (path.endsWith('/fundtransfer')) response.setHeader('date', date).setHeader('retry-after', '7');
    };
    const reply = await client.transfer(order, yes);
    expect(reply).toMatchObject({
      kind: 'answered',
      httpStatus: 200,
      bankDateMs: Date.parse(date),
      retryAfterMs: 7_000,
      elapsedMs: expect.any(Number),
      fields: { statusCode: 'IC000', transRefNo: order.transRefNo, sysRefNo: 'SYS1', transFee: '0.00' },
    });
    expect(reply.kind === 'answered' && reply.fields?.requestUid === reply.requestUid).toBe(true);
  });

  test('give the names of a payee and the items of an inquiry', async () => {
    const { client } = await start();
    const names = { payeeName: 'SOMCHAI JAIDEE', payeeNameTh: 'สมชาย ใจดี' };
    expect(await client.checkPayee(check)).toMatchObject({ fields: names });
    const items = [{ transRefNo: order.transRefNo, tranStatusCode: '010004' }];
    expect(await client.inquire(inquiry)).toMatchObject({ fields: { items } });
  });

  test.each([
    [400, '{"statusCode":"PT001"}', 'PT001'],
    [403, '{}', undefined],
    [404, '<html>', undefined],
    [429, '', undefined],
    [500, '{"statusCode":"ED001"}', 'ED001'],
    [503, '<html>', undefined],
    [200, '<html><body>Login</body></html>', undefined],
    [200, '', undefined],
    [301, '{"statusCode":"IC000"}', undefined],
    [302, '{"statusCode":"IC000"}', undefined],
    [307, '{"statusCode":"IC000"}', undefined],
    [308, '{"statusCode":"IC000"}', undefined],
  ])('HTTP %i with %s is answered, sent once, never followed', async (httpStatus, body, statusCode) => {
    const { bank, client } = await start();
    bank.behave = ({ path }, response) => {
      if (!path.endsWith('/fundtransfer')) return false;
      response.writeHead(httpStatus, { location: '/elsewhere' }).end(body);
      return true;
    };
    const reply = await client.transfer(order, yes);
    expect(reply).toMatchObject({ kind: 'answered', httpStatus });
    expect(reply.kind === 'answered' ? reply.fields?.statusCode : 'none').toBe(statusCode);
    expect(bank.business()).toHaveLength(1);
  });

  test('that are lost carry the ids that were sent', async () => {
    const { bank, client } = await start();
    bank.behave = ({ path, socket }) => path.endsWith('/fundtransfer') && Boolean(socket.destroy());
    expect(await client.transfer(order, yes)).toEqual({
      kind: 'lost',
      why: 'ECONNRESET',
      requestUid: bodyOf(bank)['requestUID'],
      xRequestId: bank.business()[0]?.headers['x-request-id'],
      elapsedMs: expect.any(Number),
    });
    expect(bank.business()).toHaveLength(1);
  });
});

describe('mayTransmit', () => {
  test('is asked after the token, and its no withholds the transfer', async () => {
    const { bank, client } = await start();
    const mayTransmit = vi.fn(() => {
      expect(bank.tokenPaths()).toHaveLength(1);
      return false;
    });
    expect(await client.transfer(order, mayTransmit)).toEqual({ kind: 'withheld' });
    expect(mayTransmit).toHaveBeenCalledTimes(1);
    expect(bank.business()).toEqual([]);
  });

  test('is asked after the wait for a turn', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 0.1 });
    await client.transfer(order, yes);
    const askedAtMs: number[] = [];
    const startMs = clock.now();
    const waiting = client.transfer(order, () => Boolean(askedAtMs.push(clock.now() - startMs)));
    await eventually(() => expect(clock.sleepers).toBe(1));
    expect(askedAtMs).toEqual([]);
    await clock.advance(10_000);
    expect(await waiting).toMatchObject({ kind: 'answered' });
    expect(askedAtMs).toEqual([10_000]);
    expect(bank.business()).toHaveLength(2);
  });
});

describe('the rate limit', () => {
  test('counts all business calls together, first come first served, and repetitions too', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 1 });
    const atMs: number[] = [];
    const startMs = clock.now();
    bank.behave = ({ path }, response) => {
      if (path.includes('/oauth/')) return false;
      atMs.push(clock.now() - startMs);
      return atMs.length === 1 ? answer(response, {}, 401) : false;
    };
    const all = Promise.all([client.checkPayee(check), client.transfer(order, yes), client.inquire(inquiry)]);
    for (let second = 0; second < 4; second += 1) {
      await eventually(() => expect(atMs).toHaveLength(second + 1));
      if (second === 0) await eventually(() => expect(bank.tokenPaths()).toHaveLength(2));
      if (second < 3) {
        await eventually(() => expect(clock.sleepers).toBe(3 - second));
        await clock.advance(1_000);
      }
    }
    expect((await all).map((reply) => reply.kind)).toEqual(['answered', 'answered', 'answered']);
    expect(atMs).toEqual([0, 1_000, 2_000, 3_000]);
    const paths = bank.business().map((one) => one.path.split('/').at(-1));
    expect(paths).toEqual(['inquirystatus', 'fundtransfer', 'inquiry', 'inquirystatus']);
  });

  test('withholds what waits for its turn when it is told to stop, and its turns are others’', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 0.1 });
    await client.checkPayee(check);
    const stop = new AbortController();
    const { signal } = stop;
    const waiting = Promise.all([
      client.checkPayee(check, signal),
      client.transfer(order, yes, signal),
      client.inquire(inquiry, signal),
    ]);
    await eventually(() => expect(clock.sleepers).toBe(3));
    stop.abort();
    expect(await waiting).toEqual([{ kind: 'withheld' }, { kind: 'withheld' }, { kind: 'withheld' }]);
    expect(await client.transfer(order, yes, signal)).toEqual({ kind: 'withheld' });
    expect(bank.business()).toHaveLength(1);
    const next = client.inquire(inquiry);
    await eventually(() => expect(clock.sleepers).toBe(1));
    await clock.advance(10_000);
    expect(await next).toMatchObject({ kind: 'answered' });
  });

  test('lets nobody go on once the client is closed', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 0.01 });
    await client.checkPayee(check);
    const waiting = client.transfer(order, yes);
    await eventually(() => expect(clock.sleepers).toBe(1));
    await client[Symbol.asyncDispose]();
    const closed = { kind: 'not-sent', why: 'the bank client is closed' };
    expect(await waiting).toEqual(closed);
    expect(await client.transfer(order, yes)).toEqual(closed);
    expect(bank.business()).toHaveLength(1);
  });
});

describe('a turn that is over before a byte has left', () => {
  /** Stands still as its body is made: between its turn and its bytes. @param times how often */
  function standStill(clock: VirtualClock, times: number) {
    let left = times;
    return {
      ...check,
      get proxyNo() {
        if ((left -= 1) >= 0) clock.skip(5_000);
        return check.proxyNo;
      },
    };
  }

  test('is given up for another, and the request leaves once', async () => {
    const clock = makeVirtualClock();
    const records: ExchangeRecord[] = [];
    const onExchange = (record: ExchangeRecord): void => void records.push(record);
    const { bank, client } = await start({ clock, requestsPerSecond: 1, onExchange });
    const reply = await clock.drive(client.checkPayee(standStill(clock, 1)));
    expect(reply.kind).toBe('answered');
    expect(bank.business()).toHaveLength(1);
    expect(records.map(({ outcome }) => outcome)).toEqual(['answered', 'withheld', 'answered']);
  });

  test('is used all the same at last: it may be the way that takes so long', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 1 });
    expect((await clock.drive(client.checkPayee(standStill(clock, 9)))).kind).toBe('answered');
    expect(bank.business()).toHaveLength(1);
  });

  test('is not confused with the caller, who may say no', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 1 });
    const mayTransmit = vi.fn(() => false);
    expect(await clock.drive(client.transfer(order, mayTransmit))).toEqual({ kind: 'withheld' });
    expect(mayTransmit).toHaveBeenCalledTimes(1);
    expect(bank.business()).toEqual([]);
  });
});

describe('what is told for the log', () => {
  test('is every exchange, without bodies, tokens or proxy IDs', async () => {
    const records: ExchangeRecord[] = [];
    const { client } = await start({ onExchange: (record) => records.push(record) });
    await client.transfer(order, yes);
    await client.checkPayee(check);
    const common = { outcome: 'answered', httpStatus: 200, why: undefined, elapsedMs: expect.any(Number) };
    const xRequestId = expect.stringMatching(uuidPattern);
    expect(records).toEqual([
      { ...common, endpoint: 'token', code: undefined, xRequestId: undefined, transRefNo: undefined },
      { ...common, endpoint: 'transfer', code: 'IC000', xRequestId, transRefNo: order.transRefNo },
      { ...common, endpoint: 'payeeCheck', code: 'IC001', xRequestId, transRefNo: undefined },
    ]);
  });

  test.each<[string, (bank: FakeBank) => void]>([
    [
      'lost',
      (bank) => (bank.behave = ({ path, socket }) => !path.includes('/oauth/') && Boolean(socket.destroy())),
    ],
    ['echoed', (bank) => (bank.behave = ({ body }, response) => Boolean(response.writeHead(500).end(body)))],
    ['no HTTP', (bank) => (bank.behave = ({ body, socket }) => Boolean(socket.end(body)))],
    [
      'no token',
      (bank) => (bank.behave = ({ body }, response) => answer(response, { code: body, message: body })),
    ],
    [
      'odd token',
      (bank) =>
        (bank.behave = (_, response) =>
          answer(response, { code: '0000', data: { access_token: 'token-\n' } })),
    ],
    ['gone', (bank) => void bank[Symbol.asyncDispose]()],
  ])('holds no secret when all is %s, nor does the reply', async (_, misbehave) => {
    const records: ExchangeRecord[] = [];
    const { bank, client } = await start({ onExchange: (record) => records.push(record) });
    misbehave(bank);
    const reply = await client.transfer(order, yes);
    const told = JSON.stringify({ records, reply });
    expect(records.length).toBeGreaterThan(0);
    for (const secret of [clientSecret, 'token-1', 'Bearer', proxyNo, order.payerAccount, 'SOMCHAI']) {
      expect(told).not.toContain(secret);
    }
  });
});

test('a closed client sends nothing', async () => {
  const { bank, client } = await start();
  await client.checkPayee(check);
  await client[Symbol.asyncDispose]();
  expect(await client.transfer(order, yes)).toMatchObject({ kind: 'not-sent' });
  expect(bank.business()).toHaveLength(1);
});

test('plain http to anywhere but here is refused before anything is sent', () => {
  expect(() => makeBankClient(clientOptions('http://bank.example'))).toThrow(BankAddressError);
});
