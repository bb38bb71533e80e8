/**
 * The high-water mark: a small file beside the journal that says which journal works here, how far it had come, and which
 * terminals it has sent from. A journal that is missing, new, or older than its mark was lost or restored: it no longer
 * knows what was sent, so it is refused.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { describeUnreadableMark, type MarkCopy, type SealKeeper } from '../payout/rules/journal-place.ts';
import { errorCode, replaceFileNow } from '../platform/durable-file.ts';
import { explainWriting, JournalRefusedError } from './connection.ts';

export const highWaterMarkSchema = z.object({
  journalId: z.string(),
  /** The time at which the journal last went on after a loss: a copy from before knows nothing of later sends. 0: never. */
  recoveredAtMs: z.int().default(0),
  sealedBatches: z.int(),
  latestEventSeq: z.int(),
  latestRegistrationEventSeq: z.int().default(0),
  /** The terminals that the journal may have sent from, the present one last; none in a mark of an earlier version. */
  terminals: z.array(z.string()).readonly().default([]),
  unmarkedSinceMs: z.int().default(0),
});

/** The progress of a journal; all numbers only grow. */
export type HighWaterMark = Readonly<z.infer<typeof highWaterMarkSchema>>;

const highWaterMarkFileName = 'journal.mark';

/** The path of the high-water mark of a journal in this folder. */
const highWaterMarkPathIn = (dataDir: string): string => join(dataDir, highWaterMarkFileName);

/** The high-water mark as it was found on the disk. */
export type FoundHighWaterMark = HighWaterMark | undefined | 'unreadable';

/**
 * The high-water mark in the folder; undefined when there is none.
 * @throws JournalRefusedError when it cannot be read
 */
export function readHighWaterMark(dataDir: string): HighWaterMark | undefined {
  const path = highWaterMarkPathIn(dataDir);
  const read = (): HighWaterMark => highWaterMarkSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
  }
  try {
    // The process that sends may have been writing it.
    return read();
  } catch (error) {
    throw new JournalRefusedError(describeUnreadableMark(path, errorCode(error)), { cause: error });
  }
}

const largest = Number.MAX_SAFE_INTEGER;

/** Leaves room for the largest numbers: a mark that is overwritten in place, with new numbers alone, keeps its length. */
function encodeHighWaterMark(highWaterMark: HighWaterMark): string {
  const numbers = Object.entries(highWaterMark).filter(([, value]) => typeof value === 'number');
  const room = numbers.reduce(
    (length, [, value]) => length + String(largest).length - String(value).length,
    0,
  );
  const text = JSON.stringify(highWaterMark);
  return `${text.padEnd(text.length + room)}\n`;
}

/** The longest lag of the disk behind what was written to the high-water mark: only a power cut makes a difference. */
const unsyncedMsMax = 2_000;

/**
 * Keeps the high-water mark up to date, always after the commit: it is never ahead of the journal. With every commit it
 * is overwritten in place, which survives the death of the process and costs a few microseconds; it is synced now and
 * then, and written anew when the journal is opened, a batch moves, and in the end.
 */
export class HighWaterMarkFile {
  readonly #dataDir: string;
  readonly #readPresent: () => HighWaterMark;
  #written: HighWaterMark | undefined;
  #file: number | undefined;
  readonly #copies: MarkCopy | undefined;
  /** Keeps the seals of batches beside the copies. */
  readonly seals: SealKeeper | undefined;
  #syncedAtMs = -Infinity;

  /** @param copies kept elsewhere, a little behind */
  constructor(
    dataDir: string,
    found: FoundHighWaterMark,
    readPresent: () => HighWaterMark,
    copies?: MarkCopy,
  ) {
    this.#dataDir = dataDir;
    this.#copies = copies;
    this.seals = copies;
    this.#written = found === 'unreadable' ? undefined : found;
    this.#readPresent = readPresent;
  }

  /** Brings the mark up to date, durably. @throws JournalWriteError when it cannot be written: nothing more is sent then */
  advance(): void {
    const present = this.#readPresent();
    if (this.#file !== undefined && isDeepStrictEqual(this.#written, present)) return;
    this.close();
    const path = highWaterMarkPathIn(this.#dataDir);
    explainWriting(path, () => replaceFileNow(path, encodeHighWaterMark(present)));
    this.#written = present;
    this.#file = openSync(path, 'r+');
    this.#copies?.write(present);
  }

  /** Notes a commit with the number of the latest event of its kind. @throws JournalWriteError as `advance` does */
  note(latestSeq: number, kind: 'latestEventSeq' | 'latestRegistrationEventSeq' = 'latestEventSeq'): void {
    const file = this.#file;
    if (file === undefined || this.#written === undefined) {
      this.advance();
      return;
    }
    if (latestSeq === this.#written[kind]) return;
    const highWaterMark = { ...this.#written, [kind]: latestSeq };
    explainWriting(highWaterMarkPathIn(this.#dataDir), () => {
      writeSync(file, encodeHighWaterMark(highWaterMark), 0);
      if (this.#syncNowAndThen(file)) this.#copies?.write(highWaterMark);
    });
    this.#written = highWaterMark;
  }

  #syncNowAndThen(file: number): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#syncedAtMs < unsyncedMsMax) return false;
    fdatasyncSync(file);
    this.#syncedAtMs = nowMs;
    return true;
  }

  /** Resolves when the copies are up to date, or have not been for too long. */
  async settled(): Promise<void> {
    await this.#copies?.settled();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
