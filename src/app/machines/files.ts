/** The files of this machine among several that work one journal: which are its own, and which inbox it works. */
import { type InboxOwner, readFolderId } from '../../watch/folders/binding.ts';
import type { FileClaims } from '../../watch/ports.ts';
import type { Session } from '../session.ts';

type Working = Pick<Session, 'journal' | 'place'>;

/**
 * What others are told of the files in a `work/`, which is there by now.
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
 * As whom this process works an inbox. Whoever sends takes its inbox over; whoever helps leaves one that several machines
 * see to the other that works it.
 */
export function describeInboxOwner({ journal, place }: Working): InboxOwner | undefined {
  if (place === undefined) return undefined;
  const isThere = async (name: string): Promise<boolean> => {
    const workers = (await journal.workers?.()) ?? [];
    return workers.some((worker) => worker.isThere && nameOf(worker.workerId) === name);
  };
  return { name: nameOf(place.workerId), ...(place.role === 'helper' && { isThere }) };
}
