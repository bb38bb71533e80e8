/** A file of registrations in the journal, its rows as reports show them, and their sums. */
import type { Batch } from '../../core/ports.ts';
import type { RegistrationFileRow } from './registration-file.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationHold,
  RegistrationStatus,
} from './registration.ts';

/** A file of registrations that was taken in. Its states are those of a payout file (`batchTransitions`). */
export interface RegistrationBatch extends Omit<
  Batch,
  'payerAccount' | 'totalSatang' | 'unreadableAmounts' | 'ageFromMs'
> {
  /** When its file was dropped. */
  readonly droppedAtMs: number;
}

/** The rows in one status. */
export interface RegistrationTotal {
  readonly status: RegistrationStatus;
  readonly rows: number;
  readonly alarmRows: number;
  readonly acknowledgedRows: number;
}

/** Rows that bear a hold; a row with two holds counts under both. */
export interface RegistrationHoldTotal {
  readonly hold: RegistrationHold;
  readonly rows: number;
}

/** One row of a result: the row as in its file, its present state, its latest attempt. */
export interface RegistrationRow
  extends RegistrationFileRow, Omit<Registration, 'instruction' | 'rowNo' | 'holds'> {
  readonly currentInstruction: Registration['instruction'];
  readonly holds: readonly RegistrationHold[];
  readonly attempt: RegistrationAttempt | undefined;
}
