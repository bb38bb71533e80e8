/** Files of the watcher that are turned away: what was said of one once is what becomes of it. */
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csvOf, rowOf } from '../support/payout-csv.ts';
import { tamper } from '../support/store-fixtures.ts';
import { openWatchKit, type WatchKit } from '../support/watch-kit.ts';

const hasEnded =
  (kit: WatchKit, ...files: readonly string[]) =>
  (): boolean =>
    files.every((file) =>
      kit.told.some((line) => new RegExp(`^${file} (archived|rejected|duplicate)`).test(line)),
    );

/** Writes one more row to the file in work/. */
async function writeLate(kit: WatchKit): Promise<void> {
  const [path] = await kit.list('work');
  if (path === undefined) throw new Error('nothing is in work/');
  await appendFile(path, `${rowOf('LATE1')}\n`);
}

const sentIds = (kit: WatchKit): readonly string[] => kit.sent.map(({ payoutId }) => payoutId).toSorted();

/** A bank that takes its time. */
const slow = (kit: WatchKit) => ({
  transfer: async () => {
    await kit.clock.sleep(3_000);
    return undefined;
  },
});

describe('a file with the bytes of one that is still being read', () => {
  test('waits for what becomes of that one, and is judged like it when that is rejected', async () => {
    await using kit = await openWatchKit();
    const bad = csvOf('A', 2).replace('payoutId', 'noId');
    let isFirst = true;
    kit.before = {
      rejectBatch: async () => {
        if (isFirst) await kit.clock.sleep(5_000);
        isFirst = false;
      },
    };
    await kit.drop('a.csv', bad);
    const life = await kit.work();
    await kit.time.until(async () => (await kit.store.openIntake()).length > 0);
    await kit.drop('b.csv', bad);
    await kit.time.until(() => life.watcher.files.inWork === 2);
    await kit.time.until(hasEnded(kit, 'a.csv', 'b.csv'));
    const [first = '', second = ''] = kit.told;
    expect(second.replace('b.csv', 'a.csv')).toBe(first);
    expect(await kit.read('rejected', 'b.csv.reason.txt')).not.toContain('same bytes');
    expect(kit.logged.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(kit.logged.filter((line) => line.includes('a file was taken'))).toHaveLength(2);
  });

  test('is turned away once its rows have been accepted', async () => {
    await using kit = await openWatchKit();
    let isFirst = true;
    kit.before = {
      seal: async () => {
        if (isFirst) await kit.clock.sleep(5_000);
        isFirst = false;
      },
    };
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(async () => (await kit.store.openIntake()).length > 0);
    await kit.drop('b.csv', csvOf('A', 2));
    await kit.time.until(hasEnded(kit, 'a.csv', 'b.csv'));
    expect(kit.told).toContain('b.csv duplicate duplicate-file');
    expect([sentIds(kit), await kit.names('archive')]).toEqual([['A1', 'A2'], ['a.csv']]);
  });
});

test('is told of with its place: where it ends, the line, the column, and the batch of a second copy', async () => {
  await using kit = await openWatchKit();
  await kit.drop('a.csv', csvOf('A', 2));
  await kit.drop('b.csv', csvOf('B', 2).replace('payoutId', 'noId'));
  await kit.work();
  await kit.time.until(hasEnded(kit, 'a.csv', 'b.csv'));
  await kit.drop('c.csv', csvOf('A', 2));
  await kit.drop('b.csv', csvOf('B', 3).replace('payoutId', 'noId'));
  await kit.time.until(hasEnded(kit, 'c.csv'));
  await kit.time.until(() => kit.told.filter((line) => line.startsWith('b.csv rejected')).length === 2);
  const due = await kit.store.dueNotices(Number.MAX_SAFE_INTEGER, 100);
  const bodies = due.filter(({ kind }) => kind === 'file-rejected').map(({ body }) => body);
  const rejected = await kit.list('rejected');
  for (const { path, reports } of bodies)
    expect(rejected).toEqual(expect.arrayContaining([path, ...(reports as readonly string[])]));
  expect(new Set(bodies.map(({ path }) => path)).size).toBe(3);
  expect(bodies.find(({ file }) => file === 'b.csv')).toMatchObject({ line: 1, column: 'payoutId' });
  const { batchId } = await kit.batchOf('a.csv');
  expect(bodies.find(({ file }) => file === 'c.csv')).toMatchObject({
    batchId,
    reasonCode: 'duplicate-file',
    commands: [expect.stringContaining(`paydrop status ${batchId}`)],
  });
});

describe('a file that is rejected and not moved yet', () => {
  /** What is left to happen once it has ended would have happened. */
  async function expectRejectedAlone(kit: WatchKit, paid: readonly string[]): Promise<void> {
    await kit.time.until(hasEnded(kit, 'a.csv'));
    await kit.time.advance(60_000);
    expect([sentIds(kit), await kit.names('archive'), await kit.names('work')]).toEqual([paid, [], []]);
    expect(await kit.names('rejected')).toEqual(['a.csv', 'a.csv.reason.txt']);
    expect((await kit.notices()).filter((one) => one.startsWith('file-rejected'))).toHaveLength(1);
  }

  test.each([
    ['', ''],
    [', also one whose reason an older version has not kept', 'update intake_item set refusal = null'],
  ])('is only moved by the next process, whatever was written late%s', async (_name, older) => {
    await using kit = await openWatchKit();
    kit.script = slow(kit);
    await kit.drop('a.csv', csvOf('A', 1));
    const life = await kit.work();
    await kit.time.until(() => kit.sent.length > 0);
    let isKilled = false;
    kit.before = {
      end: () => {
        life.kill();
        isKilled = true;
      },
    };
    await writeLate(kit);
    await kit.time.until(() => isKilled);
    kit.before = {};
    tamper(join(kit.loaded.dataDir, 'journal.db'), older);
    await kit.work();
    await expectRejectedAlone(kit, ['A1']);
    expect(kit.told).toContain('a.csv rejected changed-after-reading');
    expect(await kit.read('rejected', '.reason.txt')).toContain('1 row');
    expect(await kit.store.batches()).toHaveLength(1);
  });

  test('is only moved when its move is tried again', async () => {
    await using kit = await openWatchKit();
    kit.script = slow(kit);
    await kit.drop('a.csv', csvOf('A', 1));
    const life = await kit.work();
    await kit.time.until(() => kit.sent.length > 0);
    life.kill();
    kit.script = { inquire: (inquiry) => kit.found(inquiry, '010004') };
    await writeLate(kit);
    let tries = 0;
    kit.before = {
      end: () => {
        tries += 1;
        if (tries === 1) throw new Error('cannot move out of work/: EIO');
      },
    };
    await kit.work();
    await expectRejectedAlone(kit, ['A1']);
    expect(await kit.store.batches()).toHaveLength(1);
  });

  test('is not judged again though it was never read, and is whole by now', async () => {
    await using kit = await openWatchKit();
    let isKilled = false;
    kit.before = {
      isUntouched: () => writeLate(kit),
      end: () => {
        kit.lives.at(-1)?.kill();
        isKilled = true;
      },
    };
    await kit.drop('a.csv', csvOf('A', 1));
    await kit.work();
    await kit.time.until(() => isKilled);
    expect(await kit.notices()).toEqual(['file-rejected a.csv']);
    kit.before = {};
    await kit.work();
    await expectRejectedAlone(kit, []);
    expect(kit.told).toEqual(['a.csv rejected changed-while-read']);
  });
});

describe('a file that is gone from work/', () => {
  test('when its rows have been read names the batch that is paid', async () => {
    await using kit = await openWatchKit();
    kit.script = slow(kit);
    await kit.drop('a.csv', csvOf('A', 1));
    await kit.work();
    await kit.time.until(() => kit.sent.length > 0);
    await rm((await kit.list('work'))[0] ?? '');
    await kit.time.until(hasEnded(kit, 'a.csv'));
    expect(kit.told).toContain('a.csv rejected vanished');
    const { batchId } = await kit.batchOf('a.csv');
    const reason = await kit.read('rejected', '.reason.txt');
    expect(reason).toContain(`Batch ${batchId} is what it held: 1 row`);
    expect(reason).not.toContain('written to');
    expect(await kit.rowsOf('a.csv')).toEqual({ paid: 1 });
  });

  test('before it was read is said to be gone, and not to be unfinished', async () => {
    await using kit = await openWatchKit();
    kit.before = { isUntouched: async () => rm((await kit.list('work'))[0] ?? '', { force: true }) };
    await kit.drop('a.csv', csvOf('A', 1));
    await kit.work();
    await kit.time.until(hasEnded(kit, 'a.csv'));
    expect([kit.told, sentIds(kit)]).toEqual([['a.csv rejected vanished'], []]);
    expect(await kit.read('rejected', '.reason.txt')).toContain('nothing of it was paid');
  });
});
