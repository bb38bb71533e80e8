/**
 * What a reply of the bank means (design: "Reading a reply to a transfer"). Pure and total: every reply that can
 * come back over the wire has exactly one meaning, and anything that is not understood is unknown.
 */
import type {
  BankReply,
  BusinessFields,
  InquiryFields,
  InquiryItem,
  PayeeCheckFields,
  TransferFields,
} from '../../core/bank-port.ts';
import { type BankStatus, findBankStatus } from '../../core/status-codes.ts';

/** A code (the bank's, or our own in lower case) and its text for people. */
export interface Reason {
  readonly code: string;
  readonly text: string;
}

/** Trouble of the whole service, with the bank's own wish for when to come back. */
export interface ServiceTrouble extends Reason {
  readonly retryAfterMs: number | undefined;
}

export type TransferFinding =
  | {
      readonly kind: 'paid';
      readonly reason: Reason;
      readonly sysRefNo: string | null;
      readonly feeText: string | null;
    }
  /** Definite: the bank has refused it and will not complete it. */
  | { readonly kind: 'failed'; readonly scope: BankStatus['scope']; readonly reason: Reason }
  /** Refused by the gateway before processing. */
  | { readonly kind: 'refused'; readonly scope: 'payer' | 'service'; readonly reason: ServiceTrouble }
  /** No byte of the request has left. */
  | { readonly kind: 'not-sent'; readonly scope: 'payer' | 'service'; readonly reason: Reason }
  | { readonly kind: 'withheld' }
  | {
      readonly kind: 'unknown';
      readonly scope: BankStatus['scope'];
      readonly reason: ServiceTrouble;
      /** The reply shows that the bank knows this reference. */
      readonly acknowledged: boolean;
      /** The reference, or its details, may be another's. */
      readonly contested: boolean;
    };

export type InquiryReading =
  | { readonly kind: 'complete'; readonly reason: Reason; readonly sysRefNo: string | null }
  | { readonly kind: 'in-process'; readonly reason: Reason }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly sysRefNo: string | null }
  | { readonly kind: 'not-found'; readonly reason: Reason }
  /** Says nothing about the transfer: ask again; `trouble` when it concerns the whole service. */
  | { readonly kind: 'nothing-said'; readonly reason: ServiceTrouble; readonly isTrouble: boolean };

export type PayeeFinding =
  | { readonly kind: 'payable'; readonly payeeName: string | null; readonly payeeNameTh: string | null }
  | { readonly kind: 'unpayable'; readonly reason: Reason }
  | { readonly kind: 'halt'; readonly reason: Reason }
  | { readonly kind: 'ask-again'; readonly reason: ServiceTrouble; readonly isTrouble: boolean };

/** Codes that show that the bank knows the reference: it is never sent again after one of them. */
const acknowledgingCodes: ReadonlySet<string> = new Set([
  'EM001',
  'EM059',
  'EM066',
  'EM067',
  'EM073',
  'ET001',
]);

/** Codes that say that the bank holds the reference with other details. */
const otherDetailsCodes: ReadonlySet<string> = new Set(['EM059', 'EM067']);

const notFoundCodes: ReadonlySet<string> = new Set(['EV034', 'EV035']);

const completeTranStatus = '010004';
const failedTranStatuses: ReadonlySet<string> = new Set(['030002', '030003']);

/** Our code for a request that may have arrived and got no answer. */
export const replyLost = 'reply-lost';

/** Longest bank text that is kept; the interface allows 256 (§2.5). */
const textLengthMax = 256;

/** Hides digit runs that could be an account, a citizen ID or a mobile number in a text of the bank's. */
export function maskDigitRuns(text: string): string {
  return text.replaceAll(/\d[\d -]{5,}\d/g, (run) => `${'*'.repeat(run.length - 4)}${run.slice(-4)}`);
}

function bankReason(fields: BusinessFields): Reason {
  const text = (fields.statusDesc ?? '').slice(0, textLengthMax);
  return {
    code: fields.statusCode,
    text: text === '' ? `the bank answered ${fields.statusCode}` : maskDigitRuns(text),
  };
}

const trouble = (code: string, text: string, retryAfterMs?: number): ServiceTrouble => ({
  code,
  text,
  retryAfterMs,
});

