/** The ports for taking a file in: a reader of its rows, and the journal that they are read into. */
import type { Message } from '../core/message.ts';
import type { FileRejection, Inspection, SealTotals, StagedRow } from '../core/payout-file.ts';
import type { Batch } from '../core/ports.ts';
import type { RegistrationFileRow, RegistrationSealTotals } from '../registration/rules/registration-file.ts';
import type { ApprovalPolicy } from '../review/rules/approval.ts';

/** A file that is rejected as a whole. */
export interface RejectedFile {
  readonly kind: 'rejected';
  readonly rejection: FileRejection;
}

/** The parts of a file in this order: one header, rows, then a summary; or, at any point, a rejection. */
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
  /** Reads the inspected file; one that has changed since is rejected. The last part is a summary or a rejection. */
  read(inspection: Inspection): AsyncIterable<ReadPart<Row, Totals>>;
}

export type PayoutFileReader = FileReader<StagedRow, SealTotals>;
export type RegistrationFileReader = FileReader<RegistrationFileRow, RegistrationSealTotals>;

export interface BatchStart extends Pick<
  Batch,
  'batchId' | 'sha256' | 'fileName' | 'companyId' | 'payerAccount' | 'extraColumns'
> {
  /** The moment of the drop, which may be long before the reading; `nowMs` when left out. */
  readonly droppedAtMs?: number;
  readonly nowMs: number;
}

/** The facts about any batch while its file is taken in. */
export type TakenBatch = Pick<Batch, 'batchId' | 'sha256' | 'fileName' | 'status'>;

/** Batches of any kind until they are sealed. */
export interface FileJournal<Row, Taken extends TakenBatch, Start> {
  batch(batchId: string): Promise<Taken | undefined>;
  /** Creates the batch, or restarts its reading: rows staged by an unfinished reading are dropped. */
  startIngest(start: Start): Promise<void>;
  stage(batchId: string, rows: readonly Row[]): Promise<void>;
  /** Ends the reading of a file that is rejected as a whole; drops its staged rows. */
  rejectBatch(batchId: string, code: string, reason: Message, nowMs: number): Promise<void>;
}

/** Batches of payouts until they are sealed. */
export interface IntakeStore extends FileJournal<StagedRow, Batch, BatchStart> {
  /**
   * Turns the staged rows into ready, held or rejected ones and takes the claims, in one transaction. A row whose
   * payoutId another row holds is rejected with the holder named; a payoutId that equals another except for case,
   * leading zeros, zero decimals, punctuation or blanks gets the hold `similar`.
   * @param likeFileDays all rows get that hold when half of them, and five or more, have the payee and amount of rows
   * that were paid or are under way within so many days; 0, or left out, means never
   * @param approval whether its rows wait for approval; left out: they do not
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

/** Batches of registrations until they are sealed: `registration/ports.ts` has the whole port. */
export interface RegistrationFileJournal<Taken extends TakenBatch> extends FileJournal<
  RegistrationFileRow,
  Taken,
  RegistrationBatchStart
> {
  seal(batchId: string, totals: RegistrationSealTotals, nowMs: number): Promise<Taken>;
}
