/**
 * What a reply of the bank means (design: "Reading a reply to a transfer"), read once: what it says of the money, what
 * the circuit breaker and the adaptive limit learn from it, the bank's time, and what the history keeps. Pure and total:
 * every reply that can come back over the wire has exactly one meaning, and anything that is not understood is unknown.
 */
import { isProvenUnsent } from '../../core/attempt-numbers.ts';
import type { Reason } from '../../core/change.ts';
import type { Attempt } from '../../core/payout.ts';
import type {
  BankReply,
  BusinessFields,
  Exchange,
  InquiryFields,
  PayeeCheckFields,
  TransferFields,
  UnsentReply,
} from '../../core/bank-port.ts';
import { keepBankText } from '../../core/outgoing-text.ts';
import { acknowledgingCodes, type BankStatus, findBankStatus } from '../../core/status-codes.ts';
import { tellsTime } from './clock-skew.ts';
import { type AskedTransfer, type ItemsReading, readItems } from './inquiry-items.ts';
import { countDelivered } from './resend.ts';

/** Trouble of the whole service, with the bank's own wish for when to come back. */
export interface ServiceTrouble extends Reason {
  readonly retryAfterMs?: number | undefined;
}

interface Refusal {
  /**
   * The body echoes the requestUID of this very send, as that of a 401 before it did; a transRefNo alone does not tell
   * which of an attempt's sends is refused.
   */
  readonly bearsRequestUid: boolean;
}

export type TransferFinding =
  | {
      readonly kind: 'paid';
      readonly reason: Reason;
      readonly sysRefNo: string | null;
      readonly feeText: string | null;
    }
  /** Definite: the bank has refused it and will not complete it. */
  | ({
      readonly kind: 'failed';
      readonly scope: BankStatus['scope'];
      readonly reason: Reason;
    } & Refusal)
  /** Refused by the gateway before processing. */
  | ({
      readonly kind: 'refused';
      readonly scope: 'payer' | 'service';
      readonly reason: ServiceTrouble;
    } & Refusal)
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

/** Says nothing of what was asked: ask again; `isTrouble` when it concerns the whole service. */
interface NothingSaid {
  readonly kind: 'nothing-said';
  readonly reason: ServiceTrouble;
  readonly isTrouble: boolean;
}

export type InquiryReading =
  ItemsReading | { readonly kind: 'not-found'; readonly reason: Reason } | NothingSaid;

export type PayeeFinding =
  | { readonly kind: 'payable'; readonly payeeName: string | null; readonly payeeNameTh: string | null }
  | { readonly kind: 'unpayable'; readonly reason: Reason }
  | { readonly kind: 'halt'; readonly reason: Reason }
  | NothingSaid;

/** What a reply says to the circuit breaker about the requests that come after. */
export type BreakerSignal =
  | { readonly kind: 'paid' }
  | { readonly kind: 'ended-otherwise' }
  | { readonly kind: 'payer-stop'; readonly reason: Reason }
  | { readonly kind: 'service-trouble'; readonly reason: ServiceTrouble }
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

type SpokenFacts = Pick<TransferFields, 'statusCode' | 'statusDesc' | 'severity' | 'sysRefNo' | 'transFee'>;

/**
 * Small, without a secret or a number; JSON leaves out the parts that a reply does not have. `why`: why no answer came,
 * or why nothing was sent.
 */
export type ReplyFacts = Partial<
  Exchange & SpokenFacts & { readonly httpStatus: number; readonly why: string }
>;

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

/** Codes that say that the bank holds the reference with other details. */
const otherDetailsCodes: ReadonlySet<string> = new Set(['EM059', 'EM067']);

const notFoundCodes: ReadonlySet<string> = new Set(['EV034', 'EV035']);

/** Our code for a request that may have arrived and got no answer. */
export const replyLost = 'reply-lost';

const firstHttpError = 500;

// ---------------------------------------------------------------- what every reply says

type Answered<Fields> = Extract<BankReply<Fields>, { kind: 'answered' }>;

type ReplyFields = BusinessFields & Partial<Pick<TransferFields, 'transRefNo' | 'sysRefNo' | 'transFee'>>;

