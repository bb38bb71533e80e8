/** Leases and shards on a real PostgreSQL: the database's clock says who is there, and nobody has what another has. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Shard, WorkerStore } from '../../../src/payout/ports.ts';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makeWorkerStore } from '../../../src/store/postgres/workers.ts';
import { type Body, change, textStatement, type Together } from '../../../src/store/statements.ts';
import { batchId, type Cluster, openCluster } from '../../support/cluster.ts';
import { describePostgres } from '../../support/postgres.ts';

const one = { machine: 'pay-1', pid: 11, command: 'watch' };
const other = { machine: 'pay-2', pid: 22, command: 'watch' };

/** @throws Error when it is another's */
async function takePlace({ workers }: Cluster, name = one): Promise<number> {
  const place = await workers.takeSenderPlace(name);
  if (place.kind === 'held') throw new Error(`${place.by.machine} has it`);
  return place.workerId;
}

/** A sender, and another machine that helps it with these rows, which are ready. */
async function openPair(...rows: readonly number[]) {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await openCluster());
  await cluster.ready(...rows);
  const pair = { sender: await takePlace(cluster), helper: await cluster.workers.joinAsHelper(other) };
  stack.move();
  return { ...cluster, ...pair };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, place) => from + place);

/** As a machine does: rows that nobody has had, then those that are ready again. */
async function claim(workers: WorkerStore, workerId: number, rowsMax: number): Promise<Shard | undefined> {
  const fresh = await workers.claimShard(batchId, workerId, { rowsMax, afterRow: undefined });
  return fresh ?? workers.claimShard(batchId, workerId, { rowsMax, afterRow: 0 });
}

describePostgres('the place of the sender', () => {
  test('is refused while another has it, and says who', async () => {
    await using cluster = await openCluster();
    const workerId = await takePlace(cluster);
    const place = await cluster.workers.takeSenderPlace(other);
    expect(place).toMatchObject({ kind: 'held', by: { ...one, workerId, role: 'sender', epoch: 1 } });
  });

  test('is taken by one of many who ask at once', async () => {
    await using cluster = await openCluster();
    await using beside = makePostgresEngine(cluster.engine.pool.options.connectionString ?? '');
    const stores = [cluster.workers, makeWorkerStore(beside)];
    const places = await Promise.all(
      range(1, 10).flatMap(() => stores.map((store) => store.takeSenderPlace(one))),
    );
    expect(places.filter((place) => place.kind === 'taken')).toHaveLength(1);
  });

  test('is taken over once its lease is over, and never renewed then', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    const first = await takePlace(cluster);
    await cluster.age(first, leaseMs + 1);
    const second = await takePlace(cluster, other);
    expect(await workers.renew(first)).toBe(false);
    expect(await workers.renew(second)).toBe(true);
    expect(await workers.workers()).toMatchObject([{ ...other, workerId: second, epoch: 2, isThere: true }]);
  });

  test('whose lease is over is renewed as long as nobody has taken it', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    const first = await takePlace(cluster);
    await cluster.age(first, 60_000);
    expect(await workers.workers()).toMatchObject([{ workerId: first, isThere: false }]);
    expect(await workers.renew(first)).toBe(true);
    expect(await workers.takeSenderPlace(other)).toMatchObject({ kind: 'held' });
  });

  test('is free at once when it is given back', async () => {
    await using cluster = await openCluster();
    const first = await takePlace(cluster);
    await cluster.workers.endWorker(first);
    expect(await cluster.workers.renew(first)).toBe(false);
    await takePlace(cluster, other);
  });

  test('is renewed while another machine writes for long', async () => {
    await using cluster = await openCluster();
    const workerId = await takePlace(cluster);
    await using client = await cluster.engine.pool
      .connect()
      .then((held) => Object.assign(held, { [Symbol.asyncDispose]: async () => held.release(true) }));
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7202611523)');
    expect(await cluster.workers.renew(workerId)).toBe(true);
  });

  test('fails soon where the database does not answer, and is renewed afterwards', async () => {
    await using cluster = await openCluster();
    const workerId = await takePlace(cluster);
    await using client = await cluster.engine.pool
      .connect()
      .then((held) => Object.assign(held, { [Symbol.asyncDispose]: async () => held.release(true) }));
    await client.query('begin');
    await client.query('lock table worker');
    await expect(cluster.workers.renew(workerId)).rejects.toThrow(/timeout/i);
    await client.query('rollback');
    expect(await cluster.workers.renew(workerId)).toBe(true);
  });

  test('hangs on the clock of no machine', async () => {
    await using cluster = await openCluster();
    const workerId = await takePlace(cluster);
    const [found] = await cluster.sql(
      `select lease_until_ms - since_ms as lease, abs(since_ms - extract(epoch from now()) * 1000) < 60000 as is_its from worker`,
    );
    expect(found).toEqual({ lease: String(leaseMs), is_its: true });
    expect(await cluster.workers.renew(workerId)).toBe(true);
  });
});