type Answered<Fields> = Extract<BankReply<Fields>, { kind: 'answered' }>;

function isRedirect(httpStatus: number): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

function isAnothers(echo: string | undefined, ours: string): boolean {
  return echo !== undefined && echo !== '' && echo !== ours;
}

/** What the HTTP layer alone decides, before any body is believed; undefined when the body may speak. */
type GatewayFinding =
  | { readonly kind: 'foreign'; readonly reason: ServiceTrouble }
  | { readonly kind: 'refused'; readonly scope: 'payer' | 'service'; readonly reason: ServiceTrouble };

function readGateway<Fields extends BusinessFields>(reply: Answered<Fields>): GatewayFinding | undefined {
  const { httpStatus, fields } = reply;
  if (isRedirect(httpStatus)) {
    return {
      kind: 'foreign',
      reason: trouble('redirected', `the bank answered HTTP ${httpStatus}; redirects are never followed`),
    };
  }
  if (isAnothers(fields?.requestUid, reply.requestUid)) {
    return {
      kind: 'foreign',
      reason: trouble('foreign-reply', 'the reply bears the requestUID of another request'),
    };
  }
  if (httpStatus === 401) {
    return {
      kind: 'refused',
      scope: 'payer',
      reason: trouble('http-401', 'the bank refuses our access token even after it was renewed'),
    };
  }
  if (httpStatus === 403) {
    return {
      kind: 'refused',
      scope: 'payer',
      reason: trouble('http-403', 'the bank forbids this request (HTTP 403)'),
    };
  }
  if (httpStatus === 429) {
    return {
      kind: 'refused',
      scope: 'service',
      reason: trouble('http-429', 'the bank asks us to slow down (HTTP 429)', reply.retryAfterMs),
    };
  }
  return undefined;
}

function unreadable<Fields>(reply: Answered<Fields>): ServiceTrouble {
  return reply.httpStatus >= 200 && reply.httpStatus < 300
    ? trouble('unreadable-reply', 'the body of the reply is not what the interface says')
    : trouble(
        `http-${reply.httpStatus}`,
        `the bank answered HTTP ${reply.httpStatus} without a status code`,
        reply.retryAfterMs,
      );
}

type Unanswered = Exclude<BankReply<never>, { kind: 'answered' }>;

const credentialsRefused = (code: string): Reason => ({
  code,
  text: 'the bank refuses our client ID and secret: correct them in the settings',
});

function readUnsentTransfer(reply: Unanswered): TransferFinding {
  switch (reply.kind) {
    case 'withheld':
      return { kind: 'withheld' };
    case 'credentials-refused':
      return { kind: 'not-sent', scope: 'payer', reason: credentialsRefused(reply.code) };
    case 'not-sent':
      return {
        kind: 'not-sent',
        scope: 'service',
        reason: { code: 'not-sent', text: `nothing was sent: ${reply.why}` },
      };
    case 'lost':
      return unknown(
        'payout',
        trouble(replyLost, `the request may have arrived, no answer came: ${reply.why}`),
      );
  }
}

function unknown(
  scope: BankStatus['scope'],
  reason: ServiceTrouble,
  acknowledged = false,
  contested = false,
): TransferFinding {
  return { kind: 'unknown', scope, reason, acknowledged, contested };
}

/**
 * Reads the reply to a transfer (§2.5, §7.3).
 * @param transRefNo the reference that was sent
 * @param isFirstSend true when no bytes of this attempt can have left before: EM001 then speaks of somebody else's transfer
 */
export function classifyTransferReply(
  reply: BankReply<TransferFields>,
  transRefNo: string,
  isFirstSend: boolean,
): TransferFinding {
  if (reply.kind !== 'answered') return readUnsentTransfer(reply);
  if (!isRedirect(reply.httpStatus) && isAnothers(reply.fields?.transRefNo, transRefNo)) {
    return unknown('payout', trouble('foreign-reply', 'the reply bears the transRefNo of another transfer'));
  }
  const gateway = readGateway(reply);
  if (gateway?.kind === 'foreign') return unknown('payout', gateway.reason);
  if (gateway?.kind === 'refused') return gateway;
  if (reply.fields === undefined) return unknown('payout', unreadable(reply));
  return readTransferCode(reply, reply.fields, transRefNo, isFirstSend);
}

