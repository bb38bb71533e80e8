/**
 * The local address from which the bank is reached: the caller's address in `msg-hdr` when no setting gives one (§2.2).
 */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { readBankAddress } from '../core/network-address.ts';

/** Fallback when the route is unknown, for example while the name does not resolve; the bank is out of reach then. */
const nowhere = '127.0.0.1';

/**
 * Asks the system for the route, over a socket that sends nothing.
 * @param baseUrl of the bank
 */
export async function findOwnAddress(baseUrl: string): Promise<string> {
  const { host, port } = readBankAddress(baseUrl);
  try {
    const { address } = await lookup(host);
    return await findSource(address, port);
  } catch {
    return nowhere;
  }
}

function findSource(address: string, port: number): Promise<string> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.connect(port, address, () => resolve(socket.address().address));
  }).finally(() => socket.close());
}
