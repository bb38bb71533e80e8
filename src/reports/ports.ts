/** The journal and the outbox as reports use them. */
import type { Report, Snapshot } from '../core/ports.ts';
import type { TableDraft } from '../platform/csv/table-writer.ts';
import type { PreparedFile, PublishedState } from '../platform/durable-file.ts';

// ---- the outbox. A file is first written whole under a temporary name and made durable,
// then recorded in the journal, then published under its own name: no reader ever sees half a file.

/**
 * `program`: every value as it is. `guarded`: the same, but no formula. `spreadsheet`: values that a spreadsheet would
 * change are kept as text.
 */
export type TableStyle = 'program' | 'guarded' | 'spreadsheet';

export interface ReportOutbox {
  /**
   * Checks that files of these names can be written: no other file has one of them, and the folder takes a new file.
   * @throws OutputFileError naming every file that is in the way
   */
  requireRoom(fileNames: readonly string[]): Promise<void>;
  openTable(fileName: string, style: TableStyle): Promise<TableDraft>;
  /** @param content a text, as UTF-8, or bytes */
  writeWhole(fileName: string, content: string | Uint8Array): Promise<PreparedFile>;
  /** Gives a recorded file its own name, unless that is done; never overwrites another file. */
  publish(recorded: PreparedFile): Promise<PublishedState>;
  /** Ids of the batches that have temporary files here, recorded or not. */
  findLeftovers(): Promise<readonly string[]>;
  /** Removes the batch's temporary files without a record; those of others only while this process may send. */
  removeLeftovers(batchId: string, recordedTemporaryPaths: readonly string[]): Promise<void>;
}

/** Outbox for files that the journal does not record. */
export interface PresentOutbox extends ReportOutbox {
  /** Removes the temporary files that were written through this outbox and not published. */
  discardUnpublished(): Promise<void>;
}

/** The reports of one kind of batch, and the view of a moment that they are written from. */
export interface ReportRecords<View> {
  /** The files recorded for a batch, published or not. */
  reports(batchId: string): Promise<readonly Report[]>;
  recordReports(reports: readonly Report[]): Promise<void>;
  /** The view; the caller closes it. */
  snapshot(): Promise<View>;
}

export type ReportStore = ReportRecords<Snapshot>;
