/**
 * The messages of the bank (§2.2, §2.4–2.6). Requests have every field of theirs; an optional one that is null is left out.
 * Replies are read into neutral fields, tolerantly: unknown fields are ignored, an optional field that is missing, empty or
 * of the wrong type is undefined, and a number in place of a text keeps its written form.
 */
import { hash } from 'node:crypto';
import { formatBangkokDate, formatBangkokTime } from '../core/bangkok-time.ts';
import type {
  BusinessFields,
  InquiryFields,
  InquiryItem,
  PayeeCheck,
  PayeeCheckFields,
  RegistrationFields,
  RegistrationOrder,
  StatusInquiry,
  TransferFields,
} from '../core/bank-port.ts';
import { printable } from '../core/outgoing-text.ts';
import type { TransferOrder } from '../core/payout.ts';
import type { Clock } from '../core/ports.ts';
import { encodeBase32 } from '../core/reference.ts';
import { makeRandomDraws } from '../platform/random-draws.ts';
import type { AnswerHeaders } from './exchange.ts';
import {
  fieldLengths,
  payerBankCode,
  registrationHeaders,
  resendFlagNormal,
  type WireNames,
} from './wire.ts';

/** Settings that go into every payee check. */
export interface Payer {
  /** channelID (§2.4), up to 10 characters. */
  readonly channelId: string;
  /** termID, up to 20 characters. */
  readonly termId: string;
  /** compId, up to 10 characters. */
  readonly companyId: string;
  /** Up to 15 digits. */
  readonly payerAccount: string;
}

type Body = Readonly<Record<string, string>>;

const optional = (name: string, value: string | null): Body => (value === null ? {} : { [name]: value });

/** Body of endpoint 5 (§2.4). A name that is too long is left out: the bank would compare a cut name wrongly. */
export function payeeCheckBody(
  check: PayeeCheck,
  payer: Payer,
  names: WireNames,
  requestUid: string,
  nowMs: number,
): Body {
  const { proxyName } = check;
  return {
    channelID: payer.channelId,
    termID: payer.termId,
    tranDate: formatBangkokDate(nowMs),
    tranTime: formatBangkokTime(nowMs),
    compId: payer.companyId,
    requestUID: requestUid,
    payerBankCode,
    payerAccount: payer.payerAccount,
    [names.proxyNo]: check.proxyNo,
    ...optional(
      names.proxyName,
      proxyName !== null && proxyName.length > fieldLengths.checkName ? null : proxyName,
    ),
    [names.proxyType]: check.proxyType,
  };
}

/** Body of endpoint 6 (§2.5): the order as stored; no setting enters it. */
export function transferBody(order: TransferOrder, names: WireNames, requestUid: string): Body {
  return {
    channelID: order.channelId,
    termID: order.termId,
    tranDate: order.tranDate,
    tranTime: order.tranTime,
    compId: order.companyId,
    requestUID: requestUid,
    payerBankCode,
    payerAccount: order.payerAccount,
    transRefNo: order.transRefNo,
    tranAmount: order.amountText,
    [names.proxyNo]: order.proxyNo,
    ...optional(names.proxyName, order.proxyName),
    [names.proxyType]: order.proxyType,
    resendFlag: resendFlagNormal,
    ...optional('reference1', order.reference1),
    ...optional('reference2', order.reference2),
  };
}

/** Body of endpoint 7 (§2.6). transferType is left out: its values are not shown (§4 rule 7). */
export function inquiryBody(inquiry: StatusInquiry, requestUid: string): Body {
  return {
    channelID: inquiry.channelId,
    termID: inquiry.termId,
    tranDate: inquiry.tranDate,
    tranTime: inquiry.tranTime,
    compId: inquiry.companyId,
    transRefNo: inquiry.transRefNo,
    requestUID: requestUid,
  };
}

/** Body of endpoint 3 (§2.2), in the interface's capitalisation; the callback's differs (§2.3). */
export function registrationBody({ vendorId, companyId, accountNo, refs }: RegistrationOrder): Body {
  const [ref1, ref2, ref3, ref4] = refs;
  return {
    vendorID: vendorId,
    companyID: companyId,
    accountNo,
    ...optional('ref1', ref1),
    ...optional('ref2', ref2),
    ...optional('ref3', ref3),
    ...optional('ref4', ref4),
  };
}

