/** Reads the items, other than payouts, that wait for a person, at one moment, with the person who looks after each. */
import { listPastDays, msSinceBangkokMidnight } from '../core/bangkok-time.ts';
import { sumSatang, zeroSatang } from '../core/money.ts';
import type { BatchReader, Clock } from '../core/ports.ts';
import type { WaitingReader } from '../payout/ports.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { BreakRecord } from '../reconcile/rules/types.ts';
import type { ApprovalStore, ProposalStore, QueueStore } from '../review/ports.ts';
import type { RegistrationHistory, RegistrationRow, RegistrationStore } from '../registration/ports.ts';
import { type RegistrationContext, readRegistrationOptions } from '../review/registration-target.ts';
import { callbackItem, registrationItem } from '../review/rules/registration-queue.ts';
import { versionOfBatch } from '../review/rules/batch-decisions.ts';
import type { TargetKind } from '../review/rules/proposal.ts';
import {
  type Asker,
  batchItem,
  type BatchInQueue,
  batchNeedsPerson,
  breakItem,
  dayItem,
  decisionsItem,
  doubtItem,
  fileItem,
  noteProposal,
  type OwnedItem,
  type Queue,
  type QueueTotal,
  payerItem,
  proposalItem,
  type QueueItem,
  type QueueKind,
  queueKinds,
  readOwners,
  type RowsOfBatch,
  type WaitingDecisions,
} from '../review/rules/queue.ts';

