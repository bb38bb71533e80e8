/** Batches are not moved aside on PostgreSQL: all of them stay in the journal. */
import type { ArchiveStore } from '../../payout/ports.ts';
import { JournalRefusedError } from '../connection.ts';

function refuse(): never {
  throw new JournalRefusedError(
    'batches are not archived out of a journal on PostgreSQL: they stay in it; give its tables room',
  );
}

export const noArchives: ArchiveStore = {
  archives: async () => [],
  archived: async () => [],
  recall: async () => 0,
  archiveFacts: async () => refuse(),
  makeArchive: async () => refuse(),
  dropArchive: async () => refuse(),
  archiveBatch: async () => refuse(),
  giveSpaceBack: async () => 0,
};
