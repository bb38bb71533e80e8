/**
 * One HTTP exchange over node:http that knows exactly whether a byte of the request may have left: nothing is written
 * before the connection stands, and from the first write on a byte may have left. All calls that money depends on use
 * it. It sends nothing twice, follows no redirect, and returns every outcome as data.
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

/** A message to post to the bank. */
export interface WireMessage {
  /** Path below the bank's base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked when the connection stands, just before the bytes are written. */
  readonly mayTransmit: () => boolean;
}

export type WireOutcome =
  | {
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly headers: AnswerHeaders;
      readonly body: string;
    }
  /** Bytes may have left, and no whole answer came back. */
  | { readonly kind: 'lost'; readonly why: string }
  /** No byte of the request was written. */
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'withheld' };

/** The outcome of an exchange; `hangUp` closes the connection of an answer before another request uses it. */
export type ExchangeOutcome =
  | (Extract<WireOutcome, { kind: 'answered' }> & { readonly hangUp: () => void })
  | Exclude<WireOutcome, { kind: 'answered' }>;

/** The headers of an answer that paydrop reads. */
export interface AnswerHeaders {
  readonly date?: string | undefined;
  readonly 'retry-after'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/** The way to the bank: its address, the transport, and the pool of idle connections. */
type Route = ReturnType<typeof openRoute>;

/** `resting`: on a kept-alive connection, before anything is written. */
type Stage = 'connecting' | 'resting' | 'written' | 'answering';

/** Header of every request: bodies are read as received, so a compressed one would be unreadable. */
export const asIs = { 'accept-encoding': 'identity' } as const;

/** Limit of an answer's body in bytes. An answer has a few hundred bytes, an inquiry's list a few thousand. */
export const bodyBytesMax = 1_048_576;

/** Longest idle time of a connection that is used again. Common servers close an idle connection after 5 s. */
const restMsMax = 4_000;

/** Idle connections kept; each is closed after `restMsMax`. */
const connectionsRestingMax = 4_096;

/**
 * Opens the way; sends nothing yet. Closing it aborts what is under way.
 * @param timeoutMs limit on each exchange, connection and body included
 */
export function openRoute(address: BankAddress, timeoutMs: number, ca?: TrustedCertificates) {
  // Node keeps 256 idle connections by default. Checks and transfers at once may exceed that, and each one beyond would
  // connect anew.
  const pooled = { keepAlive: true, maxFreeSockets: connectionsRestingMax, timeout: restMsMax };
  // Set explicitly, so that no environment variable can switch certificate checks off.
  const proof = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const { isSecure } = address;
  const pool = isSecure ? new HttpsAgent({ ...pooled, ...proof }) : new HttpAgent(pooled);
  const oneOff = isSecure ? new HttpsAgent(proof) : new HttpAgent();
  return {
    address,
    timeoutMs: Math.min(timeoutMs, timerMsMax),
    request: isSecure ? httpsRequest : httpRequest,
    /** The event that a new connection stands: for TLS, after the bank has proved its identity. */
    readyEvent: isSecure ? 'secureConnect' : 'connect',
    /** Keeps connections alive between exchanges. */
    pool,
    /** Gives each exchange a new connection. */
    oneOff,
    /** Start of each connection's idle time, by `performance.now()`. */
    restingSinceMs: new WeakMap<Socket, number>(),
    [Symbol.dispose]() {
      pool.destroy();
      oneOff.destroy();
    },
  };
}

/**
 * Posts one message and waits for the whole answer. An idle connection that turns out to be closed before a byte was
 * written is replaced by a new one; any later failure is returned, never retried.
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

/** The outcome over one connection; undefined when an idle connection was closed and nothing was written. */
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

    /** Destroys the connection of an incomplete exchange, so that a late answer meets no other request. */
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
        if (message.mayTransmit()) {
          stage = 'written';
          request.end(message.body);
        } else settle({ kind: 'withheld' });
      } catch (error) {
        reject(new Error('mayTransmit has thrown', { cause: error }));
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

/** Calls `write` once the connection can carry a request, or `discard` when an idle one cannot. */
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
  // One whole turn of the event loop reads what has already arrived: a close, or bytes that answer no request.
  setImmediate(() =>
    setImmediate(() => {
      if (performance.now() - restingSinceMs < restMsMax && isOpen(socket)) write();
      else discard();
    }),
  );
}

const isOpen = (socket: Socket): boolean => socket.writable && !socket.readableEnded;

/** Reads the whole body as part of the exchange; half a body is a lost answer. */
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
