/**
 * Reads the bank's replies (design: "Reading a reply to a transfer"). Each is read once: what it says about the money,
 * the signals for circuit breaker and adaptive limit, the bank's time, and the facts for the history. Pure and total:
 * every reply has exactly one meaning, and one that is not understood is unknown.
 */
import { message, type PlainCode, verbatim } from '../../core/message.ts';
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

/** Trouble of the whole service, with the bank's Retry-After. */
export interface ServiceTrouble extends Reason {
  readonly retryAfterMs?: number | undefined;
}

interface Refusal {
  /**
   * True when the body echoes the requestUID of this send, as a preceding 401 did. A transRefNo alone does not tell
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
  /** The moment for these bytes had passed, so they were not sent. */
  | { readonly kind: 'aborted-before-send' }
  | {
      readonly kind: 'unknown';
      readonly scope: BankStatus['scope'];
      readonly reason: ServiceTrouble;
      /** The reply shows that the bank knows this reference. */
      readonly acknowledged: boolean;
      /** True when the reference, or its details, may belong to another transfer. */
      readonly referenceConflict: boolean;
    };

/** The reply does not answer the question: ask again; `isTrouble` when the whole service is concerned. */
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

/** Signal of a reply to the circuit breaker, for the requests that follow. */
export type BreakerSignal =
  | { readonly kind: 'paid' }
  | { readonly kind: 'ended-otherwise' }
  | { readonly kind: 'payer-stop'; readonly reason: Reason }
  | { readonly kind: 'service-trouble'; readonly reason: ServiceTrouble }
  /** A transfer got no answer at all: a single loss, or an outage of the bank. */
  | { readonly kind: 'unanswered'; readonly reason: Reason }
  /** The bank has accepted a transfer and works on it. */
  | { readonly kind: 'taken' }
  /** The service answers a question again, with any result. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'nothing' };

/** Signal of a reply to the adaptive limit, about the bank's load. */
export type LimitSignal =
  | { readonly kind: 'good' }
  | { readonly kind: 'trouble'; readonly why: string }
  | { readonly kind: 'nothing' };

type SpokenFacts = Pick<TransferFields, 'statusCode' | 'statusDesc' | 'severity' | 'sysRefNo' | 'transFee'>;

/**
 * Small facts without secrets or numbers; JSON leaves out the parts that a reply lacks. `why`: why no answer came, or
 * why nothing was sent.
 */
type ReplyFacts = Partial<Exchange & SpokenFacts & { readonly httpStatus: number; readonly why: string }>;

/** A reply and its meaning. */
export interface ReadReply<Finding> {
  readonly finding: Finding;
  readonly breaker: BreakerSignal;
  readonly limit: LimitSignal;
  /** The bank's `Date` header in epoch milliseconds. */
  readonly bankDateMs: number | undefined;
  /** Facts for the history: enough to discuss the reply with the bank. */
  readonly facts: ReplyFacts;
}

/** Codes for a reference that the bank holds with other details. */
const otherDetailsCodes: ReadonlySet<string> = new Set(['EM059', 'EM067']);

const notFoundCodes: ReadonlySet<string> = new Set(['EV034', 'EV035']);

/** Code for a request that may have arrived and got no answer. */
export const replyLost = 'reply-lost';

const firstHttpError = 500;

// ---------------------------------------------------------------- every reply

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

/**
 * The signal of a reply of any endpoint: no answer, 429, a server error, or a code of the whole service mean trouble.
 */
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

/** Facts of a reply for the history. */
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
  const text =
    statusDesc === ''
      ? message('reply.code-alone', { code: statusCode })
      : verbatim(keepBankText(statusDesc));
  return { code: statusCode, text };
}

function isRedirect(httpStatus: number): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

/** True for a reference in a reply that is not ours. */
export function isAnothers(echo: string | undefined, ours: string): boolean {
  return echo !== undefined && echo !== '' && echo !== ours;
}

/** The HTTP statuses that refuse a request before anything is processed. */
const gatewayRefusals = new Map<number, { readonly scope: 'payer' | 'service'; readonly text: PlainCode }>([
  [401, { scope: 'payer', text: 'reply.token-refused' }],
  [403, { scope: 'payer', text: 'reply.forbidden' }],
  [429, { scope: 'service', text: 'reply.slow-down' }],
]);

/** The scope of a refusal, by its code. */
export function findRefusalScope(code: string): BankStatus['scope'] {
  const gateway = [...gatewayRefusals].find(([httpStatus]) => code === `http-${httpStatus}`);
  return findBankStatus(code)?.scope ?? gateway?.[1].scope ?? 'service';
}

