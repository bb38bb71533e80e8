/** How batches and payouts stand, read beside whoever is sending. */
import { listPastDays } from '../core/bangkok-time.ts';
import type { Batch, HoldTotal, StatusTotal } from '../core/ports.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import type { StatementDayState, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { findSender } from '../store/locks.ts';
import type { Store } from '../store/store.ts';
import { openJournalBeside, requireJournal } from './open-store.ts';
import type { LockOwner } from './session.ts';

export type { PayoutHistory } from '../payout/ports.ts';

/** A batch with its rows by status and its held rows by hold. */
export interface BatchStanding {
  readonly batch: Batch;
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
}

/** A day of which a statement was accepted, or on which payouts were sent and none was. */
export interface DayStanding {
  /** YYYYMMDD. */
  readonly date: string;
  /** Undefined without any statement. */
  readonly state: StatementDayState | undefined;
  /** False when the day had not ended as its statement was read. */
  readonly isWhole: boolean;
}

/** Everything that `status` shows is read from it. */
export interface JournalStanding extends AsyncDisposable {
  /** Who is sending now, where somebody is. */
  readonly owner: LockOwner | undefined;
  /** All batches, the newest first, or the one that is named; undefined when there is no such batch. */
  readBatches(batchId: string | undefined): Promise<readonly BatchStanding[] | undefined>;
  /** Every day with a statement, and the last days that should have one and do not; the newest first. */
  readDays(nowMs: number): Promise<readonly DayStanding[]>;
}

export async function openStanding(loaded: LoadedSettings): Promise<JournalStanding> {
  const store = await openJournalBeside(loaded);
  return {
    owner: store && findSender(loaded.dataDir),
    readBatches: async (batchId) => {
      if (batchId === undefined) return readAll(store, (await store?.batches()) ?? []);
      const batch = await store?.batch(batchId.toUpperCase());
      return batch && readAll(store, [batch]);
    },
    readDays: async (nowMs) => (store === undefined ? [] : readDays(store, nowMs)),
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

export async function readDays(
  store: Pick<StatementStore & UnreconciledDays, 'statementDays' | 'daysReadInPart' | 'daysWithoutStatement'>,
  nowMs: number,
): Promise<readonly DayStanding[]> {
  const inPart = new Set(await store.daysReadInPart());
  const read = (await store.statementDays()).map((state) => ({
    date: state.date,
    state,
    isWhole: !inPart.has(state.date),
  }));
  const without = await store.daysWithoutStatement(listPastDays(nowMs));
  const unread = without
    .filter((date) => !inPart.has(date))
    .map((date) => ({ date, state: undefined, isWhole: false }));
  return [...read, ...unread].toSorted((one, other) => (one.date < other.date ? 1 : -1));
}

/** Payouts with this payoutId or transRefNo. @throws SettingsError without a journal */
export async function findPayouts(loaded: LoadedSettings, name: string): Promise<readonly PayoutHistory[]> {
  await using journal = await requireJournal(loaded);
  return await journal.findPayouts(name);
}
