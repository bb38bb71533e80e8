/** Dropped files of decisions: which are taken, what is kept of them, and that nothing else comes of it. */
import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DroppedFiles } from '../../../src/review/dropped/intake.ts';
import {
  decisionFolders,
  isAsDropped,
  listDropped,
  readRecords,
  writeRecord,
} from '../../../src/review/dropped/waiting.ts';
import { type Disk, realDisk } from '../../../src/platform/disk.ts';
import type { FileQueueStore } from '../../../src/watch/ports.ts';
import { useFolder } from '../../support/payout-file-kit.ts';

type IntakeRefused = NonNullable<Parameters<FileQueueStore['endIntake']>[3]>;

type DropContext = ConstructorParameters<typeof DroppedFiles>[0];

const folder = useFolder();
let opened = 0;
const startMs = Date.UTC(2026, 10, 21, 5);

const header = 'batchId,rowNo,version,payoutId,decision,note\n';
const good = `${header}0123456789,1,3,P1,retry,asked\n`;
const bad = `${header}0123456789,1,3,P1,perhaps,asked\n`;

interface Line {
  readonly level: string;
  readonly message: string;
}

/** A folder that is looked at; each look a while after the one before. */
async function openDrop(marker: 'none' | 'done' = 'none', place = 'decisions') {
  opened += 1;
  const dataDir = folder.path(`data-${opened}`);
  const decisions = join(dataDir, 'decisions');
  await mkdir(decisions, { recursive: true });
  const clock = { ms: 0, now: () => startMs + clock.ms, elapsedMs: () => clock.ms, sleep: async () => {} };
  const lines: Line[] = [];
  const refused = new Map<string, IntakeRefused>();
  const told: string[] = [];
  const folders = { decisions: join(dataDir, place), rejected: join(dataDir, 'rejected') };
  const context = {
    loaded: {
      dataDir,
      folders,
      settings: { watch: { stillMs: 1_000, marker, polling: false, pollMs: 50, rescanMs: 1_000 } },
    },
    journal: {
      journalId: 'J1',
      findPayouts: async () => [],
      intakeRecord: async (itemId: string) => refused.get(itemId),
      endIntake: async (itemId: string, _outcome: string, _nowMs: number, file: IntakeRefused) =>
        refused.set(itemId, file),
    },
    clock,
    log: (level: string, message: string) => lines.push({ level, message }),
    onWaiting: async ({ fileName }: { readonly fileName: string }) => {
      told.push(fileName);
    },
  } as unknown as DropContext;
  let dropped = new DroppedFiles(context);
  const own = new Set(['.paydrop']);
  return {
    dataDir,
    decisions,
    folders,
    clock,
    lines,
    told,
    refused,
    drop: (name: string, text: string) => writeFile(join(decisions, name), text),
    /** What lies where it was dropped. */
    lying: async () => (await readdir(decisions)).filter((name) => !own.has(name)).toSorted(),
    /** Another process, as after a crash. */
    restart: (disk: Disk = realDisk) => {
      dropped = new DroppedFiles({ ...context, disk });
    },
    look: async (ms: number) => {
      clock.ms += ms;
      await dropped.step();
      return (await listDropped(dataDir)).map(({ fileName }) => fileName);
    },
    rejected: async () => (await readdir(folders.rejected)).filter((name) => !name.endsWith('.reason.txt')),
    reason: (name: string) => readFile(join(folders.rejected, `${name}.reason.txt`), 'utf8'),
    end: async () => {
      for (const record of await readRecords(dataDir))
        await writeRecord(dataDir, { ...record, endedAtMs: clock.now() });
    },
  };
}

test('a file is taken once it has been still, whatever its name, with its hash and what it asks for', async () => {
  const { drop, look, lying, dataDir, told } = await openDrop();
  const name = 'ผลการพิจารณา วันที่ 1.csv';
  await drop(name, good.slice(0, 20));
  expect(await look(0)).toEqual([]);
  await drop(name, good);
  expect(await look(1_000)).toEqual([]);
  expect(await look(999)).toEqual([]);
  expect(await look(1)).toEqual([name]);
  expect(await lying()).toEqual([]);
  expect(told).toEqual([name]);
  expect(await listDropped(dataDir)).toMatchObject([
    { fileName: name, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), asks: 'Retry: 1 row, 0.00 baht' },
  ]);
});

