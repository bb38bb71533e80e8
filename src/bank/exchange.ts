/**
 * One HTTP exchange over node:http, which tells exactly whether a byte of the request may have left: nothing is written
 * before the connection stands, and from the moment of writing on it may have. The calls that money hangs on go this way
 * and no other: nothing is ever sent twice, no redirect is followed, and every outcome is data.
 */
import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { BankAddress } from '../core/network-address.ts';
import { findErrorCode, isCrumbled, timerMsMax, type TrustedCertificates } from '../platform/http.ts';

/** What is posted to the bank. */
export interface WireMessage {
  /** Below the bank's base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked when the connection stands and the bytes are about to be written. */
  readonly mayLeave: () => boolean;
}

export type WireOutcome =
  | {
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly headers: AnswerHeaders;
      readonly body: string;
    }
  /** Bytes may have left and no whole answer came back. */
  | { readonly kind: 'lost'; readonly why: string }
  /** No byte of the request was written. */
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'withheld' };

/** The outcome of an exchange; `hangUp` closes the connection that has brought an answer, before another uses it. */
export type ExchangeOutcome =
  | (Extract<WireOutcome, { kind: 'answered' }> & { readonly hangUp: () => void })
  | Exclude<WireOutcome, { kind: 'answered' }>;

/** The headers of an answer that anybody reads. */
export interface AnswerHeaders {
  readonly date?: string | undefined;
  readonly 'retry-after'?: string | undefined;
}

/** The way to the bank: where, how, and the connections that rest between two exchanges. */
export type Route = ReturnType<typeof openRoute>;

/** `resting`: on a kept-alive connection, before anything is written. */
type Stage = 'connecting' | 'resting' | 'written' | 'answering';

/** On every request: a body is read as it comes, and one that is compressed says nothing. */
export const asIs = { 'accept-encoding': 'identity' } as const;

/** An answer of the bank has a few hundred bytes, an inquiry's list a few thousand. */
export const bodyBytesMax = 1_048_576;

/** Common servers close a resting connection after 5 s: one that has rested this long is not used again. */
export const restMsMax = 4_000;

/** Connections that rest between two requests; idle ones are closed after `restMsMax`. */
const connectionsRestingMax = 4_096;

/**
 * Opens the way; nothing is sent yet. Closing it ends what is under way.
 * @param timeoutMs covers connection, headers and body of each exchange
 */
export function openRoute(address: BankAddress, timeoutMs: number, ca?: TrustedCertificates) {
  // Checks and transfers at once may be more than the 256 that Node keeps: each one beyond would connect anew.
  const pooled = { keepAlive: true, maxFreeSockets: connectionsRestingMax, timeout: restMsMax };
  // Said aloud, so that no variable of the environment can switch the proof off.
  const proof = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const { isSecure } = address;
  const pool = isSecure ? new HttpsAgent({ ...pooled, ...proof }) : new HttpAgent(pooled);
  const oneOff = isSecure ? new HttpsAgent(proof) : new HttpAgent();
  return {
    address,
    timeoutMs: Math.min(timeoutMs, timerMsMax),
    request: isSecure ? httpsRequest : httpRequest,
    /** Tells that a new connection stands: for TLS, that the bank has proved who it is. */
    readyEvent: isSecure ? 'secureConnect' : 'connect',
    /** Keeps connections alive between exchanges. */
    pool,
    /** Gives each exchange a new connection. */
    oneOff,
    /** Since when a connection rests, by `performance.now()`. */
    restingSinceMs: new WeakMap<Socket, number>(),
    [Symbol.dispose]() {
      pool.destroy();
      oneOff.destroy();
    },
  };
}

/**
 * Posts one message and waits for the whole answer. A resting connection that turns out to be closed before a byte
 * was written is replaced by a new one; whatever happens later is told and never repeated.
 */
export async function exchange(route: Route, message: WireMessage): Promise<ExchangeOutcome> {
  return (
    (await exchangeOver(route, message, route.pool)) ??
    (await exchangeOver(route, message, route.oneOff)) ??
    failure(route, 'connecting', 'closed before the request was written')
  );
}

