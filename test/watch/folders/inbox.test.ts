import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, open, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../../src/platform/disk.ts';
import { InboxRefusedError } from '../../../src/watch/folders/binding.ts';
import type { WorkItem } from '../../../src/watch/ports.ts';
import { type Kit, longStillMs, makeKit, pause, rescanMs, stillMs, until } from '../../support/inbox-kit.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

let kit: Kit;
beforeEach(async () => {
  kit = await makeKit();
});
afterEach(() => kit[Symbol.asyncDispose]());

const drop = (name: string, text = name) => writeFile(join(kit.inbox, name), text);
const never = () => new AbortController().signal;

describe('a finished file', () => {
  test('there at the start or dropped later is taken whole, for the owner only', async () => {
    await drop('old.csv');
    const beforeMs = Date.now() - 1_000;
    const intake = await kit.open();
    const [old] = await kit.collect(intake, 1);
    await drop('new.csv', '');
    const [fresh] = await kit.collect(intake, 1);
    expect([old, fresh].map((item) => [item?.fileName, item?.bytes])).toEqual([
      ['old.csv', 7],
      ['new.csv', 0],
    ]);
    expect(old?.droppedAtMs).toBeGreaterThan(beforeMs);
    expect(fresh?.droppedAtMs).toBeLessThanOrEqual(Date.now());
    expect((await stat(old!.path)).mode & 0o777).toBe(0o600);
    for (const folder of [...Object.values(kit.folders), join(old!.path, '..')].slice(1)) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
    expect(await intake.isUntouched(old!)).toBe(true);
    expect(await readdir(join(kit.inbox, '.paydrop', 'claimed'))).toEqual([]);
    expect(intake.view).toEqual({ state: { kind: 'there' }, waiting: 0, left: [], stuck: [] });
  });

  test('comes within its time of stillness by an event, not by the rescan', async () => {
    const intake = await kit.open();
    await intake.take(9);
    await pause(100);
    const startedMs = performance.now();
    await drop('a.csv');
    await kit.collect(intake, 1);
    expect(performance.now() - startedMs).toBeLessThan(rescanMs / 2);
  });

  test('is not one that is written slowly', async () => {
    const intake = await kit.open({ watch: { stillMs: longStillMs } });
    const writing = (async () => {
      for (let part = 0; part < 12; part += 1) {
        await appendFile(join(kit.inbox, 'slow.csv'), 'part\n');
        await pause(longStillMs / 12);
      }
    })();
    const [item] = await kit.collect(intake, 1);
    expect(item?.bytes).toBe(60);
    await writing;
    expect(await intake.isUntouched(item!)).toBe(true);
  });

  test('that is written to after the claim is told', async () => {
    const intake = await kit.open();
    await using writer = await open(join(kit.inbox, 'late.csv'), 'w');
    await writer.write('1');
    const [item] = await kit.collect(intake, 1);
    expect(await intake.isUntouched(item!)).toBe(true);
    await writer.write('2');
    expect(await intake.isUntouched(item!)).toBe(false);
  });

  test('is found by its final name alone', async () => {
    const intake = await kit.open();
    for (const name of ['a.part', '.b.csv', '~$c.csv', 'd.TMP', 'e.filepart']) await drop(name);
    await pause(stillMs * 2);
    expect(await intake.take(9)).toEqual([]);
    expect(intake.view.waiting).toBe(0);
    await rename(join(kit.inbox, 'a.part'), join(kit.inbox, 'a.csv'));
    expect((await kit.collect(intake, 1))[0]?.fileName).toBe('a.csv');
  });

  test('is told by a clock that never jumps', async () => {
    let wallMs = Date.now();
    const clock = { now: () => wallMs, elapsedMs: () => 0, sleep: (ms: number) => pause(ms) };
    const time = makeVirtualClock(0);
    const intake = await kit.open({ clock, elapsedMs: () => time.elapsedMs() });
    await drop('a.csv');
    await intake.take(9);
    wallMs += 1e9;
    expect(await intake.take(9)).toEqual([]);
    wallMs = 5_000;
    time.skip(stillMs);
    const [item] = await intake.take(9);
    expect(item?.droppedAtMs).toBe(5_000);
  });

  test('comes in its turn: the oldest first, and no more than asked for', async () => {
    for (const name of ['c', 'a', 'b']) {
      await drop(name);
      // Longer than a tick of the coarsest kernel clock, by which files are stamped.
      await pause(25);
    }
    const intake = await kit.open();
    const first = await kit.collect(intake, 2);
    expect(first.map(({ fileName }) => fileName)).toEqual(['c', 'a']);
    expect(intake.view.waiting).toBe(1);
    expect(first.map(({ itemId }) => itemId).toSorted()).toEqual(first.map(({ itemId }) => itemId));
    expect((await intake.take(2)).map(({ fileName }) => fileName)).toEqual(['b']);
  });

  test('does not overtake one that fell still before it, though looking at each takes time', async () => {
    for (const name of ['c', 'a', 'b']) {
      await drop(name);
      await pause(25);
    }
    let elapsedMs = 0;
    const intake = await kit.open({ elapsedMs: () => (elapsedMs += stillMs / 3 + 2) });
    let first: readonly WorkItem[] = [];
    while (first.length === 0) first = await intake.take(9);
    expect(first.map(({ fileName }) => fileName)).toEqual(['c', 'a', 'b']);
  });

  test('is found by polling', async () => {
    const intake = await kit.open({ watch: { polling: true } });
    await intake.take(9);
    await drop('a.csv');
    expect(await kit.collect(intake, 1)).toHaveLength(1);
  });

  test('that no event told of is found by the rescan', async () => {
    const intake = await kit.open({ watch: { rescanMs: 150 } });
    await intake.take(9);
    const name = Buffer.concat([
      Buffer.from(`${kit.inbox}/`),
      Buffer.from([0xff, 0x41]),
      Buffer.from('.csv'),
    ]);
    await writeFile(name, 'x');
    expect((await kit.collect(intake, 1))[0]?.fileName).toBe('\uFFFDA.csv');
    expect(await readdir(kit.inbox)).toEqual(['.paydrop']);
  });
});

