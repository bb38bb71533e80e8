/**
 * What the bank's answer to a registration means (§2.2, §7.1): total, every answer has exactly one meaning, and what is
 * not understood leaves it in doubt.
 */
import type { BankReply, RegistrationFields } from '../../core/bank-port.ts';
import type { Reason } from '../../core/change.ts';
import { bankReason, readBody, type ServiceTrouble } from '../../payout/rules/read-reply.ts';
import { findRegistrationCode, type RegistrationCode, usageExceededCode } from './status-codes.ts';

export type AnswerFinding =
  /** The bank will call back. */
  | { readonly kind: 'acknowledged'; readonly reason: Reason; readonly ddrOapiSeqId: string | null }
  /** The bank will not do it; of another scope than its own: nor any other like it, for now. */
  | { readonly kind: 'turned-down'; readonly scope: RegistrationCode['scope']; readonly reason: Reason }
  /** Too many: nothing is sent for an hour (§8). */
  | { readonly kind: 'usage-exceeded'; readonly reason: Reason }
  /** No byte of the request has left, or the gateway let none through. */
  | { readonly kind: 'not-sent'; readonly scope: 'company' | 'service'; readonly reason: ServiceTrouble }
  /** The moment for these bytes had passed: they were kept back. */
  | { readonly kind: 'aborted-before-send' }
  | { readonly kind: 'unknown'; readonly scope: RegistrationCode['scope']; readonly reason: ServiceTrouble };

const asked = {
  notSent: 'nothing was sent',
  lost: 'the request may have arrived, no answer came',
} as const;

const scopes = { payer: 'company', service: 'service', payout: 'registration' } as const;

/** Reads the answer to one registration. */
export function readAnswer(reply: BankReply<RegistrationFields>): AnswerFinding {
  const body = readBody(reply, asked);
  switch (body.kind) {
    case 'aborted-before-send':
      return { kind: body.kind };
    case 'not-sent':
    case 'refused':
      return { kind: 'not-sent', scope: scopes[body.scope], reason: body.reason };
    case 'unknown':
      return { kind: 'unknown', scope: scopes[body.scope], reason: body.reason };
    case 'spoken':
      return readCode(body.fields, body.requestUid);
  }
}

function readCode(fields: RegistrationFields, requestUid: string): AnswerFinding {
  const reason = bankReason(fields);
  const known = findRegistrationCode(fields.statusCode);
  if (known === undefined) {
    const text = `the interface has no such code; ${reason.text}`;
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

/** A success that does not bear our requestUID may be the answer to another's request. */
function readTaken(fields: RegistrationFields, requestUid: string, reason: Reason): AnswerFinding {
  if (fields.requestUid === requestUid)
    return { kind: 'acknowledged', reason, ddrOapiSeqId: fields.ddrOapiSeqId ?? null };
  const unproven = { code: 'unproven-success', text: 'code 0 without our requestUID' };
  return { kind: 'unknown', scope: 'registration', reason: unproven };
}
