/** What reporting on a batch needs of the journal. */
import type { Report, Snapshot } from '../core/ports.ts';

// ---- * What the worker needs of the outbox. A file is first written whole under a temporary name and made durable,
// then recorded in the journal, then published under its own name: no reader ever sees half a file.

/** `program`: every value as it is. `spreadsheet`: values that a spreadsheet would change are kept as text. */
export type TableStyle = 'program' | 'spreadsheet';

/** A file that is whole and durable under its temporary name. */
export interface PreparedFile {
  readonly path: string;
  readonly temporaryPath: string;
  /** Of the bytes, as hex. */
  readonly sha256: string;
}

/** A table under a temporary name, which is removed if its owner closes it unfinished. */
export interface TableDraft extends AsyncDisposable {
  /** Adds one record; must be awaited when it answers with a promise, or memory grows with the file. */
  add(record: readonly string[]): Promise<void> | undefined;
  finish(): Promise<PreparedFile>;
}

/**
 * `published`: now, under its own name. `already-there`: with these bytes, from before.
 * `gone`: neither the file nor its temporary one is there: published once and taken away since.
 */
export type PublishedState = 'published' | 'already-there' | 'gone';

export interface ReportOutbox {
  openTable(fileName: string, style: TableStyle): Promise<TableDraft>;
  writeText(fileName: string, text: string): Promise<PreparedFile>;
  /** Gives a recorded file its own name, if that has not been done; never overwrites another file. */
  publish(recorded: PreparedFile): Promise<PublishedState>;
  /** Ids of the batches that have temporary files here, recorded or not. */
  findLeftovers(): Promise<readonly string[]>;
  /** Removes temporary files of the batch that no record names. */
  removeLeftovers(batchId: string, recordedTemporaryPaths: readonly string[]): Promise<void>;
}

export interface ReportStore {
  reports(batchId: string): Promise<readonly Report[]>;
  recordReports(reports: readonly Report[]): Promise<void>;
  snapshot(): Promise<Snapshot>;
}
