/** The rules for headers and fields of a registration (§2.2), with the code of §7.1 for each fault. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { registrationHeaders, registrationLengths } from '../../bank/wire.ts';
import { readBankDateTime, type RegistrationIdentity } from '../../registration/rules/callback.ts';
import { type Body, textOf } from '../fields.ts';
import type { BusinessStatus } from '../status-texts.ts';
import { registrationStatus } from './status-texts.ts';

/** The message header, read as a JSON object; undefined when it is missing or not one. */
export function readMessageHeader(headers: IncomingHttpHeaders): Body | undefined {
  const text = headers[registrationHeaders.message];
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** The header digital-id; empty when it is missing. */
export const readDigitalId = (headers: IncomingHttpHeaders): string =>
  String(headers[registrationHeaders.digitalId] ?? '').trim();

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A requestUID: visible characters only. */
const requestUidPattern = new RegExp(`^[!-~]{1,${registrationLengths.requestUID}}$`);

/** The requestUID as echoed in the answer; empty when it is malformed. */
export function echoRequestUid(header: Body | undefined): string {
  const requestUid = textOf(header ?? {}, 'requestUID');
  return requestUidPattern.test(requestUid) ? requestUid : '';
}

const messageFields: readonly (readonly [name: string, isRight: (value: string) => boolean])[] = [
  ['ipAddress', (value) => isIP(value) !== 0],
  ['requestUID', (value) => requestUidPattern.test(value)],
];

/** Checks that the headers are present (AU00003) and well-formed (AU00004). */
export function findHeaderFault(headers: IncomingHttpHeaders): BusinessStatus | undefined {
  const { message, digitalId } = registrationHeaders;
  if (isMissing(headers[message])) return registrationStatus('AU00003', message);
  const header = readMessageHeader(headers);
  if (header === undefined) return registrationStatus('AU00004', message);
  for (const [name, isRight] of messageFields) {
    if (isMissing(header[name])) return registrationStatus('AU00003', name);
    if (!isRight(textOf(header, name))) return registrationStatus('AU00004', name);
  }
  return readDigitalId(headers) === '' ? registrationStatus('AU00003', digitalId) : undefined;
}

const dateTimePattern = /^\d{8} \d\d:\d\d:\d\d$/;

/**
 * Checks the optional fields of a message header, the same as in a callback (§2.3): form (CMN002) and value (CMN003).
 */
export function findExtraFault(header: Body, channelId: string): BusinessStatus | undefined {
  if (!isMissing(header['channelId']) && header['channelId'] !== channelId)
    return registrationStatus('CMN003', 'channelId');
  if (isMissing(header['requestDateTime'])) return undefined;
  const dateTime = textOf(header, 'requestDateTime');
  if (!dateTimePattern.test(dateTime)) return registrationStatus('CMN002', 'requestDateTime');
  return readBankDateTime(dateTime).ok ? undefined : registrationStatus('CMN003', 'requestDateTime');
}

type FieldName = Exclude<keyof typeof registrationLengths, 'requestUID'>;

interface FieldRule {
  readonly name: FieldName;
  readonly isRequired: boolean;
  readonly pattern: RegExp;
  /** Code for a text of permitted length that does not match the pattern. */
  readonly code: string;
}

const lettersAndDigits = /^[A-Za-z0-9]+$/;
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const refNames = ['ref1', 'ref2', 'ref3', 'ref4'] as const;

const rules: readonly FieldRule[] = [
  { name: 'vendorID', isRequired: true, pattern: lettersAndDigits, code: 'CMN002' },
  { name: 'companyID', isRequired: true, pattern: lettersAndDigits, code: 'CMN002' },
  { name: 'accountNo', isRequired: true, pattern: /^\d+$/, code: 'CMN004' },
  ...refNames.map((name) => ({ name, isRequired: false, pattern: printable, code: 'CMN003' })),
];

function findRuleFault({ name, isRequired, pattern, code }: FieldRule, body: Body) {
  const value = body[name];
  if (isMissing(value)) return isRequired ? registrationStatus('CMN001', name) : undefined;
  if (typeof value !== 'string') return registrationStatus('CMN002', name);
  const lengthMax = registrationLengths[name];
  if (value.length > lengthMax) return registrationStatus('CMN005', name, lengthMax);
  return pattern.test(value) ? undefined : registrationStatus(code, name);
}

/**
 * The first fault of a body's fields: missing (CMN001), not a text (CMN002), not numeric (CMN004), too long (CMN005).
 */
export function findFieldFault(body: Body): BusinessStatus | undefined {
  return rules
    .values()
    .map((rule) => findRuleFault(rule, body))
    .find((fault) => fault !== undefined);
}

/** The identity of the registration in a valid body. */
export function readIdentity(body: Body): RegistrationIdentity {
  const readRef = (name: FieldName): string | null => (textOf(body, name) === '' ? null : textOf(body, name));
  return {
    vendorId: textOf(body, 'vendorID'),
    companyId: textOf(body, 'companyID'),
    accountNo: textOf(body, 'accountNo'),
    refs: [readRef('ref1'), readRef('ref2'), readRef('ref3'), readRef('ref4')],
  };
}
