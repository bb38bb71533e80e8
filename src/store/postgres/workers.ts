/**
 * The workers of the journal, and the rows that each of them pays. The database's clock alone tells if a lease runs: the
 * clock of a machine may show anything.
 */
import { type Expression, sql } from 'kysely';
import type {
  AskedShard,
  Shard,
  Worker,
  ActiveWorker,
  WorkerName,
  WorkerRole,
  WorkerStore,
} from '../../payout/ports.ts';
import {
  isLeaseAhead,
  isLeaseRunning,
  leaseAheadMaxMs,
  leaseMs,
  listGaps,
  mayRenew,
  type RowGap,
} from '../../payout/rules/lease.ts';
import {
  type BodiesOf,
  type Body,
  define,
  driveEach,
  type Reading,
  textStatement,
  together,
} from '../statements.ts';
import { JournalRefusedError } from '../connection.ts';
import type { PostgresEngine } from './engine.ts';
import { probeAsides, probeReads, probeWrites } from './payer-breakers.ts';
import { tablesVersion } from './migrations.ts';
import { notEnded, thereNow } from './lease-conditions.ts';
import { databaseNowMs, forgetSends, prune } from './prune.ts';
import { limitReads, limitWrites } from './bank-calls.ts';

const leaseEndMs = sql`${databaseNowMs} + ${sql.lit(leaseMs)}`;

/** The worker as it is now. */
interface WorkerNow extends Worker {
  readonly nowMs: number;
}

const workerColumns = sql`w.worker_id as "workerId", w.machine, w.pid, w.command, w.role, w.epoch,
  w.since_ms as "sinceMs", w.lease_until_ms as "leaseUntilMs", w.ended_at_ms as "endedAtMs",
  w.superseded_at_ms as "supersededAtMs", ${databaseNowMs} as "nowMs"`;

const selectWorkers = (condition: Expression<unknown>) =>
  textStatement<WorkerNow>(sql`select ${workerColumns} from worker w where ${condition}`);

const byId = define(({ workerId }: { workerId: number }) => selectWorkers(sql`w.worker_id = ${workerId}`));
const presentSender = define((_values: object) => selectWorkers(sql`w.role = 'sender' and ${notEnded}`));

/** A worker that has not been heard of for longer is not shown any more. */
const goneAfterMs = 3_600_000;

const atWork = define((_values: object) =>
  textStatement<WorkerNow & { readonly shards: number }>(sql`
    select ${workerColumns},
      (select count(*) from shard s where s.worker_id = w.worker_id and s.ended_at_ms is null) as shards
    from worker w
    where ${notEnded} and w.lease_until_ms > ${databaseNowMs} - ${sql.lit(goneAfterMs)}
    order by w.worker_id`),
);

const insertWorker = define(({ machine, pid, command, role }: WorkerName & { role: WorkerRole }) =>
  textStatement<{ readonly workerId: number }>(sql`
    insert into worker (machine, pid, command, role, epoch, since_ms, lease_until_ms, tables_version)
    values (${machine}, ${pid}, ${command}, ${role},
      (select coalesce(max(epoch), 0) from worker) + (${role} = 'sender')::int, ${databaseNowMs}, ${leaseEndMs},
      ${tablesVersion})
    returning worker_id as "workerId"`),
);

const defineUpdate = (set: Expression<unknown>, condition: Expression<unknown>) =>
  define(({ workerId }: { workerId: number }) =>
    textStatement(sql`update worker as w set ${set} where w.worker_id = ${workerId} and ${condition}`),
  );

/** Supersedes a worker; changes nothing of one that has been renewed meanwhile. */
const supersede = defineUpdate(
  sql`superseded_at_ms = ${databaseNowMs}`,
  sql`${notEnded} and w.lease_until_ms <= ${databaseNowMs}`,
);
const renew = defineUpdate(sql`lease_until_ms = ${leaseEndMs}`, notEnded);

const drawNear = define((_values: object) =>
  textStatement(sql`
    update worker as w set lease_until_ms = ${leaseEndMs}
    where ${notEnded} and w.lease_until_ms > ${databaseNowMs} + ${sql.lit(leaseAheadMaxMs)}`),
);

/** Makes every lease that lies ahead a whole one from now on, which its worker may renew: then it is over. */
export function* drawLeasesNear(): Body<void> {
  yield* drawNear.run({});
}

