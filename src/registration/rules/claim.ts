/** Whose a registrationId is: while a registration keeps it, no other row, of whatever file, is registered under it. */
import type { RegistrationStatus } from './registration.ts';

/** By status; a cancelled one keeps its registrationId until a person releases it. */
const claimKeeping: Readonly<Record<RegistrationStatus, boolean>> = {
  staged: false,
  rejected: false,
  ready: true,
  held: true,
  cancelled: true,
  submitted: true,
  'in-doubt': true,
  acknowledged: true,
  unanswered: false,
  registered: true,
  refused: false,
  failed: false,
  contradicted: true,
};

/** True of a status that keeps the registrationId; any other gives it back, and another row may have it. */
export const keepsClaim = (status: RegistrationStatus): boolean => claimKeeping[status];
