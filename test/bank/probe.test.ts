import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { probeBank } from '../../src/bank/probe.ts';
import { BankAddressError } from '../../src/core/network-address.ts';
import { startFakeBank } from '../support/fake-bank.ts';
import { type Certificate, makeCertificate } from '../support/self-signed.ts';
import { eventually } from '../support/eventually.ts';
import { findFreePort } from '../support/free-port.ts';

type ProbeOptions = NonNullable<Parameters<typeof probeBank>[2]>;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

interface Door {
  readonly port: number;
  readonly received: string[];
  /** Connections that have not ended. */
  readonly standing: Set<Socket>;
}

/** A server below HTTP; with a certificate it talks TLS. */
async function openDoor(onConnection: (socket: Socket) => void, certificate?: Certificate): Promise<Door> {
  const received: string[] = [];
  const standing = new Set<Socket>();
  const take = (socket: Socket) => {
    standing.add(socket);
    socket.on('close', () => standing.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (bytes) => received.push(bytes.toString()));
    onConnection(socket);
  };
  const server: Server =
    certificate === undefined ? createTcpServer(take) : createTlsServer(certificate, take);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of standing) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  });
  return { port: (server.address() as AddressInfo).port, received, standing };
}

const timeoutMs = 2_000;
const certificate = makeCertificate(Date.now());
const dayMs = 86_400_000;
/** Was valid until two days ago. */
const expired = makeCertificate(Date.now() - 3 * dayMs);

async function whyNot(baseUrl: string, ms = timeoutMs, options?: ProbeOptions): Promise<string> {
  const probe = await probeBank(baseUrl, ms, options);
  if (probe.kind === 'reachable') throw new Error(`${baseUrl} is reachable`);
  return probe.why;
}

describe('a bank that listens', () => {
  test.each(['127.0.0.1', 'localhost'])(
    'over plain TCP at %s is reachable, and hears nothing',
    async (host) => {
      const { port, received, standing } = await openDoor(() => {});
      expect(await probeBank(`http://${host}:${port}/gateway`, timeoutMs)).toEqual({ kind: 'reachable' });
      await eventually(() => expect(standing.size).toBe(0));
      expect(received).toEqual([]);
    },
  );

  test.each(['127.0.0.1', 'localhost'])('and proves who it is at %s is reachable', async (host) => {
    const { port, received, standing } = await openDoor(() => {}, certificate);
    const probe = await probeBank(`https://${host}:${port}`, timeoutMs, { ca: certificate.cert });
    expect(probe).toEqual({ kind: 'reachable' });
    await eventually(() => expect(standing.size).toBe(0));
    expect(received).toEqual([]);
  });

  test('as a real server of HTTP gets no request', async () => {
    const bank = await startFakeBank(certificate);
    open.push(bank);
    expect(await probeBank(bank.baseUrl, timeoutMs, { ca: certificate.cert })).toEqual({ kind: 'reachable' });
    expect(bank.arrivals).toEqual([]);
  });
});

describe('a bank is out of reach', () => {
  test('when nobody listens', async () => {
    const port = await findFreePort();
    expect(await whyNot(`http://localhost:${port}`)).toBe(
      `no connection to http://localhost:${port} (ECONNREFUSED): it refuses connections: the service is down, or bank.baseUrl names another port`,
    );
  });

  test('when its name does not exist', async () => {
    expect(await whyNot('https://bank.invalid')).toMatch(
      /^the name bank\.invalid was not found \((?:ENOTFOUND|EAI_AGAIN)\): look at bank\.baseUrl and the name server/,
    );
  });

  test('when it takes the connection and says nothing', async () => {
    const { port } = await openDoor(() => {});
    expect(await whyNot(`https://127.0.0.1:${port}`, 100)).toBe(
      `https://127.0.0.1:${port} took the connection and did not prove who it is within 100 ms: ask the bank`,
    );
  });

  test.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['breaks', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['speaks plain HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('when it %s instead of TLS', async (_, onConnection) => {
    const { port } = await openDoor(onConnection);
    expect(await whyNot(`https://127.0.0.1:${port}`)).toMatch(
      /^no proof that https:\/\/127\.0\.0\.1:\d+ is the bank \(\w+\): it does not speak TLS as expected/,
    );
  });

  test('when nobody vouches for its certificate, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { port } = await openDoor(() => {}, certificate);
    expect(await whyNot(`https://127.0.0.1:${port}`)).toContain(
      '(DEPTH_ZERO_SELF_SIGNED_CERT): its certificate is not trusted by this machine',
    );
  });

  test('when its certificate has expired', async () => {
    const { port } = await openDoor(() => {}, expired);
    expect(await whyNot(`https://localhost:${port}`, timeoutMs, { ca: expired.cert })).toContain(
      '(CERT_HAS_EXPIRED): its certificate has expired',
    );
  });

  test('when its certificate is for another name', async () => {
    const { port } = await openDoor(() => {}, certificate);
    expect(
      await whyNot(`https://[::ffff:127.0.0.1]:${port}`, timeoutMs, {
        ca: certificate.cert,
      }),
    ).toContain('(ERR_TLS_CERT_ALTNAME_INVALID): its certificate is for another name');
  });
});

describe('a probe', () => {
  test('that is stopped ends at once', async () => {
    const { port, standing } = await openDoor(() => {});
    const stop = new AbortController();
    const probe = probeBank(`https://127.0.0.1:${port}`, 60_000, { stop: stop.signal });
    await eventually(() => expect(standing.size).toBe(1));
    stop.abort();
    expect(await probe).toMatchObject({ kind: 'unreachable' });
    await eventually(() => expect(standing.size).toBe(0));
  });

  test('is not begun when it is stopped before', async () => {
    const options = { stop: AbortSignal.abort() };
    expect(await probeBank('https://bank.invalid', 60_000, options)).toMatchObject({ kind: 'unreachable' });
  });

  test('of an address that cannot be used is a fault of the settings', () => {
    expect(() => probeBank('http://bank.example', timeoutMs)).toThrow(BankAddressError);
  });
});
