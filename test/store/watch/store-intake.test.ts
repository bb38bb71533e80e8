/** Which file is worked for a batch: one at a time, whatever comes, goes and crashes. */
import { verbatim } from '../../../src/core/message.ts';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchStatus } from '../../../src/core/payout.ts';
import type { Store } from '../../../src/store/store.ts';
import type { IntakeOutcome } from '../../../src/watch/ports.ts';
import {
  firstBatchId,
  ingest,
  ingestDone,
  ingestRunning,
  makeRows,
  noonMs,
  secondBatchId,
  start,
} from '../../support/journal-fixtures.ts';
import { describeOnEngines } from '../../support/engines.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { fileOf } from '../../support/store-fixtures.ts';

const owner = { kind: 'owner' };
const duplicateOf = (fileName: string, batch?: unknown) => ({
  kind: 'duplicate',
  first: { fileName, batchId: firstBatchId, batch },
});

describeOnEngines('the file that is worked for a batch', (makeStore) => {
  test('is the first to come; another with the same bytes is a duplicate that names it', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    expect(await store.startIntake(fileOf('a'))).toEqual(owner);
    expect(await store.startIntake(fileOf('b'))).toEqual(duplicateOf('a.csv'));
    await ingest(store, makeRows(1));
    expect(await store.startIntake(fileOf('c'))).toEqual(
      duplicateOf('a.csv', await store.batch(firstBatchId)),
    );
    expect(await store.startIntake(fileOf('d', secondBatchId))).toEqual(owner);
  });

  test('is the first of either kind, whatever the other is dropped as, also when a command has taken it in', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    const asRegistrations = { ...fileOf('b'), kind: 'registration' } as const;
    await store.startIntake(fileOf('a'));
    await ingest(store, makeRows(1));
    const batch = await store.batch(firstBatchId);
    const first = { fileName: 'a.csv', batchId: firstBatchId, batch, takenAs: 'payout' };
    expect(await store.startIntake(asRegistrations)).toEqual({ kind: 'duplicate', first });
    await store.endIntake('item-a', 'rejected', noonMs);
    expect(await store.startIntake({ ...asRegistrations, itemId: 'item-c' })).toMatchObject({
      kind: 'duplicate',
      first: { takenAs: 'payout' },
    });
    expect(await store.startIntake(fileOf('d'))).toEqual(owner);
  });

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['is being read', (store) => start(store)],
    ['is sealed', (store) => ingest(store, makeRows(1))],
    ['is done', (store) => ingestDone(store)],
  ])('stays it when it comes again after a crash, also when its batch %s', async (_name, work) => {
    await using opened = await makeStore();
    await opened.store.startIntake(fileOf('a'));
    await work(opened.store);
    const again = await opened.openAnother();
    expect(await again.startIntake(fileOf('a'))).toEqual(owner);
  });

  test('stays it once it is archived, again and for ever', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.startIntake(fileOf('a'));
    await store.endIntake('item-a', 'archived', noonMs);
    expect(await store.startIntake(fileOf('b'))).toEqual(duplicateOf('a.csv'));
    expect(await store.startIntake(fileOf('a'))).toEqual(owner);
    await store.endIntake('item-a', 'rejected', noonMs);
    expect(await store.intakeRecord('item-a')).toMatchObject({ outcome: 'archived' });
    expect(await store.startIntake(fileOf('c'))).toEqual(duplicateOf('a.csv'));
  });

  test.each<IntakeOutcome>(['rejected', 'duplicate'])('gives its batch back when it ends %s', async (end) => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.startIntake(fileOf('a'));
    await store.startIntake(fileOf('b'));
    await store.endIntake('item-a', end, noonMs);
    expect(await store.startIntake(fileOf('b'))).toEqual(owner);
    expect(await store.startIntake(fileOf('a'))).toEqual(duplicateOf('b.csv'));
  });

  test('changed since it was claimed: it is the other bytes’ file now, and the old ones are free', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.startIntake(fileOf('a'));
    expect(await store.startIntake(fileOf('a', secondBatchId))).toEqual(owner);
    expect(await store.intakeRecord('item-a')).toMatchObject({ batchId: secondBatchId, outcome: null });
    expect(await store.startIntake(fileOf('b'))).toEqual(owner);
    expect(await store.startIntake(fileOf('a'))).toEqual(duplicateOf('b.csv'));
    expect(await store.startIntake(fileOf('c', secondBatchId))).toEqual(owner);
  });
});

