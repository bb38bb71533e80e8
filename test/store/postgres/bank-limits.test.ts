/** What several machines have heard of the bank is one limit for all of them. */
import { expect, test } from 'vitest';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { limitStaleAfterMs } from '../../../src/payout/rules/shared-limit.ts';
import { batchId, type Cluster, type Machine, openCluster } from '../../support/cluster.ts';
import { describePostgres } from '../../support/postgres.ts';

/** Helpers, each with a shard of one row. */
async function openAtWork(cluster: Cluster, count: number): Promise<Machine[]> {
  await cluster.ready(...Array.from({ length: count }, (_, place) => place + 1));
  const machines: Machine[] = [];
  for (let pid = 1; pid <= count; pid += 1) {
    const machine = cluster.open();
    const workerId = await machine.workers.joinAsHelper({ machine: `pay-${pid}`, pid, command: 'watch' });
    machine.workerId = workerId;
    await machine.workers.claimShard(batchId, workerId, { rowsMax: 1, afterRow: undefined });
    machines.push(machine);
  }
  return machines;
}

const read = ({ workers, workerId = 0 }: Machine) => workers.readLimits(workerId);
const slow = { answers: 0, trouble: 'HTTP 429', round: 0 };

describePostgres('the limit of several machines', () => {
  test('is nothing until one of them has met trouble', async () => {
    await using cluster = await openCluster();
    const machines = await openAtWork(cluster, 3);
    for (const [place, machine] of machines.entries())
      expect(await read(machine)).toEqual({ wholes: {}, atWork: { machines: 3, place } });
  });

  test('is halved for all by whoever meets trouble, and grows by the answers to all', async () => {
    await using cluster = await openCluster();
    const [first, second] = (await openAtWork(cluster, 2)) as [Machine, Machine];
    expect(await first.workers.tellLimit('transfers', slow, 8)).toMatchObject({ limit: 8, ceiling: 16 });
    expect((await read(second)).wholes).toMatchObject({
      transfers: { limit: 8, ceiling: 16, why: 'HTTP 429' },
    });
    expect((await read(second)).wholes.checks).toBeUndefined();
    await Promise.all(
      [first, second].map(({ workers }) =>
        workers.tellLimit('transfers', { answers: 4, trouble: null, round: 1 }, 8),
      ),
    );
    expect((await read(first)).wholes.transfers?.limit).toBe(9);
  });

  test('is halved once by a burst that all of them meet', async () => {
    await using cluster = await openCluster();
    const machines = await openAtWork(cluster, 3);
    const [first] = machines as [Machine];
    await Promise.all(machines.map(({ workers }) => workers.tellLimit('transfers', slow, 8)));
    expect((await read(first)).wholes.transfers).toMatchObject({ limit: 12, round: 1 });
    await first.workers.tellLimit('transfers', { ...slow, round: 1 }, 8);
    expect((await read(first)).wholes.transfers).toMatchObject({ limit: 6, round: 2 });
  });

  test('is not divided for one that died before the clock of the database was put back', async () => {
    await using cluster = await openCluster();
    const [first, second] = (await openAtWork(cluster, 2)) as [Machine, Machine];
    await cluster.age(second.workerId ?? 0, -3 * 3_600_000);
    expect((await read(first)).atWork).toEqual({ machines: 1, place: 0 });
  });

  test('is divided among those at work alone', async () => {
    await using cluster = await openCluster();
    const [first, second, third] = (await openAtWork(cluster, 3)) as [Machine, Machine, Machine];
    await cluster.age(second.workerId ?? 0, leaseMs + 1);
    expect((await read(third)).atWork).toEqual({ machines: 2, place: 1 });
    await first.workers.endWorker(first.workerId ?? 0);
    expect((await read(third)).atWork).toEqual({ machines: 1, place: 0 });
    // One that is about to begin.
    const next = cluster.open();
    next.workerId = await next.workers.joinAsHelper({ machine: 'pay-4', pid: 4, command: 'watch' });
    expect((await read(next)).atWork).toEqual({ machines: 2, place: 1 });
    expect((await read(third)).atWork).toEqual({ machines: 1, place: 0 });
  });

  test('is forgotten after a while', async () => {
    await using cluster = await openCluster();
    const [first] = (await openAtWork(cluster, 1)) as [Machine];
    await first.workers.tellLimit('transfers', slow, 8);
    await cluster.sql(`update bank_limit set heard_at_ms = heard_at_ms - ${limitStaleAfterMs}`);
    expect((await read(first)).wholes).toEqual({});
  });
});
