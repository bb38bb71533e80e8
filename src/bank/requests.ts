/**
 * Bodies, headers and ids of the business requests, with every field of §2.2 and §2.4–2.6. An optional field that is
 * null is left out.
 */
import { hash } from 'node:crypto';
import { formatBangkokDate, formatBangkokTime } from '../core/bangkok-time.ts';
import type { PayeeCheck, RegistrationOrder, StatusInquiry } from '../core/bank-port.ts';
import type { TransferOrder } from '../core/payout.ts';
import { encodeBase32 } from '../core/reference.ts';
import { makeRandomDraws } from '../platform/random-draws.ts';
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
