/** What stands in the tables that a batch leaves, whatever its rows are of. */
import type { BookWords } from './workbook.ts';

/** Columns and cells of rows of one kind, and what a workbook of them says. */
export interface ReportTables<Row> {
  /** Our own; the carried-through ones follow. */
  readonly resultColumns: readonly string[];
  readonly exceptionColumns: readonly string[];
  /** It belongs in the exceptions file. */
  readonly isException: (row: Row) => boolean;
  readonly renderResultHeader: (extraColumns: readonly string[]) => string[];
  readonly renderExceptionHeader: (extraColumns: readonly string[]) => string[];
  /** @param extrasCount how many carried-through columns the header has */
  readonly renderResult: (row: Row, extrasCount?: number) => string[];
  readonly renderException: (batchId: string, row: Row, extrasCount?: number) => string[];
  /** The cells of `renderException` as a workbook has them: the remedy in English over Thai. */
  readonly addThaiRemedy: (cells: readonly string[], row: Row) => string[];
  readonly book: BookWords<Row>;
}
