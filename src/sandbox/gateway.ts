/** What stands before the endpoints: the count of requests, the rate limit, the bearer token, the message itself. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, AnswerRequest, BusinessTerms } from './business.ts';
import type { BankClock } from './clock.ts';
import { deliver } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import type { Body } from './fields.ts';
import { describeStatement } from './statement/reconcile.ts';
import { describeStatus } from './status-texts.ts';
import type { Endpoint } from './table.ts';
import type { AnswerForm, TokenService } from './tokens.ts';

/** What every request passes through. */
export interface Gateway {
  readonly clock: BankClock;
  readonly tokens: TokenService;
  readonly terms: BusinessTerms;
  readonly requests: Record<Endpoint | 'other', number>;
  readonly latencyMs: number;
  /** 0 = no limit. */
  readonly requestsPerSecondLimit: number;
  /** Answers that wait for their latency; cleared when the bank closes. */
  readonly waiting: Set<NodeJS.Timeout>;
  /** True: every connection is closed without an answer. */
  isOut: boolean;
}

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

function refuseMessage(endpoint: Endpoint, detail: string): Delivery {
  if (endpoint === 'statement') return { httpStatus: 200, body: describeStatement('AU00001', detail) };
  const statusDesc = `${describeStatus('PT001')}: ${detail}`;
  return { httpStatus: 200, body: { statusCode: 'PT001', statusDesc, severity: 'ERROR', requestUID: '' } };
}

/** Counts the requests of the current second; true when there are too many. */
function createRateLimit(gateway: Gateway): () => boolean {
  let second = NaN;
  let count = 0;
  return () => {
    if (gateway.requestsPerSecondLimit === 0) return false;
    const current = Math.floor(gateway.clock.now() / 1_000);
    count = current === second ? count + 1 : 1;
    second = current;
    return count > gateway.requestsPerSecondLimit;
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

function findBearerFault(gateway: Gateway, request: FastifyRequest): Delivery | undefined {
  const [scheme, token] = request.headers.authorization?.split(' ') ?? [];
  const isKnown =
    scheme?.toLowerCase() === 'bearer' &&
    token !== undefined &&
    gateway.tokens.isValid(token, gateway.clock.now());
  return isKnown ? undefined : unauthorized;
}

function answerBusiness(
  gateway: Gateway,
  request: FastifyRequest,
  endpoint: Endpoint,
  answerRequest: AnswerRequest,
): Delivery {
  const fault = findBearerFault(gateway, request);
  if (fault !== undefined) return fault;
  if (!hasContentType(request, 'application/json'))
    return refuseMessage(endpoint, 'Content-Type must be application/json');
  const requestId = request.headers['x-request-id'];
  if (requestId !== undefined && !uuidPattern.test(String(requestId))) {
    return refuseMessage(endpoint, 'x-request-id must be a UUID');
  }
  const body = readJsonObject(request.body);
  if (body === undefined) return refuseMessage(endpoint, 'the body must be a JSON object');
  const answer: Answer = answerRequest(body, gateway.clock.now());
  return { httpStatus: 200, ...answer };
}

function answerToken(
  gateway: Gateway,
  request: FastifyRequest,
  endpoint: Endpoint,
  answerForm: AnswerForm,
): Delivery {
  if (!hasContentType(request, 'application/x-www-form-urlencoded')) {
    const message = 'Content-Type must be application/x-www-form-urlencoded';
    return { httpStatus: 400, body: { code: '9999', message } };
  }
  const behaviour = gateway.terms.findBehaviour(endpoint, {});
  const code = behaviour?.code;
  if (code !== undefined) {
    const body = { code, message: 'Refused by the sandbox table' };
    return { httpStatus: code === 'TK001' ? 401 : 200, body, behaviour };
  }
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  return { ...answerForm(form, gateway.clock.now()), behaviour };
}

function after(gateway: Gateway, ms: number, act: () => void): void {
  if (ms === 0) {
    act();
    return;
  }
  const timer = setTimeout(() => {
    gateway.waiting.delete(timer);
    act();
  }, ms);
  timer.unref();
  gateway.waiting.add(timer);
}

/** Sends a delivery after what it waits for; one that could not be recorded is never spoken of. */
function send(gateway: Gateway, request: FastifyRequest, reply: FastifyReply, delivery: Delivery): void {
  reply.hijack();
  const requestId = request.headers['x-request-id'];
  const act = (): void =>
    deliver(reply.raw, delivery, {
      ...delivery.headers,
      ...(typeof requestId === 'string' ? { 'x-request-id': requestId } : {}),
      date: gateway.clock.dateHeader(),
    });
  const latencyMs = gateway.latencyMs + (delivery.behaviour?.latencyMs ?? 0);
  const giveUp = (): void => void request.raw.socket.destroy();
  if (delivery.recorded === undefined) after(gateway, latencyMs, act);
  else delivery.recorded.then(() => after(gateway, latencyMs, act)).catch(giveUp);
}

type Answerer = (request: FastifyRequest, endpoint: Endpoint) => Delivery;

/** Makes fastify handlers of the endpoints. */
export function createHandlers(gateway: Gateway): {
  readonly business: (endpoint: Endpoint, answerRequest: AnswerRequest) => Handler;
  readonly token: (endpoint: Endpoint, answerForm: AnswerForm) => Handler;
  readonly other: Handler;
} {
  const isOverLimit = createRateLimit(gateway);
  const toHandler =
    (endpoint: Endpoint, answer: Answerer): Handler =>
    (request, reply) => {
      gateway.requests[endpoint] += 1;
      if (gateway.isOut) {
        reply.hijack();
        request.raw.socket.destroy();
        return;
      }
      send(gateway, request, reply, isOverLimit() ? tooMany : answer(request, endpoint));
    };
  return {
    business: (endpoint, answerRequest) =>
      toHandler(endpoint, (request) => answerBusiness(gateway, request, endpoint, answerRequest)),
    token: (endpoint, answerForm) =>
      toHandler(endpoint, (request) => answerToken(gateway, request, endpoint, answerForm)),
    other: (request, reply) => {
      gateway.requests.other += 1;
      send(gateway, request, reply, { httpStatus: 404, body: { message: 'No such address' } });
    },
  };
}