function readWith<Finding>(
  reply: BankReply<ReplyFields>,
  finding: Finding,
  breaker: BreakerSignal,
): ReadReply<Finding> {
  const bankDateMs = reply.kind === 'answered' && tellsTime(reply.elapsedMs) ? reply.bankDateMs : undefined;
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
      if (httpStatus === 429 || (fields === undefined && httpStatus >= firstHttpError))
        return { kind: 'trouble', why: `HTTP ${httpStatus}` };
      if (fields === undefined) return { kind: 'nothing' };
      const { statusCode } = fields;
      const isTrouble = findBankStatus(statusCode)?.scope === 'service';
      return isTrouble ? { kind: 'trouble', why: statusCode } : { kind: 'good' };
    }
  }
}

/** What the history keeps of a reply. */
export function readFacts(reply: BankReply<ReplyFields>): ReplyFacts {
  switch (reply.kind) {
    case 'withheld':
      return {};
    case 'credentials-refused':
      return { statusCode: reply.code };
    case 'not-sent':
      return { why: reply.why };
    case 'lost':
      return { ...exchangeFacts(reply), why: reply.why };
    case 'answered': {
      const { httpStatus, fields } = reply;
      if (fields === undefined) return { ...exchangeFacts(reply), httpStatus };
      const { statusCode, statusDesc, severity, sysRefNo, transFee } = fields;
      const text = statusDesc === undefined ? undefined : keepBankText(statusDesc);
      const spoken = { statusCode, statusDesc: text, severity, sysRefNo, transFee };
      return { ...exchangeFacts(reply), httpStatus, ...spoken };
    }
  }
}

const exchangeFacts = ({ requestUid, xRequestId, elapsedMs }: Exchange): ReplyFacts => ({
  requestUid,
  xRequestId,
  elapsedMs: Math.round(elapsedMs),
});

/** The bank's own words, masked and cut. */
export function bankReason({ statusCode, statusDesc = '' }: BusinessFields): Reason {
  const text = statusDesc === '' ? `the bank answered ${statusCode}` : keepBankText(statusDesc);
  return { code: statusCode, text };
}

function isRedirect(httpStatus: number): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

/** True for a reference that a reply bears and that is not ours. */
export function isAnothers(echo: string | undefined, ours: string): boolean {
  return echo !== undefined && echo !== '' && echo !== ours;
}

/** The HTTP statuses that refuse a request before anything is processed. */
const gatewayRefusals = new Map<number, { readonly scope: 'payer' | 'service'; readonly text: string }>([
  [401, { scope: 'payer', text: 'the bank refuses our access token even after it was renewed' }],
  [403, { scope: 'payer', text: 'the bank forbids this request (HTTP 403)' }],
  [429, { scope: 'service', text: 'the bank asks us to slow down (HTTP 429)' }],
]);

export const gatewayRefusalStatuses: readonly number[] = [...gatewayRefusals.keys()];

/** Whom a refusal concerns, by its code. */
export function findRefusalScope(code: string): BankStatus['scope'] {
  const gateway = [...gatewayRefusals].find(([httpStatus]) => code === `http-${httpStatus}`);
  return findBankStatus(code)?.scope ?? gateway?.[1].scope ?? 'service';
}

const unreadable: Reason = {
  code: 'unreadable-reply',
  text: 'the body of the reply is not what the interface says',
};

export type FindingOf<Kind extends TransferFinding['kind']> = Extract<TransferFinding, { kind: Kind }>;

/** Why a reply has no body that may be believed, and what that says of a request. */
type Silence = FindingOf<'aborted-before-send' | 'not-sent' | 'refused' | 'unknown'>;

/** A body that bears no reference of another's. */
interface Spoken<Fields> extends Pick<Answered<Fields>, 'httpStatus' | 'requestUid' | 'retryAfterMs'> {
  readonly kind: 'spoken';
  readonly fields: Fields;
  readonly bearsRequestUid: boolean;
  /** The refusal that the HTTP status alone says: it stands unless the body proves more. */
  readonly gateway: FindingOf<'refused'> | undefined;
}

