/** Contents of the tables that a batch leaves, for any kind of rows. */
import { type Message, say } from '../../core/message.ts';
import type { BookWords } from './workbook.ts';

/** A row with the cells that are carried through. */
interface CarryingRow {
  readonly extras: readonly string[];
}

/** Columns by name, each with how a row fills it. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** Columns and lines of the tables of rows of one kind. */
interface TableLines<Row> {
  /** paydrop's own columns; the carried-through ones follow. */
  readonly resultColumns: readonly string[];
  readonly exceptionColumns: readonly string[];
  readonly renderResultHeader: (extraColumns: readonly string[]) => string[];
  readonly renderExceptionHeader: (extraColumns: readonly string[]) => string[];
  /**
   * One row of the result file, in the order of its columns, then the carried-through cells.
   * @param extrasCount number of carried-through columns in the header
   */
  readonly renderResult: (row: Row, extrasCount?: number) => string[];
  readonly renderException: (batchId: string, row: Row, extrasCount?: number) => string[];
  /** The cells of `renderException` for a workbook: the remedy in English over Thai, like the headings. */
  readonly addThaiRemedy: (cells: readonly string[], row: Row) => string[];
}

/** The same with the rows that need a person, and the texts of their workbook. */
export interface ReportTables<Row> extends TableLines<Row> {
  /** True for a row in the exceptions file. */
  readonly isException: (row: Row) => boolean;
  readonly book: BookWords<Row>;
}

/**
 * A table's header. A carried-through column with a taken name, in whatever case (a result file fed in again has its own
 * `status`), gets the prefix `input.`: every name stands once, and shows its origin.
 */
function renderHeader(ownColumns: readonly string[], extraColumns: readonly string[]): string[] {
  const header = [...ownColumns];
  for (const column of extraColumns) {
    let name = column;
    while (header.some((taken) => taken.toLowerCase() === name.toLowerCase())) name = `input.${name}`;
    header.push(name);
  }
  return header;
}

/** The carried-through cells, one for each column: a row with too few or too many must not make the table ragged. */
const fillExtras = ({ extras }: CarryingRow, count: number): string[] =>
  Array.from({ length: count }, (_, index) => extras[index] ?? '');

/** @param exceptions the columns after the batch's id */
export function makeTableLines<Row extends CarryingRow>(
  result: Columns<Row>,
  exceptions: Columns<Row>,
  remedyOf: (row: Row) => Message,
): TableLines<Row> {
  const [resultColumns, exceptionColumns] = [Object.keys(result), ['batchId', ...Object.keys(exceptions)]];
  const remedyPlace = exceptionColumns.indexOf('remedy');
  const cellsOf = (columns: Columns<Row>) => {
    const cells = Object.values(columns);
    return (row: Row, extrasCount = row.extras.length): string[] => [
      ...cells.map((cell) => cell(row)),
      ...fillExtras(row, extrasCount),
    ];
  };
  const [renderResult, renderException] = [cellsOf(result), cellsOf(exceptions)];
  return {
    resultColumns,
    exceptionColumns,
    renderResultHeader: (extraColumns) => renderHeader(resultColumns, extraColumns),
    renderExceptionHeader: (extraColumns) => renderHeader(exceptionColumns, extraColumns),
    renderResult,
    renderException: (batchId, row, extrasCount) => [batchId, ...renderException(row, extrasCount)],
    addThaiRemedy: (cells, row) =>
      cells.with(remedyPlace, `${cells[remedyPlace] ?? ''}\n${say('th', remedyOf(row))}`),
  };
}
