/** The journal of whoever has the sender lock. One that may not be used is told of at once: nothing is sent from now on. */
import { join } from 'node:path';
import type { Clock } from '../core/ports.ts';
import type { Logger } from '../platform/log.ts';
import type { Folders, LoadedSettings } from '../settings/settings.ts';
import type { JournalOpening } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { MarkCopies } from './mark-copies.ts';
import { notifyOfRefusal } from './notices/senders.ts';
import { describeIdentity, mayMakeJournal } from './open-store.ts';

/** Where further high-water marks are kept: the inbox's is there once a watcher has bound it. */
const markFoldersOf = ({ inbox, outbox }: Folders): readonly string[] => [join(inbox, '.paydrop'), outbox];

/** @throws JournalRefusedError when it is missing, lost, a copy or another's */
export async function openOwnJournal(
  loaded: LoadedSettings,
  log: Logger,
  clock: Clock,
  ways: Pick<JournalOpening, 'recovery' | 'restores' | 'adopts'>,
): Promise<Store> {
  const { openJournal } = await import('../store/open.ts');
  const { dataDir, folders } = loaded;
  const creation = (await mayMakeJournal(loaded)) ? 'if-missing' : 'never';
  const openMarks = (journalId: string): MarkCopies => new MarkCopies(markFoldersOf(folders), journalId);
  const opening = { dataDir, stamp: describeIdentity(loaded), access: 'own', nowMs: clock.now() } as const;
  try {
    return await openJournal({ ...opening, creation, openMarks, ...ways });
  } catch (error) {
    if (error instanceof Error && error.name === 'JournalRefusedError')
      await notifyOfRefusal(loaded, error.message, log, clock);
    throw error;
  }
}