/** Later transfers meet a 403 or 429 as well, whatever this body says; a new token may fix a 401. */
function scopeOfAll(httpStatus: number): { readonly scope?: 'payer' | 'service' } {
  const refusal = gatewayRefusals.get(httpStatus);
  return refusal === undefined || httpStatus === 401 ? {} : { scope: refusal.scope };
}

const unreadable: Reason = {
  code: 'unreadable-reply',
  text: message('reply.unreadable'),
};

export type FindingOf<Kind extends TransferFinding['kind']> = Extract<TransferFinding, { kind: Kind }>;

/** Meaning of a reply without a body that may be believed. */
type Silence = FindingOf<'aborted-before-send' | 'not-sent' | 'refused' | 'unknown'>;

/** A body without a foreign reference. */
interface Spoken<Fields> extends Pick<Answered<Fields>, 'httpStatus' | 'requestUid' | 'retryAfterMs'> {
  readonly kind: 'spoken';
  readonly fields: Fields;
  readonly bearsRequestUid: boolean;
  /** Refusal by the HTTP status; it stands unless the body proves more. */
  readonly gateway: FindingOf<'refused'> | undefined;
}

/** The question: texts for a failed delivery, and the reference that a reply must not contradict. */
interface ReplyExpectation {
  readonly notSent: 'reply.nothing-sent' | 'reply.inquiry-not-sent';
  readonly lost: 'reply.lost' | 'reply.inquiry-lost';
  readonly transRefNo?: string;
}

/** Decides as much as possible before any code of the bank's is read. */
export function readBody<Fields extends ReplyFields>(
  reply: BankReply<Fields>,
  asked: ReplyExpectation,
): Spoken<Fields> | Silence {
  switch (reply.kind) {
    case 'withheld':
      return { kind: 'aborted-before-send' };
    case 'credentials-refused':
      return { kind: 'not-sent', scope: 'payer', reason: badCredentials(reply.code) };
    case 'not-sent': {
      const text = message(asked.notSent, { why: reply.why });
      return { kind: 'not-sent', scope: 'service', reason: { code: 'not-sent', text } };
    }
    case 'lost':
      return unknown({ code: replyLost, text: message(asked.lost, { why: reply.why }) });
    case 'answered':
      return readAnswered(reply, asked.transRefNo);
  }
}

const badCredentials = (code: string): Reason => ({
  code,
  text: message('reply.credentials-refused'),
});

function readAnswered<Fields extends ReplyFields>(
  reply: Answered<Fields>,
  transRefNo = '',
): Spoken<Fields> | Silence {
  const { httpStatus, fields, requestUid, retryAfterMs } = reply;
  if (isRedirect(httpStatus)) {
    const text = message('reply.redirected', { status: httpStatus });
    return unknown({ code: 'redirected', text });
  }
  if (transRefNo !== '' && isAnothers(fields?.transRefNo, transRefNo)) {
    return unknown({ code: 'foreign-reply', text: message('reply.foreign-reference') });
  }
  if (isAnothers(fields?.requestUid, requestUid)) {
    return unknown({ code: 'foreign-reply', text: message('reply.foreign-request') });
  }
  if (reply.isGarbled === true) return unknown({ ...unreadable, retryAfterMs }, scopeOfAll(httpStatus));
  const bearsRequestUid = fields?.requestUid === requestUid && reply.followsBare401 !== true;
  const gateway = readGateway(reply, bearsRequestUid);
  if (fields !== undefined)
    return { kind: 'spoken', httpStatus, fields, requestUid, retryAfterMs, bearsRequestUid, gateway };
  if (gateway !== undefined) return gateway;
  if (httpStatus >= 200 && httpStatus < 300) return unknown(unreadable);
  const text = message('reply.no-code', { status: httpStatus });
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
  const reason = { code: `http-${httpStatus}`, text: message(text), ...wish };
  return { kind: 'refused', bearsRequestUid, scope, reason };
}

