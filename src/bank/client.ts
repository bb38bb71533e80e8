/**
 * The bank behind its port: endpoints 1, 2, 5, 6, 7 and 8 (§4). It tells what came back and decides nothing about money.
 * The three calls of a payout go straight through the exchange that knows whether a byte has left, since what may be done
 * next hangs on that; tokens and statements, which may be asked for again at any time, go through ky.
 */
import { randomUUID } from 'node:crypto';
import { TimeoutError } from 'ky';
import type { Bank, BankReply, BusinessFields, Exchange } from '../core/bank-port.ts';
import { type BankAddress, readBankAddress } from '../core/network-address.ts';
import type { Clock } from '../core/ports.ts';
import { findErrorCode, openHttpClient, timerMsMax, type TrustedCertificates } from '../platform/http.ts';
import { bodyBytesMax, exchange, openRoute, type WireMessage, type WireOutcome } from './exchange.ts';
import {
  type FieldsReader,
  readBankDateMs,
  readInquiryFields,
  readPayeeCheckFields,
  readRetryAfterMs,
  readTransferFields,
} from './replies.ts';
import { inquiryBody, makeRequestUid, payeeCheckBody, type Payer, transferBody } from './requests.ts';
import { readStatementFields, type StatementBank, statementBody } from './statement-request.ts';
import { makeTokenService, type Token, type TokenEndpoint, type TokenReading } from './token.ts';
import { type Endpoint, wireNames, type WireNames } from './wire.ts';

/** The bank and our credentials there. */
export interface LoginOptions {
  /** https, or plain http to a loopback address; the paths of §4 are appended. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The scheme's word in paths and field names, in lower case. */
  readonly scheme: string;
  /** Covers connection, headers and body of each exchange. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called after every exchange, for the log. */
  readonly onExchange?: (record: ExchangeRecord) => void;
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca?: TrustedCertificates;
}

export interface BankClientOptions extends Payer, LoginOptions {
  /** All business calls together; 0 = no limit. */
  readonly requestsPerSecond: number;
}

/** One exchange as a log may show it: never a body, a token or a proxy ID. */
export interface ExchangeRecord {
  readonly endpoint: Endpoint;
  readonly outcome: WireOutcome['kind'];
  readonly httpStatus: number | undefined;
  /** statusCode of a business answer. */
  readonly code: string | undefined;
  /** Why there is no answer. */
  readonly why: string | undefined;
  readonly elapsedMs: number;
  /** Of a business call. */
  readonly xRequestId: string | undefined;
  readonly transRefNo: string | undefined;
}

/** One business call; its body is made anew for each sending. */
interface Call<Fields extends BusinessFields> {
  readonly endpoint: Exclude<Endpoint, TokenEndpoint>;
  readonly transRefNo?: string;
  readonly body: (requestUid: string) => Readonly<Record<string, string>>;
  readonly read: FieldsReader<Fields>;
  readonly mayLeave: () => boolean;
}

/** Sends a business call, once more after a 401. */
type Send = <Fields extends BusinessFields>(call: Call<Fields>) => Promise<BankReply<Fields>>;

const always = () => true;

/**
 * Opens the way to the bank; nothing is sent yet. A call waits for the token and the rate limit as long as they take,
 * then at most timeoutMs for its answer. Whatever happens is data: only a bug throws.
 * @throws BankAddressError for a baseUrl that cannot or must not be used
 */
export function makeBankClient(options: BankClientOptions): Bank & StatementBank & AsyncDisposable {
  const { clock } = options;
  const closing = new AbortController();
  const context = openContext(options, closing.signal);
  const { names } = context;
  const send = makeSend(options, context, closing.signal);
  return {
    checkPayee: (check) =>
      send({
        endpoint: 'payeeCheck',
        body: (requestUid) => payeeCheckBody(check, options, names, requestUid, clock.now()),
        read: readPayeeCheckFields,
        mayLeave: always,
      }),
    transfer: (order, mayLeave) =>
      send({
        endpoint: 'transfer',
        transRefNo: order.transRefNo,
        body: (requestUid) => transferBody(order, names, requestUid),
        read: readTransferFields,
        mayLeave,
      }),
    inquire: (inquiry) =>
      send({
        endpoint: 'inquiry',
        transRefNo: inquiry.transRefNo,
        body: (requestUid) => inquiryBody(inquiry, requestUid),
        read: readInquiryFields,
        mayLeave: always,
      }),
    requestStatement: (request) =>
      send({
        endpoint: 'statement',
        body: () => statementBody(request),
        read: readStatementFields,
        mayLeave: always,
      }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      context[Symbol.dispose]();
    },
  };
}

