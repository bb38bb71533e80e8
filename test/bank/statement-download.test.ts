import { inEnglishIfAny } from '../../src/core/message.ts';
import dns from 'node:dns';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type LookupFunction, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { followRedirect, makeStatementDownloader } from '../../src/bank/statement-download.ts';
import { makeStatementRequests } from '../../src/bank/statement-request.ts';
import { answer, clientOptions, clientSecret, startFakeBank } from '../support/fake-bank.ts';
import { type Certificate, makeCertificate } from '../support/self-signed.ts';

type DownloaderOptions = Parameters<typeof makeStatementDownloader>[0];

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

interface Host {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** Where each came from. */
  readonly connections: (string | undefined)[];
}

/** A host of files on loopback. */
async function host(serve: RequestListener, certificate?: Certificate, listen = '127.0.0.1'): Promise<Host> {
  const requests: IncomingMessage[] = [];
  const connections: (string | undefined)[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    serve(request, response);
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    connections.push(socket.remoteAddress);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, listen, resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const url = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/s.csv?signature=secret`;
  return { url, requests, connections };
}

const defaults: DownloaderOptions = {
  bankHost: '127.0.0.1',
  bytesMax: 1_000_000,
  timeoutMs: 5_000,
  idleMs: 2_000,
};

/** Brings what is there, and tells what came. */
async function bring(url: string, changes: Partial<DownloaderOptions> = {}, signal?: AbortSignal) {
  const blocks: Uint8Array[] = [];
  const take = async (bytes: Uint8Array) => void blocks.push(bytes);
  const delivery = await makeStatementDownloader({ ...defaults, ...changes }).bring(url, take, signal);
  expect(JSON.stringify(delivery)).not.toMatch(/secret|signature/);
  const refusal = delivery.kind === 'delivered' ? undefined : delivery.refusal;
  return {
    kind: delivery.kind,
    code: refusal?.code,
    message: inEnglishIfAny(refusal?.message),
    body: Buffer.concat(blocks),
  };
}

const send =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const redirect = (location: string, status = 302) => send('', status, { location });
const file = send('NO,AMOUNT\r\n', 200, { 'content-type': 'text/csv' });

describe('a file', () => {
  test('comes to the byte, large ones in blocks, each waited for', async () => {
    const large = Buffer.alloc(900_000, 'abc');
    const { url } = await host(send(large));
    let under = 0;
    let sizeBytes = 0;
    const take = async (bytes: Uint8Array) => {
      expect((under += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      sizeBytes += bytes.length;
      under -= 1;
    };
    const delivery = await makeStatementDownloader(defaults).bring(url, take);
    expect(delivery).toEqual({ kind: 'delivered', sizeBytes: large.length });
    expect(sizeBytes).toBe(large.length);
  });

  test('comes over https from a host that proves itself, and from no other', async () => {
    const certificate = makeCertificate(Date.now());
    const { url } = await host(file, certificate);
    expect(await bring(url, { ca: certificate.cert })).toMatchObject({ kind: 'delivered' });
    expect(await bring(url)).toMatchObject({
      kind: 'refused',
      code: 'certificate-refused',
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    const old = makeCertificate(Date.now() - 3 * 86_400_000);
    const expired = await host(file, old);
    expect(await bring(expired.url, { ca: old.cert })).toMatchObject({
      code: 'certificate-refused',
      message: expect.stringMatching(
        /^the certificate of 127\S+ \(CERT_HAS_EXPIRED\) has expired: tell the bank/,
      ),
    });
  });

  test('comes from no unproven host, whatever the environment says of certificates', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { url, requests } = await host(file, makeCertificate(Date.now()));
    expect(await bring(url)).toMatchObject({ code: 'certificate-refused' });
    expect(requests).toEqual([]);
  });

  test('comes as it was sent, however its host says it is encoded: one cut short must not look whole', async () => {
    const packed = gzipSync('NO,AMOUNT\r\n');
    const { url } = await host(send(packed, 200, { 'content-encoding': 'gzip' }));
    expect(await bring(url)).toMatchObject({ kind: 'delivered', body: packed });
  });

  test('that is empty is delivered: whoever reads it says so', async () => {
    expect(await bring((await host(send(''))).url)).toMatchObject({ kind: 'delivered' });
  });

  test('that cannot be written down throws as the disk did', async () => {
    const { url } = await host(send(Buffer.alloc(500_000)));
    const full = () => Promise.reject(new Error('the disk is full'));
    await expect(makeStatementDownloader(defaults).bring(url, full)).rejects.toThrow('the disk is full');
  });
});

describe("the file's host", () => {
  test('never sees the token, nor any header of the bank client', async () => {
    const files = await host(file);
    const bank = await startFakeBank();
    const client = makeBankClient(clientOptions(bank.baseUrl));
    open.push(async () => {
      await client[Symbol.asyncDispose]();
      await bank[Symbol.asyncDispose]();
    });
    bank.behave = ({ path }, response) =>
      path.endsWith('-file') && answer(response, { statusCode: '0', storageSignedUrl: files.url });
    const offer = await makeStatementRequests(client, 'date').request('20261120', null);
    expect(await bring(offer.kind === 'offered' ? offer.address : '')).toMatchObject({ kind: 'delivered' });
    const [token] = bank.business().map(({ headers }) => headers.authorization);
    expect(token).toBe('Bearer token-1');
    const [seen] = files.requests;
    expect(Object.keys(seen?.headers ?? {}).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
    ]);
    const all = JSON.stringify([seen?.rawHeaders, seen?.url, seen?.method]);
    for (const secret of ['token-1', 'Bearer', clientSecret, 'my-app']) expect(all).not.toContain(secret);
  });

  test('on the other side of a redirect sees nothing either', async () => {
    const second = await host(file);
    const first = await host(redirect(second.url));
    expect(await bring(first.url)).toMatchObject({ kind: 'delivered' });
    expect(Object.keys(second.requests[0]?.headers ?? {})).toHaveLength(4);
  });
});

describe('an address', () => {
  test.each([
    ['nonsense', 'address-unusable'],
    ['', 'address-unusable'],
    ['ftp://files.example/s.csv?signature=secret', 'address-unusable'],
    ['file:///etc/passwd?secret', 'address-unusable'],
    ['https://me:secret@files.example/s.csv', 'address-unusable'],
    ['http://files.example/s.csv?signature=secret', 'address-insecure'],
    ['http://127.0.0.1.example/?secret', 'address-insecure'],
    ['http://127.0.0.1:1/?signature=secret', 'download-failed'],
  ])('%s is %s', async (address, code) => {
    expect(await bring(address)).toMatchObject({ kind: 'refused', code });
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of HTTP %i is followed, three times at most', async (status) => {
    let left = 3;
    const { url, requests } = await host((request, response) =>
      ((left -= 1) >= 0 ? redirect('/next?signature=secret', status) : file)(request, response),
    );
    expect(await bring(url)).toMatchObject({ kind: 'delivered' });
    left = 4;
    expect(await bring(url)).toMatchObject({
      code: 'redirects',
      message: expect.stringContaining('3 redirects'),
    });
    expect(requests).toHaveLength(8);
  });

  test.each([
    ['https://127.0.0.1:1/?secret', 'redirect-refused', 'from http to https'],
    ['ftp://127.0.0.1/?secret', 'redirect-refused', 'from http to ftp'],
    ['file:///etc/passwd', 'redirect-refused', 'from http to file'],
    ['http://files.example/?secret', 'address-insecure', 'https'],
    ['http://[secret', 'redirect-unusable', 'no address'],
  ])('to %s is refused', async (location, code, words) => {
    const { url } = await host(redirect(location));
    expect(await bring(url)).toMatchObject({
      kind: 'refused',
      code,
      message: expect.stringContaining(words),
    });
  });

  test.each([
    'localhost.',
    'files.localhost',
    '0.0.0.0',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:0.0.0.0]',
    '127.1',
  ])('from elsewhere to this machine as %s is refused', async (name) => {
    const from = new URL('https://files.example/');
    expect(() => followRedirect(from, `https://${name}/?secret`)).toThrow('redirects to this machine');
    expect(followRedirect(from, 'https://0.example/').host).toBe('0.example');
  });

  test('from elsewhere to a name that hides this machine is refused, and nothing asked there', async () => {
    const loopback = [{ address: '127.0.0.1', family: 4 }];
    const lookup = (_: string, _options: object, found: (error: null, addresses: object) => void) =>
      found(null, loopback);
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
    const certificate = makeCertificate(Date.now(), 'files.example', 'other.example');
    const target = await host(file, certificate);
    const to = target.url.replace('127.0.0.1', 'other.example');
    const { url } = await host(redirect(to), certificate);
    const from = url.replace('127.0.0.1', 'files.example');
    expect(await bring(from, { ca: certificate.cert })).toMatchObject({
      code: 'redirect-refused',
      message: expect.stringMatching(/^files\.example:\d+ redirects to this machine/),
    });
    expect(target.requests).toEqual([]);
    expect(await bring(to, { ca: certificate.cert })).toMatchObject({ kind: 'delivered' });
  });

  test('from https to http is refused, and nothing asked there', async () => {
    const certificate = makeCertificate(Date.now());
    const clear = await host(file);
    const { url } = await host(redirect(clear.url), certificate);
    expect(await bring(url, { ca: certificate.cert })).toMatchObject({ code: 'redirect-refused' });
    expect(clear.requests).toEqual([]);
  });
});