const hourMs = 3_600_000;

/** As if the clock of the database was set by so much: what is kept was told by the clock of before. */
async function setClock(cluster: Cluster, byMs: number): Promise<void> {
  await cluster.sql(
    `update worker set since_ms = since_ms - ${byMs}, lease_until_ms = lease_until_ms - ${byMs}`,
  );
  await cluster.sql(`update latest_send set sent_at_ms = sent_at_ms - ${byMs}`);
}

describePostgres('after the clock of the database was put back by hours', () => {
  test('who lives keeps its place and its rows', async () => {
    await using cluster = await openPair(...range(1, 6));
    const { workers, sender, helper } = cluster;
    await claim(workers, sender, 3);
    await setClock(cluster, -3 * hourMs);
    // Before either has renewed.
    expect(await workers.takeSenderPlace(other)).toMatchObject({ kind: 'held', by: { workerId: sender } });
    expect(await claim(workers, helper, 9)).toMatchObject({ fromRow: 4, toRow: 6 });
    expect(await workers.renew(sender)).toBe(true);
    expect(await workers.renew(helper)).toBe(true);
    expect(await workers.workers()).toMatchObject([{ isThere: true }, { isThere: true }]);
  });

  test('who is dead is so after one lease, not when the clock has come so far again', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    await cluster.ready(...range(1, 6));
    const [dead, gone] = [await takePlace(cluster), await workers.joinAsHelper(one)];
    await claim(workers, gone, 3);
    await setClock(cluster, -3 * hourMs);
    expect(await workers.workers()).toMatchObject([{ isThere: false }, { isThere: false }]);
    const helper = await workers.joinAsHelper(other);
    expect(await workers.shardsElsewhere(batchId, helper)).toEqual([]);
    expect(await workers.abandonedBatches()).toEqual([batchId]);
    expect(await workers.takeSenderPlace(other)).toMatchObject({ kind: 'held' });
    expect(await claim(workers, helper, 9)).toMatchObject({ fromRow: 4 });
    await cluster.age(dead, leaseMs + 1);
    await cluster.age(gone, leaseMs + 1);
    expect(await workers.takeSenderPlace(other)).toMatchObject({ kind: 'taken' });
    expect(await claim(workers, helper, 9)).toMatchObject({ fromRow: 1, toRow: 3 });
  });

  test('a next attempt waits no longer than for a send of now', async () => {
    await using cluster = await openPair(...range(1, 2));
    const { workers, sender, helper } = cluster;
    await cluster.sql(`insert into latest_send select 1, 1, ${sender}, extract(epoch from now()) * 1000`);
    await setClock(cluster, -3 * hourMs);
    await workers.renew(helper);
    await claim(workers, helper, 1);
    const [found] = await cluster.sql(
      'select sent_at_ms <= extract(epoch from clock_timestamp()) * 1000 as is_past from latest_send',
    );
    expect(found).toEqual({ is_past: true });
  });

  test('a little, as a clock that is put right is, nobody loses anything', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    const sender = await takePlace(cluster);
    await setClock(cluster, -leaseMs / 2);
    expect(await workers.workers()).toMatchObject([{ workerId: sender, isThere: true }]);
    expect(await workers.takeSenderPlace(other)).toMatchObject({ kind: 'held' });
  });
});

describePostgres('after the clock of the database was set forward by hours', () => {
  test('a place is taken once, and who had it is told so', async () => {
    await using cluster = await openPair(...range(1, 4));
    const { workers, sender, helper } = cluster;
    await claim(workers, sender, 2);
    await setClock(cluster, 3 * hourMs);
    expect(await workers.renew(helper)).toBe(true);
    const places = await Promise.all([workers.takeSenderPlace(other), workers.takeSenderPlace(one)]);
    expect(places.map(({ kind }) => kind).toSorted()).toEqual(['held', 'taken']);
    expect(await workers.renew(sender)).toBe(false);
    expect(await claim(workers, sender, 2)).toBeUndefined();
    expect(await claim(workers, helper, 9)).toMatchObject({ fromRow: 1, toRow: 2 });
  });

  test('who has renewed before anybody looked keeps everything', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    const sender = await takePlace(cluster);
    await setClock(cluster, 3 * hourMs);
    expect(await workers.renew(sender)).toBe(true);
    expect(await workers.takeSenderPlace(other)).toMatchObject({ kind: 'held', by: { workerId: sender } });
  });
});

