import { counted, message, type Message } from './message.ts';
import { explainNoDigits, joinDigitGroups } from './digits.ts';
import type { ProxyType } from './payout.ts';

/** A proxy ID that was read, or why it cannot be read. */
type ProxyReading =
  | { readonly ok: true; readonly proxyType: ProxyType; readonly proxyNo: string }
  | { readonly ok: false; readonly code: string; readonly message: Message };

/** Last characters of a number that a mask leaves. */
export const unmaskedLength = 4;

/** Hides all but the last four characters of a proxy or account number: "******5678". */
export function maskDigits(text: string): string {
  const hidden = text.length <= unmaskedLength ? text.length : text.length - unmaskedLength;
  return '*'.repeat(hidden) + text.slice(hidden);
}

/** "••5924" for masked digits, as pages show them. */
export const shortenMasks = (text: string): string => text.replaceAll(/\*{2,}(?=\d{4}(?!\d))/g, '••');

/** "••5924": the number of a payee or of an account on a page. */
export const showLastDigits = (text: string): string => shortenMasks(maskDigits(text));

const checkWeightMax = 13;

/** The thirteenth digit of a citizen or tax ID, from its first twelve (weights 13 to 2, modulo 11). */
export function computeCheckDigit(firstTwelve: string): number {
  let sum = 0;
  for (let place = 0; place < 12; place += 1)
    sum += (firstTwelve.charCodeAt(place) - 48) * (checkWeightMax - place);
  return (11 - (sum % 11)) % 10;
}

const failed = (code: string, why: Message): ProxyReading => ({ ok: false, code, message: why });

function hasCheckDigit(digits: string): boolean {
  return digits.length === 13 && computeCheckDigit(digits) === digits.charCodeAt(12) - 48;
}

const mobilePattern = /^0[689]\d{8}$/;

/** The ten digits of a Thai mobile number from a national or international form; undefined for anything else. */
function readMobile(digits: string): string | undefined {
  let national = digits;
  if (digits.length === 11 && digits.startsWith('66')) national = `0${digits.slice(2)}`;
  else if (digits.length === 13 && digits.startsWith('0066')) national = `0${digits.slice(4)}`;
  return mobilePattern.test(national) ? national : undefined;
}

const landlinePattern = /^0[2-57]\d{7}$/;

function readAsMobile(digits: string): ProxyReading {
  const proxyNo = readMobile(digits);
  if (proxyNo !== undefined) return { ok: true, proxyType: 'MSISDN', proxyNo };
  if (digits.length === 10) return failed('proxy-mobile-prefix', message('issue.proxy-mobile-prefix'));
  if (digits.length === 9 && /^[689]/.test(digits)) {
    return failed('proxy-damaged', message('issue.proxy-damaged'));
  }
  if (landlinePattern.test(digits)) {
    return failed('proxy-length', message('issue.proxy-landline'));
  }
  if (digits.length === 13 && !digits.startsWith('0066')) {
    return failed('proxy-type-contradicts', message('issue.proxy-type-not-mobile'));
  }
  if (digits.length === 12 && digits.startsWith('660')) {
    return failed('proxy-mobile-prefix', message('issue.proxy-country-zero'));
  }
  return failed(
    'proxy-length',
    message('issue.proxy-no-mobile', { digits: counted(digits.length, 'digit-is') }),
  );
}

/** Reads a number written with a leading +, which can only be a Thai mobile number. */
function readAsInternational(digits: string, declaredType: ProxyType | undefined): ProxyReading {
  if (declaredType === 'NATID') {
    return failed('proxy-type-contradicts', message('issue.proxy-type-international'));
  }
  if (!digits.startsWith('66')) {
    return failed('proxy-mobile-prefix', message('issue.proxy-other-country'));
  }
  if (digits.length === 13) {
    return failed('proxy-length', message('issue.proxy-plus-13'));
  }
  return readAsMobile(digits);
}

function readAsNationalId(digits: string): ProxyReading {
  if (hasCheckDigit(digits)) return { ok: true, proxyType: 'NATID', proxyNo: digits };
  if (readMobile(digits) !== undefined) {
    return failed('proxy-type-contradicts', message('issue.proxy-type-not-id'));
  }
  if (digits.length === 13) {
    return failed('proxy-check-digit', message('issue.proxy-check-digit'));
  }
  if (hasCheckDigit(`0${digits}`)) {
    return failed('proxy-damaged', message('issue.proxy-damaged-tax-id'));
  }
  return failed(
    'proxy-length',
    message('issue.proxy-id-length', { digits: counted(digits.length, 'digit') }),
  );
}

function inferAndRead(digits: string): ProxyReading {
  if (digits.length === 13 && readMobile(digits) !== undefined) {
    return failed('proxy-ambiguous', message('issue.proxy-ambiguous'));
  }
  if (digits.length === 13 || (digits.length === 12 && !digits.startsWith('660')))
    return readAsNationalId(digits);
  if (digits.length >= 9 && digits.length <= 12) return readAsMobile(digits);
  return failed('proxy-length', message('issue.proxy-length', { digits: counted(digits.length, 'digit') }));
}

const digitsOnly = /^[0-9]+$/;
function explainCharacters(text: string): ProxyReading {
  const fault = explainNoDigits(text, 'plus');
  return failed(`proxy-${fault.kind}`, fault.message);
}

/**
 * Reads a proxy ID as a partner wrote it: a mobile number as 0812345678, 081-234-5678, +66812345678, 66812345678
 * or, with its type given, 0066812345678; a citizen or tax ID as 13 digits with a right check digit, hyphens allowed.
 * @param text the cell, trimmed
 * @param declaredType the row's proxyType, undefined when the row leaves it out
 */
export function readProxyId(text: string, declaredType: ProxyType | undefined): ProxyReading {
  if (text === '') return failed('proxy-missing', message('issue.proxy-missing'));
  let digits = text;
  if (!digitsOnly.test(text)) {
    digits = joinDigitGroups(text.replace(/^\+/, ''));
    if (!digitsOnly.test(digits)) return explainCharacters(text);
    if (text.startsWith('+')) return readAsInternational(digits, declaredType);
  }
  switch (declaredType) {
    case undefined:
      return inferAndRead(digits);
    case 'MSISDN':
      return readAsMobile(digits);
    case 'NATID':
      return readAsNationalId(digits);
  }
}
