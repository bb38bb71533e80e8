/** Reads a call that came from where and with what it must: every field of it, and what is kept of it. */
import { callbackKey, type CallbackReading, parseCallback, parseCallbackHeader } from '../rules/callback.ts';
import type { CallbackRecord } from '../rules/change.ts';

/** Its address is allowed and its key is right. */
export interface AdmittedCall {
  readonly fromAddress: string;
  /** `msg-hdr`. */
  readonly header: string;
}

export type CallReading =
  | { readonly ok: true; readonly record: CallbackRecord }
  /** Which field, what is wrong with it, and the number of the call where it has a readable one. */
  | ((CallbackReading & { readonly ok: false }) & { readonly requestUid: string });

/** The keys of `msg-hdr` that are kept (§2.3): all but that of the application. */
const keptHeaderKeys = [
  'channelId',
  'oapi-client-id',
  'oapi-partner-id',
  'requestUID',
  'requestDateTime',
] as const;
const headerTextMax = 256;

function keepHeader(header: string): Readonly<Record<string, string>> {
  const fields = JSON.parse(header) as Readonly<Record<string, unknown>>;
  const kept: Record<string, string> = {};
  for (const key of keptHeaderKeys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value === 'string') kept[key] = value.slice(0, headerTextMax);
  }
  return kept;
}

/** Text that is none is no callback: what is kept must be what came, byte for byte. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function readCall({ fromAddress, header }: AdmittedCall, bytes: Buffer, nowMs: number): CallReading {
  const who = parseCallbackHeader(header);
  if (!who.ok) return { ...who, requestUid: '' };
  const { requestUid } = who;
  const body = decode(bytes);
  if (body === undefined) return { ok: false, field: 'body', message: 'it is no UTF-8', requestUid };
  const reading = parseCallback(body, requestUid);
  if (!reading.ok) return { ...reading, requestUid };
  const { callback } = reading;
  const key = callbackKey(callback);
  const record = { key, callback, body, header: keepHeader(header), fromAddress, receivedAtMs: nowMs };
  return { ok: true, record };
}
