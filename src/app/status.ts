/** The state of batches and payouts, read beside the sender. */
import { listPastDays } from '../core/bangkok-time.ts';
import type { Batch, HoldTotal, JournalLoss, StatusTotal } from '../core/ports.ts';
import { mustProbe } from '../payout/rules/lost-journal.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import { isMaskedReference } from '../payout/rules/search.ts';
import type { StatementDayState, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Settings } from '../settings/schema.ts';
import type { Store } from '../store/store.ts';
import type { TakenFile } from '../watch/rules/file-growth.ts';
import type { HealthReason } from '../watch/rules/health.ts';
import { readTimeLimits } from '../payout/rules/limits.ts';
import { readApprovalFigures } from '../review/approve-batch.ts';
import { findOpenItems } from '../review/review.ts';
import type { ApprovalFigures } from '../review/rules/approval-figures.ts';
import { systemClock } from '../platform/clock.ts';
import { listPayouts } from './list.ts';
import { requireJournal } from './open-store.ts';
import { isOpenBatch, readStops, type StopSettings } from './status/stops.ts';

export type { PayoutHistory } from '../payout/ports.ts';
export { findSenderOf, readMachines } from './machines/find-sender.ts';
export type { ActiveMachines } from './machines/find-sender.ts';
export type { SenderLockOwner } from './sender-lock.ts';
export { describePlace } from './journal/place.ts';
export type { HealthReason } from '../watch/rules/health.ts';
export { openReadOnlyJournal } from './open-store.ts';
export { readStops } from './status/stops.ts';

/** A batch with its rows by status and its held rows by hold. */
export interface BatchStanding {
  readonly batch: Batch;
  readonly totals: readonly StatusTotal[];
  readonly holds: readonly HoldTotal[];
  /** The file, if it was written to after its rows had been read and no person has dealt with that. */
  readonly grown?: TakenFile | undefined;
  /** An open proposal that decides about the batch. */
  readonly proposalId?: number | undefined;
  /** Figures for the approver, when this batch alone is asked for and waits for approval. */
  readonly approval?: ApprovalFigures | undefined;
  /** Reasons outside the batch that keep it from being sent now; empty where there are none. */
  readonly stops?: readonly HealthReason[];
}

/** A day with an accepted statement, or with payouts and without one. */
export interface DayStanding {
  /** YYYYMMDD. */
  readonly date: string;
  /** Undefined without any statement. */
  readonly state: StatementDayState | undefined;
  /** False when the day had not ended as its statement was read, or an unreadable line may be any transfer. */
  readonly isWhole: boolean;
}

/**
 * All batches, the newest first, or the named one.
 * @param limits of the settings, for batches that wait for approval
 * @returns undefined when there is no such batch
 */
export async function readBatches(
  store: Store | undefined,
  batchId: string | undefined,
  limits?: Settings['limits'],
): Promise<readonly BatchStanding[] | undefined> {
  const named = batchId === undefined ? undefined : await store?.batch(batchId.toUpperCase());
  if (batchId !== undefined && named === undefined) return undefined;
  if (store === undefined) return [];
  const grown = await store.grownFiles();
  const batches = named === undefined ? await store.batches() : [named];
  const waiting = await readWaiting(
    store,
    'batch',
    batches.map((batch) => batch.batchId),
  );
  return Promise.all(
    batches.map(async (batch) => ({
      batch,
      totals: await store.totals(batch.batchId),
      holds: await store.holdTotals(batch.batchId),
      approval: batch === named ? await readFigures(store, batch.batchId, limits) : undefined,
      grown: grown.find(({ batchId: whose }) => whose === batch.batchId),
      proposalId: waiting.get(batch.batchId),
    })),
  );
}

