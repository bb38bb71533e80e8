/**
 * The sandbox bank: a server over real HTTP that follows the interface's rules, with a ledger of the money that really
 * moved. A table selects behaviours by the fields of a request: slow, silent, wrong or broken on purpose.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sandboxHeader } from '../bank/wire.ts';
import { parseBaht } from '../core/money.ts';
import { makeServerFactory, refuseOtherHosts, type ServerLimits } from '../platform/http-server.ts';
import {
  answerHead,
  type AnswerRegistration,
  type AnswerRequest,
  openBank,
  type SandboxBank,
  type SandboxOptions,
} from './bank.ts';
import { createBehaviourIndex } from './behaviours.ts';
import type { Ledger } from './book.ts';
import type { Client } from './clients.ts';
import { deliver, type Delivery } from './delivery.ts';
import type { Body } from './fields.ts';
import { Caller } from './registration/caller.ts';
import { createRegistration } from './registration/registration.ts';
import { indexTable } from './registration/table-index.ts';
import { SandboxError } from './sandbox-error.ts';
import { addDownloadRoute } from './statement/download.ts';
import { createReconcile, describeStatement } from './statement/reconcile.ts';
import { createInquiry, createPayeeCheck, createTransfer } from './payouts.ts';
import { describeStatus } from './status-texts.ts';
import { type Endpoint, parseBehaviours, parseRegistrationTable, parseStatementTable } from './table.ts';
import type { AnswerForm } from './tokens.ts';

export interface Sandbox extends AsyncDisposable {
  /** "http://127.0.0.1:1234" */
  readonly baseUrl: string;
  readonly port: number;
  /** Bearer token for `GET /ledger` and `POST /sandbox/control`. */
  readonly controlToken: string;
  /** URL of the callbacks for its own client; empty: none. */
  readonly callbackUrl: string;
  /**
   * Changes the bank while it runs.
   * @throws SandboxError for an unreadable command
   */
  control(command: ControlCommand): void;
  /** The money that really moved, by the bank's present time. */
  ledger(): Ledger;
  /** Ends at once: waiting answers are dropped, connections are closed. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const bodyBytesMax = 64 * 1024;

/** Limits above what clients with the highest settings open at once. Answers may take any time. */
const usualLimits: ServerLimits = {
  connectionsMax: 4_096,
  headersMs: 10_000,
  requestMs: 30_000,
  restMs: 10_000,
};

/** As a real bank's server (`asBank`) it does not identify itself. */
function createApp({ asBank = false, limits }: SandboxOptions, bank: SandboxBank): FastifyInstance {
  const serverFactory = makeServerFactory({ ...usualLimits, ...limits });
  const app = fastify({ logger: false, forceCloseConnections: true, bodyLimit: bodyBytesMax, serverFactory });
  app.removeAllContentTypeParsers();
  // Set on the raw response, to which handlers write directly, so that every reply has it.
  if (!asBank)
    app.addHook('onRequest', (_request, reply, done) => {
      reply.raw.setHeader(sandboxHeader, '1');
      done();
    });
  app.addHook('onRequest', refuseOtherHosts(bank.table.hosts, 'add it to hosts in the sandbox section'));
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    const [bad, failed] =
      request.url === bank.names.paths.registration ? ['AU00400', 'SYS001'] : ['PT001', 'ED001'];
    const statusCode = status < 500 ? bad : failed;
    return reply
      .code(status)
      .send({ statusCode, statusDesc: error.message, severity: 'ERROR', requestUID: '' });
  });
  return app;
}

/**
 * GET /sandbox identifies the sandbox to a client, before that opens its journal. It does not count as a request to the
 * bank.
 */
function addSelfRoute(app: FastifyInstance, bank: SandboxBank): void {
  app.get('/sandbox', (request, reply) => {
    if (!bank.isOut) return reply.send({ sandbox: true });
    reply.hijack();
    return request.raw.socket.destroy();
  });
}

function addRoutes(app: FastifyInstance, bank: SandboxBank, caller: Caller): void {
  const { tokens, names } = bank;
  const handlers = createHandlers(bank);
  app.post(names.paths.token, handlers.token('token', tokens.issue));
  app.post(names.paths.tokenRefresh, handlers.token('tokenRefresh', tokens.refresh));
  app.post(names.paths.payeeCheck, handlers.business('payeeCheck', createPayeeCheck(bank)));
  app.post(names.paths.transfer, handlers.business('transfer', createTransfer(bank)));
  app.post(names.paths.inquiry, handlers.business('inquiry', createInquiry(bank)));
  app.post(names.paths.statement, handlers.business('statement', createReconcile(bank)));
  app.post(names.paths.registration, handlers.registration(createRegistration(bank, caller)));
  app.setNotFoundHandler(handlers.other);
}

