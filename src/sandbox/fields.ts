/** The rules for the fields of a business request (§2.4–2.6), one line a field, with the code of each fault. */
import { fieldLengths, payerBankCode, resendFlagNormal, type WireNames } from '../bank/wire.ts';
import { parseBangkokDate } from '../core/bangkok-time.ts';
import { parseBaht } from '../core/money.ts';
import { computeCheckDigit } from '../core/proxy-id.ts';
import { type BusinessStatus, describeStatus } from './status-texts.ts';

/** A body read as a JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** Checks a value of permitted length. */
type FindValueFault = (value: string) => BusinessStatus | undefined;

interface FieldRule {
  readonly name: string;
  readonly isRequired: boolean;
  readonly lengthMax: number;
  readonly findFault?: FindValueFault | undefined;
}

/** The first fault of a body, or undefined. */
type FindFault = (body: Body) => BusinessStatus | undefined;

/** A refusal whose description adds the field to the bank's own text. */
function refuse(code: string, detail: string): BusinessStatus {
  return { code, text: `${describeStatus(code)}: ${detail}` };
}

const must =
  (isRight: (value: string) => boolean, detail: string, code = 'PT001'): FindValueFault =>
  (value) =>
    isRight(value) ? undefined : refuse(code, detail);

const timePattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const mobilePattern = /^0[689]\d{8}$/;
const nationalIdPattern = /^\d{13}$/;
const plainEnglish = /^[ -~]+$/;
const latinScript = /^[\p{Script=Latin}\p{M}\p{N}\p{P}\p{Zs}]+$/u;

const isDate = (value: string): boolean => parseBangkokDate(value) !== undefined;
const isEnglish = (value: string): boolean => plainEnglish.test(value) || latinScript.test(value);

function findAmountFault(value: string): BusinessStatus | undefined {
  const amount = parseBaht(value);
  if (amount === undefined) return refuse('PT001', 'tranAmount must be decimal text with at most 2 decimals');
  return amount > 0n ? undefined : refuse('PT001', 'tranAmount must be more than 0');
}

function hasRightCheckDigit(digits: string): boolean {
  return nationalIdPattern.test(digits) && computeCheckDigit(digits) === digits.charCodeAt(12) - 48;
}

/**
 * Checks a proxy ID by its type. Not a rule of the fields: a transfer that fails here has entered the bank, and stays
 * there as failed (§2.6 gives EV055 as an item's own code).
 */
export function findProxyFault(proxyNo: string, proxyType: string, name: string): BusinessStatus | undefined {
  if (proxyType === 'MSISDN' && !mobilePattern.test(proxyNo)) {
    return refuse('EV055', `${name} must be a mobile number of ten digits`);
  }
  if (proxyType === 'NATID' && !hasRightCheckDigit(proxyNo)) {
    return refuse('EV055', `${name} must be a citizen or tax ID of 13 digits with a right check digit`);
  }
  return undefined;
}

const required = (name: keyof typeof fieldLengths, findFault?: FindValueFault): FieldRule => ({
  name,
  isRequired: true,
  lengthMax: fieldLengths[name],
  findFault,
});

const optional = (name: keyof typeof fieldLengths): FieldRule => ({ ...required(name), isRequired: false });

const commonRules: readonly FieldRule[] = [
  required('channelID'),
  required('termID'),
  required('tranDate', must(isDate, 'tranDate must be a date YYYYMMDD')),
  required(
    'tranTime',
    must((time) => timePattern.test(time), 'tranTime must be a time HH:mm:ss'),
  ),
  required('compId'),
  required('requestUID'),
];

const isPayerBank = (code: string): boolean => code === payerBankCode;
const isNormal = (flag: string): boolean => flag === resendFlagNormal;

const payerRules: readonly FieldRule[] = [
  required('payerBankCode', must(isPayerBank, `payerBankCode must be ${payerBankCode}`, 'EV013')),
  required(
    'payerAccount',
    must((account) => /^\d+$/.test(account), 'payerAccount must be numeric'),
  ),
];

function payeeRules(names: WireNames, numberMax: number, nameMax: number): readonly FieldRule[] {
  const isType = (type: string): boolean => /^(NATID|MSISDN)$/.test(type);
  const mustBeType = must(isType, `${names.proxyType} must be NATID or MSISDN`, 'EV056');
  const mustBeEnglish = must(isEnglish, `${names.proxyName} must be in English`);
  return [
    { name: names.proxyType, isRequired: true, lengthMax: fieldLengths.type, findFault: mustBeType },
    { name: names.proxyNo, isRequired: true, lengthMax: numberMax },
    { name: names.proxyName, isRequired: false, lengthMax: nameMax, findFault: mustBeEnglish },
  ];
}

function findFieldFault(rule: FieldRule, body: Body): BusinessStatus | undefined {
  const value = body[rule.name];
  if (value === undefined || value === null || value === '') {
    return rule.isRequired ? refuse('PT001', `${rule.name} is required`) : undefined;
  }
  if (typeof value !== 'string') return refuse('EV012', `${rule.name} must be text`);
  if (value.length > rule.lengthMax) {
    return refuse('PT001', `${rule.name} is over max length ${rule.lengthMax}`);
  }
  return rule.findFault?.(value);
}

function toFinder(rules: readonly FieldRule[]): FindFault {
  return (body) =>
    rules
      .values()
      .map((rule) => findFieldFault(rule, body))
      .find((fault) => fault !== undefined);
}

/** Rules of endpoint 5 (§2.4). */
export function payeeCheckRules(names: WireNames): FindFault {
  return toFinder([
    ...commonRules,
    ...payerRules,
    ...payeeRules(names, fieldLengths.checkNo, fieldLengths.checkName),
  ]);
}

/** Rules of endpoint 6 (§2.5). */
export function transferRules(names: WireNames): FindFault {
  return toFinder([
    ...commonRules,
    required('transRefNo'),
    ...payerRules,
    required('tranAmount', findAmountFault),
    required('resendFlag', must(isNormal, `resendFlag must be ${resendFlagNormal}`)),
    ...payeeRules(names, fieldLengths.transferNo, fieldLengths.transferName),
    optional('reference1'),
    optional('reference2'),
  ]);
}

/** Rules of endpoint 7 (§2.6). */
export function inquiryRules(): FindFault {
  return toFinder([...commonRules, required('transRefNo'), optional('transferType')]);
}

/** The text of a field; empty when it is missing or not a string. */
export function textOf(body: Body, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** A field as an answer echoes it; empty when it is longer than the answer's field. */
export function echo(body: Body, name: 'requestUID' | 'transRefNo' | 'reference1' | 'reference2'): string {
  const text = textOf(body, name);
  return text.length > fieldLengths[name] ? '' : text;
}
