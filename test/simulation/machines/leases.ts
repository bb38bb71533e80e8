/**
 * Who works the simulated journal, and which rows each pays: what the real one keeps in its tables. Conditions that stand
 * in statements there stand here again; what is a rule there is that rule here.
 */
import type { Change } from '../../../src/core/ports.ts';
import type {
  PayerKey,
  Shard,
  SharedLimits,
  Worker,
  WorkerName,
  WorkerRole,
  WorkerStore,
} from '../../../src/payout/ports.ts';
import {
  computeAttemptWaitMs,
  isLeaseRunning,
  lastSendOverMs,
  leaseMs,
  listGaps,
  mayRenew,
  type RowGap,
} from '../../../src/payout/rules/lease.ts';
import { mayProbe } from '../../../src/payout/rules/shared-pause.ts';
import { type CountedEnds, countEnd, noEnds } from '../../../src/payout/rules/brake.ts';
import {
  decideWhole,
  clampLimit,
  limitStaleAfterMs,
  type SharedKind,
  type SharedLimit,
} from '../../../src/payout/rules/shared-limit.ts';
import type { MemoryGuards } from '../memory/apply.ts';
import { findSimilarPayment } from '../memory/reads.ts';
import type { ToldLoss } from './past.ts';
import { findPlaces, isStopped, type MemoryStore, rowsOfBatch } from '../memory/store.ts';

interface KeptShard extends Shard {
  readonly workerId: number;
}

interface KeptSend {
  readonly payoutSeq: number;
  readonly attemptNo: number;
  readonly workerId: number;
  readonly sentAtMs: number;
}

/** What all machines have of the breaker of a payer account. */
interface KeptBreaker {
  readonly probe: { readonly workerId: number; readonly untilMs: number } | undefined;
  readonly isAnswered: boolean;
  readonly counted: CountedEnds;
}

const noBreaker: KeptBreaker = { probe: undefined, isAnswered: false, counted: noEnds };

/** All of it; each record is replaced and never changed in place. */
export interface Leases {
  readonly workers: Map<number, Worker>;
  /** Those that have not ended. */
  readonly shards: Map<number, KeptShard>;
  readonly sends: Map<string, KeptSend>;
  lastId: number;
  /** By batch: the highest row that anybody has had. */
  readonly highestRows: Map<string, number>;
  /** By payer account. */
  readonly breakers: Map<string, KeptBreaker>;
  /** What the bank bears of all machines, and when one of them heard so. */
  readonly limits: Map<SharedKind, { readonly whole: SharedLimit; readonly heardAtMs: number }>;
}

export const makeLeases = (): Leases => ({
  workers: new Map(),
  shards: new Map(),
  sends: new Map(),
  lastId: 0,
  highestRows: new Map(),
  breakers: new Map(),
  limits: new Map(),
});

/** The tables at one moment. */
interface Tables {
  readonly store: MemoryStore;
  readonly leases: Leases;
  /** By the clock of the database. */
  readonly nowMs: number;
  /** No shard is larger. */
  readonly shardRowsMax: number;
}

const isThere = ({ nowMs }: Tables, worker: Worker | undefined): boolean =>
  worker !== undefined && isLeaseRunning(worker, nowMs);

function beginWorker({ leases, nowMs }: Tables, name: WorkerName, role: WorkerRole): number {
  leases.lastId += 1;
  const workerId = leases.lastId;
  const senders = [...leases.workers.values()].filter((one) => one.role === 'sender').length;
  const epoch = senders + (role === 'sender' ? 1 : 0);
  const times = { sinceMs: nowMs, leaseUntilMs: nowMs + leaseMs, endedAtMs: null, supersededAtMs: null };
  leases.workers.set(workerId, { ...name, role, workerId, epoch, ...times });
  return workerId;
}

/** False of one that has been renewed meanwhile. */
function supersede({ leases, nowMs }: Tables, worker: Worker): boolean {
  if (!mayRenew(worker) || worker.leaseUntilMs > nowMs) return false;
  leases.workers.set(worker.workerId, { ...worker, supersededAtMs: nowMs });
  return true;
}

