/** Endpoint 3: what is sent, what comes back, and what each spoilt answer of the sandbox bank is taken for. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { renewRequestUid } from '../../src/bank/messages.ts';
import { findOwnAddress } from '../../src/bank/own-address.ts';
import { type BankClientOptions, type ExchangeRecord, makeBankClient } from '../../src/bank/client.ts';
import type { RegistrationOrder } from '../../src/core/bank-port.ts';
import { readAnswer } from '../../src/registration/rules/read-answer.ts';
import type { RegistrationTableInput } from '../../src/sandbox/registration/table.ts';
import { keepRenewed, registrationOrder } from '../support/bank-samples.ts';
import { eventually } from '../support/eventually.ts';
import { answer, clientOptions, clientSecret, startFakeBank } from '../support/fake-bank.ts';
import { clientId, clientSecret as sandboxSecret, companyId } from '../support/sandbox-kit.ts';
import { openRegistrationBank, vendorId } from '../support/sandbox-registration-kit.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const yes = () => true;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function start(changes: Partial<BankClientOptions> = {}) {
  const bank = await startFakeBank();
  const client = makeBankClient(clientOptions(bank.baseUrl, changes));
  open.push(client, bank);
  const uids = () =>
    bank
      .business()
      .map(({ headers }) => (JSON.parse(String(headers['msg-hdr'])) as { requestUID: string }).requestUID);
  return { bank, client, uids };
}

describe('endpoint 3', () => {
  test('carries every header and field of §2.2; a reference that is not given is left out', async () => {
    const { bank, client } = await start();
    const reply = await client.register(registrationOrder, yes, keepRenewed);
    const [{ path, headers, body } = bank.arrivals[0]!] = bank.business();
    expect(path).toBe('/directdebit/v1/open-api/registerddr');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer token-1',
      'digital-id': '9100000000011',
    });
    expect(JSON.parse(String(headers['msg-hdr']))).toEqual({
      ipAddress: '192.0.2.7',
      requestUID: registrationOrder.requestUid,
    });
    expect(JSON.parse(body)).toEqual({
      vendorID: 'VENDOR0001',
      companyID: 'COMP000001',
      accountNo: '9900000001',
      ref1: 'INV 1',
      ref3: 'A',
    });
    expect(reply).toMatchObject({
      kind: 'answered',
      requestUid: registrationOrder.requestUid,
      fields: { statusCode: '0', ddrOapiSeqId: '7', requestUid: registrationOrder.requestUid },
    });
  });

  test('after a 401 the same goes again once, with a requestUID of its own, after asking again', async () => {
    const { bank, client, uids } = await start();
    bank.behave = ({ path, headers }, response) =>
      !path.includes('/oauth/') && headers.authorization === 'Bearer token-1'
        ? answer(response, { error: 'invalid_token' }, 401)
        : false;
    const mayTransmit = vi.fn(yes);
    const kept: string[] = [];
    const keep = async (uid: string) => {
      expect(bank.business()).toHaveLength(1);
      return kept.push(uid) > 0;
    };
    const reply = await client.register(registrationOrder, mayTransmit, keep);
    expect(mayTransmit).toHaveBeenCalledTimes(2);
    const again = renewRequestUid(registrationOrder.requestUid);
    expect(again).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(uids()).toEqual([registrationOrder.requestUid, again]);
    expect(kept).toEqual([again]);
    expect(bank.business()[1]?.body).toBe(bank.business()[0]?.body);
    expect(reply).toMatchObject({ httpStatus: 200, requestUid: again });
    expect(readAnswer(reply)).toMatchObject({
      finding: { kind: 'acknowledged' },
      facts: { requestUid: again },
    });
    expect(bank.tokenPaths()).toHaveLength(2);
  });

  test('after a 401 nothing goes again whose requestUID is not recorded', async () => {
    const { bank, client } = await start();
    bank.behave = ({ path }, response) => !path.includes('/oauth/') && answer(response, {}, 401);
    const reply = await client.register(registrationOrder, yes, async () => false);
    expect(reply).toMatchObject({ httpStatus: 401, unrepeated: { kind: 'withheld' } });
    expect(bank.business()).toHaveLength(1);
  });

  test('twice 401 is the answer; without a new token it is trouble of the service', async () => {
    const { bank, client } = await start();
    bank.behave = ({ path }, response) => !path.includes('/oauth/') && answer(response, {}, 401);
    const read = readAnswer(await client.register(registrationOrder, yes, keepRenewed));
    expect(read.finding).toMatchObject({ kind: 'not-sent', scope: 'company' });
    expect(read.service).toMatchObject({ kind: 'payer-stop' });
    expect(bank.business()).toHaveLength(2);
  });

  test.each([200, 401, 403, 429])(
    '0429 with HTTP %i is the usage limit: nothing for an hour',
    async (status) => {
      const { bank, client } = await start();
      bank.behave = ({ path }, response) => {
        if (path.includes('/oauth/')) return false;
        response.setHeader('retry-after', '1');
        return answer(response, { statusCode: '0429', statusDesc: 'Exceed the request limit' }, status);
      };
      const read = readAnswer(await client.register(registrationOrder, yes, keepRenewed));
      expect(read.finding).toMatchObject({ kind: 'usage-exceeded' });
      expect(read.service).toMatchObject({ kind: 'service-trouble', reason: { retryAfterMs: 3_600_000 } });
      expect(bank.business()).toHaveLength(1);
    },
  );

  test.each([301, 302, 303, 307, 308])(
    'HTTP %i is never followed, and leaves it in doubt',
    async (status) => {
      const { bank, client } = await start();
      bank.behave = ({ path }, response) =>
        path.endsWith('/registerddr') &&
        Boolean(response.writeHead(status, { location: '/elsewhere' }).end('{"statusCode":"0"}'));
      const { finding } = readAnswer(await client.register(registrationOrder, yes, keepRenewed));
      expect(finding).toMatchObject({ kind: 'unknown', reason: { code: 'redirected' } });
      expect(bank.business()).toHaveLength(1);
    },
  );

  test('that may not leave any more is withheld', async () => {
    const { bank, client } = await start();
    expect(await client.register(registrationOrder, () => false, keepRenewed)).toEqual({ kind: 'withheld' });
    expect(bank.business()).toEqual([]);
  });

  test('waits for its turn under the limit of all requests', async () => {
    const clock = makeVirtualClock();
    const { bank, client } = await start({ clock, requestsPerSecond: 1 });
    const all = Promise.all([1, 2, 3].map(() => client.register(registrationOrder, yes, keepRenewed)));
    await eventually(() => expect(clock.sleepers).toBe(2));
    await clock.advance(1_000);
    await eventually(() => expect(bank.business()).toHaveLength(2));
    await clock.advance(1_000);
    expect((await all).map(({ kind }) => kind)).toEqual(['answered', 'answered', 'answered']);
  });

  test('leaves no secret, account or customer in what is told for the log', async () => {
    const records: ExchangeRecord[] = [];
    const { bank, client } = await start({ onExchange: (record) => records.push(record) });
    await client.register(registrationOrder, yes, keepRenewed);
    bank.behave = ({ body }, response) => Boolean(response.writeHead(500).end(body));
    const reply = await client.register(registrationOrder, yes, keepRenewed);
    const told = JSON.stringify({ records, facts: readAnswer(reply).facts, reply });
    expect(records.map(({ endpoint, code }) => [endpoint, code])).toEqual([
      ['token', undefined],
      ['registration', '0'],
      ['registration', undefined],
    ]);
    const { accountNo, customerId } = registrationOrder;
    for (const secret of [clientSecret, 'token-1', 'Bearer', accountNo, customerId])
      expect(told).not.toContain(secret);
  });
});

describe('what each answer of the sandbox bank is taken for', () => {
  /** One account for each kind of answer. */
  const spoilt = {
    '9900000101': { outcome: 'success', reply: 'lost' },
    '9900000102': { outcome: 'success', reply: 'http', httpStatus: 500 },
    '9900000103': { outcome: 'success', reply: 'garbage' },
    '9900000104': { outcome: 'success', reply: 'cut' },
    '9900000105': { outcome: 'success', reply: 'wrong-request' },
    '9900000106': { outcome: 'success', reply: 'redirect' },
    '9900000107': { outcome: 'untouched', code: '0429' },
    '9900000108': { outcome: 'untouched', code: 'SYS001' },
    '9900000109': { outcome: 'untouched', reply: 'http', httpStatus: 429 },
    '9900000110': { outcome: 'success', reply: 'html' },
  } as const;
  const table: RegistrationTableInput = {
    accounts: [{ accountNo: '9900000901', state: 'unknown' }],
    behaviours: Object.entries(spoilt).map(([accountNo, behaviour]) => ({
      match: { accountNo },
      ...behaviour,
    })),
  };

  test('good, refused and spoilt ones', async () => {
    const bank = await openRegistrationBank(table);
    await using client = makeBankClient({
      ...clientOptions(bank.sandbox.baseUrl),
      clientId,
      clientSecret: sandboxSecret,
      companyId,
      clock: bank.clock,
    });
    let requests = 0;
    const ask = async (changes: Partial<RegistrationOrder>): Promise<string> => {
      const requestUid = `UID-${(requests += 1)}`;
      const good = {
        ...registrationOrder,
        vendorId,
        companyId,
        refs: [requestUid, null, null, null],
      } as const;
      const { finding } = readAnswer(
        await client.register({ ...good, requestUid, ...changes }, yes, keepRenewed),
      );
      return 'reason' in finding ? `${finding.kind} ${finding.reason.code}` : finding.kind;
    };
    const words: Record<string, string> = {};
    for (const accountNo of ['9900000001', '9900000901', ...Object.keys(spoilt)])
      words[accountNo] = await ask({ accountNo });
    expect(words).toEqual({
      '9900000001': 'acknowledged 0',
      '9900000101': 'unknown reply-lost',
      '9900000102': 'unknown http-500',
      '9900000103': 'unknown unreadable-reply',
      '9900000104': 'unknown reply-lost',
      '9900000105': 'unknown foreign-reply',
      '9900000106': 'unknown redirected',
      '9900000107': 'usage-exceeded 0429',
      '9900000108': 'unknown SYS001',
      '9900000109': 'not-sent http-429',
      '9900000110': 'unknown unreadable-reply',
      '9900000901': 'turned-down CBS001',
    });
    expect(await ask({ vendorId: 'VENDOR0009' })).toBe('turned-down BSN001');
    expect(await ask({ companyId: 'COMP000099' })).toBe('turned-down BSN004');
    expect(await ask({ requestUid: 'UID-1', accountNo: '9900000002' })).toBe('unknown BSN007');
    expect(await ask({ refs: ['UID-1', null, null, null] })).toBe('unknown BSN002');
    expect(bank.registrations().repeatedRequestUids).toBe(1);
  });
});

test.each([
  ['http://127.0.0.1:9', '127.0.0.1'],
  ['http://localhost:9', /^(?:127\.0\.0\.1|::1)$/],
])('the bank at %s is reached from %s', async (baseUrl, address) => {
  expect(await findOwnAddress(baseUrl)).toMatch(address);
});