/** Headers of endpoint 3 besides those of every request. */
export const registrationHeadersOf = ({ customerId, ipAddress, requestUid }: RegistrationOrder): Body => ({
  [registrationHeaders.message]: JSON.stringify({ ipAddress, requestUID: requestUid }),
  [registrationHeaders.digitalId]: customerId,
});

/** Random bytes of a requestUID: each character carries 5 bits. */
const uidBytes = Math.ceil((fieldLengths.requestUID * 5) / 8);

const drawUid = makeRandomDraws(uidBytes);

/**
 * The requestUID of a registration's repetition with a renewed token: another UUID, computed from the first, so that
 * the journal has named both before a byte leaves.
 */
export function renewRequestUid(requestUid: string): string {
  const digits = hash('sha256', requestUid, 'hex');
  const groups = [8, 12, 16, 20, 32].map((end, place, ends) => digits.slice(ends[place - 1] ?? 0, end));
  return groups.join('-');
}

/** requestUID (§2.4): 20 random characters A–Z0–9, new for every request. */
export const makeRequestUid = (): string => encodeBase32(drawUid(), fieldLengths.requestUID);

// ---------------------------------------------------------------- replies

export type JsonObject = Readonly<Record<string, unknown>>;

/** Longest text taken from a reply; the longest field of the interface has 300 characters (§2.4). */
const textLengthMax = 1_000;

