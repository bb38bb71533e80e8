/** Contents of the tables that a batch leaves, for any kind of rows. */
import type { BookWords } from './workbook.ts';

/** Columns and cells of rows of one kind, and the texts of their workbook. */
export interface ReportTables<Row> {
  /** paydrop's own columns; the carried-through ones follow. */
  readonly resultColumns: readonly string[];
  readonly exceptionColumns: readonly string[];
  /** True for a row in the exceptions file. */
  readonly isException: (row: Row) => boolean;
  readonly renderResultHeader: (extraColumns: readonly string[]) => string[];
  readonly renderExceptionHeader: (extraColumns: readonly string[]) => string[];
  /** @param extrasCount number of carried-through columns in the header */
  readonly renderResult: (row: Row, extrasCount?: number) => string[];
  readonly renderException: (batchId: string, row: Row, extrasCount?: number) => string[];
  /** The cells of `renderException` for a workbook: the remedy in English over Thai. */
  readonly addThaiRemedy: (cells: readonly string[], row: Row) => string[];
  readonly book: BookWords<Row>;
}
