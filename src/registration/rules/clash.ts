/** Registrations that clash with another: messages for a row, at the check of its file and when it is taken in. */
import { message, type Message } from '../../core/message.ts';
import type { RegistrationOutcome } from './callback.ts';
import type { RegistrationColumn } from './registration-file.ts';
import type { RegistrationStatus } from './registration.ts';

/** Why a row is rejected or held, and the remedy. */
export interface Clash {
  readonly code: string;
  /** Column that the two have in common. */
  readonly column: RegistrationColumn;
  readonly message: Message;
}

/** Rejected: a later row of the file contradicted a row that was good before. */
export const contradictedInFile: Clash = {
  code: 'duplicate-differs',
  column: 'registrationId',
  message: message('clash.contradicted-in-file'),
};

/** Advice for a registrationId that is sent again, by the status of the row that has it. */
function adviseClaimed(status: RegistrationStatus): Message {
  const by = status === 'cancelled' || status === 'registered' ? status : 'waiting';
  return message(`registration-claimed-by.${by}`);
}

/** Rejected: another row has its registrationId. @param place the row */
export const explainClaimed = (place: Message, status: RegistrationStatus): Clash => ({
  code: 'registration-id-claimed',
  column: 'registrationId',
  message: message('clash.claimed', {
    place,
    status: message(`registration-is.${status === 'staged' ? 'taken-in' : status}`),
    advice: adviseClaimed(status),
  }),
});

/** Rejected: a callback could not tell it from the other. @param other the registration, or its row */
export const explainIndistinct = (other: Message): Clash => ({
  code: 'same-as-another',
  column: 'accountNo',
  message: message('clash.indistinct', { other }),
});

/** Held: a typing mistake, or two registrations. @param other the registration, or its row */
export const explainSimilar = (other: Message): Clash => ({
  code: 'similar',
  column: 'registrationId',
  message: message('clash.similar', { other }),
});

/** Held: the bank has told how such a registration ended before this one is sent. @param other the registration */
export const explainCalled = (outcome: RegistrationOutcome, other: Message): Clash => ({
  code: 'called-back',
  column: 'accountNo',
  message: message('clash.called', { outcome: message(`registration-is.${outcome}`), other }),
});