const end = defineUpdate(sql`ended_at_ms = ${databaseNowMs}`, sql`w.ended_at_ms is null`);

// ---------------------------------------------------------------- shards

interface OpenShard extends Shard, WorkerNow {}

type ShardRequest = Pick<Shard, 'batchId'> & Pick<AskedShard, 'rowsMax'>;

const openShards = define(({ batchId }: { batchId: string }) =>
  textStatement<OpenShard>(sql`
    select ${workerColumns}, s.shard_id as "shardId", s.batch_id as "batchId", s.from_row as "fromRow", s.to_row as "toRow"
    from shard s join worker w using (worker_id)
    where s.batch_id = ${batchId} and s.ended_at_ms is null order by s.from_row`),
);

const isAhead = (worker: WorkerNow): boolean => isLeaseAhead(worker, worker.nowMs);
/** True of a worker whose rows may be another's; not so of a lease that lies ahead, which is made a whole one first. */
const isOver = (worker: WorkerNow): boolean => !isLeaseRunning(worker, worker.nowMs);
const isThere = (worker: WorkerNow): boolean => !isOver(worker) && !isAhead(worker);

/** The first ready row strictly between two, and the last that is taken with it; both null when there is none. */
const readyRows = define(({ batchId, afterRow, beforeRow, rowsMax }: ShardRequest & RowGap) =>
  textStatement<{ readonly fromRow: number | null; readonly toRow: number | null }>(sql`
    select min(r.row_no) as "fromRow", max(r.row_no) as "toRow" from (
      select row_no from payout
      where batch_id = ${batchId} and status = 'ready' and row_no > ${afterRow} and row_no < ${beforeRow}
      order by row_no limit ${rowsMax}) as r`),
);

const highestRow = define(({ batchId }: { batchId: string }) =>
  textStatement<{ readonly row: number | null }>(
    sql`select max(to_row) as row from shard where batch_id = ${batchId}`,
  ),
);

const insertShard = define((values: Omit<Shard, 'shardId'> & { workerId: number; epoch: number }) =>
  textStatement<{ readonly shardId: number }>(sql`
    insert into shard (batch_id, from_row, to_row, worker_id, epoch, taken_at_ms)
    values (${values.batchId}, ${values.fromRow}, ${values.toRow}, ${values.workerId}, ${values.epoch}, ${databaseNowMs})
    returning shard_id as "shardId"`),
);

const toShard = ({ shardId, batchId, fromRow, toRow }: Shard): Shard => ({
  shardId,
  batchId,
  fromRow,
  toRow,
});

const endShard = define(({ shardId }: { shardId: number }) =>
  textStatement(
    sql`update shard set ended_at_ms = ${databaseNowMs} where shard_id = ${shardId} and ended_at_ms is null`,
  ),
);

/** The first ready rows in one of these stretches, the first of them that has any. */
function* findReady(asked: ShardRequest, gaps: Iterable<RowGap>) {
  for (const gap of gaps) {
    const { fromRow = null, toRow = null } = (yield* readyRows.get({ ...asked, ...gap })) ?? {};
    if (fromRow !== null && toRow !== null) return { fromRow, toRow };
  }
  return undefined;
}

/** Ends what workers that are gone have left, up to the first that still has ready rows: those are to be taken over. */
function* takeFromGone(left: readonly OpenShard[]): Body<OpenShard | undefined> {
  for (const shard of left) {
    const own = { afterRow: shard.fromRow - 1, beforeRow: shard.toRow + 1 };
    const hasReady = (yield* findReady({ ...shard, rowsMax: 1 }, [own])) !== undefined;
    // The sender's place is taken by a sender alone. A helper has under way what its shard says, until it has lost its
    // place: one that is renewed after all must not find its rows settled by another.
    if (shard.role === 'helper' && !(yield* takeOver(shard))) continue;
    yield* endShard.run(shard);
    if (hasReady) return shard;
  }
  return undefined;
}

/** Takes a place over; false of a worker that has been renewed meanwhile: what is its own stays its own. */
function* takeOver({ workerId, supersededAtMs, endedAtMs }: OpenShard): Body<boolean> {
  if (supersededAtMs !== null || endedAtMs !== null) return true;
  return (yield* supersede.run({ workerId })) > 0;
}

