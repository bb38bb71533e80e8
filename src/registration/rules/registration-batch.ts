/** A file of registrations in the journal, its rows as reports show them, and their sums. */
import type { Message } from '../../core/message.ts';
import type { BatchStatus } from '../../core/payout.ts';
import type { RegistrationFileRow } from './registration-file.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationHold,
  RegistrationStatus,
} from './registration.ts';

/** A file of registrations that was taken in. Its states are those of a payout file (`batchTransitions`). */
export interface RegistrationBatch {
  readonly batchId: string;
  readonly sha256: string;
  readonly fileName: string;
  /** `bank.companyId`, within which registrationIds are unique. */
  readonly companyId: string;
  readonly status: BatchStatus;
  /** Why it is paused, halted or rejected. */
  readonly reasonCode: string | null;
  readonly reason: Message | null;
  readonly remedy: Message | null;
  readonly rows: number;
  /** Names of the carried-through columns, in file order. */
  readonly extraColumns: readonly string[];
  readonly startedAtMs: number;
  /** When its file was dropped. */
  readonly droppedAtMs: number;
  readonly sealedAtMs: number | null;
  readonly restedAtMs: number | null;
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
