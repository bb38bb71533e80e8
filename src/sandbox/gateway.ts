/**
 * The gateway before the endpoints: counts requests, limits their rate, and checks the bearer token and the message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AnswerRegistration, type AnswerRequest, answerHead, type SandboxBank } from './bank.ts';
import type { Client } from './clients.ts';
import { deliver, type Delivery } from './delivery.ts';
import type { Body } from './fields.ts';
import { describeStatement } from './statement/reconcile.ts';
import { describeStatus } from './status-texts.ts';
import type { Endpoint } from './table.ts';
import type { AnswerForm } from './tokens.ts';

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

/** Makes fastify handlers of the endpoints. */
export function createHandlers(bank: SandboxBank) {
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
