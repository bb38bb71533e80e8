import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  bodyBytesMax,
  exchange,
  openRoute,
  type WireMessage,
  type WireOutcome,
} from '../../src/bank/exchange.ts';
import { readBankAddress } from '../../src/core/network-address.ts';
import { startFakeBank } from '../support/fake-bank.ts';
import { makeCertificate } from '../support/self-signed.ts';
import { eventually } from '../support/eventually.ts';

const message: WireMessage = {
  path: '/pay',
  headers: { 'x-a': 'b' },
  body: '{"a":"é"}',
  mayTransmit: () => true,
};

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** A server below HTTP: what it does to each connection is up to the test. */
async function startRawServer(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; received: string[] }> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => received.push(bytes.toString()));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { port: (server.address() as AddressInfo).port, received };
}

function openTransport(baseUrl: string, timeoutMs = 5_000, ca?: string) {
  const route = openRoute(readBankAddress(baseUrl), timeoutMs, ca);
  open.unshift({ [Symbol.asyncDispose]: async () => route[Symbol.dispose]() });
  return { post: (one: WireMessage) => exchange(route, one), close: () => route[Symbol.dispose]() };
}

async function postOnce(port: number, timeoutMs?: number): Promise<WireOutcome> {
  return openTransport(`http://127.0.0.1:${port}`, timeoutMs).post(message);
}

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('nothing has left', () => {
  test('when nobody listens', async () => {
    const port = await closedPort();
    const why = `no connection to http://127.0.0.1:${port}: ECONNREFUSED`;
    expect(await postOnce(port)).toEqual({ kind: 'not-sent', why });
  });

  test('when the name does not exist', async () => {
    const outcome = await openTransport('https://bank.invalid').post(message);
    expect(outcome).toMatchObject({ kind: 'not-sent', why: expect.stringContaining('https://bank.invalid') });
  });

  test('when the certificate is not trusted', async () => {
    const bank = await startFakeBank(makeCertificate(Date.now()));
    open.push(bank);
    const mayTransmit = vi.fn(() => true);
    const outcome = await openTransport(bank.baseUrl).post({ ...message, mayTransmit });
    expect(outcome).toMatchObject({
      kind: 'not-sent',
      why: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    });
    expect(mayTransmit).not.toHaveBeenCalled();
    expect(bank.arrivals).toEqual([]);
  });

  test('not even when the environment says that certificates need no proof', async () => {
    const bank = await startFakeBank(makeCertificate(Date.now()));
    open.push(bank);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await openTransport(bank.baseUrl).post(message)).toMatchObject({ kind: 'not-sent' });
  });

  test.each([
    ['speaks plain HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['closes the connection', (socket: Socket) => socket.destroy()],
    ['says nothing', () => {}],
  ])('when the server meant for TLS %s', async (_, onConnection) => {
    const { port } = await startRawServer(onConnection);
    const mayTransmit = vi.fn(() => true);
    const outcome = await openTransport(`https://127.0.0.1:${port}`, 200).post({ ...message, mayTransmit });
    expect(outcome.kind).toBe('not-sent');
    expect(mayTransmit).not.toHaveBeenCalled();
  });

  test('when it may not leave at the last moment', async () => {
    const { port, received } = await startRawServer(() => {});
    const transport = openTransport(`http://127.0.0.1:${port}`);
    expect(await transport.post({ ...message, mayTransmit: () => false })).toEqual({ kind: 'withheld' });
    await later(20);
    expect(received).toEqual([]);
  });

  test('when the question whether it may leave fails, which is a bug and thrown', async () => {
    const { port, received } = await startRawServer(() => {});
    const cause = new TypeError('no such table');
    const mayTransmit = () => {
      throw cause;
    };
    await expect(
      openTransport(`http://127.0.0.1:${port}`).post({ ...message, mayTransmit }),
    ).rejects.toMatchObject({ cause });
    await later(20);
    expect(received).toEqual([]);
  });
});

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('bytes may have left and no whole answer came back', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['the server closes at once', (socket) => socket.destroy(), 'E'],
    [
      'the server closes after reading',
      (socket) => socket.once('data', () => socket.destroy()),
      'ECONNRESET',
    ],
    ['the server never answers', () => {}, 'timed out after 250 ms'],
    ['the headers stall', (socket) => socket.once('data', () => socket.write(head)), 'timed out'],
    [
      'the body stalls',
      (socket) => socket.once('data', () => socket.write(`${head}content-length: 9\r\n\r\n{"a"`)),
      'timed out after 250 ms',
    ],
    [
      'the body trickles for ever',
      (socket) => {
        socket.once('data', () => {
          socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
          const drip = setInterval(() => socket.write('1\r\n \r\n'), 20);
          socket.on('close', () => clearInterval(drip));
        });
      },
      'timed out after 250 ms',
    ],
    [
      'the body is cut short',
      (socket) => socket.once('data', () => socket.end(`${head}content-length: 9\r\n\r\n{"a"`)),
      'cut short',
    ],
    ['the answer is no HTTP', (socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')), 'HPE_'],
    [
      'the answer switches protocols',
      (socket) =>
        socket.once('data', () =>
          socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        ),
      '',
    ],
    [
      'the headers never end',
      (socket) => socket.once('data', () => socket.write(`${head}x: ${'y'.repeat(100_000)}`)),
      'HPE_HEADER_OVERFLOW',
    ],
    [
      'the body is too long',
      (socket) => socket.once('data', () => socket.end(`${head}\r\n${' '.repeat(bodyBytesMax + 1)}`)),
      'longer than 1048576 bytes',
    ],
  ])('when %s', async (_, onConnection, why) => {
    const { port } = await startRawServer(onConnection);
    expect(await postOnce(port, 250)).toEqual({ kind: 'lost', why: expect.stringContaining(why) });
  });
});

