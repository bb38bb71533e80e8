/** Recognises a paydrop sandbox on this machine by a header of its replies. */
import { request } from 'node:http';
import { isLoopbackAddress } from '../core/network-address.ts';
import { asIs } from './exchange.ts';
import { sandboxHeader } from './wire.ts';

/** `unknown`: the server gave no answer. */
type ServerKind = 'sandbox' | 'bank' | 'unknown';

const answerTimeoutMs = 3_000;

/**
 * Asks the server of bank.baseUrl what it is. Only plain http to a loopback address is asked; anything else counts as a
 * bank. The request carries no token, account or reference.
 */
export function askServerKind(baseUrl: string, timeoutMs = answerTimeoutMs): Promise<ServerKind> {
  if (!isLoopbackAddress(baseUrl)) return Promise.resolve('bank');
  return new Promise((resolve) => {
    // A separate connection that ends with the answer; no proxy from the environment is used.
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

/**
 * True if the server says that it is a sandbox. False when there is no answer: treating it as a bank is the safe side.
 */
export const isSandboxServer = async (baseUrl: string): Promise<boolean> =>
  (await askServerKind(baseUrl)) === 'sandbox';
