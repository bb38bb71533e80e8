/** From claim to end: across file systems, and through a crash at every step. */
import { appendFile, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Disk, realDisk } from '../../../src/platform/disk.ts';
import { listItems, lookInto } from '../../../src/watch/folders/claim.ts';
import { readFileState } from '../../../src/watch/folders/states.ts';
import type { FileEnd, WorkItem } from '../../../src/watch/ports.ts';
import {
  type Kit,
  linklessDisk,
  makeFolderElsewhere,
  makeKit,
  splitDisk,
  stillMs,
  stoppingDisk,
} from '../../support/inbox-kit.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

type FileState = ReturnType<typeof readFileState>;

let kit: Kit;
beforeEach(async () => {
  kit = await makeKit();
});
afterEach(() => kit[Symbol.asyncDispose]());

const drop = (name: string, text = name) => writeFile(join(kit.inbox, name), text);
const archived: FileEnd = { kind: 'archive', date: '2026-11-21', batchId: 'B7' };
const rejected: FileEnd = { kind: 'reject', reason: 'why\n' };
const disks: [string, (kit: Kit) => Disk][] = [
  ['one file system', () => realDisk],
  ['several file systems', ({ folders }) => splitDisk(folders)],
  ['a file system without links', () => linklessDisk],
];

describe.each(disks)('on %s', (system, makeDisk) => {
  const isSplit = system === 'several file systems';
  test.each([archived, rejected])('nothing is overwritten: $kind', async (end) => {
    const intake = await kit.open({ disk: makeDisk(kit) });
    const paths: string[] = [];
    for (const text of ['1', '22', '333']) {
      await drop('a.csv', text);
      const [item] = await kit.collect(intake, 1);
      expect(await intake.isUntouched(item!)).toBe(true);
      paths.push(await intake.end(item!, end));
      // Whoever could not note down the end asks again.
      expect(await intake.end(item!, end)).toBe(paths.at(-1));
      expect(await intake.isUntouched(item!)).toBe(true);
    }
    expect(await Promise.all(paths.map((path) => readFile(path, 'utf8')))).toEqual(['1', '22', '333']);
    expect(Object.keys(await kit.files()).toSorted()).toEqual(
      end.kind === 'archive'
        ? ['a.B7.2.csv', 'a.B7.csv', 'a.csv'].map((name) => `archive/2026-11-21/${name}`)
        : ['a.2.csv', 'a.2.csv.reason.txt', 'a.3.csv', 'a.3.csv.reason.txt', 'a.csv', 'a.csv.reason.txt'].map(
            (name) => `rejected/${name}`,
          ),
    );
    expect(await kit.workNames()).toEqual([]);
  });

  test('a file that vanished from work/ ends all the same', async () => {
    await drop('a.csv');
    const intake = await kit.open({ disk: makeDisk(kit) });
    const [item] = await kit.collect(intake, 1);
    await rm(item!.path);
    expect(await intake.isUntouched(item!)).toBe(false);
    expect(await intake.end(item!, rejected)).toBe(join(kit.folders.rejected, 'a.csv'));
    expect(await kit.files()).toEqual({ 'rejected/a.csv.reason.txt': 'why\n' });
    expect(kit.lines.map(({ message }) => message)).toEqual(['the file has vanished from work/']);
  });

  test.runIf(system !== 'a file system without links').each(isSplit ? [archived, rejected] : [rejected])(
    'a crash at any step tears nothing, and leaves a state of the list: $kind',
    async (end) => {
      const left = new Set<FileState>();
      await tryEachStep((step) => crashAndGoOn(makeDisk, step, end, (state) => left.add(state)));
      const found = ['claimed', 'claiming', ...(isSplit ? ['copied'] : []), 'ended', 'spent', 'working'];
      expect([...left].toSorted()).toEqual(found);
    },
  );

  test.runIf(isSplit).each([rejected])('a step that is refused once is made up for: $kind', async (end) => {
    await tryEachStep((step) => refuseOnce(makeDisk, step, end));
  });
});

