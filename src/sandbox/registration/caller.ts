/** Calls the partner back (§6): what is due, so many at once, and again until it is answered or given up. */
import { randomUUID } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import pLimit from 'p-limit';
import { isLoopback } from '../../core/network-address.ts';
import { findErrorCode, type HttpClient, isTimeout, openHttpClient } from '../../platform/http.ts';
import { Signal, waitForAny } from '../../platform/signal.ts';
import type { SandboxBank } from '../bank.ts';
import { type Call, computeNextTryMs, type Registration } from './book.ts';
import { composeBody, composeHeaders, readAcknowledgement } from './callback-message.ts';

/** A call that has not come to its end. */
interface OwedCall {
  readonly registration: Registration;
  readonly call: Call;
  readonly nextAtMs: number;
}

/** An answer has three short fields. */
const answerBytesMax = 65_536;

const isOfThisMachine = (address: string): boolean => address === '::1' || isLoopback(address);

/** A name that leads off this machine is no address of this machine, whatever it looks like. */
const findObstacle = (address: string | undefined): Error | undefined =>
  address !== undefined && isOfThisMachine(address)
    ? undefined
    : new Error('callbacks never leave this machine');

export class Caller {
  readonly #bank: SandboxBank;
  readonly #limit: ReturnType<typeof pLimit>;
  /** The one that is due first stands last. */
  readonly #waiting: OwedCall[] = [];
  /** Those that cannot be made as things are: nobody to call, or the bank is out. */
  readonly #parked = new Set<OwedCall>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #news = new Signal();
  readonly #closing = new AbortController();
  #isRunning = false;
  #client: Promise<HttpClient> | undefined;

  constructor(bank: SandboxBank) {
    this.#bank = bank;
    this.#limit = pLimit(bank.registration.table.callbackConcurrency);
  }

  /** Plans what a state file says is still owed. */
  resume(): void {
    for (const registration of this.#bank.registrations.registrations) this.owe(registration);
  }

  /** Plans the registration's calls, but for those that `callFirst` makes. */
  owe(registration: Registration, isFirst = false): void {
    for (const call of registration.calls)
      if (!(isFirst && call.beforeAnswer)) this.#plan(registration, call);
  }

  /** Makes those calls of the registration that come before its answer; resolves when each has been tried once. */
  async callFirst(registration: Registration): Promise<void> {
    const calls = registration.calls.filter(({ beforeAnswer }) => beforeAnswer);
    const nextAtMs = registration.acceptedAtMs;
    await Promise.all(calls.map((call) => this.#start({ registration, call, nextAtMs })));
  }

  /** Looks again at what is due and whom to call: settings or the clock have changed. */
  reconsider(): void {
    this.#limit.concurrency = this.#bank.registration.table.callbackConcurrency;
    const parked = [...this.#parked];
    this.#parked.clear();
    for (const { registration, call } of parked) this.#plan(registration, call);
    this.#news.notify();
  }

  /** Ends at once: calls under way are cut, and stay owed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await (await this.#client)?.[Symbol.asyncDispose]();
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

  /** Behind those that are due later, before those that are due as soon: these came first. */
  #findPlace(nextAtMs: number): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#waiting[middle]?.nextAtMs ?? 0) > nextAtMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Waits for what is due as long as anything is. */
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
    // What cannot be written is called again after a restart, as by a bank that was killed at this moment.
    await registrations.countTry(registration, call, made)?.catch(() => undefined);
    this.#plan(registration, call);
  }

  /** How the call ended, in a few words of ours. */
  async #post(
    url: string,
    headers: Record<string, string>,
    body: string,
    requestUid: string,
  ): Promise<string> {
    const { callbackTimeoutMs } = this.#bank.registration.table;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(callbackTimeoutMs)]);
    try {
      const { http } = await (this.#client ??= this.#openClient());
      const response = await http.post(url, { headers, body, signal });
      return readAcknowledgement(response.status, await response.text(), requestUid);
    } catch (error) {
      return isTimeout(error) ? 'no answer in time' : `no answer (${findErrorCode(error)})`;
    }
  }

  #openClient(): Promise<HttpClient> {
    const { callbackCa, callbackTimeoutMs } = this.#bank.registration.table;
    const ca = callbackCa === '' ? undefined : [...rootCertificates, callbackCa];
    return openHttpClient({ bodyBytesMax: answerBytesMax, idleMs: callbackTimeoutMs, ca, findObstacle });
  }
}