describe('a way into our own network', () => {
  /** A lookup by which every name leads to these addresses. */
  const leadTo =
    (...addresses: string[]): LookupFunction =>
    (_, { all }, found) =>
      all
        ? found(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          )
        : found(null, addresses[0]!, isIP(addresses[0]!));
  const away = { bankHost: 'bank.example' };
  const inside = { kind: 'refused', code: 'address-internal' };

  test.each(['127.0.0.1', '127.9.9.9', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '[::]', '0.0.0.0'])(
    'as %s is not gone while the bank is elsewhere: nothing connects',
    async (name) => {
      const certificate = makeCertificate(Date.now(), 'localhost');
      const { url, connections } = await host(file, certificate, '::');
      const to = url.replace('127.0.0.1', name);
      expect(await bring(to, { ...away, ca: certificate.cert })).toMatchObject({
        ...inside,
        message: expect.stringContaining('reconcile.hosts'),
      });
      expect(await bring(to.replace('https', 'http'), away)).toMatchObject({
        code: expect.stringMatching(/^address-(?:internal|insecure)$/),
      });
      expect(connections).toEqual([]);
    },
  );

  test.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.1.2.3'],
    ['172.31.255.255'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['fd12::1'],
    ['fe80::1%lo'],
    ['::10.0.0.1'],
    ['64:ff9b::10.0.0.1'],
    ['2002:7f00:1::'],
    ['2001:db8::1', '127.0.0.1'],
  ])('behind a name that leads to %s is not gone', async (...addresses) => {
    const { url, connections } = await host(file, makeCertificate(Date.now()), '::');
    const to = url.replace('127.0.0.1', 'files.example');
    expect(await bring(to, { ...away, lookup: leadTo(...addresses) })).toMatchObject(inside);
    expect(connections).toEqual([]);
  });

  test('leads to the bank, and to hosts that the settings name, alone', async () => {
    const certificate = makeCertificate(Date.now(), 'files.example');
    const { url } = await host(file, certificate);
    const named = url.replace('127.0.0.1', 'files.example');
    const trusting = { ca: certificate.cert, lookup: leadTo('127.0.0.1') };
    for (const where of [
      { bankHost: 'files.example' },
      { bankHost: 'localhost' },
      { bankHost: '::1' },
      { ...away, hosts: ['other.example', 'Files.Example.'] },
    ])
      expect(await bring(named, { ...trusting, ...where })).toMatchObject({ kind: 'delivered' });
    expect(await bring(url, { ...trusting, ...away, hosts: ['127.0.0.1'] })).toMatchObject({
      kind: 'delivered',
    });
    for (const where of [{ bankHost: '10.1.2.3' }, { ...away, hosts: ['127.0.0.1', 'example'] }])
      expect(await bring(named, { ...trusting, ...where })).toMatchObject(inside);
  });

  test('is not gone through a redirect either, but to hosts that the settings name', async () => {
    const certificate = makeCertificate(Date.now(), 'files.example', 'other.example');
    const target = await host(file, certificate);
    const to = target.url.replace('127.0.0.1', 'other.example');
    const from = (await host(redirect(to), certificate)).url.replace('127.0.0.1', 'files.example');
    const trusting = { ...away, ca: certificate.cert, lookup: leadTo('127.0.0.1') };
    expect(await bring(from, { ...trusting, hosts: ['files.example'] })).toMatchObject({
      code: 'redirect-refused',
    });
    const lookup: LookupFunction = (name, ...rest) =>
      leadTo(name === 'other.example' ? '10.0.0.1' : '127.0.0.1')(name, ...rest);
    expect(await bring(from, { ...trusting, hosts: ['files.example'], lookup })).toMatchObject(inside);
    expect(target.connections).toEqual([]);
    expect(await bring(from, { ...trusting, hosts: ['files.example', 'other.example'] })).toMatchObject({
      kind: 'delivered',
    });
  });
});

