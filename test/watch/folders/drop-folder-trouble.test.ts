/** What goes wrong between the inbox and work/: one file's trouble is its own, and nothing is forgotten. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Disk, moveUnlessTaken, realDisk } from '../../../src/platform/disk.ts';
import type { Intake } from '../../../src/watch/folders/drop-folder.ts';
import {
  fail,
  type Kit,
  linklessDisk,
  makeKit,
  type OpeningChanges,
  rescanMs,
  splitDisk,
  stillMs,
} from '../../support/inbox-kit.ts';
import { makeVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let kit: Kit;
let time: VirtualClock;
beforeEach(async () => {
  kit = await makeKit();
  time = makeVirtualClock();
});
afterEach(() => kit[Symbol.asyncDispose]());

const drop = (name: string, text = name) => writeFile(join(kit.inbox, name), text);
const open = (disk: Disk, changes: OpeningChanges = {}) =>
  kit.open({ disk, elapsedMs: time.elapsedMs, ...changes });

/** Names of what is handed out after so long. */
async function takeAfter(intake: Intake, ms: number): Promise<string[]> {
  time.skip(ms);
  return (await intake.take(9)).map(({ fileName }) => fileName);
}

/** The names that come, once what is there is still. */
async function takeStill(intake: Intake): Promise<string[]> {
  await intake.take(9);
  return await takeAfter(intake, stillMs);
}

const claimedIn = (itemId: string) => join(kit.inbox, '.paydrop', 'claimed', itemId);
const itemId = '20261121T070305123-48b2f8';

async function putInto(folder: string, ...names: string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), name);
}

describe('a file that cannot be copied', () => {
  /** Where `big.csv` finds no room; tells when each copy of it was tried. */
  function makeTightDisk() {
    const split = splitDisk(kit.folders);
    const triedMs: number[] = [];
    const state = { isFull: true, triedMs };
    const rename: Disk['rename'] = async (from, to) => {
      if (String(from).includes('/claimed/') && (await readdir(String(from))).includes('big.csv')) {
        triedMs.push(time.elapsedMs());
        if (state.isFull) fail('ENOSPC');
      }
      await split.rename(from, to);
    };
    return { state, disk: { ...split, rename } };
  }

  test('keeps no other out, is shown, and is tried again after pauses that grow', async () => {
    const { state, disk } = makeTightDisk();
    await drop('big.csv');
    await drop('small.csv');
    const intake = await open(disk);
    expect(await takeStill(intake)).toEqual(['small.csv']);
    expect(intake.view).toMatchObject({
      waiting: 1,
      stuck: [{ fileName: 'big.csv', why: expect.stringMatching(/cannot move .*: the disk is full/) }],
    });
    await drop('other.csv');
    expect(await takeStill(intake)).toEqual(['other.csv']);
    for (let tries = 0; tries < 200; tries += 1) await takeAfter(intake, 1_000).catch(() => undefined);
    const pauses = state.triedMs.slice(1).map((atMs, place) => atMs - state.triedMs[place]!);
    expect(pauses.slice(0, 8).map((ms) => Math.round(ms / 1_000))).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    state.isFull = false;
    expect(await takeAfter(intake, 60_000)).toEqual(['big.csv']);
    expect(intake.view).toMatchObject({ waiting: 0, stuck: [] });
    expect(kit.lines.filter(({ message }) => message.includes('stuck'))).toHaveLength(1);
  });

  test('is told when nothing else could be taken, so that the disk is looked at', async () => {
    await drop('big.csv');
    const intake = await open(makeTightDisk().disk);
    await expect(takeStill(intake)).rejects.toThrow(/work: the disk is full/);
    expect(await takeAfter(intake, 500)).toEqual([]);
    await expect(takeAfter(intake, 500)).rejects.toThrow(/work: the disk is full/);
  });

  test('is not even begun where there is no room for it', async () => {
    const split = splitDisk(kit.folders);
    let free = 100n;
    let copies = 0;
    const disk: Disk = {
      ...split,
      freeBytes: async () => free,
      copy: async (source, to) => {
        copies += 1;
        await split.copy(source, to);
      },
    };
    await drop('big.csv', 'x'.repeat(51));
    await drop('small.csv', 'x'.repeat(50));
    const intake = await open(disk);
    expect([await takeStill(intake), copies]).toEqual([['small.csv'], 1]);
    expect(intake.view.stuck).toEqual([
      { fileName: 'big.csv', why: expect.stringMatching(/it takes 1 MiB in .*work, .* free some space/) },
    ]);
    free = 102n;
    expect(await takeAfter(intake, 1_000)).toEqual(['big.csv']);
  });

  test('does not keep the watcher from starting', async () => {
    await putInto(claimedIn(itemId), 'big.csv');
    await putInto(claimedIn(itemId.replace('48b', '49b')), 'small.csv');
    const intake = await open(makeTightDisk().disk);
    expect((await intake.recover()).map(({ fileName }) => fileName)).toEqual(['small.csv']);
    expect(intake.view.stuck).toMatchObject([{ fileName: 'big.csv' }]);
  });
});

