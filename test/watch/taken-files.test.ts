/** A writer that goes on after its file was taken: nothing that he adds is lost in silence, wherever the file stands. */
import { verbatim } from '../../src/core/message.ts';
import { appendFile, chown, link, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csvOf, rowOf } from '../support/payout-csv.ts';
import { openWatchKit, type WatchKit } from '../support/watch-kit.ts';

const sentIds = (kit: WatchKit): readonly string[] => kit.sent.map(({ payoutId }) => payoutId).toSorted();

async function addTo(kit: WatchKit, folder: 'work' | 'archive', ...payoutIds: string[]): Promise<void> {
  const [path] = await kit.list(folder);
  if (path === undefined) throw new Error(`nothing is in ${folder}/`);
  await appendFile(path, payoutIds.map((id) => `${rowOf(id)}\n`).join(''));
}

const hasArchived = (kit: WatchKit) => () => kit.told.some((line) => line.includes(' archived'));

const grownNotices = async (kit: WatchKit): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await kit.store.dueNotices(Number.MAX_SAFE_INTEGER, 100))
    .filter(({ kind }) => kind === 'file-grown')
    .map(({ body }) => body);

describe('a file that grows after it was archived', () => {
  test('is an alarm and a critical notice that names the rows that were not paid', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(hasArchived(kit));
    await addTo(kit, 'archive', 'B1', 'B2');
    await kit.time.until(() => kit.told.includes('a.csv grown by 2 rows'));
    const { batchId } = await kit.batchOf('a.csv');
    expect(await grownNotices(kit)).toMatchObject([
      { severity: 'critical', batchId, file: 'a.csv', rowsNotPaid: 2, payoutIds: ['B1', 'B2'] },
    ]);
    expect((await kit.store.grownFiles()).map((file) => [file.batchId, file.growth?.rows])).toEqual([
      [batchId, 2],
    ]);
    expect(sentIds(kit)).toEqual(['A1', 'A2']);
  });

  test('is told of anew when more is added, and no more when the hour is over', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    const life = await kit.work();
    await kit.time.until(hasArchived(kit));
    await life.stop();
    await kit.time.advance(1_800_000);
    await addTo(kit, 'archive', 'B1');
    const second = await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
    await addTo(kit, 'archive', 'B2');
    await kit.time.until(() => kit.told.includes('a.csv grown by 2 rows'));
    await second.stop();
    await kit.time.advance(1_800_000);
    await kit.work();
    await kit.time.until(async () => (await kit.store.watchedFiles()).length === 0);
    await addTo(kit, 'archive', 'B3');
    await kit.time.advance(60_000);
    expect((await grownNotices(kit)).map((body) => body['rowsNotPaid'])).toEqual([1, 2]);
  });

  test('is found out by the next process, too', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    const life = await kit.work();
    await kit.time.until(hasArchived(kit));
    await life.stop();
    await addTo(kit, 'archive', 'B1');
    await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
  });

  test('is found out where the process died before it had recorded where the file went', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    const life = await kit.work();
    let isKilled = false;
    kit.before = {
      endIntake: () => {
        life.kill();
        isKilled = true;
      },
    };
    await kit.time.until(() => isKilled);
    kit.before = {};
    await addTo(kit, 'archive', 'B1');
    await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
  });

  test('ends its alarm when the whole file is dropped again: the rest is paid, and nobody twice', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(hasArchived(kit));
    await addTo(kit, 'archive', 'B1');
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
    const [path = ''] = await kit.list('archive');
    await kit.drop('whole.csv', await readFile(path, 'utf8'));
    await kit.time.until(async () => (await kit.store.grownFiles()).length === 0);
    await kit.time.until(() => sentIds(kit).length === 3);
    expect(sentIds(kit)).toEqual(['A1', 'A2', 'B1']);
  });

  test('that was rewritten says that the rows cannot be told apart', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(hasArchived(kit));
    const [path = ''] = await kit.list('archive');
    await writeFile(path, csvOf('C', 4));
    await kit.time.until(() => kit.told.includes('a.csv grown by null rows'));
    expect(await grownNotices(kit)).toMatchObject([{ rowsNotPaid: null, payoutIds: [] }]);
  });

  test('is nothing where the same bytes were written again', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(hasArchived(kit));
    const [path = ''] = await kit.list('archive');
    await writeFile(path, csvOf('A', 2));
    await kit.time.advance(30_000);
    expect([await kit.store.grownFiles(), await kit.store.watchedFiles()]).toMatchObject([[], [{ path }]]);
  });
});

