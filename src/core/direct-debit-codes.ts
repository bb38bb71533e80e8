/** The registration status codes of §7.1, with their meaning for a registration. */
import { type Message, message } from './message.ts';

/**
 * `taken`: the bank works on it and will call back. `not-taken`: it never will, for this request. `unknown`: the bank may
 * have it, which only the callback shows. `scope`: what the code concerns.
 */
export interface RegistrationCode {
  readonly code: string;
  readonly outcome: 'taken' | 'not-taken' | 'unknown';
  readonly scope: 'registration' | 'company' | 'service';
  readonly remedy: Message;
}

const rows = [
  ['0', 'taken', 'registration'],
  ['AU00400', 'not-taken', 'service'],
  ['AU00401', 'not-taken', 'service'],
  ['AU00003', 'not-taken', 'service'],
  ['AU00004', 'not-taken', 'service'],
  ['SYS001', 'unknown', 'service'],
  ['SYS002', 'unknown', 'service'],
  ['CMN001', 'not-taken', 'registration'],
  ['CMN002', 'not-taken', 'registration'],
  ['CMN003', 'not-taken', 'registration'],
  ['CMN004', 'not-taken', 'registration'],
  ['CMN005', 'not-taken', 'registration'],
  ['BSN001', 'not-taken', 'company'],
  ['BSN002', 'unknown', 'registration'],
  ['BSN003', 'unknown', 'registration'],
  ['BSN004', 'not-taken', 'company'],
  ['BSN005', 'not-taken', 'company'],
  ['BSN006', 'not-taken', 'service'],
  ['BSN007', 'unknown', 'registration'],
  ['CBS001', 'not-taken', 'registration'],
  ['CBS002', 'not-taken', 'registration'],
  ['CBS003', 'not-taken', 'registration'],
  ['0429', 'not-taken', 'service'],
] as const satisfies readonly (readonly [string, RegistrationCode['outcome'], RegistrationCode['scope']])[];

/** All codes of §7.1, in the interface's order. */
export const registrationCodes: readonly RegistrationCode[] = rows.map(([code, outcome, scope]) => ({
  code,
  outcome,
  scope,
  remedy: message(`registration-remedy.${code}`),
}));

const byCode = new Map(registrationCodes.map((row) => [row.code, row]));

/** The meaning of a code, or undefined when §7.1 does not have it. */
export const findRegistrationCode = (code: string): RegistrationCode | undefined => byCode.get(code);

/** Exceeding the allowed usage (§8). */
export const usageExceededCode = '0429';

/** Time without registrations after `0429` (§8). */
export const usagePauseMs = 3_600_000;
