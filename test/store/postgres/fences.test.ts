/** What a process may still write once another has taken its place among those who work the journal. */
import { expect, test } from 'vitest';
import type { Report } from '../../../src/core/ports.ts';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../../src/store/postgres/journal.ts';
import { makeWorkerStore } from '../../../src/store/postgres/workers.ts';
import { PlaceTakenError } from '../../../src/store/connection.ts';
import type { Store } from '../../../src/store/store.ts';
import { firstBatchId, ingest, makeRows, noonMs, payer, why } from '../../support/journal-fixtures.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';
import {
  calledBack,
  intentOf,
  makeRegistrationRow,
  registrationBatchId,
  takeRegistrationsIn,
} from '../../support/registration-journal.ts';

interface Process {
  readonly store: Store;
  readonly workerId: number;
  /** How often the journal has told it that its lease is over. */
  refused(): number;
}

interface Scene extends AsyncDisposable {
  /** Takes the sender's place. */
  openSender(): Promise<Process>;
  /** As if nobody had heard of it for longer than a lease. */
  freeze(process: Process): Promise<void>;
  /** One who is no worker. */
  readonly beside: Store;
}

async function openScene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await makeJournalDatabase());
  const engine = stack.use(makePostgresEngine(url));
  const workers = makeWorkerStore(engine);
  const beside = stack.use(makePostgresJournal({ engine, journalId: 'journal' }));
  const owned = stack.move();
  return {
    beside,
    openSender: async () => {
      const place = await workers.takeSenderPlace({ machine: 'pay-1', pid: 1, command: 'watch' });
      if (place.kind === 'held') throw new Error(`${place.by.workerId} has it`);
      const { workerId } = place;
      let refused = 0;
      const own = { workerId, noteRefused: () => void (refused += 1) };
      const owner = owned.use(makePostgresEngine(url));
      const store = owned.use(makePostgresJournal({ engine: owner, journalId: 'journal', own }));
      return { store, workerId, refused: () => refused };
    },
    freeze: async ({ workerId }) => {
      const aged = `update worker set lease_until_ms = lease_until_ms - ${leaseMs + 1} where worker_id = $1`;
      await engine.pool.query(aged, [workerId]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const report = (batchId: string): Report => ({
  batchId,
  kind: 'result',
  number: 0,
  path: 'outbox/result.csv',
  temporaryPath: 'outbox/.result.csv',
  sha256: '0'.repeat(64),
  eventSeq: 1,
  atMs: noonMs,
});

const pause = { ...why, ...payer, troubles: 1, isTransfer: true, sinceMs: noonMs, untilMs: noonMs + 1 };

/** What whoever works the journal writes for all of them. */
const decisions: Record<string, (store: Store) => Promise<unknown>> = {
  'moves a batch': (store) => store.moveBatch(firstBatchId, 'running', null, noonMs),
  'holds what is ready': (store) => store.holdReady(firstBatchId, 'halted', why, noonMs),
  'lifts holds': (store) => store.liftHolds(firstBatchId, ['limit'], noonMs),
  'takes a file in': (store) => ingest(store, makeRows(2), { batchId: 'BBBBBBBBBB' }),
  'records reports': (store) => store.recordReports([report(firstBatchId)]),
  'records a pause': (store) => store.recordPayerPause(pause),
  'clears a pause': (store) => store.clearPayerPause(payer.companyId, payer.payerAccount),
  'moves a batch of registrations': (store) =>
    store.moveRegistrationBatch(registrationBatchId, 'running', null, noonMs),
  'holds registrations': (store) => store.holdReadyRegistrations(registrationBatchId, 'halted', why, noonMs),
  'records reports of registrations': (store) =>
    store.registrationReports.recordReports([report(registrationBatchId)]),
};

/** What a person decides in the process that sends. */
const asked: Record<string, (store: Store) => Promise<unknown>> = {
  'moves a batch': (store) => store.moveBatch(firstBatchId, 'running', null, noonMs),
  'lifts holds': (store) => store.liftHolds(firstBatchId, ['limit'], noonMs),
  'cancels a batch': (store) => store.cancelUnsent(firstBatchId, noonMs),
  'clears a pause': (store) => store.clearPayerPause(payer.companyId, payer.payerAccount),
  'cancels registrations': (store) => store.cancelUnsentRegistrations(registrationBatchId, noonMs),
};

async function takeIn({ store }: Process): Promise<void> {
  const [first, ...others] = makeRows(2);
  if (first === undefined) throw new Error('no row');
  await ingest(store, [{ ...first, holds: ['limit'] }, ...others]);
  await takeRegistrationsIn(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
}

const taken = /another process has taken the place of this one/;

describePostgres('a process whose place another has taken', () => {
  test('decides nothing more, and its successor does', async () => {
    await using scene = await openScene();
    const zombie = await scene.openSender();
    await takeIn(zombie);
    await scene.freeze(zombie);
    const next = await scene.openSender();
    const refusals: string[] = [];
    for (const [name, decide] of Object.entries(decisions)) {
      const refusal = await decide(zombie.store).then(() => 'decided', String);
      refusals.push(`${name}: ${taken.test(refusal) && zombie.refused() === refusals.length + 1}`);
      await decide(next.store);
    }
    expect(refusals).toEqual(Object.keys(decisions).map((name) => `${name}: true`));
    await expect(zombie.store.recordReports([])).rejects.toBeInstanceOf(PlaceTakenError);
  });

  test('decides as before when nobody has', async () => {
    await using scene = await openScene();
    const slow = await scene.openSender();
    await takeIn(slow);
    await scene.freeze(slow);
    for (const decide of Object.values(decisions)) await decide(slow.store);
    expect(slow.refused()).toBe(0);
  });

  test('decides nothing after that, however the two cross', async () => {
    await using scene = await openScene();
    let sender = await scene.openSender();
    await takeIn(sender);
    await sender.store.moveBatch(firstBatchId, 'running', null, noonMs);
    for (let round = 0; round < 8; round += 1) {
      const zombie = sender;
      const move = async (to: 'paused' | 'running') => zombie.store.moveBatch(firstBatchId, to, null, noonMs);
      await scene.freeze(zombie);
      // Before the place is taken it counts, after that it does not; how many of those between do is chance.
      await move('paused');
      const next = scene.openSender();
      const crossing = Array.from({ length: 8 }, (_, place) => move(place % 2 === 0 ? 'running' : 'paused'));
      const settled = Promise.allSettled(crossing);
      sender = await next;
      expect(await sender.store.moveBatch(firstBatchId, 'halted', why, noonMs)).toBe(true);
      await expect(move('running')).rejects.toThrow(PlaceTakenError);
      await settled;
      expect((await scene.beside.batch(firstBatchId))?.status).toBe('halted');
      await sender.store.moveBatch(firstBatchId, 'running', null, noonMs);
    }
  });

  test('does for a person what is asked of it', async () => {
    await using scene = await openScene();
    const zombie = await scene.openSender();
    await takeIn(zombie);
    await scene.freeze(zombie);
    await scene.openSender();
    for (const decide of Object.values(asked)) {
      await decide({ ...zombie.store, ...zombie.store.withoutSenderFence });
      await decide(scene.beside);
    }
    expect(zombie.refused()).toBe(0);
    const { status } = (await scene.beside.batch(firstBatchId)) ?? {};
    expect(status).toBe('running');
  });

  test('stages no rows of a file that the next reads', async () => {
    await using scene = await openScene();
    const zombie = await scene.openSender();
    await scene.freeze(zombie);
    const next = await scene.openSender();
    const late = async () => zombie.store.stage(firstBatchId, makeRows(2));
    await ingest(next.store, makeRows(1));
    await expect(late()).rejects.toThrow(taken);
    expect(await next.store.totals(firstBatchId)).toMatchObject([{ status: 'ready', rows: 1 }]);
  });
});

describePostgres('an intent to register', () => {
  test('is recorded by whoever has the right to send, and by nobody else', async () => {
    await using scene = await openScene();
    const zombie = await scene.openSender();
    await takeIn(zombie);
    await zombie.store.moveRegistrationBatch(registrationBatchId, 'running', null, noonMs);
    const [first, second] = await zombie.store.readyRegistrations(registrationBatchId, 0, 2);
    if (first === undefined || second === undefined) throw new Error('too few are ready');
    expect(await zombie.store.applyRegistrations([intentOf(first)])).toEqual([true]);
    await scene.freeze(zombie);
    expect(await zombie.store.applyRegistrations([intentOf(second)])).toEqual([false]);
    expect(zombie.refused()).toBe(1);
    expect(await scene.beside.applyRegistrations([intentOf(second)])).toEqual([false]);
    const next = await scene.openSender();
    expect(await zombie.store.applyRegistrations([intentOf(second)])).toEqual([false]);
    expect(await next.store.applyRegistrations([intentOf(second)])).toEqual([true]);
    // A fact, whoever has learnt it.
    const sent = await zombie.store.registration(first.seq);
    if (sent === undefined) throw new Error('it is gone');
    expect(await zombie.store.applyRegistrations([calledBack(sent, 'registered')])).toEqual([true]);
  });
});