describe('names', () => {
  test.each([
    'two\nlines.csv',
    'back\\slash.csv',
    '-rf',
    `${'x'.repeat(251)}.csv`,
    `${'ก'.repeat(83)}.csv`,
    'จ่าย 💸.csv',
    'a..csv',
    ' .csv ',
  ])('%j is taken and archived', async (name) => {
    await drop(name, 'x');
    const intake = await kit.open();
    const [item] = await kit.collect(intake, 1);
    expect(item?.fileName).toBe(name);
    const path = await intake.end(item!, { kind: 'archive', date: '2026-11-21', batchId: 'B' });
    expect(Object.values(await kit.files())).toEqual(['x']);
    expect(path.startsWith(join(kit.folders.archive, '2026-11-21/'))).toBe(true);
  });
});

describe('what is no ordinary file', () => {
  test('stays, is listed and is said once', async () => {
    await mkdir(join(kit.inbox, 'x.csv'));
    await symlink('/etc/hostname', join(kit.inbox, 'link.csv'));
    execFileSync('mkfifo', [join(kit.inbox, 'pipe.csv')]);
    const intake = await kit.open();
    await intake.take(9);
    await pause(stillMs * 2);
    expect(await intake.take(9)).toEqual([]);
    expect(intake.view.left).toEqual(['link.csv', 'pipe.csv', 'x.csv']);
    expect(kit.lines.map(({ file }) => String(file)).toSorted()).toEqual(['link.csv', 'pipe.csv', 'x.csv']);
    await rm(join(kit.inbox, 'pipe.csv'));
    await intake.take(9);
    expect(intake.view.left).toEqual(['link.csv', 'x.csv']);
  });
});