/**
 * True once a worker can write nothing more into what was its own: it has ended, or is superseded now, since its lease is
 * over. Not so of a sender, whose place is taken by a sender alone: that is waited for.
 */
export function* takeOverFrom(workerId: number): Body<boolean> {
  const worker = yield* byId.get({ workerId });
  if (worker === undefined || !mayRenew(worker)) return true;
  if (worker.role === 'sender' || !isOver(worker)) return false;
  return (yield* supersede.run({ workerId })) > 0;
}

function* readOthersShards(batchId: string, workerId: number): Reading<OpenShard[]> {
  const open = yield* openShards.all({ batchId });
  return open.filter((shard) => shard.workerId !== workerId);
}

/** True of a helper whose lease is over; it may be renewed until its place is taken. A sender alone takes the sender's. */
const isLapsed = (worker: WorkerNow): boolean =>
  worker.role === 'helper' && mayRenew(worker) && isOver(worker);

/** @param shards of others @returns those of workers that keep their place */
function* supersedeLapsed(shards: readonly OpenShard[]): Body<readonly OpenShard[]> {
  const left: OpenShard[] = [];
  for (const shard of shards) {
    const isTaken = isLapsed(shard) ? yield* takeOver(shard) : !mayRenew(shard);
    if (!isTaken) left.push(shard);
  }
  return left;
}

async function readShardsThatMaySend(
  engine: PostgresEngine,
  batchId: string,
  workerId: number,
): Promise<readonly Shard[]> {
  const shards = await engine.read(() => readOthersShards(batchId, workerId));
  const left = shards.some(isLapsed)
    ? await engine.write(function* () {
        return yield* supersedeLapsed(yield* readOthersShards(batchId, workerId));
      })
    : shards.filter(mayRenew);
  return left.map(toShard);
}

/** The version of the program that knows all that one has to know of the tables as they are. */
const programFrom = define((_values: object) =>
  textStatement<{ readonly version: number | null }>(
    sql`select max(program_from) as version from schema_version`,
  ),
);

/** Refuses tables that have become newer since this process looked at them. */
function* requireKnownTables(): Reading<void> {
  const { version = null } = (yield* programFrom.get({})) ?? {};
  if (version === null || version <= tablesVersion) return;
  throw new JournalRefusedError(
    `a newer paydrop has brought the journal up to date (tables ${version}, this one knows ${tablesVersion}): use that one`,
  );
}

function* beginWorker({ machine, pid, command }: WorkerName, role: WorkerRole): Body<number> {
  yield* requireKnownTables();
  yield* prune();
  const made = yield* insertWorker.get({ machine, pid, command, role });
  return (made as { readonly workerId: number }).workerId;
}

/** True while a worker may send; what is written in the same transaction is written while it may. */
export function* isWorkerThere(workerId: number): Reading<boolean> {
  const worker = yield* byId.get({ workerId });
  // The place of a lease that lies ahead is not taken yet: that is done in a transaction of its own.
  return worker !== undefined && !isOver(worker);
}

/** False once the worker has ended, or another has taken what was its own. */
export function* hasPlace(workerId: number): Reading<boolean> {
  const worker = yield* byId.get({ workerId });
  return worker !== undefined && mayRenew(worker);
}

const underWay = define(({ workerIds }: { workerIds: number[] }) =>
  textStatement<{ readonly rows: number }>(sql`
    select count(*) as rows from payout p
    join attempt a on a.payout_seq = p.seq and a.attempt_no = p.attempt_no and a.status = 'recorded'
    where p.status = 'submitted' and exists (
      select from shard s join worker w using (worker_id)
      where s.batch_id = p.batch_id and p.row_no between s.from_row and s.to_row and s.ended_at_ms is null
        and w.worker_id <> all(${workerIds}::bigint[]) and ${thereNow})`),
);

const abandoned = define((_values: object) =>
  textStatement<{ readonly batchId: string }>(sql`
    select s.batch_id as "batchId" from shard s join worker w using (worker_id) join batch b using (batch_id)
    where b.status = 'running' and s.ended_at_ms is null and not (${thereNow}) and exists (
      select from payout p
      where p.batch_id = s.batch_id and p.status = 'ready' and p.row_no between s.from_row and s.to_row)
    group by s.batch_id order by min(w.lease_until_ms), s.batch_id`),
);