function findReady(
  { store }: Tables,
  batchId: string,
  rowsMax: number,
  gaps: Iterable<RowGap>,
): Pick<Shard, 'fromRow' | 'toRow'> | undefined {
  for (const { afterRow, beforeRow } of gaps) {
    const rows = rowsOfBatch(store, batchId)
      .filter(({ payout }) => payout.status === 'ready')
      .map(({ payout }) => payout.rowNo)
      .filter((rowNo) => rowNo > afterRow && rowNo < beforeRow)
      .slice(0, rowsMax);
    const [first] = rows;
    if (first !== undefined) return { fromRow: first, toRow: rows.at(-1) ?? first };
  }
  return undefined;
}

/** Ends what workers that are gone have left, up to the first that still has ready rows. */
function takeFromGone(tables: Tables, left: readonly KeptShard[]): KeptShard | undefined {
  const { workers, shards } = tables.leases;
  for (const shard of left) {
    const own = [{ afterRow: shard.fromRow - 1, beforeRow: shard.toRow + 1 }];
    const hasReady = findReady(tables, shard.batchId, 1, own) !== undefined;
    const worker = workers.get(shard.workerId) as Worker;
    const isFree = !mayRenew(worker) || worker.role !== 'helper';
    if (!isFree && !supersede(tables, worker)) continue;
    shards.delete(shard.shardId);
    if (hasReady) return shard;
  }
  return undefined;
}

function claimShard(
  tables: Tables,
  ...[batchId, workerId, { rowsMax, afterRow, held }]: Parameters<WorkerStore['claimShard']>
): Shard | undefined {
  const { leases, shardRowsMax } = tables;
  if (!isThere(tables, leases.workers.get(workerId))) return undefined;
  const open = [...leases.shards.values()]
    .filter((shard) => shard.batchId === batchId)
    .toSorted((one, other) => one.fromRow - other.fromRow);
  const unheard = open.find((one) => one.workerId === workerId && held?.includes(one.shardId) === false);
  if (unheard !== undefined) return unheard;
  const isOfPresent = (shard: KeptShard): boolean => isThere(tables, leases.workers.get(shard.workerId));
  const after = afterRow ?? leases.highestRows.get(batchId) ?? 0;
  const taken = open.filter(isOfPresent);
  const wanted = Math.min(rowsMax, shardRowsMax);
  const left = open.filter((shard) => !isOfPresent(shard));
  const found = takeFromGone(tables, left) ?? findReady(tables, batchId, wanted, listGaps(taken, after));
  if (found === undefined) return undefined;
  leases.lastId += 1;
  const shard = { shardId: leases.lastId, batchId, fromRow: found.fromRow, toRow: found.toRow };
  leases.shards.set(shard.shardId, { ...shard, workerId });
  const highestRow = leases.highestRows.get(batchId) ?? 0;
  leases.highestRows.set(batchId, Math.max(highestRow, shard.toRow));
  return { ...shard, isLeft: shard.fromRow <= highestRow };
}

function shardsElsewhere(tables: Tables, batchId: string, ...workerIds: readonly number[]): KeptShard[] {
  const { workers, shards } = tables.leases;
  return [...shards.values()].filter(
    (one) =>
      one.batchId === batchId &&
      !workerIds.includes(one.workerId) &&
      isThere(tables, workers.get(one.workerId)),
  );
}

/** Whoever's lease is over loses its place by this. */
function shardsThatMaySend(tables: Tables, batchId: string, workerId: number): KeptShard[] {
  const { workers, shards } = tables.leases;
  return [...shards.values()].filter((shard) => {
    if (shard.batchId !== batchId || shard.workerId === workerId) return false;
    const worker = workers.get(shard.workerId) as Worker;
    return mayRenew(worker) && !(worker.role === 'helper' && supersede(tables, worker));
  });
}

function countUnderWayElsewhere(tables: Tables, workerIds: readonly number[]): number {
  const { store } = tables;
  return [...store.rows.values()].filter(({ payout: { seq, batchId, rowNo, status, attemptNo } }) => {
    const latest = store.attempts.get(seq)?.find((one) => one.attemptNo === attemptNo);
    if (status !== 'submitted' || latest?.status !== 'recorded') return false;
    return shardsElsewhere(tables, batchId, ...workerIds).some(
      ({ fromRow, toRow }) => fromRow <= rowNo && rowNo <= toRow,
    );
  }).length;
}

/** Whether the lease of a worker runs now. */
export const isWorkerThere = (tables: Tables, workerId: number | undefined): boolean =>
  workerId !== undefined && isThere(tables, tables.leases.workers.get(workerId));

