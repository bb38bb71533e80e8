/** How batches and payouts stand, read beside whoever is sending. */
import type { Batch, HoldTotal, StatusTotal } from '../core/ports.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { findSender } from '../store/locks.ts';
import type { Store } from '../store/store.ts';
import { openJournalBeside, requireJournal } from './open-store.ts';
import type { LockOwner } from './session.ts';

/** A batch with its rows by status and its held rows by hold. */
export interface BatchStanding {
  readonly batch: Batch;
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
}

/** Everything that `status` shows is read from it. */
export interface JournalStanding extends AsyncDisposable {
  /** Undefined when nothing has been run with these settings yet. */
  readonly store: Store | undefined;
  /** Who is sending now, where somebody is. */
  readonly owner: LockOwner | undefined;
  /** All batches, the newest first, or the one that is named; undefined when there is no such batch. */
  readBatches(batchId: string | undefined): Promise<readonly BatchStanding[] | undefined>;
}

export async function openStanding(loaded: LoadedSettings): Promise<JournalStanding> {
  const store = await openJournalBeside(loaded);
  return {
    store,
    owner: store && findSender(loaded.dataDir),
    readBatches: async (batchId) => {
      if (batchId === undefined) return readAll(store, (await store?.batches()) ?? []);
      const batch = await store?.batch(batchId.toUpperCase());
      return batch && readAll(store, [batch]);
    },
    [Symbol.asyncDispose]: async () => store?.[Symbol.asyncDispose](),
  };
}

async function readAll(
  store: Store | undefined,
  batches: readonly Batch[],
): Promise<readonly BatchStanding[]> {
  if (store === undefined) return [];
  return Promise.all(
    batches.map(async (batch) => ({
      batch,
      totals: await store.totals(batch.batchId),
      holds: await store.holdTotals(batch.batchId),
    })),
  );
}

/** Payouts with this payoutId or transRefNo. @throws SettingsError without a journal */
export async function findPayouts(loaded: LoadedSettings, name: string): Promise<readonly PayoutHistory[]> {
  await using journal = await requireJournal(loaded);
  return await journal.findPayouts(name);
}
