/**
 * The bank client behind its port: endpoints 1, 2, 3, 5, 6, 7 and 8 (§4). It returns replies as data and decides
 * nothing about money. The three calls of a payout and a registration use the exchange that knows whether a byte has
 * left, because the next step depends on that. Tokens and statements are safe to repeat and use ky.
 */
import { randomUUID } from 'node:crypto';
import { formatBangkokDate, formatBangkokTime } from '../core/bangkok-time.ts';
import type { Bank, BankReply, BusinessFields, RegistrationBank, TokenPlace } from '../core/bank-port.ts';
import { readBankAddress } from '../core/network-address.ts';
import type { Clock } from '../core/ports.ts';
import { impossibleReference } from '../core/reference.ts';
import { findBankStatus } from '../core/status-codes.ts';
import { findErrorCode, isTimeout, openHttpClient, type TrustedCertificates } from '../platform/http.ts';
import { tellsTime } from '../payout/rules/clock-skew.ts';
import { isAnothers, readReply } from '../payout/rules/read-reply.ts';
import { readAnswer } from '../registration/rules/read-answer.ts';
import {
  asIs,
  bodyBytesMax,
  exchange,
  type ExchangeOutcome,
  openRoute,
  type WireMessage,
  type WireOutcome,
} from './exchange.ts';
import {
  inquiryBody,
  isGarbled,
  makeRequestUid,
  payeeCheckBody,
  type Payer,
  readBankDateMs,
  readInquiryFields,
  readPayeeCheckFields,
  readRegistrationFields,
  readRetryAfterMs,
  readTransferFields,
  registrationBody,
  registrationHeadersOf,
  renewRequestUid,
  transferBody,
} from './messages.ts';
import { makeRateLimiter, makeSharedRateLimiter, type ReserveSlots, type TakeTurn } from './rate.ts';
import { readStatementFields, type StatementBank, statementBody } from './statement-request.ts';
import { makeTokenService, makeTokenShare, type Token, type TokenReading } from './token.ts';
import { type Endpoint, wireNames, type WireNames } from './wire.ts';

/** The bank's address and our credentials. */
interface LoginOptions {
  /** https, or plain http to a loopback address; the paths of §4 are appended. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The scheme's word in paths and field names, in lower case. */
  readonly scheme: string;
  /** Limit on headers and body of each exchange, connection included. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /**
   * Called with the `Date` header of each fresh token reply, in epoch ms; undefined without the header.
   */
  readonly onDate?: (bankDateMs: number | undefined) => void;
  /** Called after every exchange, for the log. */
  readonly onExchange?: (record: ExchangeRecord) => void;
  /** Shares one access token between the machines that call the bank; left out when each has its own. */
  readonly tokenPlace?: TokenPlace | undefined;
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca?: TrustedCertificates;
}

export interface BankClientOptions extends Payer, LoginOptions {
  /** Limit on all business calls together; 0 = no limit. */
  readonly requestsPerSecond: number;
  /** Reserves turns across all machines that call the bank; left out when this process is alone. */
  readonly reserveSlots?: ReserveSlots | undefined;
}

/** One exchange as a log may show it: no body, token or proxy ID. */
export interface ExchangeRecord {
  readonly endpoint: Endpoint;
  readonly outcome: WireOutcome['kind'];
  readonly httpStatus: number | undefined;
  /** statusCode of a business answer. */
  readonly code: string | undefined;
  /** Reason why there is no answer. */
  readonly why: string | undefined;
  readonly elapsedMs: number;
  /** Set for business calls. */
  readonly xRequestId?: string;
  readonly transRefNo?: string | undefined;
}

type Round = 'first' | 'again';

/** A call whose requestUIDs are recorded nowhere. */
const unrecorded = { requestUidOf: makeRequestUid, keepRenewed: async () => true } as const;

