/** The watcher of registrations, with a journal and a clock of the test's own: what a sender that died has left. */
import { verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import type { RegistrationBatch } from '../../src/registration/ports.ts';
import { cancelRegistrations } from '../../src/review/registration-target.ts';
import { DiskWatch } from '../../src/watch/context.ts';
import { RegistrationWatch, type RegistrationWatchSetup } from '../../src/watch/registrations.ts';
import { noonMs } from '../support/journal-fixtures.ts';
import {
  applyOne,
  calledBack,
  intentOf,
  makeRegistrationRow,
  registrationBatchId as batchId,
  runRegistrations as makeRunning,
} from '../support/registration-journal.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

async function makeScene(stack: AsyncDisposableStack) {
  const { store } = stack.use(await makeSqliteStore());
  const clock = makeVirtualClock(noonMs);
  const stop = new AbortController();
  const ran: RegistrationBatch[] = [];
  const reported: string[] = [];
  const setup = {
    store,
    clock,
    stop: stop.signal,
    log: () => {},
    disk: new DiskWatch(
      clock,
      () => {},
      async () => undefined,
    ),
    intake: {
      recover: async () => [],
      take: async () => [],
      waitForNews: (end: AbortSignal) => clock.sleep(3_600_000, end),
    },
    kind: { name: 'registration' },
    filesAtOnce: 1,
    run: async (batch: RegistrationBatch) => {
      ran.push(batch);
      await clock.sleep(60_000, stop.signal);
      return 'rested';
    },
    report: async () => {
      const batch = await store.registrationBatch(batchId);
      reported.push(batch?.status ?? '');
      return { summary: { batch }, filesWritten: 0 };
    },
    requireReportable: async () => {},
    finishReports: async () => {},
    findUnpublished: async () => [],
    sweep: async () => clock.sleep(3_600_000, stop.signal),
    notify: async () => {},
    reportEvent: () => {},
  };
  const watch = new RegistrationWatch(setup as unknown as RegistrationWatchSetup);
  return {
    store,
    ran,
    reported,
    /** Works for so long. */
    async work(ms: number): Promise<void> {
      const work = watch.work();
      await clock.advance(ms);
      stop.abort();
      await clock.drive(work);
    },
  };
}

test.each(['paused', 'halted'] as const)(
  'rows that were held as %s when their sender died are gone on with, and their batch is not done',
  async (hold) => {
    await using stack = new AsyncDisposableStack();
    const { store, ran, work } = await makeScene(stack);
    const [first] = await makeRunning(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
    const { now } = await applyOne(store, intentOf(first!));
    await applyOne(store, calledBack(now));
    await store.holdReadyRegistrations(
      batchId,
      hold,
      { code: '0429', reason: verbatim('too many'), remedy: verbatim('') },
      noonMs,
    );
    await work(10_000);
    expect(ran.map((batch) => batch.batchId)).toEqual([batchId]);
    expect((await store.registrationBatch(batchId))?.status).toBe('running');
  },
);

test('a batch that was cancelled is done, and reported, when the last outcome of it has come', async () => {
  await using stack = new AsyncDisposableStack();
  const { store, ran, reported, work } = await makeScene(stack);
  const [first] = await makeRunning(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  const { now } = await applyOne(store, intentOf(first!));
  await cancelRegistrations(store, (await store.registrationBatch(batchId))!, noonMs);
  expect((await store.registrationBatch(batchId))?.status).toBe('halted');
  await applyOne(store, calledBack(now));
  await work(5_000);
  expect((await store.registrationBatch(batchId))?.status).toBe('done');
  expect(reported).toContain('done');
  expect(ran).toEqual([]);
});
