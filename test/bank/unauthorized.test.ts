import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { readInquiry, readReply } from '../../src/payout/rules/read-reply.ts';
import { readAnswer } from '../../src/registration/rules/read-answer.ts';
import { check, inquiry, order, keepRenewed, registrationOrder } from '../support/bank-samples.ts';
import { answer, clientOptions, type FakeBank, startFakeBank } from '../support/fake-bank.ts';
import { eventually } from '../support/eventually.ts';

const yes = () => true;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function start() {
  const bank = await startFakeBank();
  const client = makeBankClient(clientOptions(bank.baseUrl));
  open.push(client, bank);
  return { bank, client };
}

const bodyOf = (bank: FakeBank, index = 0) =>
  JSON.parse(bank.business()[index]?.body ?? '{}') as Record<string, string>;

describe('HTTP 401', () => {
  /** Refuses every business call that bears one of these tokens. */
  function refuse(bank: FakeBank, ...tokens: readonly string[]) {
    bank.behave = ({ path, headers }, response) =>
      !path.includes('/oauth/') && tokens.includes(headers.authorization ?? '')
        ? answer(response, { error: 'invalid_token' }, 401)
        : false;
  }

  test('renews the token and sends the same order again, with new ids, after asking again', async () => {
    const { bank, client } = await start();
    refuse(bank, 'Bearer token-1');
    const mayTransmit = vi.fn(yes);
    const reply = await client.transfer(order, mayTransmit);
    expect(reply).toMatchObject({ kind: 'answered', httpStatus: 200 });
    expect(mayTransmit).toHaveBeenCalledTimes(2);
    const [first, second] = [bodyOf(bank, 0), bodyOf(bank, 1)];
    expect({ ...second, requestUID: '' }).toEqual({ ...first, requestUID: '' });
    expect(second['requestUID']).not.toBe(first['requestUID']);
    expect(reply).toMatchObject({ requestUid: second['requestUID'] });
    const [firstId, secondId] = bank.business().map((one) => one.headers['x-request-id']);
    expect(secondId).not.toBe(firstId);
  });

  test.each(['checkPayee', 'transfer', 'inquire', 'register'] as const)(
    'is followed by another requestUID: %s',
    async (call) => {
      const { bank, client } = await start();
      refuse(bank, 'Bearer token-1');
      if (call === 'checkPayee') await client.checkPayee(check);
      else if (call === 'inquire') await client.inquire(inquiry);
      else if (call === 'transfer') await client.transfer(order, yes);
      else await client.register(registrationOrder, yes, keepRenewed);
      const uids = bank.business().map(({ headers, body }) => {
        const header = JSON.parse(String(headers['msg-hdr'] ?? '{}')) as { requestUID?: string };
        return header.requestUID ?? (JSON.parse(body) as { requestUID: string }).requestUID;
      });
      expect(uids).toHaveLength(2);
      expect(new Set(uids).size).toBe(2);
    },
  );

  test('twice is the answer', async () => {
    const { bank, client } = await start();
    refuse(bank, 'Bearer token-1', 'Bearer token-3');
    expect(await client.checkPayee(check)).toMatchObject({
      kind: 'answered',
      httpStatus: 401,
      fields: undefined,
    });
    expect(bank.arrivals).toHaveLength(4);
  });

  test('is not sent again when it may no longer leave', async () => {
    const { bank, client } = await start();
    refuse(bank, 'Bearer token-1');
    const mayTransmit = vi.fn(yes).mockReturnValueOnce(true).mockReturnValueOnce(false);
    const said = { kind: 'answered', httpStatus: 401, unrepeated: { kind: 'withheld' } };
    expect(await client.transfer(order, mayTransmit)).toMatchObject(said);
    expect(bank.business()).toHaveLength(1);
  });

  /** Answers every business call with 401 and this body. */
  const refuseWith = (bank: FakeBank, fields: object) => {
    bank.behave = ({ path, body }, response) => {
      if (path.includes('/oauth/')) return false;
      const { requestUID, transRefNo } = JSON.parse(body) as Record<string, string>;
      return answer(response, { requestUID, transRefNo, ...fields }, 401);
    };
  };

  test.each(['IC000', 'ET001', 'EM066', 'EM073', 'EM001', 'ED001', 'XX999'])(
    'with %s in its body is read, not sent again, and the next call has a new token',
    async (statusCode) => {
      const { bank, client } = await start();
      refuseWith(bank, { statusCode });
      const reply = await client.transfer(order, yes);
      expect(reply).toMatchObject({ httpStatus: 401, fields: { statusCode } });
      expect(bank.business()).toHaveLength(1);
      await eventually(() => expect(bank.tokenPaths()).toHaveLength(2));
      await client.transfer(order, yes);
      expect(bank.business()[1]?.headers.authorization).toBe('Bearer token-3');
    },
  );

  test.each([
    { statusCode: 'IC000', transRefNo: 'PDOTHER' },
    { statusCode: 'EV033', requestUID: 'OTHER' },
  ])('with a body of another transfer is not sent again: %j', async (fields) => {
    const { bank, client } = await start();
    refuseWith(bank, fields);
    await client.transfer(order, yes);
    expect(bank.business()).toHaveLength(1);
  });

  test('tells whether the 401 before bore its requestUID', async () => {
    const { bank, client } = await start();
    refuse(bank, 'Bearer token-1');
    expect(await client.transfer(order, yes)).toMatchObject({ httpStatus: 200, followsBare401: true });
    const once = (fields: object) => {
      refuseWith(bank, fields);
      const { behave } = bank;
      let refusals = 1;
      bank.behave = (arrival, response) =>
        (arrival.path.includes('/oauth/') || refusals-- > 0) && behave(arrival, response);
    };
    once({ statusCode: 'EV001' });
    expect(await client.transfer(order, yes)).not.toHaveProperty('followsBare401');
    once({ statusCode: 'EV001', requestUID: undefined });
    expect(await client.transfer(order, yes)).toHaveProperty('followsBare401', true);
  });

  test('is asked again for a question, whatever its body', async () => {
    const { bank, client } = await start();
    refuseWith(bank, { statusCode: 'IC001' });
    await client.inquire(inquiry);
    expect(bank.business()).toHaveLength(2);
  });

  test('stays the answer when no new token can be had, and the next call asks for one', async () => {
    const { bank, client } = await start();
    let isDown = false;
    bank.behave = ({ path, headers }, response) => {
      if (path.includes('/oauth/')) return isDown && Boolean(response.writeHead(503).end('<html>'));
      isDown = headers.authorization === 'Bearer token-1';
      return isDown && answer(response, {}, 401);
    };
    expect(await client.transfer(order, yes)).toMatchObject({ kind: 'answered', httpStatus: 401 });
    isDown = false;
    expect(await client.transfer(order, yes)).toMatchObject({ kind: 'answered', httpStatus: 200 });
  });

  test('without a new token, since its endpoint has a hiccup, is trouble of the service, not of the payer', async () => {
    const { bank, client } = await start();
    bank.behave = ({ path }, response) =>
      path.includes('/oauth/')
        ? bank.arrivals.length > 1 && Boolean(response.writeHead(500).end())
        : answer(response, {}, 401);
    const { finding, breaker } = readInquiry(await client.inquire(inquiry), { ...inquiry, sends: [] });
    expect(breaker).toMatchObject({ kind: 'service-trouble', reason: { code: 'no-token' } });
    expect(finding).toMatchObject({ kind: 'nothing-said', isTrouble: true });
    const attempt = { order, sends: 1, refusals: 0 };
    bank.arrivals.length = 0;
    const said = readReply(await client.transfer(order, yes), attempt, []);
    expect(said).toMatchObject({
      finding: { kind: 'refused', scope: 'service', reason: { code: 'no-token' } },
      breaker: { kind: 'service-trouble' },
    });
  });

  test('with credentials that are refused meanwhile says so', async () => {
    const { bank, client } = await start();
    bank.behave = ({ path }, response) =>
      path.includes('/oauth/')
        ? bank.arrivals.length > 1 && answer(response, { code: 'TK001', message: 'no' }, 401)
        : answer(response, {}, 401);
    const unrepeated = { kind: 'credentials-refused', code: 'TK001' };
    expect(await client.transfer(order, yes)).toMatchObject({ httpStatus: 401, unrepeated });
  });

  test('to 50 callers at once costs exactly one renewal', async () => {
    const { bank, client } = await start();
    await client.checkPayee(check);
    refuse(bank, 'Bearer token-1');
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0 ? client.checkPayee(check) : client.transfer(order, yes),
      ),
    );
    expect(replies.filter((reply) => reply.kind !== 'answered' || reply.httpStatus !== 200)).toEqual([]);
    expect(bank.tokenPaths()).toHaveLength(2);
  });

  test('that comes late, of a token long replaced, renews nothing', async () => {
    const { bank, client } = await start();
    const late: (() => void)[] = [];
    bank.behave = ({ path, headers }, response) => {
      if (path.includes('/oauth/') || headers.authorization !== 'Bearer token-1') return false;
      const refuseNow = () => answer(response, {}, 401);
      return path.endsWith('/inquiry') ? Boolean(late.push(refuseNow)) : refuseNow();
    };
    const slow = client.inquire(inquiry);
    await eventually(() => expect(late).toHaveLength(1));
    expect(await client.checkPayee(check)).toMatchObject({ httpStatus: 200 });
    late[0]?.();
    expect(await slow).toMatchObject({ httpStatus: 200 });
    expect(bank.tokenPaths()).toHaveLength(2);
  });
});

