/** What a reader must know of a kind of file: its columns, how a record becomes a row, what its rows add up to. */
import type { FileEncoding, Issue } from '../../core/payout-file.ts';
import type { Delimiter } from '../../platform/csv/records.ts';
import type { ControlForm, ControlTotals } from '../rules/control-totals.ts';
import type { FileColumns } from '../rules/file-columns.ts';
import type { HeaderOptions } from './header.ts';

/** The settings' `input` and `limits`, in the units that the reader needs. */
export interface FileOptions<Column extends string = string> extends HeaderOptions<Column> {
  readonly delimiter: 'auto' | Delimiter;
  readonly encoding: 'auto' | FileEncoding;
  readonly control: 'none' | 'trailer' | 'sidecar';
  readonly trailerMark: string;
  readonly finalLineEnd: 'required' | 'optional';
  readonly numberAfterAmount: 'refused' | 'allowed';
  /** Results are written so: an apostrophe before a formula is taken away again. */
  readonly guardFormulas: boolean;
  readonly limits: FileLimits;
}

/** Null stands for no limit. */
export interface FileLimits {
  readonly rowsMax: number | null;
  readonly bytesMax: number | null;
}

/** Where a row stands, with its cells. */
export interface RowPlace<Cells> {
  readonly rowNo: number;
  /** Line of the file at which it starts. */
  readonly line: number;
  readonly cells: Cells;
  readonly extras: readonly string[];
}

/** A row of any kind of file. */
export interface FileRow extends RowPlace<Readonly<Record<string, string>>> {
  /** Null when it has an issue. */
  readonly instruction: object | null;
  readonly holds: readonly string[];
  readonly issues: readonly Issue[];
}

export interface FileKind<Row extends FileRow, Totals> {
  readonly columns: FileColumns;
  /** Columns of which an issue shows the last four characters alone. */
  readonly maskedColumns: ReadonlySet<string>;
  readonly control: ControlForm;
  /** The column of which a comma may have cut what stands in it; null without one. */
  readonly amountColumn: string | null;
  pickCells(pick: (column: string) => string): Row['cells'];
  /** By the rules: an instruction, or every issue. */
  readRow(place: RowPlace<Row['cells']>): Row;
  /** One of which no cell can be believed. */
  rejectRow(place: RowPlace<Row['cells']>, issues: readonly Issue[]): Row;
  /** The same row where what stands in these columns cannot be believed. */
  doubtCells(row: Row, columns: readonly string[]): Row;
  count(): RowCount<Row, Totals>;
}

/** What the rows of one file add up to. */
export interface RowCount<Row, Totals> {
  readonly rows: number;
  add(row: Row): void;
  /** True when a record that is no row looks like a trailer after the rows so far. */
  isTrailer(cells: readonly string[], columns: number): boolean;
  /**
   * @param trailerLine of the control totals; null where they stand in a file of their own
   * @throws FileRejected when they differ
   */
  requireControl(declared: ControlTotals, trailerLine: number | null): void;
  /** @throws FileRejected when they exceed a limit */
  end(conflictingRowNos: readonly number[]): Totals;
}
