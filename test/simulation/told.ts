/** What the replies that reach a process tell, written down apart from the code under test. */
import type { BankReply, InquiryFields, InquiryItem, TransferFields } from '../../src/core/bank-port.ts';
import { duplicateCode, otherDetailsCodes, processingCodes, refusals } from './bank-codes.ts';

export type Finding = 'complete' | 'open' | 'failed' | 'not-found';

/** Codes by which the bank says that it holds the reference. */
export const acknowledging: readonly string[] = [duplicateCode, ...processingCodes, ...otherDetailsCodes];

/** A refusal that concerns the payer or the service, whatever it bears. */
export const isRefusedForAll = (reply: BankReply<TransferFields>): boolean =>
  reply.kind === 'answered' &&
  ([401, 403, 429].includes(reply.httpStatus) ||
    [...refusals.payer, ...refusals.service].includes(reply.fields?.statusCode ?? ''));

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
  if ((httpStatus >= 300 && httpStatus < 400) || [401, 403, 429].includes(httpStatus)) return undefined;
  return (fields.requestUid ?? reply.requestUid) === reply.requestUid ? fields : undefined;
}

/** What an inquiry shows of a reference; undefined when it says nothing. */
export function findIn({ statusCode, items }: InquiryFields, transRefNo: string): Finding | undefined {
  if (statusCode === 'EV034' || statusCode === 'EV035') return 'not-found';
  if (statusCode !== 'IC001' || items === undefined) return undefined;
  if (items.length === 0) return 'not-found';
  const ours = items.filter((item: InquiryItem) => item.transRefNo === transRefNo);
  if (ours.length === 0) return undefined;
  if (ours.some(({ tranStatusCode }) => tranStatusCode === '010004')) return 'complete';
  const isFailed = (code: string | undefined): boolean => code === '030002' || code === '030003';
  return ours.every(({ tranStatusCode }) => isFailed(tranStatusCode)) ? 'failed' : 'open';
}
