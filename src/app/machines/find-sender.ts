/** Who sends from a journal now, this process aside: told by the lock of this machine, or by the journal itself. */
import { hostname } from 'node:os';
import type { Store } from '../../store/store.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { findSender, type SenderLockOwner } from '../sender-lock.ts';
import { toOwner } from './machine-place.ts';

/** @param journal which knows all that work it, where these may be on several machines; undefined when there is none */
export async function findSenderOf(
  { dataDir }: Pick<LoadedSettings, 'dataDir'>,
  journal: Pick<Store, 'workers'> | undefined,
): Promise<SenderLockOwner | undefined> {
  if (journal?.workers === undefined) return findSender(dataDir);
  const here = hostname();
  const sender = (await journal.workers()).find(
    ({ role, isThere, pid, machine }) =>
      role === 'sender' && isThere && !(pid === process.pid && machine === here),
  );
  return sender && toOwner(sender);
}

/** Another process that works the journal beside the one that sends. */
export interface HelpingWorker {
  readonly owner: SenderLockOwner;
  /** False of one that is not heard of. */
  readonly isThere: boolean;
  /** Stretches of rows that it pays. */
  readonly shards: number;
}

/** Those who help the one that sends; none where one machine works the journal alone. */
export async function findThoseWhoHelp(
  journal: Pick<Store, 'workers'> | undefined,
): Promise<readonly HelpingWorker[]> {
  const workers = (await journal?.workers?.()) ?? [];
  return workers
    .filter(({ role }) => role === 'helper')
    .map((worker) => ({ owner: toOwner(worker), isThere: worker.isThere, shards: worker.shards }));
}
