/** The description of a kind of file for its reader: columns, the making of rows from records, and totals. */
import type { FileEncoding, Issue } from '../../core/payout-file.ts';
import type { Delimiter } from '../../platform/csv/records.ts';
import type { ControlForm, ControlTotals } from '../rules/control-totals.ts';
import type { FileColumns } from '../rules/file-columns.ts';
import type { HeaderOptions } from './header.ts';

/** `input` and `limits` of the settings, in the reader's units. */
export interface FileOptions<Column extends string = string> extends HeaderOptions<Column> {
  readonly delimiter: 'auto' | Delimiter;
  readonly encoding: 'auto' | FileEncoding;
  readonly control: 'none' | 'trailer' | 'sidecar';
  readonly trailerMark: string;
  readonly finalLineEnd: 'required' | 'optional';
  readonly numberAfterAmount: 'refused' | 'allowed';
  /** Results are written with guards: an apostrophe before a formula is removed again. */
  readonly guardFormulas: boolean;
  readonly limits: FileLimits;
}

/** The limits of a file; null stands for no limit. */
export interface FileLimits {
  readonly rowsMax: number | null;
  readonly bytesMax: number | null;
}

/** The place of a row, with its cells. */
interface RawRow<Cells> {
  readonly rowNo: number;
  /** The line of the file at which the row starts. */
  readonly line: number;
  readonly cells: Cells;
  readonly extras: readonly string[];
}

/** A row of any kind of file. */
export interface FileRow extends RawRow<Readonly<Record<string, string>>> {
  /** Null when the row has an issue. */
  readonly instruction: object | null;
  readonly holds: readonly string[];
  readonly issues: readonly Issue[];
}

export interface FileKind<Row extends FileRow, Totals> {
  readonly columns: FileColumns;
  /** Columns whose issues show only the last four characters of a cell. */
  readonly maskedColumns: ReadonlySet<string>;
  readonly control: ControlForm;
  /** The column whose value a comma may have cut; null without one. */
  readonly amountColumn: string | null;
  pickCells(pick: (column: string) => string): Row['cells'];
  /** Reads a row by the rules: an instruction, or every issue. */
  readRow(place: RawRow<Row['cells']>): Row;
  /** Rejects a row whose cells are all unreliable. */
  rejectRow(place: RawRow<Row['cells']>, issues: readonly Issue[]): Row;
  /** Marks the cells of these columns as unreliable. */
  doubtCells(row: Row, columns: readonly string[]): Row;
  count(): RowCount<Row, Totals>;
}

/** The totals of the rows of one file. */
export interface RowCount<Row, Totals> {
  readonly rows: number;
  add(row: Row): void;
  /** True when a record that is no row looks like a trailer after the rows so far. */
  isTrailer(cells: readonly string[], columns: number): boolean;
  /**
   * Compares the declared totals with the counted ones.
   * @param trailerLine the line of the control totals; null where they are in a separate file
   * @throws FileRejected when they differ
   */
  requireControl(declared: ControlTotals, trailerLine: number | null): void;
  /** @throws FileRejected when the totals exceed a limit */
  end(conflictingRowNos: readonly number[]): Totals;
}
