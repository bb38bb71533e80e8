/** Reads the items, other than payouts, that wait for a person, at one moment, with the person who looks after each. */
import { listPastDays, msSinceBangkokMidnight } from '../core/bangkok-time.ts';
import type { BatchReader, Clock } from '../core/ports.ts';
import type { WaitingReader } from '../payout/ports.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { BreakRecord } from '../reconcile/rules/types.ts';
import type { ApprovalStore, ProposalStore, QueueStore } from '../review/ports.ts';
import type { RegistrationHistory, RegistrationStore } from '../registration/ports.ts';
import { type RegistrationContext, readRegistrationOptions } from '../review/registration-target.ts';
import { directDebitOf, versionOfBatch } from '../review/rules/batch-decisions.ts';
import type { TargetKind } from '../review/rules/proposal.ts';
import {
  type Asker,
  type QueueKind,
  queueKinds,
  readOwners,
  type RowsOfBatch,
  type WaitingDecisions,
} from '../review/rules/queue.ts';
import { groupPayouts, groupRegistrations } from './groups.ts';
import type { AttentionEntry } from './rules/entry.ts';
import {
  batchItem,
  type BatchInQueue,
  breakItem,
  callbackItem,
  dayItem,
  decisionsItem,
  doubtItem,
  fileItem,
  noteProposal,
  type OwnedItem,
  payerItem,
  proposalItem,
  type QueueItem,
  registrationItem,
} from './rules/items.ts';

export interface QueueContext {
  readonly journal: QueueStore &
    Pick<BatchReader, 'batch' | 'totals'> &
    WaitingReader &
    Pick<StatementStore, 'statementDays' | 'openBreaks' | 'openBreaksBySeverity'> &
    Pick<UnreconciledDays, 'daysWithoutStatement'> &
    Pick<ProposalStore, 'proposals' | 'sentBack' | 'openItems' | 'proposalItems'> &
    Pick<ApprovalStore, 'involvedIn'> &
    RegistrationStore;
  readonly registrationDefaults?: RegistrationContext['registrationDefaults'];
  readonly clock: Pick<Clock, 'now'>;
  /** Account of the settings; that of each batch when left out. */
  readonly payerAccount?: string;
  /** `review.doubtAfterMs` of the settings. */
  readonly doubtAfterMs: number;
  /** Time of the Bangkok day from which the statement of the day before is late: `reconcile.lateAt`. */
  readonly lateAtMs: number;
  /** Lists waiting files of decisions. */
  readonly listDecisions?: (() => Promise<readonly WaitingDecisions[]>) | undefined;
}

/** @param kinds all when left out. @param limit of the items read of each kind */
interface ItemsAsked {
  readonly asker?: Asker;
  readonly kinds?: readonly QueueKind[];
  readonly limit?: number;
}

/** Default limit of the items of a kind. */
const itemsOfKind = 100;

type Find = (context: QueueContext, asker: Asker, limit: number) => Promise<readonly QueueItem[]>;

const findBreaks: Find = async ({ journal }, asker, limit) => {
  const days = (await journal.statementDays()).filter(({ openBreaks }) => openBreaks > 0);
  const records: BreakRecord[] = [];
  for (const { date } of days.toReversed()) {
    if (records.length >= limit) break;
    records.push(...(await journal.openBreaks(date, limit - records.length)));
  }
  return records.map((record) => breakItem(record, asker));
};

/** Days of the past week without their statement, which no person has taken note of: YYYYMMDD. */
export async function listWaitingDays({
  journal,
  clock,
  lateAtMs,
}: QueueContext): Promise<readonly string[]> {
  const nowMs = clock.now();
  const isDue = msSinceBangkokMidnight(nowMs) >= lateAtMs;
  const days = await journal.daysWithoutStatement(listPastDays(nowMs, isDue ? 0 : 1));
  const noted = days.length === 0 ? [] : await journal.reviewNotes('day', days);
  const left = new Set(noted.flatMap(({ what, key }) => (what === 'noted' ? [key] : [])));
  return days.filter((date) => !left.has(date));
}

async function lookAt({ journal }: QueueContext, waiting: RowsOfBatch): Promise<BatchInQueue | undefined> {
  const { batchId, rows, amountSatang, holds } = waiting;
  const batch = await journal.batch(batchId);
  if (batch === undefined) return undefined;
  const held = { status: 'held', rows, amountSatang, unreadableAmounts: 0, alarmRows: 0 } as const;
  // A large batch is not counted row by row: the journal knows its held rows.
  const totals = rows > 0 && holds.length > 0 ? [held] : await journal.totals(batchId);
  return { batch, totals, holds: holds.map((hold) => ({ hold, rows })), waiting };
}

/** Batches that a person decides on as a whole, with the rows that wait in them. */
export async function listWaitingBatches(context: QueueContext): Promise<readonly BatchInQueue[]> {
  const found: BatchInQueue[] = [];
  for (const waiting of await context.journal.heldBatches()) {
    const one = await lookAt(context, waiting);
    if (one !== undefined) found.push(one);
  }
  return found;
}

const findBatches: Find = async (context, asker, limit) =>
  (await listWaitingBatches(context))
    .slice(0, limit)
    .map((one) => batchItem(one, versionOfBatch(one.batch, context.payerAccount), asker));

const findProposals: Find = async ({ journal, clock }, asker, limit) => {
  const items: QueueItem[] = [];
  const nowMs = clock.now();
  for (const proposal of await journal.proposals(['proposed'], Number.MAX_SAFE_INTEGER, limit)) {
    const involved = asker === undefined ? [] : await journal.involvedIn(proposal.proposalId);
    if (nowMs < proposal.expiresAtMs) items.push(proposalItem(proposal, involved, nowMs, asker));
  }
  return items;
};

