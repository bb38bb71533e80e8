import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeWebhook, signNotice } from '../../src/notify/webhook.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { makeNotice, never } from '../support/notices.ts';
import { type Certificate, makeCertificate } from '../support/self-signed.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const secret = 'a-long-secret';
const path = '/hooks/path-token?key=query-token';
const notice = makeNotice();

afterEach(() => void vi.useRealTimers());

function webhookTo(origin: string) {
  return makeWebhook({ url: `${origin}${path}`, secret, version: '1.2.3', clock: makeVirtualClock(noonMs) });
}

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver over real HTTP that keeps what it was sent. */
async function receive(answer: (response: ServerResponse) => void, certificate?: Certificate) {
  const received: Received[] = [];
  const arrived = Promise.withResolvers<void>();
  const take: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body });
      answer(response);
      arrived.resolve();
      return undefined;
    });
  };
  const server = certificate === undefined ? createServer(take) : createTlsServer(certificate, take);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received,
    arrived: arrived.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const answerWith =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('thank you');

/** As docs/operations.md shows it to receivers. */
function isOurs(header: string, body: string, nowMs: number): boolean {
  const [, time = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const right = createHmac('sha256', secret).update(`${time}.${body}`).digest();
  const isSigned = given !== '' && timingSafeEqual(right, Buffer.from(given, 'hex'));
  return isSigned && Math.abs(nowMs / 1000 - Number(time)) < 300;
}

test('a notice is posted as JSON, with its id and a signature', async () => {
  await using receiver = await receive(answerWith(200));
  expect(await webhookTo(receiver.origin).send(notice, never)).toEqual({ ok: true });
  const [got] = receiver.received;
  expect(got).toMatchObject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'paydrop/1.2.3',
      'x-paydrop-notice': 'id-1',
    },
  });
  expect(JSON.parse(got!.body)).toEqual(notice.body);
  const signature = String(got!.headers['x-paydrop-signature']);
  expect(isOurs(signature, got!.body, noonMs)).toBe(true);
  expect(isOurs(signature, got!.body.replace('1.50', '9.50'), noonMs)).toBe(false);
  expect(isOurs(signature, got!.body, noonMs + 300_000)).toBe(false);
  expect(JSON.stringify(got)).not.toContain(secret);
});

test('the signature is what it was: receivers rely on it', () => {
  expect(signNotice('{"id":"x"}', 'key', 1_795_237_200)).toBe(
    't=1795237200,v1=64c5002c56542975d577cbf9f74985d5ad5d2895dfd45ce37516dbbc876f7091',
  );
});

describe('the answer', () => {
  test.each([200, 202, 204, 299])('%i delivers', async (status) => {
    await using receiver = await receive(answerWith(status));
    expect(await webhookTo(receiver.origin).send(notice, never)).toEqual({ ok: true });
  });

  test.each([
    [301, 'HTTP 301: a redirect, which is not followed'],
    [307, 'HTTP 307: a redirect, which is not followed'],
    [400, 'HTTP 400'],
    [404, 'HTTP 404'],
    [429, 'HTTP 429'],
    [500, 'HTTP 500'],
    [503, 'HTTP 503'],
  ])('%i does not, and is asked for once', async (status, why) => {
    await using receiver = await receive(answerWith(status, { location: '/elsewhere', 'retry-after': '0' }));
    expect(await webhookTo(receiver.origin).send(notice, never)).toEqual({ ok: false, why });
    expect(receiver.received.map(({ url }) => url)).toEqual([path]);
  });

  test('410 ends it for good', async () => {
    await using receiver = await receive(answerWith(410));
    expect(await webhookTo(receiver.origin).send(notice, never)).toMatchObject({ ok: false, isFinal: true });
  });

  test('of any length is thrown away', async () => {
    const closed = Promise.withResolvers<void>();
    await using receiver = await receive((response) => {
      const pour = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour).on('close', closed.resolve);
      pour();
    });
    expect(await webhookTo(receiver.origin).send(notice, never)).toEqual({ ok: true });
    await closed.promise;
  });
});

describe('without an answer', () => {
  const isDiscreet = (verdict: object) => !/token|secret|127\.0\.0\.1/.test(JSON.stringify(verdict));

  test('it ends after ten seconds', async () => {
    await using receiver = await receive(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sending = webhookTo(receiver.origin).send(notice, never);
    await receiver.arrived;
    let isOver = false;
    void sending.finally(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await sending).toEqual({ ok: false, why: 'no answer within 10 s' });
  });

  test('it ends when it is stopped, before or meanwhile', async () => {
    await using receiver = await receive(() => {});
    const stop = new AbortController();
    const webhook = webhookTo(receiver.origin);
    const sending = webhook.send(notice, stop.signal);
    await receiver.arrived;
    stop.abort();
    expect(await sending).toEqual({ ok: false, why: 'interrupted' });
    expect(await webhook.send(notice, stop.signal)).toEqual({ ok: false, why: 'interrupted' });
    expect(receiver.received).toHaveLength(1);
  });

  test('a receiver that is not there', async () => {
    const receiver = await receive(answerWith(200));
    await receiver[Symbol.asyncDispose]();
    const verdict = await webhookTo(receiver.origin).send(notice, never);
    expect(verdict).toEqual({ ok: false, why: 'no answer (ECONNREFUSED)' });
    expect(isDiscreet(verdict)).toBe(true);
  });

  test('a receiver that does not prove who it is, whatever the environment says of certificates', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await using receiver = await receive(answerWith(200), makeCertificate(Date.now()));
    const verdict = await webhookTo(receiver.origin).send(notice, never);
    expect(verdict).toEqual({ ok: false, why: 'no answer (DEPTH_ZERO_SELF_SIGNED_CERT)' });
    expect(receiver.received).toEqual([]);
  });

  test('a receiver that hangs up', async () => {
    await using receiver = await receive((response) => void response.destroy());
    const verdict = await webhookTo(receiver.origin).send(notice, never);
    expect(verdict).toMatchObject({ ok: false, why: expect.stringMatching(/^no answer \([A-Z_]+\)$/) });
    expect(isDiscreet(verdict)).toBe(true);
  });
});

test("the number in a file's name stays on this machine", async () => {
  await using receiver = await receive(answerWith(200));
  const told = makeNotice();
  const reports = ['/outbox/0812345678.5XK2M9QH3C.result.csv'];
  const sent = { ...told, body: { ...told.body, reports } };
  expect(await webhookTo(receiver.origin).send(sent, never)).toEqual({ ok: true });
  expect(receiver.received[0]?.body).toContain('/outbox/******5678.5XK2M9QH3C.result.csv');
});
