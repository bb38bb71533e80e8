/**
 * High-water marks in folders that are restored apart from the journal: journal.db and journal.mark that were put back
 * together are noticed by them. They bear the journal's id in their names, since journals may share an outbox. Never in
 * the way: a folder that is away, full or slow has an older mark, which only notices less.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeMissing, type MarkCopy } from '../payout/rules/journal-place.ts';
import { type HighWaterMark, highWaterMarkSchema } from '../store/high-water-mark.ts';

/** How long a folder may take: a share that hangs holds up nobody. */
const folderMs = 3_000;

const namePattern = /^\.journal-[0-9a-f-]{36}\.mark(?:\.tmp)?$/;

/** True for the name of such a mark, of any journal. */
export const isMarkName = (name: string): boolean => namePattern.test(name);

export class MarkCopies implements MarkCopy {
  readonly #paths: readonly string[];
  #next: HighWaterMark | undefined;
  #writing: Promise<void> | undefined;

  constructor(folders: readonly string[], journalId: string) {
    this.#paths = folders.map((folder) => join(folder, `.journal-${journalId}.mark`));
  }

  /** Why the journal is behind one of them; undefined when it is not, or none can be read. */
  async describeMissing(dataDir: string, present: HighWaterMark): Promise<string | undefined> {
    for (const path of this.#paths) {
      const mark = await Promise.race([readMark(path), sleep(folderMs, undefined, { ref: false })]);
      // One from before a loss that the journal knows of is of a journal that went further than this one.
      if (mark === undefined || mark.recoveredAtMs < present.recoveredAtMs) continue;
      const missing = describeMissing(dataDir, mark, present);
      if (missing !== undefined) return `${missing} (so says ${path})`;
    }
    return undefined;
  }

  /** Writes the latest one, when the one before has been. */
  write(mark: HighWaterMark): void {
    this.#next = mark;
    this.#writing ??= this.#writeNext().finally(() => (this.#writing = undefined));
  }

  async #writeNext(): Promise<void> {
    while (this.#next !== undefined) {
      const text = `${JSON.stringify(this.#next)}\n`;
      this.#next = undefined;
      await Promise.all(this.#paths.map((path) => replaceMark(path, text).catch(() => undefined)));
    }
  }

  /** Resolves when the latest has been written, or has not for too long. */
  async settled(): Promise<void> {
    await Promise.race([this.#writing, sleep(folderMs, undefined, { ref: false })]);
  }
}

async function readMark(path: string): Promise<HighWaterMark | undefined> {
  try {
    return highWaterMarkSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A process that dies midway leaves the one temporary name, which the next takes over. */
async function replaceMark(path: string, text: string): Promise<void> {
  await writeFile(`${path}.tmp`, text, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}