/** One business call; `body` is built anew for each sending. */
interface Call<Fields extends BusinessFields> {
  readonly endpoint: Exclude<Endpoint, 'token' | 'tokenRefresh'>;
  readonly transRefNo?: string;
  /** The requestUID of the first request, or of its repetition: each request has its own (§2.2, §2.4). */
  readonly requestUidOf: (round: Round) => string;
  /** Records the requestUID of the repetition before it leaves; false: it is not sent. */
  readonly keepRenewed: (requestUid: string) => Promise<boolean>;
  readonly headers?: (requestUid: string) => Readonly<Record<string, string>>;
  readonly body: (requestUid: string) => Readonly<Record<string, string>>;
  readonly read: (body: string, names: WireNames) => Fields | undefined;
  readonly mayTransmit?: () => boolean;
  readonly stop?: AbortSignal | undefined;
  /** True when the body of a 401 also refuses the call; left out for questions, which are safe to repeat. */
  readonly isRefused?: (reply: BankReply<Fields>) => boolean;
}

/** Sends a business call, and repeats it once after a 401 that refused it. */
type Send = <Fields extends BusinessFields>(call: Call<Fields>) => Promise<BankReply<Fields>>;

/**
 * Opens the connection pool; sends nothing yet. A call waits for the token and the rate limit without a limit of time,
 * then at most timeoutMs for its answer. Every outcome is data; only a bug throws.
 * @throws BankAddressError for a baseUrl that cannot or must not be used
 */
export function makeBankClient(
  options: BankClientOptions,
): Bank & StatementBank & RegistrationBank & AsyncDisposable {
  const { clock } = options;
  const context = openContext(options);
  const { names } = context;
  const send = makeSend(context, options);
  return {
    checkPayee: (check, stop) =>
      send({
        ...unrecorded,
        stop,
        endpoint: 'payeeCheck',
        body: (requestUid) => payeeCheckBody(check, options, names, requestUid, clock.now()),
        read: readPayeeCheckFields,
      }),
    transfer: (order, mayTransmit, stop) =>
      send({
        ...unrecorded,
        stop,
        endpoint: 'transfer',
        transRefNo: order.transRefNo,
        body: (requestUid) => transferBody(order, names, requestUid),
        read: readTransferFields,
        mayTransmit,
        isRefused: (reply) =>
          readReply(reply, { order, sends: 1, refusals: 0 }, []).finding.kind === 'refused',
      }),
    inquire: (inquiry, stop) =>
      send({
        ...unrecorded,
        stop,
        endpoint: 'inquiry',
        transRefNo: inquiry.transRefNo,
        body: (requestUid) => inquiryBody(inquiry, requestUid),
        read: readInquiryFields,
      }),
    register: (order, mayTransmit, keepRenewed, stop) =>
      send({
        stop,
        endpoint: 'registration',
        requestUidOf: (round) => (round === 'first' ? order.requestUid : renewRequestUid(order.requestUid)),
        keepRenewed,
        headers: (requestUid) => registrationHeadersOf({ ...order, requestUid }),
        body: () => registrationBody(order),
        read: readRegistrationFields,
        mayTransmit,
        isRefused: (reply) => readAnswer(reply).finding.kind === 'not-sent',
      }),
    requestStatement: (request, stop) =>
      send({
        ...unrecorded,
        stop,
        endpoint: 'statement',
        body: () => statementBody(request),
        read: readStatementFields,
      }),
    async [Symbol.asyncDispose]() {
      context[Symbol.dispose]();
    },
  };
}

const closed = { kind: 'not-sent', why: 'the bank client is closed' } as const;
const withheld = { kind: 'withheld' } as const;

type Rate = Pick<BankClientOptions, 'requestsPerSecond' | 'reserveSlots'>;

function makeTakeTurn({ requestsPerSecond, reserveSlots }: Rate, clock: Clock): TakeTurn | undefined {
  if (requestsPerSecond <= 0) return undefined;
  return reserveSlots === undefined
    ? makeRateLimiter(requestsPerSecond, clock)
    : makeSharedRateLimiter(requestsPerSecond, clock, reserveSlots);
}