async function listen(app: FastifyInstance, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new SandboxError(`the sandbox cannot listen on ${host}:${port} (${why}): give another port`, {
      cause,
    });
  }
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/**
 * Starts a bank on the loopback address.
 * @throws SandboxError naming the key, file or port at fault
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const bank = openBank(options);
  const { book, registrations, statements, table } = bank;
  const caller = new Caller(bank);
  const ledger = (): Ledger => ({
    ...book.ledger(bank.clock.now(), bank.requests, statements),
    busiestSecond: bank.busiestSecond,
    registrations: registrations.ledger(bank.registration.table, bank.clock.now()),
  });
  const obey = (command: ControlCommand): void => {
    control(bank, command);
    caller.reconsider();
  };
  const app = createApp(options, bank);
  if (options.asBank !== true) addSelfRoute(app, bank);
  addRoutes(app, bank, caller);
  const fileApp = table.statement.host === 'other' ? createApp(options, bank) : app;
  addDownloadRoute(fileApp, bank);
  addLedgerRoute(app, bank, ledger);
  if (table.control) addControlRoute(app, bank, obey);

  const end = async (): Promise<void> => {
    await Promise.all([caller, ...new Set([app, fileApp])].map((open) => open.close()));
    book.close();
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());
  try {
    const port = await listen(app, options.port ?? 0);
    const baseUrl = `http://${host}:${port}`;
    caller.resume();
    statements.origin = fileApp === app ? baseUrl : `http://${host}:${await listen(fileApp, 0)}`;
    return {
      baseUrl,
      port,
      controlToken: bank.controlToken,
      callbackUrl: table.registration.callbackUrl,
      control: obey,
      ledger,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

// ---------------------------------------------------------------- the gateway before the endpoints

type Handler = (request: FastifyRequest, reply: FastifyReply) => void;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const unauthorized: Delivery = {
  httpStatus: 401,
  body: { message: 'Unauthorized: the access token is missing, unknown or expired' },
};

const tooMany: Delivery = {
  httpStatus: 429,
  body: { message: 'Too Many Requests' },
  headers: { 'retry-after': '1' },
};

/** @param body body whose reference is echoed, if it was readable */
function refuseMessage(endpoint: Endpoint, detail: string, body: Body = {}): Delivery {
  if (endpoint === 'statement') return { body: describeStatement('AU00001', detail) };
  return { body: answerHead({ code: 'PT001', text: `${describeStatus('PT001')}: ${detail}` }, body) };
}

/** Counts the requests of the current second; true when there are too many. */
function createRateLimit({ clock, table }: SandboxBank): () => boolean {
  const limit = table.requestsPerSecondLimit === 0 ? Infinity : table.requestsPerSecondLimit;
  let second = NaN;
  let count = 0;
  return () => {
    const current = Math.floor(clock.now() / 1_000);
    count = current === second ? count + 1 : 1;
    second = current;
    return count > limit;
  };
}

/** Measures the busiest second, of any start, by a clock that never jumps. */
function makeRateMeter(bank: Pick<SandboxBank, 'busiestSecond'>): () => void {
  const atMs: number[] = [];
  return () => {
    const nowMs = performance.now();
    atMs.push(nowMs);
    while ((atMs[0] ?? nowMs) <= nowMs - 1_000) atMs.shift();
    bank.busiestSecond = Math.max(bank.busiestSecond, atMs.length);
  };
}

function hasContentType(request: FastifyRequest, type: string): boolean {
  return request.headers['content-type']?.toLowerCase().startsWith(type) ?? false;
}

