/** The journal of whoever has the sender lock. One that may not be used is told of at once: nothing is sent from now on. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/ports.ts';
import { errorCode } from '../platform/durable-file.ts';
import type { Logger } from '../platform/log.ts';
import type { Folders, LoadedSettings } from '../settings/settings.ts';
import type { JournalOpening } from '../store/opening.ts';
import type { Store } from '../store/store.ts';
import { MarkCopies } from './mark-copies.ts';
import { notifyOfRefusal } from './notices/senders.ts';
import { describeIdentity, journalName, mayMakeJournal } from './open-store.ts';
import type { SenderLock, SenderLockTaken } from './sender-lock.ts';

/** Where further high-water marks are kept: the inbox's is there once a watcher has bound it. */
const markFoldersOf = ({ inbox, outbox }: Folders): readonly string[] => [join(inbox, '.paydrop'), outbox];

type Ways = Pick<JournalOpening, 'recovery' | 'restores' | 'adopts'>;

/**
 * Takes the sender lock, whose file stands beside the journal. Where there is none and none may be made, nothing is
 * written: what is to be put there, or mounted, finds the place as it was.
 * @param command what the process does, for the message to whoever wants the lock, too
 * @throws JournalRefusedError when the journal is missing
 */
export async function lockOwnJournal(
  loaded: LoadedSettings,
  command: string,
  log: Logger,
  clock: Clock,
  ways: Ways,
): Promise<SenderLock | SenderLockTaken> {
  const { acquireSenderLock } = await import('./sender-lock.ts');
  const { dataDir } = loaded;
  if (isMissing(join(dataDir, journalName))) {
    const { requireMayBegin } = await import('../store/open.ts');
    const opening = await describeOpening(loaded, clock, ways);
    await tellRefusal(loaded, log, clock, () => requireMayBegin(opening));
  }
  return acquireSenderLock(dataDir, command, clock);
}

/** False also where nobody may look: whoever takes the lock says why. */
function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

async function describeOpening(loaded: LoadedSettings, clock: Clock, ways: Ways): Promise<JournalOpening> {
  const { dataDir } = loaded;
  const creation = (await mayMakeJournal(loaded)) ? 'if-missing' : 'never';
  return { dataDir, stamp: describeIdentity(loaded), access: 'own', nowMs: clock.now(), creation, ...ways };
}

/** @throws JournalRefusedError when it is missing, lost, a copy or another's */
export async function openOwnJournal(
  loaded: LoadedSettings,
  log: Logger,
  clock: Clock,
  ways: Ways,
): Promise<Store> {
  const { openJournal } = await import('../store/open.ts');
  const openMarks = (journalId: string): MarkCopies =>
    new MarkCopies(markFoldersOf(loaded.folders), journalId);
  const opening = await describeOpening(loaded, clock, ways);
  return tellRefusal(loaded, log, clock, () => openJournal({ ...opening, openMarks }));
}

/** @throws what `open` throws, once whom the settings name has been told that the journal is refused */
async function tellRefusal<Opened>(
  loaded: LoadedSettings,
  log: Logger,
  clock: Clock,
  open: () => Opened,
): Promise<Awaited<Opened>> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof Error && error.name === 'JournalRefusedError')
      await notifyOfRefusal(loaded, error.message, log, clock);
    throw error;
  }
}