describe('what was done though the answer was an error', () => {
  /** Does the first step that matches, and says that it has not. */
  function loseReply(step: 'rename' | 'link', code: string, isMeant: (to: string) => boolean): Disk {
    let isLost = false;
    const lossy: Disk['rename'] = async (from, to) => {
      await realDisk[step](from, to);
      if (isLost || !isMeant(String(to))) return;
      isLost = true;
      fail(code);
    };
    return { ...realDisk, [step]: lossy };
  }

  test.each(['ENOENT', 'EIO', 'EMFILE'])(
    'moved to work/, answered with %s: it is handed out once',
    async (code) => {
      const disk = loseReply('rename', code, (to) => to.startsWith(kit.folders.work));
      await drop('a.csv');
      const intake = await open(disk);
      expect(await takeStill(intake)).toEqual(['a.csv']);
      expect([await takeAfter(intake, rescanMs), kit.lines, intake.view.stuck]).toEqual([[], [], []]);
    },
  );

  test.each(['EBUSY', 'EIO'])('claimed, answered with %s: it is put back and claimed again', async (code) => {
    const disk = loseReply('rename', code, (to) => to.includes('/claimed/'));
    await drop('a.csv');
    const intake = await open(disk);
    expect(await takeStill(intake)).toEqual([]);
    await takeAfter(intake, rescanMs);
    expect(await takeAfter(intake, stillMs)).toEqual(['a.csv']);
    expect(await kit.claimedNames()).toEqual([]);
  });

  test('claimed, and not to be put back at once either: it is not forgotten', async () => {
    let refusals = 0;
    const refusing =
      (step: 'rename' | 'link'): Disk['rename'] =>
      async (from, to) => {
        const isBack = String(from).includes('/claimed/') && refusals < 3;
        const isClaim = String(to).includes('/claimed/') && refusals === 0;
        if (isClaim) await realDisk[step](from, to);
        if (!isBack && !isClaim) await realDisk[step](from, to);
        else {
          refusals += 1;
          fail('EBUSY');
        }
      };
    await drop('a.csv');
    const intake = await open({ ...realDisk, rename: refusing('rename'), link: refusing('link') });
    expect(await takeStill(intake)).toEqual([]);
    expect(await kit.claimedNames()).toHaveLength(1);
    const names: string[] = [];
    for (let tries = 0; tries < 6; tries += 1) names.push(...(await takeAfter(intake, rescanMs)));
    expect([names, await kit.claimedNames(), intake.view.waiting]).toEqual([['a.csv'], [], 0]);
  });

  test('a marker that stays does not keep its file', async () => {
    let isFirst = true;
    const remove: Disk['remove'] = async (path) => {
      if (isFirst && String(path).endsWith('.done')) {
        isFirst = false;
        fail('EBUSY');
      }
      await realDisk.remove(path);
    };
    await drop('a.csv');
    await drop('a.csv.done');
    const intake = await open({ ...realDisk, remove }, { watch: { marker: 'done' } });
    expect(await takeStill(intake)).toEqual(['a.csv']);
    expect(kit.lines.map(({ message, file }) => [message.slice(0, 10), file])).toEqual([
      ['the marker', 'a.csv.done'],
    ]);
  });
});

describe('what nobody knows', () => {
  test('in work/ and in claimed/ is found with the rescan, and handed out once', async () => {
    const intake = await open(realDisk);
    await drop('a.csv');
    const [held] = (await takeStill(intake), await readdir(kit.folders.work)).filter((name) =>
      /^\d/.test(name),
    );
    await putInto(join(kit.folders.work, itemId), 'lost.csv');
    await putInto(claimedIn(itemId.replace('48b', '49b')), 'claimed.csv');
    expect(await takeAfter(intake, rescanMs / 2)).toEqual([]);
    time.skip(rescanMs / 2);
    const found = await intake.take(9);
    expect(found.map(({ fileName }) => fileName)).toEqual(['lost.csv', 'claimed.csv']);
    expect(await takeAfter(intake, rescanMs)).toEqual([]);
    const archived = { kind: 'archive', date: '2026-11-21', batchId: 'B7' } as const;
    for (const item of found) await intake.end(item, archived);
    expect(await takeAfter(intake, rescanMs)).toEqual([]);
    expect(await kit.workNames()).toEqual([held]);
  });

  test('is not what stands in the folder of a file that has ended', async () => {
    const intake = await open(realDisk);
    await drop('a.csv');
    await intake.take(9);
    time.skip(stillMs);
    const [item] = await intake.take(9);
    await writeFile(join(item!.path, '..', 'x.csv'), '');
    await intake.end(item!, { kind: 'reject', reason: 'why' });
    expect(await takeAfter(intake, rescanMs)).toEqual([]);
    expect(await kit.workNames()).toEqual([item!.itemId]);
  });
});