describe('a body that cannot be read', () => {
  /** Answers every business call with these bytes. */
  const sayBytes = (bank: FakeBank, status: number, bytes: string | Buffer, encoding = 'identity') => {
    bank.behave = ({ path }, response) => {
      if (path.includes('/oauth/')) return false;
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(bytes);
      return true;
    };
  };
  const attempt = { order, sends: 1, refusals: 0 };
  const readTransfer = async (client: Awaited<ReturnType<typeof start>>['client']) =>
    readReply(await client.transfer(order, yes), attempt, []).finding;
  const readRegistration = async (client: Awaited<ReturnType<typeof start>>['client']) =>
    readAnswer(await client.register(registrationOrder, yes, keepRenewed)).finding;
  const text = JSON.stringify({ statusCode: 'EM066' });

  describe.each([401, 403, 429])('under HTTP %i', (status) => {
    test.each([
      ['gzip in spite of identity', gzipSync(text), 'gzip'],
      ['gzip that is not called so', gzipSync(text), 'identity'],
      ['called gzip', text, 'gzip'],
      ['half a JSON', text.slice(0, -3), 'identity'],
      ['a code told twice', '{"statusCode":"EM066","statusCode":"ED001"}', 'identity'],
    ])('leaves payout and registration in doubt, and neither goes again: %s', async (_, bytes, encoding) => {
      const { bank, client } = await start();
      sayBytes(bank, status, bytes, encoding);
      expect(await readTransfer(client)).toMatchObject({
        kind: 'unknown',
        scope: { 401: 'payout', 403: 'payer', 429: 'service' }[status],
        reason: { code: 'unreadable-reply' },
      });
      expect(await readRegistration(client)).toMatchObject({ kind: 'unknown' });
      expect(bank.business()).toHaveLength(2);
    });

    test.each(['', 'Unauthorized', '<html>\r\n<h1>no</h1></html>', '{"error":"no"}'])(
      'refuses where nothing of the interface can stand in it: %j',
      async (body) => {
        const { bank, client } = await start();
        sayBytes(bank, status, body);
        expect(await readTransfer(client)).toMatchObject({ kind: 'refused' });
        expect(await readRegistration(client)).toMatchObject({ kind: 'not-sent' });
      },
    );
  });
});