describe('an answer', () => {
  test('carries status, headers and body, and the request went out once, whole', async () => {
    const { port, received } = await startRawServer((socket) =>
      socket.once('data', () => socket.write(`${head}content-length: 4\r\nretry-after: 3\r\n\r\n"\u00e9"`)),
    );
    const outcome = await postOnce(port);
    expect(outcome).toMatchObject({
      kind: 'answered',
      httpStatus: 200,
      body: '"é"',
      headers: { 'retry-after': '3' },
    });
    const [request = '', ...rest] = received;
    expect(rest).toEqual([]);
    expect(request).toMatch(/^POST \/pay HTTP\/1\.1\r\n/);
    expect(request).toMatch(/content-length: 10\r\n/i);
    expect(request.endsWith('\r\n\r\n{"a":"é"}')).toBe(true);
  });

  test.each([
    ['that ends with its connection', `${head}\r\n{}`, 200, '{}'],
    ['in pieces', `${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`, 200, '{}'],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['after an interim one', `HTTP/1.1 103 Early Hints\r\n\r\n${head}content-length: 2\r\n\r\n{}`, 200, '{}'],
    ['with a status beyond the known ones', 'HTTP/1.1 799 X\r\ncontent-length: 0\r\n\r\n', 799, ''],
    ['that redirects', 'HTTP/1.1 308 X\r\nlocation: /pay2\r\ncontent-length: 0\r\n\r\n', 308, ''],
  ])('%s is whole', async (_, bytes, httpStatus, body) => {
    const { port, received } = await startRawServer((socket) => socket.once('data', () => socket.end(bytes)));
    expect(await postOnce(port)).toMatchObject({ kind: 'answered', httpStatus, body });
    expect(received).toHaveLength(1);
  });

  test('is waited for with a timeout that is longer than any timer', async () => {
    const { port } = await startRawServer((socket) =>
      socket.once('data', () => setTimeout(() => socket.end(`${head}content-length: 2\r\n\r\n{}`), 30)),
    );
    expect(await postOnce(port, Number.MAX_SAFE_INTEGER)).toMatchObject({ kind: 'answered' });
  });

  test('comes over TLS when the certificate is trusted, again on the same connection', async () => {
    const certificate = makeCertificate(Date.now());
    const bank = await startFakeBank(certificate);
    open.push(bank);
    bank.behave = (_, response) => Boolean(response.end('{}'));
    const transport = openTransport(bank.baseUrl, 5_000, certificate.cert);
    expect(await transport.post(message)).toMatchObject({ kind: 'answered', body: '{}' });
    expect(await transport.post(message)).toMatchObject({ kind: 'answered', body: '{}' });
    expect(bank.connections).toHaveLength(1);
  });
});

