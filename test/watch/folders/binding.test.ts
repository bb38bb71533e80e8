/** Whose inbox it is: what a mount point, a copied dataDir and another process do to it. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readFolderId } from '../../../src/watch/folders/binding.ts';
import type { Intake } from '../../../src/watch/folders/drop-folder.ts';
import { type Kit, linklessDisk, makeKit, rescanMs, stillMs, until } from '../../support/inbox-kit.ts';
import { makeVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let kit: Kit;
beforeEach(async () => {
  kit = await makeKit();
});
afterEach(() => kit[Symbol.asyncDispose]());

const drop = (name: string) => writeFile(join(kit.inbox, name), name);
const stampPath = () => join(kit.inbox, '.paydrop', 'journal.json');
const whyOf = ({ view }: Intake) => (view.state.kind === 'gone' ? view.state.why : 'there');

const runAsRoot = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'ignore' });

/** Names of what is taken once it is still. */
async function takeAll(intake: Intake, time: VirtualClock): Promise<string[]> {
  await intake.take(9);
  time.skip(stillMs);
  return (await intake.take(9)).map(({ fileName }) => fileName);
}

/** As an unmounted share leaves it: an empty folder under the same name. */
async function replaceFolder(): Promise<void> {
  await knowAsShare();
  await rename(kit.inbox, join(kit.root, 'away'));
  await mkdir(kit.inbox);
}

/** As if the inbox had been on a file system of its own when it was bound. */
async function knowAsShare(): Promise<void> {
  const path = join(kit.folders.work, '.paydrop-inboxes.json');
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replace('"isBesideWork":true', '"isBesideWork":false'),
  );
}

describe('another folder in the place of the inbox', () => {
  test('is not worked until somebody says that it is meant', async () => {
    const time = makeVirtualClock();
    const intake = await kit.open({ elapsedMs: time.elapsedMs });
    await intake.take(9);
    await replaceFolder();
    await drop('a.csv');
    expect(await takeAll(intake, time)).toEqual([]);
    expect(whyOf(intake)).toMatch(
      /not the inbox that was worked before.*mount it.*: mkdir .*inbox\/\.paydrop$/,
    );
    expect(await kit.files()).toEqual({ 'inbox/a.csv': 'a.csv' });
    await mkdir(join(kit.inbox, '.paydrop'));
    expect(await takeAll(intake, time)).toEqual(['a.csv']);
    expect(await readFile(stampPath(), 'utf8')).toContain('J1');
  });

  test('is not worked after a restart either, nor made where there is none', async () => {
    await (await kit.open())[Symbol.asyncDispose]();
    await replaceFolder();
    const time = makeVirtualClock();
    const second = await kit.open({ elapsedMs: time.elapsedMs });
    await drop('a.csv');
    expect([await takeAll(second, time), await kit.files()]).toEqual([[], { 'inbox/a.csv': 'a.csv' }]);
    await second[Symbol.asyncDispose]();
    await rm(kit.inbox, { recursive: true });
    const third = await kit.open({ elapsedMs: time.elapsedMs });
    expect(whyOf(third)).toMatch(/the folder is not there.*: mkdir -p .*inbox\/\.paydrop$/);
    await mkdir(join(kit.inbox, '.paydrop'), { recursive: true });
    await drop('b.csv');
    expect(await takeAll(third, time)).toEqual(['b.csv']);
  });

  test('is the inbox again when the share is back', async () => {
    const time = makeVirtualClock();
    const intake = await kit.open({ elapsedMs: time.elapsedMs });
    await drop('a.csv');
    await intake.take(9);
    await replaceFolder();
    await intake.take(9);
    await rm(kit.inbox, { recursive: true });
    await rename(join(kit.root, 'away'), kit.inbox);
    expect(await takeAll(intake, time)).toEqual(['a.csv']);
    expect(kit.lines.map(({ message }) => message)).toEqual(['the inbox is gone', 'the inbox is back']);
  });

  test('that was made on purpose is watched', async () => {
    const intake = await kit.open();
    await intake.take(9);
    await rm(kit.inbox, { recursive: true });
    await mkdir(join(kit.inbox, '.paydrop'), { recursive: true });
    await until(async () => (await intake.take(9)).length === 0 && kit.lines.length > 0);
    await drop('a.csv');
    expect(await kit.collect(intake, 1, rescanMs / 2)).toHaveLength(1);
  });

  test('is made ours where no share can be away, while it is watched and after a restart', async () => {
    const time = makeVirtualClock();
    const intake = await kit.open({ elapsedMs: time.elapsedMs });
    await intake.take(9);
    await rm(kit.inbox, { recursive: true });
    await mkdir(kit.inbox);
    await drop('a.csv');
    expect(await takeAll(intake, time)).toEqual(['a.csv']);
    await intake[Symbol.asyncDispose]();
    await rm(kit.inbox, { recursive: true });
    const second = await kit.open({ elapsedMs: time.elapsedMs });
    await drop('b.csv');
    expect(await takeAll(second, time)).toEqual(['b.csv']);
  });

  test('is nothing to an inbox of another name', async () => {
    await (await kit.open())[Symbol.asyncDispose]();
    const inbox = join(kit.root, 'other', 'inbox');
    const intake = await kit.open({ folders: { ...kit.folders, inbox } });
    expect(whyOf(intake)).toBe('there');
  });
});

