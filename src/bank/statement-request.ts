/** Endpoint 8: requests the signed address of a day's statement (§2.7, §7.2). */
import type { BankReply, BusinessFields } from '../core/bank-port.ts';
import type { StatementRequests, StatementOffer } from '../reconcile/ports.ts';
import { type JsonObject, readCode as readCodeText, readJsonObject, readText } from './messages.ts';

/** Name of the date field: the interface's table and its sample differ. */
type StatementDateField = 'date' | 'Date';

interface StatementRequest {
  readonly dateField: StatementDateField;
  /** YYYYMMDD. */
  readonly date: string;
  /** Null for all companies of the partner. */
  readonly companyId: string | null;
}

interface StatementFields extends BusinessFields {
  readonly address: string | undefined;
  readonly key: string | undefined;
  /** True when a key is present but too long: a cut key would be another. */
  readonly isKeyTooLong: boolean;
}

export interface StatementBank {
  /** @param stop as for a payee check */
  requestStatement(request: StatementRequest, stop?: AbortSignal): Promise<BankReply<StatementFields>>;
}

/** statusCode of §7.2. */
const offeredCode = '0';
const notFoundCode = 'AU00002';

/** Longest signed address that is accepted. */
const addressLengthMax = 16_384;

/** Longest key that is accepted; the interface gives no limit. */
const keyLengthMax = 1_000;

/** Body of the request; "leave blank to include all" is taken literally. */
export function statementBody({ dateField, date, companyId }: StatementRequest): Record<string, string> {
  return {
    [dateField]: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`,
    companyID: companyId ?? '',
  };
}

export function readStatementFields(body: string): StatementFields | undefined {
  const object = readJsonObject(body);
  const statusCode = object && readStatusCode(object);
  if (object === undefined || statusCode === undefined) return undefined;
  const address = object['storageSignedUrl'];
  const key = object['unZipKey'];
  return {
    statusCode,
    statusDesc: readText(object, 'statusDesc'),
    severity: undefined,
    requestUid: undefined,
    address: typeof address === 'string' && address.length <= addressLengthMax ? address : undefined,
    key: readText(object, 'unZipKey'),
    isKeyTooLong: typeof key === 'string' && key.length > keyLengthMax,
  };
}

/** The statusCode; success is a zero, which may come as a number. */
function readStatusCode(object: JsonObject): string | undefined {
  const code = object['statusCode'];
  return code === 0 ? offeredCode : readCodeText(object, 'statusCode');
}

/** Adapts a bank client to statement requests. */
export function makeStatementRequests(bank: StatementBank, dateField: StatementDateField): StatementRequests {
  return {
    request: async (date, companyId, stop) =>
      readOffer(await bank.requestStatement({ dateField, date, companyId }, stop)),
  };
}

const unavailable = (why: string, retryAfterMs: number | null = null): StatementOffer => ({
  kind: 'unavailable',
  why,
  retryAfterMs,
});

const notAllowed = (code: string, text: string): StatementOffer => ({ kind: 'not-allowed', code, text });

const noRight = 'our credentials have no right to it, or something on the way forbids it: ask the bank';

/** Meaning of a reply to endpoint 8; a code that §7.2 lacks is left for a person to judge. */
function readOffer(reply: BankReply<StatementFields>): StatementOffer {
  switch (reply.kind) {
    case 'not-sent':
    case 'lost':
      return unavailable(reply.why);
    case 'withheld':
      return unavailable('the request was withheld');
    case 'credentials-refused':
      return notAllowed(reply.code, 'it refuses our client ID and secret: correct them in the settings');
    case 'answered':
      return reply.fields === undefined
        ? readSilence(reply.httpStatus, reply.retryAfterMs ?? null)
        : readCode(reply.fields);
  }
}

function readCode({ statusCode, statusDesc, address, key, isKeyTooLong }: StatementFields): StatementOffer {
  if (statusCode === notFoundCode) return { kind: 'not-found' };
  if (statusCode !== offeredCode)
    return { kind: 'refused', code: statusCode, text: statusDesc ?? 'no description' };
  if (address === undefined || address === '')
    return unavailable('the bank says success and gives no address of the file');
  if (isKeyTooLong)
    return unavailable(`the bank gives an unZipKey of more than ${keyLengthMax} characters, which is none`);
  return { kind: 'offered', address, key: key ?? null };
}

/** Meaning of an answer without a business code, judged by its HTTP status. */
function readSilence(httpStatus: number, retryAfterMs: number | null): StatementOffer {
  if (httpStatus === 401 || httpStatus === 403) return notAllowed(`HTTP ${httpStatus}`, noRight);
  const text = `the bank answered HTTP ${httpStatus} with a body that is not what the interface says`;
  const isFinal = httpStatus >= 300 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 429;
  return isFinal ? { kind: 'refused', code: `HTTP ${httpStatus}`, text } : unavailable(text, retryAfterMs);
}
