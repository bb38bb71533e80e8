/** A table that is written record by record under a temporary name. */
import type { AtomicFile, PreparedFile } from '../durable-file.ts';

/** A table under a temporary name, which is removed if its owner closes it unfinished. */
export interface TableDraft extends AsyncDisposable {
  /** Adds one record; must be awaited when it answers with a promise, or memory grows with the file. */
  add(record: readonly string[]): Promise<void> | undefined;
  finish(): Promise<PreparedFile>;
}

/** How a table is written. */
export interface TableForm {
  /** Before the first record. */
  readonly start: string;
  readonly format: (records: readonly (readonly string[])[]) => string;
  /** Records that are formatted and written at once. */
  readonly recordsPerWrite: number;
}

export class FileTable implements TableDraft {
  readonly #file: AtomicFile;
  readonly #form: TableForm;
  #pending: (readonly string[])[] = [];
  #start: string;

  constructor(file: AtomicFile, form: TableForm) {
    this.#file = file;
    this.#form = form;
    this.#start = form.start;
  }

  add(record: readonly string[]): Promise<void> | undefined {
    this.#pending.push(record);
    return this.#pending.length < this.#form.recordsPerWrite ? undefined : this.#writePending();
  }

  async #writePending(): Promise<void> {
    const text = this.#start + this.#form.format(this.#pending);
    this.#pending = [];
    this.#start = '';
    await this.#file.write(text);
  }

  async finish(): Promise<PreparedFile> {
    await this.#writePending();
    return await this.#file.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}
