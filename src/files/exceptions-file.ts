import { stringify } from 'csv-stringify/sync';
import { exceptionColumns } from '../core/report-rows.ts';
import { escapeAmountCell, escapeSpreadsheetCell } from './spreadsheet.ts';

/** Tells a spreadsheet that the file is UTF-8, or Thai names come out garbled. */
export const byteOrderMark = '\uFEFF';

const amountIndex = exceptionColumns.indexOf('amount');

/** Records as lines of an exceptions file, for a spreadsheet; the file begins with `byteOrderMark`. */
export function formatExceptionRecords(records: readonly (readonly string[])[]): string {
  const escaped = records.map((record) =>
    record.map((cell, index) =>
      index === amountIndex ? escapeAmountCell(cell) : escapeSpreadsheetCell(cell),
    ),
  );
  return stringify(escaped, { record_delimiter: '\r\n' });
}