const reads = {
  *workers() {
    const found = yield* atWork.all({});
    return found.map((one): ActiveWorker => ({ ...one, isThere: isThere(one) }));
  },
  *shardsElsewhere(batchId, workerId) {
    return (yield* readOthersShards(batchId, workerId)).filter(isThere).map(toShard);
  },
  *abandonedBatches() {
    return (yield* abandoned.all({})).map(({ batchId }) => batchId);
  },
  *countUnderWayElsewhere(workerIds) {
    return (yield* underWay.get({ workerIds: [...workerIds] }))?.rows ?? 0;
  },
} satisfies Partial<BodiesOf<WorkerStore>>;

/** The pause after which a process looks again for sends that are over: it goes through all of the last two minutes. */
const forgetEveryMs = 10_000;

interface Forgetting {
  /** The last time, by the clock of this process. */
  lastMs: number;
}

function* forgetSendsNowAndThen(forgetting: Forgetting): Body<void> {
  if (performance.now() - forgetting.lastMs < forgetEveryMs) return;
  yield* forgetSends();
  forgetting.lastMs = performance.now();
}

/** Writes that each exclude every writer: a superseded worker has committed what it was at, or cannot any more. */
const makeWrites = (forgetting: Forgetting) =>
  ({
    *takeSenderPlace(name) {
      yield* drawLeasesNear();
      const present = yield* presentSender.get({});
      if (present !== undefined && (!isOver(present) || (yield* supersede.run(present)) === 0))
        return { kind: 'held', by: present };
      return { kind: 'taken', workerId: yield* beginWorker(name, 'sender') };
    },
    joinAsHelper: (name) => beginWorker(name, 'helper'),
    *claimShard(batchId, workerId, { rowsMax, afterRow, held }) {
      const [worker, highest, open] = yield* together([
        byId.get({ workerId }),
        highestRow.get({ batchId }),
        openShards.all({ batchId }),
      ]);
      if (worker === undefined || isOver(worker)) return undefined;
      // A process may work for years: old records are looked for whenever a batch begins.
      if (highest?.row === null) yield* prune();
      else yield* forgetSendsNowAndThen(forgetting);
      if (open.some(isAhead)) yield* drawLeasesNear();
      const unheard = held && open.find((one) => one.workerId === workerId && !held.includes(one.shardId));
      if (unheard !== undefined) return toShard(unheard);
      const left = open.filter(isOver);
      const after = afterRow ?? highest?.row ?? 0;
      let found: Pick<Shard, 'fromRow' | 'toRow'> | undefined = yield* takeFromGone(left);
      if (found === undefined) {
        // A worker that has been renewed meanwhile keeps its own.
        const taken = left.length === 0 ? open : yield* openShards.all({ batchId });
        found = yield* findReady({ batchId, rowsMax }, listGaps(taken, after));
      }
      if (found === undefined) return undefined;
      const shard = { batchId, fromRow: found.fromRow, toRow: found.toRow };
      const made = yield* insertShard.get({ ...shard, workerId, epoch: worker.epoch });
      const isLeft = shard.fromRow <= (highest?.row ?? 0);
      return { ...(made as { readonly shardId: number }), ...shard, isLeft };
    },
  }) satisfies Partial<BodiesOf<WorkerStore>>;

/** Writes to one row of the worker's own, which no other writes but to supersede it. */
const asides = {
  *renew(workerId) {
    return (yield* renew.run({ workerId })) === 1;
  },
  *endWorker(workerId) {
    yield* end.run({ workerId });
  },
  *endShard(shardId) {
    yield* endShard.run({ shardId });
  },
} satisfies Partial<BodiesOf<WorkerStore>>;

/** The workers of a journal on PostgreSQL. */
export const makeWorkerStore = (engine: PostgresEngine): WorkerStore => ({
  ...driveEach({ ...reads, ...probeReads, ...limitReads }, (makeBody: () => Reading<unknown>) =>
    engine.read(makeBody),
  ),
  ...driveEach({ ...makeWrites({ lastMs: -Infinity }), ...probeWrites, ...limitWrites }, engine.write),
  ...driveEach({ ...asides, ...probeAsides }, engine.writeAside),
  shardsThatMaySend: (batchId, workerId) => readShardsThatMaySend(engine, batchId, workerId),
});
