/** How batches and payouts stand, read alongside the sender. */
import { join } from 'node:path';
import { listPastDays } from '../core/bangkok-time.ts';
import type { Batch, HoldTotal, StatusTotal } from '../core/ports.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import { isMaskedReference } from '../payout/rules/search.ts';
import type { StatementDayState, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Settings } from '../settings/schema.ts';
import type { Store } from '../store/store.ts';
import type { TakenFile } from '../watch/rules/file-growth.ts';
import { probeBank } from '../bank/probe.ts';
import { type BreakerState, closeBreaker, openBreaker } from '../payout/rules/circuit-breaker.ts';
import { mayBeginAtMs, readServiceHours } from '../payout/rules/service-hours.ts';
import { isBuiltInSandbox } from '../settings/settings.ts';
import {
  type HealthReason,
  judgeHealth,
  type PayerHealth,
  readPayer,
  type Trouble,
} from '../watch/rules/health.ts';
import { readTimeLimits } from '../payout/rules/limits.ts';
import { readApprovalFigures } from '../review/approve-batch.ts';
import type { ApprovalFigures } from '../review/rules/approval-figures.ts';
import { systemClock } from '../platform/clock.ts';
import { listPayouts } from './list.ts';
import { registrationsInbox } from './session.ts';
import { requireJournal } from './open-store.ts';

export type { PayoutHistory } from '../payout/ports.ts';
export { findSenderOf, readMachines } from './machines/find-sender.ts';
export type { MachinesAtWork } from './machines/find-sender.ts';
export type { SenderLockOwner } from './sender-lock.ts';
export { describePlace } from './journal/place.ts';
export type { HealthReason } from '../watch/rules/health.ts';
export { openJournalBeside } from './open-store.ts';

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

// ---------------------------------------------------------------- what keeps payouts from being sent

type StopReader = Pick<Store, 'payerHalt' | 'payerPause'>;
type Account = Pick<Batch, 'companyId' | 'payerAccount'>;

/** Longest wait for the bank: the person at `status` waits with it. */
const bankTimeoutMs = 2_000;

const isOpenBatch = ({ status }: Batch): boolean => status !== 'done' && status !== 'rejected';
const keyOf = ({ companyId, payerAccount }: Account): string => `${companyId} ${payerAccount}`;

/** Adds to each batch what keeps it from being sent now, and lists all reasons once, as health reports them. */
export async function readStops(
  loaded: Pick<LoadedSettings, 'settings' | 'path' | 'dataDir' | 'dataDirOption' | 'folders'>,
  journal: StopReader,
  standings: readonly BatchStanding[],
  nowMs: number,
): Promise<{ readonly standings: readonly BatchStanding[]; readonly stops: readonly HealthReason[] }> {
  const { settings, path: settingsPath, dataDir, dataDirOption, folders } = loaded;
  const open = standings.map(({ batch }) => batch).filter(isOpenBatch);
  const place = {
    command: { settingsPath, dataDir: dataDirOption },
    dataDir,
    inbox: folders.inbox,
    registrations: join(folders.inbox, registrationsInbox),
  };
  const idle = { ...nothingKnown, lastPollMs: nowMs, place };
  const bankTrouble = await probeBankOf(settings, nowMs);
  const bank = judgeHealth({ ...idle, bankTrouble }, nowMs).reasons;
  const byAccount = new Map<string, readonly HealthReason[]>();
  for (const account of [settings.bank, ...open]) {
    if (byAccount.has(keyOf(account))) continue;
    const payer = await readPayerStanding(journal, settings, account, nowMs);
    const filesInWork = open.filter((batch) => keyOf(batch) === keyOf(account)).length;
    // A pause that is over keeps nothing from being sent.
    const isOver = readPayer(payer, nowMs) === 'probing' && filesInWork === 0;
    const { reasons, notes } = judgeHealth({ ...idle, payers: isOver ? [] : [payer], filesInWork }, nowMs);
    byAccount.set(keyOf(account), [...reasons, ...notes]);
  }
  return {
    standings: standings.map((standing) =>
      isOpenBatch(standing.batch)
        ? { ...standing, stops: [...bank, ...(byAccount.get(keyOf(standing.batch)) ?? [])] }
        : standing,
    ),
    stops: [...bank, ...[...byAccount.values()].flat()],
  };
}

/** State of a healthy sender, to which the facts read here are added. */
const nothingKnown = {
  role: 'active',
  inbox: undefined,
  diskTrouble: undefined,
  bankTrouble: undefined,
  payers: undefined,
  filesInWork: undefined,
  rowsInDoubt: undefined,
  oldestInDoubtAtMs: undefined,
  openBatches: undefined,
  failingBatches: undefined,
} as const;

/** Trouble with the bank; none for a built-in sandbox, which exists while a process has it. */
async function probeBankOf(settings: Settings, nowMs: number): Promise<Trouble | undefined> {
  if (isBuiltInSandbox(settings)) return undefined;
  const found = await probeBank(settings.bank.baseUrl, bankTimeoutMs);
  return found.kind === 'reachable' ? undefined : { sinceMs: nowMs, why: found.why };
}

/** The account's standing by its halts and pauses in the journal, and by the service hours. */
async function readPayerStanding(
  journal: StopReader,
  { bank, serviceHours }: Settings,
  { companyId, payerAccount }: Account,
  nowMs: number,
): Promise<PayerHealth> {
  const paysNewFiles = payerAccount === bank.payerAccount;
  const halt = await journal.payerHalt(companyId, payerAccount);
  if (halt !== undefined) return { ...openBreaker, status: 'halted', why: halt, paysNewFiles };
  const pause = await journal.payerPause(companyId, payerAccount);
  const state: BreakerState =
    pause === undefined
      ? openBreaker
      : { ...openBreaker, status: 'paused', why: pause, pausedUntilMs: pause.untilMs };
  const hours = readServiceHours(serviceHours);
  const opensAtMs = hours === undefined ? nowMs : mayBeginAtMs(hours, nowMs);
  return { ...(opensAtMs > nowMs ? closeBreaker(state, opensAtMs) : state), paysNewFiles };
}

/** Keys in one query: the database takes a limited number of values. */
const keysAtOnce = 1_000;

/** The open proposals about these subjects, by subject. */
export async function readWaiting(
  store: Pick<Store, 'openItems'>,
  kind: 'batch' | 'payout' | 'registration' | 'registration-batch',
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const waiting = new Map<string, number>();
  for (let from = 0; from < keys.length; from += keysAtOnce)
    for (const { key, proposalId } of await store.openItems(kind, keys.slice(from, from + keysAtOnce)))
      waiting.set(key, proposalId);
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
export type PayoutStanding = PayoutHistory & { readonly proposalId?: number | undefined };

export interface FoundByName {
  readonly found: readonly PayoutStanding[];
  /** True where no payout has the name itself: rows with this reference1, reference2 or sysRefNo were found. */
  readonly isReference: boolean;
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
  const found = histories.map((one) => ({ ...one, proposalId: waiting.get(String(one.row.seq)) }));
  if (found.length > 0) return { found, isReference: false };
  // Only `list` tells whether a person's number occurs: it records the search.
  if (isMaskedReference(name)) return { found, isReference: false };
  const pages = await Array.fromAsync(listPayouts(journal, { reference: name }, 1));
  return { found, isReference: pages.some((page) => page.found.length > 0) };
}
