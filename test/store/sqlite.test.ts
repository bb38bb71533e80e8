/** What only a store on SQLite can show: its guards against other programs, other connections and a full disk. */
import { verbatim } from '../../src/core/message.ts';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { JournalWriteError, openConnection } from '../../src/store/connection.ts';
import { makeSqliteEngine } from '../../src/store/engine.ts';
import { makeApplier } from '../../src/store/payouts/apply.ts';
import * as queries from '../../src/store/payouts/payout-queries.ts';
import { drive, query, type Reading } from '../../src/store/statements.ts';
import { WriteQueue } from '../../src/store/write-queue.ts';
import {
  endOf,
  holdOf,
  ingestRunning,
  intentOf,
  makeRows,
  readyOf,
  statusesOf,
  submit,
} from '../support/journal-fixtures.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { findContradictions } from '../support/store-consistency.ts';

describe('history is append-only, whoever writes', () => {
  test.each([
    ['an event is never changed', `update event set cause = 'x'`],
    ['an event is never removed', 'delete from event'],
    ['an attempt is never removed', 'delete from attempt'],
    ['a claim is never removed', 'delete from claim'],
    ['a row as its file has it is never changed', `update payout_row set proxy_no = 'x'`],
    ['what an attempt sends is never changed', `update attempt set amount_text = '1.00'`],
    ['what an attempt sends is never changed', `update attempt set trans_ref_no = 'x'`],
    ['a payout that was sealed is never removed', 'delete from payout'],
    ['UNIQUE', 'insert into claim select * from claim'],
  ])('%s', async (message, statement) => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(2));
    const [ready] = await readyOf(store.journal);
    await submit(store.journal, ready!);
    using db = new DatabaseSync(store.path);
    expect(() => db.exec(statement)).toThrow(message);
  });
});

describe('two connections', () => {
  test('race for the same rows, and each row is changed by one of them', async () => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(200));
    const other = await store.openAnother();
    const payouts = await readyOf(store.journal);
    const races = payouts.map((payout, place) => {
      const intent = () => store.journal.apply([intentOf(payout).change]);
      const hold = () => other.apply([holdOf(payout, 'name')]);
      return Promise.all(place % 2 === 0 ? [intent(), hold()] : [hold(), intent()]);
    });
    const winners = (await Promise.all(races)).map((results) => results.flat().filter(Boolean).length);
    expect(winners).toEqual(payouts.map(() => 1));
    expect(findContradictions(store.path)).toEqual([]);
  });

  test('a stop that another connection records is seen by the very next intent', async () => {
    await using store = await makeSqliteStore();
    const batch = await ingestRunning(store.journal, makeRows(1));
    const other = await store.openAnother();
    const [ready] = await readyOf(store.journal);
    const { companyId, payerAccount } = batch;
    await other.recordPayerHalt({
      companyId,
      payerAccount,
      code: 'X',
      reason: verbatim('x'),
      remedy: verbatim('y'),
      sinceMs: 1,
    });
    expect(await store.journal.apply([intentOf(ready!).change])).toEqual([false]);
  });
});

describe('a full disk', () => {
  test('rejects every caller of that commit with the cause; nothing of it is kept, and later calls succeed', async () => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(400));
    const payouts = await readyOf(store.journal);
    using db = openConnection(store.path);
    const applier = makeApplier(makeSqliteEngine(db, store.path, new WriteQueue(db)));
    const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
    db.exec(`pragma max_page_count = ${pages}`);
    const results = await Promise.allSettled(
      payouts.map((payout) => applier.apply([intentOf(payout).change])),
    );
    const reasons = results.map((result) =>
      result.status === 'rejected' ? (result.reason as Error) : undefined,
    );
    expect(reasons.every((reason) => reason instanceof JournalWriteError)).toBe(true);
    expect(reasons[0]?.message).toContain('free some space');
    expect(reasons[0]?.cause).toMatchObject({ errcode: 13 });
    expect(new Set(await statusesOf(store.journal))).toEqual(new Set(['ready']));
    db.exec('pragma max_page_count = 1000000');
    expect(await applier.apply(payouts.map((payout) => intentOf(payout).change))).toEqual(
      payouts.map(() => true),
    );
    expect(findContradictions(store.path)).toEqual([]);
  });
});

