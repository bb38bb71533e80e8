/** The bank behind its port: endpoints 1, 2, 5, 6, 7 and 8 (§4). It tells what came back and decides nothing about money. */
import { readBankAddress } from '../core/network-address.ts';
import type { Bank, BankReply, BusinessFields, Clock } from '../core/ports.ts';
import { type Call, type Desk, type ExchangeRecord, postCall, postForm } from './calls.ts';
import { readInquiryFields, readPayeeCheckFields, readTransferFields } from './replies.ts';
import { inquiryBody, payeeCheckBody, type Payer, transferBody } from './requests.ts';
import { readStatementFields, type StatementBank, statementBody } from './statement-request.ts';
import { makeTokenKeeper, type TokenReading } from './token.ts';
import { makeTransport, type TrustedCertificates } from './transport.ts';
import { wireNames } from './wire.ts';

export { BankAddressError } from '../core/network-address.ts';
export type { ExchangeRecord } from './calls.ts';

export interface BankClientOptions extends Payer {
  /** https, or plain http to a loopback address; the paths of §4 are appended. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The scheme's word in paths and field names, in lower case. */
  readonly scheme: string;
  /** Covers connection, headers and body of each exchange. */
  readonly timeoutMs: number;
  /** All business calls together; 0 = no limit. */
  readonly requestsPerSecond: number;
  readonly clock: Clock;
  /** Called after every exchange, for the log. */
  readonly onExchange?: (record: ExchangeRecord) => void;
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca?: TrustedCertificates;
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
  const names = wireNames(options.scheme);
  const transport = makeTransport(readBankAddress(options.baseUrl), options.timeoutMs, options.ca);
  const closing = new AbortController();
  const send = makeSend(options, { transport, names, clock, onExchange: options.onExchange }, closing.signal);
  return {
    checkPayee: (check) =>
      send({
        endpoint: 'payeeCheck',
        transRefNo: undefined,
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
        transRefNo: undefined,
        body: () => statementBody(request),
        read: readStatementFields,
        mayLeave: always,
      }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      transport[Symbol.dispose]();
    },
  };
}

const closed = { kind: 'not-sent', why: 'the bank client is closed' } as const;

function makeSend(options: BankClientOptions, desk: Desk, closing: AbortSignal): Send {
  const { clientId, clientSecret, clock, requestsPerSecond } = options;
  const takeTurn = requestsPerSecond > 0 ? makeRateLimiter(requestsPerSecond, clock) : undefined;
  const tokens = makeTokenKeeper({
    clientId,
    clientSecret,
    clock,
    postForm: (endpoint, form) => postForm(desk, endpoint, form),
  });

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
    const reply = await postCall(desk, call, token);
    if (reply.kind !== 'answered' || reply.httpStatus !== 401) return reply;
    const renewed = await tokens.replace(token);
    if (renewed.kind === 'credentials-refused') return renewed;
    const ready = renewed.kind === 'token' ? await getReady() : renewed;
    // Without a new token the 401 stays the answer: it was refused, and nothing has changed.
    return ready.kind === 'token' ? postCall(desk, call, ready) : reply;
  };
}

/** Waits for the caller's turn; the signal ends every wait at once. */
export type TakeTurn = (signal: AbortSignal) => Promise<void>;

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