describeOnEngines('a batch without a file of the watcher’s', (makeStore) => {
  const brought: Partial<Record<BatchStatus, (store: Store) => Promise<unknown>>> = {
    ingesting: (store) => start(store),
    rejected: async (store) => {
      await start(store);
      await store.rejectBatch(firstBatchId, 'x', verbatim('y'), noonMs);
    },
    sealed: (store) => ingest(store, makeRows(1)),
    running: (store) => ingestRunning(store, makeRows(1)),
    paused: async (store) => {
      await ingestRunning(store, makeRows(1));
      await store.moveBatch(firstBatchId, 'paused', null, noonMs);
    },
    halted: async (store) => {
      await ingestRunning(store, makeRows(1));
      await store.moveBatch(firstBatchId, 'halted', null, noonMs);
    },
  };

  test.each(Object.entries(brought))('that is %s takes the file that comes', async (status, bring) => {
    await using opened = await makeStore();
    await bring(opened.store);
    expect(await opened.store.batch(firstBatchId)).toMatchObject({ status });
    expect(await opened.store.startIntake(fileOf('a'))).toEqual(owner);
  });

  test('that a run has ended names its own file', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await ingestDone(store);
    const verdict = await store.startIntake(fileOf('a'));
    expect(verdict).toEqual(duplicateOf('payouts.csv', await store.batch(firstBatchId)));
  });
});

describeOnEngines('how files end', (makeStore) => {
  test('is counted, and told of each', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    for (const letter of ['a', 'b', 'c', 'd']) await store.startIntake(fileOf(letter));
    expect(await store.countIntake()).toEqual(new Map());
    await store.endIntake('item-a', 'archived', noonMs);
    for (const item of ['item-b', 'item-c', 'item-c']) await store.endIntake(item, 'duplicate', noonMs);
    expect(Object.fromEntries(await store.countIntake())).toEqual({ archived: 1, duplicate: 2 });
    await store.startIntake(fileOf('e', secondBatchId));
    await start(store);
    expect(await store.openIntake()).toMatchObject([
      { itemId: 'item-d', batchStatus: 'ingesting' },
      { itemId: 'item-e', batchStatus: undefined },
    ]);
    const { itemId, batchId, fileName, droppedAtMs } = fileOf('d');
    expect(await store.intakeRecord('item-d')).toEqual({
      itemId,
      batchId,
      fileName,
      droppedAtMs,
      outcome: null,
      refusal: null,
    });
    expect(await store.intakeRecord('item-x')).toBeUndefined();
    await store.endIntake('item-x', 'rejected', noonMs);
    expect(await store.intakeRecord('item-x')).toBeUndefined();
  });
});

describeOnEngines('why a file is turned away', (makeStore) => {
  const refusal = {
    line: null,
    column: null,
    code: 'changed',
    message: verbatim('it was changed'),
    reason: 'Reason: changed\n',
    batchId: null,
  };
  const refused = { fileName: 'a.csv', droppedAtMs: noonMs, refusal };

  test('is kept with its end, also of a file that was never started, and the first word stands', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.startIntake(fileOf('a'));
    await store.endIntake('item-a', 'rejected', noonMs, refused);
    await store.endIntake('item-x', 'rejected', noonMs, refused);
    for (const item of ['item-a', 'item-x']) {
      const other = { ...refused, refusal: { ...refusal, code: 'other' } };
      await store.endIntake(item, 'duplicate', noonMs, other);
    }
    const again = await opened.openAnother();
    expect(await again.intakeRecord('item-a')).toMatchObject({ outcome: 'rejected', refusal });
    const { fileName, droppedAtMs } = refused;
    expect(await again.intakeRecord('item-x')).toEqual({
      itemId: 'item-x',
      batchId: '',
      fileName,
      droppedAtMs,
      outcome: 'rejected',
      refusal,
    });
    expect(await store.countIntake()).toEqual(new Map([['rejected', 2]]));
  });
});

type Step = readonly ['start', string, string] | readonly ['end', string, IntakeOutcome];

const letter = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant('start' as const), letter, fc.constantFrom(firstBatchId, secondBatchId)),
  fc.tuple(
    fc.constant('end' as const),
    letter,
    fc.constantFrom<IntakeOutcome>('archived', 'rejected', 'duplicate'),
  ),
);

test('two files are never both worked for one batch, and a batch without one takes the next', async () => {
  await using opened = await makeSqliteStore();
  const { store, path } = opened;
  using db = new DatabaseSync(path);
  const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
    db.exec('delete from intake_item');
    const owned = new Map<string, { batchId: string; isArchived: boolean }>();
    for (const [kind, name, value] of steps) {
      const itemId = `item-${name}`;
      if (kind === 'end') {
        if ((await store.intakeRecord(itemId)) === undefined) continue;
        await store.endIntake(itemId, value, noonMs);
        const own = owned.get(itemId);
        if (own === undefined || own.isArchived) continue;
        if (value === 'archived') own.isArchived = true;
        else owned.delete(itemId);
        continue;
      }
      const holder = [...owned].find(([, { batchId }]) => batchId === value);
      const verdict = await store.startIntake(fileOf(name, value));
      expect(verdict.kind).toBe(holder === undefined || holder[0] === itemId ? 'owner' : 'duplicate');
      if (owned.get(itemId)?.batchId === value) continue;
      owned.delete(itemId);
      if (verdict.kind === 'owner') owned.set(itemId, { batchId: value, isArchived: false });
    }
  });
  await fc.assert(property, { numRuns: 40 });
});
