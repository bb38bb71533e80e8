/**
 * Meaning of the bank's answer to a registration (§2.2, §7.1): total, every answer has exactly one meaning, and an answer
 * that is not understood leaves the registration in doubt.
 */
import { message } from '../../core/message.ts';
import type { BankReply, RegistrationFields } from '../../core/bank-port.ts';
import type { Reason } from '../../core/change.ts';
import { printable } from '../../core/outgoing-text.ts';
import {
  bankReason,
  type BreakerSignal,
  type LimitSignal,
  readBody,
  readFacts,
  replyLost,
  type ServiceTrouble,
} from '../../payout/rules/read-reply.ts';
import {
  findRegistrationCode,
  type RegistrationCode,
  usageExceededCode,
  usagePauseMs,
} from '../../core/direct-debit-codes.ts';
import type { RegistrationAttempt } from './registration.ts';

export type AnswerFinding =
  /** The bank will call back. */
  | { readonly kind: 'acknowledged'; readonly reason: Reason; readonly ddrOapiSeqId: string | null }
  /** The bank will not do it; with a scope beyond the registration, it refuses all others of that scope for now, too. */
  | { readonly kind: 'turned-down'; readonly scope: RegistrationCode['scope']; readonly reason: Reason }
  /** Too many requests: nothing is sent for an hour (§8). */
  | { readonly kind: 'usage-exceeded'; readonly reason: Reason }
  /** No byte of the request has left, or the gateway let none through. */
  | { readonly kind: 'not-sent'; readonly scope: 'company' | 'service'; readonly reason: ServiceTrouble }
  /** The bytes were kept back, since their time had passed. */
  | { readonly kind: 'aborted-before-send' }
  | { readonly kind: 'unknown'; readonly scope: RegistrationCode['scope']; readonly reason: ServiceTrouble };

const asked = {
  notSent: 'reply.nothing-sent',
  lost: 'reply.lost',
} as const;

const scopes = { payer: 'company', service: 'service', payout: 'registration' } as const;

/** Facts of an answer that the attempt and the history keep, without secrets and numbers of people. */
export interface AnswerFacts extends Pick<
  RegistrationAttempt,
  'httpStatus' | 'statusCode' | 'statusDesc' | 'severity' | 'ddrOapiSeqId' | 'elapsedMs'
> {
  readonly xRequestId: string | undefined;
  /** Number of the request that was answered or lost. */
  readonly requestUid: string | undefined;
  /** Time in the `Date` header of the answer. */
  readonly bankDateMs: number | undefined;
  /** Why no answer came, or nothing was sent. */
  readonly why: string | undefined;
}

/** One answer, read. */
export interface AnswerReading {
  readonly finding: AnswerFinding;
  /** Signal about every registration: the service, and paydrop's credentials there. */
  readonly service: BreakerSignal;
  /** Signal about the registering company alone. */
  readonly company: BreakerSignal;
  readonly limit: LimitSignal;
  readonly facts: AnswerFacts;
}

/** Reads the answer to one registration. */
export function readAnswer(reply: BankReply<RegistrationFields>): AnswerReading {
  const finding = readFinding(reply);
  return { finding, ...signalsOf(finding), facts: readAnswerFacts(reply) };
}

/** Limit of the bank's number, which has far fewer digits; §2.2 sets no length. */
const seqIdLengthMax = 40;

function readAnswerFacts(reply: BankReply<RegistrationFields>): AnswerFacts {
  const { httpStatus, statusCode, statusDesc, severity, elapsedMs, xRequestId, requestUid, why } =
    readFacts(reply);
  const seqId = reply.kind === 'answered' ? reply.fields?.ddrOapiSeqId : undefined;
  return {
    httpStatus: httpStatus ?? null,
    statusCode: statusCode ?? null,
    statusDesc: statusDesc ?? null,
    severity: severity ?? null,
    ddrOapiSeqId: seqId === undefined ? null : printable(seqId.slice(0, seqIdLengthMax)),
    elapsedMs: elapsedMs ?? null,
    xRequestId,
    requestUid,
    bankDateMs: reply.kind === 'answered' ? reply.bankDateMs : undefined,
    why,
  };
}

