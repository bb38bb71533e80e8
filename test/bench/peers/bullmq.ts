/** A job a payout on BullMQ, over Redis; the intents are in PostgreSQL. `node test/bench/peers/bullmq.ts TASK` */
import { payOnce, readJobs, runPeer, Tally } from './desk.ts';
import type { Payout } from './desk.ts';
import { loadPackage } from './packages.ts';

interface Queue {
  addBulk(jobs: readonly { readonly name: string; readonly data: Payout }[]): Promise<unknown>;
  getJobCountByTypes(...types: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

interface Worker {
  on(event: 'error', listen: (error: Error) => void): void;
  close(): Promise<void>;
}

/** The part of BullMQ that is called here. */
interface BullPackage {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (
    name: string,
    handle: (job: { readonly data: Payout }) => Promise<void>,
    options: object,
  ) => Worker;
}

const name = 'payouts';

await runPeer({
  prepare: () => Promise.resolve(),
  pay: async (task, desk) => {
    const bull = loadPackage(task.packagesFolder, 'bullmq') as BullPackage;
    const connection = { host: '127.0.0.1', port: task.redisPort };
    const queue = new bull.Queue(name, { connection });
    const tally = new Tally();
    for await (const jobs of readJobs(task)) {
      tally.expect(jobs.length);
      await queue.addBulk(jobs.map((data) => ({ name, data })));
    }
    const pay = tally.count(({ data }: { readonly data: Payout }) => payOnce(desk, data));
    const worker = new bull.Worker(name, pay, { connection, concurrency: task.atOnce });
    worker.on('error', (error) => console.error(error));
    await tally.wait();
    await worker.close();
    const left = await queue.getJobCountByTypes('wait', 'active', 'delayed', 'failed');
    await queue.close();
    if (left !== 0) throw new Error(`${left} jobs are not completed`);
  },
});