/** Goes through a journey once for each step that may fail, until one has come through without. */
async function tryEachStep(journey: (step: number) => Promise<boolean>): Promise<void> {
  const isThrough: boolean[] = [];
  while (isThrough.at(-1) !== true) {
    const steps = Array.from({ length: 12 }, (_, place) => isThrough.length + place);
    isThrough.push(...(await Promise.all(steps.map(journey))));
  }
  expect(isThrough.indexOf(true)).toBeGreaterThan(15);
}

/** The disk refuses one step, and the same process goes on. @returns true when there was no such step */
async function refuseOnce(makeDisk: (kit: Kit) => Disk, step: number, end: FileEnd): Promise<boolean> {
  await using own = await makeKit();
  await writeFile(join(own.inbox, 'a.csv'), 'whole');
  await writeFile(join(own.inbox, 'a.csv.control.json'), '{}');
  const { disk, hasStopped } = stoppingDisk(makeDisk(own), step, 1);
  const watch = { stillMs: 1, rescanMs: 20 };
  const intake = await own.open({ isSidecarExpected: true, watch, disk });
  const items: WorkItem[] = [];
  for (let tries = 0; tries < 50 && items.length === 0; tries += 1) {
    items.push(...(await own.collect(intake, 1, 25).catch(() => [])));
  }
  const [item] = items;
  const path = await intake.end(item!, end).catch(() => intake.end(item!, end));
  expect([step, await intake.take(1)]).toEqual([step, []]);
  const { [path.slice(own.root.length + 1)]: text, ...others } = await own.files();
  expect([step, text]).toEqual([step, 'whole']);
  const companions = end.kind === 'archive' ? ['.control.json'] : ['.control.json', '.reason.txt'];
  expect([step, ...Object.keys(others).toSorted()]).toEqual([
    step,
    ...companions.map((ending) => `${path}${ending}`.slice(own.root.length + 1)),
  ]);
  expect([step, await own.workNames()]).toEqual([step, []]);
  return !hasStopped();
}

const crashSettings = { isSidecarExpected: true, watch: { marker: 'done', stillMs: 1 } } as const;

/** Stops the machine at a step of a file's journey, and starts it anew. @returns true when it came through before */
async function crashAndGoOn(
  makeDisk: (kit: Kit) => Disk,
  step: number,
  end: FileEnd,
  note: (state: FileState) => void,
): Promise<boolean> {
  await using own = await makeKit();
  for (const [ending, text] of [
    ['', 'whole'],
    ['.control.json', '{}'],
    ['.done', ''],
  ]) {
    await writeFile(join(own.inbox, `a.csv${ending}`), text!);
  }
  const { disk, hasStopped } = stoppingDisk(makeDisk(own), step);
  const first = await own.open({ ...crashSettings, disk });
  const goThrough = async () => {
    let [item] = await own.collect(first, 1, 200);
    // A busy machine may take longer to look.
    for (let looks = 0; item === undefined && !hasStopped() && looks < 100; looks += 1)
      [item] = await own.collect(first, 1, 200);
    if (item !== undefined) await first.end(item, end);
    return item !== undefined;
  };
  const isThrough = (await goThrough().catch(() => false)) && !hasStopped();
  await first[Symbol.asyncDispose]();
  note(await readState(own));
  await recoverBeside(own);
  await writeFile(join(own.inbox, 'a.csv.done'), '');
  const second = await own.open({ ...crashSettings, disk: makeDisk(own) });
  const items: WorkItem[] = [...(await second.recover())];
  if (items.length === 0 && (await isToCome(own))) items.push(...(await own.collect(second, 1)));
  for (const item of items) {
    expect(await readFile(item.path, 'utf8')).toBe('whole');
    expect(await second.isUntouched(item)).toBe(true);
    await second.end(item, end);
  }
  const { 'inbox/a.csv.done': _marker, ...files } = await own.files();
  const folder = end.kind === 'archive' ? 'archive/2026-11-21' : 'rejected';
  const expected = {
    [`${folder}/a.csv`]: 'whole',
    [`${folder}/a.csv.control.json`]: '{}',
    ...(end.kind === 'reject' ? { [`${folder}/a.csv.reason.txt`]: 'why\n' } : {}),
  };
  expect([step, files]).toEqual([step, expected]);
  expect(await own.workNames()).toEqual([]);
  expect(await readdir(join(own.inbox, '.paydrop', 'claimed'))).toEqual([]);
  return isThrough;
}