function readFinding(reply: BankReply<RegistrationFields>): AnswerFinding {
  const body = readBody(reply, asked);
  switch (body.kind) {
    case 'aborted-before-send':
      return { kind: body.kind };
    case 'not-sent':
    case 'refused':
      return { kind: 'not-sent', scope: scopes[body.scope], reason: body.reason };
    case 'unknown':
      return { kind: 'unknown', scope: scopes[body.scope], reason: body.reason };
    case 'spoken': {
      const finding = readCode(body.fields, body.requestUid);
      if (body.gateway === undefined || finding.kind !== 'turned-down') return finding;
      const { scope, reason } = body.gateway;
      return { kind: 'not-sent', scope: scopes[scope], reason };
    }
  }
}

function readCode(fields: RegistrationFields, requestUid: string): AnswerFinding {
  const reason = bankReason(fields);
  const known = findRegistrationCode(fields.statusCode);
  if (known === undefined) {
    const text = message('reply.unknown-code', { text: reason.text });
    return { kind: 'unknown', scope: 'registration', reason: { code: reason.code, text } };
  }
  if (known.code === usageExceededCode) return { kind: 'usage-exceeded', reason };
  const { outcome, scope } = known;
  switch (outcome) {
    case 'taken':
      return readTaken(fields, requestUid, reason);
    case 'not-taken':
      return { kind: 'turned-down', scope, reason };
    case 'unknown':
      return { kind: 'unknown', scope, reason };
  }
}

/** Reads a success. One without this request's requestUID may be the answer to another request. */
function readTaken(fields: RegistrationFields, requestUid: string, reason: Reason): AnswerFinding {
  if (fields.requestUid === requestUid)
    return { kind: 'acknowledged', reason, ddrOapiSeqId: fields.ddrOapiSeqId ?? null };
  const unproven = { code: 'unproven-success', text: message('reply.unproven-registration') };
  return { kind: 'unknown', scope: 'registration', reason: unproven };
}

// ---------------------------------------------------------------- what the breakers and the limit learn

type Signals = Pick<AnswerReading, 'service' | 'company' | 'limit'>;

const nothing = { kind: 'nothing' } as const;
const good = { kind: 'good' } as const;

/**
 * An accepted request counts as a success for the brake; one that was refused, or is in doubt although the bank answered,
 * as a failure. Both are known at once, while callbacks come long after: a wrong set-up of a company costs ten rows, and
 * ten rows that merely wait cost nothing.
 */
function signalsOf(finding: AnswerFinding): Signals {
  switch (finding.kind) {
    case 'acknowledged':
      return { service: { kind: 'answered' }, company: { kind: 'paid' }, limit: good };
    case 'turned-down':
      return signalsOfRefusal(finding.scope, finding.reason);
    case 'usage-exceeded':
      return troubled({ ...finding.reason, retryAfterMs: usagePauseMs });
    case 'not-sent': {
      const { scope, reason } = finding;
      // paydrop's credentials are the same for every company.
      if (scope === 'company')
        return { service: { kind: 'payer-stop', reason }, company: nothing, limit: nothing };
      return troubled(reason);
    }
    case 'aborted-before-send':
      return { service: nothing, company: nothing, limit: nothing };
    case 'unknown':
      return signalsOfDoubt(finding.scope, finding.reason);
  }
}

const troubled = (reason: ServiceTrouble): Signals => ({
  service: { kind: 'service-trouble', reason },
  company: nothing,
  limit: { kind: 'trouble', why: reason.code },
});

function signalsOfRefusal(scope: RegistrationCode['scope'], reason: ServiceTrouble): Signals {
  switch (scope) {
    case 'registration':
      return { service: { kind: 'answered' }, company: { kind: 'ended-otherwise' }, limit: good };
    case 'company':
      return { service: { kind: 'answered' }, company: { kind: 'payer-stop', reason }, limit: good };
    case 'service':
      return troubled(reason);
  }
}

function signalsOfDoubt(scope: RegistrationCode['scope'], reason: ServiceTrouble): Signals {
  const trouble = troubled(reason);
  if (scope === 'service') return trouble;
  if (reason.code === replyLost) return { ...trouble, service: { kind: 'unanswered', reason } };
  const company = { kind: 'ended-otherwise' } as const;
  // A broken gateway would leave the next row in doubt, too, and each for as long as a callback may take.
  if (reason.code.startsWith('http-')) return { ...trouble, company };
  const hasSpoken = findRegistrationCode(reason.code) !== undefined;
  return { service: hasSpoken ? { kind: 'answered' } : nothing, company, limit: hasSpoken ? good : nothing };
}
