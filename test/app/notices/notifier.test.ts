/** Notices are kept in the journal before anything else is done; one that it would not take is kept later. */
import { describe, expect, test } from 'vitest';
import { Notifier } from '../../../src/app/notices/notifier.ts';
import type { Language } from '../../../src/core/language.ts';
import type { NoticeChannel } from '../../../src/notify/rules/notice.ts';
import type { WrittenReports } from '../../../src/reports/write-reports.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import type { Store } from '../../../src/store/store.ts';
import { summariseBatch } from '../../../src/reports/rules/summary.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makeBatch, makeTotal } from '../../support/report-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const file = (name: string) => ({
  fileKey: name,
  fileName: name,
  batchId: null,
  rejection: { code: 'no-rows', message: 'there is nothing in it', line: null, column: null },
  remedy: null,
  reports: [],
});

/** A notifier on a journal that refuses so many notices. */
async function openNotifierOn(
  refusals: number,
  channels: readonly NoticeChannel[] = ['webhook', 'command'],
  language: Language = 'en',
) {
  const opened = await makeSqliteStore();
  const logged: string[] = [];
  let left = refusals;
  const store: Store = {
    ...opened.store,
    addNotice: async (...notice) => {
      left -= 1;
      if (left >= 0) throw new Error('the disk is full');
      await opened.store.addNotice(...notice);
    },
  };
  const loaded = loadSettings({ configPath: 'config/sandbox.yaml', cwd: process.cwd(), env: {} });
  const settings = { ...loaded.settings, notices: { ...loaded.settings.notices, language } };
  const notifier = new Notifier(
    { ...loaded, settings },
    {
      store,
      senders: channels.map((channel) => ({ channel, send: async () => ({ ok: true }) })),
      clock: makeVirtualClock(noonMs),
      log: (level, message) => void logged.push(`${level} ${message}`),
      random: () => 0,
    },
  );
  const kept = async (): Promise<readonly string[]> =>
    (await opened.store.dueNotices(noonMs, 100)).map(
      ({ channel, body }) => `${channel} ${String(body['file'])}`,
    );
  const keptKinds = async (): Promise<readonly string[]> =>
    (await opened.store.dueNotices(noonMs, 100)).map(({ kind }) => kind);
  return { notifier, kept, keptKinds, logged, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

describe('a notice that the journal would not take', () => {
  test('is kept with the next look, in its order and once', async () => {
    await using one = await openNotifierOn(2);
    await one.notifier.notifyOfFile(file('a.csv'));
    await one.notifier.notifyOfFile(file('b.csv'));
    expect(await one.kept()).toEqual([]);
    await one.notifier.notifyOfDoubt();
    await one.notifier.notifyOfDoubt();
    const names = ['command a.csv', 'command b.csv', 'webhook a.csv', 'webhook b.csv'];
    expect((await one.kept()).toSorted()).toEqual(names);
    expect(one.logged).toEqual(
      Array.from({ length: 2 }, () => 'error notices could not be kept yet: they are sent all the same'),
    );
  });

  test('is kept with the next notice', async () => {
    await using one = await openNotifierOn(1, ['command']);
    for (const name of ['a.csv', 'b.csv', 'c.csv']) await one.notifier.notifyOfFile(file(name));
    expect(await one.kept()).toEqual(['command a.csv', 'command b.csv', 'command c.csv']);
  });

  test('is forgotten where nobody is told anything', async () => {
    await using one = await openNotifierOn(1, []);
    await one.notifier.notifyOfFile(file('a.csv'));
    await one.notifier.notifyOfDoubt();
    expect([await one.kept(), one.logged]).toEqual([[], []]);
  });
});

test('notices.language says in which language', async () => {
  for (const [language, beginning] of [
    ['en', /^there is nothing in it$/],
    ['th', /^ไม่รับไฟล์นี้เข้าระบบทั้งไฟล์ .*: there is nothing in it$/],
  ] as const) {
    await using one = await openNotifierOn(0, ['command'], language);
    await one.notifier.notifyOfFile(file('a.csv'));
    expect((await one.notifier.lastNotice('file-rejected:'))?.body['reason']).toMatch(beginning);
  }
});

describe('a file of a run', () => {
  const { rejection } = file('a.csv');

  test('that is rejected is told of by its name', async () => {
    await using one = await openNotifierOn(0, ['command']);
    await one.notifier.notifyOfOutcome('/drop/a.csv', { kind: 'rejected', rejection });
    expect(await one.kept()).toEqual(['command a.csv']);
  });

  test('whose notice cannot be made ends as it would have', async () => {
    await using one = await openNotifierOn(0);
    const reports = {} as WrittenReports;
    await one.notifier.notifyOfOutcome('a.csv', {
      kind: 'rested',
      reports,
      isRepeat: false,
      pace: undefined,
    });
    expect([await one.kept(), one.logged]).toEqual([[], ['error a notice could not be made']]);
  });

  test('that has paid nobody, being known, is not told of again', async () => {
    await using one = await openNotifierOn(0);
    const reports = {} as WrittenReports;
    await one.notifier.notifyOfOutcome('a.csv', { kind: 'rested', reports, isRepeat: true, pace: undefined });
    expect([await one.kept(), one.logged]).toEqual([[], []]);
  });
});

test('a batch that does not add up is told of as such, and one that does is not', async () => {
  const batch = makeBatch({ status: 'done', rows: 3 });
  for (const [rows, kinds] of [
    [2, ['batch-done', 'sums']],
    [3, ['batch-done']],
  ] as const) {
    await using one = await openNotifierOn(0, ['command']);
    const totals = [makeTotal('paid', rows, batch.totalSatang)];
    const summary = summariseBatch(batch, totals, [], { exceptionsOk: false });
    const reports = { summary, files: [] } as Partial<WrittenReports> as WrittenReports;
    await one.notifier.notifyOfEvent({ kind: 'batch-settled', reports });
    expect(await one.keptKinds()).toEqual(kinds);
  }
});