// ---------------------------------------------------------------- payouts and registrations

const doubtBefore = ({ clock, doubtAfterMs }: QueueContext): number => clock.now() - doubtAfterMs;

/** The entries of payouts: those that wait, and those long in doubt. */
export async function listPayouts(context: QueueContext): Promise<readonly AttentionEntry[]> {
  const { journal } = context;
  const beforeMs = doubtBefore(context);
  const waiting = [...(await journal.waitingByCause()), ...(await journal.inDoubtByCause(beforeMs))];
  return groupPayouts(waiting, beforeMs);
}

/** The entries of registrations: those that wait, and those long in doubt. */
export async function listRegistrations(context: QueueContext): Promise<readonly AttentionEntry[]> {
  const { journal } = context;
  const beforeMs = doubtBefore(context);
  const halts = await journal.payerHalts();
  const isHalted = halts.some(({ payerAccount }) => directDebitOf(payerAccount) !== undefined);
  return groupRegistrations(await journal.registrationsByCause(beforeMs), beforeMs, isHalted);
}

const findDoubt: Find = async (context, _asker, limit) =>
  (await listPayouts(context))
    .filter(({ code }) => code === 'in-doubt')
    .slice(0, limit)
    .map((entry) => doubtItem(entry));

/** When a registration began to wait, as far as the journal tells. */
const waitsSince = ({ row, batch, events }: RegistrationHistory): number =>
  events.at(-1)?.atMs ?? row.settledAtMs ?? batch.sealedAtMs ?? batch.startedAtMs;

/** Each is read with its possible decisions: the others are found by their own pages. */
const findRegistrations: Find = async (context, asker, limitAsked) => {
  const { journal } = context;
  const limit = Math.min(limitAsked, itemsOfKind);
  const items: QueueItem[] = [];
  for (const { code, rows } of await listRegistrations(context)) {
    if (rows.of !== 'registrations' || items.length >= limit) continue;
    const some = limit - items.length;
    for (const { seq } of await journal.searchRegistrations(rows.filter, Number.MAX_SAFE_INTEGER, some)) {
      const history = await journal.registrationHistory(seq);
      const options = await readRegistrationOptions(context, seq);
      if (history === undefined || options === undefined) continue;
      const { row, batch } = history;
      const sinceMs = waitsSince(history);
      items.push(registrationItem({ code, row, batchId: batch.batchId, sinceMs, options }, asker));
    }
  }
  return items;
};

const findCallbacks: Find = async ({ journal }, asker, limit) => {
  // Callbacks that a person has taken note of lie among them.
  const unknown = await journal.unknownCallbacks(limit * 10);
  const keys = unknown.map(({ id }) => String(id));
  const notes = keys.length === 0 ? [] : await journal.reviewNotes('callback', keys);
  const noted = new Set(notes.flatMap(({ what, key }) => (what === 'noted' ? [key] : [])));
  const waiting = unknown.filter(({ id }) => !noted.has(String(id)));
  return waiting.slice(0, limit).map((one) => callbackItem(one, asker));
};

const finds: Readonly<Record<QueueKind, Find>> = {
  break: findBreaks,
  day: async (context, asker) => (await listWaitingDays(context)).map((date) => dayItem(date, asker)),
  file: async ({ journal }, asker, limit) =>
    (await journal.refusedFiles(limit)).map((file) => fileItem(file, asker)),
  payer: async ({ journal }, asker) => (await journal.payerHalts()).map((halt) => payerItem(halt, asker)),
  batch: findBatches,
  doubt: findDoubt,
  registration: findRegistrations,
  callback: findCallbacks,
  proposal: findProposals,
  decisions: async ({ listDecisions }, asker) =>
    ((await listDecisions?.()) ?? []).map((file) => decisionsItem(file, asker)),
};

const isTarget = (kind: QueueKind): kind is QueueKind & TargetKind =>
  kind !== 'doubt' && kind !== 'proposal' && kind !== 'decisions';

/** Open proposals about these items, by their keys. */
async function findProposed(
  { journal }: QueueContext,
  kind: QueueKind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const open = isTarget(kind) && keys.length > 0 ? await journal.openItems(kind, keys) : [];
  return new Map(open.map(({ key, proposalId }) => [key, proposalId]));
}

/** A batch whose payment is proposed waits for the proposal alone. */
const isProposed = ({ code, key }: QueueItem, proposals: ReadonlyMap<string, number>): boolean =>
  code === 'batch-approval' && proposals.has(key);

/** Reads the items, other than payouts, that wait for a person, the longest wait first. */
export async function readItems(
  context: QueueContext,
  asked: ItemsAsked = {},
): Promise<readonly OwnedItem[]> {
  const { asker, kinds = queueKinds, limit = itemsOfKind } = asked;
  const items: OwnedItem[] = [];
  for (const kind of kinds) {
    const found = await finds[kind](context, asker, limit);
    const keys = found.map(({ key }) => key);
    const owners = readOwners(await context.journal.reviewNotes(kind === 'doubt' ? 'group' : kind, keys));
    const proposals = await findProposed(context, kind, keys);
    for (const item of found)
      if (!isProposed(item, proposals))
        items.push({ ...noteProposal(item, proposals.get(item.key)), owner: owners.get(item.key) });
  }
  return items.toSorted((one, other) => one.sinceMs - other.sinceMs);
}
