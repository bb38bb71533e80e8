/** The files of this machine among several that work one journal: which files are its own, and which inbox it works. */
import { type InboxOwner, readFolderId } from '../../watch/folders/binding.ts';
import type { FileClaims } from '../../watch/ports.ts';
import type { Session } from '../session.ts';

type Working = Pick<Session, 'journal' | 'place'>;

/**
 * Opens the claims on files of an existing `work/`, which the machines share.
 * @returns undefined where one process alone works the journal
 */
export async function openFileClaims(
  { journal, place }: Working,
  work: string,
): Promise<FileClaims | undefined> {
  const { fileClaims } = journal;
  if (fileClaims === undefined || place === undefined) return undefined;
  const folderId = await readFolderId(work);
  return {
    claim: ({ itemId, fileName }) =>
      fileClaims.claimFile({ itemId, fileName, folderId, workerId: place.workerId }),
    isElsewhere: (itemId) => fileClaims.isElsewhere({ itemId, folderId, workerId: place.workerId }),
    freeBatch: (batchId) => fileClaims.freeBatch(batchId),
  };
}

const nameOf = (workerId: number): string => `worker-${workerId}`;

/**
 * The identity under which this process works an inbox. The sender takes an inbox from any other while its lease runs,
 * even back from a helper that took it while the database was away. A helper takes it only from a process that is gone.
 */
export function describeInboxOwner({ journal, place }: Working): InboxOwner | undefined {
  if (place === undefined) return undefined;
  const isGone = async (name: string): Promise<boolean> => {
    // While the database does not answer, the process named by the stamp counts as alive.
    const workers = await journal.workers?.().catch(() => undefined);
    return workers?.some((worker) => worker.isThere && nameOf(worker.workerId) === name) === false;
  };
  return {
    get name() {
      return nameOf(place.workerId);
    },
    mayTake: async (holder) => (place.role === 'sender' ? place.keeper.isHeld : isGone(holder)),
  };
}
