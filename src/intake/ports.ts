/** What taking a file in needs: a reader of its rows, and the journal that they are read into. */
import type { FileRejection, Inspection, SealTotals, StagedRow } from '../core/payout-file.ts';
import type { Batch } from '../core/ports.ts';
import type { RegistrationFileRow, RegistrationSealTotals } from '../registration/rules/registration-file.ts';
import type { ApprovalPolicy } from '../review/rules/approval.ts';

/** A file that is rejected as a whole. */
export interface RejectedFile {
  readonly kind: 'rejected';
  readonly rejection: FileRejection;
}

/** What reading a file yields, in this order: one header, rows, then a summary; or, at any point, a rejection. */
export type ReadPart<Row = StagedRow, Totals = SealTotals> =
  | { readonly kind: 'header'; readonly extraColumns: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'summary'; readonly totals: Totals }
  | RejectedFile;

/** Reads files of one kind. */
export interface FileReader<Row, Totals> {
  inspect(
    path: string,
  ): Promise<{ readonly kind: 'inspected'; readonly inspection: Inspection } | RejectedFile>;
  /** Reads the inspected file; a file that has changed since is rejected. The last part is a summary or a rejection. */
  read(inspection: Inspection): AsyncIterable<ReadPart<Row, Totals>>;
}

export type PayoutFileReader = FileReader<StagedRow, SealTotals>;
export type RegistrationFileReader = FileReader<RegistrationFileRow, RegistrationSealTotals>;

export interface BatchStart extends Pick<
  Batch,
  'batchId' | 'sha256' | 'fileName' | 'companyId' | 'payerAccount' | 'extraColumns'
> {
  /** When the file was dropped, which may be long before it is read; `nowMs` when left out. */
  readonly droppedAtMs?: number;
  readonly nowMs: number;
}

/** What is known of any batch while its file is taken in. */
export type TakenBatch = Pick<Batch, 'batchId' | 'sha256' | 'fileName' | 'status'>;

/** Any kind of batches until they are sealed. */
export interface FileJournal<Row, Taken extends TakenBatch, Start> {
  batch(batchId: string): Promise<Taken | undefined>;
  /** Creates the batch, or begins a reading again: rows staged by an unfinished reading are dropped. */
  startIngest(start: Start): Promise<void>;
  stage(batchId: string, rows: readonly Row[]): Promise<void>;
  /** Ends the reading of a file that is rejected as a whole; its staged rows are dropped. */
  rejectBatch(batchId: string, code: string, reason: string, nowMs: number): Promise<void>;
}

/** Batches of payouts until they are sealed. */
export interface IntakeStore extends FileJournal<StagedRow, Batch, BatchStart> {
  /**
   * Turns the staged rows into ready, held or rejected ones and takes the claims, in one transaction.
   * A row whose payoutId is held elsewhere is rejected with the holder named; one that equals another
   * but for case, leading zeros, decimals of zeros, punctuation or blanks gets the hold `similar`.
   * @param likeFileDays all rows get it when half of them, and five or more, have payee and amount of rows that were paid
   *   or are under way within so many days; 0, or left out, means never
   * @param approval whether its rows wait for approval; they do not when it is left out
   */
  seal(
    batchId: string,
    totals: SealTotals,
    nowMs: number,
    likeFileDays?: number,
    approval?: ApprovalPolicy,
  ): Promise<Batch>;
}

type RegistrationBatchStart = Omit<BatchStart, 'payerAccount'>;

/** Batches of registrations until they are sealed: `registration/ports.ts` has the whole of it. */
export interface RegistrationFileJournal<Taken extends TakenBatch> extends FileJournal<
  RegistrationFileRow,
  Taken,
  RegistrationBatchStart
> {
  seal(batchId: string, totals: RegistrationSealTotals, nowMs: number): Promise<Taken>;
}
