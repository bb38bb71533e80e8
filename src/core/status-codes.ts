/** The transfer status codes of the bank, and what each says about the money. */
import { type Message, message } from './message.ts';

/**
 * A transfer status code of §7.3. `outcome` says what is known about the money, `scope` whom it concerns, `remedy` what
 * a person can do. A code outside the list means unknown for the payout, and is reported loudly.
 */
export interface BankStatus {
  readonly code: string;
  readonly outcome: 'paid' | 'failed' | 'unknown';
  readonly scope: 'payout' | 'payer' | 'service';
  readonly remedy: Message;
}

const rows = [
  ['IC000', 'paid', 'payout'],
  ['PT001', 'failed', 'payout'],
  ['TM001', 'failed', 'service'],
  ['IC001', 'unknown', 'payout'],
  ['ED001', 'unknown', 'payout'],
  ['EA001', 'unknown', 'payout'],
  ['EA002', 'unknown', 'payout'],
  ['EA003', 'unknown', 'payout'],
  ['EA004', 'unknown', 'payout'],
  ['EM000', 'unknown', 'payout'],
  ['EM001', 'unknown', 'payout'],
  ['EM002', 'failed', 'payer'],
  ['EM003', 'unknown', 'payout'],
  ['EM004', 'failed', 'payer'],
  ['EM005', 'failed', 'payer'],
  ['EM006', 'failed', 'payer'],
  ['EM009', 'failed', 'payer'],
  ['EM013', 'failed', 'payer'],
  ['EM026', 'failed', 'payer'],
  ['EM027', 'unknown', 'payout'],
  ['EM053', 'failed', 'payer'],
  ['EM058', 'failed', 'service'],
  ['EM059', 'unknown', 'payout'],
  ['EM063', 'failed', 'payer'],
  ['EM066', 'unknown', 'payout'],
  ['EM067', 'unknown', 'payout'],
  ['EM068', 'failed', 'payout'],
  ['EM069', 'failed', 'payout'],
  ['EM070', 'failed', 'payout'],
  ['EM073', 'unknown', 'payout'],
  ['EV001', 'failed', 'payer'],
  ['EV006', 'failed', 'payout'],
  ['EV007', 'failed', 'payer'],
  ['EV011', 'failed', 'payout'],
  ['EV012', 'failed', 'payer'],
  ['EV013', 'failed', 'payer'],
  ['EV032', 'failed', 'payer'],
  ['EV033', 'failed', 'payout'],
  ['EV034', 'unknown', 'payout'],
  ['EV035', 'unknown', 'payout'],
  ['EV036', 'unknown', 'payer'],
  ['EV037', 'failed', 'payout'],
  ['EV038', 'failed', 'payout'],
  ['EV039', 'failed', 'payout'],
  ['EV040', 'failed', 'payout'],
  ['EV042', 'failed', 'payout'],
  ['EV043', 'failed', 'payout'],
  ['EV051', 'failed', 'payout'],
  ['EV052', 'failed', 'payout'],
  ['EV053', 'failed', 'payout'],
  ['EV054', 'failed', 'payer'],
  ['EV055', 'failed', 'payout'],
  ['EV056', 'failed', 'payout'],
  ['EV058', 'unknown', 'service'],
  ['ET001', 'unknown', 'payout'],
  ['ET002', 'unknown', 'service'],
  ['ET004', 'unknown', 'service'],
] as const satisfies readonly (readonly [string, BankStatus['outcome'], BankStatus['scope']])[];

/** All codes of §7.3, in the interface's order. */
export const bankStatuses: readonly BankStatus[] = rows.map(([code, outcome, scope]) => ({
  code,
  outcome,
  scope,
  remedy: message(`bank-remedy.${code}`),
}));

const byCode = new Map(bankStatuses.map((status) => [status.code, status]));

/** The status of a code, or undefined when §7.3 does not have it. */
export function findBankStatus(code: string): BankStatus | undefined {
  return byCode.get(code);
}

/** Meaning of a code for the money of its transfer; `open`: the bank works on it, or holds it. */
export type CodeMeaning = 'paid' | 'failed' | 'open';

/** Meaning of tranStatusCode (§3.2). */
const transferStatuses: ReadonlyMap<string, CodeMeaning> = new Map([
  ['010001', 'open'],
  ['010002', 'open'],
  ['010003', 'open'],
  ['010004', 'paid'],
  ['030002', 'failed'],
  ['030003', 'failed'],
  ['030004', 'open'],
]);

/** Meaning of a tranStatusCode (§3.2); open for one that the interface lacks, or that is missing. */
export const readTransferStatus = (tranStatusCode: string | undefined): CodeMeaning =>
  transferStatuses.get(tranStatusCode ?? '') ?? 'open';

/** Codes that show that the bank knows the reference; after one of them it is never sent again. */
export const acknowledgingCodes: ReadonlySet<string> = new Set([
  'EM001',
  'EM059',
  'EM066',
  'EM067',
  'EM073',
  'ET001',
]);

/**
 * Meaning of a code of §7.3 beside a transfer's own status; undefined for a code that says nothing about it. An error
 * that leaves the outcome open by itself, such as EM027, agrees with a failed status, and never with a complete one.
 */
export function readStatusCode(code: string | undefined): CodeMeaning | undefined {
  const outcome = code === 'IC001' ? undefined : findBankStatus(code ?? '')?.outcome;
  if (outcome !== 'unknown') return outcome;
  return acknowledgingCodes.has(code ?? '') ? 'open' : 'failed';
}

/**
 * Joint meaning of the codes of one inquiry item or one statement line. A failed or paid status beside a code that says
 * otherwise is a contradiction, and proves nothing.
 * @param status meaning of the transfer's own status
 * @param beside meanings of the codes beside it
 */
export function agreeOn(
  status: CodeMeaning,
  ...beside: readonly (CodeMeaning | undefined)[]
): CodeMeaning | 'contradiction' {
  const isContradicted = beside.some((meaning) => meaning !== undefined && meaning !== status);
  return status !== 'open' && isContradicted ? 'contradiction' : status;
}