describe('what is no statement', () => {
  test.each([
    ['<!DOCTYPE html><html>', 'text/csv'],
    ['\ufeff \r\n<html>', 'application/octet-stream'],
    ['<?xml version="1.0"?><Error>', 'application/xml'],
    ['Your session has expired', 'text/html; charset=utf-8'],
  ])('a page %j of type %s is brought to be looked at, and named', async (body, type) => {
    const { url } = await host(send(body, 200, { 'content-type': type }));
    const found = await bring(url);
    expect(found).toMatchObject({ kind: 'web-page', code: 'web-page', body: Buffer.from(body) });
    expect(found.message).toContain('a web page, not a statement');
  });

  test('an archive is one, whatever its type says', async () => {
    const { url } = await host(send('PK\x03\x04', 200, { 'content-type': 'text/html' }));
    expect(await bring(url)).toMatchObject({ kind: 'delivered' });
  });

  test.each([
    [403, 'expired'],
    [404, 'not there'],
    [500, 'later'],
    [204, 'later'],
    [206, 'later'],
  ])('HTTP %i is refused', async (status, words) => {
    const { url } = await host(send(status === 204 ? '' : 'x', status));
    const code = `download-http-${status}`;
    expect(await bring(url)).toMatchObject({
      kind: 'refused',
      code,
      message: expect.stringContaining(words),
    });
  });
});