/** Turns that one call may take: a connection to the bank can take longer than a turn lasts. */
const turnsMax = 3;

/** The reply to a call and the token that the call was sent with; without a token nothing was sent. */
interface Posted<Fields extends BusinessFields> {
  readonly reply: BankReply<Fields>;
  readonly token?: Token;
}

function makeSend(context: CallContext, rate: Rate): Send {
  const { clock, closing, tokens } = context;
  const takeTurn = makeTakeTurn(rate, clock);

  const findToken = (): TokenReading | Promise<TokenReading> => (closing.aborted ? closed : tokens.current());

  /** Posts with the token in force. */
  async function postAtOnce<Fields extends BusinessFields>(
    call: Call<Fields>,
    round: Round,
  ): Promise<Posted<Fields>> {
    const token = await findToken();
    if (token.kind !== 'token') return { reply: token };
    return { reply: await postCall(context, { ...call, round }, token), token };
  }

  /** Posts when the call's turn comes; takes another turn when that one ends before a byte has left. */
  async function postInTurn<Fields extends BusinessFields>(
    call: Call<Fields>,
    round: Round,
    take: TakeTurn,
  ): Promise<Posted<Fields>> {
    for (let turns = 1; ; turns += 1) {
      // A call that cannot be sent takes no turn.
      const token = await findToken();
      if (token.kind !== 'token') return { reply: token };
      const { stop } = call;
      const turn = await take(stop === undefined ? closing : AbortSignal.any([closing, stop]));
      if (turn === undefined) return { reply: closing.aborted ? closed : withheld };
      let isOver = false;
      const mayTransmit = (): boolean => {
        isOver = turns < turnsMax && turn.isOver();
        return !isOver && (call.mayTransmit ?? always)();
      };
      const posted = await postAtOnce({ ...call, mayTransmit }, round);
      if (posted.reply.kind !== 'withheld' || !isOver) return posted;
    }
  }

  const post = <Fields extends BusinessFields>(call: Call<Fields>, round: Round): Promise<Posted<Fields>> =>
    takeTurn === undefined ? postAtOnce(call, round) : postInTurn(call, round, takeTurn);

  /** Posts the same content with a new requestUID, once that is recorded. */
  async function postAgain<Fields extends BusinessFields>(call: Call<Fields>): Promise<BankReply<Fields>> {
    const requestUid = call.requestUidOf('again');
    if (!(await call.keepRenewed(requestUid))) return withheld;
    return (await post({ ...call, requestUidOf: () => requestUid }, 'again')).reply;
  }

  return async (call) => {
    const { reply, token } = await post(call, 'first');
    if (token === undefined || reply.kind !== 'answered' || reply.httpStatus !== 401) return reply;
    if (call.isRefused?.(reply) === false) {
      // Later calls get a new token; the bank may have processed this one.
      void tokens.replace(token);
      return reply;
    }
    const renewed = await tokens.replace(token);
    const again = renewed.kind === 'token' ? await postAgain(call) : renewed;
    return joinReplies(reply, again);
  };
}

/** The reply to a call that a 401 refused, and that went again, or could not. */
function joinReplies<Fields extends BusinessFields>(
  refused: Extract<BankReply<Fields>, { kind: 'answered' }>,
  again: BankReply<Fields>,
): BankReply<Fields> {
  switch (again.kind) {
    case 'answered':
      return refused.fields?.requestUid === refused.requestUid ? again : { ...again, followsBare401: true };
    case 'lost':
      return again;
    case 'not-sent':
    case 'withheld':
    case 'credentials-refused':
      // The bytes of the first post have left, and the bank may have processed them.
      return { ...refused, unrepeated: again };
  }
}

// ---------------------------------------------------------------- login

