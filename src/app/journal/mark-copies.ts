/**
 * High-water marks in folders that are restored apart from the journal: they reveal a journal.db and journal.mark that were
 * put back together. The digests of the batches beside each mark reveal a journal that was edited together with its own
 * digests. Names bear the journal's id, since journals may share an outbox. Marks never block: a folder that is away, full
 * or slow has an older mark, which only notices less.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { describeBehind, type KeptSeal, type MarkCopy } from '../../payout/rules/journal-place.ts';
import { type HighWaterMark, highWaterMarkSchema } from '../../store/high-water-mark.ts';

/** Longest wait for a folder: a share that hangs delays no work. */
const folderMs = 3_000;

const namePattern = /^\.journal-[0-9a-f-]{36}\.(?:mark|seals)(?:\.tmp)?$/;

/** True for the name of a mark, or of the seals beside it, of any journal. */
export const isMarkName = (name: string): boolean => namePattern.test(name);

/** The latest batches whose seals are kept; about older ones only the journal tells. */
const sealsMax = 2_000;

const sealsSchema = z.object({
  /** As in the mark: seals from before a loss belong to a journal that went further than this one. */
  recoveredAtMs: z.int(),
  seals: z.record(
    z.string(),
    z.object({ digest: z.string().nullable(), versionsDigest: z.string().nullable() }),
  ),
});

/** Seals by batchId. */
type Seals = ReadonlyMap<string, KeptSeal>;

export class MarkCopies implements MarkCopy {
  readonly #stems: readonly string[];
  /** Texts to be written, by the end of the file's name. */
  readonly #pending = new Map<'mark' | 'seals', string>();
  #writing: Promise<void> | undefined;
  #recoveredAtMs = 0;
  /** Seals as found in the folders when the journal was opened. */
  #found: readonly Seals[] = [];
  #seals = new Map<string, KeptSeal>();
  marks: readonly HighWaterMark[] = [];

  constructor(folders: readonly string[], journalId: string) {
    this.#stems = folders.map((folder) => join(folder, `.journal-${journalId}`));
  }

  describeMissing: MarkCopy['describeMissing'] = async (site, readPresent) => {
    const paths = this.#stems.map((stem) => `${stem}.mark`);
    const marks = await Promise.all(paths.map((path) => readWithin(path, highWaterMarkSchema)));
    this.marks = marks.filter((mark) => mark !== undefined);
    const present = await readPresent();
    await this.#readSeals(present.recoveredAtMs);
    for (const [place, mark] of marks.entries()) {
      const missing = describeBehind(site, mark, present);
      if (missing !== undefined) return `${missing} (so says ${paths[place]})`;
    }
    return undefined;
  };

  async #readSeals(recoveredAtMs: number): Promise<void> {
    const read = await Promise.all(this.#stems.map((stem) => readWithin(`${stem}.seals`, sealsSchema)));
    const current = read.filter((kept) => kept?.recoveredAtMs === recoveredAtMs);
    this.#found = current.map((kept) => new Map(Object.entries(kept?.seals ?? {})));
    this.#seals = new Map(this.#found.flatMap((seals) => [...seals]));
    this.#recoveredAtMs = recoveredAtMs;
  }

  keptSeals(batchId: string): readonly KeptSeal[] {
    return [...this.#found, this.#seals].flatMap((seals) => seals.get(batchId) ?? []);
  }

  async keepSeal(batchId: string, { digest, versionsDigest }: KeptSeal): Promise<void> {
    if (!isDeepStrictEqual(this.#seals.get(batchId), { digest, versionsDigest })) {
      this.#seals.delete(batchId);
      this.#seals.set(batchId, { digest, versionsDigest });
      for (const oldest of this.#seals.keys()) {
        if (this.#seals.size <= sealsMax) break;
        this.#seals.delete(oldest);
      }
      const seals = Object.fromEntries(this.#seals);
      this.#queue('seals', { recoveredAtMs: this.#recoveredAtMs, seals });
    }
    await this.settled();
  }

  /** Writes the latest mark, once the previous write has ended. */
  write(mark: HighWaterMark): void {
    if (mark.recoveredAtMs !== this.#recoveredAtMs) {
      // Files that are read again after a loss may get other seals.
      this.#found = [];
      this.#seals.clear();
      this.#recoveredAtMs = mark.recoveredAtMs;
    }
    this.#queue('mark', mark);
  }

  #queue(kind: 'mark' | 'seals', content: object): void {
    this.#pending.set(kind, `${JSON.stringify(content)}\n`);
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.size > 0) {
      const pending = [...this.#pending];
      this.#pending.clear();
      const writes = this.#stems.flatMap((stem) =>
        pending.map(([kind, text]) => replaceMark(`${stem}.${kind}`, text, kind === 'seals')),
      );
      await Promise.allSettled(writes);
    }
  }

  /** Resolves when the latest mark is written, or its time is over. */
  async settled(): Promise<void> {
    await Promise.race([this.#writing, sleep(folderMs, undefined, { ref: false })]);
  }
}

/** Content of a file; undefined where it is not read in time. */
async function readWithin<Content>(
  path: string,
  schema: { parse(content: unknown): Content },
): Promise<Content | undefined> {
  const read = async (): Promise<Content | undefined> => {
    try {
      return schema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch {
      return undefined;
    }
  };
  return Promise.race([read(), sleep(folderMs, undefined, { ref: false })]);
}

/** Writes under one temporary name: what a killed process leaves there, the next write replaces. */
async function replaceMark(path: string, text: string, flush: boolean): Promise<void> {
  await writeFile(`${path}.tmp`, text, { mode: 0o600, flush });
  await rename(`${path}.tmp`, path);
}