/** Whether the file waits where it is taken from. */
const isToCome = async ({ inbox, claimedNames }: Kit): Promise<boolean> =>
  (await readdir(inbox)).includes('a.csv') || (await claimedNames()).length > 0;

/** Another drop folder, which rejects into the same folder: what the first has left there is none of its business. */
async function recoverBeside(own: Kit): Promise<void> {
  const [inbox, work, archive] = ['inbox', 'work', 'archive'].map((name) => join(own.root, 'beside', name));
  const folders = { ...own.folders, inbox: inbox!, work: work!, archive: archive! };
  await (await own.open({ folders, label: 'beside' })).recover();
}

/** The state that the one file is in, by its folders. */
async function readState({ inbox, folders }: Kit): Promise<FileState> {
  const claimed = join(inbox, '.paydrop', 'claimed');
  const [itemId = 'none'] = [...(await listItems(claimed)), ...(await listItems(folders.work))];
  const isSidecar = (name: string) => name.endsWith('.control.json');
  const { holds } = await lookInto(join(claimed, itemId), isSidecar);
  return readFileState(holds, (await lookInto(join(folders.work, itemId))).holds);
}

describe('across file systems', () => {
  test('a source that is written to while it is copied is copied again, and told', async () => {
    let copies = 0;
    const split = splitDisk(kit.folders);
    const disk: Disk = {
      ...split,
      copy: async (source, to) => {
        await split.copy(source, to);
        copies += 1;
        const [id = ''] = await readdir(join(kit.inbox, '.paydrop', 'claimed'));
        if (copies === 1) await appendFile(join(kit.inbox, '.paydrop', 'claimed', id, 'a.csv'), '+');
      },
    };
    await drop('a.csv', '1');
    const intake = await kit.open({ disk });
    const [item] = await kit.collect(intake, 1);
    expect([copies, await readFile(item!.path, 'utf8')]).toEqual([2, '1+']);
    expect(await intake.isUntouched(item!)).toBe(false);
    expect(await kit.workNames()).toEqual([item!.itemId]);
  });

  test('a writer that goes on after the copy is told', async () => {
    const intake = await kit.open({ disk: splitDisk(kit.folders) });
    await using writer = await open(join(kit.inbox, 'a.csv'), 'w');
    await writer.write('1');
    const [item] = await kit.collect(intake, 1);
    expect(await intake.isUntouched(item!)).toBe(true);
    await writer.write('2');
    expect(await intake.isUntouched(item!)).toBe(false);
  });

  test('a full disk is thrown, and what was claimed comes when there is room', async () => {
    let isFull = true;
    const split = splitDisk(kit.folders);
    const full = () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
    const disk = {
      ...split,
      copy: (...args: Parameters<Disk['copy']>) => (isFull ? full() : split.copy(...args)),
    };
    await drop('a.csv');
    const time = makeVirtualClock();
    const intake = await kit.open({ disk, elapsedMs: time.elapsedMs });
    await intake.take(9);
    time.skip(stillMs);
    await expect(intake.take(9)).rejects.toThrow(/work: the disk is full/);
    time.skip(1_000);
    await expect(intake.take(9)).rejects.toThrow(/work: the disk is full/);
    expect(await kit.workNames()).toEqual([]);
    isFull = false;
    expect(await intake.take(9)).toEqual([]);
    time.skip(2_000);
    expect(await intake.take(9)).toHaveLength(1);
  });

  test('the source of a copy goes at the next start, unless it was written to since', async () => {
    const disk = splitDisk(kit.folders);
    const keeping = {
      ...disk,
      remove: () => Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' })),
    };
    await drop('a.csv');
    await drop('b.csv');
    const first = await kit.open({ disk: keeping });
    expect(await kit.collect(first, 2)).toHaveLength(2);
    await first[Symbol.asyncDispose]();
    const claimed = join(kit.inbox, '.paydrop', 'claimed');
    for (const id of await readdir(claimed)) {
      if ((await readdir(join(claimed, id)))[0] === 'b.csv')
        await appendFile(join(claimed, id, 'b.csv'), '+');
    }
    const second = await kit.open({ disk });
    const items = await second.recover();
    const untouched = await Promise.all(items.map((item) => second.isUntouched(item)));
    const told = items.map(({ fileName }, place) => `${fileName} ${untouched[place]}`);
    expect(told.toSorted()).toEqual(['a.csv true', 'b.csv false']);
    expect(await readdir(claimed)).toEqual([]);
    expect(await kit.files()).toMatchObject({ 'inbox/b.csv': 'b.csv+' });
  });

  test('really: a file goes through folders on two of them', async (context) => {
    const place = await makeFolderElsewhere(kit.root);
    if (place === undefined) return context.skip();
    try {
      await using own = await makeKit({ work: join(place, 'work'), rejected: join(place, 'rejected') });
      await writeFile(join(own.inbox, 'a.csv'), 'x'.repeat(3_000_000));
      await writeFile(join(own.inbox, 'b.csv'), 'b');
      const intake = await own.open();
      const items = await own.collect(intake, 2);
      expect(await readdir(join(own.inbox, '.paydrop', 'claimed'))).toEqual([]);
      items.sort((one, other) => other.bytes - one.bytes);
      const paths = [await intake.end(items[0]!, archived), await intake.end(items[1]!, rejected)];
      expect(await Promise.all(paths.map(async (path) => (await stat(path)).size))).toEqual([3_000_000, 1]);
    } finally {
      await rm(place, { recursive: true });
    }
  });
});

