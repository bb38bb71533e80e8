/** The sandbox's state on disk: JSON lines, appended and never changed; a line torn by a crash is dropped. */
import { closeSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { SandboxError } from './sandbox-error.ts';

export type StateLine = Readonly<Record<string, unknown>>;

const readChunkBytes = 1 << 20;
const newLine = 0x0a;

/** An open state file. Lines of one turn of the event loop are written together. */
export class StateFile {
  readonly #path: string;
  readonly #file: number;
  #pending = '';
  #written = Promise.withResolvers<void>();

  /**
   * Opens or creates the file (readable by the owner only) and passes each line after the first to `onLine`, oldest
   * first.
   * @param header first line, which identifies the owner; a file with another one is refused unchanged
   * @throws SandboxError when it cannot be opened, has another owner, or has an unreadable line before the last
   */
  constructor(path: string, header: StateLine, onLine: (line: StateLine) => void) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'a+', 0o600);
    } catch (cause) {
      throw new SandboxError(`cannot open the state file ${path}: give a path that can be written`, {
        cause,
      });
    }
    try {
      this.#readBack(JSON.stringify(header), onLine);
    } catch (cause) {
      closeSync(this.#file);
      throw cause;
    }
  }

  /** Resolves when the operating system has the line. */
  append(line: StateLine): Promise<void> {
    if (this.#pending === '') setImmediate(() => this.#flush());
    this.#pending += `${JSON.stringify(line)}\n`;
    return this.#written.promise;
  }

  /** Writes the pending lines and closes the file. */
  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    if (this.#pending === '') return;
    const [text, written] = [this.#pending, this.#written];
    this.#pending = '';
    this.#written = Promise.withResolvers();
    try {
      writeFileSync(this.#file, text);
      written.resolve();
    } catch (cause) {
      written.reject(new SandboxError(`cannot write the state file ${this.#path}`, { cause }));
    }
  }

  #readBack(header: string, onLine: (line: StateLine) => void): void {
    const chunk = Buffer.alloc(readChunkBytes);
    let rest: Buffer = Buffer.alloc(0);
    let wholeBytes = 0;
    let lineNo = 0;
    for (let at = 0; ;) {
      const bytes = readSync(this.#file, chunk, 0, chunk.length, at);
      if (bytes === 0) break;
      at += bytes;
      rest = Buffer.concat([rest, chunk.subarray(0, bytes)]);
      const end = rest.lastIndexOf(newLine) + 1;
      for (const text of rest.toString('utf8', 0, end).split('\n').slice(0, -1)) {
        lineNo += 1;
        if (lineNo > 1) this.#readLine(text, lineNo, onLine);
        else if (text !== header) throw this.#anothers();
      }
      wholeBytes += end;
      rest = rest.subarray(end);
    }
    if (lineNo === 0 && !header.startsWith(rest.toString())) throw this.#anothers();
    if (rest.length > 0) ftruncateSync(this.#file, wholeBytes);
    if (lineNo === 0) writeFileSync(this.#file, `${header}\n`);
  }

  #anothers(): SandboxError {
    return new SandboxError(
      `${this.#path} is not the state file of this sandbox and company: give another path`,
    );
  }

  #readLine(text: string, lineNo: number, onLine: (line: StateLine) => void): void {
    try {
      const line: unknown = JSON.parse(text);
      if (typeof line !== 'object' || line === null) throw new TypeError('not an object');
      onLine(line as StateLine);
    } catch (cause) {
      const message = `line ${lineNo} of the state file ${this.#path} cannot be read: move the file away to start anew`;
      throw new SandboxError(message, { cause });
    }
  }
}
