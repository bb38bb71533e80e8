/** The present result of a batch, on an operator's request. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dayMs } from '../core/bangkok-time.ts';
import type { ReportKind } from '../core/ports.ts';
import { removeOldTemporaries } from '../platform/durable-file.ts';
import { systemClock } from '../platform/clock.ts';
import { type PresentRegistrationReports, writePresentRegistrations } from '../registration/write-reports.ts';
import { openOutbox } from '../reports/outbox.ts';
import type { PresentOutbox } from '../reports/ports.ts';
import { computePresentName, presentForm } from '../reports/rules/report-names.ts';
import { type PresentReports, writePresent } from '../reports/write-reports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { findSenderOf } from './machines/find-sender.ts';
import { requireJournal } from './open-store.ts';
import { type AnyBatch, findAnyBatch } from '../review/shell/named-targets.ts';

/** The files written, by the kind of batch. */
export type WrittenPresent = {
  /** True while another process has the right to send. */
  readonly isSending: boolean;
} & (
  | { readonly kind: 'payouts'; readonly reports: PresentReports }
  | { readonly kind: 'registrations'; readonly reports: PresentRegistrationReports }
);

const presentKinds: readonly ReportKind[] = ['result', 'exceptions', 'summary'];

/**
 * Writes result, exceptions and summary of a batch as it stands now, alongside the sender.
 * @param out folder; the outbox when left out
 * @returns undefined when there is no such batch; no files for a batch that is not sealed
 * @throws SettingsError without a journal
 */
export async function writeResult(
  loaded: LoadedSettings,
  name: string,
  out: string | undefined,
): Promise<WrittenPresent | undefined> {
  await using journal = await requireJournal(loaded);
  const found = await findAnyBatch(journal, name);
  if (found === undefined) return undefined;
  const nowMs = systemClock.now();
  const { outbox, nameOf } = await openPresent(loaded, found.batch, out, nowMs);
  const { isSandbox, settings } = loaded;
  const { batchId } = found.batch;
  const isSending = (await findSenderOf(loaded, journal)) !== undefined;
  const context = {
    isSandbox,
    bankAddress: settings.bank.baseUrl,
    nowMs,
    exceptionsOk: false,
    guardFormulas: settings.output.guardFormulas,
  };
  if (found.kind === 'registrations') {
    const reports = await writePresentRegistrations(
      journal.registrationReports,
      outbox,
      batchId,
      nameOf,
      context,
    );
    return reports && { isSending, kind: 'registrations', reports };
  }
  const { similarDays } = settings.limits;
  const reports = await writePresent(journal, outbox, batchId, nameOf, { ...context, similarDays });
  return reports && { isSending, kind: 'payouts', reports };
}

interface PresentPlace {
  readonly outbox: PresentOutbox;
  /** Names that no file has yet. */
  readonly nameOf: (kind: ReportKind) => string;
}

async function openPresent(
  loaded: LoadedSettings,
  { batchId, fileName }: AnyBatch['batch'],
  out: string | undefined,
  nowMs: number,
): Promise<PresentPlace> {
  const folder = out === undefined ? loaded.folders.outbox : resolve(out);
  // A named folder keeps its owner's rights.
  const isShared = out === undefined && loaded.settings.output.groupReadable;
  const outbox = await openOutbox(folder, isShared);
  // Left by a process that was killed while writing; no write takes a day.
  await removeOldTemporaries(folder, presentForm, nowMs - dayMs);
  const nameOf =
    (copy: number) =>
    (kind: ReportKind): string =>
      computePresentName(fileName, batchId, kind, nowMs, copy);
  let copy = 1;
  while (presentKinds.some((kind) => existsSync(join(folder, nameOf(copy)(kind))))) copy += 1;
  return { outbox, nameOf: nameOf(copy) };
}
