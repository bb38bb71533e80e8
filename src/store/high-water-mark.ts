/**
 * The high-water mark: a small file beside the journal that says which journal works here and how far it had come. A
 * journal that is missing, new, or older than its mark was lost or restored: it no longer knows what was sent, so it is
 * refused.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { errorCode, replaceFileNow } from '../platform/durable-file.ts';
import { explainWriting, JournalRefusedError } from './connection.ts';

const highWaterMarkSchema = z.object({
  journalId: z.string(),
  /** When it last went on after a loss: a copy from before knows nothing of what was sent since. 0: never. */
  recoveredAtMs: z.int().default(0),
  sealedBatches: z.int(),
  latestEventSeq: z.int(),
});

/** How far a journal has come; all numbers only grow. */
export type HighWaterMark = Readonly<z.infer<typeof highWaterMarkSchema>>;

const wayOut =
  'If there is none, "paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank about every payout before ' +
  'it sends one; the day is the first of which something may be missing';

const highWaterMarkFileName = 'journal.mark';

/** Where the high-water mark of a journal in this folder stands. */
const highWaterMarkPathIn = (dataDir: string): string => join(dataDir, highWaterMarkFileName);

/** What stands where the high-water mark should. */
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
    // Whoever is sending may have been writing it.
    return read();
  } catch (error) {
    const why = 'it says how far the journal beside it had come, so nothing is sent without it';
    throw new JournalRefusedError(
      `${path} cannot be read: ${why}; put back the newest copy of the whole folder. ${wayOut}`,
      { cause: error },
    );
  }
}

/** Long enough for the largest numbers: a high-water mark that is overwritten in place always has the same length. */
const highWaterMarkLength = 255;

const encodeHighWaterMark = (highWaterMark: HighWaterMark): string =>
  `${JSON.stringify(highWaterMark).padEnd(highWaterMarkLength)}\n`;

const cure =
  'Nothing is sent, since payouts of the lost part would be paid again. ' +
  `Put back the newest journal.db together with its -wal file. ${wayOut}`;

/** @throws JournalRefusedError when the high-water mark stands and there is no journal, or an empty one */
export function requireNoHighWaterMark(dataDir: string, highWaterMark: FoundHighWaterMark): void {
  if (highWaterMark === undefined) return;
  throw new JournalRefusedError(
    `the journal that worked in ${dataDir} is lost: journal.mark is there, journal.db is not. ${cure}`,
  );
}

/** Why this is not the journal that the high-water mark stands for, or not all of it; undefined when it is. */
export function describeMissing(
  dataDir: string,
  highWaterMark: FoundHighWaterMark,
  present: HighWaterMark,
): string | undefined {
  if (highWaterMark === undefined) return undefined;
  if (highWaterMark === 'unreadable') return `journal.mark in ${dataDir} cannot be read`;
  if (highWaterMark.journalId !== present.journalId) {
    return `journal.db in ${dataDir} is not the journal that worked here before. ${cure}`;
  }
  if (present.recoveredAtMs < highWaterMark.recoveredAtMs) {
    return `journal.db in ${dataDir} is a copy from before the journal last went on after a loss. ${cure}`;
  }
  if (
    present.sealedBatches < highWaterMark.sealedBatches ||
    present.latestEventSeq < highWaterMark.latestEventSeq
  ) {
    const lost = `it has ${present.sealedBatches} files and ${present.latestEventSeq} events, ${highWaterMark.sealedBatches} and ${highWaterMark.latestEventSeq} were recorded`;
    return `journal.db in ${dataDir} is an older copy: ${lost}. ${cure}`;
  }
  return undefined;
}

/** How long the disk may lag behind what was written to the high-water mark: only a power cut makes a difference. */
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
  #syncedAtMs = -Infinity;

  constructor(dataDir: string, found: FoundHighWaterMark, readPresent: () => HighWaterMark) {
    this.#dataDir = dataDir;
    this.#written = found === 'unreadable' ? undefined : found;
    this.#readPresent = readPresent;
  }

  /** Brings it up to date, durably. @throws JournalWriteError when it cannot be written: nothing more is sent then */
  advance(): void {
    const present = this.#readPresent();
    if (this.#file !== undefined && isDeepStrictEqual(this.#written, present)) return;
    this.close();
    const path = highWaterMarkPathIn(this.#dataDir);
    explainWriting(path, () => replaceFileNow(path, encodeHighWaterMark(present)));
    this.#written = present;
    this.#file = openSync(path, 'r+');
  }

  /** Notes a commit with the number of the latest event. @throws JournalWriteError as `advance` does */
  note(latestEventSeq: number): void {
    const file = this.#file;
    if (file === undefined || this.#written === undefined) {
      this.advance();
      return;
    }
    if (latestEventSeq === this.#written.latestEventSeq) return;
    const highWaterMark = { ...this.#written, latestEventSeq };
    explainWriting(highWaterMarkPathIn(this.#dataDir), () => {
      writeSync(file, encodeHighWaterMark(highWaterMark), 0);
      this.#syncNowAndThen(file);
    });
    this.#written = highWaterMark;
  }

  #syncNowAndThen(file: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#syncedAtMs < unsyncedMsMax) return;
    fdatasyncSync(file);
    this.#syncedAtMs = nowMs;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
