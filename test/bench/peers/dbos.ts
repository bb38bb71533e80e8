/**
 * A workflow of three steps a payout on DBOS: the intent, the transfer, the outcome. `node test/bench/peers/dbos.ts TASK`
 */
import { connectionsMax, readJobs, requireNoneLeft, requirePaid, runPeer, Tally } from './desk.ts';
import type { Desk, Payout, PeerTask } from './desk.ts';
import { loadPackage } from './packages.ts';

/** The part of DBOS that is called here. */
interface Dbos {
  setConfig(config: object): void;
  migrate(systemDatabaseUrl: string): Promise<void>;
  registerWorkflow<Args extends readonly unknown[]>(
    work: (...args: Args) => Promise<void>,
    options: object,
  ): (...args: Args) => Promise<void>;
  runStep<Result>(step: () => Promise<Result>, options: { readonly name: string }): Promise<Result>;
  launch(): Promise<void>;
  registerQueue(name: string, options: object): Promise<unknown>;
  startWorkflow<Args extends readonly unknown[]>(
    work: (...args: Args) => Promise<void>,
    options: object,
  ): (...args: Args) => Promise<unknown>;
  shutdown(options: object): Promise<void>;
}

const queueName = 'payouts';

// Its system database warns of how it uses its driver.
process.noDeprecation = true;

const open = ({ packagesFolder }: PeerTask): Dbos =>
  (loadPackage(packagesFolder, '@dbos-inc/dbos-sdk') as { readonly DBOS: Dbos }).DBOS;

/**
 * A step that was cut short runs again, after one that has ended and is not run again: only who has just recorded the
 * intent may send, in the same life of the process, and once.
 */
function makeWorkflow(dbos: Dbos, { intents, send }: Desk): (payout: Payout) => Promise<void> {
  const maySend = new Set<string>();
  return async (payout) => {
    const { payoutId } = payout;
    const standing = await dbos.runStep(
      async () => {
        const recorded = await intents.record(payout);
        if (recorded.kind === 'new') maySend.add(payoutId);
        return recorded;
      },
      { name: 'intent' },
    );
    if (standing.kind === 'settled') {
      requirePaid(payout, standing);
      return;
    }
    const answer = await dbos.runStep(
      () => {
        if (standing.kind === 'in-doubt' || !maySend.delete(payoutId))
          throw new Error(`${payoutId} is in doubt: it has an intent and no outcome`);
        return send(standing.order);
      },
      { name: 'transfer' },
    );
    await dbos.runStep(() => intents.settle(payoutId, answer), { name: 'outcome' });
    requirePaid(payout, answer);
  };
}

/** The queue is looked at so often; by itself it would be once a second. */
const minPollingIntervalMs = 20;

await runPeer({
  prepare: (task) => open(task).migrate(task.databaseUrl),
  pay: async (task, desk) => {
    const dbos = open(task);
    const tally = new Tally();
    dbos.setConfig({
      name: 'payouts',
      systemDatabaseUrl: task.databaseUrl,
      systemDatabasePoolSize: connectionsMax,
      logLevel: 'error',
    });
    const workflow = dbos.registerWorkflow(tally.count(makeWorkflow(dbos, desk)), { name: 'pay' });
    await dbos.launch();
    for await (const jobs of readJobs(task)) {
      tally.expect(jobs.length);
      await Promise.all(
        jobs.map((payout) =>
          dbos.startWorkflow(workflow, { workflowID: payout.payoutId, queueName })(payout),
        ),
      );
    }
    await dbos.registerQueue(queueName, { workerConcurrency: task.atOnce, minPollingIntervalMs });
    await tally.wait();
    await dbos.shutdown({ workflowCompletionTimeoutMS: 10_000 });
    await requireNoneLeft(task, `dbos.workflow_status where status <> 'SUCCESS'`);
  },
});
