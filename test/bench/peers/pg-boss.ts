/**
 * A job a payout on pg-boss, each fetched and completed by itself (`single`), or in batches (`batches`).
 * `node test/bench/peers/pg-boss.ts TASK`
 */
import { connectionsMax, payOnce, readJobs, requireNoneLeft, runPeer, Tally } from './desk.ts';
import type { Payout, PeerTask } from './desk.ts';
import { loadPackage } from './packages.ts';

interface Job {
  readonly data: Payout;
}

/** The part of pg-boss that is called here. */
interface Boss {
  start(): Promise<unknown>;
  stop(): Promise<void>;
  on(event: 'error', listen: (error: Error) => void): void;
  createQueue(name: string): Promise<void>;
  insert(name: string, jobs: readonly Job[]): Promise<unknown>;
  work(name: string, options: object, handle: (jobs: readonly Job[]) => Promise<unknown>): Promise<string>;
  supervise(name: string): Promise<void>;
}

interface BossPackage {
  readonly PgBoss: new (options: object) => Boss;
}

const queue = 'payouts';

async function openBoss({ packagesFolder, databaseUrl }: PeerTask): Promise<Boss> {
  const { PgBoss } = loadPackage(packagesFolder, 'pg-boss') as BossPackage;
  // Workers go on without a pause while the counts say that jobs are ready, which are looked at every second.
  const everySecond = {
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: 1,
  };
  const boss = new PgBoss({ connectionString: databaseUrl, max: connectionsMax, ...everySecond });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  return boss;
}

const batchSize = 8;

await runPeer({
  prepare: async (task) => {
    const boss = await openBoss(task);
    await boss.createQueue(queue);
    await boss.stop();
  },
  pay: async (task, desk) => {
    const boss = await openBoss(task);
    const tally = new Tally();
    for await (const jobs of readJobs(task)) {
      tally.expect(jobs.length);
      await boss.insert(
        queue,
        jobs.map((data) => ({ data })),
      );
    }
    const ways: Readonly<Record<string, object>> = {
      single: { batchSize: 1, localConcurrency: task.atOnce, burstWhenReadyExceeds: 1 },
      batches: { batchSize, localConcurrency: Math.ceil(task.atOnce / batchSize), burstWhenBatchFull: true },
    };
    await boss.supervise(queue);
    const pay = tally.count((payout: Payout) => payOnce(desk, payout));
    await boss.work(queue, { pollingIntervalSeconds: 0.5, ...ways[task.way] }, (jobs) =>
      Promise.all(jobs.map(({ data }) => pay(data))),
    );
    await tally.wait();
    await boss.stop();
    await requireNoneLeft(task, `pgboss.job where name = '${queue}' and state <> 'completed'`);
  },
});
