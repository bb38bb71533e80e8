/** A partner's file of registrations: its columns, and its rows on their way into the journal. */
import type { Issue } from '../../core/payout-file.ts';
import type { RegistrationHold, RegistrationInstruction } from './registration.ts';

/** The columns that paydrop reads, in its own order. */
export const registrationColumns = [
  'registrationId',
  'customerId',
  'vendorId',
  'companyId',
  'accountNo',
  'ref1',
  'ref2',
  'ref3',
  'ref4',
] as const;
export type RegistrationColumn = (typeof registrationColumns)[number];

/** The input columns as in the file. */
export type RegistrationCells = Readonly<Record<RegistrationColumn, string>>;

/** A row on its way into the journal: valid (`instruction`) or rejected (`issues`). */
export interface RegistrationFileRow {
  readonly rowNo: number;
  /** Line of the file at which the row starts. */
  readonly line: number;
  readonly cells: RegistrationCells;
  readonly instruction: RegistrationInstruction | null;
  readonly holds: readonly RegistrationHold[];
  readonly issues: readonly Issue[];
  /** Carried-through cells, in the order of the batch's extraColumns. */
  readonly extras: readonly string[];
}

/** Facts of a whole file, known once its last row has been read. */
export interface RegistrationSealTotals {
  readonly rows: number;
  /** Rows accepted at first whose registrationId a later, different row repeats: rejected at the seal. */
  readonly conflictingRowNos: readonly number[];
}
