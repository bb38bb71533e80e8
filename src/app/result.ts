/** The present result of a batch, whenever an operator asks for it. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dayMs } from '../core/bangkok-time.ts';
import type { ReportKind } from '../core/ports.ts';
import { removeOldTemporaries } from '../platform/durable-file.ts';
import { systemClock } from '../platform/clock.ts';
import { openOutbox } from '../reports/outbox.ts';
import { computePresentName, presentForm } from '../reports/rules/report-names.ts';
import { type PresentReports, writePresent } from '../reports/write-reports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { requireJournal } from './open-store.ts';

export type { PresentReports } from '../reports/write-reports.ts';

const presentKinds: readonly ReportKind[] = ['result', 'exceptions', 'summary'];

/**
 * Writes result, exceptions and summary of a batch as it stands now, beside whoever is sending.
 * @param out where to; the outbox when left out
 * @returns undefined when there is no such batch; no files of one that is not sealed
 * @throws SettingsError without a journal
 */
export async function writeResult(
  loaded: LoadedSettings,
  name: string,
  out: string | undefined,
): Promise<PresentReports | undefined> {
  await using journal = await requireJournal(loaded);
  const batch = await journal.batch(name.toUpperCase());
  if (batch === undefined) return undefined;
  const folder = out === undefined ? loaded.folders.outbox : resolve(out);
  // A folder that was named is whoever's it is.
  const isShared = out === undefined && loaded.settings.output.groupReadable;
  const outbox = await openOutbox(folder, isShared);
  const nowMs = systemClock.now();
  // Of a process that was killed while it wrote; nobody writes for a day.
  await removeOldTemporaries(folder, presentForm, nowMs - dayMs);
  const { batchId, fileName } = batch;
  const nameOf =
    (copy: number) =>
    (kind: ReportKind): string =>
      computePresentName(fileName, batchId, kind, nowMs, copy);
  let copy = 1;
  while (presentKinds.some((kind) => existsSync(join(folder, nameOf(copy)(kind))))) copy += 1;
  const { isSandbox, settings } = loaded;
  const { similarDays } = settings.limits;
  const bankAddress = settings.bank.baseUrl;
  const context = { isSandbox, bankAddress, nowMs, exceptionsOk: false, similarDays };
  return await writePresent(journal, outbox, batchId, nameOf(copy), context);
}
