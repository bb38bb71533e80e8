/** The intent to register: an attempt with everything that it sends, durable before a byte leaves. */
import { moveRegistration, type RegistrationChange, type RegistrationPayer } from './change.ts';
import type { Registration, RegistrationAttempt, RegistrationInstruction } from './registration.ts';

/** Payer account for halts and pauses of every registration. */
const servicePayerAccount = 'direct-debit';

/** Payer of the halts and pauses of all registrations. @param companyId `bank.companyId` */
export const servicePayer = (companyId: string): RegistrationPayer => ({
  companyId,
  payerAccount: servicePayerAccount,
});

/** Payer of the halt of one registering company. @param companyId `bank.companyId` */
export const companyPayer = (
  companyId: string,
  instruction: Pick<RegistrationInstruction, 'vendorId' | 'companyId'>,
): RegistrationPayer => ({
  companyId,
  payerAccount: `${servicePayerAccount} ${instruction.vendorId}/${instruction.companyId}`,
});

/**
 * Records the requestUID under which the same goes again with a renewed token. Undefined where the registration does not
 * wait for this attempt's answer any more: nothing goes again.
 */
export function decideRenewal(
  registration: Registration,
  attempt: RegistrationAttempt,
  requestUid: string,
  nowMs: number,
): RegistrationChange | undefined {
  if (registration.status !== 'submitted' || registration.attemptNo !== attempt.attemptNo) return undefined;
  return moveRegistration({
    registration,
    patch: {},
    cause: 'request-renewed',
    nowMs,
    attempt: { ...attempt, renewedUid: requestUid },
    detail: { requestUid },
  });
}

/** A change that records an intent, with the attempt that it makes. */
interface RegistrationIntent {
  readonly change: RegistrationChange;
  readonly attempt: RegistrationAttempt;
}

interface RegistrationIntentInput {
  readonly registration: Registration;
  /** Instruction of the attempt. */
  readonly instruction: RegistrationInstruction;
  /** `bank.companyId` */
  readonly companyId: string;
  /** New for every request, up to 36 characters (§2.2). */
  readonly requestUid: string;
  /** IP address in `msg-hdr`. */
  readonly ipAddress: string;
  /** `registration.answerWithinMs` */
  readonly answerWithinMs: number;
  readonly nowMs: number;
}

/** Composes the intent to send a ready registration. Bytes may leave from here on, so the wait begins now. */
export function decideIntent(input: RegistrationIntentInput): RegistrationIntent {
  const { registration, instruction, companyId, nowMs } = input;
  const attempt: RegistrationAttempt = {
    registrationSeq: registration.seq,
    attemptNo: registration.attemptNo + 1,
    instruction,
    requestUid: input.requestUid,
    renewedUid: null,
    ipAddress: input.ipAddress,
    intentAtMs: nowMs,
    httpStatus: null,
    statusCode: null,
    statusDesc: null,
    severity: null,
    ddrOapiSeqId: null,
    elapsedMs: null,
    bankOffsetMs: null,
    taken: null,
  };
  const change = moveRegistration({
    registration,
    patch: {
      status: 'submitted',
      attemptNo: attempt.attemptNo,
      submittedAtMs: nowMs,
      settledAtMs: null,
      settledBy: null,
      awaitedUntilMs: nowMs + input.answerWithinMs,
      reasonCode: null,
      reason: null,
      respCode: null,
      respDesc: null,
      applyDtm: null,
    },
    cause: 'intent-recorded',
    nowMs,
    attempt,
    detail: { requestUid: attempt.requestUid },
  });
  const payers = [servicePayer(companyId), companyPayer(companyId, instruction)];
  return { change: { ...change, intent: { payers } }, attempt };
}
