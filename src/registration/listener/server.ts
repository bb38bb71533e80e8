/**
 * The server that the bank calls (§2.3): from a permitted address, with a right key, a small body in time. Any other call
 * is answered or cut off before its body is read, kept or logged.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Server as SecureServer } from 'node:tls';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { encodeJson } from '../../core/outgoing-text.ts';
import type { ListenAddress } from '../../core/network-address.ts';
import type { Clock } from '../../core/ports.ts';
import { type Certificate, makeServerFactory } from '../../platform/http-server.ts';
import {
  findApiKey,
  findRequestUid,
  callbackKey,
  type CallbackHeader,
  type FaultyReading,
  parseCallback,
  parseCallbackHeader,
} from '../rules/callback.ts';
import type { CallbackRecord } from '../rules/change.ts';
import type { CallbackKeys } from './callback-keys.ts';
import type { Callers } from './callers.ts';
import { ownerHeader, isOwnMachine, proveJournal, readQuestion } from './port-owner.ts';
import type { Refusal, Refusals } from './refusals.ts';

interface CallbackServerOptions {
  readonly listen: ListenAddress;
  readonly path: string;
  readonly bodyBytesMax: number;
  /** Limit for the whole request. */
  readonly requestTimeoutMs: number;
  readonly connectionsMax: number;
  readonly callers: Callers;
  readonly keys: CallbackKeys;
  /** Undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly refusals: Refusals;
  readonly clock: Clock;
  /** Proves this listener's journal to other processes of this machine. */
  readonly journalId: string;
  /** Resolves once the callback is durable; after a rejection, the bank is told to call again. */
  readonly take: (record: CallbackRecord) => Promise<unknown>;
}

/** Disposing of it ends it: calls that are being taken are finished and answered first. */
export interface CallbackServer extends AsyncDisposable {
  readonly port: number;
  /** Uses this certificate for new connections. */
  useCertificate(certificate: Certificate): void;
}

/** The answer of §2.3: string(5), string(256), string(36). */
interface CallbackAnswer {
  readonly statusCode: string;
  readonly statusDesc: string;
  readonly requestUID: string;
}

const statusDescLengthMax = 256;

/** Limit of the headers: `msg-hdr` has six short texts. */
const headerBytesMax = 8_192;
/** Longest pause between two callbacks on a connection. */
const restMs = 15_000;
/** Most callbacks at once, over all connections: further ones are told to come again. */
const takesMax = 2_000;
/** Time for requests still being sent when the server ends. */
const lastWordMs = 1_000;
/** Time for the last answer on a connection to leave. */
const farewellMs = 100;
/** `Retry-After` of an answer, in seconds. */
const retryAfterSeconds = '5';

type Answer = readonly [httpStatus: number, statusDesc: string];

/** Answers to refused calls; they reveal less than the log. */
const answers = {
  'foreign-address': [403, 'not allowed from this address'],
  'wrong-path': [404, 'not found'],
  'wrong-method': [405, 'POST alone is taken here'],
  'wrong-key': [401, 'msg-hdr bears no x-api-key that is known'],
  'wrong-type': [415, 'the content type must be application/json'],
  'too-large': [413, 'the body is too large'],
  'too-slow': [408, 'the request took too long'],
  malformed: [400, 'the request cannot be read'],
  'too-many': [429, 'too many callbacks at once: call again'],
  stopping: [503, 'stopping: call again'],
  journal: [503, 'the callback could not be kept: call again'],
} as const satisfies Partial<Record<Refusal, Answer>>;

/** Answer to a question about the listener's journal. */
const listening = [200, 'a paydrop listens'] as const satisfies Answer;

const findAnswer = (refusal: Refusal): Answer =>
  (answers as Partial<Record<Refusal, Answer>>)[refusal] ?? [400, refusal];

const answerOf = (httpStatus: number, statusDesc: string, requestUID: string): CallbackAnswer => ({
  statusCode: String(httpStatus),
  statusDesc,
  requestUID,
});

/** Answer to every callback that was taken, new or repeated. */
const takenAnswer = (requestUID: string): CallbackAnswer => ({
  statusCode: '0',
  statusDesc: 'Success',
  requestUID,
});

