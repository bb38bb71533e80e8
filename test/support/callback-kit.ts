/** The bank as it calls back, a listener that hears it, and a journal that holds no more than callbacks need. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Log } from '../../src/core/ports.ts';
import { systemClock } from '../../src/platform/clock.ts';
import {
  type CallbackListener,
  type CallbackListenerContext,
  startCallbackListener,
} from '../../src/registration/listener/listener.ts';
import type { KeptCallback, SentRegistrationRow } from '../../src/registration/ports.ts';
import { callbackKey, identityKey, parseCallback } from '../../src/registration/rules/callback.ts';
import type { CallbackRecord } from '../../src/registration/rules/change.ts';
import { canMoveRegistration, type Registration } from '../../src/registration/rules/registration.ts';
import type { CallbackStore } from '../../src/registration/take-callback.ts';
import { noonMs } from './core-fixtures.ts';
import { instruction, makeRegistration } from './registration-fixtures.ts';

type CallbackListenerSettings = Parameters<typeof startCallbackListener>[0]['settings'];

export const callbackKeys = ['the-first-key', 'the-second-key'] as const;
const minuteMs = 60_000;

/** The body of a callback about `instruction` of the fixtures, a minute after noon. */
export const goodBody = {
  vendorId: instruction.vendorId,
  companyId: instruction.companyId,
  accountNo: instruction.accountNo,
  ref1: instruction.refs[0],
  applyDtm: '2026-11-21 12:01:00',
  respCode: 'I0000',
  respDesc: 'Success',
} as const;

export const rejected = { respCode: 'I0001', respDesc: 'Reject' } as const;

export function makeRecord(changes: object = {}, requestUid = 'CALL-1'): CallbackRecord {
  const body = JSON.stringify({ ...goodBody, ...changes });
  const reading = parseCallback(body, requestUid);
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  const { callback } = reading;
  const from = { fromAddress: '192.0.2.9', receivedAtMs: noonMs + 2 * minuteMs };
  return { key: callbackKey(callback), callback, body, header: { requestUID: requestUid }, ...from };
}

// ---------------------------------------------------------------- the journal

const refusal = (): Error => Object.assign(new Error('the disk is full'), { name: 'JournalWriteError' });

/** Holds registrations and callbacks in memory, with the guards that the port names. */
export class CallbackBook implements CallbackStore {
  readonly journalId: string = randomUUID();
  readonly sent = new Map<number, SentRegistrationRow>();
  readonly kept = new Map<string, KeptCallback>();
  /** How often something was written. */
  writes = 0;
  /** While it is true, every write is refused. */
  isFull = false;
  /** Run before each change is applied. */
  meanwhile: () => void = () => undefined;

  add(changes: Partial<Registration> = {}, intentAtMs = noonMs): Registration {
    const registration = makeRegistration({ status: 'acknowledged', attemptNo: 1, ...changes });
    this.sent.set(registration.seq, {
      registration,
      status: registration.status,
      intentAtMs,
      isLatest: true,
      taken: null,
      isOnly: true,
      bankOffsetMs: null,
    });
    return registration;
  }

  at(seq: number): Registration | undefined {
    return this.sent.get(seq)?.registration;
  }

  async sentRegistrations(key: string): Promise<readonly SentRegistrationRow[]> {
    return [...this.sent.values()].filter(
      ({ registration }) =>
        registration.instruction !== null && identityKey(registration.instruction) === key,
    );
  }

  async registration(seq: number): Promise<Registration | undefined> {
    return this.at(seq);
  }

  readonly applyRegistrations: CallbackStore['applyRegistrations'] = async (changes) => {
    this.meanwhile();
    this.#write();
    return changes.map(({ before, after, event, callback }) => {
      const row = this.sent.get(before.seq);
      const isCounted = typeof (callback && this.kept.get(callback.key)?.registrationSeq) === 'number';
      if (row?.registration.version !== before.version || isCounted) return false;
      if (!canMoveRegistration(before.status, after.status, event.cause)) throw new Error('no such move');
      const registration = { ...after, version: before.version + 1 };
      this.sent.set(before.seq, { ...row, registration, status: after.status });
      if (callback !== undefined) this.#keep(callback, before.seq);
      return true;
    });
  };

  async keepCallback(record: CallbackRecord, registrationSeq: number | null): Promise<boolean> {
    this.#write();
    return this.#keep(record, registrationSeq);
  }

  async callbackReceivedAtMs(key: string): Promise<number | undefined> {
    return this.kept.get(key)?.receivedAtMs;
  }

  async unboundCallbacks(limit: number): Promise<readonly KeptCallback[]> {
    const keys = new Set(
      [...this.sent.values()].flatMap(({ registration: { instruction: one } }) => one && [identityKey(one)]),
    );
    return [...this.kept.values()]
      .filter((one) => one.registrationSeq === null && keys.has(identityKey(one.callback.identity)))
      .slice(0, limit);
  }