const closed = { kind: 'not-sent', why: 'the bank client is closed' } as const;

function makeSend(options: BankClientOptions, context: CallContext, closing: AbortSignal): Send {
  const { clock, requestsPerSecond } = options;
  const takeTurn = requestsPerSecond > 0 ? makeRateLimiter(requestsPerSecond, clock) : undefined;
  const tokens = makeTokens(options, context);

  /** A token in force when the call's turn has come. */
  async function getReady(): Promise<TokenReading> {
    if (closing.aborted) return closed;
    const token = await tokens.current();
    if (takeTurn === undefined || token.kind !== 'token') return token;
    await takeTurn(closing);
    return closing.aborted ? closed : tokens.current();
  }

  return async (call) => {
    const token = await getReady();
    if (token.kind !== 'token') return token;
    const reply = await postCall(context, call, token);
    if (reply.kind !== 'answered' || reply.httpStatus !== 401) return reply;
    const renewed = await tokens.replace(token);
    if (renewed.kind === 'credentials-refused') return renewed;
    const ready = renewed.kind === 'token' ? await getReady() : renewed;
    // Without a new token the 401 stays the answer: it was refused, and nothing has changed.
    return ready.kind === 'token' ? postCall(context, call, ready) : reply;
  };
}

const makeTokens = ({ clientId, clientSecret, clock }: LoginOptions, context: CallContext) =>
  makeTokenService({
    clientId,
    clientSecret,
    clock,
    postForm: (endpoint, form) => postForm(context, endpoint, form),
  });

// ---------------------------------------------------------------- login

/** What the token endpoint says about the credentials. */
export type LoginOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'no-answer'; readonly why: string };

/**
 * Proves the credentials to the token endpoint (§5): asks once for an access token, forgets it, and asks nothing else.
 * @throws BankAddressError for a baseUrl that cannot or must not be used
 */
export async function proveLogin(options: LoginOptions): Promise<LoginOutcome> {
  using context = openContext(options);
  const reading = await makeTokens(options, context).current();
  switch (reading.kind) {
    case 'token':
      return { kind: 'accepted' };
    case 'credentials-refused':
      return { kind: 'refused', code: reading.code };
    case 'not-sent':
      return { kind: 'no-answer', why: reading.why };
  }
}

// ---------------------------------------------------------------- rate limit

/** Waits for the caller's turn; the signal ends every wait at once. */
type TakeTurn = (signal: AbortSignal) => Promise<void>;

/**
 * Spaces calls evenly, first come first served, over all callers together.
 * @param perSecond turns a second, more than 0
 */
export function makeRateLimiter(perSecond: number, clock: Clock): TakeTurn {
  const intervalMs = 1_000 / perSecond;
  let lastSeenMs = -Infinity;
  let nextTurnMs = -Infinity;
  return async (signal) => {
    const nowMs = clock.now();
    // A clock that was set back must not make everybody wait until it has caught up.
    if (nowMs < lastSeenMs) nextTurnMs = nowMs + intervalMs;
    lastSeenMs = nowMs;
    const turnMs = Math.max(nowMs, nextTurnMs);
    nextTurnMs = turnMs + intervalMs;
    if (turnMs > nowMs) await clock.sleep(Math.ceil(turnMs - nowMs), signal);
  };
}

// ---------------------------------------------------------------- one call

/** What every call needs. */
interface CallContext extends Disposable {
  /** For the calls of a payout. */
  readonly exchange: (message: WireMessage) => Promise<WireOutcome>;
  /** For all others. */
  readonly ask: (message: Question) => Promise<WireOutcome>;
  readonly names: WireNames;
  readonly clock: Clock;
  readonly onExchange: ((record: ExchangeRecord) => void) | undefined;
}

type Question = Omit<WireMessage, 'mayLeave'>;

/** @param closing ends what is being asked */
function openContext(options: LoginOptions, closing?: AbortSignal): CallContext {
  const { baseUrl, timeoutMs, ca, scheme, clock, onExchange } = options;
  const address = readBankAddress(baseUrl);
  const route = openRoute(address, timeoutMs, ca);
  const limits: AskLimits = { timeoutMs: Math.min(timeoutMs, timerMsMax), ca, closing };
  return {
    exchange: (message) => exchange(route, message),
    ask: (question) => ask(address, question, limits),
    names: wireNames(scheme),
    clock,
    onExchange,
    [Symbol.dispose]: () => route[Symbol.dispose](),
  };
}