describe('a second process of the same journal', () => {
  test.each([
    ['one file system', undefined],
    ['one without links', linklessDisk],
  ])('takes the inbox over, and the first takes no more files: %s', async (_name, disk) => {
    const time = makeVirtualClock();
    const options = { elapsedMs: time.elapsedMs, ...(disk === undefined ? {} : { disk }) };
    const first = await kit.open(options);
    await drop('a.csv');
    await first.take(9);
    time.skip(stillMs);
    // Seen, finished and fresh: even then it is asked again whose the inbox is.
    await first.take(0);
    const second = await kit.open({ ...options, folders: { ...kit.folders, work: join(kit.root, 'copy') } });
    expect(await first.take(1)).toEqual([]);
    expect(whyOf(first)).toMatch(/another watcher.*copy of this dataDir.*stop one of the two/);
    expect(await takeAll(second, time)).toEqual(['a.csv']);
    await drop('b.csv');
    time.skip(rescanMs);
    expect(await takeAll(first, time)).toEqual([]);
    expect(await takeAll(second, time)).toEqual(['b.csv']);
    expect(kit.lines.filter(({ message }) => message === 'the inbox is gone')).toHaveLength(1);
  });

  test('may come back as the first: whoever starts last works it', async () => {
    const first = await kit.open();
    await kit.open();
    await first.take(9);
    expect(whyOf(first)).not.toBe('there');
    await first[Symbol.asyncDispose]();
    expect(whyOf(await kit.open())).toBe('there');
  });

  test('finds a stamp that knows no processes yet', async () => {
    await mkdir(join(kit.inbox, '.paydrop'));
    await writeFile(stampPath(), '{"journalId":"J1"}');
    const intake = await kit.open();
    await intake.take(9);
    expect(whyOf(intake)).toBe('there');
  });
});

