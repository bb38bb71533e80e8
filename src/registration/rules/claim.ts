/** Claims on a registrationId: while a row keeps it, no other row, of any file, is registered under it. */
import type { RegistrationStatus } from './registration.ts';

/** Claims by status; a cancelled row keeps its registrationId until a person releases it. */
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

/** True for a status that keeps the registrationId; any other frees it for another row. */
export const keepsClaim = (status: RegistrationStatus): boolean => claimKeeping[status];
