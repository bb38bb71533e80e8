import { chmod, copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backUpJournal } from '../../src/journal/backup.ts';
import { openJournal } from '../../src/journal/open.ts';
import { runPaydrop } from '../cli/run-paydrop.ts';
import { firstReady, ingestRunning, intentOf, makeRows, readyOf } from './fixtures.ts';
import { makeFolder, openingIn } from './sqlite-store.ts';

/** Opens a copy as a journal of its own, with no mark beside it. */
async function openCopy(copy: string, folder: string) {
  await mkdir(folder);
  await copyFile(copy, join(folder, 'journal.db'));
  return openJournal(openingIn(folder));
}

describe('a backup of the journal', () => {
  test('is whole, though the journal is being written, and shows one moment', async () => {
    await using folder = await makeFolder();
    await using journal = await openJournal(openingIn(folder.path));
    const { batchId } = await ingestRunning(journal, makeRows(200));
    const [first, ...others] = await readyOf(journal);
    if (first === undefined) throw new Error('no row is ready');
    await journal.apply([intentOf(first).change]);
    const waiting = journal.apply(others.map((payout) => intentOf(payout).change));
    const path = join(folder.path, 'copy.db');
    const { latestEventSeq, bytes } = backUpJournal(folder.path, path);
    await waiting;
    await using copy = await openCopy(path, join(folder.path, 'restored'));
    const totals = await copy.totals(batchId);
    expect(totals.map(({ status, rows }) => [status, rows])).toEqual([
      ['ready', 199],
      ['submitted', 1],
    ]);
    expect([latestEventSeq, bytes]).toEqual([201, (await stat(path)).size]);
  });

  test('is readable by its owner only, and leaves nothing else behind', async () => {
    await using folder = await makeFolder();
    await using journal = await openJournal(openingIn(folder.path));
    await ingestRunning(journal, makeRows(2));
    await firstReady(journal);
    const target = join(folder.path, 'elsewhere');
    await mkdir(target);
    backUpJournal(folder.path, join(target, 'copy.db'));
    expect(await readdir(target)).toEqual(['copy.db']);
    expect((await stat(join(target, 'copy.db'))).mode & 0o777).toBe(0o600);
  });

  test('never replaces a file, and says where it cannot write', async () => {
    await using folder = await makeFolder();
    await using journal = await openJournal(openingIn(folder.path));
    expect(await journal.batches()).toEqual([]);
    const taken = join(folder.path, 'taken.db');
    await writeFile(taken, 'mine');
    expect(() => backUpJournal(folder.path, taken)).toThrow('is there already');
    expect(() => backUpJournal(folder.path, join(folder.path, 'nowhere', 'copy.db'))).toThrow(
      'make it first',
    );
    await chmod(folder.path, 0o700);
    expect((await readdir(folder.path)).filter((name) => name.includes('.part'))).toEqual([]);
  });
});

test('the command needs a journal, and prints what the copy has', async () => {
  await using folder = await makeFolder();
  const config = join(import.meta.dirname, '../../config/sandbox.yaml');
  const options = ['--config', config, '--data-dir', folder.path];
  const none = await runPaydrop(['backup', join(folder.path, 'copy.db'), ...options]);
  expect(none).toMatchObject({ code: 2, stdout: '' });
  const sample = join(import.meta.dirname, '../../samples/payouts.csv');
  await runPaydrop(['run', sample, ...options, '--log-level', 'silent']);
  const made = await runPaydrop(['backup', join(folder.path, 'copy.db'), ...options, '--json']);
  expect(made.code).toBe(0);
  expect(JSON.parse(made.stdout)).toMatchObject({ path: join(folder.path, 'copy.db') });
});
