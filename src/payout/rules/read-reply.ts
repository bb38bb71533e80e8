/**
 * What a reply of the bank means (design: "Reading a reply to a transfer"), read once: what it says of the money, what
 * the circuit breaker and the adaptive limit learn from it, the bank's time, and what the history keeps. Pure and total:
 * every reply that can come back over the wire has exactly one meaning, and anything that is not understood is unknown.
 */
import type { Reason } from '../../core/change.ts';
import type { Attempt } from '../../core/payout.ts';
import type {
  BankReply,
  BusinessFields,
  InquiryFields,
  InquiryItem,
  PayeeCheckFields,
  TransferFields,
} from '../../core/bank-port.ts';
import { type BankStatus, findBankStatus } from '../../core/status-codes.ts';
import { countDelivered } from './resend.ts';

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
  /** The moment for these bytes had passed: they were kept back. */
  | { readonly kind: 'aborted-before-send' }
  | {
      readonly kind: 'unknown';
      readonly scope: BankStatus['scope'];
      readonly reason: ServiceTrouble;
      /** The reply shows that the bank knows this reference. */
      readonly acknowledged: boolean;
      /** The reference, or its details, may be another's. */
      readonly referenceConflict: boolean;
    };

export type InquiryReading =
  | { readonly kind: 'complete'; readonly reason: Reason; readonly sysRefNo: string | null }
  | { readonly kind: 'in-process'; readonly reason: Reason }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly sysRefNo: string | null }
  | { readonly kind: 'not-found'; readonly reason: Reason }
  /** Says nothing about the transfer: ask again; `isTrouble` when it concerns the whole service. */
  | { readonly kind: 'nothing-said'; readonly reason: ServiceTrouble; readonly isTrouble: boolean };

export type PayeeFinding =
  | { readonly kind: 'payable'; readonly payeeName: string | null; readonly payeeNameTh: string | null }
  | { readonly kind: 'unpayable'; readonly reason: Reason }
  | { readonly kind: 'halt'; readonly reason: Reason }
  | { readonly kind: 'ask-again'; readonly reason: ServiceTrouble; readonly isTrouble: boolean };

/** What a reply says to the circuit breaker about the requests that come after. */
export type BreakerSignal =
  | { readonly kind: 'paid' }
  | { readonly kind: 'ended-otherwise' }
  | { readonly kind: 'payer-stop'; readonly reason: Reason }
  /** `isTransfer`: met by a transfer; only another transfer proves that it is over. */
  | { readonly kind: 'service-trouble'; readonly reason: ServiceTrouble; readonly isTransfer: boolean }
  /** A transfer got no answer at all: its own bad luck, or the bank is out of reach. */
  | { readonly kind: 'unanswered'; readonly reason: Reason }
  /** The bank has taken a transfer and works on it. */
  | { readonly kind: 'taken' }
  /** The service answers a question again, whatever it said. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'nothing' };

/** What a reply says to the adaptive limit about the bank's load. */
export type LimitSignal =
  | { readonly kind: 'good' }
  | { readonly kind: 'trouble'; readonly why: string }
  | { readonly kind: 'nothing' };

/** Small and JSON-encodable, without a secret or a number; the parts that a reply does not have are left out. */
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

/** One reply, read. */
export interface ReadReply<Finding> {
  readonly finding: Finding;
  readonly breaker: BreakerSignal;
  readonly limit: LimitSignal;
  /** The bank's `Date` header in epoch milliseconds. */
  readonly bankDateMs: number | undefined;
  /** What the history keeps of it: enough to talk to the bank about it. */
  readonly facts: ReplyFacts;
}

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
const replyLost = 'reply-lost';

const firstHttpError = 500;

/** Longest bank text that is kept; the interface allows 256 (§2.5). */
const textLengthMax = 256;

/** Hides digit runs that could be an account, a citizen ID or a mobile number in a text of the bank's. */
export function maskDigitRuns(text: string): string {
  return text.replaceAll(/\d[\d -]{5,}\d/g, (run) => `${'*'.repeat(run.length - 4)}${run.slice(-4)}`);
}

// ---------------------------------------------------------------- what every reply says

type Answered<Fields> = Extract<BankReply<Fields>, { kind: 'answered' }>;

type ReplyFields = BusinessFields & Partial<Pick<TransferFields, 'sysRefNo' | 'transFee'>>;

function readWith<Finding>(
  reply: BankReply<ReplyFields>,
  finding: Finding,
  breaker: BreakerSignal,
): ReadReply<Finding> {
  const bankDateMs = reply.kind === 'answered' ? reply.bankDateMs : undefined;
  return { finding, breaker, limit: readLimitSignal(reply), bankDateMs, facts: readFacts(reply) };
}

