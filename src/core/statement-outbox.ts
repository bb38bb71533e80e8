/** What reconciling needs of the folder in which a day's tables are left beside the bank's own file. */
import type { PreparedFile, PublishedState, TableDraft } from './report-outbox.ts';

export interface StatementOutbox {
  /** For programs: every value as it is. */
  openMatched(fileName: string): Promise<TableDraft>;
  /** For a spreadsheet: what it would change is kept as text, amounts stay numbers. */
  openBreaks(fileName: string): Promise<TableDraft>;
  publish(recorded: PreparedFile): Promise<PublishedState>;
  /**
   * Deals with temporary files that nobody has written to since `beforeMs`: those of accepted versions are published,
   * what a crash has left half written is removed.
   * @param accepted the files of every accepted version
   * @returns why files of accepted versions could not be published, in words; these stay for another time
   */
  finishLeftovers(beforeMs: number, accepted: readonly PreparedFile[]): Promise<readonly string[]>;
}

/** `20261121.v2.breaks.csv`. */
export function computeStatementFileName(date: string, version: number, kind: 'matched' | 'breaks'): string {
  return `${date}.v${version}.${kind}.csv`;
}