/** What was asked: how it is told that it did not get through, and the reference that a reply must not contradict. */
interface Asked {
  readonly notSent: string;
  readonly lost: string;
  readonly transRefNo?: string;
}

/** What is decided before any code of the bank's is looked at. */
export function readBody<Fields extends ReplyFields>(
  reply: BankReply<Fields>,
  asked: Asked,
): Spoken<Fields> | Silence {
  switch (reply.kind) {
    case 'withheld':
      return { kind: 'aborted-before-send' };
    case 'credentials-refused':
      return { kind: 'not-sent', scope: 'payer', reason: badCredentials(reply.code) };
    case 'not-sent': {
      const text = `${asked.notSent}: ${reply.why}`;
      return { kind: 'not-sent', scope: 'service', reason: { code: 'not-sent', text } };
    }
    case 'lost':
      return unknown({ code: replyLost, text: `${asked.lost}: ${reply.why}` });
    case 'answered':
      return readAnswered(reply, asked.transRefNo);
  }
}

const badCredentials = (code: string): Reason => ({
  code,
  text: 'the bank refuses our client ID and secret: correct them in the settings',
});

function readAnswered<Fields extends ReplyFields>(
  reply: Answered<Fields>,
  transRefNo = '',
): Spoken<Fields> | Silence {
  const { httpStatus, fields, requestUid, retryAfterMs } = reply;
  if (isRedirect(httpStatus)) {
    const text = `the bank answered HTTP ${httpStatus}; redirects are never followed`;
    return unknown({ code: 'redirected', text });
  }
  if (transRefNo !== '' && isAnothers(fields?.transRefNo, transRefNo)) {
    return unknown({ code: 'foreign-reply', text: 'the reply bears the transRefNo of another transfer' });
  }
  if (isAnothers(fields?.requestUid, requestUid)) {
    return unknown({ code: 'foreign-reply', text: 'the reply bears the requestUID of another request' });
  }
  const bearsRequestUid = fields?.requestUid === requestUid && reply.followsBare401 !== true;
  const gateway = readGateway(reply, bearsRequestUid);
  if (fields !== undefined)
    return { kind: 'spoken', httpStatus, fields, requestUid, retryAfterMs, bearsRequestUid, gateway };
  if (gateway !== undefined) return gateway;
  if (httpStatus >= 200 && httpStatus < 300) return unknown(unreadable);
  const text = `the bank answered HTTP ${httpStatus} without a status code`;
  return unknown({ code: `http-${httpStatus}`, text, retryAfterMs });
}

/** The refusal that the HTTP status says, whatever the body. */
function readGateway(
  { httpStatus, retryAfterMs, unrepeated }: Answered<unknown>,
  bearsRequestUid: boolean,
): FindingOf<'refused'> | undefined {
  const refusal = gatewayRefusals.get(httpStatus);
  if (refusal === undefined) return undefined;
  if (unrepeated !== undefined) return { kind: 'refused', bearsRequestUid, ...readUnrepeated(unrepeated) };
  const { scope, text } = refusal;
  const wish = scope === 'service' ? { retryAfterMs } : {};
  return { kind: 'refused', bearsRequestUid, scope, reason: { code: `http-${httpStatus}`, text, ...wish } };
}

/** Whom it concerns that a 401 was the last word of this send. */
function readUnrepeated(unrepeated: UnsentReply): Pick<FindingOf<'refused'>, 'scope' | 'reason'> {
  switch (unrepeated.kind) {
    case 'credentials-refused':
      return { scope: 'payer', reason: badCredentials(unrepeated.code) };
    case 'not-sent': {
      const text = `the bank refuses our access token, and it cannot be sent with a new one: ${unrepeated.why}`;
      return { scope: 'service', reason: { code: 'no-token', text } };
    }
    case 'withheld': {
      const text = 'the bank refuses our access token, and the moment to send it with a new one had passed';
      return { scope: 'service', reason: { code: 'http-401', text } };
    }
  }
}

const unknown = (
  reason: ServiceTrouble,
  more: Partial<Omit<FindingOf<'unknown'>, 'kind' | 'reason'>> = {},
): FindingOf<'unknown'> => ({
  kind: 'unknown',
  scope: 'payout',
  reason,
  acknowledged: false,
  referenceConflict: false,
  ...more,
});

