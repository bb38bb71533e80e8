/** What is kept of who has worked the journal: what is asked for again, and a day of the rest. */
import { expect, test } from 'vitest';
import { batchId, type Cluster, openCluster } from '../../support/cluster.ts';
import { describePostgres } from '../../support/postgres.ts';

const name = { machine: 'pay-1', pid: 11, command: 'watch' };
const [twoDays, twoMonths] = [2 * 86_400_000, 60 * 86_400_000];

/** A helper that has paid two rows, one of them at last, and has ended. */
async function makeEnded({ workers, sql, ready }: Cluster, agoMs: number): Promise<number> {
  const workerId = await workers.joinAsHelper(name);
  await ready(1, 2);
  const shard = await workers.claimShard(batchId, workerId, { rowsMax: 2, afterRow: 0 });
  await workers.endShard(shard?.shardId ?? 0);
  await workers.endWorker(workerId);
  await sql(`update worker set ended_at_ms = ended_at_ms - ${agoMs} where worker_id = ${workerId}`);
  await sql(`update shard set ended_at_ms = ended_at_ms - ${agoMs} where worker_id = ${workerId}`);
  return workerId;
}

const listIds = async ({ sql }: Cluster, table: 'worker' | 'shard') =>
  (await sql(`select worker_id from ${table} order by 1`)).map(({ worker_id: id }) => Number(id));

const finish = (cluster: Cluster) => cluster.sql(`update batch set status = 'done'`);

describePostgres('of those that have worked the journal', () => {
  test('a day is kept, of shards of batches that are done', async () => {
    await using cluster = await openCluster();
    const old = await makeEnded(cluster, twoDays);
    const recent = await makeEnded(cluster, 0);
    const afterThat = await cluster.workers.joinAsHelper(name);
    expect([await listIds(cluster, 'worker'), await listIds(cluster, 'shard')]).toEqual([
      [old, recent, afterThat],
      [old, recent],
    ]);
    await finish(cluster);
    const last = await cluster.workers.joinAsHelper(name);
    expect([await listIds(cluster, 'worker'), await listIds(cluster, 'shard')]).toEqual([
      [recent, afterThat, last],
      [recent],
    ]);
  });

  test('a shard that was left open goes with its worker, and stays while that one is there', async () => {
    await using cluster = await openCluster();
    const [gone, there] = [
      await cluster.workers.joinAsHelper(name),
      await cluster.workers.joinAsHelper(name),
    ];
    await cluster.ready(1, 2, 3, 4);
    for (const workerId of [gone, there])
      await cluster.workers.claimShard(batchId, workerId, { rowsMax: 2, afterRow: 0 });
    await cluster.sql(`update shard set taken_at_ms = taken_at_ms - ${twoDays}`);
    await cluster.age(gone, twoDays);
    await finish(cluster);
    const last = await cluster.workers.joinAsHelper(name);
    expect(await listIds(cluster, 'shard')).toEqual([there]);
    expect(await listIds(cluster, 'worker')).toEqual([there, last]);
    expect(await cluster.workers.renew(gone)).toBe(false);
  });

  test('whoever has sent lately is kept, and what was sent', async () => {
    await using cluster = await openCluster();
    const workerId = await makeEnded(cluster, twoDays);
    await finish(cluster);
    await cluster.sql(`insert into latest_send values
      (1, 1, ${workerId}, (extract(epoch from now()) * 1000)::bigint - 61000),
      (2, 1, ${workerId}, (extract(epoch from now()) * 1000)::bigint - 121000)`);
    await cluster.workers.joinAsHelper(name);
    expect(await cluster.sql('select payout_seq from latest_send')).toEqual([{ payout_seq: '1' }]);
    expect(await listIds(cluster, 'worker')).toContain(workerId);
  });

  test('the latest sender is kept, and senders are counted on from it', async () => {
    await using cluster = await openCluster();
    for (const epoch of [1, 2, 3]) {
      const place = await cluster.workers.takeSenderPlace(name);
      if (place.kind === 'held') throw new Error('nobody else is there');
      expect(await cluster.workers.workers()).toMatchObject([{ workerId: place.workerId, epoch }]);
      await cluster.workers.endWorker(place.workerId);
      await cluster.sql(`update worker set ended_at_ms = ended_at_ms - ${twoDays}`);
    }
    expect(await listIds(cluster, 'worker')).toHaveLength(2);
  });

  test('a batch that begins lets go what has gathered since the process began', async () => {
    await using cluster = await openCluster();
    const old = await makeEnded(cluster, twoDays);
    await finish(cluster);
    const working = await cluster.workers.joinAsHelper(name);
    await cluster.sql(`insert into worker (worker_id, machine, pid, command, role, epoch, since_ms, lease_until_ms)
      values (99, 'pay-9', 9, 'watch', 'helper', 0, 0, 0)`);
    await cluster.workers.claimShard(batchId, working, { rowsMax: 2, afterRow: undefined });
    expect(await listIds(cluster, 'worker')).toEqual([working]);
    expect(old).toBeLessThan(working);
  });

  test('the mark of a process that has not written for long goes', async () => {
    await using cluster = await openCluster();
    const long = `(extract(epoch from now()) * 1000)::bigint - ${twoMonths}`;
    await cluster.sql(
      `insert into write_mark values ('old', 1, ${long}), ('recent', 1, ${long} + ${twoMonths})`,
    );
    await cluster.workers.joinAsHelper(name);
    const kept = (await cluster.sql('select writer from write_mark')).map(({ writer }) => writer);
    expect(kept).toContain('recent');
    expect(kept).not.toContain('old');
  });

  test('the claim of a file goes a day after the file has ended, unless that is still looked at', async () => {
    await using cluster = await openCluster();
    const files = [
      ['ended', `'archived'`, twoDays],
      ['just', `'archived'`, 0],
      ['watched', `'archived'`, twoDays],
      ['open', 'null', twoDays],
    ] as const;
    for (const [item, outcome, agoMs] of files) {
      await cluster.sql(`insert into file_claim values ('${item}', 'a.csv', 'F', 1, 'pay-1', 1)`);
      await cluster.sql(`insert into intake_item (item_id, batch_id, file_name, dropped_at_ms, started_at_ms, owns_batch,
        outcome, ended_at_ms) values ('${item}', '${item}', 'a.csv', 1, 1, 0, ${outcome},
        (extract(epoch from now()) * 1000)::bigint - ${agoMs})`);
    }
    await cluster.sql(`insert into taken_file (item_id, batch_id, file_name, path, inode, bytes, sha256, is_watched)
      values ('watched', 'watched', 'a.csv', '/a.csv', '1', 1, '0', 1)`);
    await cluster.workers.joinAsHelper(name);
    const kept = await cluster.sql('select item_id from file_claim order by item_id');
    expect(kept.map(({ item_id: item }) => item)).toEqual(['just', 'open', 'watched']);
  });
});