const keyOf = ({ companyId, payerAccount }: PayerKey): string => `${companyId} ${payerAccount}`;

const breakerOf = ({ leases }: Tables, payer: PayerKey): KeptBreaker =>
  leases.breakers.get(keyOf(payer)) ?? noBreaker;

function makeProbes(read: () => Tables): Pick<WorkerStore, 'takeProbe' | 'endProbe' | 'wasAnswered'> {
  return {
    takeProbe: async (payer, workerId) => {
      const tables = read();
      const { leases, store, nowMs } = tables;
      const known = breakerOf(tables, payer);
      if (!store.linePauses.has(keyOf(payer)) && known.isAnswered) return 'answered';
      const { probe } = known;
      const present = probe && { ...probe, isThere: isThere(tables, leases.workers.get(probe.workerId)) };
      if (!mayProbe(present, workerId, nowMs)) return 'held';
      const taken = { workerId, untilMs: nowMs + lastSendOverMs };
      leases.breakers.set(keyOf(payer), { ...known, probe: taken, isAnswered: false });
      return 'taken';
    },
    endProbe: async (payer, workerId, isAnswered) => {
      const tables = read();
      const known = breakerOf(tables, payer);
      const probe = known.probe?.workerId === workerId ? undefined : known.probe;
      tables.leases.breakers.set(keyOf(payer), { ...known, probe, isAnswered });
    },
    wasAnswered: async (payer) => breakerOf(read(), payer).isAnswered,
  };
}

/** The sender, and whoever has rows to pay. */
function listAtWork(tables: Tables): number[] {
  const withRows = new Set([...tables.leases.shards.values()].map(({ workerId }) => workerId));
  return [...tables.leases.workers.values()]
    .filter((one) => isThere(tables, one) && (one.role === 'sender' || withRows.has(one.workerId)))
    .map(({ workerId }) => workerId);
}

function makeLimits(read: () => Tables): Pick<WorkerStore, 'readLimits' | 'tellLimit'> {
  const known = ({ leases, nowMs }: Tables): SharedLimits['wholes'] =>
    Object.fromEntries(
      [...leases.limits]
        .filter(([, { heardAtMs }]) => heardAtMs > nowMs - limitStaleAfterMs)
        .map(([kind, { whole }]) => [kind, whole]),
    );
  return {
    readLimits: async (workerId) => {
      const tables = read();
      const working = listAtWork(tables);
      const isAmong = working.includes(workerId);
      const machines = working.length + (isAmong ? 0 : 1);
      const place = isAmong ? working.indexOf(workerId) : machines - 1;
      return { wholes: known(tables), atWork: { machines, place } };
    },
    tellLimit: async (kind, heard, ceilingOfOne) => {
      const tables = read();
      const machines = Math.max(1, listAtWork(tables).length);
      const whole = decideWhole(clampLimit(known(tables)[kind], ceilingOfOne, machines), heard, machines);
      tables.leases.limits.set(kind, { whole, heardAtMs: tables.nowMs });
      return whole;
    },
  };
}

/** Counts how a payout has ended; the payer account may be halted by it. */
function countOne(tables: Tables, { end, attempt, event }: Change, payer: PayerKey): void {
  if (end === undefined) return;
  const { store, leases } = tables;
  const { companyId, payerAccount } = attempt?.order ?? payer;
  const key = keyOf({ companyId, payerAccount });
  const known = leases.breakers.get(key) ?? noBreaker;
  const { counted, why } =
    end.kind === 'halts'
      ? { counted: known.counted, why: end.why }
      : countEnd(known.counted, end.isPaid, end.limits);
  leases.breakers.set(key, { ...known, counted });
  if (why === undefined || isStopped(store, companyId, payerAccount)) return;
  store.lineStops.push({ ...why, companyId, payerAccount, sinceMs: event.atMs, liftedAtMs: null });
}

/** What was counted before a halt was lifted is forgotten. */
export function forgetCounted(leases: Leases, payer: PayerKey): void {
  const known = leases.breakers.get(keyOf(payer)) ?? noBreaker;
  leases.breakers.set(keyOf(payer), { ...known, counted: noEnds });
}

