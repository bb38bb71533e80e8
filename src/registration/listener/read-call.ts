/** Reads a call that came from where and with what it must: every field of it, and what is kept of it. */
import {
  callbackKey,
  type CallbackHeader,
  type FaultyReading,
  parseCallback,
  parseCallbackHeader,
} from '../rules/callback.ts';
import type { CallbackRecord } from '../rules/change.ts';

/** A call from a permitted address with a right key. */
export interface AdmittedCall {
  readonly fromAddress: string;
  /** `msg-hdr`. */
  readonly header: string;
}

type CallReading =
  | { readonly ok: true; readonly record: CallbackRecord }
  /** `requestUid` is empty where the call has no readable one. */
  | (FaultyReading & { readonly requestUid: string });

/** Keys of `msg-hdr` that are kept (§2.3): all but the application's. */
const keptHeaderKeys = [
  'channelId',
  'oapi-client-id',
  'oapi-partner-id',
  'requestUID',
  'requestDateTime',
] as const;
const headerTextMax = 256;

function keepHeader({ fields }: CallbackHeader): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const key of keptHeaderKeys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value === 'string') kept[key] = value.slice(0, headerTextMax);
  }
  return kept;
}

/** Refuses bytes that are no UTF-8: the kept text must equal the call, byte for byte. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const noText: FaultyReading = { ok: false, faults: [{ field: 'body', message: 'it is no UTF-8' }] };

export function readCall({ fromAddress, header }: AdmittedCall, bytes: Buffer, nowMs: number): CallReading {
  const who = parseCallbackHeader(header);
  const requestUid = who.ok ? who.requestUid : '';
  const body = decode(bytes);
  const reading = body === undefined ? noText : parseCallback(body, requestUid);
  if (body === undefined || !who.ok || !reading.ok) {
    const faults = [who, reading].flatMap((one) => (one.ok ? [] : one.faults));
    return { ok: false, faults, requestUid };
  }
  const { callback } = reading;
  const key = callbackKey(callback);
  const record = { key, callback, body, header: keepHeader(who), fromAddress, receivedAtMs: nowMs };
  return { ok: true, record };
}
