/**
 * ky over node:http. Node's own fetch cannot tell whether a byte of a request has left and is slower, so ky is given
 * a `fetch` of ours; message and outcome pass beside its Request and Response, which cost more than they carry here.
 */
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import ky from 'ky';
import type { BankAddress } from '../core/network-address.ts';
import { exchange, type Line, restMsMax, type WireMessage, type WireOutcome } from './exchange.ts';

export interface Transport extends Disposable {
  /** Posts once: nothing is ever sent twice, no redirect is followed, every outcome is data. */
  post(message: WireMessage): Promise<WireOutcome>;
}

/** Certificates to trust beside the system's, PEM. */
export type TrustedCertificates = NonNullable<AgentOptions['ca']>;

/** ky as this program wants it: no second try of its own, no timeout beside ours, every status an answer. */
const http = ky.create({
  method: 'post',
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  redirect: 'manual',
});

/** The longest time a timer of Node holds; beyond it, it would fire at once. */
const timeoutMsMax = 2_147_483_647;

/** @param timeoutMs covers connection, headers and body of each exchange */
export function makeTransport(address: BankAddress, timeoutMs: number, ca?: TrustedCertificates): Transport {
  const line = makeLine(address, timeoutMs, ca);
  return {
    async post(message) {
      const seen: { outcome?: WireOutcome } = {};
      await http(line.origin + line.basePath + message.path, {
        fetch: async () => {
          seen.outcome = await exchange(line, message);
          return new Response(null);
        },
      });
      if (seen.outcome === undefined) throw new Error('ky has ended without an exchange');
      return seen.outcome;
    },
    [Symbol.dispose]() {
      line.pool.destroy();
      line.oneOff.destroy();
    },
  };
}

function makeLine(address: BankAddress, timeoutMs: number, ca: TrustedCertificates | undefined): Line {
  const restingSinceMs = new WeakMap<Socket, number>();
  const shared = { ...address, timeoutMs: Math.min(timeoutMs, timeoutMsMax), restingSinceMs };
  const pooled = { keepAlive: true, timeout: restMsMax };
  if (!address.isSecure) {
    return {
      ...shared,
      request: httpRequest,
      readyEvent: 'connect',
      pool: new HttpAgent(pooled),
      oneOff: new HttpAgent(),
    };
  }
  // Said aloud, so that no variable of the environment can switch the proof off.
  const proof = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  return {
    ...shared,
    request: httpsRequest,
    readyEvent: 'secureConnect',
    pool: new HttpsAgent({ ...pooled, ...proof }),
    oneOff: new HttpsAgent(proof),
  };
}