/** Of any endpoint: no answer, 429, a server error or a code of the whole service are trouble. */
function readLimitSignal(reply: BankReply<BusinessFields>): LimitSignal {
  switch (reply.kind) {
    case 'lost':
      return { kind: 'trouble', why: 'no answer' };
    case 'not-sent':
      return { kind: 'trouble', why: 'no connection' };
    case 'withheld':
    case 'credentials-refused':
      return { kind: 'nothing' };
    case 'answered': {
      const { httpStatus, fields } = reply;
      if (httpStatus === 429) return { kind: 'trouble', why: 'HTTP 429' };
      if (fields === undefined) {
        return httpStatus >= firstHttpError
          ? { kind: 'trouble', why: `HTTP ${httpStatus}` }
          : { kind: 'nothing' };
      }
      const { statusCode } = fields;
      return findBankStatus(statusCode)?.scope === 'service'
        ? { kind: 'trouble', why: statusCode }
        : { kind: 'good' };
    }
  }
}

function readFacts(reply: BankReply<ReplyFields>): ReplyFacts {
  switch (reply.kind) {
    case 'withheld':
      return {};
    case 'credentials-refused':
      return { statusCode: reply.code };
    case 'not-sent':
      return { why: reply.why };
    case 'lost':
    case 'answered': {
      const { requestUid, xRequestId } = reply;
      const exchange = { requestUid, xRequestId, elapsedMs: Math.round(reply.elapsedMs) };
      if (reply.kind === 'lost') return { ...exchange, why: reply.why };
      const { httpStatus, fields } = reply;
      return { ...exchange, httpStatus, ...(fields === undefined ? {} : fieldFacts(fields)) };
    }
  }
}

function fieldFacts({ statusCode, statusDesc, severity, sysRefNo, transFee }: ReplyFields): ReplyFacts {
  return {
    statusCode,
    ...(statusDesc === undefined ? {} : { statusDesc: keepText(statusDesc) }),
    ...(severity === undefined ? {} : { severity }),
    ...(sysRefNo === undefined ? {} : { sysRefNo }),
    ...(transFee === undefined ? {} : { transFee }),
  };
}

const keepText = (text: string): string => maskDigitRuns(text.slice(0, textLengthMax));

function bankReason({ statusCode, statusDesc = '' }: BusinessFields): Reason {
  const text = statusDesc === '' ? `the bank answered ${statusCode}` : keepText(statusDesc);
  return { code: statusCode, text };
}

const trouble = (code: string, text: string, retryAfterMs?: number): ServiceTrouble => ({
  code,
  text,
  retryAfterMs,
});

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

function readGateway(reply: Answered<BusinessFields>): GatewayFinding | undefined {
  const { httpStatus, fields, retryAfterMs } = reply;
  if (isRedirect(httpStatus)) {
    const text = `the bank answered HTTP ${httpStatus}; redirects are never followed`;
    return { kind: 'foreign', reason: trouble('redirected', text) };
  }
  if (isAnothers(fields?.requestUid, reply.requestUid)) {
    const text = 'the reply bears the requestUID of another request';
    return { kind: 'foreign', reason: trouble('foreign-reply', text) };
  }
  if (httpStatus === 401) {
    const text = 'the bank refuses our access token even after it was renewed';
    return { kind: 'refused', scope: 'payer', reason: trouble('http-401', text) };
  }
  if (httpStatus === 403) {
    const text = 'the bank forbids this request (HTTP 403)';
    return { kind: 'refused', scope: 'payer', reason: trouble('http-403', text) };
  }
  if (httpStatus === 429) {
    const text = 'the bank asks us to slow down (HTTP 429)';
    return { kind: 'refused', scope: 'service', reason: trouble('http-429', text, retryAfterMs) };
  }
  return undefined;
}

function unreadable({ httpStatus, retryAfterMs }: Answered<BusinessFields>): ServiceTrouble {
  if (httpStatus >= 200 && httpStatus < 300)
    return trouble('unreadable-reply', 'the body of the reply is not what the interface says');
  const text = `the bank answered HTTP ${httpStatus} without a status code`;
  return trouble(`http-${httpStatus}`, text, retryAfterMs);
}

type Unanswered = Exclude<BankReply<never>, { kind: 'answered' }>;

const credentialsRefused = (code: string): ServiceTrouble =>
  trouble(code, 'the bank refuses our client ID and secret: correct them in the settings');

