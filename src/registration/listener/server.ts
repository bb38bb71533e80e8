/**
 * The server that the bank calls (§2.3): from an allowed address, with a right key, a small body in time. Whatever lacks
 * one of these is answered or cut off before anything of it is read, kept or logged.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Server as SecureServer } from 'node:tls';
import { fastify } from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { encodeJson } from '../../core/outgoing-text.ts';
import type { ListenAddress } from '../../core/network-address.ts';
import type { Clock } from '../../core/ports.ts';
import { type Certificate, makeServerFactory } from '../../platform/http-server.ts';
import { findApiKey, findRequestUid } from '../rules/callback.ts';
import type { CallbackRecord } from '../rules/change.ts';
import type { CallbackKeys } from './callback-keys.ts';
import type { Callers } from './callers.ts';
import { ownerHeader, isOwnMachine, proveJournal, readQuestion } from './port-owner.ts';
import { type AdmittedCall, readCall } from './read-call.ts';
import type { Refusal, Refusals } from './refusals.ts';

export interface CallbackServerOptions {
  readonly listen: ListenAddress;
  readonly path: string;
  readonly bodyBytesMax: number;
  /** For the whole request. */
  readonly requestTimeoutMs: number;
  readonly connectionsMax: number;
  readonly callers: Callers;
  readonly keys: CallbackKeys;
  /** Undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly refusals: Refusals;
  readonly clock: Clock;
  /** Proves whose listener it is to others of this machine. */
  readonly journalId: string;
  /** When it resolves, the callback is durable; whatever it rejects with, the bank is told to call again. */
  readonly take: (record: CallbackRecord) => Promise<unknown>;
}

/** Disposing of it ends it: what is being taken is finished and answered first. */
export interface CallbackServer extends AsyncDisposable {
  readonly port: number;
  /** From now on connections are made with this one. */
  useCertificate(certificate: Certificate): void;
}

/** The answer of §2.3: string(5), string(256), string(36). */
interface CallbackAnswer {
  readonly statusCode: string;
  readonly statusDesc: string;
  readonly requestUID: string;
}

const statusDescLengthMax = 256;

/** `msg-hdr` has six short texts. */
const headerBytesMax = 8_192;
/** Between two callbacks on a connection. */
const restMs = 15_000;
/** So many callbacks at once, over however many connections: further ones are told to come again. */
const takesMax = 2_000;
/** What is still being sent when the server ends, has so long. */
const lastWordMs = 1_000;
/** The word that ends it gets so long to leave. */
const farewellMs = 100;
/** When a bank may call again that was told to. */
const retryAfterSeconds = '5';

type Answer = readonly [httpStatus: number, statusDesc: string];

/** What is answered to a refused call; the log says no more of it. */
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

/** To who asks whose listener it is. */
const listening = [200, 'a paydrop listens'] as const satisfies Answer;

const findAnswer = (refusal: Refusal): Answer =>
  (answers as Partial<Record<Refusal, Answer>>)[refusal] ?? [400, refusal];

const answerOf = (httpStatus: number, statusDesc: string, requestUID: string): CallbackAnswer => ({
  statusCode: String(httpStatus),
  statusDesc,
  requestUID,
});

/** The same for every callback that was taken, be it new or told again. */
const takenAnswer = (requestUID: string): CallbackAnswer => ({
  statusCode: '0',
  statusDesc: 'Success',
  requestUID,
});

// ---------------------------------------------------------------- the server

class CallbackDoor {
  readonly #options: CallbackServerOptions;
  readonly #admitted = new WeakMap<FastifyRequest, AdmittedCall>();
  readonly #taking = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(options: CallbackServerOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is being taken. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#taking);
  }

  /** Before anything of the body is read. */
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
      // Named by its fields, never by their content.
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

  /** Answers, and ends the connection: what is left of the request is not waited for. */
  refuse(reply: FastifyReply, refusal: Refusal, facts: object = {}, requestUid = ''): FastifyReply {
    this.#options.refusals.count(refusal, facts);
    const [httpStatus, statusDesc] = findAnswer(refusal);
    return reply
      .code(httpStatus)
      .header('connection', 'close')
      .send(answerOf(httpStatus, statusDesc, requestUid));
  }
}

/** What fastify itself throws before a call is handled. */
const refusalOfStatus: Readonly<Record<number, Refusal>> = {
  404: 'wrong-path',
  413: 'too-large',
  415: 'wrong-type',
};

/** By Node's own codes for what cannot be read, or does not come to its end. */
const refusalOfCode: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'too-slow',
  HPE_HEADER_OVERFLOW: 'too-large',
};
const headersTooLarge = 431;

/** An answer on a connection that bears no readable request. */
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

/** Says so as far as the other side still listens, and closes: nothing more of it is read. */
function endSocket(socket: Socket, httpStatus: number, statusDesc: string): void {
  // Without a handshake nothing can be said.
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
  // Who just goes away has asked nothing.
  if (error.code !== 'ECONNRESET') refusals.count(refusal, { code: error.code });
  if (error.code === 'HPE_HEADER_OVERFLOW') endSocket(socket, headersTooLarge, 'the headers are too large');
  else endSocket(socket, ...findAnswer(refusal));
}

/** So many of this machine, who may not call, ask at once whose listener it is, and have so long for it. */
const questionsMax = 8;
const questionMs = 2_000;

/** False where there is no place for a question. */
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

/** Strangers hold no place among the connections: they are sent away before a byte of theirs is read. */
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

/** What stands behind the app. */
interface Sockets {
  /** One for each address of a name. */
  readonly servers: Server[];
  /** Connections, those amid their handshake included. */
  readonly open: Set<Socket>;
  /** Those on which HTTP is spoken. */
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
    // The door answers in the words of the interface.
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

/** Opens the server. @throws what the system says when it cannot listen there */
export async function openCallbackServer(options: CallbackServerOptions): Promise<CallbackServer> {
  const sockets: Sockets = { servers: [], open: new Set(), talking: new Set() };
  const door = new CallbackDoor(options);
  const app = createApp(options, door, sockets);
  try {
    // Of its own: fastify writes into what it is handed.
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

/** What is being taken is answered; who is still sending has a moment, and who calls meanwhile is told to call again. */
async function close(
  app: FastifyInstance,
  door: CallbackDoor,
  { open, talking }: Sockets,
  { clock, refusals }: CallbackServerOptions,
): Promise<void> {
  // It listens until then: a closed port says nothing.
  await door.stop();
  const closed = new AbortController();
  const closing = app.close().then(() => closed.abort());
  await clock.sleep(lastWordMs, closed.signal);
  // What came whole meanwhile.
  await door.stop();
  // Their answers are written when the loop has turned.
  await new Promise((resolve) => void setImmediate(resolve));
  for (const socket of talking) {
    refusals.count('stopping');
    endSocket(socket, ...answers.stopping);
  }
  await clock.sleep(farewellMs, closed.signal);
  for (const socket of open) socket.destroy();
  await closing;
}
