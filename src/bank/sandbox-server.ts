/** Whether a server on this machine is a paydrop sandbox: it says so in a header of every reply. */
import { request } from 'node:http';
import { isLoopbackAddress } from '../core/network-address.ts';
import { asIs } from './exchange.ts';
import { sandboxHeader } from './wire.ts';

/** `unknown`: it gave no answer, so nobody can tell. */
export type ServerKind = 'sandbox' | 'bank' | 'unknown';

const answerTimeoutMs = 3_000;

/**
 * Asks the server of bank.baseUrl what it is. Only plain http to a loopback address is asked, anything else is a bank;
 * no token, account or reference travels.
 */
export function askServerKind(baseUrl: string, timeoutMs = answerTimeoutMs): Promise<ServerKind> {
  if (!isLoopbackAddress(baseUrl)) return Promise.resolve('bank');
  return new Promise((resolve) => {
    // One connection of its own that ends with the answer; no proxy of the environment stands between.
    const asking = request(
      `${new URL(baseUrl).origin}/sandbox`,
      { method: 'HEAD', agent: false, headers: asIs },
      (answer) => {
        end(answer.headers[sandboxHeader] === '1' ? 'sandbox' : 'bank');
      },
    );
    const timer = setTimeout(() => end('unknown'), timeoutMs);
    const end = (kind: ServerKind): void => {
      clearTimeout(timer);
      resolve(kind);
      asking.destroy();
    };
    asking.on('error', () => end('unknown'));
    asking.end();
  });
}

/** True if the server says that it is a sandbox: for whoever takes no answer as a bank, to be safe. */
export const isSandboxServer = async (baseUrl: string): Promise<boolean> =>
  (await askServerKind(baseUrl)) === 'sandbox';
