/** What a watcher asks about all batches: right, and cheap however many are done. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { move } from '../../src/core/change.ts';
import type { Store } from '../../src/core/store-port.ts';
import * as batches from '../../src/journal/open-batches.ts';
import {
  applied,
  bringTo,
  endOf,
  firstBatchId,
  firstReady,
  ingest,
  ingestRunning,
  intentOf,
  makeBadRow,
  makeRows,
  noonMs,
  secondBatchId,
  start,
} from './fixtures.ts';
import { ingestDone, makeWatchStore, tamper } from './store-fixtures.ts';

const openIds = async (store: Store) => (await store.openBatches()).map(({ batchId }) => batchId);

/** Submits the first ready row of a batch at a moment. */
async function submitAt(store: Store, batchId: string, nowMs: number) {
  const payout = await firstReady(store, batchId);
  const { change, attempt } = intentOf(payout);
  const submitted = await applied(store, {
    ...change,
    after: { ...change.after, submittedAtMs: nowMs },
  });
  return { payout: submitted, attempt };
}

/** Has a failed row tried again, as `paydrop retry` does. */
const retry = async (store: Store, batchId: string): Promise<unknown> => {
  const payout = await bringTo(store, 'failed', batchId);
  await store.moveBatch(batchId, 'done', null, noonMs);
  const patch = { status: 'ready', settledAtMs: null, settledBy: null } as const;
  return applied(store, move({ payout, patch, cause: 'tried-again', nowMs: noonMs }));
};

