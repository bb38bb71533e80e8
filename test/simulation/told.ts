/** What the replies that reach a process tell, written down apart from the code under test. */
import type { BankReply, InquiryFields, InquiryItem, TransferFields } from '../../src/core/bank-port.ts';
import {
  allRefusals,
  duplicateCode,
  otherDetailsCodes,
  processingCodes,
  refusals,
  successCode,
} from './bank-codes.ts';

export type Finding = 'complete' | 'open' | 'failed' | 'not-found';

/** Codes by which the bank says that it holds the reference. */
export const acknowledging: readonly string[] = [duplicateCode, ...processingCodes, ...otherDetailsCodes];

/** HTTP statuses that refuse a request; the body may say more. */
const refusingStatuses: readonly number[] = [401, 403, 429];

/** A refusal that concerns the payer or the service, whatever it bears. */
export function isRefusedForAll(reply: BankReply<TransferFields>): boolean {
  if (reply.kind !== 'answered') return false;
  const code = reply.fields?.statusCode;
  if (refusingStatuses.includes(reply.httpStatus)) return code === undefined || allRefusals.includes(code);
  return [...refusals.payer, ...refusals.service].includes(code ?? '');
}

/** IC000 with our references. */
export function isProof(
  reply: BankReply<TransferFields>,
  fields: TransferFields | undefined,
  transRefNo: string,
): boolean {
  if (reply.kind !== 'answered' || fields?.statusCode !== 'IC000') return false;
  return fields.transRefNo === transRefNo && fields.requestUid === reply.requestUid;
}

/** The fields of a reply that is ours to believe. */
export function readable<Fields extends { readonly requestUid: string | undefined }>(
  reply: BankReply<Fields>,
): Fields | undefined {
  if (reply.kind !== 'answered' || reply.fields === undefined) return undefined;
  const { httpStatus, fields } = reply;
  if (httpStatus >= 300 && httpStatus < 400) return undefined;
  return (fields.requestUid ?? reply.requestUid) === reply.requestUid ? fields : undefined;
}

/** What the reply to an inquiry shows of a reference; undefined when it says nothing. */
export function findTold(reply: BankReply<InquiryFields>, transRefNo: string): Finding | undefined {
  const fields = readable(reply);
  const finding = fields === undefined ? undefined : findIn(fields, transRefNo);
  const isRefused = reply.kind === 'answered' && refusingStatuses.includes(reply.httpStatus);
  return isRefused && (finding === 'failed' || finding === 'not-found') ? undefined : finding;
}

function findIn({ statusCode, items }: InquiryFields, transRefNo: string): Finding | undefined {
  if (statusCode === 'EV034' || statusCode === 'EV035') return 'not-found';
  if (statusCode !== 'IC001' || items === undefined) return undefined;
  if (items.length === 0) return 'not-found';
  const ours = items.filter((item: InquiryItem) => item.transRefNo === transRefNo);
  if (ours.length === 0) return undefined;
  if (ours.some(isComplete)) return 'complete';
  return ours.every(isFailed) ? 'failed' : 'open';
}

/** The codes of the simulated bank's items are those of its own table: what says neither is no contradiction. */
const isComplete = ({ tranStatusCode, statusCode = successCode }: InquiryItem): boolean =>
  tranStatusCode === '010004' && statusCode === successCode;

const isFailed = ({ tranStatusCode, statusCode }: InquiryItem): boolean =>
  (tranStatusCode === '030002' || tranStatusCode === '030003') &&
  (statusCode === undefined || allRefusals.includes(statusCode));
