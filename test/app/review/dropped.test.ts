/** Dropped files of decisions: which are taken, what is kept of them, and that nothing else comes of it. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DropContext, listDropped, takeDropped } from '../../../src/app/review/dropped.ts';
import type { Sighting } from '../../../src/watch/rules/drop-folder.ts';
import { useFolder } from '../../support/payout-file-kit.ts';

const folder = useFolder();
let opened = 0;

const good = 'batchId,rowNo,version,payoutId,decision,note\n0123456789,1,3,P1,retry,asked\n';
const bad = 'batchId,rowNo,version,payoutId,decision,note\n0123456789,1,3,P1,perhaps,asked\n';

/** A folder that is looked at; each look a while after the one before. */
async function openDrop(marker: 'none' | 'done' = 'none', place = 'decisions') {
  opened += 1;
  const dataDir = folder.path(`data-${opened}`);
  const decisions = join(dataDir, 'decisions');
  await mkdir(decisions, { recursive: true });
  const clock = { ms: 0, now: () => clock.ms, elapsedMs: () => clock.ms };
  const seen = new Map<string, Sighting>();
  const context = {
    loaded: {
      dataDir,
      folders: { decisions: join(dataDir, place), rejected: join(dataDir, 'rejected') },
      settings: { watch: { stillMs: 1_000, marker } },
    },
    journal: { findPayouts: async () => [] },
    clock,
    log: () => undefined,
  } as unknown as DropContext;
  return {
    dataDir,
    decisions,
    drop: (name: string, text: string) => writeFile(join(decisions, name), text),
    look: async (ms: number) => {
      clock.ms += ms;
      await takeDropped(context, seen);
      return (await listDropped(dataDir)).map(({ fileName }) => fileName);
    },
    rejected: () => readdir(join(dataDir, 'rejected')).catch(() => []),
    reason: (name: string) => readFile(join(dataDir, 'rejected', `${name}.reason.txt`), 'utf8'),
  };
}

test('a file is taken once it has been still, whatever its name, with its hash and what it asks for', async () => {
  const { drop, look, decisions, dataDir } = await openDrop();
  const name = 'ผลการพิจารณา วันที่ 1.csv';
  await drop(name, good.slice(0, 20));
  expect(await look(0)).toEqual([]);
  await drop(name, good);
  expect(await look(1_000)).toEqual([]);
  expect(await look(999)).toEqual([]);
  expect(await look(1)).toEqual([name]);
  expect(await readdir(decisions)).toEqual([]);
  expect(await listDropped(dataDir)).toMatchObject([
    { fileName: name, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), asks: 'Retry: 1 row, 0.00 baht' },
  ]);
});

test('what is wrong with a file stands beside it by its lines, and the same bytes wait once', async () => {
  const { drop, look, rejected, reason } = await openDrop();
  await drop('a.csv', good);
  await drop('bad.csv', bad);
  await drop('junk.xlsx', 'PK\u0003\u0004junk');
  await drop('none.csv', good.replace('retry', ''));
  await look(0);
  expect(await look(1_000)).toEqual(['a.csv']);
  expect(await reason('bad.csv')).toMatch(/line 2.*decision/);
  expect((await rejected()).filter((name) => !name.endsWith('.reason.txt')).toSorted()).toEqual([
    'bad.csv',
    'junk.xlsx',
    'none.csv',
  ]);
  await drop('b.csv', good);
  await drop('a.csv', `${good}\n`);
  await look(0);
  expect((await look(1_000)).toSorted()).toEqual(['a.2.csv', 'a.csv']);
  expect(await reason('b.csv')).toContain('the same bytes wait already, as a.csv');
});

test('links, folders and temporary names stay; with markers a file waits for its own', async () => {
  const { drop, look, decisions, dataDir } = await openDrop('done');
  await writeFile(join(dataDir, 'outside.csv'), good);
  await symlink(join(dataDir, 'outside.csv'), join(decisions, 'link.csv'));
  await mkdir(join(decisions, 'folder.csv'));
  await drop('a.csv.part', good);
  await drop('a.csv', good);
  await drop('link.csv.done', '');
  await look(0);
  expect(await look(5_000)).toEqual([]);
  await drop('a.csv.done', '');
  expect(await look(1)).toEqual(['a.csv']);
  expect((await readdir(decisions)).toSorted()).toEqual([
    'a.csv.part',
    'folder.csv',
    'link.csv',
    'link.csv.done',
  ]);
});

test('a folder that is elsewhere and not there is not made', async () => {
  const { dataDir, look } = await openDrop('none', 'share');
  expect(await look(0)).toEqual([]);
  expect(await readdir(dataDir)).toEqual(['decisions']);
});
