/** A bank that registers direct debits, a partner who asks it to, and the listener that it calls back. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { wireNames } from '../../src/bank/wire.ts';
import type { SandboxOptions } from '../../src/sandbox/bank.ts';
import type { Ledger } from '../../src/sandbox/book.ts';
import type { RegistrationTableInput } from '../../src/sandbox/registration/table.ts';
import { eventually } from './eventually.ts';
import { companyId, openBank, readBody, speak } from './sandbox-kit.ts';
import type { Fields, Outcome, TestBank } from './sandbox-kit.ts';
import type { Certificate } from './self-signed.ts';

export const vendorId = 'VENDOR0001';
const apiKey = 'the-right-key';

/** A callback as it came. */
export interface HeardCall {
  readonly header: Fields;
  readonly body: Fields;
  readonly contentType: string | undefined;
}

/** How a callback is answered, instead of as §2.3 expects it. */
export type AnswerCall = (response: ServerResponse, call: HeardCall) => void;

export interface Listener {
  readonly url: string;
  readonly calls: HeardCall[];
  /** For the next calls, one each; then all is well. */
  readonly answers: AnswerCall[];
}

export const accept: AnswerCall = (response, { header }) =>
  response.end(JSON.stringify({ statusCode: '0', statusDesc: 'Success', requestUID: header['requestUID'] }));

/** A partner's listener, over TLS with a certificate; it is closed when the test ends. */
export async function openListener(certificate?: Certificate): Promise<Listener> {
  const listener: Listener = { url: '', calls: [], answers: [] };
  const hear: RequestListener = (request, response) => {
    void (async () => {
      const text = Buffer.concat(await request.toArray()).toString();
      const header = JSON.parse(String(request.headers['msg-hdr'])) as Fields;
      const contentType = request.headers['content-type'];
      const call = { header, body: JSON.parse(text) as Fields, contentType };
      listener.calls.push(call);
      (listener.answers.shift() ?? accept)(response, call);
    })();
  };
  const server = certificate === undefined ? createServer(hear) : createSecureServer(certificate, hear);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const scheme = certificate === undefined ? 'http' : 'https';
  return Object.assign(listener, { url: `${scheme}://127.0.0.1:${port}/callbacks` });
}

/** What is unlike a good registration; a header of null is left out. */
export interface Changes {
  readonly body?: Fields;
  /** The whole body as text, instead. */
  readonly text?: string;
  readonly header?: Fields;
  readonly headers?: Readonly<Record<string, string | null>>;
}

export interface RegistrationBank extends TestBank {
  readonly listener: Listener;
  /** Endpoint 3, with a requestUID of its own. */
  sendRegistration(changes?: Changes): Promise<Outcome>;
  /** The same for answers that are whole. */
  register(changes?: Changes): Promise<Record<string, unknown>>;
  registrations(): Ledger['registrations'];
  /** Waits until so many tries have been made, at the bank's present time. */
  untilTries(count: number): Promise<Ledger['registrations']>;
}

export const goodRegistration: Fields = {
  vendorID: vendorId,
  companyID: companyId,
  accountNo: '9900000001',
  ref1: '0812345678',
};

let requests = 0;
const nextRequestUid = (): string => `REQUEST-${String((requests += 1)).padStart(8, '0')}`;

/** Opens a bank whose clock stands at noon, with a listener that it calls. */
export async function openRegistrationBank(
  registration: RegistrationTableInput = {},
  options: Partial<SandboxOptions> = {},
): Promise<RegistrationBank> {
  const listener = await openListener();
  const bank = await openBank({
    vendors: [{ vendorId, companyIds: [companyId] }],
    registration: { callbackUrl: listener.url, apiKey, ...registration },
    ...options,
  });
  const sendRegistration: RegistrationBank['sendRegistration'] = (changes = {}) => {
    const header = { ipAddress: '192.0.2.7', requestUID: nextRequestUid(), ...changes.header };
    const headers = Object.entries({
      'content-type': 'application/json',
      authorization: `Bearer ${bank.token}`,
      'msg-hdr': JSON.stringify(header),
      'digital-id': '9100000000011',
      ...changes.headers,
    }).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
    const body = changes.text ?? JSON.stringify({ ...goodRegistration, ...changes.body });
    const { registration: path } = wireNames('proxy').paths;
    return speak(bank.sandbox.baseUrl, { path, body, headers: Object.fromEntries(headers) }, bank.waitMs);
  };
  const registrations = () => bank.sandbox.ledger().registrations;
  return Object.assign(bank, {
    listener,
    sendRegistration,
    register: async (changes?: Changes) => readBody(await sendRegistration(changes)),
    registrations,
    untilTries: (count: number) =>
      eventually(() => {
        const ledger = registrations();
        if (ledger.callbacks.tries < count) throw new Error(`${ledger.callbacks.tries} of ${count} tries`);
        return ledger;
      }),
  });
}
