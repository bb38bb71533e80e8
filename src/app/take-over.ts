/** Continues a journal in place of another one, or of its own file on another machine: only a person can order it. */
import { systemClock } from '../platform/clock.ts';
import type { ArchiveName } from '../payout/ports.ts';
import type { Logger } from '../platform/log.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Recovery } from '../store/loss.ts';
import { describePlace, findJournalPlace, requireJournalFile } from './journal/place.ts';
import { describeIdentity } from './open-store.ts';
import { type JournalWays, lockOwnJournal, openOwnJournal } from './journal/own-journal.ts';
import { SenderBusyError } from './session.ts';

interface TakenOver {
  readonly journalId: string;
  readonly dataDir: string;
  /** "in /data" or "at postgres://…". */
  readonly place: string;
  /** Terminals by which the bank is asked whether a payout was sent. */
  readonly terminals: readonly string[];
  /** Archives that the journal names and that do not exist here. */
  readonly missingArchives: readonly ArchiveName[];
}

/**
 * `paydrop adopt`: the original of this copy is stopped for good, or the terminal is new.
 * @param sentFrom terminals that the original got after it was copied, as a person states
 */
export const adoptJournal = (
  loaded: LoadedSettings,
  log: Logger,
  sentFrom: readonly string[],
): Promise<TakenOver> => takeOver(loaded, log, 'adopt', { adopts: true, sentFrom });

/**
 * `paydrop restore`: puts a backup in place of a lost journal, or continues a database that was put back; paydrop asks the
 * bank about payouts that it does not know.
 * @param file the backup; undefined for a database
 * @param sentFrom terminals that the journal has sent from, as a person states
 * @throws SettingsError for a file beside a database, and without one otherwise
 * @throws JournalRefusedError when a journal is there, or the file is another journal's backup
 */
export async function restoreJournal(
  loaded: LoadedSettings,
  log: Logger,
  file: string | undefined,
  recovery: Recovery,
  sentFrom: readonly string[],
): Promise<TakenOver> {
  if (file !== undefined) requireJournalFile(loaded, putBackByServer);
  else if (findJournalPlace(loaded).kind === 'file')
    throw new SettingsError('name the backup to be put in place: "paydrop restore FILE --since YYYY-MM-DD"');
  return takeOver(loaded, log, 'restore', { recovery, restores: true, sentFrom }, file);
}

const putBackByServer =
  'PostgreSQL itself puts it back, from its own backup and log (docs/operations.md, "Several machines"); then "paydrop ' +
  'restore --since YYYY-MM-DD", without a file, lets it go on';

async function takeOver(
  loaded: LoadedSettings,
  log: Logger,
  command: string,
  ways: JournalWays,
  file?: string,
): Promise<TakenOver> {
  const { dataDir } = loaded;
  const { placeBackup, requireBackup } = await import('./backup.ts');
  const { findSender } = await import('./sender-lock.ts');
  // A running sender is reported first: nothing is moved out of its way.
  if (file !== undefined && findSender(dataDir) === undefined)
    requireBackup(file, dataDir, describeIdentity(loaded), ways);
  await using stack = new AsyncDisposableStack();
  const lock = await lockOwnJournal(loaded, command, log, systemClock, ways);
  if ('heldBy' in lock) throw new SenderBusyError(lock.heldBy);
  stack.use(lock);
  if (file !== undefined) placeBackup(file, dataDir, describeIdentity(loaded), systemClock.now());
  await using journal = await openOwnJournal(loaded, log, systemClock, ways, lock);
  const missingArchives = (await journal.archives()).filter(({ isThere }) => !isThere);
  const { journalId } = journal;
  const terminals = await journal.terminals();
  return { journalId, dataDir, place: describePlace(loaded), terminals, missingArchives };
}