/** Undefined while no row of the batch waits for approval. */
async function readFigures(
  store: Store,
  batchId: string,
  limits: Settings['limits'] | undefined,
): Promise<ApprovalFigures | undefined> {
  const holds = await store.holdTotals(batchId);
  if (!holds.some(({ hold, rows }) => hold === 'approval' && rows > 0)) return undefined;
  const likeDays = limits && Math.max(limits.similarDays, limits.likeFileDays);
  const overTime = limits && readTimeLimits(limits);
  return readApprovalFigures({ journal: store, clock: systemClock, likeDays, overTime }, batchId);
}

/** The same batches, each with what keeps it from being sent now, and all that stands in the way of anything. */
export async function stopBatches(
  loaded: StopSettings,
  journal: Parameters<typeof readStops>[1],
  standings: readonly BatchStanding[],
  nowMs: number,
): Promise<{ readonly standings: readonly BatchStanding[]; readonly stops: readonly HealthReason[] }> {
  const batches = standings.map(({ batch }) => batch);
  const stops = await readStops(loaded, journal, batches, nowMs);
  return {
    standings: standings.map((one) =>
      isOpenBatch(one.batch) ? { ...one, stops: stops.of(one.batch) } : one,
    ),
    stops: stops.all,
  };
}

/** The open proposals about these subjects, by subject. */
export async function readWaiting(
  store: Pick<Store, 'openItems'>,
  kind: 'batch' | 'payout' | 'registration' | 'registration-batch',
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const waiting = new Map<string, number>();
  for await (const { key, proposalId } of findOpenItems(store, kind, keys)) waiting.set(key, proposalId);
  return waiting;
}

/** Every day with a statement, and the last days that should have one and do not; the newest first. */
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

/** A payout with its history, and the open proposal that decides about it. */
export type PayoutStanding = PayoutHistory & {
  readonly proposalId?: number | undefined;
  /** The stops that keep a row from being sent now. */
  readonly stops?: readonly HealthReason[];
  /** The loss of the journal before which the row may have been sent: the bank is asked first. */
  readonly loss?: JournalLoss | undefined;
};

interface FoundByName {
  readonly found: readonly PayoutStanding[];
  /** True where no payout has the name itself: rows with this reference1, reference2 or sysRefNo were found. */
  readonly isReference: boolean;
}

/** The stops of each row that is to be sent; the bank is asked for these alone. */
async function readUnsent(
  loaded: LoadedSettings,
  journal: Pick<Store, 'loss'> & Parameters<typeof readStops>[1],
  histories: readonly PayoutHistory[],
): Promise<(history: PayoutHistory) => Pick<PayoutStanding, 'stops' | 'loss'>> {
  const isUnsent = ({ row }: PayoutHistory): boolean => row.status === 'ready' || row.status === 'staged';
  const batches = histories.filter(isUnsent).map(({ batch }) => batch);
  if (batches.length === 0) return () => ({});
  const [stops, loss] = [await readStops(loaded, journal, batches, Date.now()), await journal.loss()];
  return (history) => {
    if (!isUnsent(history)) return {};
    return {
      stops: stops.of(history.batch),
      loss: mustProbe(loss, history.attempts) ? loss : undefined,
    };
  };
}

/** Payouts with this payoutId or transRefNo. @throws SettingsError without a journal */
export async function findPayouts(loaded: LoadedSettings, name: string): Promise<FoundByName> {
  await using journal = await requireJournal(loaded);
  const histories = await journal.findPayouts(name);
  const waiting = await readWaiting(
    journal,
    'payout',
    histories.map(({ row }) => String(row.seq)),
  );
  const unsent = await readUnsent(loaded, journal, histories);
  const found = histories.map((one) => ({
    ...one,
    ...unsent(one),
    proposalId: waiting.get(String(one.row.seq)),
  }));
  if (found.length > 0) return { found, isReference: false };
  // Only `list` tells whether a person's number occurs: it records the search.
  if (isMaskedReference(name)) return { found, isReference: false };
  const pages = await Array.fromAsync(listPayouts(journal, { reference: name }, 1));
  return { found, isReference: pages.some((page) => page.found.length > 0) };
}