/** A call from a permitted address with a right key. */
interface AdmittedCall {
  readonly fromAddress: string;
  /** `msg-hdr`. */
  readonly header: string;
}

type CallReading =
  | { readonly ok: true; readonly record: CallbackRecord }
  /** `requestUid` is empty where the call has no readable one. */
  | (FaultyReading & { readonly requestUid: string });

/** Keys of `msg-hdr` that are kept (§2.3): all but the application's. */
const keptHeaderKeys = [
  'channelId',
  'oapi-client-id',
  'oapi-partner-id',
  'requestUID',
  'requestDateTime',
] as const;
const headerTextMax = 256;

function keepHeader({ fields }: CallbackHeader): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const key of keptHeaderKeys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value === 'string') kept[key] = value.slice(0, headerTextMax);
  }
  return kept;
}

/** Refuses bytes that are no UTF-8: the kept text must equal the call, byte for byte. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const noText: FaultyReading = { ok: false, faults: [{ field: 'body', message: 'it is no UTF-8' }] };

/** Reads a call that was admitted: every field of it, and what is kept of it. @forTests */
export function readCall({ fromAddress, header }: AdmittedCall, bytes: Buffer, nowMs: number): CallReading {
  const who = parseCallbackHeader(header);
  const requestUid = who.ok ? who.requestUid : '';
  const body = decode(bytes);
  const reading = body === undefined ? noText : parseCallback(body, requestUid);
  if (body === undefined || !who.ok || !reading.ok) {
    const faults = [who, reading].flatMap((one) => (one.ok ? [] : one.faults));
    return { ok: false, faults, requestUid };
  }
  const { callback } = reading;
  const key = callbackKey(callback);
  const record = { key, callback, body, header: keepHeader(who), fromAddress, receivedAtMs: nowMs };
  return { ok: true, record };
}

// ---------------------------------------------------------------- the server

class CallbackDoor {
  readonly #options: CallbackServerOptions;
  readonly #admitted = new WeakMap<FastifyRequest, AdmittedCall>();
  readonly #taking = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(options: CallbackServerOptions) {
    this.#options = options;
  }

  /** Resolves when no call is being taken. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#taking);
  }

  /** Admits or refuses a call, before any of its body is read. */
  admit(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const { callers, keys, path } = this.#options;
    const { headers, socket, url = '', method } = request.raw;
    const question = readQuestion(request.raw);
    if (question !== undefined) return this.#tellOwner(reply, question);
    const forwardedFor = headers['x-forwarded-for'] as string | undefined;
    const fromAddress = callers.find(socket.remoteAddress, forwardedFor);
    if (fromAddress === undefined) {
      const tracedTo = callers.trace(socket.remoteAddress, forwardedFor);
      return this.refuse(reply, 'foreign-address', { fromAddress: tracedTo });
    }
    if (url !== path) return this.refuse(reply, 'wrong-path', { fromAddress });
    if (method !== 'POST') return this.refuse(reply.header('allow', 'POST'), 'wrong-method', { fromAddress });
    const header = typeof headers['msg-hdr'] === 'string' ? headers['msg-hdr'] : '';
    const apiKey = findApiKey(header);
    if (apiKey === undefined || !keys.has(apiKey))
      return this.refuse(reply, 'wrong-key', { fromAddress, hasKey: apiKey !== undefined });
    const isFull = this.#taking.size >= takesMax;
    if (this.#isStopping || isFull) {
      const later = reply.header('retry-after', retryAfterSeconds);
      return this.refuse(later, this.#isStopping ? 'stopping' : 'too-many', {}, findRequestUid(header));
    }
    this.#admitted.set(request, { fromAddress, header });
    return undefined;
  }

  #tellOwner(reply: FastifyReply, question: string): FastifyReply {
    const [httpStatus, statusDesc] = this.#isStopping ? answers.stopping : listening;
    const { journalId, path } = this.#options;
    return reply
      .code(httpStatus)
      .headers({ connection: 'close', [ownerHeader]: proveJournal(journalId, path, question) })
      .send(answerOf(httpStatus, statusDesc, ''));
  }

  /** Never rejects. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { refusals, clock, take } = this.#options;
    const call = this.#admitted.get(request);
    const reading = call && readCall(call, request.body as Buffer, clock.now());
    if (reading?.ok !== true) {
      // Faults name fields, never their contents.
      const faults = (reading?.faults ?? []).map(({ field, message }) => `${field}: ${message}`);
      refusals.count('wrong-field', { fromAddress: call?.fromAddress }, faults);
      const statusDesc = faults.join('; ').slice(0, statusDescLengthMax);
      reply.code(400).send(answerOf(400, statusDesc, reading?.requestUid ?? ''));
      return;
    }
    const { requestUid } = reading.record.callback;
    const taking = take(reading.record);
    this.#taking.add(taking);
    try {
      await taking;
      reply.code(200).send(takenAnswer(requestUid));
    } catch (error) {
      this.refuse(reply.header('retry-after', retryAfterSeconds), 'journal', { err: error }, requestUid);
    } finally {
      this.#taking.delete(taking);
    }
  }

  /** Answers, and ends the connection without waiting for the rest of the request. */
  refuse(reply: FastifyReply, refusal: Refusal, facts: object = {}, requestUid = ''): FastifyReply {
    this.#options.refusals.count(refusal, facts);
    const [httpStatus, statusDesc] = findAnswer(refusal);
    return reply
      .code(httpStatus)
      .header('connection', 'close')
      .send(answerOf(httpStatus, statusDesc, requestUid));
  }
}