// ---------------------------------------------------------------- transfers (§2.5, §7.3)

/**
 * Reads the reply to a transfer.
 * @param attempt as stored when its bytes left, that send counted
 */
export function readReply(
  reply: BankReply<TransferFields>,
  attempt: Pick<Attempt, 'order' | 'sends' | 'rejectedByGateway'>,
): ReadReply<TransferFinding> {
  // EM001 speaks of somebody else's transfer when no bytes of this attempt can have left before.
  const isFirstSend = countDelivered(attempt) === 1;
  const finding = readTransfer(reply, attempt.order.transRefNo, isFirstSend);
  return readWith(reply, finding, signalOf(finding));
}

function readTransfer(
  reply: BankReply<TransferFields>,
  transRefNo: string,
  isFirstSend: boolean,
): TransferFinding {
  if (reply.kind !== 'answered') return readUnanswered(reply);
  if (!isRedirect(reply.httpStatus) && isAnothers(reply.fields?.transRefNo, transRefNo)) {
    return unknown('payout', trouble('foreign-reply', 'the reply bears the transRefNo of another transfer'));
  }
  const gateway = readGateway(reply);
  if (gateway?.kind === 'foreign') return unknown('payout', gateway.reason);
  if (gateway?.kind === 'refused') return gateway;
  if (reply.fields === undefined) return unknown('payout', unreadable(reply));
  return readTransferCode(reply, reply.fields, transRefNo, isFirstSend);
}

function readUnanswered(reply: Unanswered): TransferFinding {
  switch (reply.kind) {
    case 'withheld':
      return { kind: 'aborted-before-send' };
    case 'credentials-refused':
      return { kind: 'not-sent', scope: 'payer', reason: credentialsRefused(reply.code) };
    case 'not-sent': {
      const text = `nothing was sent: ${reply.why}`;
      return { kind: 'not-sent', scope: 'service', reason: { code: 'not-sent', text } };
    }
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
  referenceConflict = false,
): TransferFinding {
  return { kind: 'unknown', scope, reason, acknowledged, referenceConflict };
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
      const unproven = trouble('unproven-success', 'IC000 without our transRefNo and requestUID');
      if (!isProof) return unknown('payout', unproven, true);
      return { kind: 'paid', reason, sysRefNo: fields.sysRefNo ?? null, feeText: fields.transFee ?? null };
    }
    case 'failed':
      return { kind: 'failed', scope: status.scope, reason };
    case 'unknown': {
      const referenceConflict =
        otherDetailsCodes.has(status.code) || (status.code === 'EM001' && isFirstSend);
      const withRetry = { ...reason, retryAfterMs: reply.retryAfterMs };
      return unknown(status.scope, withRetry, acknowledgingCodes.has(status.code), referenceConflict);
    }
  }
}

function signalOf(finding: TransferFinding): BreakerSignal {
  if (finding.kind === 'paid') return { kind: 'paid' };
  if (finding.kind === 'aborted-before-send') return { kind: 'nothing' };
  const { reason, scope } = finding;
  if (scope === 'payer') return { kind: 'payer-stop', reason };
  if (finding.kind === 'unknown' && reason.code === replyLost) return { kind: 'unanswered', reason };
  // A payout that the bank works on has not ended; one that nobody acknowledged may be a sick bank's.
  const isTaken = finding.kind === 'unknown' && finding.acknowledged && !finding.referenceConflict;
  if (scope === 'payout') return { kind: isTaken ? 'taken' : 'ended-otherwise' };
  const retryAfterMs = 'retryAfterMs' in reason ? reason.retryAfterMs : undefined;
  return { kind: 'service-trouble', reason: { ...reason, retryAfterMs }, isTransfer: true };
}

// ---------------------------------------------------------------- questions (§2.4, §2.6)

/** What came back to a question: a body that speaks, or why none did and whom that concerns. */
type Body<Fields> =
  | { readonly kind: 'spoken'; readonly fields: Fields; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'silent'; readonly scope: BankStatus['scope']; readonly reason: ServiceTrouble };

function readBody<Fields extends BusinessFields>(reply: BankReply<Fields>): Body<Fields> {
  switch (reply.kind) {
    case 'withheld':
      return silent('payout', trouble('withheld', 'the inquiry was not sent'));
    case 'credentials-refused':
      return silent('payer', credentialsRefused(reply.code));
    case 'not-sent':
      return silent('service', trouble('not-sent', `the inquiry was not sent: ${reply.why}`));
    case 'lost':
      return silent('payout', trouble(replyLost, `no answer to the inquiry: ${reply.why}`));
    case 'answered': {
      const gateway = readGateway(reply);
      if (gateway?.kind === 'refused') return silent(gateway.scope, gateway.reason);
      if (gateway?.kind === 'foreign') return silent('payout', gateway.reason);
      const { fields, retryAfterMs } = reply;
      if (fields === undefined) return silent('payout', unreadable(reply));
      return { kind: 'spoken', fields, retryAfterMs };
    }
  }
}