describe('a file that grows after it was read', () => {
  test('halts its batch when that begins again after a pause, with nothing sent', async () => {
    await using kit = await openWatchKit();
    const { companyId, payerAccount } = kit.loaded.settings.bank;
    const why = { code: 'TM001', reason: verbatim('closed'), remedy: verbatim('wait') };
    await kit.store.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: kit.clock.now() });
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(async () => (await kit.store.runnableBatches()).length === 1);
    const { batchId } = await kit.batchOf('a.csv');
    await kit.store.moveBatch(batchId, 'running', null, kit.clock.now());
    await kit.store.moveBatch(batchId, 'paused', why, kit.clock.now());
    await addTo(kit, 'work', 'B1');
    await kit.store.liftPayerHalt(companyId, payerAccount, kit.clock.now());
    await kit.time.until(() => kit.told.includes('a.csv halted'));
    expect([(await kit.batchOf('a.csv')).reasonCode, sentIds(kit)]).toEqual(['file-grown', []]);
    const { resumeBatch } = await import('../../src/payout/operator.ts');
    await resumeBatch(kit.store, await kit.batchOf('a.csv'), kit.clock.now());
    await kit.time.until(() => kit.told.includes('a.csv done'));
    expect(sentIds(kit)).toEqual(['A1', 'A2']);
  });

  test('halts its batch before anything of it is sent; resumed, it pays what was read', async () => {
    await using kit = await openWatchKit();
    kit.before = { seal: () => addTo(kit, 'work', 'B1') };
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv halted'));
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
    const batch = await kit.batchOf('a.csv');
    expect([batch.status, batch.reasonCode, sentIds(kit)]).toEqual(['halted', 'file-grown', []]);
    expect(await kit.notices()).toContain('batch-halted a.csv');
    expect(await kit.read('rejected', '.reason.txt')).toContain(`paydrop resume ${batch.batchId}`);
    const { resumeBatch } = await import('../../src/payout/operator.ts');
    await resumeBatch(kit.store, batch, kit.clock.now());
    await kit.time.until(() => kit.told.includes('a.csv done'));
    expect(sentIds(kit)).toEqual(['A1', 'A2']);
  });

  test('and was being paid is told of with the rows that were not paid', async () => {
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
    await addTo(kit, 'work', 'B1');
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
    expect(kit.told).toContain('a.csv rejected changed-after-reading');
    expect(await grownNotices(kit)).toMatchObject([{ rowsNotPaid: 1, payoutIds: ['B1'] }]);
  });
});

/** What its dropper can do to a file that stands in the inbox, once it was taken. */
type Hold = (kit: WatchKit) => Promise<(text: string) => Promise<void>>;

/** A second name, outside the inbox. */
const holdByName: Hold = async (kit) => {
  const elsewhere = join(kit.root, 'elsewhere.csv');
  await link(join(kit.loaded.folders.inbox, 'a.csv'), elsewhere);
  return (text) => appendFile(elsewhere, text);
};
/** Another user's file, which that user has open. */
const holdAsOwner: Hold = async (kit) => {
  const path = join(kit.loaded.folders.inbox, 'a.csv');
  const handle = await open(path, 'a');
  await chown(path, 65_534, 65_534);
  return async (text) => {
    await handle.appendFile(text);
    await handle.close();
  };
};
const holds: readonly (readonly [string, Hold])[] = [
  ['that has a second name', holdByName],
  ...(process.getuid?.() === 0 ? ([['of another user', holdAsOwner]] as const) : []),
];

const originals = async (kit: WatchKit): Promise<readonly string[]> => {
  const names = await readdir(join(kit.loaded.folders.inbox, '.paydrop', 'originals'), { recursive: true });
  return names.filter((name) => name.endsWith('.csv'));
};

test.each(holds)(
  'a file %s is worked as a copy: what is added changes no archive, and is told of after a restart, too',
  async (_held, hold) => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    const add = await hold(kit);
    const life = await kit.work();
    await kit.time.until(hasArchived(kit));
    await life.stop();
    await kit.time.advance(1_800_000);
    await add(`${rowOf('B1')}\n`);
    const second = await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
    expect(await kit.read('archive', 'a.csv')).toBe(csvOf('A', 2));
    const [original = ''] = await originals(kit);
    const [notice] = await grownNotices(kit);
    expect(notice).toMatchObject({ rowsNotPaid: 1, payoutIds: ['B1'] });
    expect(JSON.stringify(notice)).toContain(original);
    // The rows that were not paid stand there alone, until somebody has dealt with them.
    await second.stop();
    await kit.time.advance(3_700_000);
    await kit.work();
    await kit.time.until(async () => (await kit.store.watchedFiles()).length === 0);
    await kit.time.advance(20_000);
    expect(await originals(kit)).toEqual([original]);
    const path = join(kit.loaded.folders.inbox, '.paydrop', 'originals', original);
    await kit.drop('whole.csv', await readFile(path, 'utf8'));
    await kit.time.until(async () => (await originals(kit)).length === 0);
    expect(sentIds(kit)).toEqual(['A1', 'A2', 'B1']);
  },
);

describe('a file that others may still change', () => {
  test('is halted where it grows before anything of it is sent', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    const add = await holdByName(kit);
    kit.before = { seal: () => add(`${rowOf('B1')}\n`) };
    await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv halted'));
    expect([(await kit.batchOf('a.csv')).reasonCode, sentIds(kit)]).toEqual(['file-grown', []]);
  });

  test('is kept for the hour, and looked at once more before it goes', async () => {
    await using kit = await openWatchKit();
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.drop('b.csv', csvOf('B', 2));
    await link(join(kit.loaded.folders.inbox, 'b.csv'), join(kit.root, 'other.csv'));
    const add = await holdByName(kit);
    const life = await kit.work();
    await kit.time.until(() => kit.told.filter((line) => line.includes(' archived')).length === 2);
    expect(await originals(kit)).toHaveLength(2);
    await life.stop();
    await kit.time.advance(3_700_000);
    await add(`${rowOf('C1')}\n`);
    await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv grown by 1 rows'));
    await kit.time.until(async () => (await originals(kit)).length === 1);
    expect(await kit.store.watchedFiles()).toEqual([]);
  });
});
