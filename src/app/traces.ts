/**
 * What a journal leaves outside its own folder: its stamp in the inbox, reports in the outbox, files in the archive. A
 * journal that knows nothing of them is not the one that paid them.
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
import { isMarkName } from './mark-copies.ts';

/** None where the folder is not there. */
async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

const stampName = join('.paydrop', 'journal.json');

/** Paths of what bears witness to another journal, one of each folder; none where a journal may begin. */
export async function findTraces({ inbox, outbox, archive }: Folders): Promise<readonly string[]> {
  const found: string[] = [];
  const stamp = await readFile(join(inbox, stampName), 'utf8').catch(() => undefined);
  if (stamp !== undefined) found.push(join(inbox, stampName));
  const isTrace = (name: string): boolean => isMarkName(name) || readReportName(name) !== undefined;
  const report = (await listFolder(outbox)).find(isTrace);
  if (report !== undefined) found.push(join(outbox, report));
  for (const day of await listFolder(archive)) {
    const [file] = await listFolder(join(archive, day)).catch(() => [day]);
    if (file === undefined) continue;
    found.push(join(archive, day));
    break;
  }
  return found;
}

/** How long what was found in the folders counts: others may add to them, and they may hold hundreds of thousands. */
const freshMs = 10_000;
const statsAtOnce = 64;

/** Names of the files of one day by their size, as the folder was when it last changed. */
interface ArchivedDay {
  readonly changedMs: number;
  readonly names: ReadonlyMap<number, readonly string[]>;
}

/**
 * Looks in outbox and archive for what bears witness that a file was taken before. While a loss of the journal is in
 * question nothing is looked for: the bank is asked about every payout then.
 */
export class TraceSearch {
  readonly #folders: Pick<Folders, 'outbox' | 'archive'>;
  readonly #nowMs: () => number;
  #reports = new Map<string, string>();
  readonly #days = new Map<string, ArchivedDay>();
  #readAtMs = -Infinity;

  /** @param nowMs of a clock that never jumps */
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
        // One that was taken away since proves nothing.
        if ((await hashBytes(path).catch(() => undefined)) === sha256) return path;
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

  /** A day to which nothing was added since is not read again. */
  async #readDay(folder: string): Promise<void> {
    const changedMs = (await stat(folder)).mtimeMs;
    if (this.#days.get(folder)?.changedMs === changedMs) return;
    const names = new Map<number, string[]>();
    const listed = await listFolder(folder).catch(() => []);
    for (let from = 0; from < listed.length; from += statsAtOnce) {
      const part = listed.slice(from, from + statsAtOnce);
      const found = await Promise.all(part.map((name) => stat(join(folder, name)).catch(() => undefined)));
      for (const [place, stats] of found.entries()) {
        if (stats?.isFile() !== true) continue;
        names.set(stats.size, [...(names.get(stats.size) ?? []), part[place] ?? '']);
      }
    }
    this.#days.set(folder, { changedMs, names });
  }
}
