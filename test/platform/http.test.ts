import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import { findErrorCode, openHttpClient } from '../../src/platform/http.ts';
import { type Certificate, makeCertificate } from '../support/self-signed.ts';

type HttpOptions = Parameters<typeof openHttpClient>[0];

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function start(answer: (response: ServerResponse) => void, certificate?: Certificate) {
  const asked: (string | undefined)[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request.headers.connection);
    answer(response);
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  open.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  const scheme = certificate === undefined ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

async function client(options: Partial<HttpOptions> = {}) {
  const opened = await openHttpClient({ bodyBytesMax: 1_000, idleMs: 5_000, ...options });
  open.unshift(opened);
  return opened;
}

const codeOf = (asking: Promise<unknown>) => asking.then(() => 'answered', findErrorCode);

test('each request has a connection of its own', async () => {
  const { url, asked } = await start((response) => void response.end('{}'));
  const { http } = await client();
  expect([await http(url).text(), await http.post(url, { body: 'x' }).text()]).toEqual(['{}', '{}']);
  expect(asked).toEqual(['close', 'close']);
});

test('whoever does not prove who he is is asked nothing, whatever the environment says', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const certificate = makeCertificate(Date.now());
  const { url, asked } = await start((response) => void response.end(), certificate);
  const distrustful = await client();
  expect(await codeOf(distrustful.http(url))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect([asked, distrustful.hasConnected]).toEqual([[], false]);
  const trusting = await client({ ca: certificate.cert });
  expect(await codeOf(trusting.http(url))).toBe('answered');
  expect(trusting.hasConnected).toBe(true);
});

test('an address that is forbidden is asked nothing', async () => {
  const { url, asked } = await start((response) => void response.end());
  const seen: (string | undefined)[] = [];
  const forbidding = await client({
    findObstacle: (address) => {
      seen.push(address);
      return Object.assign(new Error('no'), { code: 'FORBIDDEN' });
    },
  });
  expect(await codeOf(forbidding.http(url))).toBe('FORBIDDEN');
  expect([seen, asked, forbidding.hasConnected]).toEqual([['127.0.0.1'], [], false]);
});

test.each([302, 308, 404, 503])('HTTP %i is an answer, asked for once', async (status) => {
  const { url, asked } = await start(
    (response) => void response.writeHead(status, { location: '/x', 'retry-after': '0' }).end('x'),
  );
  const response = await (await client()).http(url);
  expect([response.status, await response.text(), asked.length]).toEqual([status, 'x', 1]);
});

test('a body that is too long is refused', async () => {
  const { url } = await start((response) => void response.end(' '.repeat(1_001)));
  expect(await codeOf((await client()).http(url).text())).toBe('UND_ERR_RES_EXCEEDED_MAX_SIZE');
});

test('who hangs up has a code, though his answer has none', async () => {
  const { url } = await start((response) => void response.destroy());
  expect(await codeOf((await client()).http(url))).toBe('ECONNRESET');
});

test('an abort reaches a body that is being read, though the request has been collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { url } = await start((response) => void response.writeHead(200).write('x'));
  const stop = new AbortController();
  const opened = await client();
  const ask = async () => (await opened.http(url, { signal: stop.signal })).body;
  const reader = (await ask())?.getReader();
  await reader?.read();
  for (let turn = 0; turn < 5; turn += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const reading = reader?.read();
  stop.abort();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
});
