/** The adapters as the settings ask for them. */
import type { PayoutFileReader, RegistrationFileReader } from '../intake/ports.ts';
import { isLoopbackAddress } from '../core/network-address.ts';
import type { ArchiveName } from '../payout/ports.ts';
import { SettingsError } from '../settings/secrets.ts';
import { isBuiltInSandbox, type LoadedSettings } from '../settings/settings.ts';
import type { backUpJournal } from './backup.ts';
import type { JournalIdentity } from '../store/identity.ts';
import type { Store } from '../store/store.ts';
import {
  describePlace,
  findJournalPlace,
  isFileThere,
  openAtPlace,
  peekAtPlace,
  requireJournalFile,
} from './journal/place.ts';

/** The journal, open. */
export type Journal = Store;

/** Identity stamped on the journal, which refuses other settings. */
export function describeIdentity({ settings, serverKind }: LoadedSettings): JournalIdentity {
  const { baseUrl, companyId, termId } = settings.bank;
  return { bankAddress: baseUrl, companyId, isSandbox: isBuiltInSandbox(settings), serverKind, termId };
}

/**
 * The settings with what the server at a loopback address says of itself. While it does not answer, the answer that the
 * journal recorded holds; without one it counts as a bank, which is the safe side.
 */
export async function recogniseSandbox(loaded: LoadedSettings): Promise<LoadedSettings> {
  const { baseUrl } = loaded.settings.bank;
  if (!isLoopbackAddress(baseUrl)) return loaded;
  const { askServerKind } = await import('../bank/sandbox-server.ts');
  const said = await askServerKind(baseUrl);
  const serverKind = said === 'unknown' ? await peekAtPlace(loaded) : said;
  return { ...loaded, serverKind, isSandbox: serverKind === 'sandbox' };
}

/**
 * Whether any command may make a missing journal: true for a rehearsal, with the built-in sandbox or with a server on this
 * machine that says that it is a sandbox. With a real bank only `init` makes it.
 */
export async function mayMakeJournal(loaded: LoadedSettings): Promise<boolean> {
  if (loaded.isSandbox) return true;
  // Asks no server when the file exists: that takes time.
  if (isFileThere(loaded)) return false;
  const { isSandboxServer } = await import('../bank/sandbox-server.ts');
  return isSandboxServer(loaded.settings.bank.baseUrl);
}

/** Reader of payout files with the settings' words, limits and control totals. */
export async function makeReader({ settings, limits }: LoadedSettings): Promise<PayoutFileReader> {
  const { makePayoutFileReader } = await import('../intake/formats/payout-file.ts');
  return makePayoutFileReader({
    ...settings.input,
    guardFormulas: settings.output.guardFormulas,
    otherColumns: settings.registration.columns,
    limits: {
      rowsMax: limits.rowsPerFile,
      bytesMax: limits.bytesPerFile,
      payoutSatangMax: limits.satangPerPayout,
      fileSatangMax: limits.satangPerBatch,
    },
  });
}

/** Reader of registration files; settings without a value for registrations hold for both kinds of files. */
export async function makeRegistrationReader({
  settings,
  limits,
}: LoadedSettings): Promise<RegistrationFileReader> {
  const { makeRegistrationFileReader } = await import('../intake/formats/registration-file.ts');
  const { columns, vendorId, companyId } = settings.registration;
  return makeRegistrationFileReader({
    ...settings.input,
    guardFormulas: settings.output.guardFormulas,
    columns,
    otherColumns: settings.input.columns,
    limits: { rowsMax: limits.rowsPerFile, bytesMax: limits.bytesPerFile },
    defaults: { vendorId, companyId },
  });
}

/** Opens the journal alongside the sender; undefined when there is none yet. */
export const openReadOnlyJournal = async (loaded: LoadedSettings): Promise<Store | undefined> =>
  openAtPlace(loaded, describeIdentity(loaded));

/** The same for commands that need a journal. @throws SettingsError without one */
export async function requireJournal(loaded: LoadedSettings): Promise<Store> {
  const journal = await openReadOnlyJournal(loaded);
  if (journal !== undefined) return journal;
  const setting = findJournalPlace(loaded).kind === 'file' ? '--data-dir' : 'journal.url';
  throw new SettingsError(
    `there is no journal ${describePlace(loaded)}: nothing has been run with these settings yet; correct ${setting}, or make one with "paydrop init"`,
  );
}

const backedUpByServer =
  'PostgreSQL itself backs it up, with all that belongs to it: pg_basebackup and its log, or your provider’s backup to a ' +
  'point in time (docs/operations.md, "Several machines"); nothing was copied';

/** Copies the journal as it is now into a new file. @throws SettingsError without a journal, or for an existing file */
export async function backUp(
  loaded: LoadedSettings,
  file: string,
): Promise<ReturnType<typeof backUpJournal> & { readonly archives: readonly ArchiveName[] }> {
  requireJournalFile(loaded, backedUpByServer);
  // Opened first to check the journal's identity and that it is whole.
  const journal = await requireJournal(loaded);
  const archives = await journal.archives();
  await journal[Symbol.asyncDispose]();
  const { backUpJournal: copy } = await import('./backup.ts');
  return { ...copy(loaded.dataDir, file), archives };
}