describe('an odd claimed folder', () => {
  test('is left and said, and keeps nobody from starting', async () => {
    const odd = itemId.replace('48b', '49b');
    await putInto(claimedIn(itemId), '.nfs000000000000001');
    await putInto(claimedIn(odd), 'a.csv', 'b.csv');
    const intake = await open(realDisk);
    await drop('good.csv');
    expect(await intake.recover()).toEqual([]);
    expect(await takeStill(intake)).toEqual(['good.csv']);
    await takeAfter(intake, rescanMs);
    expect((await kit.claimedNames()).toSorted()).toEqual([itemId, odd]);
    expect(intake.view).toMatchObject({
      waiting: 1,
      stuck: [{ fileName: odd, why: expect.stringContaining('move them back into the inbox') }],
    });
    expect(kit.lines.map(({ message }) => message).toSorted()).toEqual([
      'a claimed file is stuck, and tried again',
      'left in the inbox',
    ]);
    await rm(claimedIn(odd), { recursive: true });
    await takeAfter(intake, 60_000);
    expect(intake.view.stuck).toEqual([]);
  });

  test('that is empty goes; droppings of other systems beside the file are no matter', async () => {
    await mkdir(claimedIn(itemId), { recursive: true });
    await putInto(claimedIn(itemId.replace('48b', '49b')), 'a.csv', '.DS_Store', '._a.csv');
    const intake = await open(realDisk);
    const [item] = await intake.recover();
    expect([item?.fileName, await kit.claimedNames(), kit.lines]).toEqual(['a.csv', [], []]);
    const path = await intake.end(item!, { kind: 'reject', reason: 'why' });
    expect(await readFile(path, 'utf8')).toBe('a.csv');
    expect([await kit.workNames(), kit.lines]).toEqual([[], []]);
  });
});

test.each(['the same process', 'another'])(
  'an end that is tried again after midnight, by %s, keeps its date',
  async (whose) => {
    let isFirst = true;
    const sync: Disk['sync'] = async (folder) => {
      if (isFirst && folder.endsWith('2026-11-21')) {
        isFirst = false;
        fail('EIO');
      }
      await realDisk.sync(folder);
    };
    const first = await open({ ...realDisk, sync });
    await drop('a.csv');
    await first.take(9);
    time.skip(stillMs);
    const [item] = await first.take(9);
    const end = { kind: 'archive', date: '2026-11-21', batchId: 'B7' } as const;
    await expect(first.end(item!, end)).rejects.toThrow('move out of work/');
    const intake = whose === 'another' ? await open(realDisk) : first;
    if (intake !== first) await intake.recover();
    await intake.end(item!, { ...end, date: '2026-11-22' });
    expect(await kit.files()).toEqual({ 'archive/2026-11-21/a.csv': 'a.csv' });
  },
);

describe('without links', () => {
  const places = () => [join(kit.root, 'from'), join(kit.root, 'to')] as const;

  test('what takes the name at the last moment is not overwritten', async () => {
    const [from, to] = places();
    await writeFile(from, 'ours');
    const late: Disk = {
      ...linklessDisk,
      reserve: async (path) => {
        await writeFile(path, 'dropped');
        await realDisk.reserve(path);
      },
    };
    expect(await moveUnlessTaken(late, from, to)).toBe('taken');
    expect([await readFile(from, 'utf8'), await readFile(to, 'utf8')]).toEqual(['ours', 'dropped']);
  });

  test('a rename that is refused leaves the name free', async () => {
    const [from, to] = places();
    await writeFile(from, 'ours');
    const disk: Disk = { ...linklessDisk, rename: async () => fail('EIO') };
    await expect(moveUnlessTaken(disk, from, to)).rejects.toThrow('EIO');
    expect(await readdir(kit.root)).not.toContain('to');
    expect(await moveUnlessTaken(linklessDisk, from, to)).toBe('moved');
    expect(await readFile(to, 'utf8')).toBe('ours');
  });
});

test('polling looks at the folder as often as it is set, and keeps no timer for each file', async () => {
  const sleep = async (ms: number) => {
    time.skip(ms);
  };
  const clock = { now: () => 0, elapsedMs: () => time.elapsedMs(), sleep };
  const intake = await open(realDisk, { clock, watch: { polling: true, pollMs: 1_000 } });
  await intake.take(9);
  await drop('a.csv');
  await intake.waitForNews(new AbortController().signal);
  expect(time.elapsedMs()).toBe(1_000);
  expect(await takeStill(intake)).toEqual(['a.csv']);
});