test('what is wrong with a file stands beside it by its lines and in the queue, and the same bytes wait once', async () => {
  const { drop, look, rejected, reason, refused } = await openDrop();
  await drop('a.csv', good);
  await drop('bad.csv', bad);
  await drop('junk.xlsx', 'PK\u0003\u0004junk');
  await drop('none.csv', good.replace('retry', ''));
  await look(0);
  expect(await look(1_000)).toEqual(['a.csv']);
  expect(await reason('bad.csv')).toMatch(/line 2.*decision/);
  expect((await rejected()).toSorted()).toEqual(['bad.csv', 'junk.xlsx', 'none.csv']);
  expect([...refused.values()].map(({ fileName }) => fileName).toSorted()).toEqual(await rejected());
  await drop('b.csv', good);
  await drop('a.csv', `${good}\n`);
  await look(0);
  expect((await look(1_000)).toSorted()).toEqual(['a.csv', 'a.csv']);
  expect(await reason('b.csv')).toContain('the same bytes wait already, as a.csv');
});

test('links, folders and temporary names stay; with markers a file waits for its own', async () => {
  const { drop, look, lying, decisions, dataDir } = await openDrop('done');
  await writeFile(join(dataDir, 'outside.csv'), good);
  await symlink(join(dataDir, 'outside.csv'), join(decisions, 'link.csv'));
  await mkdir(join(decisions, 'folder.csv'));
  await drop('a.csv.part', good);
  await drop('a.csv', good);
  await drop('link.csv.done', '');
  await look(0);
  expect(await look(5_000)).toEqual([]);
  await drop('a.csv.done', '');
  await look(1);
  expect(await look(1_000)).toEqual(['a.csv']);
  expect(await lying()).toEqual(['a.csv.part', 'folder.csv', 'link.csv', 'link.csv.done']);
});

test('a folder that is elsewhere and not there is not made', async () => {
  const { dataDir, look } = await openDrop('none', 'share');
  expect(await look(0)).toEqual([]);
  expect(await readdir(dataDir)).toEqual(['decisions']);
});

test('one that is too large is turned away, and nothing is said of it with every look', async () => {
  const { drop, look, decisions, lines, reason, lying } = await openDrop();
  await drop('big.csv', good);
  await truncate(join(decisions, 'big.csv'), 134_217_729);
  await mkdir(join(decisions, 'folder.csv'));
  await look(0);
  for (let looks = 0; looks < 5; looks += 1) expect(await look(1_000)).toEqual([]);
  expect(await reason('big.csv')).toMatch(/more than 134217728 bytes: split it/);
  expect(await lying()).toEqual(['folder.csv']);
  const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings).toEqual(['left in the inbox (decisions)', 'a dropped file of decisions was rejected']);
});

test('names that are paths, steer a terminal or are too long are kept as names', async () => {
  const { drop, look, lying, dataDir } = await openDrop();
  const names = ['x..%2f..\\y.csv', '\u001B[2Jx.csv', `${'ก'.repeat(83)}.csv`, '-rf.csv', 'a\nb.csv'];
  for (const [place, name] of names.entries()) await drop(name, `${good}${'\n'.repeat(place)}`);
  await look(0);
  const shown = await look(1_000);
  expect(shown).toHaveLength(names.length);
  expect(shown.filter((name) => /[\p{C}/\\]|^\./u.test(name))).toEqual([]);
  expect(await lying()).toEqual([]);
  expect((await readdir(dataDir)).toSorted()).toEqual([
    'decisions',
    'decisions-waiting',
    'decisions-work',
    'rejected',
  ]);
});

test('no more wait than somebody can look at: the rest stays where it was dropped, and is taken later', async () => {
  const { drop, look, lying, lines, end } = await openDrop();
  for (let count = 0; count < 53; count += 1) await drop(`${count}.csv`, `${good}${'\n'.repeat(count)}`);
  await look(0);
  expect(await look(1_000)).toHaveLength(50);
  await look(1_000);
  expect(await lying()).toHaveLength(3);
  const full = lines.filter(({ message }) => message.startsWith('no more files of decisions'));
  expect(full).toHaveLength(1);
  await end();
  await look(1_000);
  expect(await look(1_000)).toHaveLength(3);
});