/** The bank's verdict on the credentials, and on a question asked with the token that they yield. */
export type LoginOutcome =
  | { readonly kind: 'accepted' }
  /** Refused by the token endpoint; with `isToken`, by the service that got the token. */
  | { readonly kind: 'refused'; readonly code: string; readonly isToken: boolean }
  | { readonly kind: 'no-answer'; readonly why: string };

/**
 * Proves the credentials (§5): requests an access token and asks, with it, for a transfer that cannot exist. A token
 * that was cut or belongs to another service is refused only where it is used. Moves no money.
 * @throws BankAddressError for a baseUrl that cannot or must not be used
 */
export async function proveLogin(options: BankClientOptions): Promise<LoginOutcome> {
  await using bank = makeBankClient(options);
  const nowMs = options.clock.now();
  const reply = await bank.inquire({
    ...options,
    transRefNo: impossibleReference,
    tranDate: formatBangkokDate(nowMs),
    tranTime: formatBangkokTime(nowMs),
  });
  switch (reply.kind) {
    case 'credentials-refused':
      return { kind: 'refused', code: reply.code, isToken: false };
    case 'answered':
      return readProof(reply);
    case 'lost':
    case 'not-sent':
      return { kind: 'no-answer', why: reply.why };
    case 'withheld':
      return { kind: 'no-answer', why: 'the request was withheld' };
  }
}

/**
 * Any answer about the reference shows that the service accepts the token, except one that says the payer is unknown.
 */
function readProof({
  httpStatus,
  fields,
}: Pick<Extract<BankReply<BusinessFields>, { kind: 'answered' }>, 'httpStatus' | 'fields'>): LoginOutcome {
  const code = fields?.statusCode ?? `HTTP ${httpStatus}`;
  if (httpStatus === 401 || httpStatus === 403) return { kind: 'refused', code, isToken: true };
  if (fields === undefined)
    return { kind: 'no-answer', why: `an inquiry was answered with ${code} and no code of the interface` };
  return findBankStatus(code)?.scope === 'payer'
    ? { kind: 'refused', code, isToken: true }
    : { kind: 'accepted' };
}

// ---------------------------------------------------------------- one call

/** Shared state of all calls. */
type CallContext = ReturnType<typeof openContext>;

/** Opens the context; closing it aborts the calls under way. */
function openContext(options: LoginOptions) {
  const { baseUrl, timeoutMs, ca, scheme, clock, onExchange } = options;
  const route = openRoute(readBankAddress(baseUrl), timeoutMs, ca);
  const closing = new AbortController();
  const names = wireNames(scheme);
  const asking = { route, ca, closing: closing.signal };
  const { tokenPlace: place } = options;
  const tokens = makeTokenService({
    ...options,
    share: place && makeTokenShare({ ...options, place }),
    /** Posts a form to endpoint 1 or 2 (§2.1). */
    async postForm(endpoint, body) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
      const startedMs = clock.elapsedMs();
      const outcome = await ask(asking, { path: names.paths[endpoint], headers, body });
      const elapsedMs = clock.elapsedMs() - startedMs;
      record(onExchange, outcome, { endpoint, code: undefined, elapsedMs });
      if (outcome.kind === 'answered' && tellsTime(elapsedMs))
        options.onDate?.(readBankDateMs(outcome.headers));
      return outcome;
    },
  });
  return {
    ...asking,
    names,
    clock,
    onExchange,
    tokens,
    [Symbol.dispose]() {
      closing.abort();
      route[Symbol.dispose]();
    },
  };
}

