/**
 * Traces that a journal leaves outside its own folder: its stamp in the inbox, reports in the outbox, files in the archive.
 * A journal that does not know them is not the one that paid them.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Inspection } from '../core/payout-file.ts';
import type { JournalLoss } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import { isInQuestion } from '../payout/rules/lost-journal.ts';
import { errorCode, hashBytes } from '../platform/durable-file.ts';
import { readReportName } from '../reports/rules/report-names.ts';
import type { Folders } from '../settings/settings.ts';
import { isMarkName } from './journal/mark-copies.ts';

/** Codes for a path that does not exist, or is something else: a link that leads nowhere, no folder. */
const absentCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Undefined where nothing exists. @throws any other error of looking: a path that cannot be read proves nothing */
async function ifThere<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (absentCodes.has(errorCode(error))) return undefined;
    throw error;
  }
}

/** Names in a folder; empty where it does not exist. */
const listFolder = async (folder: string): Promise<readonly string[]> =>
  (await ifThere(readdir(folder))) ?? [];

const stampName = join('.paydrop', 'journal.json');

/** Paths of traces of another journal, at most one of each folder; empty where a journal may begin. */
export async function findTraces({ inbox, outbox, archive }: Folders): Promise<readonly string[]> {
  const found: string[] = [];
  const stamp = await ifThere(readFile(join(inbox, stampName)));
  if (stamp !== undefined) found.push(join(inbox, stampName));
  const isTrace = (name: string): boolean => isMarkName(name) || readReportName(name) !== undefined;
  const report = (await listFolder(outbox)).find(isTrace);
  if (report !== undefined) found.push(join(outbox, report));
  for (const day of await listFolder(archive)) {
    const [file] = await readdir(join(archive, day)).catch(() => [day]);
    if (file === undefined) continue;
    found.push(join(archive, day));
    break;
  }
  return found;
}

/** Time for which findings in the folders count: others may add to them, and they may hold hundreds of thousands. */
const freshMs = 10_000;
const statsAtOnce = 64;

/** Names of one day's files by size, as of the last change of the folder. */
interface ArchivedDay {
  readonly changedMs: number;
  readonly names: ReadonlyMap<number, readonly string[]>;
}

/**
 * Searches outbox and archive for proof that a file was taken before. While a loss of the journal is in question it finds
 * nothing: the bank is asked about every payout then.
 */
export class TraceSearch {
  readonly #folders: Pick<Folders, 'outbox' | 'archive'>;
  readonly #nowMs: () => number;
  #reports = new Map<string, string>();
  readonly #days = new Map<string, ArchivedDay>();
  #readAtMs = -Infinity;

  /** @param nowMs a clock that never jumps */
  constructor(folders: Pick<Folders, 'outbox' | 'archive'>, nowMs: () => number = () => performance.now()) {
    this.#folders = folders;
    this.#nowMs = nowMs;
  }

  /** Absolute path of a report of the batch, or of an archived file with the same bytes; undefined for none. */
  async find(
    { sha256, sizeBytes }: Pick<Inspection, 'sha256' | 'sizeBytes'>,
    loss: JournalLoss | undefined,
  ): Promise<string | undefined> {
    if (isInQuestion(loss)) return undefined;
    if (this.#nowMs() - this.#readAtMs > freshMs) await this.#read();
    const report = this.#reports.get(computeBatchId(sha256));
    if (report !== undefined) return report;
    for (const [folder, { names }] of this.#days) {
      for (const name of names.get(sizeBytes) ?? []) {
        const path = join(folder, name);
        // A file that was removed since proves nothing.
        if ((await ifThere(hashBytes(path))) === sha256) return path;
      }
    }
    return undefined;
  }

  async #read(): Promise<void> {
    const { outbox, archive } = this.#folders;
    const reports = new Map<string, string>();
    for (const name of await listFolder(outbox)) {
      const batchId = readReportName(name);
      if (batchId !== undefined && !reports.has(batchId)) reports.set(batchId, join(outbox, name));
    }
    for (const day of await listFolder(archive)) await this.#readDay(join(archive, day));
    this.#reports = reports;
    this.#readAtMs = this.#nowMs();
  }

  /** Reads a day, unless nothing was added since the last read. */
  async #readDay(folder: string): Promise<void> {
    const changedMs = (await ifThere(stat(folder)))?.mtimeMs;
    if (changedMs === undefined || this.#days.get(folder)?.changedMs === changedMs) return;
    const names = new Map<number, string[]>();
    const listed = await listFolder(folder);
    for (let from = 0; from < listed.length; from += statsAtOnce) {
      const part = listed.slice(from, from + statsAtOnce);
      const found = await Promise.all(part.map((name) => ifThere(stat(join(folder, name)))));
      for (const [place, stats] of found.entries()) {
        if (stats?.isFile() !== true) continue;
        names.set(stats.size, [...(names.get(stats.size) ?? []), part[place] ?? '']);
      }
    }
    this.#days.set(folder, { changedMs, names });
  }
}
