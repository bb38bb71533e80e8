/** Notices wait in the store until their channels have them; beside them the trifles of a watcher. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { inTransaction, JournalWriteError, openConnection } from '../../../src/store/connection.ts';
import { drive } from '../../../src/store/statements.ts';
import * as notices from '../../../src/store/watch/notice-queue.ts';
import { scheduleWrites } from '../../../src/store/watch/schedule.ts';
import { describeOnEngines } from '../../support/engines.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { noticeOf } from '../../support/store-fixtures.ts';

const both = ['webhook', 'command'] as const;

const probe = (db: DatabaseSync): void => inTransaction(db, () => drive(db, scheduleWrites.probe(noonMs)));

describeOnEngines('a notice', (makeStore) => {
  test('is due at once on each of its channels, whole, and the oldest first', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    const first = noticeOf('first', { atMs: noonMs + 5 });
    const second = noticeOf('second', { kind: 'file-rejected', batchId: null });
    await store.addNotice(first, both);
    await store.addNotice(second, ['webhook']);
    expect(await store.nextNoticeAtMs()).toBe(noonMs);
    const later = await opened.openAnother();
    expect(await later.dueNotices(noonMs + 5, 10)).toEqual([
      { ...first, seq: 1, channel: 'webhook', tries: 0 },
      { ...first, seq: 1, channel: 'command', tries: 0 },
      { ...second, seq: 2, channel: 'webhook', tries: 0 },
    ]);
    expect((await store.dueNotices(noonMs + 5, 2)).map(({ seq }) => seq)).toEqual([1, 1]);
    expect((await store.dueNotices(noonMs + 4, 10)).map(({ seq }) => seq)).toEqual([2]);
    expect((await store.dueNotices(noonMs + 5, 10, 'command')).map(({ seq }) => seq)).toEqual([1]);
    expect([await store.nextNoticeAtMs('command'), await store.nextNoticeAtMs('webhook')]).toEqual([
      noonMs + 5,
      noonMs,
    ]);
  });

  test('of something that was told is left alone, delivered or not', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.addNotice(noticeOf('same'), ['webhook']);
    await store.addNotice(noticeOf('same', { body: {} }), both);
    expect(await store.dueNotices(noonMs, 10)).toHaveLength(1);
    await store.recordDelivery(1, 'webhook', { kind: 'delivered', atMs: noonMs });
    await store.addNotice(noticeOf('same'), both);
    expect(await store.dueNotices(noonMs, 10)).toEqual([]);
  });

  test('that nobody is to hear of is not kept', async () => {
    await using opened = await makeStore();
    await opened.store.addNotice(noticeOf('same'), []);
    expect(await opened.store.nextNoticeAtMs()).toBeUndefined();
    await opened.store.addNotice(noticeOf('same'), ['command']);
    expect(await opened.store.nextNoticeAtMs()).toBe(noonMs);
  });

  test('that was never kept for a channel has no result', async () => {
    await using opened = await makeStore();
    await opened.store.addNotice(noticeOf('one'), ['command']);
    const result = opened.store.recordDelivery(1, 'webhook', { kind: 'delivered', atMs: noonMs });
    await expect(result).rejects.toThrow('notice 1 is not kept for webhook');
  });
});

describe('a notice in the file', () => {
  test('is tried later, until it is delivered or given up; one channel does not keep the other', async () => {
    await using opened = await makeSqliteStore();
    const { store } = opened;
    await store.addNotice(noticeOf('one'), both);
    expect(await store.countNotices()).toBe(2);
    await store.recordDelivery(1, 'webhook', { kind: 'later', nextAtMs: noonMs + 60, why: 'refused' });
    await store.recordDelivery(1, 'command', { kind: 'delivered', atMs: noonMs });
    expect(await store.countNotices()).toBe(1);
    expect(await store.dueNotices(noonMs + 59, 10)).toEqual([]);
    expect(await store.nextNoticeAtMs()).toBe(noonMs + 60);
    expect(await store.dueNotices(noonMs + 60, 10)).toMatchObject([{ channel: 'webhook', tries: 1 }]);
    await store.recordDelivery(1, 'webhook', { kind: 'given-up', why: 'too often' });
    expect(await store.countNotices()).toBe(0);
    expect(await store.nextNoticeAtMs()).toBeUndefined();
    await store.recordDelivery(1, 'webhook', { kind: 'later', nextAtMs: noonMs, why: 'too late' });
    expect(await store.nextNoticeAtMs()).toBeUndefined();
    using db = new DatabaseSync(opened.path);
    const kept = db.prepare('select channel, status, tries, why from notice_delivery').all();
    expect(kept.map((row) => Object.values(row))).toEqual([
      ['command', 'delivered', 0, null],
      ['webhook', 'given-up', 2, 'too often'],
    ]);
  });

  test('is looked up by when it is due', async () => {
    await using opened = await makeSqliteStore();
    using db = new DatabaseSync(opened.path);
    const statements: string[] = [];
    const prepare = (sql: string) => {
      statements.push(sql);
      return db.prepare(sql);
    };
    const spy = { prepare } as DatabaseSync;
    drive(spy, notices.dueNotices.all({ channel: 'webhook', nowMs: 1, limit: 1 }));
    drive(spy, notices.nextNotice.all({ channel: 'webhook' }));
    const plans = statements.map((sql) => db.prepare(`explain query plan ${sql.replaceAll('?', '1')}`).all());
    expect(plans.map((plan) => plan[0]?.['detail'])).toEqual([
      'SEARCH d USING INDEX notice_due (channel=? AND next_at_ms<?)',
      'SEARCH notice_delivery USING COVERING INDEX notice_due (channel=?)',
    ]);
  });
});

test('alarms are looked up by the few rows that bear one, never by all events', async () => {
  await using opened = await makeSqliteStore();
  using db = new DatabaseSync(opened.path);
  const statements: string[] = [];
  const prepare = (sql: string) => {
    statements.push(sql);
    return db.prepare(sql);
  };
  drive({ prepare } as DatabaseSync, notices.alarmsAfter.all({ eventSeq: 0, limit: 1 }));
  const [sql = ''] = statements;
  const plan = db.prepare(`explain query plan ${sql.replaceAll('?', '1')}`).all();
  const details = plan.map(({ detail }) => String(detail)).join('; ');
  expect(details).toMatch(/^(SCAN|SEARCH) p USING (COVERING )?INDEX payout_alarm/);
  expect(details).toContain('SEARCH e USING INDEX event_of_payout');
});

describeOnEngines('the day of a round', (makeStore) => {
  test('is kept for each round by its name', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    expect(await store.lastDailyJob('inquiry')).toBeUndefined();
    await store.recordDailyJob('inquiry', '20261121');
    await store.recordDailyJob('statement', '20261120');
    await store.recordDailyJob('inquiry', '20261122');
    const later = await opened.openAnother();
    expect([await later.lastDailyJob('inquiry'), await later.lastDailyJob('statement')]).toEqual([
      '20261122',
      '20261120',
    ]);
  });
});

/** Until there is no room left where the probe writes its own row: beside the last and shortest of these, by their keys. */
function fillPages(db: DatabaseSync): void {
  for (const length of [500, 1]) {
    const fill = db.prepare(`insert into meta values (?, '${'x'.repeat(length)}')`);
    const fillOn = () => {
      for (let row = 0; ; row += 1) fill.run(`probedAtM ${900 - length} ${String(row).padStart(9, '0')}`);
    };
    expect(fillOn).toThrow('full');
  }
}

describe('the probe', () => {
  test('writes to the file each time, also the same moment twice, and leaves the stamp as it is', async () => {
    await using opened = await makeSqliteStore();
    const { store, path } = opened;
    using db = new DatabaseSync(path);
    const dataVersion = () => db.prepare('pragma data_version').get()?.['data_version'];
    for (const nowMs of [noonMs, noonMs, noonMs + 1]) {
      const before = dataVersion();
      await store.probe(nowMs);
      expect(dataVersion()).not.toBe(before);
    }
    expect((await opened.openAnother()).journalId).toBe(store.journalId);
  });

  test('throws when the disk is full, and goes on when it is not', async () => {
    await using opened = await makeSqliteStore();
    using db = openConnection(opened.path);
    const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
    db.exec(`pragma max_page_count = ${pages}`);
    fillPages(db);
    expect(() => probe(db)).toThrow(JournalWriteError);
    expect(() => probe(db)).toThrow('free some space');
    db.exec('pragma max_page_count = 1000000');
    probe(db);
  });

  test('throws when the file may not be written', async () => {
    await using opened = await makeSqliteStore();
    using db = openConnection(opened.path);
    db.exec('pragma query_only = on');
    expect(() => probe(db)).toThrow(JournalWriteError);
  });
});