/** Posts once over ky, on a new connection. */
async function ask(
  { route, ca, closing: signal }: Pick<CallContext, 'route' | 'ca' | 'closing'>,
  { path, headers, body }: Pick<WireMessage, 'path' | 'headers' | 'body'>,
): Promise<ExchangeOutcome> {
  const { address, timeoutMs } = route;
  await using client = await openHttpClient({ bodyBytesMax, idleMs: timeoutMs, ca });
  try {
    const url = address.origin + address.basePath + path;
    const asked = client.http.post(url, {
      headers: { ...headers, ...asIs },
      body,
      signal,
      totalTimeout: timeoutMs,
    });
    const answer = await asked;
    const text = await asked.text();
    return {
      kind: 'answered',
      httpStatus: answer.status,
      // The body is decoded by now.
      headers: { ...Object.fromEntries(answer.headers), 'content-encoding': undefined },
      body: text,
      hangUp: () => {},
    };
  } catch (error) {
    const why = isTimeout(error) ? `timed out after ${timeoutMs} ms` : findErrorCode(error);
    return client.hasConnected
      ? { kind: 'lost', why }
      : { kind: 'not-sent', why: `no connection to ${address.origin}: ${why}` };
  }
}

const always = () => true;

/** Posts a business call once, with new ids. */
async function postCall<Fields extends BusinessFields>(
  context: CallContext,
  {
    endpoint,
    transRefNo,
    requestUidOf,
    headers,
    body,
    read,
    mayTransmit = always,
    round,
  }: Call<Fields> & {
    readonly round: Round;
  },
  { authorization }: Token,
): Promise<BankReply<Fields>> {
  const { route, names, clock } = context;
  const requestUid = requestUidOf(round);
  const xRequestId = randomUUID();
  const startedMs = clock.elapsedMs();
  const message: WireMessage = {
    path: names.paths[endpoint],
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization,
      'x-request-id': xRequestId,
      ...headers?.(requestUid),
    },
    body: JSON.stringify(body(requestUid)),
    mayTransmit,
  };
  const outcome = await (endpoint === 'statement' ? ask(context, message) : exchange(route, message));
  const elapsedMs = clock.elapsedMs() - startedMs;
  const isBroken = outcome.kind === 'answered' && isGarbled(outcome.headers, outcome.body);
  const isRead = outcome.kind === 'answered' && isSpoken(outcome.httpStatus) && !isBroken;
  const fields = isRead ? read(outcome.body, names) : undefined;
  const code = fields?.statusCode;
  // The answers on this connection are out of step with the requests: the next request would get a wrong answer.
  if (outcome.kind === 'answered' && isAnothers(fields?.requestUid, requestUid)) outcome.hangUp();
  record(context.onExchange, outcome, { endpoint, transRefNo, xRequestId, code, elapsedMs });
  const facts = { requestUid, xRequestId, elapsedMs };
  switch (outcome.kind) {
    case 'not-sent':
    case 'withheld':
      return outcome;
    case 'lost':
      return { ...outcome, ...facts };
    case 'answered':
      return {
        kind: 'answered',
        httpStatus: outcome.httpStatus,
        fields,
        bankDateMs: readBankDateMs(outcome.headers),
        retryAfterMs: readRetryAfterMs(outcome.headers, clock),
        ...(isBroken ? { isGarbled: true } : {}),
        ...facts,
      };
  }
}

/** True for a status that a business answer may have: no redirect, and no number outside the HTTP range. */
const isSpoken = (httpStatus: number): boolean =>
  (httpStatus >= 200 && httpStatus < 300) || (httpStatus >= 400 && httpStatus < 600);

function record(
  onExchange: LoginOptions['onExchange'],
  outcome: WireOutcome,
  { elapsedMs, ...subject }: Omit<ExchangeRecord, 'outcome' | 'httpStatus' | 'why'>,
): void {
  onExchange?.({
    ...subject,
    outcome: outcome.kind,
    httpStatus: outcome.kind === 'answered' ? outcome.httpStatus : undefined,
    why: outcome.kind === 'lost' || outcome.kind === 'not-sent' ? outcome.why : undefined,
    // Masks long runs of digits: they may be an account or ID number.
    elapsedMs: Math.round(elapsedMs * 10) / 10,
  });
}