test('an inbox on a share that is full is worked after a restart too: that is what makes room', async (context) => {
  const mountPoint = join(kit.root, 'share');
  await mkdir(mountPoint);
  try {
    runAsRoot('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mountPoint);
  } catch {
    return context.skip();
  }
  try {
    const folders = { ...kit.folders, inbox: join(mountPoint, 'inbox') };
    await (await kit.open({ folders }))[Symbol.asyncDispose]();
    await writeFile(join(folders.inbox, 'a.csv'), Buffer.alloc(65_536)).catch(() => undefined);
    const time = makeVirtualClock();
    const second = await kit.open({ folders, elapsedMs: time.elapsedMs });
    expect(await takeAll(second, time)).toEqual(['a.csv']);
    await second[Symbol.asyncDispose]();
  } finally {
    runAsRoot('umount', '-l', mountPoint);
  }
});

describe('an inbox that several machines see', () => {
  const living = new Set<string>();
  const helper = (name: string) => ({
    owner: { name, mayTake: async (holder: string) => !living.has(holder) },
  });
  /** Takes the inbox from whoever has it, while its lease runs. */
  const sender = (name: string) => ({ owner: { name, mayTake: async () => living.has(name) } });
  beforeEach(() => living.clear());

  test('is left to the one that works it, without a word of trouble, and taken when that one is gone', async () => {
    const time = makeVirtualClock();
    living.add('worker-1');
    const first = await kit.open({ elapsedMs: time.elapsedMs, ...helper('worker-1') });
    const second = await kit.open({ elapsedMs: time.elapsedMs, ...helper('worker-2') });
    await drop('a.csv');
    expect(await takeAll(second, time)).toEqual([]);
    expect(whyOf(second)).toMatch(/is worked by another process of this journal/);
    expect(kit.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(await takeAll(first, time)).toEqual(['a.csv']);
    living.delete('worker-1');
    living.add('worker-2');
    await drop('b.csv');
    time.skip(rescanMs);
    expect(await takeAll(second, time)).toEqual(['b.csv']);
    expect(await takeAll(first, time)).toEqual([]);
  });

  test('is taken over by the one that sends, and not taken back', async () => {
    const time = makeVirtualClock();
    for (const name of ['worker-1', 'worker-2']) living.add(name);
    const helping = await kit.open({ elapsedMs: time.elapsedMs, ...helper('worker-1') });
    const sending = await kit.open({ elapsedMs: time.elapsedMs, ...sender('worker-2') });
    await drop('a.csv');
    expect(await takeAll(helping, time)).toEqual([]);
    expect(await takeAll(sending, time)).toEqual(['a.csv']);
  });

  test('is taken back by the one that sends, once its lease runs again, from a helper that is there or has ended', async () => {
    const time = makeVirtualClock();
    for (const name of ['worker-1', 'worker-2']) living.add(name);
    const sending = await kit.open({ elapsedMs: time.elapsedMs, ...sender('worker-1') });
    const helping = await kit.open({ elapsedMs: time.elapsedMs, ...helper('worker-2') });
    for (const end of ['lives', 'ends']) {
      // As when the database was away for longer than a lease.
      living.delete('worker-1');
      time.skip(rescanMs);
      await drop(`${end} 1.csv`);
      expect(await takeAll(helping, time)).toEqual([`${end} 1.csv`]);
      await drop(`${end} 2.csv`);
      time.skip(rescanMs);
      expect(await takeAll(sending, time)).toEqual([]);
      living.add('worker-1');
      if (end === 'ends') living.delete('worker-2');
      time.skip(rescanMs);
      expect(await takeAll(sending, time)).toEqual([`${end} 2.csv`]);
      time.skip(rescanMs);
      expect(await takeAll(helping, time)).toEqual([]);
    }
    expect(kit.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('is looked at again soon while another works it, however rarely it is read anew', async () => {
    const time = makeVirtualClock();
    living.add('worker-1');
    const hourMs = 3_600_000;
    const options = { clock: time, elapsedMs: time.elapsedMs, watch: { rescanMs: hourMs } };
    await kit.open({ ...options, ...sender('worker-1') });
    const helping = await kit.open({ ...options, ...helper('worker-2') });
    await helping.take(9);
    living.delete('worker-1');
    await drop('a.csv');
    const beganMs = time.elapsedMs();
    await time.drive(helping.waitForNews(new AbortController().signal));
    expect(time.elapsedMs() - beganMs).toBeLessThanOrEqual(2_000);
    expect(await takeAll(helping, time)).toEqual(['a.csv']);
  });

  test('stays with a helper that was taken for gone and has joined anew, under another name', async () => {
    const time = makeVirtualClock();
    let name = 'worker-1';
    living.add(name);
    const owner = {
      ...helper('').owner,
      get name() {
        return name;
      },
    };
    const helping = await kit.open({ elapsedMs: time.elapsedMs, owner });
    const other = await kit.open({ elapsedMs: time.elapsedMs, ...helper('worker-2') });
    living.delete(name);
    name = 'worker-3';
    living.add(name);
    time.skip(rescanMs);
    await drop('a.csv');
    expect(await takeAll(helping, time)).toEqual(['a.csv']);
    await drop('b.csv');
    expect(await takeAll(other, time)).toEqual([]);
    expect(await readFile(stampPath(), 'utf8')).toContain('"worker-3"');
  });

  test('has one name for its work folder, whoever asks', async () => {
    const id = await readFolderId(kit.root);
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(await readFolderId(join(kit.root, '.', 'inbox', '..'))).toBe(id);
    expect(await readFolderId(kit.inbox)).not.toBe(id);
  });

  test('has one name for its work folder, though several ask first, and no other file is left of it', async () => {
    const work = join(kit.root, 'work-of-all');
    await mkdir(work);
    const ids = await Promise.all(Array.from({ length: 8 }, () => readFolderId(work)));
    expect(new Set(ids).size).toBe(1);
    expect(await readdir(work)).toEqual(['.paydrop-folder.json']);
  });
});
