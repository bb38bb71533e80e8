/** The transfer status codes of the bank, and what each says about the money. */
import { thaiStatusRemedies } from './status-remedies-th.ts';

/**
 * A transfer status code of §7.3. `outcome` says what is known about the money, `scope` whom it concerns, `remedy` what
 * a person can do. A code outside the list means unknown for the payout, and is reported loudly.
 */
export interface BankStatus {
  readonly code: string;
  readonly outcome: 'paid' | 'failed' | 'unknown';
  readonly scope: 'payout' | 'payer' | 'service';
  readonly remedy: string;
  /** The remedy in Thai. */
  readonly remedyTh: string;
}

const rows = [
  ['IC000', 'paid', 'payout', 'Nothing to do'],
  ['PT001', 'failed', 'payout', 'Correct the field that the bank names and send the payout again'],
  ['TM001', 'failed', 'service', 'Sent again when the service opens'],
  [
    'IC001',
    'unknown',
    'payout',
    'Means a successful inquiry; as a transfer answer it proves nothing: inquire',
  ],
  ['ED001', 'unknown', 'payout', 'Bank must investigate if the inquiry does not settle it'],
  ['EA001', 'unknown', 'payout', 'Bank must investigate if the inquiry does not settle it'],
  ['EA002', 'unknown', 'payout', 'Bank must investigate if the inquiry does not settle it'],
  ['EA003', 'unknown', 'payout', 'Bank must investigate if the inquiry does not settle it'],
  ['EA004', 'unknown', 'payout', 'Bank must investigate if the inquiry does not settle it'],
  ['EM000', 'unknown', 'payout', 'Bank must investigate if the inquiry does not settle it'],
  [
    'EM001',
    'unknown',
    'payout',
    'The bank already holds this reference: inquire and compare before believing anything',
  ],
  ['EM002', 'failed', 'payer', 'Ask the bank to subscribe the company to the service'],
  ['EM003', 'unknown', 'payout', 'Executed and failed as the description says: the inquiry proves it'],
  [
    'EM004',
    'failed',
    'payer',
    'Register the payer account for the company or correct it in the configuration',
  ],
  ['EM005', 'failed', 'payer', 'Ask the bank why the payer account is not allowed'],
  ['EM006', 'failed', 'payer', 'Ask the bank to allow direct credit registration'],
  ['EM009', 'failed', 'payer', 'Check the status of the company ID with the bank'],
  ['EM013', 'failed', 'payer', 'Check the payer account in the configuration with the bank'],
  ['EM026', 'failed', 'payer', 'Check the bank code in the configuration'],
  ['EM027', 'unknown', 'payout', 'The destination bank timed out: inquire'],
  ['EM053', 'failed', 'payer', 'Fund the payer account then resume the batch'],
  ['EM058', 'failed', 'service', 'Sent again later'],
  ['EM059', 'unknown', 'payout', 'The bank holds this reference with other details: inquire and compare'],
  ['EM063', 'failed', 'payer', 'Ask the bank which service the company may use'],
  ['EM066', 'unknown', 'payout', 'In process at the bank: inquire and do not send again'],
  ['EM067', 'unknown', 'payout', 'The bank holds this reference with other details: inquire and compare'],
  ['EM068', 'failed', 'payout', 'Ask the bank to allow transfers to other banks'],
  ['EM069', 'failed', 'payout', 'Reduce or split the amount'],
  ['EM070', 'failed', 'payout', 'Check the fee conditions with the bank'],
  ['EM073', 'unknown', 'payout', 'In process at the bank: inquire and do not send again'],
  ['EV001', 'failed', 'payer', 'Check the permission and status of the API user'],
  ['EV006', 'failed', 'payout', 'Ask the payee for a registered proxy ID'],
  ['EV007', 'failed', 'payer', 'Check the financial limit settings with the bank'],
  ['EV011', 'failed', 'payout', "The payee's account is not active"],
  ['EV012', 'failed', 'payer', 'The request has a wrong parameter type: check the configuration'],
  ['EV013', 'failed', 'payer', 'The payer bank code must be 006'],
  ['EV032', 'failed', 'payer', 'Check the status of the payer account with the bank'],
  ['EV033', 'failed', 'payout', "The payee's account cannot receive funds"],
  ['EV034', 'unknown', 'payout', 'The bank knows no such transaction'],
  ['EV035', 'unknown', 'payout', 'The bank knows no such transaction'],
  ['EV036', 'unknown', 'payer', 'Check the status of the payer account'],
  ['EV037', 'failed', 'payout', "The payee's account is closed or not active"],
  ['EV038', 'failed', 'payout', "The payee's account is not registered for direct credit"],
  ['EV039', 'failed', 'payout', "The reference does not match the payee's account"],
  ['EV040', 'failed', 'payout', "The citizen ID does not match the payee's account"],
  ['EV042', 'failed', 'payout', "The payee's account must be a saving or current account"],
  ['EV043', 'failed', 'payout', "The payee's account must be a saving or current account"],
  ['EV051', 'failed', 'payout', "Confirm the payee's name and send the payout again"],
  ['EV052', 'failed', 'payout', 'Ask the bank to allow same-bank transfers'],
  ['EV053', 'failed', 'payout', 'Ask the bank to allow other-bank transfers'],
  ['EV054', 'failed', 'payer', 'Ask the bank to allow proxy transfer'],
  ['EV055', 'failed', 'payout', 'Correct the proxy number'],
  ['EV056', 'failed', 'payout', 'Correct the proxy type'],
  ['EV058', 'unknown', 'service', 'Interbank service unavailable: inquire and slow down'],
  ['ET001', 'unknown', 'payout', 'Timed out inside the bank: inquire and do not send again'],
  ['ET002', 'unknown', 'service', 'Destination bank unreachable: inquire and slow down'],
  ['ET004', 'unknown', 'service', 'Maintenance or technical issue: inquire and slow down'],
] as const satisfies readonly (readonly [string, BankStatus['outcome'], BankStatus['scope'], string])[];

/** All codes of §7.3, in the interface's order. */
export const bankStatuses: readonly BankStatus[] = rows.map(([code, outcome, scope, remedy]) => ({
  code,
  outcome,
  scope,
  remedy,
  remedyTh: thaiStatusRemedies[code],
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
