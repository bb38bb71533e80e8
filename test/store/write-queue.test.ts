/** Who writes while another process keeps the journal locked: in order, without stopping the loop, and not for ever. */
import { verbatim } from '../../src/core/message.ts';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { inTransaction, JournalWriteError, openConnection } from '../../src/store/connection.ts';
import { makeSqliteEngine } from '../../src/store/engine.ts';
import { makeApplier } from '../../src/store/payouts/apply.ts';
import { WriteQueue } from '../../src/store/write-queue.ts';
import { ingestRunning, intentOf, makeRows, readyOf, statusesOf } from '../support/journal-fixtures.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { findContradictions } from '../support/store-consistency.ts';

/** Locks the file as another program does that writes. */
function lock({ path }: SqliteStore): DatabaseSync {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  return other;
}

/** Whether a promise is still waiting after some turns of the loop. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  return (await Promise.race([promise.catch(() => {}), Promise.resolve('nothing yet')])) === 'nothing yet';
}

describe('while another process writes', () => {
  test('the loop goes on and reads are answered; then everything is written in the order in which it was asked for', async () => {
    await using store = await makeSqliteStore();
    const { journal } = store;
    const { batchId, companyId, payerAccount } = await ingestRunning(journal, makeRows(2));
    const [one, two] = await readyOf(journal);
    using other = lock(store);
    const before = journal.apply([intentOf(one!).change]);
    expect(await isWaiting(before)).toBe(true);
    const stop = {
      companyId,
      payerAccount,
      code: 'X',
      reason: verbatim('x'),
      remedy: verbatim('y'),
      sinceMs: 1,
    };
    const stopped = journal.recordPayerHalt(stop);
    const after = journal.apply([intentOf(two!).change]);
    expect(await isWaiting(stopped)).toBe(true);
    expect(await journal.totals(batchId)).toMatchObject([{ status: 'ready', rows: 2 }]);
    other.exec('rollback');
    await stopped;
    expect(await Promise.all([before, after])).toEqual([[true], [false]]);
    expect(await statusesOf(journal)).toEqual(['submitted', 'ready']);
    expect(findContradictions(store.path)).toEqual([]);
  });

  test('an end waits too: what was asked for before it is written, what comes after it is refused', async () => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(2));
    const closing = await store.openAnother();
    const [one, two] = await readyOf(closing);
    using other = lock(store);
    const before = closing.apply([intentOf(one!).change]);
    const ends = [closing[Symbol.asyncDispose](), closing[Symbol.asyncDispose]()];
    const after = closing.apply([intentOf(two!).change]);
    expect(await isWaiting(Promise.all(ends))).toBe(true);
    other.exec('rollback');
    expect(await before).toEqual([true]);
    await expect(after).rejects.toThrow('not open');
    await Promise.all(ends);
    expect(await statusesOf(store.journal)).toEqual(['submitted', 'ready']);
  });

  test('one that waits for too long is told so, with nothing of it written; the next one has its turn', async () => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(1));
    const [ready] = await readyOf(store.journal);
    using db = openConnection(store.path);
    const queue = new WriteQueue(db, 0);
    const applier = makeApplier(makeSqliteEngine(db, store.path, queue));
    using other = lock(store);
    const refused = applier.apply([intentOf(ready!).change]);
    await expect(refused).rejects.toThrow(JournalWriteError);
    await expect(refused).rejects.toMatchObject({
      name: 'JournalWriteError',
      message:
        'the journal cannot be written: another process has kept it locked for too long: ' +
        'wait until that process has ended, then run it again',
      cause: { errcode: 5 },
    });
    await expect(queue.run(() => inTransaction(db, () => 'written'))).rejects.toThrow('for too long');
    other.exec('rollback');
    expect(await queue.run(() => inTransaction(db, () => 'written'))).toBe('written');
    expect(await applier.apply([intentOf(ready!).change])).toEqual([true]);
  });
});

describe('a write that fails', () => {
  test('is not tried again, and leaves the turn to the next', async () => {
    await using store = await makeSqliteStore();
    using db = openConnection(store.path);
    const queue = new WriteQueue(db);
    let tries = 0;
    const failing = queue.run(async () => {
      tries += 1;
      await setImmediate();
      throw new Error('broken');
    });
    const order: number[] = [];
    const others = [1, 2, 3].map((number) => queue.run(() => order.push(number)));
    await expect(failing).rejects.toThrow('broken');
    await Promise.all(others);
    expect(order).toEqual([1, 2, 3]);
    expect(tries).toBe(1);
  });

  test('a write that finds nobody before it is done at once', async () => {
    await using store = await makeSqliteStore();
    using db = openConnection(store.path);
    let isDone = false;
    const written = new WriteQueue(db).run(() => {
      isDone = true;
    });
    expect(isDone).toBe(true);
    await written;
    expect(db.prepare('pragma busy_timeout').get()).toEqual({ timeout: 30_000 });
  });
});