function readJsonObject(text: unknown): Body | undefined {
  try {
    const body: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** The client of the request's token. */
function findBearer({ tokens, clock }: SandboxBank, request: FastifyRequest): Client | undefined {
  const [scheme, token] = request.headers.authorization?.split(' ') ?? [];
  return scheme?.toLowerCase() === 'bearer' ? tokens.findClient(token ?? '', clock.now()) : undefined;
}

function answerBusiness(
  bank: SandboxBank,
  request: FastifyRequest,
  endpoint: Endpoint,
  answerRequest: AnswerRequest,
): Delivery {
  const client = findBearer(bank, request);
  if (client === undefined) return unauthorized;
  if (!hasContentType(request, 'application/json'))
    return refuseMessage(endpoint, 'Content-Type must be application/json');
  const body = readJsonObject(request.body);
  const requestId = request.headers['x-request-id'];
  if (requestId !== undefined && !uuidPattern.test(String(requestId)))
    return refuseMessage(endpoint, 'x-request-id must be a UUID', body);
  if (body === undefined) return refuseMessage(endpoint, 'the body must be a JSON object');
  return answerRequest(body, bank.clock.now(), client);
}

function answerRegistration(
  bank: SandboxBank,
  request: FastifyRequest,
  answerRequest: AnswerRegistration,
): Delivery {
  const isJson = hasContentType(request, 'application/json');
  return answerRequest({
    headers: request.headers,
    body: isJson ? readJsonObject(request.body) : undefined,
    client: findBearer(bank, request),
    nowMs: bank.clock.now(),
  });
}

function answerToken(
  bank: SandboxBank,
  request: FastifyRequest,
  endpoint: Endpoint,
  answerForm: AnswerForm,
): Delivery {
  if (!hasContentType(request, 'application/x-www-form-urlencoded')) {
    const message = 'Content-Type must be application/x-www-form-urlencoded';
    return { httpStatus: 400, body: { code: '9999', message } };
  }
  const behaviour = bank.findBehaviour(endpoint, {});
  const code = behaviour?.code;
  if (code !== undefined) {
    const body = { code, message: 'Refused by the sandbox table' };
    return { httpStatus: code === 'TK001' ? 401 : 200, body, behaviour };
  }
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  return { ...answerForm(form, bank.clock.now()), behaviour };
}

/** Sends a delivery after its record is durable; one that could not be recorded is never sent. */
async function send(bank: SandboxBank, request: FastifyRequest, reply: FastifyReply, delivery: Delivery) {
  reply.hijack();
  const requestId = request.headers['x-request-id'];
  const latencyMs = bank.table.latencyMs + (delivery.behaviour?.latencyMs ?? 0);
  try {
    await delivery.recorded;
    if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false });
    deliver(reply.raw, delivery, {
      ...delivery.headers,
      ...(typeof requestId === 'string' && uuidPattern.test(requestId) ? { 'x-request-id': requestId } : {}),
      date: bank.clock.dateHeader(),
    });
  } catch {
    request.raw.socket.destroy();
  }
}

/**
 * Makes fastify handlers of the endpoints: they count requests, limit their rate, and check the bearer token and the message.
 */
function createHandlers(bank: SandboxBank) {
  const isOverLimit = createRateLimit(bank);
  const countInSecond = makeRateMeter(bank);
  const handle =
    (endpoint: Endpoint, answer: (request: FastifyRequest) => Delivery): Handler =>
    (request, reply) => {
      bank.requests[endpoint] += 1;
      if (endpoint !== 'token') countInSecond();
      if (bank.isOut) {
        reply.hijack();
        request.raw.socket.destroy();
      } else void send(bank, request, reply, isOverLimit() ? tooMany : answer(request));
    };
  const other: Handler = (request, reply) => {
    bank.requests.other += 1;
    void send(bank, request, reply, { httpStatus: 404, body: { message: 'No such address' } });
  };
  return {
    business: (endpoint: Endpoint, answerRequest: AnswerRequest) =>
      handle(endpoint, (request) => answerBusiness(bank, request, endpoint, answerRequest)),
    registration: (answerRequest: AnswerRegistration) =>
      handle('registration', (request) => answerRegistration(bank, request, answerRequest)),
    token: (endpoint: Endpoint, answerForm: AnswerForm) =>
      handle(endpoint, (request) => answerToken(bank, request, endpoint, answerForm)),
    other,
  };
}

// ---------------------------------------------------------------- ledger and controls, by the control token

