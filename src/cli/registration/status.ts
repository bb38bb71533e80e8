/** The part of `status` about registrations. */
import type { Journal } from '../../app/open-store.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { ShownRegistrations } from '../views/registration-status.ts';
import type { Shown } from '../views/shown.ts';

/** Every batch of registrations, and the state of all registrations together. */
export async function showAllRegistrations(
  { settings }: LoadedSettings,
  journal: Journal | undefined,
  isSending: boolean,
): Promise<ShownRegistrations> {
  const { nothingStands, readDirectDebit, readRegistrationBatches } =
    await import('../../app/registration/standing.ts');
  const { showRegistrations } = await import('../views/registration-status.ts');
  if (journal === undefined) return showRegistrations([], nothingStands, isSending);
  const all = await readDirectDebit(journal, settings.bank.companyId);
  const batches = await readRegistrationBatches(journal, await journal.registrationBatches());
  return showRegistrations(batches, all, isSending);
}

/** A batch by its id; undefined when it is no batch of registrations. */
export async function showNamedRegistrations(
  journal: Journal | undefined,
  name: string,
  isSending: boolean,
): Promise<Shown | undefined> {
  const { readRegistrationBatches } = await import('../../app/registration/standing.ts');
  const { findAnyBatch } = await import('../../review/shell/named-targets.ts');
  const { showRegistrationBatch } = await import('../views/registration-status.ts');
  const found = journal && (await findAnyBatch(journal, name));
  if (journal === undefined || found?.kind !== 'registrations') return undefined;
  const [standing] = await readRegistrationBatches(journal, [found.batch]);
  return standing && showRegistrationBatch(standing, isSending);
}
