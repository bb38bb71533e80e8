/** What the link of a machine to its database leaves behind: nothing, whenever it is cut. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { test, vi } from 'vitest';
import { openCuttableLink } from './cuttable-link.ts';

test('a link that is cut in the moment in which one side has ended leaves no connection open', async () => {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const link = await openCuttableLink(port);
  const client = connect(link.port, '127.0.0.1');
  client.on('error', () => {}).write('.');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  await once(
    accepted.on('error', () => {}),
    'data',
  );
  // The moment in which the link passes the end on.
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const end = Socket.prototype.end;
  vi.spyOn(Socket.prototype, 'end').mockImplementation(function endAndCut(this: Socket) {
    Reflect.apply(end, this, []);
    if (this.remotePort === port) {
      this.once('close', () => resolve());
      process.nextTick(() => link.cut());
    }
    return this;
  });
  client.end();
  await closed;
  vi.restoreAllMocks();
  accepted.destroy();
  await link[Symbol.asyncDispose]();
  server.close();
  await once(server, 'close');
}, 10_000);