/** Errors that fastify throws before a call is handled. */
const refusalOfStatus: Readonly<Record<number, Refusal>> = {
  404: 'wrong-path',
  413: 'too-large',
  415: 'wrong-type',
};

/** Refusals by Node's codes for requests that cannot be read, or do not end. */
const refusalOfCode: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'too-slow',
  HPE_HEADER_OVERFLOW: 'too-large',
};
const headersTooLarge = 431;

/** An answer on a connection without a readable request. */
function composeRaw(httpStatus: number, reason: string, statusDesc: string): string {
  const text = encodeJson(answerOf(httpStatus, statusDesc, ''));
  return (
    `HTTP/1.1 ${httpStatus} ${reason}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}

const reasonPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** Sends the answer as far as the other side still listens, and closes: no more is read. */
function endSocket(socket: Socket, httpStatus: number, statusDesc: string): void {
  // Without a handshake no answer can be sent.
  const isSecuring = 'secureConnecting' in socket && socket.secureConnecting === true;
  if (isSecuring || !socket.writable) {
    socket.destroy();
    return;
  }
  const text = composeRaw(httpStatus, reasonPhrases[httpStatus] ?? '', statusDesc);
  socket.end(text, () => socket.destroy());
}

function handleClientError(error: NodeJS.ErrnoException, socket: Socket, refusals: Refusals): void {
  const refusal = refusalOfCode[error.code ?? ''] ?? 'malformed';
  // A caller that just disconnects has asked nothing.
  if (error.code !== 'ECONNRESET') refusals.count(refusal, { code: error.code });
  if (error.code === 'HPE_HEADER_OVERFLOW') endSocket(socket, headersTooLarge, 'the headers are too large');
  else endSocket(socket, ...findAnswer(refusal));
}

/** Limits for processes of this machine that may not call, but ask about the listener's journal: number and time. */
const questionsMax = 8;
const questionMs = 2_000;

/** False where there is no room for a question. */
function takeQuestion(socket: Socket, asking: Set<Socket>): boolean {
  if (!isOwnMachine(socket) || asking.size >= questionsMax) return false;
  asking.add(socket);
  const timer = setTimeout(() => socket.destroy(), questionMs);
  socket.once('close', () => {
    clearTimeout(timer);
    asking.delete(socket);
  });
  return true;
}

/** Keeps forbidden callers out of the connections: they are cut off before any of their bytes is read. */
function guardConnections(
  server: Server,
  { callers, refusals, certificate }: CallbackServerOptions,
  { open, talking }: Sockets,
): void {
  server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    talking.add(socket);
    socket.once('close', () => talking.delete(socket));
  });
  const asking = new Set<Socket>();
  const hear = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (callers.mayConnect(socket.remoteAddress) || takeQuestion(socket, asking)) {
      for (const listener of hear) listener.call(server, socket);
      return;
    }
    refusals.count('foreign-address', { fromAddress: socket.remoteAddress });
    socket.on('error', () => undefined);
    if (certificate === undefined) endSocket(socket, ...answers['foreign-address']);
    else socket.destroy();
  });
  server.on('drop', () => refusals.count('too-many-connections'));
}

/** Servers and connections of the app. */
interface Sockets {
  /** One server for each address of a name. */
  readonly servers: Server[];
  /** All connections, including those amid their handshake. */
  readonly open: Set<Socket>;
  /** Connections that speak HTTP. */
  readonly talking: Set<Socket>;
}

function createApp(options: CallbackServerOptions, door: CallbackDoor, sockets: Sockets): FastifyInstance {
  const { requestTimeoutMs, connectionsMax, certificate, refusals } = options;
  const timesMs = { headersMs: requestTimeoutMs, requestMs: requestTimeoutMs, restMs };
  const makeServer = makeServerFactory({ connectionsMax, headerBytesMax, ...timesMs }, certificate);
  const app = fastify({
    logger: false,
    bodyLimit: options.bodyBytesMax,
    exposeHeadRoutes: false,
    // The door's own answer follows the interface.
    return503OnClosing: false,
    serverFactory: (handler) => {
      const server = makeServer(handler);
      guardConnections(server, options, sockets);
      sockets.servers.push(server);
      return server;
    },
    clientErrorHandler: (error, socket) => handleClientError(error, socket, refusals),
    frameworkErrors: (_error, request, reply) =>
      void (door.admit(request, reply) ?? door.refuse(reply, 'wrong-path')),
  });
  app.setReplySerializer((payload) => encodeJson(payload));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  );
  app.addHook('onRequest', (request, reply, done) => {
    if (door.admit(request, reply) === undefined) done();
  });
  app.setNotFoundHandler((_request, reply) => door.refuse(reply, 'wrong-path'));
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode >= 500) return door.refuse(reply, 'journal', { err: error });
    return door.refuse(reply, refusalOfStatus[statusCode] ?? 'malformed');
  });
  app.post(options.path, (request, reply) => void door.answer(request, reply));
  return app;
}

/** Opens the server. @throws the system's error when it cannot listen there */
export async function openCallbackServer(options: CallbackServerOptions): Promise<CallbackServer> {
  const sockets: Sockets = { servers: [], open: new Set(), talking: new Set() };
  const door = new CallbackDoor(options);
  const app = createApp(options, door, sockets);
  try {
    // A copy: fastify writes into its argument.
    await app.listen({ ...options.listen });
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = app.server.address() as { readonly port: number };
  return {
    port,
    useCertificate: (certificate) => {
      for (const server of sockets.servers)
        (server as unknown as SecureServer).setSecureContext({ ...certificate });
    },
    [Symbol.asyncDispose]: () => close(app, door, sockets, options),
  };
}

/** Ends the server: taken calls are answered, senders have a moment, and new callers are told to call again. */
async function close(
  app: FastifyInstance,
  door: CallbackDoor,
  { open, talking }: Sockets,
  { clock, refusals }: CallbackServerOptions,
): Promise<void> {
  // Still listening: a closed port would give no answer.
  await door.stop();
  const closed = new AbortController();
  const closing = app.close().then(() => closed.abort());
  await clock.sleep(lastWordMs, closed.signal);
  // Takes calls that were complete meanwhile.
  await door.stop();
  // Their answers are written after one turn of the event loop.
  await new Promise((resolve) => void setImmediate(resolve));
  for (const socket of talking) {
    refusals.count('stopping');
    endSocket(socket, ...answers.stopping);
  }
  await clock.sleep(farewellMs, closed.signal);
  for (const socket of open) socket.destroy();
  await closing;
}
