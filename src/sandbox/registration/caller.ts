/**
 * Makes the callbacks to the partner (§6): those that are due, up to a number at once, repeated until answered or given
 * up.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import pLimit from 'p-limit';
import { findErrorCode } from '../../platform/http.ts';
import { Signal, waitForAny } from '../../platform/signal.ts';
import type { SandboxBank } from '../bank.ts';
import { acknowledged, type Call, computeNextTryMs, type Registration } from './book.ts';
import { registrationHeaders } from '../../bank/wire.ts';
import { formatBangkokDate, formatBangkokMoment, formatBangkokTime } from '../../core/bangkok-time.ts';
import type { RegistrationTable, ToldOutcome } from './table.ts';

/** A call that is not finished. */
interface OwedCall {
  readonly registration: Registration;
  readonly call: Call;
  readonly nextAtMs: number;
}

export class Caller {
  readonly #bank: SandboxBank;
  readonly #limit: ReturnType<typeof pLimit>;
  /** Waiting calls; the one due first is last. */
  readonly #waiting: OwedCall[] = [];
  /** Calls that are impossible at present: without a URL, or during an outage of the bank. */
  readonly #parked = new Set<OwedCall>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #news = new Signal();
  readonly #closing = new AbortController();
  #isRunning = false;

  constructor(bank: SandboxBank) {
    this.#bank = bank;
    this.#limit = pLimit(bank.registration.table.callbackConcurrency);
  }