function readTransferCode(
  reply: Answered<TransferFields>,
  fields: TransferFields,
  transRefNo: string,
  isFirstSend: boolean,
): TransferFinding {
  const reason = bankReason(fields);
  const status = findBankStatus(fields.statusCode);
  if (status === undefined) {
    return unknown('payout', trouble(reason.code, `the interface has no such code; ${reason.text}`));
  }
  switch (status.outcome) {
    case 'paid': {
      const isProof = fields.transRefNo === transRefNo && fields.requestUid === reply.requestUid;
      if (!isProof) {
        return unknown(
          'payout',
          trouble('unproven-success', 'IC000 without our transRefNo and requestUID'),
          true,
        );
      }
      return { kind: 'paid', reason, sysRefNo: fields.sysRefNo ?? null, feeText: fields.transFee ?? null };
    }
    case 'failed':
      return { kind: 'failed', scope: status.scope, reason };
    case 'unknown': {
      const contested = otherDetailsCodes.has(status.code) || (status.code === 'EM001' && isFirstSend);
      const withRetry = { ...reason, retryAfterMs: reply.retryAfterMs };
      return unknown(status.scope, withRetry, acknowledgingCodes.has(status.code), contested);
    }
  }
}

function readUnsentInquiry(reply: Unanswered): InquiryReading {
  switch (reply.kind) {
    case 'withheld':
      return {
        kind: 'nothing-said',
        reason: trouble('withheld', 'the inquiry was not sent'),
        isTrouble: false,
      };
    case 'credentials-refused':
      return {
        kind: 'nothing-said',
        reason: { ...credentialsRefused(reply.code), retryAfterMs: undefined },
        isTrouble: true,
      };
    case 'not-sent':
      return {
        kind: 'nothing-said',
        reason: trouble('not-sent', `the inquiry was not sent: ${reply.why}`),
        isTrouble: true,
      };
    case 'lost':
      return {
        kind: 'nothing-said',
        reason: trouble(replyLost, `no answer to the inquiry: ${reply.why}`),
        isTrouble: false,
      };
  }
}

/**
 * Reads the reply to a status inquiry (§2.6, §3.2). Only items that bear our transRefNo count;
 * a list that holds others' items alone contradicts the request and says nothing.
 */
export function classifyInquiryReply(reply: BankReply<InquiryFields>, transRefNo: string): InquiryReading {
  if (reply.kind !== 'answered') return readUnsentInquiry(reply);
  const gateway = readGateway(reply);
  if (gateway !== undefined) {
    return { kind: 'nothing-said', reason: gateway.reason, isTrouble: gateway.kind === 'refused' };
  }
  if (reply.fields === undefined)
    return { kind: 'nothing-said', reason: unreadable(reply), isTrouble: false };
  const reason = bankReason(reply.fields);
  if (notFoundCodes.has(reason.code)) return { kind: 'not-found', reason };
  if (reason.code !== 'IC001') {
    const scope = findBankStatus(reason.code)?.scope;
    return {
      kind: 'nothing-said',
      reason: { ...reason, retryAfterMs: reply.retryAfterMs },
      isTrouble: scope === 'service',
    };
  }
  return readInquiryItems(reply.fields.items, transRefNo, reason);
}

function readInquiryItems(
  items: readonly InquiryItem[] | undefined,
  transRefNo: string,
  reason: Reason,
): InquiryReading {
  if (items?.length === 0) return { kind: 'not-found', reason };
  const ours = (items ?? []).filter((item) => item.transRefNo === transRefNo);
  const complete = ours.find((item) => item.tranStatusCode === completeTranStatus);
  if (complete !== undefined) {
    return { kind: 'complete', reason: itemReason(complete), sysRefNo: complete.sysRefNo ?? null };
  }
  const open = ours.find((item) => !failedTranStatuses.has(item.tranStatusCode ?? ''));
  if (open !== undefined) return { kind: 'in-process', reason: itemReason(open) };
  const last = ours.at(-1);
  if (last !== undefined)
    return { kind: 'failed', reason: itemReason(last), sysRefNo: last.sysRefNo ?? null };
  return {
    kind: 'nothing-said',
    reason: trouble('foreign-reply', 'the inquiry answered with transfers that are not the one asked for'),
    isTrouble: false,
  };
}

