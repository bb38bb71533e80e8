/** A journal that goes on where another one, or its own file elsewhere, worked before: only a person can say so. */
import { systemClock } from '../platform/clock.ts';
import type { ArchiveName } from '../payout/ports.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Recovery } from '../store/loss.ts';
import type { JournalOpening } from '../store/opening.ts';
import { describeIdentity } from './open-store.ts';
import { lockOwnJournal, openOwnJournal } from './own-journal.ts';
import { SenderBusyError } from './session.ts';

export interface TakenOver {
  readonly journalId: string;
  readonly dataDir: string;
  /** Archives that it names and that are not there. */
  readonly missingArchives: readonly ArchiveName[];
}

/** `paydrop adopt`: the original of this copy is stopped for good, or the terminal is a new one. */
export const adoptJournal = (loaded: LoadedSettings, log: Logger): Promise<TakenOver> =>
  takeOver(loaded, log, 'adopt', { adopts: true });

/**
 * `paydrop restore`: puts a backup in place of a journal that is lost; the bank is asked about what it does not know.
 * @throws JournalRefusedError when a journal is there, or the backup is another's
 */
export const restoreJournal = (
  loaded: LoadedSettings,
  log: Logger,
  file: string,
  recovery: Recovery,
): Promise<TakenOver> => takeOver(loaded, log, 'restore', { recovery, restores: true }, file);

async function takeOver(
  loaded: LoadedSettings,
  log: Logger,
  command: string,
  ways: Pick<JournalOpening, 'recovery' | 'restores' | 'adopts'>,
  file?: string,
): Promise<TakenOver> {
  const { dataDir } = loaded;
  const { placeBackup, requireBackup } = await import('./backup.ts');
  const { findSender } = await import('./sender-lock.ts');
  // While somebody is sending, that is said: nothing is to be moved out of its way.
  if (file !== undefined && findSender(dataDir) === undefined)
    requireBackup(file, dataDir, describeIdentity(loaded));
  await using stack = new AsyncDisposableStack();
  const lock = await lockOwnJournal(loaded, command, log, systemClock, ways);
  if ('heldBy' in lock) throw new SenderBusyError(lock.heldBy);
  stack.use(lock);
  if (file !== undefined) placeBackup(file, dataDir, describeIdentity(loaded), systemClock.now());
  await using journal = await openOwnJournal(loaded, log, systemClock, ways);
  const missingArchives = (await journal.archives()).filter(({ isThere }) => !isThere);
  return { journalId: journal.journalId, dataDir, missingArchives };
}