  #write(): void {
    if (this.isFull) throw refusal();
    this.writes += 1;
  }

  #keep(record: CallbackRecord, registrationSeq: number | null): boolean {
    const old = this.kept.get(record.key);
    const id = old?.id ?? this.kept.size + 1;
    const repeats = old === undefined ? 0 : old.repeats + 1;
    this.kept.set(record.key, {
      ...(old ?? record),
      id,
      repeats,
      registrationSeq: old?.registrationSeq ?? registrationSeq,
    });
    return old === undefined;
  }
}

// ---------------------------------------------------------------- the listener

/** What was logged, whole: it is searched for what must not stand there. */
export interface HeardLog {
  readonly lines: string[];
  readonly log: Log;
}

export function makeHeardLog(): HeardLog {
  const lines: string[] = [];
  return {
    lines,
    log: (level, message, facts) => {
      const { err, ...others } = facts as { readonly err?: unknown };
      lines.push(`${level} ${message} ${JSON.stringify(others)} ${err instanceof Error ? err.stack : ''}`);
    },
  };
}

export const listenerSettings: CallbackListenerSettings = {
  address: '127.0.0.1',
  port: 0,
  path: '/callbacks',
  allowFrom: [],
  trustedProxies: [],
  bodyBytesMax: 65_536,
  requestTimeoutMs: 10_000,
  connectionsMax: 100,
};

export interface TestListener extends HeardLog {
  readonly book: CallbackBook;
  readonly listener: CallbackListener;
  readonly port: number;
}

type ListenerChanges = Partial<Omit<CallbackListenerContext, 'settings' | 'log'>>;

/** Opens a listener beside a journal, in memory if need be with one registration awaited; it is closed when the test ends. */
export async function openTestListener(
  settings: Partial<CallbackListenerSettings> = {},
  changes: ListenerChanges = {},
): Promise<TestListener> {
  const book = new CallbackBook();
  book.add();
  const heard = makeHeardLog();
  const listener = await startCallbackListener({
    journal: book,
    clock: systemClock,
    log: heard.log,
    settings: { ...listenerSettings, ...settings },
    readKeys: () => callbackKeys,
    readCertificate: () => undefined,
    mayMissAttempts: async () => false,
    files: [],
    ...changes,
  });
  if (listener.kind !== 'listening') throw new Error('the port is taken');
  onTestFinished(async () => listener[Symbol.asyncDispose]());
  return { ...heard, book, listener, port: Number(new URL(listener.url).port) };
}

// ---------------------------------------------------------------- the calls

export interface Call {
  readonly method?: string;
  /** In place of that of the URL. */
  readonly path?: string;
  /** Of `msg-hdr`; a key of undefined is left out. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is unlike `goodBody`. */
  readonly body?: object;
  /** The whole body, instead. */
  readonly bytes?: string | Uint8Array;
  /** What proves the certificate of an https listener. */
  readonly ca?: string;
}

export interface CallAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

let calls = 0;

export function composeHeaders({ header = {}, headers = {} }: Call = {}): Record<string, string> {
  calls += 1;
  const fields = { requestUID: `CALL-${calls}`, channelId: 'CH', 'x-api-key': callbackKeys[0], ...header };
  return { 'content-type': 'application/json', 'msg-hdr': JSON.stringify(fields), ...headers };
}

async function readJson(incoming: IncomingMessage): Promise<CallAnswer['fields']> {
  const text = Buffer.concat((await incoming.toArray()) as Buffer[]).toString();
  return JSON.parse(text === '' ? '{}' : text) as CallAnswer['fields'];
}

/** Calls once, over a connection of its own. */
export async function callBack(url: string, call: Call = {}): Promise<CallAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CallAnswer>();
  const { method = 'POST', body = {}, bytes = JSON.stringify({ ...goodBody, ...body }) } = call;
  const { protocol, hostname, port, pathname } = new URL(url);
  const common = {
    method,
    hostname,
    port,
    path: call.path ?? pathname,
    agent: false,
    headers: composeHeaders(call),
  };
  const send = protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing = send({ ...common, ...(call.ca === undefined ? {} : { ca: call.ca }) }, (incoming) => {
    readJson(incoming).then(
      (fields) => resolve({ status: incoming.statusCode ?? 0, fields, headers: incoming.headers }),
      reject,
    );
  });
  outgoing.on('error', reject);
  outgoing.end(bytes);
  return promise;
}

/** The address of a machine that is not this one, to those who compare both ends. */
export const elsewhere = '127.0.0.2';

/** A connection to write to by hand; it is closed when the test ends. */
export function dial(port: number, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}
