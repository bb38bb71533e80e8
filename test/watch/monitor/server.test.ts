import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Monitor, openMonitor } from '../../../src/watch/monitor/server.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';
import { eventually } from '../../support/eventually.ts';

type HealthAnswer = ReturnType<Parameters<typeof openMonitor>[0]['readHealth']>;

type MonitorOptions = Parameters<typeof openMonitor>[0];

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

const well: HealthAnswer = { live: true, ready: true, role: 'active' };

function start(options: Partial<MonitorOptions> = {}): { monitor: Monitor; log: ReturnType<typeof vi.fn> } {
  const log = vi.fn();
  const monitor = openMonitor({
    listen: { host: '127.0.0.1', port: 0 },
    readHealth: () => well,
    renderMetrics: async () => 'a 1\n',
    clock: makeVirtualClock(),
    log,
    ...options,
  });
  open.push(monitor);
  return { monitor, log };
}

async function urlOf(monitor: Monitor): Promise<string> {
  const address = await monitor.opened;
  if (address === undefined) throw new Error('closed');
  return `http://${address.host}:${address.port}`;
}

const warnings = (log: ReturnType<typeof vi.fn>) => log.mock.calls.filter(([level]) => level === 'warn');

/** Holds a port until it is let go. */
async function takePort(): Promise<{ port: number; letGo: () => Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const letGo = async () => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  open.push({ [Symbol.asyncDispose]: letGo });
  return { port, letGo };
}

