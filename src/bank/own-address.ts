/** From which address of this machine the bank is reached: what `msg-hdr` says of the caller where no setting does (§2.2). */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { readBankAddress } from '../core/network-address.ts';

/** Where the way cannot be told, as while the name is not resolved: the bank cannot be reached then, either. */
const nowhere = '127.0.0.1';

/** Asks the system for the way, over a socket that sends nothing. @param baseUrl of the bank */
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
