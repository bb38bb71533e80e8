/**
 * One HTTP exchange over node:http, which tells exactly whether a byte of the request may have left:
 * nothing is written before the connection stands, and from the moment of writing on it may have.
 */
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';

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
  | WireAnswer
  /** Bytes may have left and no whole answer came back. */
  | { readonly kind: 'lost'; readonly why: string }
  /** No byte of the request was written. */
  | { readonly kind: 'not-sent'; readonly why: string }
  | { readonly kind: 'withheld' };

export interface WireAnswer {
  readonly kind: 'answered';
  readonly httpStatus: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The way to the bank: where, how, and the connections that rest between two exchanges. */
export interface Line {
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
  readonly request: (options: RequestOptions) => ClientRequest;
  /** Tells that a new connection stands: for TLS, that the bank has proved who it is. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** Keeps connections alive between exchanges. */
  readonly pool: Agent;
  /** Gives each exchange a new connection. */
  readonly oneOff: Agent;
  /** Since when a connection rests, by `performance.now()`. */
  readonly restingSinceMs: WeakMap<Socket, number>;
  /** Covers connection, headers and body. */
  readonly timeoutMs: number;
}

/** `resting`: on a kept-alive connection, before anything is written. */
type Stage = 'connecting' | 'resting' | 'written' | 'answering';

/** An answer of the bank has a few hundred bytes, an inquiry's list a few thousand. */
export const bodyBytesMax = 1_048_576;

/** Common servers close a resting connection after 5 s: one that has rested this long is not used again. */
export const restMsMax = 4_000;

/** After a longer rest than this, a close that may have arrived meanwhile is looked for before writing. */
const restTrustedMs = 50;

/**
 * Posts one message and waits for the whole answer. A resting connection that turns out to be closed before a byte
 * was written is replaced by a new one; whatever happens later is told and never repeated.
 */
export async function exchange(line: Line, message: WireMessage): Promise<WireOutcome> {
  return (
    (await exchangeOver(line, message, line.pool)) ??
    (await exchangeOver(line, message, line.oneOff)) ??
    failure(line, 'connecting', 'closed before the request was written')
  );
}

function failure(line: Line, stage: Stage, reason: string): WireOutcome {
  return stage === 'connecting' || stage === 'resting'
    ? { kind: 'not-sent', why: `no connection to ${line.origin}: ${reason}` }
    : { kind: 'lost', why: reason };
}

/** The outcome over one connection; undefined when it had rested, is closed, and nothing was written. */
function exchangeOver(line: Line, message: WireMessage, agent: Agent): Promise<WireOutcome | undefined> {
  return new Promise((resolve, reject) => {
    let stage: Stage = 'connecting';
    let isSettled = false;
    const request = line.request(requestOptions(line, message, agent));
    const timer = setTimeout(() => {
      settle(failure(line, stage, `timed out after ${line.timeoutMs} ms`));
    }, line.timeoutMs);

    /** Unless the exchange is complete its connection goes too, so that a late answer meets no other request. */
    function settle(outcome: WireOutcome | undefined): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      resolve(outcome);
      if (outcome?.kind !== 'answered') request.destroy();
    }
    function fail(reason: string): void {
      settle(stage === 'resting' ? undefined : failure(line, stage, reason));
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
      const restingSinceMs = line.restingSinceMs.get(socket);
      if (restingSinceMs !== undefined) stage = 'resting';
      whenStanding(line, socket, restingSinceMs, write, () => fail('closed while it rested'));
    });
    request.on('response', (response) => {
      if (stage !== 'written') {
        fail('an answer came before the request');
        return;
      }
      stage = 'answering';
      readAnswer(line, response, settle);
    });
    request.on('error', (error) => fail(describeError(error)));
    request.on('close', () => {
      // A body that ends with its connection is still being read.
      if (stage !== 'answering') fail('the connection was closed');
    });
  });
}

function requestOptions(line: Line, message: WireMessage, agent: Agent): RequestOptions {
  const { host, port } = line;
  const headers = { ...message.headers, 'content-length': Buffer.byteLength(message.body) };
  return { host, port, method: 'POST', path: line.basePath + message.path, headers, agent };
}

/** Calls `write` once the connection can carry a request, or `discard` when a rested one cannot. */
function whenStanding(
  line: Line,
  socket: Socket,
  restingSinceMs: number | undefined,
  write: () => void,
  discard: () => void,
): void {
  if (restingSinceMs === undefined) {
    socket.once(line.readyEvent, write);
    return;
  }
  if (performance.now() - restingSinceMs <= restTrustedMs && isOpen(socket)) {
    write();
    return;
  }
  // One turn of the event loop reads what has arrived while it rested: a close, or bytes nobody asked for.
  setImmediate(() => {
    if (performance.now() - restingSinceMs < restMsMax && isOpen(socket)) write();
    else discard();
  });
}

function isOpen(socket: Socket): boolean {
  return socket.writable && !socket.readableEnded;
}

/** Reads the whole body, which belongs to the exchange: half of one is an answer lost. */
function readAnswer(line: Line, response: IncomingMessage, settle: (outcome: WireOutcome) => void): void {
  const { socket } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const lost = (why: string) => settle({ kind: 'lost', why });
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) lost(`the answer is longer than ${bodyBytesMax} bytes`);
    else chunks.push(chunk);
  });
  response.on('end', () => {
    const { headers, statusCode, complete } = response;
    if (!complete || statusCode === undefined) {
      lost('the answer was cut short');
      return;
    }
    line.restingSinceMs.set(socket, performance.now());
    settle({ kind: 'answered', httpStatus: statusCode, headers, body: textOf(chunks) });
  });
  response.on('error', (error) => lost(`the answer was cut short (${describeError(error)})`));
  response.on('close', () => lost('the answer was cut short'));
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined
    ? only.toString('utf8')
    : Buffer.concat(chunks).toString('utf8');
}

/** The code alone: messages may quote what was sent. */
function describeError(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