/** The transfer's own code where the item has one, else its tranStatusCode. */
function itemReason(item: InquiryItem): Reason {
  const text =
    item.statusDesc ?? item.tranStatusDesc ?? `transfer status ${item.tranStatusCode ?? 'missing'}`;
  return {
    code: item.statusCode ?? item.tranStatusCode ?? 'no-status',
    text: maskDigitRuns(text.slice(0, textLengthMax)),
  };
}

/** Reads the reply to a payee check (§2.4). No money can move here, so all that is not understood is asked again. */
export function classifyPayeeCheckReply(reply: BankReply<PayeeCheckFields>): PayeeFinding {
  if (reply.kind === 'credentials-refused') return { kind: 'halt', reason: credentialsRefused(reply.code) };
  if (reply.kind !== 'answered') {
    const { reason, isTrouble } = readUnsentInquiry(reply) as Extract<
      InquiryReading,
      { kind: 'nothing-said' }
    >;
    return { kind: 'ask-again', reason, isTrouble };
  }
  const gateway = readGateway(reply);
  if (gateway?.kind === 'refused' && gateway.scope === 'payer')
    return { kind: 'halt', reason: gateway.reason };
  if (gateway !== undefined)
    return { kind: 'ask-again', reason: gateway.reason, isTrouble: gateway.kind === 'refused' };
  if (reply.fields === undefined) return { kind: 'ask-again', reason: unreadable(reply), isTrouble: false };
  return readPayeeCode(reply, reply.fields);
}

function readPayeeCode(reply: Answered<PayeeCheckFields>, fields: PayeeCheckFields): PayeeFinding {
  const reason = bankReason(fields);
  if (reason.code === 'IC001') {
    return { kind: 'payable', payeeName: fields.payeeName ?? null, payeeNameTh: fields.payeeNameTh ?? null };
  }
  const status = findBankStatus(reason.code);
  if (status?.outcome === 'failed' && status.scope === 'payout') return { kind: 'unpayable', reason };
  if (status?.outcome === 'failed' && status.scope === 'payer') return { kind: 'halt', reason };
  return {
    kind: 'ask-again',
    reason: { ...reason, retryAfterMs: reply.retryAfterMs },
    isTrouble: status?.scope === 'service',
  };
}

// ---- What is kept of every reply, with the attempt's history: enough to talk to the bank about it, no secret, no number.

/** Small and JSON-encodable; the parts that a reply does not have are left out. */
export interface ReplyFacts {
  readonly requestUid?: string;
  readonly xRequestId?: string;
  readonly elapsedMs?: number;
  readonly httpStatus?: number;
  readonly statusCode?: string;
  readonly statusDesc?: string;
  readonly severity?: string;
  readonly sysRefNo?: string;
  readonly transFee?: string;
  /** Why no answer came, or why nothing was sent. */
  readonly why?: string;
}

type ReplyFields = BusinessFields & {
  readonly sysRefNo?: string | undefined;
  readonly transFee?: string | undefined;
};

function fieldFacts(fields: ReplyFields): ReplyFacts {
  const { statusCode, statusDesc, severity, sysRefNo, transFee } = fields;
  return {
    statusCode,
    ...(statusDesc === undefined ? {} : { statusDesc: maskDigitRuns(statusDesc.slice(0, textLengthMax)) }),
    ...(severity === undefined ? {} : { severity }),
    ...(sysRefNo === undefined ? {} : { sysRefNo }),
    ...(transFee === undefined ? {} : { transFee }),
  };
}

/** The facts of one reply. */
export function replyFacts(reply: BankReply<ReplyFields>): ReplyFacts {
  switch (reply.kind) {
    case 'withheld':
      return {};
    case 'credentials-refused':
      return { statusCode: reply.code };
    case 'not-sent':
      return { why: reply.why };
    case 'lost': {
      const { requestUid, xRequestId, elapsedMs, why } = reply;
      return { requestUid, xRequestId, elapsedMs: Math.round(elapsedMs), why };
    }
    case 'answered': {
      const { requestUid, xRequestId, elapsedMs, httpStatus, fields } = reply;
      const exchange = { requestUid, xRequestId, elapsedMs: Math.round(elapsedMs), httpStatus };
      return fields === undefined ? exchange : { ...exchange, ...fieldFacts(fields) };
    }
  }
}