interface AskLimits {
  readonly timeoutMs: number;
  readonly ca: TrustedCertificates | undefined;
  readonly closing: AbortSignal | undefined;
}

/** Posts once over ky, on a connection of its own. */
async function ask(
  { origin, basePath }: BankAddress,
  { path, headers, body }: Question,
  { timeoutMs, ca, closing }: AskLimits,
): Promise<WireOutcome> {
  await using client = openHttpClient({ bodyBytesMax, idleMs: timeoutMs, ca });
  try {
    const signal = closing ?? null;
    const asked = client.http.post(origin + basePath + path, {
      headers,
      body,
      signal,
      totalTimeout: timeoutMs,
    });
    const answer = await asked;
    const { date, 'retry-after': retryAfter } = Object.fromEntries(answer.headers);
    const text = await asked.text();
    return {
      kind: 'answered',
      httpStatus: answer.status,
      headers: { date, 'retry-after': retryAfter },
      body: text,
    };
  } catch (error) {
    const why = error instanceof TimeoutError ? `timed out after ${timeoutMs} ms` : findErrorCode(error);
    return client.hasConnected
      ? { kind: 'lost', why }
      : { kind: 'not-sent', why: `no connection to ${origin}: ${why}` };
  }
}

/** Posts a business call once, with ids of its own. */
async function postCall<Fields extends BusinessFields>(
  context: CallContext,
  call: Call<Fields>,
  token: Token,
): Promise<BankReply<Fields>> {
  const { names, clock } = context;
  const { endpoint, transRefNo } = call;
  const requestUid = makeRequestUid();
  const xRequestId = randomUUID();
  const startedMs = performance.now();
  const outcome = await context[endpoint === 'statement' ? 'ask' : 'exchange']({
    path: names.paths[endpoint],
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: token.authorization,
      'x-request-id': xRequestId,
    },
    body: JSON.stringify(call.body(requestUid)),
    mayLeave: call.mayLeave,
  });
  const elapsedMs = performance.now() - startedMs;
  const fields = readFields(outcome, call.read, names);
  record(context, outcome, elapsedMs, { endpoint, transRefNo, xRequestId, code: fields?.statusCode });
  return replyOf(outcome, fields, { requestUid, xRequestId, elapsedMs }, clock);
}

/** Posts a form to endpoint 1 or 2 (§2.1). */
async function postForm(context: CallContext, endpoint: TokenEndpoint, form: string): Promise<WireOutcome> {
  const startedMs = performance.now();
  const outcome = await context.ask({
    path: context.names.paths[endpoint],
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form,
  });
  const none = { transRefNo: undefined, xRequestId: undefined, code: undefined };
  record(context, outcome, performance.now() - startedMs, { endpoint, ...none });
  return outcome;
}

/** A redirect is no business answer, whatever its body says. */
function readFields<Fields>(
  outcome: WireOutcome,
  read: FieldsReader<Fields>,
  names: WireNames,
): Fields | undefined {
  if (outcome.kind !== 'answered') return undefined;
  return outcome.httpStatus >= 300 && outcome.httpStatus < 400 ? undefined : read(outcome.body, names);
}

function replyOf<Fields>(
  outcome: WireOutcome,
  fields: Fields | undefined,
  facts: Exchange,
  clock: Clock,
): BankReply<Fields> {
  switch (outcome.kind) {
    case 'not-sent':
    case 'withheld':
      return outcome;
    case 'lost':
      return { kind: 'lost', why: outcome.why, ...facts };
    case 'answered':
      return {
        kind: 'answered',
        httpStatus: outcome.httpStatus,
        fields,
        bankDateMs: readBankDateMs(outcome.headers),
        retryAfterMs: readRetryAfterMs(outcome.headers, clock),
        ...facts,
      };
  }
}

type RecordSubject = Pick<ExchangeRecord, 'endpoint' | 'code' | 'xRequestId' | 'transRefNo'>;

function record(
  { onExchange }: CallContext,
  outcome: WireOutcome,
  elapsedMs: number,
  subject: RecordSubject,
): void {
  onExchange?.({
    ...subject,
    outcome: outcome.kind,
    httpStatus: outcome.kind === 'answered' ? outcome.httpStatus : undefined,
    why: outcome.kind === 'lost' || outcome.kind === 'not-sent' ? outcome.why : undefined,
    // Many digits in a row are taken for a number of somebody's.
    elapsedMs: Math.round(elapsedMs * 10) / 10,
  });
}
