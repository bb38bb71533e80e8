/** What a watcher asks about all batches: right, and cheap however many are done. */
import { verbatim } from '../../../src/core/message.ts';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { move } from '../../../src/core/change.ts';
import { drive } from '../../../src/store/statements.ts';
import type { Store } from '../../../src/store/store.ts';
import * as batches from '../../../src/store/watch/batch-queue.ts';
import {
  applied,
  bringTo,
  endOf,
  firstBatchId,
  firstReady,
  ingest,
  ingestDone,
  ingestRunning,
  intentOf,
  makeBadRow,
  makeRows,
  noonMs,
  secondBatchId,
  start,
  why,
} from '../../support/journal-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { findContradictions } from '../../support/store-consistency.ts';
import { noticeOf, tamper } from '../../support/store-fixtures.ts';

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

/** Records a report of all that has happened. */
async function report(store: Store, number: number, batchId = firstBatchId): Promise<void> {
  await using snapshot = await store.snapshot();
  const { eventSeq } = snapshot;
  const path = `/out/${number}.csv`;
  const file = { path, temporaryPath: `${path}.tmp`, sha256: '0'.repeat(64), atMs: noonMs - number };
  const kind = number === 0 ? 'result' : 'result-update';
  await store.recordReports([{ batchId, kind, number, eventSeq, ...file }]);
}

describe('open batches', () => {
  test('are counted: those with something to send or to wait for', async () => {
    await using opened = await makeSqliteStore();
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
    await store.rejectBatch('REJECTED', 'x', verbatim('y'), noonMs);
    expect(await store.countOpenBatches()).toBe(statuses.length);
    const runnable = await store.runnableBatches();
    expect(runnable.map(({ batch }) => batch.batchId)).toEqual(['PAUSED', 'RUNNING', 'SEALED']);
  });

  test('are also done ones of which a row is tried again, each once', async () => {
    await using opened = await makeSqliteStore();
    const { store } = opened;
    await ingestRunning(store, makeRows(2));
    await ingestDone(store, 'DONE', 11);
    await ingestRunning(store, makeRows(1, 21), { batchId: secondBatchId });
    const beside = await opened.openAnother();
    await retry(beside, secondBatchId);
    const statuses = (await store.runnableBatches()).map(({ batch }) => batch.status);
    expect(statuses).toEqual(['running', 'done']);
    expect(await store.countOpenBatches()).toBe(2);
    await store.moveBatch(secondBatchId, 'running', null, noonMs);
    await bringTo(store, 'cancelled', secondBatchId);
    await store.moveBatch(secondBatchId, 'done', null, noonMs);
    expect(await store.countOpenBatches()).toBe(1);
  });

  test('that can be run are those with something to send, to let go on or to bring to rest', async () => {
    await using opened = await makeSqliteStore();
    const { store, path } = opened;
    const bring = async (batchId: string, from: number, then: (id: string) => Promise<unknown>) => {
      await ingestRunning(store, makeRows(1, from), { batchId });
      await then(batchId);
    };
    const hold = (kind: 'paused' | 'unavailable') => (batchId: string) =>
      store.holdReady(batchId, kind, why, noonMs);
    const pause = (batchId: string) => store.moveBatch(batchId, 'paused', null, noonMs);
    await ingest(store, makeRows(1), { batchId: 'SEALED' });
    await bring('RUNNING', 2, (id) => submitAt(store, id, noonMs));
    await bring('RESTED', 3, (id) => submitAt(store, id, noonMs));
    await bring('SETTLED', 4, (id) => bringTo(store, 'paid', id));
    // One row is in doubt, and the other waits for an account that was resumed.
    await ingestRunning(store, makeRows(2, 10), { batchId: 'RESUMED' });
    await submitAt(store, 'RESUMED', noonMs);
    await store.holdReady('RESUMED', 'halted', why, noonMs);
    for (const batchId of ['RESTED', 'SETTLED', 'RESUMED']) await report(store, 0, batchId);
    await bring('PAUSED', 5, async (id) => [await hold('paused')(id), await pause(id)]);
    await bring('HELD', 6, async (id) => [await hold('unavailable')(id), await pause(id)]);
    await bring('LET GO', 7, pause);
    await bring('HALTED', 8, (id) => store.moveBatch(id, 'halted', null, noonMs));
    await bring('AGAIN', 9, (id) => retry(store, id));
    await start(store, { batchId: 'INGESTING' });
    const runnable = await store.runnableBatches();
    expect(Object.fromEntries(runnable.map(({ batch, hasReady }) => [batch.batchId, hasReady]))).toEqual({
      SEALED: true,
      RUNNING: false,
      SETTLED: false,
      PAUSED: false,
      'LET GO': true,
      AGAIN: true,
      RESUMED: false,
    });
    expect(runnable).toHaveLength(7);
    const all = await store.batches();
    for (const { batch } of runnable) expect(all).toContainEqual(batch);
    const notOpen = ['INGESTING'];
    expect(await store.countOpenBatches()).toBe(all.length - notOpen.length);
    expect(findContradictions(path)).toEqual([]);
  });

  test('are found among 10,000 that are done', async () => {
    await using opened = await makeSqliteStore();
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
    expect(await store.countOpenBatches()).toBe(1);
    const runnable = await store.runnableBatches();
    expect(runnable.map(({ batch }) => batch.batchId)).toEqual([firstBatchId]);
    expect(await store.unreportedBatches()).toHaveLength(10_001);
  });

  test('and what is in doubt are looked up in an index', async () => {
    await using opened = await makeSqliteStore();
    using db = new DatabaseSync(opened.path);
    const statements: string[] = [];
    const prepare = (sql: string) => {
      statements.push(sql);
      return db.prepare(sql);
    };
    const spy = { prepare } as DatabaseSync;
    drive(spy, batches.oldestInDoubt.all({}));
    drive(spy, batches.batchesInDoubt.all({ beforeMs: 1 }));
    const plans = statements.map((sql) => db.prepare(`explain query plan ${sql.replaceAll('?', '1')}`).all());
    const steps = plans.map((plan) =>
      plan.map((step) => String(step['detail'])).filter((step) => /SCAN|SEARCH/v.test(step)),
    );
    expect(steps).toEqual([
      ['SEARCH payout USING INDEX payout_in_doubt'],
      ['SCAN payout USING INDEX payout_in_doubt'],
    ]);
    statements.length = 0;
    drive(spy, batches.runnableBatches.all({}));
    drive(spy, batches.countOpenBatches.all({}));
    drive(spy, batches.unreported.all({}));
    const readings = statements.flatMap((sql) =>
      db
        .prepare(`explain query plan ${sql.replaceAll('?', '1')}`)
        .all()
        .map((step) => String(step['detail']))
        .filter((step) => /^SCAN (?!with_ready)|^SEARCH payout/v.test(step)),
    );
    expect([...new Set(readings)]).toEqual([
      'SCAN batch USING INDEX batch_open',
      'SEARCH payout USING INDEX payout_of_account (batch_id=?)',
      'SEARCH payout USING COVERING INDEX payout_ready',
      'SEARCH payout USING COVERING INDEX payout_ready (batch_id>?)',
      'SCAN batch USING INDEX batch_unreported',
    ]);
  });
});

