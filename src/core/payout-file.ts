/** A partner's payout file: its inspection, its rows, and why the file or a row is rejected. */
import type { Message } from './message.ts';
import type { Satang } from './money.ts';
import type { HoldReason, Instruction } from './payout.ts';

/** A fault of one cell or one row; every fault of a row is reported. */
export interface Issue {
  /** Line of the file, from 1. */
  readonly line: number;
  /** The column's name in the settings' words, or null when the fault concerns the whole row. */
  readonly column: string | null;
  /** A short, stable name of the rule, for programs: "amount-decimals". */
  readonly code: string;
  /** The cell's content, masked; null when there is none. */
  readonly value: string | null;
  /** The fault and its cure. */
  readonly message: Message;
}

/** The columns that paydrop reads, in its own order. */
export const rowColumns = [
  'payoutId',
  'proxyType',
  'proxyNo',
  'payeeName',
  'amount',
  'reference1',
  'reference2',
] as const;
export type RowColumn = (typeof rowColumns)[number];

/** The input columns as the file has them. */
export type RowCells = Readonly<Record<RowColumn, string>>;

/** A row on its way into the store: valid (`instruction`) or rejected (`issues`). */
export interface StagedRow {
  readonly rowNo: number;
  /** Line of the file at which the row starts. */
  readonly line: number;
  readonly cells: RowCells;
  readonly instruction: Instruction | null;
  /** Amount, readable on many a rejected row too; null when unreadable. */
  readonly amountSatang: Satang | null;
  readonly holds: readonly HoldReason[];
  readonly issues: readonly Issue[];
  /** Carried-through cells, in the order of the batch's extraColumns. */
  readonly extras: readonly string[];
}

/** Totals of a whole file. */
export interface FileTotals {
  readonly rows: number;
  /** Sum of the readable amounts. */
  readonly totalSatang: Satang;
  /** Rows with an unreadable amount. */
  readonly unreadableAmounts: number;
}

/** Facts of a whole file, known once its last row has been read. */
export interface SealTotals extends FileTotals {
  /** Rows accepted at first whose payoutId a later, different row repeats; rejected when the batch is sealed. */
  readonly conflictingRowNos: readonly number[];
}

/** Why a file is rejected as a whole; nothing of it is sent. */
export interface FileRejection {
  /** A short, stable name of the rule, for programs: "column-missing". */
  readonly code: string;
  /** Line of the file, from 1; null when the fault has no single line. */
  readonly line: number | null;
  /** Our name of the column, or the file's own header; null when the fault has no single column. */
  readonly column: string | null;
  /** The fault and its cure. */
  readonly message: Message;
}

export type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-874' | 'windows-1252';

/** Result of one pass over a file's bytes; a later reading is compared with it. */
export interface Inspection {
  readonly path: string;
  /** SHA-256 (hex) of all bytes. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly encoding: FileEncoding;
  /** Bytes of the byte order mark at the start; 0 without one. */
  readonly bomBytes: number;
  readonly endsWithLineEnd: boolean;
  /** Device, inode, size and time of change: if it differs, the file was replaced or written to. */
  readonly identity: string;
}
