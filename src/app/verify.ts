/** Compares the files of a batch, of either kind, with what was recorded of them: its input in the archive, its reports. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch, ReportKind } from '../core/ports.ts';
import { errorCode, hashBytes } from '../platform/durable-file.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { composeName } from '../watch/rules/drop-folder.ts';
import { findJournalPlace } from './journal/place.ts';
import { requireJournal } from './open-store.ts';
import { findAnyBatch } from '../review/shell/named-targets.ts';

export interface VerifiedFile {
  readonly kind: 'input' | ReportKind;
  /** Absolute; null where the place is unknown. */
  readonly path: string | null;
  /** `not-archived`: a file of a run stays where it was, and is not looked for. */
  readonly state: 'as-recorded' | 'changed' | 'missing' | 'not-archived';
}

type VerifiedBatch = Pick<Batch, 'batchId' | 'fileName' | 'sha256'>;

export interface Verified {
  readonly batch: VerifiedBatch;
  readonly files: readonly VerifiedFile[];
  readonly isWhole: boolean;
  /** True where several machines work the journal, each with folders of its own. */
  readonly isOfMachines: boolean;
}

async function compare(path: string, sha256: string): Promise<'as-recorded' | 'changed' | 'missing'> {
  try {
    if (!(await lstat(path)).isFile()) return 'changed';
    return (await hashBytes(path)) === sha256 ? 'as-recorded' : 'changed';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    throw error;
  }
}

/** Candidate paths in the archive, for a batch of a version that recorded none. */
async function listArchived(archive: string, fileName: string): Promise<readonly string[]> {
  const [stem = ''] = composeName(fileName, '').split('.');
  const days = await readdir(archive).catch(() => []);
  const found = await Promise.all(
    days.map(async (day) => {
      const names = await readdir(join(archive, day)).catch(() => []);
      return names.filter((name) => name.startsWith(stem)).map((name) => join(archive, day, name));
    }),
  );
  return found.flat();
}

async function verifyInput(
  store: Store,
  { batchId, fileName, sha256 }: VerifiedBatch,
  archive: string,
): Promise<VerifiedFile> {
  const taken = (await store.takenFilesOf(batchId)).at(-1);
  if (taken !== undefined)
    return { kind: 'input', path: taken.path, state: await compare(taken.path, sha256) };
  for (const path of await listArchived(archive, fileName))
    if ((await compare(path, sha256)) === 'as-recorded') return { kind: 'input', path, state: 'as-recorded' };
  return { kind: 'input', path: null, state: 'not-archived' };
}

/**
 * Compares a batch's files with their recorded hashes.
 * @param isSeen an operator has dealt with what was added to its file: the alarm ends
 * @returns undefined when there is no such batch
 * @throws SettingsError without a journal
 */
export async function verifyBatch(
  loaded: LoadedSettings,
  name: string,
  isSeen: boolean,
): Promise<Verified | undefined> {
  await using store = await requireJournal(loaded);
  const found = await findAnyBatch(store, name);
  if (found === undefined) return undefined;
  const { kind: what, batch } = found;
  const { batchId } = batch;
  const files = [await verifyInput(store, batch, loaded.folders.archive)];
  const reports = await (what === 'payouts' ? store : store.registrationReports).reports(batchId);
  for (const { kind, path, sha256 } of reports)
    files.push({ kind, path, state: await compare(path, sha256) });
  if (isSeen)
    for (const { itemId, growth } of await store.takenFilesOf(batchId))
      if (growth !== null) await store.closeGrowth(itemId, growth.sha256);
  const isWhole = files.every(({ state }) => state === 'as-recorded' || state === 'not-archived');
  return { batch, files, isWhole, isOfMachines: findJournalPlace(loaded).kind === 'database' };
}