describe('rows over all batches', () => {
  test('are counted by status', async () => {
    await using opened = await makeSqliteStore();
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
    await using opened = await makeSqliteStore();
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
  test('is told, until it is reported, and again after its next rest, however the clock goes', async () => {
    await using opened = await makeSqliteStore();
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

describe('a batch of whose report nobody was told', () => {
  const tell = (store: Store, batchId: string, key: string) =>
    store.addNotice(noticeOf(key, { batchId }), ['webhook']);

  test('is found in a journal without notices when it was reported since a moment', async () => {
    await using opened = await makeSqliteStore();
    const { store } = opened;
    await ingestDone(store, 'OLD');
    await report(store, 9, 'OLD');
    await ingestDone(store, 'LATE', 11);
    await report(store, 0, 'LATE');
    expect(await store.untoldBatches(noonMs)).toEqual(['LATE']);
    expect(await store.untoldBatches(noonMs - 9)).toEqual(['LATE', 'OLD']);
  });

  test('is found, once notices are kept at all, until one tells of it', async () => {
    await using opened = await makeSqliteStore();
    const { store } = opened;
    const ids = ['OLD', 'TOLD', 'LATE', 'RUNNING'];
    for (const [place, batchId] of ids.entries()) {
      await ingestRunning(store, makeRows(1, place * 10 + 1), { batchId });
      await bringTo(store, 'paid', batchId);
      if (batchId !== 'RUNNING') await store.moveBatch(batchId, 'done', null, noonMs);
      await report(store, 0, batchId);
    }
    expect(await store.untoldBatches(noonMs + 1)).toEqual([]);
    await store.addNotice(noticeOf('doubt', { batchId: 'TOLD', kind: 'in-doubt' }), ['webhook']);
    expect(await store.untoldBatches(noonMs + 1)).toEqual([]);
    await tell(store, 'TOLD', 'one');
    expect(await store.untoldBatches(noonMs + 1)).toEqual(['LATE']);
    await tell(store, 'LATE', 'two');
    expect(await store.untoldBatches(noonMs + 1)).toEqual([]);
    await ingestDone(store, 'NEXT', 91);
    await report(store, 0, 'NEXT');
    await report(store, 1, 'LATE');
    expect((await store.untoldBatches(noonMs + 1)).toSorted()).toEqual(['LATE', 'NEXT']);
    await tell(store, 'LATE', 'two');
    expect(await store.untoldBatches(noonMs + 1)).toEqual(['NEXT']);
  });
});
