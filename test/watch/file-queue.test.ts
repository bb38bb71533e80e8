/** Files of the watcher: each is read once, and ends in the archive or among the rejected, whenever its process dies. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { csvOf, rowOf } from '../support/payout-csv.ts';
import { type Before, openWatchKit, type WatchKit } from '../support/watch-kit.ts';

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

describe('a file that is rejected', () => {
  test('stands beside its reason, is told of, and keeps no other waiting', async () => {
    await using kit = await openWatchKit();
    await kit.drop('bad.csv', 'nothing,of,a,kind\n1,2,3,4\n');
    await kit.drop('good.csv', csvOf('G', 1));
    const life = await kit.work();
    await kit.time.until(hasEnded(kit, 'bad.csv', 'good.csv'));
    const code = kit.told.find((line) => line.startsWith('bad.csv rejected '))?.split(' ')[2] ?? '';
    expect(await kit.names('rejected')).toEqual(['bad.csv', 'bad.csv.reason.txt']);
    expect(await kit.read('rejected', '.reason.txt')).toContain(`Reason:   ${code}`);
    expect((await kit.notices()).toSorted()).toEqual(['batch-done good.csv', 'file-rejected bad.csv']);
    expect(Object.fromEntries(await kit.store.countIntake())).toEqual({ archived: 1, rejected: 1 });
    expect(life.watcher.files.inWork).toBe(0);
  });

  test('may be dropped again: the same bytes are judged anew, and are no duplicate', async () => {
    await using kit = await openWatchKit();
    const bad = csvOf('A', 2).replace('payoutId', 'noId');
    await kit.drop('a.csv', bad);
    await kit.work();
    await kit.time.until(hasEnded(kit, 'a.csv'));
    await kit.drop('b.csv', bad);
    await kit.time.until(hasEnded(kit, 'b.csv'));
    const [first = '', second = ''] = kit.told;
    expect(second.replace('b.csv', 'a.csv')).toBe(first);
    expect(kit.sent).toEqual([]);
  });
});

describe('a flood of junk', () => {
  test('keeps a good file waiting for a few of its files only, and no look at the inbox for the others', async () => {
    await using kit = await openWatchKit();
    const junk = Array.from({ length: 120 }, (_, number) => `junk-${number}.csv`);
    for (const name of junk.slice(0, 60)) await kit.drop(name, `${name}\n`);
    await kit.drop('payouts-20261121.csv', csvOf('G', 1));
    for (const name of junk.slice(60)) await kit.drop(name, `${name}\n`);
    let inWorkMax = 0;
    const life = await kit.begin();
    const note = (): void => {
      inWorkMax = Math.max(inWorkMax, life.watcher.files.inWork);
    };
    kit.before = { startIntake: note };
    life.work();
    await kit.time.until(hasEnded(kit, 'payouts-20261121.csv'));
    const before = kit.told.findIndex((line) => line.startsWith('payouts-20261121.csv archived'));
    const sinceMs = kit.clock.now();
    await kit.time.until(hasEnded(kit, ...junk));
    expect([before < 40, inWorkMax <= 32, kit.clock.now() - sinceMs < 10_000]).toEqual([true, true, true]);
  });
});

describe('a file with the bytes of another', () => {
  test('is turned away while that is being worked, and when it has been', async () => {
    await using kit = await openWatchKit();
    kit.script = {
      transfer: async () => {
        await kit.clock.sleep(5_000);
        return undefined;
      },
    };
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(() => kit.sent.length > 0);
    await kit.drop('b.csv', csvOf('A', 2));
    await kit.time.until(hasEnded(kit, 'b.csv'));
    expect(kit.told).toEqual(['b.csv duplicate duplicate-file']);
    expect(await kit.read('rejected', 'b.csv.reason.txt')).toMatch(
      /"?a\.csv"?, which is being worked as batch/,
    );
    await kit.time.until(hasEnded(kit, 'a.csv'));
    await kit.drop('c.csv', csvOf('A', 2));
    await kit.time.until(hasEnded(kit, 'c.csv'));
    const { batchId } = await kit.batchOf('a.csv');
    expect(await kit.read('rejected', 'c.csv.reason.txt')).toContain(`which was worked as batch ${batchId}`);
    expect([sentIds(kit), await kit.names('archive')]).toEqual([['A1', 'A2'], ['a.csv']]);
    expect(await kit.store.countIntake()).toEqual(
      new Map([
        ['archived', 1],
        ['duplicate', 2],
      ]),
    );
  });
});

describe('a file that is written to', () => {
  test('while it is read is rejected, and nothing of it is paid', async () => {
    await using kit = await openWatchKit();
    let isWritten = false;
    kit.before = {
      stage: async () => {
        if (!isWritten) await writeLate(kit);
        isWritten = true;
      },
    };
    await kit.drop('a.csv', csvOf('A', 3));
    await kit.work();
    await kit.time.until(hasEnded(kit, 'a.csv'));
    expect(kit.told[0]).toMatch(/^a\.csv rejected /);
    expect([sentIds(kit), await kit.names('archive')]).toEqual([[], []]);
  });

  test('between its taking and its reading is rejected as unfinished', async () => {
    await using kit = await openWatchKit();
    kit.before = { isUntouched: () => writeLate(kit) };
    await kit.drop('a.csv', csvOf('A', 3));
    await kit.work();
    await kit.time.until(hasEnded(kit, 'a.csv'));
    expect([kit.told, sentIds(kit)]).toEqual([['a.csv rejected changed-while-read'], []]);
  });

  const empty = async (kit: WatchKit): Promise<void> => writeFile((await kit.list('work'))[0] ?? '', '');

  test.each([
    ['another row, while the process lives on', 'alive', writeLate],
    ['another row, its process killed', 'between', writeLate],
    ['nothing any more, its process killed', 'between', empty],
    ['another row, while the next process looks at it', 'next', writeLate],
  ] as const)('when its rows have been read names the batch that is paid: %s', async (_name, when, write) => {
    await using kit = await openWatchKit();
    kit.script = {
      transfer: async () => {
        await kit.clock.sleep(500);
        return undefined;
      },
      inquire: (inquiry) => kit.found(inquiry, '010004'),
    };
    await kit.drop('a.csv', csvOf('A', 6));
    const life = await kit.work();
    await kit.time.until(() => kit.sent.length > 0);
    const { batchId } = await kit.batchOf('a.csv');
    if (when !== 'alive') life.kill();
    if (when === 'next') kit.before = { isUntouched: () => write(kit) };
    else await write(kit);
    if (when !== 'alive') await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv done'));
    await kit.time.until(hasEnded(kit, 'a.csv'));
    expect(kit.told.toSorted()).toEqual(['a.csv done', 'a.csv rejected changed-after-reading']);
    expect(await kit.read('rejected', '.reason.txt')).toContain(
      `Batch ${batchId} is what it held before: 6 rows`,
    );
    expect((await kit.store.batches()).map((one) => one.batchId)).toEqual([batchId]);
    expect(await kit.rowsOf('a.csv')).toEqual({ paid: 6 });
    expect([await kit.names('archive'), await kit.reportsOf('a.csv')]).toEqual([
      [],
      ['exceptions 0', 'result 0', 'summary 0'],
    ]);
  });
});

describe('a process that is killed', () => {
  const steps = ['startIntake', 'stage', 'seal', 'recordReports', 'addNotice', 'end', 'endIntake'] as const;

  test.each(steps)('before %s: the next one ends the file, once, and keeps its notice', async (step) => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    const life = await kit.work();
    let isKilled = false;
    kit.before = {
      [step]: () => {
        if (!isKilled) life.kill();
        isKilled = true;
      },
    } satisfies Before;
    await kit.time.until(() => isKilled);
    if (step === 'end' || step === 'endIntake') expect(await kit.notices()).toEqual(['batch-done a.csv']);
    await kit.work();
    await kit.time.until(async () => (await kit.store.countIntake()).get('archived') === 1, 30_000);
    expect([await kit.names('archive'), await kit.names('work')]).toEqual([['a.csv'], []]);
    expect([await kit.notices(), sentIds(kit)]).toEqual([['batch-done a.csv'], ['A1', 'A2']]);
    expect(await kit.reportsOf('a.csv')).toEqual(['exceptions 0', 'result 0', 'summary 0']);
  });

  test('while it rejects a file: the notice is kept before the file has ended', async () => {
    await using kit = await openWatchKit();
    await kit.drop('bad.csv', 'nothing,of,a,kind\n1,2,3,4\n');
    const life = await kit.work();
    let isKilled = false;
    kit.before = {
      end: () => {
        life.kill();
        isKilled = true;
      },
    };
    await kit.time.until(() => isKilled);
    expect([await kit.notices(), await kit.names('work')]).toEqual([['file-rejected bad.csv'], ['bad.csv']]);
    kit.before = {};
    await kit.work();
    await kit.time.until(hasEnded(kit, 'bad.csv'));
    expect([await kit.notices(), await kit.names('rejected')]).toEqual([
      ['file-rejected bad.csv'],
      ['bad.csv', 'bad.csv.reason.txt'],
    ]);
  });
});

describe('a disk that refuses writes', () => {
  test('keeps files in the inbox until it is well', async () => {
    await using kit = await openWatchKit();
    kit.diskWhy = 'work cannot be written: the disk is full';
    const life = await kit.work();
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.time.advance(20_000);
    expect([await kit.names('inbox'), life.watcher.files.inWork, kit.told]).toEqual([['a.csv'], 0, []]);
    kit.diskWhy = undefined;
    await kit.time.until(hasEnded(kit, 'a.csv'), 10_000);
    expect([sentIds(kit), await kit.names('archive')]).toEqual([['A1', 'A2'], ['a.csv']]);
    expect(kit.logged.filter((line) => /the disk|take writes again/.test(line))).toHaveLength(2);
  });

  test('once keeps a file waiting that was being read, whatever the clock says, and no other', async () => {
    await using kit = await openWatchKit();
    let failures = 0;
    kit.before = {
      startIntake: (...[start]: never[]) => {
        if ((start as unknown as { fileName: string }).fileName !== 'a.csv' || failures === 4) return;
        failures += 1;
        throw new Error('the disk is full');
      },
    };
    await kit.drop('a.csv', csvOf('A', 2));
    const life = await kit.work();
    await kit.time.until(() => failures > 0);
    await kit.drop('b.csv', csvOf('B', 2));
    await kit.time.until(hasEnded(kit, 'b.csv'), 10_000);
    await kit.time.until(() => failures === 4);
    expect(life.watcher.files.inWork).toBe(1);
    kit.time.jump(-2 * 3_600_000);
    await kit.time.until(hasEnded(kit, 'a.csv'), 70_000);
    expect(sentIds(kit)).toEqual(['A1', 'A2', 'B1', 'B2']);
    expect(await readFile((await kit.list('archive'))[0] ?? '', 'utf8')).toBe(csvOf('A', 2));
  });

  test('does not forget a file whose reading has failed, though none can be taken in meanwhile', async () => {
    await using kit = await openWatchKit();
    let readings = 0;
    let takes = 0;
    kit.before = {
      startIntake: () => {
        readings += 1;
        if (readings === 1) throw new Error('the disk is full');
      },
      take: () => {
        takes += 1;
        if (takes > 1 && takes < 6) throw new Error('cannot move files to work: the disk is full');
      },
    };
    await kit.drop('a.csv', csvOf('A', 1));
    const life = await kit.work();
    await kit.time.until(hasEnded(kit, 'a.csv'), 120_000);
    await kit.time.until(() => takes > 5, 120_000);
    expect([sentIds(kit), life.watcher.files.inWork]).toEqual([['A1'], 0]);
  });
});