describe('health', () => {
  test.each([
    ['/healthz', { live: true, ready: true }, 200],
    ['/healthz', { live: true, ready: false }, 503],
    ['/healthz', { live: false, ready: false }, 503],
    ['/healthz?live', { live: true, ready: false }, 200],
    ['/healthz?live=1', { live: true, ready: false }, 200],
    ['/healthz?live', { live: false, ready: false }, 503],
    ['/healthz?alive', { live: true, ready: false }, 503],
    ['/livez', { live: true, ready: false }, 200],
    ['/livez', { live: false, ready: false }, 503],
  ])('%s of %o is %i, with every fact', async (path, health, status) => {
    const told = { ...health, role: 'active', reasons: [{ code: 'bank', text: 'é' }] };
    const { monitor } = start({ readHealth: () => told });
    const answer = await fetch((await urlOf(monitor)) + path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual(told);
  });

  test('is asked anew each time', async () => {
    let ready = false;
    const { monitor } = start({ readHealth: () => ({ live: true, ready }) });
    const url = `${await urlOf(monitor)}/healthz`;
    expect((await fetch(url)).status).toBe(503);
    ready = true;
    expect((await fetch(url)).status).toBe(200);
  });
});

describe('metrics', () => {
  test('are sent as Prometheus reads them', async () => {
    const { monitor } = start();
    const answer = await fetch(`${await urlOf(monitor)}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('a 1\n');
  });

  test('that cannot be told are a 500 that says nothing, and a line in the log', async () => {
    const { monitor, log } = start({ renderMetrics: () => Promise.reject(new Error('a secret')) });
    const answer = await fetch(`${await urlOf(monitor)}/metrics`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
    expect(log).toHaveBeenCalledWith('error', expect.any(String), { err: expect.any(Error) as Error });
  });
});

describe('everything else', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/metrics/'],
    ['GET', '/healthz/x'],
    ['GET', '/%zz'],
    ['HEAD', '/healthz'],
    ['POST', '/healthz'],
    ['PUT', '/metrics'],
    ['DELETE', '/livez'],
    ['OPTIONS', '/healthz'],
  ])('%s %s is not found', async (method, path) => {
    const { monitor } = start();
    const body = method === 'POST' || method === 'PUT' ? '{"half' : null;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch((await urlOf(monitor)) + path, { method, body, headers });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe(method === 'HEAD' ? '' : '{"error":"not found"}');
  });

  test.each(['/healthz', '/livez', '/metrics', '/nothing', '/%zz'])('%s is never cached', async (path) => {
    const { monitor } = start();
    const { headers } = await fetch((await urlOf(monitor)) + path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect([...headers.keys()].filter((name) => /server|powered|version/.test(name))).toEqual([]);
  });
});

describe('the port', () => {
  test('that is taken is tried again every two seconds, and told once', async () => {
    const { port, letGo } = await takePort();
    const clock = makeVirtualClock();
    const { monitor, log } = start({ listen: { host: '127.0.0.1', port }, clock });
    const opened = vi.fn();
    void monitor.opened.then(opened);
    for (let tries = 0; tries < 3; tries += 1) {
      await eventually(() => expect(clock.sleepers).toBe(1));
      expect(opened).not.toHaveBeenCalled();
      await clock.advance(2_000);
    }
    await eventually(() => expect(clock.sleepers).toBe(1));
    expect(warnings(log)).toEqual([
      [
        'warn',
        'health and metrics cannot be read yet',
        {
          host: '127.0.0.1',
          port,
          why: 'the port is taken by another process (watch.listen): tried again until it is free',
        },
      ],
    ]);
    await letGo();
    await clock.advance(1_999);
    expect(opened).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(await monitor.opened).toEqual({ host: '127.0.0.1', port });
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });

  test('passes from one server to the next', async () => {
    const { monitor: first } = start();
    const { port = 0 } = (await first.opened) ?? {};
    const clock = makeVirtualClock();
    const { monitor: second } = start({ listen: { host: '127.0.0.1', port }, clock });
    await eventually(() => expect(clock.sleepers).toBe(1));
    // A connection that rests must not keep the port.
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
    await first[Symbol.asyncDispose]();
    await clock.advance(2_000);
    expect(await second.opened).toEqual({ host: '127.0.0.1', port });
  });

  test('may be of an address that this machine does not have', async () => {
    const clock = makeVirtualClock();
    const { monitor, log } = start({ listen: { host: '203.0.113.7', port: 0 }, clock });
    await eventually(() => expect(clock.sleepers).toBe(1));
    expect(JSON.stringify(warnings(log))).toContain('this machine has no such address');
    await monitor[Symbol.asyncDispose]();
    expect(await monitor.opened).toBeUndefined();
  });
});

describe('closing', () => {
  test('ends at once, whoever is still being answered', async () => {
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
    const renderMetrics = () => {
      noteAsked();
      return new Promise<string>(() => {});
    };
    const { monitor } = start({ renderMetrics });
    const answer = fetch(`${await urlOf(monitor)}/metrics`);
    await asked;
    await monitor[Symbol.asyncDispose]();
    await expect(answer).rejects.toThrow('fetch failed');
  }, 30_000);

  test('while the port is taken gives up waiting, twice without harm', async () => {
    const { port } = await takePort();
    const { monitor } = start({ listen: { host: '127.0.0.1', port } });
    await Promise.all([monitor[Symbol.asyncDispose](), monitor[Symbol.asyncDispose]()]);
    expect(await monitor.opened).toBeUndefined();
  });

  test('does not wait for somebody who never finishes his question', async () => {
    const { monitor } = start();
    const { port = 0 } = (await monitor.opened) ?? {};
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\n');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await monitor[Symbol.asyncDispose]();
    await closed;
  }, 30_000);
});

describe('who may read', () => {
  test.each([
    ['127.0.0.1', 0],
    ['localhost', 0],
    ['127.8.9.1', 0],
    ['0.0.0.0', 1],
  ])('%s leads to %i warnings', async (host, count) => {
    const { monitor, log } = start({ listen: { host, port: 0 } });
    await monitor.opened;
    expect(warnings(log)).toHaveLength(count);
    if (count > 0) expect(warnings(log)[0]?.[1]).toContain('there is no password');
  });
});

test('of very many connections at once only so many are held, and it answers when they have gone', async () => {
  const { monitor } = start();
  const url = new URL(await urlOf(monitor));
  const sockets = Array.from({ length: 80 }, () => connect(Number(url.port), url.hostname));
  for (const socket of sockets) socket.on('error', () => undefined);
  const closed = sockets.map((socket) => once(socket, 'close'));
  for (const socket of sockets) socket.resume();
  await Promise.all(closed.slice(64));
  expect(sockets.filter((socket) => socket.closed)).toHaveLength(16);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  await eventually(async () => expect((await fetch(new URL('/healthz', url))).status).toBe(200));
});

describe('the name under which it is asked', () => {
  /** The status of an answer to a request with this Host header. */
  async function askAs(monitor: Monitor, host: string, path: string): Promise<number | undefined> {
    const { port } = new URL(await urlOf(monitor));
    const asking = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  }

  test.each([
    ['127.0.0.1', 200],
    ['10.1.2.3:8765', 200],
    ['localhost', 200],
    ['monitor.internal:8765', 200],
    ['evil.example', 421],
    ['evil.example:8765', 421],
  ])('%s gets %i', async (host, status) => {
    const { monitor } = start({ hosts: ['monitor.internal'] });
    for (const path of ['/healthz', '/livez', '/metrics'])
      expect(await askAs(monitor, host, path)).toBe(status);
  });
});

test('a connection on which nothing is asked is closed', async () => {
  const { monitor } = start({ limits: { headersMs: 50 } });
  const { port, hostname } = new URL(await urlOf(monitor));
  const socket = connect(Number(port), hostname).resume();
  await once(socket, 'close');
});
