import type { FileRejection } from '../core/ports.ts';

/** Carries a rejection of the whole file up to the reader's boundary, where it becomes a value. */
export class FileRejected extends Error {
  override readonly name = 'FileRejected';
  readonly rejection: FileRejection;

  constructor(code: string, message: string, line: number | null = null, column: string | null = null) {
    super(message);
    this.rejection = { code, line, column, message };
  }
}