function failure(route: Route, stage: Stage, reason: string): Exclude<WireOutcome, { kind: 'answered' }> {
  return stage === 'connecting' || stage === 'resting'
    ? { kind: 'not-sent', why: `no connection to ${route.address.origin}: ${reason}` }
    : { kind: 'lost', why: reason };
}

/** The outcome over one connection; undefined when it had rested, is closed, and nothing was written. */
function exchangeOver(
  route: Route,
  message: WireMessage,
  agent: HttpAgent,
): Promise<ExchangeOutcome | undefined> {
  return new Promise((resolve, reject) => {
    let stage: Stage = 'connecting';
    let isSettled = false;
    const request = route.request(requestOptions(route, message, agent));
    const timer = setTimeout(() => {
      settle(failure(route, stage, `timed out after ${route.timeoutMs} ms`));
    }, route.timeoutMs);

    /** Unless the exchange is complete its connection goes too, so that a late answer meets no other request. */
    function settle(outcome: ExchangeOutcome | undefined): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      resolve(outcome);
      if (outcome?.kind !== 'answered') request.destroy();
    }
    function fail(reason: string): void {
      settle(stage === 'resting' ? undefined : failure(route, stage, reason));
    }
    function write(): void {
      if (request.destroyed) return;
      try {
        if (message.mayLeave()) {
          stage = 'written';
          request.end(message.body);
        } else settle({ kind: 'withheld' });
      } catch (error) {
        reject(new Error('mayLeave has thrown', { cause: error }));
        settle(undefined);
      }
    }

    request.on('socket', (socket) => {
      const restingSinceMs = route.restingSinceMs.get(socket);
      if (restingSinceMs !== undefined) stage = 'resting';
      whenStanding(route, socket, restingSinceMs, write, () => fail('closed while it rested'));
    });
    request.on('response', (response) => {
      if (stage !== 'written') {
        fail('an answer came before the request');
        return;
      }
      stage = 'answering';
      readAnswer(route, response, settle);
    });
    request.on('error', (error) => fail(findErrorCode(error)));
    request.on('close', () => {
      // A body that ends with its connection is still being read.
      if (stage !== 'answering') fail('the connection was closed');
    });
  });
}

function requestOptions(route: Route, message: WireMessage, agent: HttpAgent): RequestOptions {
  const { host, port, basePath } = route.address;
  const headers = { ...message.headers, ...asIs, 'content-length': Buffer.byteLength(message.body) };
  return { host, port, method: 'POST', path: basePath + message.path, headers, agent };
}

/** Calls `write` once the connection can carry a request, or `discard` when a rested one cannot. */
function whenStanding(
  route: Route,
  socket: Socket,
  restingSinceMs: number | undefined,
  write: () => void,
  discard: () => void,
): void {
  if (restingSinceMs === undefined) {
    socket.once(route.readyEvent, write);
    return;
  }
  // A whole turn of the event loop reads what has arrived by now: a close, or bytes of an answer to no request.
  setImmediate(() =>
    setImmediate(() => {
      if (performance.now() - restingSinceMs < restMsMax && isOpen(socket)) write();
      else discard();
    }),
  );
}

const isOpen = (socket: Socket): boolean => socket.writable && !socket.readableEnded;

/** Reads the whole body, which belongs to the exchange: half of one is an answer lost. */
function readAnswer(
  route: Route,
  response: IncomingMessage,
  settle: (outcome: ExchangeOutcome) => void,
): void {
  const { socket } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const lost = (why: string) => settle({ kind: 'lost', why });
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) lost(`the answer is longer than ${bodyBytesMax} bytes`);
    else if (isCrumbled(chunks.length, bytes)) lost('the answer came in crumbs');
    else chunks.push(chunk);
  });
  response.on('end', () => {
    const { headers, statusCode, complete } = response;
    if (!complete || statusCode === undefined) {
      lost('the answer was cut short');
      return;
    }
    route.restingSinceMs.set(socket, performance.now());
    const body = Buffer.concat(chunks).toString();
    settle({ kind: 'answered', httpStatus: statusCode, headers, body, hangUp: () => socket.destroy() });
  });
  response.on('error', (error) => lost(`the answer was cut short (${findErrorCode(error)})`));
  response.on('close', () => lost('the answer was cut short'));
}
