import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { makeServerFactory, type ServerLimits } from '../../src/platform/http-server.ts';

const patient: ServerLimits = {
  connectionsMax: 10,
  headersMs: 30_000,
  requestMs: 30_000,
  restMs: 30_000,
};

const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('well'));
};

/** Opens a server with these limits; returns what opens connections to it. */
async function open(limits: Partial<ServerLimits>): Promise<() => Socket> {
  const server = makeServerFactory({ ...patient, ...limits })(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return () => connect(port, '127.0.0.1').on('error', () => {});
}

const head = 'GET / HTTP/1.1\r\nhost: localhost\r\n';

test.each<[string, string, Partial<ServerLimits>, RegExp]>([
  ['says nothing', '', { headersMs: 50 }, /^(?:HTTP\/1\.1 408 |$)/],
  ['never ends his headers', head, { headersMs: 50 }, /^(?:HTTP\/1\.1 408 |$)/],
  [
    'never ends his body',
    `${head}content-length: 5\r\n\r\nhal`,
    { headersMs: 50, requestMs: 100 },
    /^(?:HTTP\/1\.1 408 |$)/,
  ],
  ['asks once and rests', `${head}\r\n`, { restMs: 50 }, /^HTTP\/1\.1 200 [^]*well/],
])('a connection that %s is closed', async (_, sent, limits, heard) => {
  const socket = (await open(limits))();
  socket.write(sent);
  expect(await text(socket)).toMatch(heard);
});

test('who is slow within the limits is heard', async () => {
  const socket = (await open({ headersMs: 1_000, requestMs: 1_000 }))();
  socket.write(head);
  await new Promise((resolve) => setTimeout(resolve, 60));
  socket.write('connection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/well/);
});

test('connections beyond the limit are closed, and others taken when some have gone', async () => {
  const dial = await open({ connectionsMax: 3 });
  const sockets = Array.from({ length: 5 }, dial).map((socket) => socket.resume());
  const closed = sockets.map((socket) => once(socket, 'close'));
  await Promise.all(closed.slice(3));
  expect(sockets.map((socket) => socket.closed)).toEqual([false, false, false, true, true]);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  const last = dial();
  last.write(`${head}connection: close\r\n\r\n`);
  expect(await text(last)).toMatch(/well/);
});