describe('open batches', () => {
  test('are those with something to send or to wait for, the oldest drop first', async () => {
    await using opened = await makeWatchStore();
    const { store } = opened;
    const statuses = ['SEALED', 'RUNNING', 'PAUSED', 'HALTED'];
    for (const [place, batchId] of statuses.entries()) {
      const batch = place === 0 ? ingest : ingestRunning;
      await batch(store, makeRows(1, 1 + place), { batchId });
      await store.renewAge(batchId, noonMs + 100 - place);
    }
    await store.moveBatch('PAUSED', 'paused', null, noonMs);
    await store.moveBatch('HALTED', 'halted', null, noonMs);
    await ingestDone(store, 'DONE', 11);
    await start(store, { batchId: 'INGESTING' });
    await store.stage('INGESTING', makeRows(2, 20));
    await start(store, { batchId: 'REJECTED' });
    await store.rejectBatch('REJECTED', 'x', 'y', noonMs);
    expect(await openIds(store)).toEqual(statuses.toReversed());
    expect(await store.openBatches()).toEqual(
      (await store.batches()).filter(({ batchId }) => statuses.includes(batchId)),
    );
  });

  test('are also done ones of which a row is tried again, each once', async () => {
    await using opened = await makeWatchStore();
    const { store } = opened;
    await ingestRunning(store, makeRows(2));
    await ingestDone(store, 'DONE', 11);
    await ingestRunning(store, makeRows(1, 21), { batchId: secondBatchId });
    const beside = await opened.openAnother();
    await retry(beside, secondBatchId);
    expect(await openIds(store)).toEqual([firstBatchId, secondBatchId]);
    expect(await store.openBatches()).toMatchObject([{ status: 'running' }, { status: 'done' }]);
    await store.moveBatch(secondBatchId, 'running', null, noonMs);
    await bringTo(store, 'cancelled', secondBatchId);
    await store.moveBatch(secondBatchId, 'done', null, noonMs);
    expect(await openIds(store)).toEqual([firstBatchId]);
  });

  test('are found among 10,000 that are done', async () => {
    await using opened = await makeWatchStore();
    const { store, path } = opened;
    await ingestRunning(store, makeRows(3));
    await ingestDone(store, 'DONE', 11);
    const columns = 'sha256, file_name, company_id, payer_account, status, rows, total_satang';
    const others = 'unreadable_amounts, extra_columns, started_at_ms, age_from_ms, sealed_at_ms';
    tamper(
      path,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
       insert into batch (batch_id, ${columns}, ${others})
       select 'OLD' || i, ${columns}, ${others} from n join batch on batch_id = 'DONE'`,
    );
    expect(await openIds(store)).toEqual([firstBatchId]);
    expect(await store.unreportedBatches()).toHaveLength(10_001);
  });

  test('and what is in doubt are looked up in an index', async () => {
    await using opened = await makeWatchStore();
    using db = new DatabaseSync(opened.path);
    const statements: string[] = [];
    const prepare = (sql: string) => {
      statements.push(sql);
      return db.prepare(sql);
    };
    const spy = { prepare } as DatabaseSync;
    batches.prepareOpenBatches(spy).all({});
    batches.prepareOldestInDoubt(spy).all({});
    batches.prepareBatchesInDoubt(spy).all({ beforeMs: 1 });
    const plans = statements.map((sql) => db.prepare(`explain query plan ${sql.replaceAll('?', '1')}`).all());
    const steps = plans.map((plan) =>
      plan.map((step) => String(step['detail'])).filter((step) => /SCAN|SEARCH/v.test(step)),
    );
    expect(steps).toEqual([
      [
        expect.stringContaining('batch USING INDEX batch_open'),
        'SEARCH payout USING COVERING INDEX payout_ready',
        'SCAN with_ready',
        'SEARCH payout USING COVERING INDEX payout_ready (batch_id>?)',
        'SCAN with_ready',
        'SEARCH batch USING INDEX sqlite_autoindex_batch_1 (batch_id=?)',
      ],
      ['SEARCH payout USING INDEX payout_in_doubt'],
      ['SCAN payout USING INDEX payout_in_doubt'],
    ]);
  });
});

describe('rows over all batches', () => {
  test('are counted by status', async () => {
    await using opened = await makeWatchStore();
    const { store } = opened;
    expect(await store.countByStatus()).toEqual(new Map());
    await ingestRunning(store, [...makeRows(3), makeBadRow(4)]);
    await ingestDone(store, secondBatchId, 11);
    await start(store, { batchId: 'INGESTING' });
    await store.stage('INGESTING', makeRows(2, 20));
    await bringTo(store, 'submitted');
    expect(Object.fromEntries(await store.countByStatus())).toEqual({
      paid: 1,
      ready: 2,
      rejected: 1,
      staged: 2,
      submitted: 1,
    });
  });

  test('that are in doubt: since when, and of which batches', async () => {
    await using opened = await makeWatchStore();
    const { store } = opened;
    expect(await store.oldestInDoubtAtMs()).toBeUndefined();
    await ingestRunning(store, makeRows(3));
    await ingestRunning(store, makeRows(2, 11), { batchId: secondBatchId });
    const oldest = await submitAt(store, secondBatchId, noonMs + 10);
    await submitAt(store, firstBatchId, noonMs + 30);
    await submitAt(store, firstBatchId, noonMs + 20);
    await applied(store, endOf(await submitAt(store, firstBatchId, noonMs), 'paid'));
    expect(await store.oldestInDoubtAtMs()).toBe(noonMs + 10);
    expect(await store.batchesInDoubtSince(noonMs + 10)).toEqual([]);
    expect(await store.batchesInDoubtSince(noonMs + 11)).toEqual([secondBatchId]);
    expect(await store.batchesInDoubtSince(noonMs + 99)).toEqual([secondBatchId, firstBatchId]);
    await applied(store, endOf(oldest, 'unresolved'));
    expect(await store.oldestInDoubtAtMs()).toBe(noonMs + 10);
  });
});

describe('a batch without a report of its rest', () => {
  const report = async (store: Store, number: number): Promise<void> => {
    await using snapshot = await store.snapshot();
    const { eventSeq } = snapshot;
    const path = `/out/${number}.csv`;
    const file = { path, temporaryPath: `${path}.tmp`, sha256: '0'.repeat(64), atMs: noonMs - number };
    const kind = number === 0 ? 'result' : 'result-update';
    await store.recordReports([{ batchId: firstBatchId, kind, number, eventSeq, ...file }]);
  };

  test('is told, until it is reported, and again after its next rest, however the clock goes', async () => {
    await using opened = await makeWatchStore();
    const { store } = opened;
    await ingestRunning(store, makeRows(2));
    expect(await store.unreportedBatches()).toEqual([]);
    await bringTo(store, 'paid');
    await store.moveBatch(firstBatchId, 'paused', null, noonMs + 1_000);
    expect(await store.unreportedBatches()).toEqual([firstBatchId]);
    await report(store, 0);
    expect(await store.unreportedBatches()).toEqual([]);
    await store.moveBatch(firstBatchId, 'running', null, noonMs - 1_000);
    await bringTo(store, 'paid');
    expect(await store.unreportedBatches()).toEqual([]);
    await store.moveBatch(firstBatchId, 'done', null, noonMs - 1_000);
    expect(await (await opened.openAnother()).unreportedBatches()).toEqual([firstBatchId]);
    await report(store, 1);
    expect(await store.unreportedBatches()).toEqual([]);
  });
});
