import fs from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { backUpJournal, placeBackup } from '../../src/app/backup.ts';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { openJournal } from '../../src/store/open.ts';
import { runPaydrop } from '../cli/run-paydrop.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { firstReady, ingestRunning, intentOf, makeRows, readyOf } from '../support/journal-fixtures.ts';
import { makeFolder, openingIn, stamp } from '../support/sqlite-store.ts';

/** Puts a copy in the place of a journal, with no mark beside it. */
async function openCopy(copy: string, folder: string) {
  placeBackup(copy, folder, stamp, noonMs);
  const recovery = { sinceDate: formatBangkokDate(noonMs) };
  return openJournal({ ...openingIn(folder), recovery, restores: true });
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

describe('a backup in the place of the journal', () => {
  test('opens through restore alone, whatever else a person says, and beside nobody', async () => {
    await using folder = await makeFolder();
    await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
    const copy = join(folder.path, 'copy.db');
    backUpJournal(folder.path, copy);
    const dataDir = join(folder.path, 'data');
    await mkdir(dataDir);
    await copyFile(copy, join(dataDir, 'journal.db'));
    const recovery = { sinceDate: formatBangkokDate(noonMs) };
    for (const way of [{}, { recovery }, { adopts: true }, { access: 'beside' } as const])
      await expect(openJournal({ ...openingIn(dataDir), ...way })).rejects.toThrow('paydrop restore');
    await (await openJournal({ ...openingIn(dataDir), recovery, restores: true }))[Symbol.asyncDispose]();
    await using journal = await openJournal(openingIn(dataDir));
    expect(await journal.loss()).toMatchObject({ sinceDate: recovery.sinceDate });
    expect(journal.newSinceMs).toBe(noonMs);
  });

  test('never replaces a journal, nor joins the log of another, and is a journal', async () => {
    await using folder = await makeFolder();
    await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
    const copy = join(folder.path, 'copy.db');
    backUpJournal(folder.path, copy);
    const place = (file: string, dataDir: string) => () => placeBackup(file, dataDir, stamp, noonMs);
    expect(place(copy, folder.path)).toThrow('journal.db is there');
    const other = join(folder.path, 'other');
    await mkdir(other);
    await writeFile(join(other, 'journal.db-wal'), '');
    expect(place(copy, other)).toThrow('journal.db-wal is there');
    expect(place(join(folder.path, 'none.db'), other)).toThrow('there is no file');
    for (const [name, bytes] of [
      ['text.db', 'no journal'.repeat(99)],
      ['empty.db', ''],
    ] as const) {
      await writeFile(join(folder.path, name), bytes);
      expect(place(join(folder.path, name), other)).toThrow(`${name} is no journal, or damaged`);
    }
  });
});

describe('beside other files', () => {
  test('leaves what somebody keeps there alone', async () => {
    await using folder = await makeFolder();
    await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
    const path = join(folder.path, 'copy.db');
    for (const ending of ['.part', '.part-journal']) await writeFile(`${path}${ending}`, 'mine');
    backUpJournal(folder.path, path);
    expect(await readFile(`${path}.part`, 'utf8')).toBe('mine');
    expect((await readdir(folder.path)).filter((name) => name.startsWith('copy.db')).toSorted()).toEqual([
      'copy.db',
      'copy.db.part',
      'copy.db.part-journal',
    ]);
  });
});

describe('on a file system without hard links', () => {
  const refuse = (code: string) => () => {
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  test.each(['EPERM', 'ENOTSUP'])(
    '%s: the copy gets its name all the same, never over another',
    async (code) => {
      await using folder = await makeFolder();
      await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
      const path = join(folder.path, 'copy.db');
      vi.spyOn(fs, 'linkSync').mockImplementation(refuse(code));
      vi.spyOn(fs, 'chmodSync').mockImplementation(refuse('EPERM'));
      syncBuiltinESMExports();
      expect(backUpJournal(folder.path, path).bytes).toBe((await stat(path)).size);
      const taken = join(folder.path, 'late.db');
      vi.spyOn(fs, 'linkSync').mockImplementation(() => {
        fs.writeFileSync(taken, 'mine');
        refuse(code)();
      });
      syncBuiltinESMExports();
      expect(() => backUpJournal(folder.path, taken)).toThrow('is there already');
      expect(await readFile(taken, 'utf8')).toBe('mine');
      expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([]);
    },
  );

  test('what it cannot do is said of the copy, with a cure for it', async () => {
    await using folder = await makeFolder();
    await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
    vi.spyOn(fs, 'linkSync').mockImplementation(refuse('EPERM'));
    vi.spyOn(fs, 'renameSync').mockImplementation(refuse('EPERM'));
    syncBuiltinESMExports();
    const path = join(folder.path, 'copy.db');
    expect(() => backUpJournal(folder.path, path)).toThrow(
      /copy\.db cannot be written: .*name a file elsewhere, then run it again$/,
    );
    expect(fs.existsSync(path)).toBe(false);
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
  expect(made).toEndWith(0);
  expect(JSON.parse(made.stdout)).toMatchObject({ path: join(folder.path, 'copy.db') });
});