export function makeMemoryWorkers(read: () => Tables): WorkerStore {
  return {
    takeSenderPlace: async (name) => {
      const tables = read();
      const present = [...tables.leases.workers.values()].find(
        (one) => one.role === 'sender' && mayRenew(one),
      );
      if (present !== undefined && (isThere(tables, present) || !supersede(tables, present)))
        return { kind: 'held', by: present };
      return { kind: 'taken', workerId: beginWorker(tables, name, 'sender') };
    },
    joinAsHelper: async (name) => beginWorker(read(), name, 'helper'),
    renew: async (workerId) => {
      const { leases, nowMs } = read();
      const worker = leases.workers.get(workerId);
      if (worker === undefined || !mayRenew(worker)) return false;
      leases.workers.set(workerId, { ...worker, leaseUntilMs: nowMs + leaseMs });
      return true;
    },
    endWorker: async (workerId) => {
      const { leases, nowMs } = read();
      const worker = leases.workers.get(workerId);
      if (worker?.endedAtMs === null) leases.workers.set(workerId, { ...worker, endedAtMs: nowMs });
    },
    workers: async () => {
      const tables = read();
      const shards = [...tables.leases.shards.values()];
      return [...tables.leases.workers.values()].filter(mayRenew).map((worker) => ({
        ...worker,
        isThere: isThere(tables, worker),
        shards: shards.filter(({ workerId }) => workerId === worker.workerId).length,
      }));
    },
    claimShard: async (...asked) => claimShard(read(), ...asked),
    endShard: async (shardId) => void read().leases.shards.delete(shardId),
    abandonedBatches: async () => {
      const tables = read();
      const left = [...tables.leases.shards.values()].filter(
        ({ batchId, workerId, fromRow, toRow }) =>
          !isThere(tables, tables.leases.workers.get(workerId)) &&
          findReady(tables, batchId, 1, [{ afterRow: fromRow - 1, beforeRow: toRow + 1 }]) !== undefined,
      );
      const goneAtMs = ({ workerId }: KeptShard): number =>
        tables.leases.workers.get(workerId)?.leaseUntilMs ?? 0;
      left.sort((one, other) => goneAtMs(one) - goneAtMs(other));
      return [...new Set(left.map(({ batchId }) => batchId))];
    },
    ...makeProbes(read),
    ...makeLimits(read),
    shardsElsewhere: async (batchId, workerId) => shardsElsewhere(read(), batchId, workerId),
    shardsThatMaySend: async (batchId, workerId) => shardsThatMaySend(read(), batchId, workerId),
    countUnderWayElsewhere: async (workerIds) => countUnderWayElsewhere(read(), workerIds),
  };
}

/** Who this process is, as far as the journal asks. */
export interface OwnWorker {
  readonly workerId: number | undefined;
  noteRefused(): void;
}

export function readAttemptWaitMs(tables: Tables, own: OwnWorker, payoutId: string): number {
  const { store, leases, nowMs } = tables;
  const sends = findPlaces(store, payoutId).flatMap(({ payout }) =>
    [...leases.sends.values()].filter(({ payoutSeq }) => payoutSeq === payout.seq),
  );
  const known = sends.map(({ workerId, sentAtMs }) => ({
    workerId,
    sentAtMs,
    endedAtMs: leases.workers.get(workerId)?.endedAtMs ?? null,
  }));
  return computeAttemptWaitMs(known, own.workerId ?? 0, nowMs);
}

export function makeMemoryGuards(read: () => Tables, own: OwnWorker, loss: ToldLoss): MemoryGuards {
  return {
    fence: () => {
      const isRight = isWorkerThere(read(), own.workerId);
      if (!isRight) own.noteRefused();
      return loss.isLatest() && isRight;
    },
    mayIntend: ({ before, attempt, likeness, lossKnownMs }) => {
      if (!loss.wasKnownTo(lossKnownMs)) return false;
      if (likeness !== undefined && findSimilarPayment(read().store, likeness) !== undefined) return false;
      if ((attempt?.attemptNo ?? 0) <= 1) return true;
      return readAttemptWaitMs(read(), own, before.instruction.payoutId) === 0;
    },
    noteApplied: (change, payer) => countOne(read(), change, payer),
    noteSend: ({ payoutSeq, attemptNo }) => {
      const { leases, nowMs } = read();
      const workerId = own.workerId ?? 0;
      leases.sends.set(`${payoutSeq} ${attemptNo} ${workerId}`, {
        payoutSeq,
        attemptNo,
        workerId,
        sentAtMs: nowMs,
      });
    },
  };
}