export interface QueueContext {
  readonly journal: QueueStore &
    Pick<BatchReader, 'batch' | 'totals'> &
    WaitingReader &
    Pick<StatementStore, 'statementDays' | 'openBreaks' | 'openBreaksBySeverity'> &
    Pick<UnreconciledDays, 'daysWithoutStatement'> &
    Pick<ProposalStore, 'proposals' | 'openItems' | 'proposalItems'> &
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
interface QueueAsked {
  readonly asker?: Asker;
  readonly kinds?: readonly QueueKind[];
  readonly limit?: number;
}

/** Default limit of the items of a kind. */
const itemsOfKind = 100;

interface Found {
  readonly items: readonly QueueItem[];
  /** Total count, where not all items are read. */
  readonly count?: number;
}

type Find = (context: QueueContext, asker: Asker, limit: number) => Promise<Found>;

async function findBreaks({ journal }: QueueContext, asker: Asker, limit: number): Promise<Found> {
  const days = (await journal.statementDays()).filter(({ openBreaks }) => openBreaks > 0);
  const records: BreakRecord[] = [];
  for (const { date } of days.toReversed()) {
    if (records.length >= limit) break;
    records.push(...(await journal.openBreaks(date, limit - records.length)));
  }
  const count = days.reduce((sum, { openBreaks }) => sum + openBreaks, 0);
  return { items: records.map((record) => breakItem(record, asker)), count };
}

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

const findDays: Find = async (context, asker) => ({
  items: (await listWaitingDays(context)).map((date) => dayItem(date, asker)),
});

/** Factor on the limit up to which further files are counted. */
const countedTimes = 10;

async function findFiles({ journal }: QueueContext, asker: Asker, limit: number): Promise<Found> {
  const files = await journal.refusedFiles(limit * countedTimes);
  return { items: files.slice(0, limit).map((file) => fileItem(file, asker)), count: files.length };
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

async function lookAtEach(
  context: QueueContext,
  all: readonly RowsOfBatch[],
): Promise<readonly BatchInQueue[]> {
  const found: BatchInQueue[] = [];
  for (const waiting of all) {
    const one = await lookAt(context, waiting);
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** Batches that a person decides on as a whole, with the rows that wait in them. */
export const listWaitingBatches = async (context: QueueContext): Promise<readonly BatchInQueue[]> =>
  (await lookAtEach(context, await context.journal.heldBatches())).filter(batchNeedsPerson);

async function findBatches(context: QueueContext, asker: Asker, limit: number): Promise<Found> {
  const held = await listWaitingBatches(context);
  const versionOf = ({ batch }: BatchInQueue) => versionOfBatch(batch, context.payerAccount);
  const items = held.slice(0, limit).map((one) => batchItem(one, versionOf(one), asker));
  return { items, count: held.length };
}

async function findDoubt(context: QueueContext, asker: Asker, limit: number): Promise<Found> {
  const { journal, clock, doubtAfterMs, payerAccount } = context;
  const old = await journal.doubtSince(clock.now() - doubtAfterMs);
  const found = await lookAtEach(context, old.slice(0, limit));
  return {
    items: found.map((one) => doubtItem(one, versionOfBatch(one.batch, payerAccount), asker)),
    count: old.length,
  };
}

async function findProposals({ journal, clock }: QueueContext, asker: Asker, limit: number): Promise<Found> {
  const items: QueueItem[] = [];
  const nowMs = clock.now();
  for (const proposal of await journal.proposals(['proposed'], Number.MAX_SAFE_INTEGER, limit)) {
    const involved = await journal.involvedIn(proposal.proposalId);
    if (nowMs < proposal.expiresAtMs) items.push(proposalItem(proposal, involved, nowMs, asker));
  }
  return { items };
}

/** When a registration began to wait, as far as the journal tells. */
const waitsSince = ({ row, batch, events }: RegistrationHistory): number =>
  events.at(-1)?.atMs ?? row.settledAtMs ?? batch.sealedAtMs ?? batch.startedAtMs;

/** Registrations that ended without success, and those in doubt for long. */
async function findRegistrations(context: QueueContext, asker: Asker, limitAsked: number): Promise<Found> {
  const { journal, clock, doubtAfterMs } = context;
  // Each item is read with its possible decisions: the others are found by their own pages.
  const limit = Math.min(limitAsked, itemsOfKind);
  const waiting = { isWaiting: true } as const;
  const doubt = { statuses: ['in-doubt'], untilMs: clock.now() - doubtAfterMs } as const;
  const found = new Map<number, RegistrationRow>();
  let count = 0;
  for (const filter of [waiting, doubt]) {
    count += await journal.countFoundRegistrations(filter);
    for (const row of await journal.searchRegistrations(filter, Number.MAX_SAFE_INTEGER, limit))
      found.set(row.seq, row);
  }
  const items: QueueItem[] = [];
  for (const { seq } of [...found.values()].slice(0, limit)) {
    const history = await journal.registrationHistory(seq);
    const options = await readRegistrationOptions(context, seq);
    if (history === undefined || options === undefined) continue;
    const { row, batch } = history;
    items.push(
      registrationItem({ row, batchId: batch.batchId, sinceMs: waitsSince(history), options }, asker),
    );
  }
  return { items, count: Math.max(count, items.length) };
}

async function listWaitingCallbacks({ journal }: QueueContext, limit: number) {
  const unknown = await journal.unknownCallbacks(limit * countedTimes);
  const keys = unknown.map(({ id }) => String(id));
  const notes = keys.length === 0 ? [] : await journal.reviewNotes('callback', keys);
  const noted = new Set(notes.flatMap(({ what, key }) => (what === 'noted' ? [key] : [])));
  return unknown.filter(({ id }) => !noted.has(String(id)));
}

async function findCallbacks(context: QueueContext, asker: Asker, limit: number): Promise<Found> {
  const waiting = await listWaitingCallbacks(context, limit);
  return { items: waiting.slice(0, limit).map((one) => callbackItem(one, asker)), count: waiting.length };
}

const finds: Readonly<Record<QueueKind, Find>> = {
  break: findBreaks,
  day: findDays,
  file: findFiles,
  payer: async ({ journal }, asker) => ({
    items: (await journal.payerHalts()).map((halt) => payerItem(halt, asker)),
  }),
  batch: findBatches,
  doubt: findDoubt,
  registration: findRegistrations,
  callback: findCallbacks,
  proposal: findProposals,
  decisions: async ({ listDecisions }, asker) => ({
    items: ((await listDecisions?.()) ?? []).map((file) => decisionsItem(file, asker)),
  }),
};

const targetKinds: Readonly<Partial<Record<QueueKind, TargetKind>>> = {
  break: 'break',
  day: 'day',
  file: 'file',
  payer: 'payer',
  batch: 'batch',
  doubt: 'batch',
  registration: 'registration',
  callback: 'callback',
};

/** Open proposals about these items, by their keys. */
async function findProposed(
  { journal }: QueueContext,
  kind: QueueKind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const target = targetKinds[kind];
  const open = target === undefined || keys.length === 0 ? [] : await journal.openItems(target, keys);
  return new Map(open.map(({ key, proposalId }) => [key, proposalId]));
}

/** Reads the items, other than payouts, that wait for a person. */
export async function readQueue(context: QueueContext, asked: QueueAsked = {}): Promise<Queue> {
  const { asker, kinds = queueKinds, limit = itemsOfKind } = asked;
  const items: OwnedItem[] = [];
  const totals: QueueTotal[] = [];
  for (const kind of kinds) {
    const { items: found, count = found.length } = await finds[kind](context, asker, limit);
    if (count === 0) continue;
    const keys = found.map(({ key }) => key);
    const owners = readOwners(await context.journal.reviewNotes(kind, keys));
    const proposals = await findProposed(context, kind, keys);
    items.push(
      ...found.map((item) => ({
        ...noteProposal(item, proposals.get(item.key)),
        owner: owners.get(item.key),
      })),
    );
    totals.push({
      kind,
      items: count,
      amountSatang: sumSatang(found.map(({ amountSatang }) => amountSatang ?? zeroSatang)),
      oldestMs: Math.min(...found.map(({ sinceMs }) => sinceMs)),
    });
  }
  return { items: items.toSorted((one, other) => one.sinceMs - other.sinceMs), totals };
}
