/**
 * Who has the port of the callbacks: a listener of this journal on the same path proves that it knows the journal's id, which
 * it never says, and no other server can. The question is taken from this machine alone.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';

/** Header of the question and of its answer. */
export const ownerHeader = 'paydrop-listener';

const questionBytes = 24;
const questionPattern = /^[\w-]{32}$/;
const answerMs = 2_000;

/** The question in a request; undefined without one, and for a request from another machine. */
export function readQuestion({ headers, socket }: IncomingMessage): string | undefined {
  const question = headers[ownerHeader];
  const isAsked = typeof question === 'string' && questionPattern.test(question);
  // A proxy on this machine speaks for others.
  return isAsked && isOwnMachine(socket) && headers['x-forwarded-for'] === undefined ? question : undefined;
}

/** True when both ends of the connection are on this machine. */
export const isOwnMachine = ({ remoteAddress, localAddress }: Socket): boolean =>
  remoteAddress !== undefined && remoteAddress === localAddress;

/** The answer of a listener of the journal to a question; one on another path takes other calls. */
export const proveJournal = (journalId: string, path: string, question: string): string =>
  createHmac('sha256', journalId).update(`${question} ${path}`).digest('base64url');

/** `this-journal`: its listener. `leaving`: its listener, which is ending. `silent`: no answer came. */
type PortOwner = 'this-journal' | 'leaving' | 'another' | 'silent';

interface PortQuestion {
  /** Address at which this process wanted to listen. */
  readonly address: string;
  readonly port: number;
  readonly path: string;
  readonly isSecure: boolean;
}

/** Loopback address at which a listener on every address is asked. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Asks the server on a port which journal it belongs to. */
export function askPortOwner(
  { address, port, path, isSecure }: PortQuestion,
  journalId: string,
): Promise<PortOwner> {
  const question = randomBytes(questionBytes).toString('base64url');
  const { promise, resolve } = Promise.withResolvers<PortOwner>();
  const asking = (isSecure ? requestHttps : requestHttp)({
    hostname: loopbackOf[address] ?? address,
    port,
    path,
    method: 'GET',
    agent: false,
    headers: { [ownerHeader]: question },
    // The answer proves more than a certificate, which names the host that the bank calls.
    ...(isSecure ? { rejectUnauthorized: false } : {}),
  });
  const timer = setTimeout(() => resolve('silent'), answerMs);
  asking.on('response', ({ headers, statusCode }) => {
    const isProved = headers[ownerHeader] === proveJournal(journalId, path, question);
    resolve(isProved ? (statusCode === 200 ? 'this-journal' : 'leaving') : 'another');
  });
  asking.on('error', () => resolve('silent'));
  asking.end();
  return promise.finally(() => {
    clearTimeout(timer);
    asking.destroy();
  });
}