describe('work/', () => {
  test('is found again, the oldest drop first; half copies go, what is not ours stays', async () => {
    const { work } = kit.folders;
    for (const id of [
      '19700101T000000002-aaaaaa',
      '19700101T000000001-bbbbbb',
      '19700101T000000003-cccccc',
    ]) {
      await mkdir(join(work, id), { recursive: true });
      if (!id.endsWith('c')) await writeFile(join(work, id, 'a\n.csv'), 'x');
    }
    await mkdir(join(work, '.19700101T000000004-aaaaaa.0123456789ab.tmp'));
    await writeFile(join(work, '.19700101T000000004-aaaaaa.0123456789ab.tmp', 'half'), '');
    await mkdir(join(work, '19700101T000000005-aaaaaa', 'folder'), { recursive: true });
    await writeFile(join(work, 'notes.txt'), '');
    const intake = await kit.open();
    const items = await intake.recover();
    expect(items.map(({ droppedAtMs, fileName, bytes }) => [droppedAtMs, fileName, bytes])).toEqual([
      [1, 'a\n.csv', 1],
      [2, 'a\n.csv', 1],
    ]);
    expect(await kit.workNames()).toEqual([
      '19700101T000000001-bbbbbb',
      '19700101T000000002-aaaaaa',
      '19700101T000000005-aaaaaa',
      'notes.txt',
    ]);
    expect(kit.lines.map(({ file }) => file)).toEqual(['19700101T000000005-aaaaaa', 'notes.txt']);
    expect(await intake.recover()).toEqual(items);
  });
});
