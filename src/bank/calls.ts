/** One call to the bank: ids, headers and body out, a reply and a line for the log back. */
import { randomFillSync, randomUUID } from 'node:crypto';
import type { BankReply, BusinessFields, Clock, Exchange } from '../core/ports.ts';
import { encodeBase32 } from '../core/reference.ts';
import type { WireAnswer, WireOutcome } from './exchange.ts';
import { type FieldsReader, readBankDateMs, readRetryAfterMs } from './replies.ts';
import type { Token, TokenEndpoint } from './token.ts';
import type { Transport } from './transport.ts';
import type { Endpoint, WireNames } from './wire.ts';

/** What every call needs. */
export interface Desk {
  readonly transport: Transport;
  readonly names: WireNames;
  readonly clock: Clock;
  readonly onExchange: ((record: ExchangeRecord) => void) | undefined;
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
export interface Call<Fields extends BusinessFields> {
  readonly endpoint: Exclude<Endpoint, TokenEndpoint>;
  readonly transRefNo: string | undefined;
  readonly body: (requestUid: string) => Readonly<Record<string, string>>;
  readonly read: FieldsReader<Fields>;
  readonly mayLeave: () => boolean;
}

/** Posts a business call once, with ids of its own. */
export async function postCall<Fields extends BusinessFields>(
  { transport, names, clock, onExchange }: Desk,
  call: Call<Fields>,
  token: Token,
): Promise<BankReply<Fields>> {
  const requestUid = makeRequestUid();
  const xRequestId = randomUUID();
  const startedMs = performance.now();
  const outcome = await transport.post({
    path: names.paths[call.endpoint],
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
  const fields = outcome.kind === 'answered' ? readFields(outcome, call.read, names) : undefined;
  const { endpoint, transRefNo } = call;
  onExchange?.(recordOf(outcome, elapsedMs, { endpoint, transRefNo, xRequestId, code: fields?.statusCode }));
  return replyOf(outcome, fields, { requestUid, xRequestId, elapsedMs }, clock);
}

/** Posts a form to endpoint 1 or 2 (§2.1). */
export async function postForm(desk: Desk, endpoint: TokenEndpoint, form: string): Promise<WireOutcome> {
  const startedMs = performance.now();
  const outcome = await desk.transport.post({
    path: desk.names.paths[endpoint],
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form,
    mayLeave: () => true,
  });
  desk.onExchange?.(recordOf(outcome, performance.now() - startedMs, { endpoint }));
  return outcome;
}

/** A redirect is no business answer, whatever its body says. */
function readFields<Fields>(
  { httpStatus, body }: WireAnswer,
  read: FieldsReader<Fields>,
  names: WireNames,
): Fields | undefined {
  return httpStatus >= 300 && httpStatus < 400 ? undefined : read(body, names);
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

interface RecordSubject {
  readonly endpoint: Endpoint;
  readonly code?: string | undefined;
  readonly xRequestId?: string;
  readonly transRefNo?: string | undefined;
}

function recordOf(outcome: WireOutcome, elapsedMs: number, subject: RecordSubject): ExchangeRecord {
  return {
    endpoint: subject.endpoint,
    outcome: outcome.kind,
    httpStatus: outcome.kind === 'answered' ? outcome.httpStatus : undefined,
    code: subject.code,
    why: outcome.kind === 'lost' || outcome.kind === 'not-sent' ? outcome.why : undefined,
    // Many digits in a row are taken for a number of somebody's.
    elapsedMs: Math.round(elapsedMs * 10) / 10,
    xRequestId: subject.xRequestId,
    transRefNo: subject.transRefNo,
  };
}

/** §2.4: requestUID has 20 characters. */
const uidLength = 20;
/** 20 characters carry 5 bits each. */
const uidBytes = 13;
const uidsPerFill = 256;

/** Random bytes are drawn for many ids at once: a draw of 13 costs nearly as much as one of 3,328. */
const pool = Buffer.alloc(uidBytes * uidsPerFill);
let poolOffset = pool.length;

/** requestUID (§2.4): 20 random characters A–Z0–9, new for every request. */
export function makeRequestUid(): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const bytes = pool.subarray(poolOffset, poolOffset + uidBytes);
  poolOffset += uidBytes;
  return encodeBase32(bytes, uidLength);
}