/** The scope of a 401 that ended this send. */
function readUnrepeated(unrepeated: UnsentReply): Pick<FindingOf<'refused'>, 'scope' | 'reason'> {
  switch (unrepeated.kind) {
    case 'credentials-refused':
      return { scope: 'payer', reason: badCredentials(unrepeated.code) };
    case 'not-sent': {
      const text = message('reply.no-token', { why: unrepeated.why });
      return { scope: 'service', reason: { code: 'no-token', text } };
    }
    case 'withheld': {
      return { scope: 'service', reason: { code: 'http-401', text: message('reply.token-too-late') } };
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
  // EM001 concerns a foreign transfer if the bank cannot have processed anything under this reference before.
  const isRepeated = reply.kind === 'answered' && reply.followsBare401 === true;
  const isFirstSend = countDelivered(attempt) === 1 && !isRepeated && sameReference.every(isProvenUnsent);
  const { transRefNo } = attempt.order;
  const body = readBody(reply, { notSent: 'reply.nothing-sent', lost: 'reply.lost', transRefNo });
  const finding = body.kind === 'spoken' ? readTransferCode(body, transRefNo, isFirstSend) : body;
  return readWith(reply, finding, signalOf(finding));
}

/**
 * Reads the code of a body. A proof counts under any HTTP status. Under a status that refuses the request, a code that
 * means failed leaves it refused; any other code contradicts the status, so the outcome is unknown.
 */
function readTransferCode(
  { httpStatus, fields, requestUid, retryAfterMs, bearsRequestUid, gateway }: Spoken<TransferFields>,
  transRefNo: string,
  isFirstSend: boolean,
): TransferFinding {
  const reason = bankReason(fields);
  const ofAll = scopeOfAll(httpStatus);
  const status = findBankStatus(fields.statusCode);
  if (status === undefined) {
    const text = message('reply.unknown-code', { text: reason.text });
    return unknown({ code: reason.code, text, retryAfterMs }, ofAll);
  }
  const { code, outcome, scope } = status;
  switch (outcome) {
    case 'paid': {
      const isProof = fields.transRefNo === transRefNo && fields.requestUid === requestUid;
      const unproven = { code: 'unproven-success', text: message('reply.unproven') };
      if (!isProof) return unknown(unproven, { acknowledged: true, ...ofAll });
      return { kind: 'paid', reason, sysRefNo: fields.sysRefNo ?? null, feeText: fields.transFee ?? null };
    }
    case 'failed':
      return gateway ?? { kind: 'failed', scope, reason, bearsRequestUid };
    case 'unknown': {
      const referenceConflict = otherDetailsCodes.has(code) || (code === 'EM001' && isFirstSend);
      const acknowledged = acknowledgingCodes.has(code);
      const known = { scope, acknowledged, referenceConflict };
      return unknown({ ...reason, retryAfterMs }, { ...known, ...ofAll });
    }
  }
}

function signalOf(finding: TransferFinding): BreakerSignal {
  if (finding.kind === 'paid') return { kind: 'paid' };
  if (finding.kind === 'aborted-before-send') return { kind: 'nothing' };
  const { reason, scope } = finding;
  if (scope === 'payer') return { kind: 'payer-stop', reason };
  if (finding.kind === 'unknown' && reason.code === replyLost) return { kind: 'unanswered', reason };
  // A payout that the bank works on has not ended; an unacknowledged one may be a sign of a bank in trouble.
  const isTaken = finding.kind === 'unknown' && finding.acknowledged && !finding.referenceConflict;
  if (scope === 'payout') return { kind: isTaken ? 'taken' : 'ended-otherwise' };
  return { kind: 'service-trouble', reason };
}

// ---------------------------------------------------------------- questions (§2.4, §2.6)

const question: ReplyExpectation = {
  notSent: 'reply.inquiry-not-sent',
  lost: 'reply.inquiry-lost',
};
const neverAsked: Reason = { code: 'withheld', text: message('reply.inquiry-withheld') };

/** False for a withheld question: the run was told to stop while it waited for its turn. */
export const wasAsked = (finding: InquiryReading | PayeeFinding): boolean =>
  finding.kind !== 'nothing-said' || finding.reason.code !== neverAsked.code;

const nothingSaid = (reason: ServiceTrouble, isTrouble: boolean): NothingSaid => ({
  kind: 'nothing-said',
  reason,
  isTrouble,
});

/** Breaker signal of an unanswered question: `otherwise` unless the service is in trouble. */
const signalOfNothing = (
  { reason, isTrouble }: NothingSaid,
  otherwise: 'nothing' | 'ended-otherwise',
): BreakerSignal => (isTrouble ? { kind: 'service-trouble', reason } : { kind: otherwise });

/**
 * Reads the reply to a status inquiry (§3.2). Only items with our transRefNo count; a list of foreign items only
 * contradicts the request and says nothing. Under an HTTP status that refuses the question, only answers that forbid
 * another send count: complete, or in process.
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
  text: message('reply.others-alone'),
};

/**
 * Reads the reply to a payee check. No money can move here, so a reply that is not understood is asked for again, and
 * an HTTP status that refuses the question counts whatever the body says.
 * @param isLastAsk true: no answer counts as an end, like a payout that was not paid
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