describe('a host that is busy', () => {
  const busyFor = (answers: number) => {
    let left = answers;
    return host((request, response) =>
      ((left -= 1) >= 0 ? send('x', 503, { 'retry-after': '0' }) : file)(request, response),
    );
  };

  test('is asked again, and gives the file', async () => {
    const { url, requests } = await busyFor(2);
    expect(await bring(url)).toMatchObject({ kind: 'delivered', body: Buffer.from('NO,AMOUNT\r\n') });
    expect(requests).toHaveLength(3);
  });

  test('is asked three times and no more', async () => {
    const { url, requests } = await busyFor(3);
    expect(await bring(url)).toMatchObject({ code: 'download-http-503' });
    expect(requests).toHaveLength(3);
  });

  test('is not asked again once a byte of the file has come', async () => {
    const { url, requests } = await host((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('NO,', () => response.destroy());
    });
    expect(await bring(url)).toMatchObject({ code: 'download-cut' });
    expect(requests).toHaveLength(1);
  });
});

/** Writes for as long as anybody listens. */
function pour(response: ServerResponse, block: Buffer): void {
  while (!response.destroyed && response.write(block));
  response.once('drain', () => pour(response, block));
}

describe('limits', () => {
  test('cut off a body without end', async () => {
    const { url } = await host((_, response) => pour(response, Buffer.alloc(65_536, 'x')));
    const found = await bring(url);
    expect(found).toMatchObject({ kind: 'refused', code: 'download-too-large' });
    expect(found.body.length).toBeLessThanOrEqual(defaults.bytesMax);
  });

  test('refuse ten gigabytes that are announced, before the first byte', async () => {
    const { url } = await host((_, response) => {
      response.writeHead(200, { 'content-length': '10000000000' });
      pour(response, Buffer.alloc(65_536, 'x'));
    });
    expect(await bring(url)).toMatchObject({ code: 'download-too-large', body: Buffer.alloc(0) });
  });

  test('end a silence: before the answer, and within it', async () => {
    const silent = await host(() => {});
    expect(await bring(silent.url, { idleMs: 60 })).toMatchObject({ code: 'download-silent' });
    const stuck = await host((_, response) => void response.writeHead(200).write('NO,'));
    expect(await bring(stuck.url, { idleMs: 60 })).toMatchObject({ code: 'download-silent' });
  });

  test('end a drip that never stops', async () => {
    const { url } = await host((_, response) => {
      const drip = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(drip));
    });
    expect(await bring(url, { idleMs: 100, timeoutMs: 250 })).toMatchObject({ code: 'download-slow' });
  });

  test.each(['1.0', '1.1'])(
    'refuse a body of HTTP %s that ends where the connection does',
    async (version) => {
      const text = `HTTP/${version} 200 OK\r\nconnection: close\r\n\r\nNO,AMOUNT\r\n`;
      const { url } = await host((_, response) => void response.socket?.end(text));
      expect(await bring(url)).toMatchObject({ code: 'length-missing' });
    },
  );

  test('know a body that was cut short', async () => {
    const { url } = await host((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('NO,AMOUNT\r\n', () => response.destroy());
    });
    expect(await bring(url)).toMatchObject({ kind: 'refused', code: 'download-cut' });
  });

  test.each(['close', 'keep-alive'])('know a body in pieces that was cut short (%s)', async (connection) => {
    const { url } = await host((_, response) => {
      response.writeHead(200, { connection, 'transfer-encoding': 'chunked' });
      response.write('NO,AMOUNT\r\n', () => response.socket?.end());
    });
    expect(await bring(url)).toMatchObject({ kind: 'refused', code: 'download-cut' });
  });

  test('are the same for a person who interrupts', async () => {
    const { url } = await host((_, response) => void response.writeHead(200).write('NO,'));
    expect(await bring(url, {}, AbortSignal.timeout(50))).toMatchObject({ code: 'download-stopped' });
    expect(await bring(url, {}, AbortSignal.abort())).toMatchObject({ code: 'download-stopped' });
  });
});
