/** Invented registrations and attempts for the tests of registering. */
import type {
  RegistrationInstruction,
  Registration,
  RegistrationAttempt,
} from '../../src/registration/rules/registration.ts';
import { noonMs } from './core-fixtures.ts';

export const instruction: RegistrationInstruction = {
  registrationId: 'REG-1',
  customerId: '9100000000011',
  vendorId: 'VENDOR0001',
  companyId: 'COMP000001',
  accountNo: '9900000001',
  refs: ['0810000001', null, null, null],
};

export function makeRegistration(changes: Partial<Registration> = {}): Registration {
  return {
    seq: 7,
    batchId: '0123456789',
    rowNo: 1,
    instruction,
    version: 1,
    status: 'ready',
    holds: [],
    acceptedHolds: [],
    reasonCode: null,
    reason: null,
    attemptNo: 0,
    submittedAtMs: null,
    settledAtMs: null,
    settledBy: null,
    awaitedUntilMs: null,
    respCode: null,
    respDesc: null,
    applyDtm: null,
    isAlarm: false,
    isAcknowledged: false,
    ...changes,
  };
}

export function makeRegistrationAttempt(changes: Partial<RegistrationAttempt> = {}): RegistrationAttempt {
  return {
    registrationSeq: 7,
    attemptNo: 1,
    instruction,
    requestUid: '0b7e3a52-6a9c-4c65-9a55-5a1a1f0f4b11',
    renewedUid: null,
    ipAddress: '192.0.2.7',
    intentAtMs: noonMs,
    httpStatus: null,
    statusCode: null,
    statusDesc: null,
    severity: null,
    ddrOapiSeqId: null,
    elapsedMs: null,
    bankOffsetMs: null,
    taken: null,
    ...changes,
  };
}