test('whoever goes on writing loses nothing: what waits is not as it was dropped, and comes anew', async () => {
  const { drop, look, decisions, dataDir, folders, end } = await openDrop();
  await drop('a.csv', good);
  await using writer = await open(join(decisions, 'a.csv'), 'a');
  await look(0);
  expect(await look(1_000)).toEqual(['a.csv']);
  const [waiting = { itemId: '', sha256: '' }] = await listDropped(dataDir);
  expect(await isAsDropped({ dataDir, folders }, waiting)).toBe(true);
  await writer.appendFile('0123456789,2,3,P2,retry,asked\n');
  expect(await isAsDropped({ dataDir, folders }, waiting)).toBe(false);
  await end();
  await look(1);
  await look(1);
  expect(await look(1_000)).toEqual(['a.csv']);
  expect((await listDropped(dataDir))[0]?.asks).toBe('Retry: 2 rows, 0.00 baht');
});

test('what has ended leaves its folder, and is kept for a while', async () => {
  const { drop, look, dataDir, end, clock } = await openDrop();
  const { work, ended } = decisionFolders(dataDir);
  await drop('a.csv', good);
  await look(0);
  await look(1_000);
  await end();
  expect(await look(1)).toEqual([]);
  expect(await readRecords(dataDir)).toEqual([]);
  expect((await readdir(work)).filter((name) => !name.startsWith('.'))).toEqual([]);
  expect(await readFile(join(ended, '2026-11-21', 'a.csv'), 'utf8')).toBe(good);
  clock.ms += 90 * 86_400_000;
  await look(0);
  expect(await readdir(ended)).toEqual(['2026-11-21']);
  await look(86_400_000);
  expect(await readdir(ended)).toEqual([]);
});

/** A disk that does so many steps, and none after them. */
function dieAfter(steps: number): Disk {
  let left = steps;
  return new Proxy(realDisk, {
    get: (target, key) => {
      const step = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (left <= 0) throw new Error('killed');
        left -= 1;
        return step(...args);
      };
    },
  });
}

/** Kills at each step, from the first to the last. @returns how many there were */
async function killAtEach(
  prepare: (rig: Awaited<ReturnType<typeof openDrop>>) => Promise<void>,
  expectWhole: (rig: Awaited<ReturnType<typeof openDrop>>) => Promise<void>,
): Promise<number> {
  for (let steps = 0; ; steps += 1) {
    const rig = await openDrop();
    await prepare(rig);
    rig.restart(dieAfter(steps));
    let isKilled = false;
    for (const ms of [0, 1_000])
      await rig.look(ms).catch(() => {
        isKilled = true;
      });
    rig.restart();
    for (const ms of [0, 1_000, 1_000]) await rig.look(ms);
    await expectWhole(rig);
    const warned = rig.lines.some(({ message }) => /stuck|gone/.test(message));
    if (!isKilled && !warned) return steps;
  }
}

test('killed at any step between the drop and the wait, it waits once and whole', async () => {
  const steps = await killAtEach(
    ({ drop }) => drop('a.csv', good),
    async ({ dataDir, lying }) => {
      const waiting = await listDropped(dataDir);
      expect(waiting.map(({ fileName }) => fileName)).toEqual(['a.csv']);
      const { work } = decisionFolders(dataDir);
      const [{ itemId } = { itemId: '' }] = waiting;
      expect(await readFile(join(work, itemId, 'a.csv'), 'utf8')).toBe(good);
      expect(await lying()).toEqual([]);
    },
  );
  expect(steps).toBeGreaterThan(4);
});

test('killed at any step of its end, it has ended once', async () => {
  const steps = await killAtEach(
    async ({ drop, look, end }) => {
      await drop('a.csv', good);
      await look(0);
      await look(1_000);
      await end();
    },
    async ({ dataDir, lying }) => {
      const { ended } = decisionFolders(dataDir);
      expect(await readRecords(dataDir)).toEqual([]);
      expect(await lying()).toEqual([]);
      const kept = (await readdir(join(ended, '2026-11-21'))).filter((name) => !name.startsWith('.'));
      expect(kept).toEqual(['a.csv']);
    },
  );
  expect(steps).toBeGreaterThan(3);
});

test('told before the record was kept or after, a file waits once', async () => {
  const { drop, look, restart, told, dataDir } = await openDrop();
  await drop('a.csv', good);
  await look(0);
  await look(1_000);
  restart();
  expect(await look(1)).toEqual(['a.csv']);
  // The notice has the file's number as its key: it goes out once.
  expect(told).toEqual(['a.csv', 'a.csv']);
  await appendFile(join(dataDir, 'decisions', 'b.csv'), good);
  await rename(join(dataDir, 'decisions', 'b.csv'), join(dataDir, 'decisions', 'c.csv'));
  await look(0);
  expect(await look(1_000)).toEqual(['a.csv']);
});
