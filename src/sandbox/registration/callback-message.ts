/** The callback of §2.3: the bank's message, and the check of the partner's answer. Pure. */
import { registrationHeaders } from '../../bank/wire.ts';
import { formatBangkokDate, formatBangkokMoment, formatBangkokTime } from '../../core/bangkok-time.ts';
import { acknowledged, type Call, type Registration } from './book.ts';
import type { RegistrationTable, ToldOutcome } from './table.ts';

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
export function composeHeaders(
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
export function composeBody(
  registration: Registration,
  call: Call,
  shape: RegistrationTable['applyDtm'],
): string {
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

/** `acknowledged` for the answer that §2.3 requires; otherwise its fault, without quoting it. */
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