describe('a kept-alive connection', () => {
  async function startKeepAlive(timeoutMs = 5_000) {
    const bank = await startFakeBank();
    open.push(bank);
    bank.behave = ({ body }, response) => Boolean(response.end(body));
    const transport = openTransport(bank.baseUrl, timeoutMs);
    const ask = (body: string) => transport.post({ ...message, body });
    expect(await ask('1')).toMatchObject({ kind: 'answered', body: '1' });
    return { bank, transport, ask };
  }
  const answered = (body: string) => expect.objectContaining({ kind: 'answered', body });

  test('is used again', async () => {
    const { bank, ask } = await startKeepAlive();
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.connections).toHaveLength(1);
  });

  test('that was closed meanwhile is replaced, and nothing is sent twice', async () => {
    const { bank, ask } = await startKeepAlive();
    bank.connections[0]?.destroy();
    await later(20);
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.arrivals.map((one) => one.body)).toEqual(['1', '2']);
  });

  test('whose close has arrived unseen after a rest is replaced', async () => {
    const { bank, ask } = await startKeepAlive();
    await later(80);
    bank.connections[0]?.destroy();
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.arrivals.map((one) => one.body)).toEqual(['1', '2']);
  });

  test('whose close has just arrived is replaced', async () => {
    const { bank, ask } = await startKeepAlive();
    bank.connections[0]?.destroy();
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.arrivals.map((one) => one.body)).toEqual(['1', '2']);
  });

  test('that closes once the request has left has lost it', async () => {
    const { bank, ask } = await startKeepAlive();
    bank.behave = ({ socket }) => Boolean(socket.destroy());
    expect((await ask('2')).kind).toBe('lost');
    expect(bank.arrivals.map((one) => one.body)).toEqual(['1', '2']);
  });

  test('that has rested for long is not used again', async () => {
    const { bank, ask } = await startKeepAlive();
    const nowMs = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(nowMs + 4_000);
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.connections).toHaveLength(2);
  });

  test('with bytes on it that nobody asked for is not used again', async () => {
    const { bank, ask } = await startKeepAlive();
    await later(80);
    bank.connections[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nalien');
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.arrivals.map((one) => one.body)).toEqual(['1', '2']);
  });

  test('with such bytes that came a moment ago, unread, is not used again', async () => {
    const { bank, ask } = await startKeepAlive();
    // The next request comes at once, however busy this machine is.
    for (let no = 2; no < 20; no += 1) {
      bank.connections.at(-1)?.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nalien');
      expect(await ask(`${no}`)).toEqual(answered(`${no}`));
    }
    expect(bank.connections).toHaveLength(19);
  });

  test('on which bytes came while it rested is not used again', async () => {
    const { bank, ask } = await startKeepAlive();
    bank.connections[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nalien');
    await later(20);
    expect(await ask('2')).toEqual(answered('2'));
    expect(bank.connections).toHaveLength(2);
  });

  test('is asked for leave again when the request moves to another connection', async () => {
    const { bank, transport } = await startKeepAlive();
    await later(80);
    bank.connections[0]?.destroy();
    const mayTransmit = vi.fn(() => false);
    expect(await transport.post({ ...message, mayTransmit })).toEqual({ kind: 'withheld' });
    expect(mayTransmit).toHaveBeenCalledTimes(1);
    expect(bank.arrivals).toHaveLength(1);
  });

  test('goes with the request that timed out on it: a late answer is never taken for the next one', async () => {
    const { bank, ask } = await startKeepAlive(300);
    bank.behave = ({ body }, response) => {
      setTimeout(() => response.end(body), body === 'slow' ? 350 : 0);
      return true;
    };
    expect(await ask('slow')).toEqual({ kind: 'lost', why: 'timed out after 300 ms' });
    await eventually(() => expect(bank.connections[0]?.destroyed).toBe(true));
    const next = Array.from({ length: 5 }, async (_, index) => {
      await later(index * 20);
      return ask(`next ${index}`);
    });
    expect(await Promise.all(next)).toEqual([0, 1, 2, 3, 4].map((index) => answered(`next ${index}`)));
  });

  test('ends with the transport, and what is under way is lost', async () => {
    const { bank, transport, ask } = await startKeepAlive();
    bank.behave = () => true;
    const underWay = ask('2');
    await eventually(() => expect(bank.arrivals).toHaveLength(2));
    transport.close();
    expect((await underWay).kind).toBe('lost');
  });
});