test('what another process settles while it is read is not in doubt, and no error', async () => {
  await using store = await makeSqliteStore();
  await ingestRunning(store.journal, makeRows(1));
  const submitted = await submit(store.journal, (await readyOf(store.journal))[0]!);
  using db = openConnection(store.path);
  const reading = queries.payoutReads.dueInquiries(Number.MAX_SAFE_INTEGER, 10, undefined);
  const first = reading.next();
  if (first.done === true) throw new Error('it has read nothing');
  const records = drive(
    db,
    (function* (): Reading<unknown> {
      return yield first.value;
    })(),
  );
  await store.journal.apply([endOf(submitted, 'paid')]);
  const rest = (function* (): Reading<unknown> {
    let step = reading.next(records);
    while (step.done !== true) step = reading.next(yield step.value);
    return step.value;
  })();
  expect(drive(db, rest)).toEqual([]);
});

describe('an end', () => {
  test('commits what is waiting', async () => {
    await using store = await makeSqliteStore();
    await ingestRunning(store.journal, makeRows(1));
    const other = await store.openAnother();
    const submitted = await submit(other, (await readyOf(other))[0]!);
    const waiting = other.apply([endOf(submitted, 'paid')]);
    await other[Symbol.asyncDispose]();
    expect(await waiting).toEqual([true]);
    await expect(other.apply([endOf(submitted, 'paid')])).rejects.toThrow('not open');
    await other[Symbol.asyncDispose]();
  });
});

describe('statements', () => {
  test('every query that is asked again and again is an index lookup', async () => {
    await using store = await makeSqliteStore();
    using db = openConnection(store.path);
    const statements: string[] = [];
    const prepare = (sql: string) => {
      statements.push(sql);
      return db.prepare(sql);
    };
    const spy = { prepare } as DatabaseSync;
    const page = { batchId: null, limit: 1 };
    drive(spy, queries.readyPage.all({ batchId: 'x', afterRowNo: 0, limit: 1 }));
    drive(spy, queries.dueInquiries.all({ ...page, nowMs: 1 }));
    drive(spy, queries.nextInquiry.all({ batchId: null }));
    drive(spy, queries.inDoubt.all({ ...page, afterSeq: 0 }));
    drive(spy, queries.countInDoubt.all({ status: null }));
    const plans = statements.map((sql) => db.prepare(`explain query plan ${sql.replaceAll('?', '1')}`).all());
    const steps = plans.map((plan) => plan.map((step) => String(step['detail'])));
    expect(
      steps.map((plan) => plan.find((step) => step.includes('payout_') || step.includes('attempt_'))),
    ).toEqual([
      expect.stringContaining('payout_ready (batch_id=? AND row_no>?)'),
      expect.stringContaining('attempt_to_inquire (next_inquiry_at_ms>? AND next_inquiry_at_ms<?)'),
      expect.stringContaining('attempt_to_inquire (next_inquiry_at_ms>?)'),
      expect.stringContaining('payout_in_doubt (seq>?)'),
      expect.stringContaining('SCAN p USING INDEX payout_in_doubt'),
    ]);
    expect(steps.flat().filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });

  test('attempts that a later one has followed are found by the few claims that were tried again', async () => {
    await using store = await makeSqliteStore();
    using db = new DatabaseSync(store.path);
    let statement = '';
    const prepare = (sql: string) => {
      statement = sql;
      return db.prepare(sql);
    };
    const none = { payoutSeq: 0, attemptNo: 0, sinceMs: 0, limit: 1 };
    drive({ prepare } as DatabaseSync, queries.superseded.all(none));
    const plan = db.prepare(`explain query plan ${statement.replaceAll('?', '1')}`).all();
    const steps = plan.map((step) => String(step['detail']));
    expect(steps[0]).toBe('SCAN c USING INDEX claim_tried_again');
    expect(steps.filter((step) => step.startsWith('SCAN'))).toHaveLength(1);
  });

  test('Kysely itself executes nothing', async () => {
    await expect(query.selectFrom('batch').selectAll().execute()).rejects.toThrow('run by statements.ts');
  });

  test('every commit is synced', async () => {
    await using store = await makeSqliteStore();
    using db = openConnection(store.path);
    expect(db.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.prepare('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 });
  });
});
