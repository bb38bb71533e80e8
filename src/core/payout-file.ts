/** A partner's payout file: what a look at its bytes shows, its rows, and why it or a row of it is rejected. */
import type { Satang } from './money.ts';
import type { HoldReason, Instruction } from './payout.ts';

/** What is wrong with one cell, or one row; every issue of a row is reported. */
export interface Issue {
  /** Line of the file, from 1. */
  readonly line: number;
  /** The column's name in the settings' words, or null when the whole row is meant. */
  readonly column: string | null;
  /** A short, stable name of the rule, for programs: "amount-decimals". */
  readonly code: string;
  /** The cell's content, masked; null when there is none. */
  readonly value: string | null;
  /** What is wrong and what to do about it. */
  readonly message: string;
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
  /** Readable even on many a rejected row; null when not. */
  readonly amountSatang: Satang | null;
  readonly holds: readonly HoldReason[];
  readonly issues: readonly Issue[];
  /** Carried-through cells, in the order of the batch's extraColumns. */
  readonly extras: readonly string[];
}

/** What a whole file adds up to. */
export interface FileTotals {
  readonly rows: number;
  /** Of the readable amounts. */
  readonly totalSatang: Satang;
  /** Rows whose amount cannot be read. */
  readonly unreadableAmounts: number;
}

/** Facts of a whole file, known once its last row has been read. */
export interface SealTotals extends FileTotals {
  /** Rows accepted at first whose payoutId a later, different row repeats: rejected at the seal. */
  readonly conflictingRowNos: readonly number[];
}

/** Why a file is rejected as a whole: nothing of it is sent. */
export interface FileRejection {
  /** A short, stable name of the rule, for programs: "column-missing". */
  readonly code: string;
  /** Line of the file, from 1; null when no one line is meant. */
  readonly line: number | null;
  /** Our name of the column, or the file's own header; null when no one column is meant. */
  readonly column: string | null;
  /** What is wrong and what to do about it. */
  readonly message: string;
}

export type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-874' | 'windows-1252';

/** What one pass over a file's bytes has shown; reading it later is held against this. */
export interface Inspection {
  readonly path: string;
  /** SHA-256 (hex) of all bytes. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly encoding: FileEncoding;
  /** Bytes of the byte order mark at the start; 0 without one. */
  readonly bomBytes: number;
  readonly endsWithLineEnd: boolean;
  /** Device, inode, size and time of change: a file that differs has been replaced or written to. */
  readonly identity: string;
}