describePostgres('a shard', () => {
  test('is of ready rows that nobody has, in their order', async () => {
    await using cluster = await openPair(...range(1, 10), ...range(21, 25));
    const { workers, sender, helper } = cluster;
    const taken = [
      await claim(workers, sender, 4),
      await claim(workers, helper, 4),
      await claim(workers, sender, 4),
      await claim(workers, helper, 4),
      await claim(workers, helper, 4),
    ];
    expect(taken.map((shard) => shard && [shard.fromRow, shard.toRow])).toEqual([
      [1, 4],
      [5, 8],
      [9, 22],
      [23, 25],
      undefined,
    ]);
    expect((await workers.shardsElsewhere(batchId, sender)).map(({ fromRow }) => fromRow)).toEqual([5, 23]);
    expect(await workers.workers()).toMatchObject([{ shards: 2 }, { shards: 2, role: 'helper', epoch: 1 }]);
  });

  test('is of rows that became ready again where nobody has them', async () => {
    await using cluster = await openPair(...range(1, 9));
    const { workers, sender, helper } = cluster;
    const first = await claim(workers, sender, 3);
    await claim(workers, helper, 3);
    await claim(workers, sender, 3);
    expect(await claim(workers, sender, 3)).toBeUndefined();
    await workers.endShard(first?.shardId ?? 0);
    expect(await claim(workers, helper, 2)).toMatchObject({ fromRow: 1, toRow: 2 });
    expect(await claim(workers, helper, 2)).toMatchObject({ fromRow: 3, toRow: 3 });
    expect(await claim(workers, helper, 2)).toBeUndefined();
  });

  test('of a worker that is gone is taken first, and its owner never comes back', async () => {
    await using cluster = await openPair(...range(1, 9));
    const { workers, sender, helper } = cluster;
    const left = await claim(workers, helper, 3);
    await cluster.sql(`update payout set status = 'paid' where row_no < 3`);
    await cluster.age(helper, leaseMs + 1);
    expect(await workers.shardsElsewhere(batchId, sender)).toEqual([]);
    const taken = await claim(workers, sender, 3);
    expect(taken).toMatchObject({ fromRow: 1, toRow: 3, isLeft: true });
    expect(taken?.shardId).not.toBe(left?.shardId);
    expect(await workers.renew(helper)).toBe(false);
    expect(await claim(workers, helper, 3)).toBeUndefined();
    expect(await claim(workers, sender, 3)).toMatchObject({ fromRow: 4, toRow: 6, isLeft: false });
  });

  test('of a sender that is gone is taken, and its place is not', async () => {
    await using cluster = await openPair(...range(1, 3));
    const { workers, sender, helper } = cluster;
    await claim(workers, sender, 3);
    await cluster.age(sender, leaseMs + 1);
    expect(await claim(workers, helper, 3)).toMatchObject({ fromRow: 1, toRow: 3 });
    expect(await workers.renew(sender)).toBe(true);
  });

  test('that was left first is told first', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    await cluster.ready(...range(1, 6));
    await cluster.sql(`insert into batch overriding user value select (jsonb_populate_record(b, '{"batch_id": "0OTHER", "sha256": "other"}')).*
      from batch b`);
    const helpers = [await workers.joinAsHelper(one), await workers.joinAsHelper(other)] as const;
    await workers.claimShard(batchId, helpers[0], { rowsMax: 3, afterRow: undefined });
    await cluster.sql(`update payout set batch_id = '0OTHER' where row_no > 3`);
    await workers.claimShard('0OTHER', helpers[1], { rowsMax: 3, afterRow: undefined });
    await cluster.age(helpers[0], leaseMs + 2_000);
    await cluster.age(helpers[1], leaseMs + 1);
    expect(await workers.abandonedBatches()).toEqual([batchId, '0OTHER']);
    await cluster.age(helpers[1], 5_000);
    expect(await workers.abandonedBatches()).toEqual(['0OTHER', batchId]);
    await cluster.sql(`update batch set status = 'halted' where batch_id = '0OTHER'`);
    expect(await workers.abandonedBatches()).toEqual([batchId]);
  });

  test('that a worker has left with nothing ready is taken by nobody', async () => {
    await using cluster = await openPair(...range(1, 3));
    const { workers, sender, helper } = cluster;
    await claim(workers, helper, 3);
    await cluster.sql(`update payout set status = 'submitted'`);
    await workers.endWorker(helper);
    expect(await claim(workers, sender, 3)).toBeUndefined();
    expect(await cluster.sql('select 1 from shard where ended_at_ms is null')).toEqual([]);
  });

  test('with nothing ready ends with the place of the helper that is gone, or not at all', async () => {
    await using cluster = await openPair(...range(1, 3));
    const { workers, sender, helper } = cluster;
    await claim(workers, helper, 3);
    // Its request is under way; its lease is over for a moment.
    await cluster.sql(`update payout set status = 'submitted'`);
    await cluster.age(helper, leaseMs + 1);
    expect(await claim(workers, sender, 3)).toBeUndefined();
    const hasShard = (await workers.shardsElsewhere(batchId, sender)).length > 0;
    expect({ hasShard, isRenewed: await workers.renew(helper) }).toEqual({
      hasShard: false,
      isRenewed: false,
    });
  });

  test('stays with a worker that renews its lease just as another asks', async () => {
    await using cluster = await openCluster();
    const { engine, workers } = cluster;
    await cluster.ready(...range(1, 9));
    const [sender, helper] = [await takePlace(cluster), await workers.joinAsHelper(other)];
    await claim(workers, helper, 3);
    await cluster.age(helper, leaseMs + 1);
    // Right after it was found to be over.
    const renewed = function* <Result>(body: Body<Result>): Body<Result> {
      let step = body.next();
      const seen: unknown = yield step.value as Together;
      const lease = sql`extract(epoch from clock_timestamp()) * 1000 + 10000`;
      yield* change(
        textStatement(sql`update worker set lease_until_ms = ${lease} where worker_id = ${helper}`),
      );
      for (step = body.next(seen); step.done !== true;) step = body.next(yield step.value);
      return step.value;
    };
    const racing = makeWorkerStore({
      ...engine,
      write: (makeBody) => engine.write(() => renewed(makeBody())),
    });
    const asked = { rowsMax: 3, afterRow: 0 };
    expect(await racing.claimShard(batchId, sender, asked)).toMatchObject({ fromRow: 4, toRow: 6 });
    expect(await workers.renew(helper)).toBe(true);
  });

  test('is given once more to a worker that has not heard of it', async () => {
    await using cluster = await openPair(...range(1, 9));
    const { workers, sender, helper } = cluster;
    const [first, others] = [await claim(workers, helper, 3), await claim(workers, sender, 3)];
    const asked = { rowsMax: 2, afterRow: undefined };
    const unheard = await workers.claimShard(batchId, helper, { ...asked, held: [] });
    expect(first).toMatchObject({ ...unheard });
    const held = [first?.shardId ?? 0];
    expect(await workers.claimShard(batchId, helper, { ...asked, held })).toMatchObject({ fromRow: 7 });
    const ofSender = await workers.claimShard(batchId, sender, { ...asked, held: [others?.shardId ?? 0] });
    expect(ofSender).toMatchObject({ fromRow: 9 });
  });

  test('is settled by others once its worker cannot be renewed any more, and not before', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    await cluster.ready(...range(1, 9));
    const [sender, late] = [await takePlace(cluster), await workers.joinAsHelper(other)];
    const helper = await workers.joinAsHelper(other);
    await claim(workers, late, 3);
    await claim(workers, helper, 3);
    await cluster.age(late, leaseMs - 1_000);
    const rows = async (): Promise<number[]> =>
      (await workers.shardsThatMaySend(batchId, sender)).map(({ fromRow }) => fromRow);
    expect(await rows()).toEqual([1, 4]);
    expect(await workers.renew(late)).toBe(true);
    await cluster.age(late, leaseMs + 1);
    expect(await rows()).toEqual([4]);
    expect(await workers.renew(late)).toBe(false);
    expect(await workers.renew(helper)).toBe(true);
    expect(await rows()).toEqual([4]);
  });

  test('is given to nobody whose own lease is over', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1);
    const helper = await cluster.workers.joinAsHelper(other);
    await cluster.age(helper, leaseMs + 1);
    expect(await claim(cluster.workers, helper, 3)).toBeUndefined();
  });

  test('shares no ready row with another of those that many take at once', async () => {
    await using cluster = await openCluster();
    const { workers } = cluster;
    await cluster.ready(...range(1, 200).filter((rowNo) => rowNo % 7 !== 0));
    const helpers = await Promise.all(range(1, 4).map(() => workers.joinAsHelper(other)));
    const taken = await Promise.all(range(0, 59).map((turn) => claim(workers, helpers[turn % 4] ?? 0, 5)));
    const covered = taken.flatMap((shard) => (shard === undefined ? [] : range(shard.fromRow, shard.toRow)));
    expect(new Set(covered).size).toBe(covered.length);
    for (const rowNo of range(1, 200).filter((number) => number % 7 !== 0)) expect(covered).toContain(rowNo);
  });
});