/** A JSON value that is a bare number. Times such as "10:00:00" match too, which only costs a moment. */
const numberPattern = /[:[,]\s*-?\d/;

interface ReviverContext {
  readonly source?: string;
}

/** Turns a number into the text that it was written as: 10.00 stays "10.00", and twenty digits stay exact. */
function keepNumberText(key: string, value: unknown, context?: ReviverContext): unknown {
  return typeof value === 'number' && key !== 'statusCode' ? (context?.source ?? String(value)) : value;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts the names written in valid JSON: each is a string followed by a colon. */
function countWrittenNames(json: string): number {
  let names = 0;
  for (let start = json.indexOf('"'); start >= 0;) {
    let end = json.indexOf('"', start + 1);
    while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
    let after = end + 1;
    while (json.charCodeAt(after) <= 32) after += 1;
    if (json[after] === ':') names += 1;
    start = json.indexOf('"', after);
  }
  return names;
}

/** True when an odd number of backslashes precedes a position. */
function isEscaped(json: string, place: number): boolean {
  let first = place;
  while (json[first - 1] === '\\') first -= 1;
  return (place - first) % 2 === 1;
}

/** Counts the names in all objects of a value. */
function countNames(value: unknown): number {
  let names = 0;
  const left = [value];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    const parts: unknown[] = Object.values(one);
    if (!Array.isArray(one)) names += parts.length;
    for (const part of parts) left.push(part);
  }
  return names;
}

/**
 * The JSON object in a body, with its numbers as written; undefined for anything else. An object that repeats a name is
 * ambiguous between readers, so it counts as unreadable.
 */
export function readJsonObject(body: string): JsonObject | undefined {
  try {
    const json = body.startsWith('\uFEFF') ? body.slice(1) : body;
    const value: unknown = numberPattern.test(json) ? JSON.parse(json, keepNumberText) : JSON.parse(json);
    return isJsonObject(value) && countNames(value) === countWrittenNames(json) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a field; undefined when it is missing, empty or not a string. */
export function readText(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, textLengthMax) : undefined;
}

/** The whole text of a field, uncut: half a token is useless. */
export function readWholeText(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Longest code that is kept. A code has 5 or 6 characters (§7). */
const codeLengthMax = 20;

/**
 * A code of the bank; a longer text is cut, and unprintable characters are replaced, so that neither passes for a code.
 */
export function readCode(object: JsonObject, name: string): string | undefined {
  const text = readText(object, name);
  return text === undefined ? undefined : printable(text.slice(0, codeLengthMax));
}

/** The nested object of a field. */
export function readObject(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isJsonObject(value) ? value : undefined;
}

/** The fields of every business answer and those of its kind; undefined for a body without a code. */
function readBusinessFields<Own>(
  body: string,
  readOwn: (object: JsonObject) => Own,
): (BusinessFields & Own) | undefined {
  const object = readJsonObject(body);
  const statusCode = object && readCode(object, 'statusCode');
  if (object === undefined || statusCode === undefined) return undefined;
  return {
    statusCode,
    statusDesc: readText(object, 'statusDesc'),
    severity: readText(object, 'severity'),
    requestUid: readText(object, 'requestUID'),
    ...readOwn(object),
  };
}

/** Reads the answer of endpoint 5 (§2.4). */
export const readPayeeCheckFields = (body: string, names: WireNames): PayeeCheckFields | undefined =>
  readBusinessFields(body, (object) => ({
    payeeName: readText(object, names.proxyName),
    payeeNameTh: readText(object, names.displayProxyName),
  }));

/** Reads the answer of endpoint 6 (§2.5). */
export const readTransferFields = (body: string): TransferFields | undefined =>
  readBusinessFields(body, (object) => ({
    transRefNo: readText(object, 'transRefNo'),
    sysRefNo: readText(object, 'sysRefNo'),
    transFee: readText(object, 'transFee'),
  }));

/** Reads the answer of endpoint 3 (§2.2). */
export const readRegistrationFields = (body: string): RegistrationFields | undefined =>
  readBusinessFields(body, (object) => ({ ddrOapiSeqId: readText(object, 'ddrOapiSeqId') }));

/** Reads the answer of endpoint 7 (§2.6). */
export const readInquiryFields = (body: string): InquiryFields | undefined =>
  readBusinessFields(body, (object) => ({ items: readItems(object['fundTfrInfoList']) }));

/** Limit on the items of an inquiry: one transfer has at most one item for each day or state. */
const itemsMax = 1_000;

/**
 * Items of the list: empty when it is missing; undefined when it is unreadable, so that no conclusion is drawn from a
 * part.
 */
function readItems(list: unknown): readonly InquiryItem[] | undefined {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list) || list.length > itemsMax || !list.every(isJsonObject)) return undefined;
  return list.map(readItem);
}

function readItem(item: JsonObject): InquiryItem {
  return {
    transRefNo: readText(item, 'transRefNo'),
    sysRefNo: readText(item, 'sysRefNo'),
    tranDate: readText(item, 'tranDate'),
    tranTime: readText(item, 'tranTime'),
    reference1: readText(item, 'reference1'),
    tranStatusCode: readCode(item, 'tranStatusCode'),
    tranStatusDesc: readText(item, 'tranStatusDesc'),
    statusCode: readCode(item, 'statusCode'),
    statusDesc: readText(item, 'statusDesc'),
  };
}

/** True for a body that is not as its bytes have it, in spite of what was asked for. */
const isEncoded = ({ 'content-encoding': encoding = '' }: AnswerHeaders): boolean =>
  encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity';

/** Neither a character that no text has, nor the beginning of JSON: the page of a gateway. */
const pagePattern = /^(?!\s*[\{\["])[[^\p{Cc}\uFFFD]\t\n\f\r]*$/v;

/** True for a body that may hold an answer and cannot be read: encoded, binary, or JSON that is no object or broken. */
export const isGarbled = (headers: AnswerHeaders, body: string): boolean =>
  isEncoded(headers) || (readJsonObject(body) === undefined && !pagePattern.test(body.replace('\uFEFF', '')));

const httpDatePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses an HTTP date to epoch milliseconds; undefined for any other text. */
function parseHttpDate(text = ''): number | undefined {
  const epochMs = httpDatePattern.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** The bank's `Date` header in epoch milliseconds. */
export const readBankDateMs = ({ date }: AnswerHeaders): number | undefined => parseHttpDate(date);

/**
 * The `Retry-After` header, in seconds or as a date, as milliseconds from now; a date counts by the bank's clock if
 * known.
 */
export function readRetryAfterMs(headers: AnswerHeaders, clock: Clock): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = parseHttpDate(text);
  return atMs === undefined ? undefined : Math.max(0, atMs - (readBankDateMs(headers) ?? clock.now()));
}
