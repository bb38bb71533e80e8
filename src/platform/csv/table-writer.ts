/** Writes a table record by record, under a temporary name. */
import type { AtomicFile, PreparedFile } from '../durable-file.ts';

/** A table under a temporary name; closing it unfinished removes it. */
export interface TableDraft extends AsyncDisposable {
  /** Adds one record. A returned promise must be awaited, or memory grows with the file. */
  add(record: readonly string[]): Promise<void> | undefined;
  finish(): Promise<PreparedFile>;
}

/** The format of a table. */
export interface TableForm {
  /** Text before the first record. */
  readonly start: string;
  readonly format: (records: readonly (readonly string[])[]) => string;
  /** Records formatted and written at once. */
  readonly recordsPerWrite: number;
}

/** Begins a table in a file, and owns the file from now on. */
export function openTable(file: AtomicFile, { start, format, recordsPerWrite }: TableForm): TableDraft {
  let pending: (readonly string[])[] = [];
  let head = start;
  const writePending = async (): Promise<void> => {
    const text = head + format(pending);
    pending = [];
    head = '';
    await file.write(text);
  };
  return {
    add: (record) => {
      pending.push(record);
      return pending.length < recordsPerWrite ? undefined : writePending();
    },
    finish: async () => {
      await writePending();
      return await file.finish();
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