  /** Plans the calls that the state file shows as unfinished. */
  resume(): void {
    for (const registration of this.#bank.registrations.registrations) this.owe(registration);
  }

  /** Plans the registration's calls, without those that `callFirst` makes. */
  owe(registration: Registration, isFirst = false): void {
    for (const call of registration.calls)
      if (!(isFirst && call.beforeAnswer)) this.#plan(registration, call);
  }

  /** Makes the registration's calls that precede its answer; resolves when each has been tried once. */
  async callFirst(registration: Registration): Promise<void> {
    const calls = registration.calls.filter(({ beforeAnswer }) => beforeAnswer);
    const nextAtMs = registration.acceptedAtMs;
    await Promise.all(calls.map((call) => this.#start({ registration, call, nextAtMs })));
  }

  /** Plans anew after a change of the settings or the clock. */
  reconsider(): void {
    this.#limit.concurrency = this.#bank.registration.table.callbackConcurrency;
    const parked = [...this.#parked];
    this.#parked.clear();
    for (const { registration, call } of parked) this.#plan(registration, call);
    this.#news.notify();
  }

  /** Ends at once: calls under way are aborted, and stay unfinished. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#underWay);
  }

  #plan(registration: Registration, call: Call): void {
    const nextAtMs = computeNextTryMs(call, this.#bank.registration.table.callbackRetries);
    if (nextAtMs === undefined) return;
    const place = this.#findPlace(nextAtMs);
    this.#waiting.splice(place, 0, { registration, call, nextAtMs });
    if (!this.#isRunning) void this.#run();
    else if (place === this.#waiting.length - 1) this.#news.notify();
  }

  /** Position of a call: after those due later, before those due at the same time, which came first. */
  #findPlace(nextAtMs: number): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#waiting[middle]?.nextAtMs ?? 0) > nextAtMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Makes the calls as they fall due, until none is left. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    const { clock } = this.#bank;
    while (!this.#closing.signal.aborted) {
      const { next } = this.#news;
      const nowMs = clock.now();
      for (let first = this.#waiting.at(-1); first !== undefined && first.nextAtMs <= nowMs;) {
        this.#waiting.pop();
        void this.#start(first);
        first = this.#waiting.at(-1);
      }
      const first = this.#waiting.at(-1);
      if (first === undefined) break;
      await waitForAny(clock, first.nextAtMs - nowMs, next, this.#closing.signal);
    }
    this.#isRunning = false;
  }

  /** Tries a call as soon as there is a place for it; never rejects. */
  #start(owed: OwedCall): Promise<void> {
    const underWay = this.#limit(() => this.#tryCall(owed)).finally(() => this.#underWay.delete(underWay));
    this.#underWay.add(underWay);
    return underWay;
  }

  async #tryCall(owed: OwedCall): Promise<void> {
    const { registration, call } = owed;
    const {
      clients,
      isOut,
      clock,
      registrations,
      registration: { table },
    } = this.#bank;
    if (this.#closing.signal.aborted) return;
    const client = clients.findById(registration.clientId);
    const url = client?.callbackUrl ?? table.callbackUrl;
    if (client === undefined || url === '' || isOut) {
      this.#parked.add(owed);
      return;
    }
    const requestUid = randomUUID();
    const application = {
      clientId: client.clientId,
      partnerId: client.partnerId ?? this.#bank.statements.table.partnerId,
      apiKey: client.apiKey ?? table.apiKey,
    };
    const headers = composeHeaders(call, application, table.channelId, requestUid, clock.now());
    const result = await this.#post(
      url,
      headers,
      composeBody(registration, call, table.applyDtm),
      requestUid,
    );
    if (this.#closing.signal.aborted) return;
    const made = { requestUid, atMs: clock.now(), result };
    // A try that cannot be recorded is repeated after a restart, as if the bank had been killed now.
    await registrations.countTry(registration, call, made)?.catch(() => undefined);
    this.#plan(registration, call);
  }

  /** The result of the call, in a few words of ours. */
  async #post(
    url: string,
    headers: Record<string, string>,
    body: string,
    requestUid: string,
  ): Promise<string> {
    const { callbackTimeoutMs, callbackCa } = this.#bank.registration.table;
    const late = AbortSignal.timeout(callbackTimeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, late]);
    try {
      const { status, text } = await post(url, { headers, body, signal, callbackCa });
      return readAcknowledgement(status, text, requestUid);
    } catch (error) {
      return late.aborted ? 'no answer in time' : `no answer (${findErrorCode(error)})`;
    }
  }
}

// ---------------------------------------------------------------- the message of §2.3, and the partner's answer

/** The application to call, and the key by which it recognises the bank. */
interface Application {
  readonly clientId: string;
  readonly partnerId: string;
  readonly apiKey: string;
}

/** Codes of the outcomes (§3.1). */
const respOf: Readonly<Record<ToldOutcome, { readonly respCode: string; readonly respDesc: string }>> = {
  success: { respCode: 'I0000', respDesc: 'Success' },
  reject: { respCode: 'I0001', respDesc: 'Reject' },
};

/** A key that does not exist. */
const wrongApiKey = 'a-key-never-given-out';

/** "20261121 12:00:00" */
const formatCompact = (epochMs: number): string =>
  `${formatBangkokDate(epochMs)} ${formatBangkokTime(epochMs)}`;

/** The headers of a call; without the key when the call has none. */
function composeHeaders(
  { key }: Pick<Call, 'key'>,
  { clientId, partnerId, apiKey }: Application,
  channelId: string,
  requestUid: string,
  nowMs: number,
): Record<string, string> {
  const header = {
    channelId,
    'oapi-client-id': clientId,
    'oapi-partner-id': partnerId,
    requestUID: requestUid,
    requestDateTime: formatCompact(nowMs),
    ...(key === 'none' ? {} : { 'x-api-key': key === 'right' ? apiKey : wrongApiKey }),
  };
  return { 'content-type': 'application/json', [registrationHeaders.message]: JSON.stringify(header) };
}

/** Time of the decision in the message. A repeated message has the original time, a contradicting one its own. */
function computeAppliedAtMs({ outcome, decidedAtMs }: Registration, call: Call): number {
  return outcome === call.outcome ? decidedAtMs : call.dueAtMs;
}

/** The body of a call; references that were not given are left out. */
function composeBody(registration: Registration, call: Call, shape: RegistrationTable['applyDtm']): string {
  const { vendorId, companyId, accountNo, refs } = registration;
  const references = refs.map((ref, place) => [`ref${place + 1}`, ref] as const);
  const format = shape === 'dashed' ? formatBangkokMoment : formatCompact;
  const fields = {
    vendorId,
    companyId,
    accountNo,
    ...Object.fromEntries(references),
    applyDtm: format(computeAppliedAtMs(registration, call)),
    ...respOf[call.outcome],
    ...call.fields,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(given));
}

const codePattern = /^[!-~]{1,5}$/;

function readJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** `acknowledged` for the answer that §2.3 requires; otherwise its fault, without quoting it. @forTests */
export function readAcknowledgement(httpStatus: number, text: string, requestUid: string): string {
  if (httpStatus < 200 || httpStatus > 299) return `HTTP ${httpStatus}`;
  const fields = readJsonObject(text);
  if (fields === undefined) return 'the answer is no JSON object';
  const { statusCode, statusDesc, requestUID } = fields;
  if (typeof statusCode !== 'string' || !codePattern.test(statusCode)) return 'the answer has no statusCode';
  if (statusCode !== '0') return `statusCode ${statusCode}`;
  if (typeof statusDesc !== 'string' || statusDesc.length > 256) return 'the answer has no statusDesc';
  return requestUID === requestUid ? acknowledged : 'the answer bears another requestUID';
}

// ---------------------------------------------------------------- HTTP

/** Most bytes of an answer, which has three short fields. */
const answerBytesMax = 65_536;

/** Resolves every name to this machine, without a query: no callback ever leaves it. */
const lookupHere: LookupFunction = (_name, { all }, found) => {
  if (all === true)
    found(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  else found(null, '127.0.0.1', 4);
};

interface Post {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly callbackCa: string;
}

/** Posts once over a new connection: an idle one might close just as it is used, and the call would look refused. */
function post(url: string, { headers, body, signal, callbackCa }: Post) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly status: number;
    readonly text: string;
  }>();
  const common = { method: 'POST', agent: false, headers, signal, lookup: lookupHere } as const;
  const hear = (incoming: IncomingMessage): void => {
    readText(incoming).then((text) => resolve({ status: incoming.statusCode ?? 0, text }), reject);
  };
  const ca = callbackCa === '' ? {} : { ca: [...rootCertificates, callbackCa] };
  const outgoing = url.startsWith('https:')
    ? requestHttps(url, { ...common, ...ca, rejectUnauthorized: true }, hear)
    : requestHttp(url, common, hear);
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

/** The text of an answer; empty when it is too long. */
async function readText(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > answerBytesMax) return '';
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
