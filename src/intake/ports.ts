/** What taking a file in needs of the journal. */
import type { Satang } from '../core/money.ts';
import type { HoldReason, Instruction } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import type { Issue } from './rules/row.ts';

// ---- * What the worker needs of a payout file: a first look at its bytes, then its rows.

/** The seven input columns as the file has them, for a row that the rules have rejected. */
export interface RowCells {
  readonly payoutId: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  readonly payeeName: string;
  readonly amount: string;
  readonly reference1: string;
  readonly reference2: string;
}

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

/** Facts of a whole file, known once its last row has been read. */
export interface SealTotals {
  readonly rows: number;
  readonly totalSatang: Satang;
  readonly unreadableAmounts: number;
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

export type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-874';

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

/** What reading a file yields, in this order: one header, rows, then a summary; or, at any point, a rejection. */
export type ReadPart =
  | { readonly kind: 'header'; readonly extraColumns: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly StagedRow[] }
  | { readonly kind: 'summary'; readonly totals: SealTotals }
  | { readonly kind: 'rejected'; readonly rejection: FileRejection };

export interface PayoutFileReader {
  inspect(
    path: string,
  ): Promise<
    | { readonly kind: 'inspected'; readonly inspection: Inspection }
    | { readonly kind: 'rejected'; readonly rejection: FileRejection }
  >;
  /** Reads the inspected file; a file that has changed since is rejected. The last part is a summary or a rejection. */
  read(inspection: Inspection): AsyncIterable<ReadPart>;
}

export interface BatchStart {
  readonly batchId: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly extraColumns: readonly string[];
  /** When the file was dropped, which may be long before it is read; `nowMs` when left out. */
  readonly droppedAtMs?: number;
  readonly nowMs: number;
}

/** Batches until they are sealed. */
export interface IntakeStore {
  batch(batchId: string): Promise<Batch | undefined>;
  /** Creates the batch, or begins a reading again: rows staged by an unfinished reading are dropped. */
  startIngest(start: BatchStart): Promise<void>;
  stage(batchId: string, rows: readonly StagedRow[]): Promise<void>;
  /**
   * Turns the staged rows into ready, held or rejected ones and takes the claims, in one transaction.
   * A row whose payoutId is held elsewhere is rejected with the holder named; one that equals another
   * but for case or leading zeros gets the hold `similar`.
   */
  seal(batchId: string, totals: SealTotals, nowMs: number): Promise<Batch>;
  /** Ends the reading of a file that is rejected as a whole; its staged rows are dropped. */
  rejectBatch(batchId: string, code: string, reason: string, nowMs: number): Promise<void>;
}
