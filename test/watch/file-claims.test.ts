/** Files of a journal that several machines work: a file is worked by whoever has claimed it, and ends once. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileClaiming, FileClaims } from '../../src/watch/ports.ts';
import { OwnInbox } from '../../src/watch/own-inbox.ts';
import { payoutFiles } from '../../src/watch/watcher.ts';
import { csvOf } from '../support/payout-csv.ts';
import { openWatchKit, type WatchKit } from '../support/watch-kit.ts';

interface Others extends FileClaims {
  /** What they say of every file. */
  says: FileClaiming;
  isTheirs: boolean;
  readonly freed: string[];
}

function makeOthers(): Others {
  const others: Others = {
    says: 'claimed',
    isTheirs: false,
    freed: [],
    claim: async () => others.says,
    isElsewhere: async () => others.isTheirs,
    freeBatch: async (batchId) => void others.freed.push(batchId),
  };
  return others;
}

async function openKit() {
  const kit = await openWatchKit();
  const others = makeOthers();
  kit.claims = others;
  return Object.assign(kit, { others });
}

const hasTold = (kit: WatchKit, file: string) => (): boolean =>
  kit.told.some((line) => line.startsWith(`${file} `));

async function pass(kit: WatchKit, ms: number): Promise<void> {
  const untilMs = kit.clock.now() + ms;
  await kit.time.until(() => kit.clock.now() >= untilMs);
}

test('a file that another works is not read, and read when that one is gone', async () => {
  await using kit = await openKit();
  kit.others.says = 'held';
  await kit.drop('a.csv', csvOf('A', 2));
  await kit.work();
  await kit.time.until(() => kit.logged.some((line) => line.includes('a file was taken')));
  await pass(kit, 20_000);
  expect([await kit.store.batches(), kit.told]).toEqual([[], []]);
  kit.others.says = 'claimed';
  await kit.time.until(hasTold(kit, 'a.csv'));
  expect([kit.sent.length, await kit.names('archive')]).toEqual([2, ['a.csv']]);
});

test('a file that another works by now is left as it is by one that wakes up late', async () => {
  await using kit = await openKit();
  await kit.drop('a.csv', csvOf('A', 2));
  const life = await kit.begin();
  // Frozen while it reports, and taken for gone.
  kit.before = { recordReports: () => void (kit.others.says = 'held') };
  life.work();
  await kit.time.until(() => kit.logged.some((line) => line.includes('worked by another process by now')));
  expect([await kit.names('work'), await kit.names('archive'), await kit.names('rejected')]).toEqual([
    ['a.csv'],
    [],
    [],
  ]);
  expect(life.watcher.files.inWork).toBe(0);
});

test('a file that a frozen process has moved after all is archived, not rejected', async () => {
  await using kit = await openKit();
  await kit.drop('a.csv', csvOf('A', 2));
  const life = await kit.begin();
  const [day, to] = ['2026-11-21', 'a.csv'];
  kit.before = {
    recordReports: async () => {
      const folder = join(kit.loaded.folders.archive, day);
      await mkdir(folder, { recursive: true });
      for (const path of await kit.list('work')) await rename(path, join(folder, to));
    },
  };
  life.work();
  await kit.time.until(hasTold(kit, 'a.csv'));
  expect(kit.told[0]).toMatch(/^a\.csv archived/);
  expect([await kit.names('archive'), await kit.names('rejected')]).toEqual([['a.csv'], []]);
});

test('nothing is said of a file that stands on another machine', async () => {
  await using kit = await openKit();
  const start = { itemId: '20261121T050000000-aaaaaa', batchId: 'ELSEWHERE1', fileName: 'b.csv' };
  await kit.store.startIntake({ ...start, droppedAtMs: kit.clock.now(), nowMs: kit.clock.now() });
  kit.others.isTheirs = true;
  const life = await kit.work();
  await kit.time.until(() => life.watcher.isRecovered);
  expect(await kit.store.openIntake()).toMatchObject([{ itemId: start.itemId }]);
  await life.stop();
  kit.others.isTheirs = false;
  const second = await kit.work();
  await kit.time.until(() => second.watcher.isRecovered);
  expect(await kit.store.openIntake()).toEqual([]);
});

test('a file that another process takes into a shared work/ meanwhile is not taken for one that has ended', async () => {
  await using kit = await openKit();
  kit.others.says = 'held';
  const start = { itemId: '20261121T050000000-aaaaaa', batchId: 'MEANWHILE1', fileName: 'b.csv' };
  let looks = 0;
  const takeIn = async (): Promise<void> => {
    const folder = join(kit.loaded.folders.work, start.itemId);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, start.fileName), csvOf('B', 2));
    await kit.store.startIntake({ ...start, droppedAtMs: kit.clock.now(), nowMs: kit.clock.now() });
  };
  // Between the two looks, whichever comes first.
  const lookOnce = async (): Promise<void> => {
    looks += 1;
    if (looks === 2) await takeIn();
  };
  kit.before = { recover: lookOnce, openIntake: lookOnce };
  const life = await kit.work();
  await kit.time.until(() => life.watcher.isRecovered);
  expect(await kit.store.openIntake()).toMatchObject([{ itemId: start.itemId }]);
});

test('the bytes of a file whose machine is gone are worked when they are dropped again', async () => {
  await using kit = await openKit();
  const csv = csvOf('A', 2);
  await kit.drop('a.csv', csv);
  const first = await kit.begin();
  kit.before = { seal: () => first.kill() };
  first.work();
  await kit.time.until(() => kit.logged.some((line) => line.includes('a file was taken')));
  await pass(kit, 5_000);
  const [{ itemId } = { itemId: '' }] = await kit.store.openIntake();
  // Its machine has taken it along.
  await rename(join(kit.loaded.folders.work, itemId), join(kit.root, 'gone'));
  kit.before = {};
  kit.others.isTheirs = true;
  await kit.drop('again.csv', csv);
  await kit.work();
  await kit.time.until(() => kit.others.freed.length > 1);
  expect([kit.told, new Set(kit.others.freed).size]).toEqual([[], 1]);
});

test('the inbox of a machine that helps: a file ends there once the sender has reported it', async () => {
  await using kit = await openKit();
  await kit.drop('a.csv', csvOf('A', 2));
  await kit.drop('bad.csv', 'nothing,of,a,kind\n');
  const life = await kit.begin();
  const { setup } = life;
  const helper = new OwnInbox(setup, payoutFiles(setup), {
    unreported: () => setup.store.unreportedBatches(),
    reports: (batchId) => setup.store.reports(batchId),
  });
  void helper.work();
  await kit.time.until(hasTold(kit, 'bad.csv'));
  await kit.time.until(() => kit.logged.some((line) => line.includes('a file was read')));
  await pass(kit, 10_000);
  expect([kit.sent, await kit.names('work')]).toEqual([[], ['a.csv']]);
  // Of a sender with folders of its own.
  await kit.time.drive(life.watcher.batches.step());
  await kit.time.until(() => kit.sent.length === 2);
  await kit.time.until(async () => (await kit.batchOf('a.csv')).status === 'done');
  await kit.time.drive(life.watcher.batches.step());
  await kit.time.until(hasTold(kit, 'a.csv'));
  expect([await kit.names('archive'), helper.files.inWork]).toEqual([['a.csv'], 0]);
});
