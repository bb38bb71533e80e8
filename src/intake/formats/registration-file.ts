/** Registration files: rows without amounts, so that control totals declare only their number. */
import type {
  RegistrationCells,
  RegistrationColumn,
  RegistrationFileRow,
  RegistrationSealTotals,
} from '../../registration/rules/registration-file.ts';
import {
  maskedRegistrationColumns,
  parseRegistrationRow,
  type RegistrationDefaults,
} from '../../registration/rules/registration-row.ts';
import type { RegistrationFileReader } from '../ports.ts';
import { type ControlTotals, looksLikeRowsTrailer } from '../rules/control-totals.ts';
import { fileColumns } from '../rules/file-columns.ts';
import type { FileKind, FileOptions, RowCount } from './file-kind.ts';
import { makeFileReader } from './file-reader.ts';
import { requireControl } from './file-rows.ts';

interface RegistrationFileOptions extends FileOptions<RegistrationColumn> {
  readonly defaults: RegistrationDefaults;
}

class RegistrationCount implements RowCount<RegistrationFileRow, RegistrationSealTotals> {
  rows = 0;

  add(): void {
    this.rows += 1;
  }

  isTrailer(cells: readonly string[]): boolean {
    return looksLikeRowsTrailer(cells, this.rows);
  }

  requireControl(declared: ControlTotals, trailerLine: number | null): void {
    requireControl(declared, this, trailerLine);
  }

  end(conflictingRowNos: readonly number[]): RegistrationSealTotals {
    return { rows: this.rows, conflictingRowNos };
  }
}

function pickCells(pick: (column: RegistrationColumn) => string): RegistrationCells {
  return {
    registrationId: pick('registrationId'),
    customerId: pick('customerId'),
    vendorId: pick('vendorId'),
    companyId: pick('companyId'),
    accountNo: pick('accountNo'),
    ref1: pick('ref1'),
    ref2: pick('ref2'),
    ref3: pick('ref3'),
    ref4: pick('ref4'),
  };
}

const registrationKind = (
  defaults: RegistrationDefaults,
): FileKind<RegistrationFileRow, RegistrationSealTotals> => ({
  columns: fileColumns.registration,
  maskedColumns: maskedRegistrationColumns,
  control: 'rows',
  amountColumn: null,
  pickCells,
  readRow: (place) => ({ ...place, holds: [], ...parseRegistrationRow(place.cells, place.line, defaults) }),
  rejectRow: (place, issues) => ({ ...place, instruction: null, holds: [], issues }),
  doubtCells: (row) => row,
  count: () => new RegistrationCount(),
});

/** Makes a reader of registration files with these settings. */
export const makeRegistrationFileReader = (options: RegistrationFileOptions): RegistrationFileReader =>
  makeFileReader(registrationKind(options.defaults), options);