// ---------------------------------------------------------------- transfers (§2.5, §7.3)

/**
 * Reads the reply to a transfer.
 * @param attempt as stored when its bytes left, that send counted
 * @param sameReference earlier attempts under its transRefNo
 */
export function readReply(
  reply: BankReply<TransferFields>,
  attempt: Pick<Attempt, 'order' | 'sends' | 'refusals'>,
  sameReference: readonly Pick<Attempt, 'sends' | 'refusals'>[],
): ReadReply<TransferFinding> {
  // EM001 speaks of somebody else's transfer when the bank can have processed nothing under this reference before.
  const isRepeated = reply.kind === 'answered' && reply.followsBare401 === true;
  const isFirstSend = countDelivered(attempt) === 1 && !isRepeated && sameReference.every(isProvenUnsent);
  const { transRefNo } = attempt.order;
  const lost = 'the request may have arrived, no answer came';
  const body = readBody(reply, { notSent: 'nothing was sent', lost, transRefNo });
  const finding = body.kind === 'spoken' ? readTransferCode(body, transRefNo, isFirstSend) : body;
  return readWith(reply, finding, signalOf(finding));
}

/**
 * A proof counts under any HTTP status. Under one that refuses the request, a code that says failed too leaves it
 * refused; any other contradicts it, so that the outcome is unknown.
 */
