/** Notices are kept in the journal before anything else is done; one that it would not take is kept later. */
import { verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { Notifier } from '../../../src/app/notices/notifier.ts';
import type { Language } from '../../../src/core/language.ts';
import type { NoticeChannel, NoticeSender } from '../../../src/notify/rules/notice.ts';
import { UnkeptNotices } from '../../../src/notify/unkept.ts';
import type { WrittenReports } from '../../../src/reports/write-reports.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import type { Store } from '../../../src/store/store.ts';
import { summariseBatch } from '../../../src/reports/rules/summary.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makeBatch, makeTotal } from '../../support/report-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const file = (name: string) => ({
  kind: 'payout' as const,
  fileKey: name,
  fileName: name,
  path: `/drop/${name}`,
  batchId: null,
  rejection: { code: 'no-rows', message: verbatim('there is nothing in it'), line: null, column: null },
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

describe('a notice while the database of the journal is away', () => {
  /** A notifier that delivers, on a journal that answers when it is let, and a webhook that takes its time. */
  async function openAway() {
    const opened = await makeSqliteStore();
    const clock = makeVirtualClock(noonMs);
    let answer = Promise.withResolvers<void>();
    let [isAway, takesMs] = [false, 0];
    const sent: string[] = [];
    const store: Store = {
      ...opened.store,
      addNotice: async (...notice) => {
        await answer.promise;
        await opened.store.addNotice(...notice);
      },
    };
    const send: NoticeSender['send'] = async ({ body }) => {
      sent.push(String(body['file']));
      await clock.sleep(takesMs);
      return { ok: true };
    };
    const context = {
      senders: [{ channel: 'webhook', send }],
      clock,
      log: () => {},
      random: () => 0,
    } as const;
    const loaded = loadSettings({ configPath: 'config/sandbox.yaml', cwd: process.cwd(), env: {} });
    const notifier = new Notifier(loaded, { ...context, store }, new UnkeptNotices(() => isAway));
    const stop = new AbortController();
    const delivering = notifier.deliver(stop.signal);
    return {
      notifier,
      clock,
      sent,
      /** @param ms how long the webhook takes from now on */
      slow: (ms: number) => void (takesMs = ms),
      noteAway: (is: boolean) => void (isAway = is),
      comeBack: () => answer.resolve(),
      goAway: () => void (answer = Promise.withResolvers()),
      /** Notices that are kept, and those of them that are still to be delivered. */
      kept: async () => [
        (await opened.store.lastNotice('file-rejected:'))?.body['file'],
        await opened.store.countNotices(),
      ],
      async [Symbol.asyncDispose]() {
        answer.resolve();
        stop.abort();
        await clock.drive(delivering);
        await opened[Symbol.asyncDispose]();
      },
    };
  }

  test('is sent from memory within seconds, kept once the journal answers, and not sent again', async () => {
    await using one = await openAway();
    const adding = one.notifier.notifyOfFile(file('a.csv'));
    await one.clock.advance(5_000);
    expect([one.sent, await one.kept()]).toEqual([['a.csv'], [undefined, 0]]);
    await adding;
    one.comeBack();
    await one.clock.advance(600_000);
    expect([one.sent, await one.kept()]).toEqual([['a.csv'], ['a.csv', 0]]);
  });

  test('is not sent again though the journal takes it in the midst of its sending', async () => {
    await using one = await openAway();
    one.slow(9_000);
    void one.notifier.notifyOfFile(file('a.csv'));
    await one.clock.advance(5_000);
    one.comeBack();
    await one.clock.advance(600_000);
    expect([one.sent, await one.kept()]).toEqual([['a.csv'], ['a.csv', 0]]);
  });

  test('is sent at once, and the journal not asked, where that is known to be away', async () => {
    await using one = await openAway();
    one.noteAway(true);
    await one.notifier.notifyOfFile(file('a.csv'));
    await one.clock.quieten();
    expect(one.sent).toEqual(['a.csv']);
    one.comeBack();
    await one.clock.advance(600_000);
    expect(await one.kept()).toEqual([undefined, 0]);
    one.noteAway(false);
    await one.notifier.notifyOfDoubt();
    await one.clock.advance(600_000);
    expect([one.sent, await one.kept()]).toEqual([['a.csv'], ['a.csv', 0]]);
  });

  test('is sent though another before it is being kept', async () => {
    await using one = await openAway();
    void one.notifier.notifyOfFile(file('a.csv'));
    void one.notifier.notifyOfFile(file('b.csv'));
    await one.clock.advance(5_000);
    expect(one.sent.toSorted()).toEqual(['a.csv', 'b.csv']);
    one.comeBack();
    await one.clock.advance(600_000);
    one.goAway();
    void one.notifier.notifyOfFile(file('c.csv'));
    await one.clock.advance(5_000);
    expect(one.sent.toSorted()).toEqual(['a.csv', 'b.csv', 'c.csv']);
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
