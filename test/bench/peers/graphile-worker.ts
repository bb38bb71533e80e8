/**
 * A job a payout on graphile-worker, each fetched and completed by itself (`single`), or in batches (`batches`).
 * `node test/bench/peers/graphile-worker.ts TASK`
 */
import { connectionsMax, payOnce, readJobs, requireNoneLeft, runPeer, Tally } from './desk.ts';
import type { Payout, PeerTask } from './desk.ts';
import { loadPackage } from './packages.ts';

interface Runner {
  stop(): Promise<void>;
}

interface Jobs {
  migrate(): Promise<void>;
  addJobs(jobs: readonly { readonly identifier: string; readonly payload: Payout }[]): Promise<unknown>;
  release(): Promise<void>;
}

/** The part of graphile-worker that is called here. */
interface WorkerPackage {
  run(options: object): Promise<Runner>;
  makeWorkerUtils(options: object): Promise<Jobs>;
  readonly Logger: new (make: () => (level: string, message: string) => void) => object;
}

const queue = 'pay';

function openPackage({ packagesFolder, databaseUrl }: PeerTask) {
  const { Logger, ...worker } = loadPackage(packagesFolder, 'graphile-worker') as WorkerPackage;
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') console.error(message);
  });
  return { ...worker, logger, connectionString: databaseUrl };
}

/** What its own documentation says of throughput. */
const ways: Readonly<Record<string, (atOnce: number) => object>> = {
  single: () => ({}),
  batches: (atOnce) => ({ localQueue: { size: atOnce * 4 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
};

await runPeer({
  prepare: async (task) => {
    const { makeWorkerUtils, logger, connectionString } = openPackage(task);
    const utils = await makeWorkerUtils({ logger, connectionString });
    await utils.migrate();
    await utils.release();
  },
  pay: async (task, desk) => {
    const { makeWorkerUtils, run, logger, connectionString } = openPackage(task);
    const utils = await makeWorkerUtils({ logger, connectionString });
    const tally = new Tally();
    for await (const jobs of readJobs(task)) {
      tally.expect(jobs.length);
      await utils.addJobs(jobs.map((payload) => ({ identifier: queue, payload })));
    }
    const worker = {
      connectionString,
      concurrentJobs: task.atOnce,
      maxPoolSize: connectionsMax,
      ...ways[task.way]?.(task.atOnce),
    };
    const taskList = { [queue]: tally.count((payout: Payout) => payOnce(desk, payout)) };
    const runner = await run({ logger, taskList, preset: { worker }, noHandleSignals: true });
    await tally.wait();
    await runner.stop();
    await utils.release();
    await requireNoneLeft(task, 'graphile_worker.jobs');
  },
});