function readTransferCode(
  { httpStatus, fields, requestUid, retryAfterMs, bearsRequestUid, gateway }: Spoken<TransferFields>,
  transRefNo: string,
  isFirstSend: boolean,
): TransferFinding {
  const reason = bankReason(fields);
  // Transfers to come meet a 403 or 429 as well, whatever this body says; a new token may mend a 401.
  const scopeOfAll = gateway === undefined || httpStatus === 401 ? {} : { scope: gateway.scope };
  const status = findBankStatus(fields.statusCode);
  if (status === undefined) {
    const text = `the interface has no such code; ${reason.text}`;
    return unknown({ code: reason.code, text, retryAfterMs }, scopeOfAll);
  }
  const { code, outcome, scope } = status;
  switch (outcome) {
    case 'paid': {
      const isProof = fields.transRefNo === transRefNo && fields.requestUid === requestUid;
      const unproven = { code: 'unproven-success', text: 'IC000 without our transRefNo and requestUID' };
      if (!isProof) return unknown(unproven, { acknowledged: true, ...scopeOfAll });
      return { kind: 'paid', reason, sysRefNo: fields.sysRefNo ?? null, feeText: fields.transFee ?? null };
    }
    case 'failed':
      return gateway ?? { kind: 'failed', scope, reason, bearsRequestUid };
    case 'unknown': {
      const referenceConflict = otherDetailsCodes.has(code) || (code === 'EM001' && isFirstSend);
      const acknowledged = acknowledgingCodes.has(code);
      const known = { scope, acknowledged, referenceConflict };
      return unknown({ ...reason, retryAfterMs }, { ...known, ...scopeOfAll });
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
  return { kind: 'service-trouble', reason };
}

// ---------------------------------------------------------------- questions (§2.4, §2.6)

const question: Asked = {
  notSent: 'the inquiry was not sent',
  lost: 'no answer to the inquiry',
};
const neverAsked: Reason = { code: 'withheld', text: question.notSent };

/** False for a question that was withheld: the run was told to stop while it waited for its turn. */
export const wasAsked = (finding: InquiryReading | PayeeFinding): boolean =>
  finding.kind !== 'nothing-said' || finding.reason.code !== neverAsked.code;

const nothingSaid = (reason: ServiceTrouble, isTrouble: boolean): NothingSaid => ({
  kind: 'nothing-said',
  reason,
  isTrouble,
});

/** What a question without an answer says to the breaker: `otherwise` unless the service is in trouble. */
const signalOfNothing = (
  { reason, isTrouble }: NothingSaid,
  otherwise: 'nothing' | 'ended-otherwise',
): BreakerSignal => (isTrouble ? { kind: 'service-trouble', reason } : { kind: otherwise });

/**
 * Reads the reply to a status inquiry (§3.2). Only items that bear our transRefNo count;
 * a list that holds others' items alone contradicts the request and says nothing. Under an HTTP status that refuses the
 * question, only what forbids another send is believed: complete, or in process.
 * @param asked its last send is the one in question
 */
export function readInquiry(
  reply: BankReply<InquiryFields>,
  asked: AskedTransfer,
): ReadReply<InquiryReading> {
  const finding = readInquiryAnswer(reply, asked);
  if (finding.kind !== 'nothing-said') return readWith(reply, finding, { kind: 'answered' });
  return readWith(reply, finding, signalOfNothing(finding, 'nothing'));
}

function readInquiryAnswer(reply: BankReply<InquiryFields>, asked: AskedTransfer): InquiryReading {
  const body = readBody(reply, question);
  if (body.kind === 'aborted-before-send') return nothingSaid(neverAsked, false);
  if (body.kind !== 'spoken') return nothingSaid(body.reason, body.scope !== 'payout');
  const { gateway } = body;
  const reading = readInquiryCode(body, asked);
  if (gateway === undefined || reading.kind === 'complete' || reading.kind === 'in-process') return reading;
  return nothingSaid(gateway.reason, true);
}

function readInquiryCode(
  { fields, retryAfterMs }: Spoken<InquiryFields>,
  asked: AskedTransfer,
): InquiryReading {
  const reason = bankReason(fields);
  if (notFoundCodes.has(reason.code)) return { kind: 'not-found', reason };
  if (reason.code !== 'IC001')
    return nothingSaid({ ...reason, retryAfterMs }, findBankStatus(reason.code)?.scope === 'service');
  if (fields.items?.length === 0) return { kind: 'not-found', reason };
  return readItems(fields.items ?? [], asked) ?? nothingSaid(othersAlone, false);
}

const othersAlone: Reason = {
  code: 'foreign-reply',
  text: 'the inquiry answered with transfers that are not the one asked for',
};

/**
 * Reads the reply to a payee check. No money can move here, so all that is not understood is asked again, and an HTTP
 * status that refuses the question stands whatever the body says.
 * @param isLastAsk one that still gives no answer counts as an end, as a payout that was not paid does
 */
export function readPayeeCheck(
  reply: BankReply<PayeeCheckFields>,
  isLastAsk: boolean,
): ReadReply<PayeeFinding> {
  const finding = readPayeeAnswer(reply);
  const isEnd = isLastAsk && wasAsked(finding);
  switch (finding.kind) {
    case 'payable':
      return readWith(reply, finding, { kind: 'answered' });
    case 'unpayable':
      return readWith(reply, finding, { kind: 'ended-otherwise' });
    case 'halt':
      return readWith(reply, finding, { kind: 'payer-stop', reason: finding.reason });
    case 'nothing-said':
      return readWith(reply, finding, signalOfNothing(finding, isEnd ? 'ended-otherwise' : 'nothing'));
  }
}

const readPayeeSilence = ({ scope, reason }: Pick<FindingOf<'unknown'>, 'scope' | 'reason'>): PayeeFinding =>
  scope === 'payer' ? { kind: 'halt', reason } : nothingSaid(reason, scope === 'service');

function readPayeeAnswer(reply: BankReply<PayeeCheckFields>): PayeeFinding {
  const body = readBody(reply, question);
  if (body.kind === 'aborted-before-send') return nothingSaid(neverAsked, false);
  if (body.kind !== 'spoken') return readPayeeSilence(body);
  if (body.gateway !== undefined) return readPayeeSilence(body.gateway);
  const { fields, retryAfterMs } = body;
  const reason = bankReason(fields);
  if (reason.code === 'IC001')
    return { kind: 'payable', payeeName: fields.payeeName ?? null, payeeNameTh: fields.payeeNameTh ?? null };
  const status = findBankStatus(reason.code);
  if (status?.outcome === 'failed' && status.scope === 'payout') return { kind: 'unpayable', reason };
  if (status?.outcome === 'failed' && status.scope === 'payer') return { kind: 'halt', reason };
  return nothingSaid({ ...reason, retryAfterMs }, status?.scope === 'service');
}