const commandSchema = z.strictObject({
  /** New behaviours, with their full `times`. */
  behaviours: z.array(z.unknown()).optional(),
  /** Funds of each payer account, including what it has spent; empty: unlimited. */
  payerBalanceBaht: z.string().optional(),
  /** Replaces these keys of the `statement` section, for later files. */
  statement: z.record(z.string(), z.unknown()).optional(),
  /** Replaces these keys of the `registration` section, for later requests and callbacks. */
  registration: z.record(z.string(), z.unknown()).optional(),
  /** Sets the bank's clock forward, or back when negative. */
  advanceMs: z.number().int().optional(),
  /** False: transfers get TM001. */
  serviceOpen: z.boolean().optional(),
  /** True: every connection to the bank is closed without an answer. */
  outage: z.boolean().optional(),
  /** Invalidates every token: requests with them get 401. */
  revokeTokens: z.literal(true).optional(),
});

/** The changes of one command. */
type ControlCommand = z.infer<typeof commandSchema>;

/**
 * Applies a command.
 * @throws SandboxError naming the fault
 */
function control(bank: SandboxBank, command: ControlCommand): void {
  const { behaviours, payerBalanceBaht, statement, advanceMs = 0, serviceOpen, outage } = command;
  if (behaviours !== undefined) bank.findBehaviour = createBehaviourIndex(parseBehaviours(behaviours));
  if (payerBalanceBaht !== undefined) bank.payerBalanceSatang = readBalance(payerBalanceBaht);
  if (statement !== undefined) bank.statements.table = changeStatement(bank, statement);
  if (command.registration !== undefined) changeRegistration(bank, command.registration);
  bank.clock.aheadMs += advanceMs;
  bank.isOpen = serviceOpen ?? bank.isOpen;
  bank.isOut = outage ?? bank.isOut;
  if (command.revokeTokens !== undefined) bank.tokens.revokeAll();
}

function readBalance(baht: string) {
  const balance = parseBaht(baht);
  if (balance === undefined && baht !== '')
    throw new SandboxError('baht: must be an amount in baht, such as "1001.01", or empty');
  return balance ?? null;
}

function changeStatement({ statements: { table } }: SandboxBank, changes: Readonly<Record<string, unknown>>) {
  if (changes['host'] !== undefined && changes['host'] !== table.host)
    throw new SandboxError('statement.host: cannot be changed while the bank runs');
  return parseStatementTable({ ...table, ...changes });
}

/** Behaviours that are not replaced keep their remaining `times`. */
function changeRegistration({ registration }: SandboxBank, changes: Readonly<Record<string, unknown>>): void {
  if (changes['callbackCa'] !== undefined && changes['callbackCa'] !== registration.table.callbackCa)
    throw new SandboxError('registration.callbackCa: cannot be changed while the bank runs');
  registration.table = parseRegistrationTable({ ...registration.table, ...changes });
  const { findBehaviour } = registration.index;
  const index = indexTable(registration.table);
  registration.index = changes['behaviours'] === undefined ? { ...index, findBehaviour } : index;
}

const usage =
  'send any of {"behaviours":[…]}, {"advanceMs":1000}, {"serviceOpen":false}, {"outage":true}, ' +
  '{"payerBalanceBaht":"1000.00"}, {"statement":{"edits":[…]}}, {"registration":{"callbackUrl":"…"}}, {"revokeTokens":true}';

function readCommand(text: unknown): ControlCommand {
  try {
    return commandSchema.parse(JSON.parse(String(text)));
  } catch (cause) {
    throw new SandboxError(usage, { cause });
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Refuses requests without the bank's control token. */
const requireToken =
  ({ controlToken }: SandboxBank) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const right = digest(`Bearer ${controlToken}`);
    if (timingSafeEqual(right, digest(request.headers.authorization ?? ''))) done();
    else reply.code(401).send({ message: 'send the control token: Authorization: Bearer …' });
  };

/** GET /ledger returns the money that really moved. */
function addLedgerRoute(app: FastifyInstance, bank: SandboxBank, ledger: () => Ledger): void {
  app.get('/ledger', { onRequest: requireToken(bank) }, (_request, reply) => reply.send(ledger()));
}

/** POST /sandbox/control accepts the changes as a JSON object. */
function addControlRoute(
  app: FastifyInstance,
  bank: SandboxBank,
  obey: (command: ControlCommand) => void,
): void {
  app.post('/sandbox/control', { onRequest: requireToken(bank) }, (request, reply) => {
    try {
      obey(readCommand(request.body));
      return reply.send({ done: true });
    } catch (cause) {
      if (cause instanceof SandboxError) return reply.code(400).send({ message: cause.message });
      throw cause;
    }
  });
}
