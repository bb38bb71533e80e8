/** A port for a program that a test starts. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port on which no program listens. @param host the address on which it is free */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
