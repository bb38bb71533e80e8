/** What reconciling needs of the folder in which a day's tables are left beside the bank's own file. */
import type { PreparedFile, PublishedState, TableDraft } from './report-outbox.ts';

export interface StatementOutbox {
  /** For programs: every value as it is. */
  openMatched(fileName: string): Promise<TableDraft>;
  /** For a spreadsheet: what it would change is kept as text, amounts stay numbers. */
  openBreaks(fileName: string): Promise<TableDraft>;
  publish(recorded: PreparedFile): Promise<PublishedState>;
  /** Removes what a crash has left half written, unless it was written to since `beforeMs`. */
  removeLeftovers(beforeMs: number): Promise<void>;
}

/** `20261121.v2.breaks.csv`. */
export function computeStatementFileName(date: string, version: number, kind: 'matched' | 'breaks'): string {
  return `${date}.v${version}.${kind}.csv`;
}
