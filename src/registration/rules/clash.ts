/** Registrations that clash with another: messages for a row, at the check of its file and when it is taken in. */
import { similarIdWords } from '../../payout/rules/similar.ts';
import type { RegistrationOutcome } from './callback.ts';
import type { RegistrationColumn } from './registration-file.ts';
import type { RegistrationStatus } from './registration.ts';

/** Why a row is rejected or held, and the remedy. */
export interface Clash {
  readonly code: string;
  /** Column that the two have in common. */
  readonly column: RegistrationColumn;
  readonly message: string;
}

/** Rejected: a later row of the file contradicted a row that was good before. */
export const contradictedInFile: Clash = {
  code: 'duplicate-differs',
  column: 'registrationId',
  message:
    'a later row has the same registrationId and other cells: all such rows are rejected, give each registration a registrationId of its own',
};

/** Advice for a registrationId that is sent again, by the status of the row that has it. */
function adviseClaimed(status: RegistrationStatus): string {
  if (status === 'cancelled')
    return 'a person has cancelled it, and it keeps its registrationId until it is released; else send it under another one';
  return status === 'registered'
    ? 'do not register it again; another registration gets another registrationId'
    : 'do not send it twice; it goes on or ends there, and another registration gets another registrationId';
}

/**
 * Rejected: another row has its registrationId.
 * @param place "row 3 of yesterday.csv (batch 0123456789)"
 */
export const explainClaimed = (place: string, status: RegistrationStatus): Clash => ({
  code: 'registration-id-claimed',
  column: 'registrationId',
  message: `this registrationId is already taken by ${place}, which is ${status === 'staged' ? 'taken in' : status}: ${adviseClaimed(status)}`,
});

/**
 * Rejected: a callback could not tell it from the other.
 * @param other "registrationId REG-7 (row 3 of this file)"
 */
export const explainIndistinct = (other: string): Clash => ({
  code: 'same-as-another',
  column: 'accountNo',
  message: `company code, company ID, account and references are those of ${other}, which has not ended: a callback could not tell the two apart; give it another reference, or send it when the other has ended`,
});

/**
 * Held: a typing mistake, or two registrations.
 * @param other "registrationId REG-7 (row 3 of this file)"
 */
export const explainSimilar = (other: string): Clash => ({
  code: 'similar',
  column: 'registrationId',
  message: `differs from ${other} ${similarIdWords}: let it go on if both are meant, else cancel it`,
});

/**
 * Held: the bank has told how such a registration ended before this one is sent.
 * @param other "for registrationId REG-7 (row 3 of this file)"
 */
export const explainCalled = (outcome: RegistrationOutcome, other: string): Clash => ({
  code: 'called-back',
  column: 'accountNo',
  message: `the bank has called such a registration ${outcome} before, ${other}: let it go on if it is to be registered nevertheless, else cancel it`,
});
