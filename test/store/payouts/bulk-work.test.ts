/** Work on a batch of many rows is done by a thread: it comes to the same, and the rest of the process goes on. */
import { verbatim } from '../../../src/core/message.ts';
import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import { JournalWriteError } from '../../../src/store/connection.ts';
import { makeSqliteBulk } from '../../../src/store/payouts/bulk-work.ts';
import { WriteQueue } from '../../../src/store/write-queue.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import { makeSqliteStore, openWithThread, type SqliteStore } from '../../support/sqlite-store.ts';
import { findContradictions } from '../../support/store-consistency.ts';
import { tamper } from '../../support/store-fixtures.ts';

const { firstBatchId, ingest, makeBadRow, makeRow, makeRows, noonMs, resultRows, secondBatchId } = fixtures;
const { ingestRunning, start, totalsOf, why } = fixtures;

const clashing: readonly StagedRow[] = [
  makeRow(1, { payoutId: 'inv-1' }),
  makeRow(2, { payoutId: 'INV-2' }),
  makeBadRow(3),
  makeRow(4, { holds: ['limit'] }),
  makeRow(5, { payoutId: '00INV-1' }),
  makeRow(6, { payoutId: '0inv-6' }),
  makeRow(7, { payoutId: 'INV-6' }),
  makeRow(8, { payoutId: 'INV-9' }),
];

async function work(store: SqliteStore, threadRowsMin: number): Promise<unknown> {
  await ingest(store.journal, makeRows(2));
  await using journal = openWithThread(store.path, threadRowsMin);
  const sealed = await ingest(journal, clashing, { batchId: secondBatchId, conflictingRowNos: [8] });
  const rows = await resultRows(journal, secondBatchId);
  const cancelled = await journal.cancelUnsent(secondBatchId, noonMs + 4);
  return { sealed, rows, cancelled, rowsAfter: await resultRows(journal, secondBatchId) };
}

/** Counts the threads that are started from now on. */
function countThreads(): { readonly started: () => number } & Disposable {
  let started = 0;
  const count = (): void => void (started += 1);
  process.on('worker', count);
  return { started: () => started, [Symbol.dispose]: () => void process.off('worker', count) };
}

describe('a thread', () => {
  test('does what is done without one', async () => {
    await using store = await makeSqliteStore();
    await using other = await makeSqliteStore();
    using threads = countThreads();
    const done = await work(store, 8);
    expect(threads.started()).toBe(2);
    expect(done).toEqual(await work(other, 9));
    expect(threads.started()).toBe(2);
    expect(done).toMatchObject({ cancelled: 5 });
    expect(findContradictions(store.path)).toEqual([]);
  });

  test('is not started to hold or to lift holds where there is no row to move', async () => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(3));
    await using journal = openWithThread(store.path, 1);
    using threads = countThreads();
    expect(await journal.liftHolds(firstBatchId, ['paused'], noonMs)).toBe(0);
    expect(threads.started()).toBe(0);
    await journal.holdReady(firstBatchId, 'paused', why, noonMs);
    expect(await journal.holdReady(firstBatchId, 'paused', why, noonMs)).toBe(0);
    expect(threads.started()).toBe(1);
    expect(await journal.liftHolds(firstBatchId, ['paused'], noonMs)).toBe(3);
    expect(threads.started()).toBe(2);
  });

  test('lets readers see what is committed, and writers wait their turn', async () => {
    await using store = await makeSqliteStore();
    await using journal = openWithThread(store.path, 1);
    const rows = makeRows(3);
    await start(journal);
    await journal.stage(firstBatchId, rows);
    using other = new DatabaseSync(store.path);
    // The thread cannot begin before this ends, so what is seen here is seen while it is at work.
    other.exec('begin immediate');
    const sealed = journal.seal(firstBatchId, totalsOf(rows), noonMs);
    const moved = journal.moveBatch(firstBatchId, 'running', null, noonMs);
    expect(await journal.batch(firstBatchId)).toMatchObject({ status: 'ingesting' });
    expect(await journal.readyPage(firstBatchId, 0, 9)).toEqual([]);
    other.exec('rollback');
    expect(await sealed).toMatchObject({ status: 'sealed', rows: 3 });
    expect(await moved).toBe(true);
    expect(await journal.readyPage(firstBatchId, 0, 9)).toHaveLength(3);
  });

  test('is started by the sender of a big batch, and by no command beside it', async () => {
    await using opened = await makeSqliteStore();
    await ingest(opened.store, makeRows(3));
    tamper(opened.path, 'update payout set row_no = 50000 where row_no = 3');
    const beside = await opened.openAnother();
    using threads = countThreads();
    expect(await beside.holdReady(firstBatchId, 'paused', fixtures.why, noonMs)).toBe(3);
    expect(threads.started()).toBe(0);
    expect(await opened.store.cancelUnsent(firstBatchId, noonMs)).toBe(3);
    expect(threads.started()).toBe(1);
  });

  test('hands on why it failed, and nothing of its work is there', async () => {
    await using store = await makeSqliteStore();
    await using journal = openWithThread(store.path, 1);
    await start(journal);
    await journal.stage(firstBatchId, makeRows(3));
    await expect(journal.seal(firstBatchId, totalsOf(makeRows(2)), noonMs)).rejects.toThrow(
      `batch ${firstBatchId}: 3 rows, 300.06 baht and 0 unreadable amounts were staged, 2 rows,`,
    );
    expect(await journal.totals(firstBatchId)).toMatchObject([{ status: 'staged', rows: 3 }]);
    await store.journal.rejectBatch(firstBatchId, 'x', verbatim('y'), noonMs);
    expect(findContradictions(store.path)).toEqual([]);
  });

  test('says of a broken file what is wrong with it', async () => {
    await using store = await makeSqliteStore();
    await ingest(store.journal, makeRows(1));
    using db = new DatabaseSync(store.path);
    db.exec('pragma wal_checkpoint(truncate)');
    const broken = join(store.dataDir, 'broken.db');
    copyFileSync(store.path, broken);
    const file = openSync(broken, 'r+');
    writeSync(file, Buffer.alloc(50), 0, 50, 100);
    closeSync(file);
    const { bulk } = makeSqliteBulk(db, broken, new WriteQueue(db), 1);
    const cancelled = bulk(firstBatchId, 'cancelUnsent', firstBatchId, noonMs);
    await expect(cancelled).rejects.toThrow(JournalWriteError);
    await expect(cancelled).rejects.toThrow('with "paydrop restore FILE --since YYYY-MM-DD"');
  });
});