const silent = (scope: BankStatus['scope'], reason: ServiceTrouble): Body<never> => ({
  kind: 'silent',
  scope,
  reason,
});

const questionTrouble = (reason: ServiceTrouble): BreakerSignal => ({
  kind: 'service-trouble',
  reason,
  isTransfer: false,
});

/**
 * Reads the reply to a status inquiry (§3.2). Only items that bear our transRefNo count;
 * a list that holds others' items alone contradicts the request and says nothing.
 */
export function readInquiry(reply: BankReply<InquiryFields>, transRefNo: string): ReadReply<InquiryReading> {
  const finding = readInquiryAnswer(reply, transRefNo);
  if (finding.kind !== 'nothing-said') return readWith(reply, finding, { kind: 'answered' });
  return readWith(reply, finding, finding.isTrouble ? questionTrouble(finding.reason) : { kind: 'nothing' });
}

function readInquiryAnswer(reply: BankReply<InquiryFields>, transRefNo: string): InquiryReading {
  const body = readBody(reply);
  if (body.kind === 'silent') return nothingSaid(body.reason, body.scope !== 'payout');
  const { fields, retryAfterMs } = body;
  const reason = bankReason(fields);
  if (notFoundCodes.has(reason.code)) return { kind: 'not-found', reason };
  if (reason.code === 'IC001') return readInquiryItems(fields.items, transRefNo, reason);
  return nothingSaid({ ...reason, retryAfterMs }, findBankStatus(reason.code)?.scope === 'service');
}

const nothingSaid = (reason: ServiceTrouble, isTrouble: boolean): InquiryReading => ({
  kind: 'nothing-said',
  reason,
  isTrouble,
});

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
  const text = 'the inquiry answered with transfers that are not the one asked for';
  return nothingSaid(trouble('foreign-reply', text), false);
}

/** The transfer's own code where the item has one, else its tranStatusCode. */
function itemReason({ statusCode, statusDesc, tranStatusCode, tranStatusDesc }: InquiryItem): Reason {
  const text = statusDesc ?? tranStatusDesc ?? `transfer status ${tranStatusCode ?? 'missing'}`;
  return { code: statusCode ?? tranStatusCode ?? 'no-status', text: keepText(text) };
}

/**
 * Reads the reply to a payee check. No money can move here, so all that is not understood is asked again.
 * @param isLastAsk one that still gives no answer counts as an end, as a payout that was not paid does
 */
export function readPayeeCheck(
  reply: BankReply<PayeeCheckFields>,
  isLastAsk: boolean,
): ReadReply<PayeeFinding> {
  const finding = readPayeeAnswer(reply);
  switch (finding.kind) {
    case 'payable':
      return readWith(reply, finding, { kind: 'answered' });
    case 'unpayable':
      return readWith(reply, finding, { kind: 'ended-otherwise' });
    case 'halt':
      return readWith(reply, finding, { kind: 'payer-stop', reason: finding.reason });
    case 'ask-again': {
      const signal: BreakerSignal = { kind: isLastAsk ? 'ended-otherwise' : 'nothing' };
      return readWith(reply, finding, finding.isTrouble ? questionTrouble(finding.reason) : signal);
    }
  }
}

function readPayeeAnswer(reply: BankReply<PayeeCheckFields>): PayeeFinding {
  const body = readBody(reply);
  if (body.kind === 'silent') {
    const { scope, reason } = body;
    if (scope === 'payer') return { kind: 'halt', reason };
    return { kind: 'ask-again', reason, isTrouble: scope === 'service' };
  }
  const { fields, retryAfterMs } = body;
  const reason = bankReason(fields);
  if (reason.code === 'IC001')
    return { kind: 'payable', payeeName: fields.payeeName ?? null, payeeNameTh: fields.payeeNameTh ?? null };
  const status = findBankStatus(reason.code);
  if (status?.outcome === 'failed' && status.scope === 'payout') return { kind: 'unpayable', reason };
  if (status?.outcome === 'failed' && status.scope === 'payer') return { kind: 'halt', reason };
  return { kind: 'ask-again', reason: { ...reason, retryAfterMs }, isTrouble: status?.scope === 'service' };
}