describe('between the look and the claim', () => {
  /** Opens an intake at whose claim something happens to `a.csv` first. */
  async function openWith(trick: (path: string) => Promise<void>) {
    let isDone = false;
    const renameLate = async (...[from, to]: Parameters<typeof realDisk.rename>) => {
      if (!isDone && String(from).endsWith('/a.csv')) {
        isDone = true;
        await trick(String(from));
      }
      await realDisk.rename(from, to);
    };
    await drop('a.csv', 'old');
    return await kit.open({ disk: { ...realDisk, rename: renameLate } });
  }

  test('a link that took the place of a file is put back and never followed', async () => {
    const intake = await openWith(async (path) => {
      await rm(path);
      await symlink('/etc/hostname', path);
    });
    await drop('b.csv');
    const items = await kit.collect(intake, 1);
    await intake.take(9);
    expect(items.map(({ fileName }) => fileName)).toEqual(['b.csv']);
    expect(await kit.files()).toMatchObject({ 'inbox/a.csv': 'no file' });
    expect(intake.view.left).toEqual(['a.csv']);
  });

  test('a folder is put back', async () => {
    const intake = await openWith(async (path) => {
      await rm(path);
      await mkdir(join(path, 'inner'), { recursive: true });
    });
    expect(await kit.collect(intake, 1, 300)).toEqual([]);
    expect(await readdir(join(kit.inbox, 'a.csv'))).toEqual(['inner']);
  });

  test('a link whose name was taken meanwhile is put back beside it', async () => {
    let isDone = false;
    const disk = {
      ...realDisk,
      rename: async (...[from, to]: Parameters<typeof realDisk.rename>) => {
        const isClaim = !isDone && String(from).endsWith('/a.csv');
        if (isClaim) {
          isDone = true;
          await rm(from);
          await symlink('/etc/hostname', from);
        }
        await realDisk.rename(from, to);
        if (isClaim) await drop('a.csv', 'third');
      },
    };
    await drop('a.csv', 'old');
    const intake = await kit.open({ disk });
    const [item] = await kit.collect(intake, 1);
    expect(item?.bytes).toBe(5);
    expect(await kit.files()).toMatchObject({ 'inbox/a.2.csv': 'no file' });
  });

  test('a file that vanished is nothing', async () => {
    const intake = await openWith((path) => rm(path));
    expect(await kit.collect(intake, 1, 300)).toEqual([]);
    expect(await kit.files()).toEqual({});
    expect(await readdir(join(kit.inbox, '.paydrop', 'claimed'))).toEqual([]);
  });

  test('a file that was replaced is looked at from the start', async () => {
    const intake = await openWith(async (path) => {
      await rm(path);
      await writeFile(path, 'newer');
    });
    const [item] = await kit.collect(intake, 1);
    expect(item?.bytes).toBe(5);
    expect(kit.lines.map(({ message }) => message)).toEqual(['put back into the inbox']);
  });

  test('one that was written to is looked at from the start', async () => {
    const intake = await openWith((path) => appendFile(path, '+'));
    expect((await kit.collect(intake, 1))[0]?.bytes).toBe(4);
  });

  test('a file that may not be claimed is said, and tried again', async () => {
    let failures = 0;
    const refuse = async (...[from, to]: Parameters<typeof realDisk.rename>) => {
      if (String(from).endsWith('/a.csv') && failures++ < 2)
        throw Object.assign(new Error('EBUSY: locked'), { code: 'EBUSY' });
      await realDisk.rename(from, to);
    };
    await drop('a.csv');
    const intake = await kit.open({ disk: { ...realDisk, rename: refuse }, watch: { rescanMs: 100 } });
    await until(async () => (await intake.take(9)).length === 0 && intake.view.left.length > 0);
    expect(intake.view.left).toEqual(['a.csv']);
    expect(await kit.collect(intake, 1)).toHaveLength(1);
    expect(kit.lines).toHaveLength(1);
  });
});

describe('the wait for news', () => {
  test('ends at once when the process is asked to stop, and leaves no listener', async () => {
    const intake = await kit.open();
    await intake.take(9);
    await intake.waitForNews(AbortSignal.abort());
    const stopping = new AbortController();
    const counts: number[] = [];
    const add = stopping.signal.addEventListener.bind(stopping.signal);
    stopping.signal.addEventListener = (...args: Parameters<typeof add>) => {
      counts.push(1);
      add(...args);
    };
    stopping.signal.removeEventListener = () => void counts.push(-1);
    const waiting = intake.waitForNews(stopping.signal);
    stopping.abort();
    await waiting;
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(0);
    expect(counts.length).toBeGreaterThan(0);
  });

  test('does not turn in circles while nobody takes what is there', async () => {
    for (let file = 0; file < 5; file += 1) await drop(`${file}.csv`);
    const intake = await kit.open({ watch: { rescanMs: 200 } });
    await intake.take(0);
    const startedMs = performance.now();
    let turns = 0;
    for (; performance.now() - startedMs < 450; turns += 1) await intake.waitForNews(never());
    expect(turns).toBeLessThan(6);
  });

  test('many files are looked at once each, not once for every take', async () => {
    for (let file = 0; file < 100; file += 1) await drop(`${file}.csv`);
    const intake = await kit.open({ watch: { stillMs: 300 } });
    const names = new Set<string>();
    const stop = AbortSignal.timeout(60_000);
    while (names.size < 100 && !stop.aborted) {
      for (const { fileName } of await kit.collect(intake, 5)) names.add(fileName);
    }
    expect(names.size).toBe(100);
  });
});

test('an inbox that cannot be told to be ours is refused', async () => {
  await writeFile(join(kit.inbox, '.paydrop'), '');
  await expect(kit.open()).rejects.toThrow(InboxRefusedError);
});

test('a drop folder within the inbox is nobody’s file, and a file of its name is', async () => {
  const intake = await kit.open({ inboxesWithin: ['registrations', 'more'] });
  for (const folder of ['registrations', 'other']) await mkdir(join(kit.inbox, folder));
  await drop('more');
  const items = await kit.collect(intake, 1);
  expect(items.map(({ fileName }) => fileName)).toEqual(['more']);
  expect(intake.view.left).toEqual(['other']);
});
