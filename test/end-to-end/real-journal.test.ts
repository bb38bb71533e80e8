/** A bank that is none of ours to try out: which journal may send to it, and what the wrong one would pay twice. */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dayMs, formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import { findReports, openScene, readPresentResult, type Scene } from './harness.ts';

const rowCount = 6;
/** The bank refuses a duplicate on the same day only (§4 rule 2). */
const nightMs = 20 * 3_600_000;

interface Paid {
  readonly scene: Scene;
  readonly file: string;
}

/** A scene with a bank that says nothing of a sandbox, and a file that was paid with the journal that `init` made. */
async function payOnce(seed: number): Promise<Paid> {
  const scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
  const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'J', new Dice(seed))));
  expect(await scene.run('init')).toEndWith(0);
  expect(await scene.run('run', file)).toEndWith(0);
  return { scene, file };
}

const restoring = (backup: string): readonly string[] => ['restore', backup, '--since', '2026-01-01'];

const countPaid = async (scene: Scene): Promise<number> => (await scene.bank.ledger()).totals.count;

describe('an empty data directory the next day', () => {
  test('pays nobody: neither run nor init makes a journal there', async () => {
    const { scene: opened, file } = await payOnce(1);
    await using scene = opened;
    scene.clocks.pass(nightMs);
    const elsewhere = ['--data-dir', join(scene.folder, 'elsewhere')];
    const wrong = await scene.run('run', file, ...elsewhere);
    expect(await countPaid(scene)).toBe(rowCount);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    for (const way of ['paydrop init', '--journal-lost --since']) expect(wrong.stderr).toContain(way);
    for (const command of ['watch', 'settle', 'adopt'])
      expect(await scene.run(command, ...elsewhere)).toEndWith(2);
    for (const command of [['archive', '--before', '2026-01-01'], restoring(file), restoring('gone.db')])
      expect(await scene.run(...command, ...elsewhere)).toEndWith(2);
    expect(await scene.run('check', file, ...elsewhere)).toEndWith(0);
    // Nothing stands in the way of the folder that is to be put there.
    expect(existsSync(join(scene.folder, 'elsewhere'))).toBe(false);
    await rm(scene.dataDir, { recursive: true });
    await mkdir(scene.dataDir);
    expect(await scene.run('run', file)).toEndWith(2);
    expect(await countPaid(scene)).toBe(rowCount);
  });

  test('init refuses where a journal is, was, or has left traces', async () => {
    const { scene: opened, file } = await payOnce(2);
    await using scene = opened;
    expect((await scene.run('init')).stderr).toContain('there is a journal');
    await rm(join(scene.dataDir, 'journal.db'));
    const lost = await scene.run('init');
    expect(lost).toEndWith(2);
    expect(lost.stderr).toContain('journal.mark is there, journal.db is not');
    expect(lost.stderr).toContain(
      'if it is in PostgreSQL, nothing is lost: name its database in journal.url',
    );
    await rm(join(scene.dataDir, 'journal.mark'));
    const traced = await scene.run('init');
    expect(traced).toEndWith(2);
    expect(traced.stderr).toContain('another journal has worked with these folders');
    const outbox = join(scene.folder, 'moved', 'outbox');
    await cp(scene.outbox, outbox, { recursive: true });
    expect(await scene.run('init', '--data-dir', join(scene.folder, 'moved'))).toEndWith(2);
    expect(await readdir(join(scene.folder, 'moved'))).toEqual(['outbox']);
    expect(await scene.run('run', file)).toEndWith(2);
    expect(await countPaid(scene)).toBe(rowCount);
  });

  test('is told of by a notice', async () => {
    await using scene = await openScene({
      asBank: true,
      notices: { command: ['/bin/sh', '-c', 'cat > notice.json'] },
    });
    const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(1, 'N', new Dice(3))));
    expect(await scene.run('run', file)).toEndWith(2);
    const notice = JSON.parse(await readFile(join(scene.folder, 'notice.json'), 'utf8'));
    expect(notice).toMatchObject({ kind: 'journal-refused', exitCode: 2, batchId: null });
    for (const words of [notice.reason, notice.remedy])
      for (const way of [
        'paydrop init',
        'paydrop restore FILE --since',
        'paydrop run --journal-lost --since',
      ])
        expect(words).toContain(way);
  });
});

test('init writes settings where there are none, and makes no journal yet', async () => {
  await using scene = await openScene({ asBank: true });
  await rm(scene.configPath);
  const begun = await scene.run('init');
  expect(begun).toEndWith(0);
  expect(begun.stdout).toContain('run "paydrop init" again');
  const text = await readFile(scene.configPath, 'utf8');
  expect(text).toContain('baseUrl: https://bank.example');
  await writeFile(join(scene.folder, 'secret'), 'x\n', { mode: 0o600 });
  expect(await scene.run('config')).toEndWith(0);
  const tooEarly = await scene.run('init');
  expect(tooEarly).toMatchObject({ code: 2, stdout: '' });
  expect(tooEarly.stderr).toContain('is still https://bank.example: fill in');
  await writeFile(scene.configPath, text.replace('https://bank.example', 'https://bank.exam.ple'));
  expect(await scene.run('init')).toEndWith(0);
  expect((await scene.run('init')).stderr).toContain('there is a journal');
});

test('with a server that says that it is a sandbox a run makes its own journal', async () => {
  await using scene = await openScene();
  const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(1, 'S', new Dice(4))));
  expect(await scene.run('run', file)).toEndWith(0);
});

describe('a journal and its mark that were restored together', () => {
  const files = ['journal.db', 'journal.db-wal', 'journal.mark'];

  /** A scene in which a file was paid after the journal and its mark were copied; the copies are back the next day. */
  async function restoreBoth(seed: number): Promise<Paid> {
    const scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
    const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'B', new Dice(seed))));
    expect(await scene.run('init')).toEndWith(0);
    const kept = join(scene.folder, 'kept');
    await mkdir(kept);
    const copyAll = async (from: string, to: string): Promise<void> => {
      for (const name of files)
        if (existsSync(join(from, name))) await copyFile(join(from, name), join(to, name));
    };
    await copyAll(scene.dataDir, kept);
    expect(await scene.run('run', file)).toEndWith(0);
    scene.clocks.pass(nightMs);
    // Written over, as a file system snapshot that is rolled back does: the file keeps its inode.
    for (const name of files) {
      const text = await readFile(join(kept, name)).catch(() => undefined);
      if (text === undefined) await rm(join(scene.dataDir, name), { force: true });
      else await writeFile(join(scene.dataDir, name), text);
    }
    return { scene, file };
  }

  test('pay nobody: a mark in the outbox shows it, else the report of the day before', async () => {
    const { scene: opened, file } = await restoreBoth(5);
    await using scene = opened;
    const noticed = await scene.run('run', file);
    expect(await countPaid(scene)).toBe(rowCount);
    expect(noticed).toMatchObject({ code: 2, stdout: '' });
    expect(noticed.stderr).toMatch(/an older copy: .*\(so says .*outbox\/\.journal-.*\.mark\)/);
    for (const mark of await findReports(scene.outbox, /^\.journal-.*\.mark$/)) await rm(mark);
    const end = await scene.run('run', file);
    expect(await countPaid(scene)).toBe(rowCount);
    expect(end).toEndWith(5);
    expect(end.stdout).toMatch(/outbox\/payouts\.\w{10}\.\w+\.(csv|json)/);
    expect(end.stdout).toContain('--journal-lost');
  });
});

describe('a copy the next day', () => {
  test('of the data directory pays nobody, and goes on when it is adopted', async () => {
    await using scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
    const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'C', new Dice(6))));
    expect(await scene.run('init')).toEndWith(0);
    const copy = join(scene.folder, 'copy');
    await cp(scene.dataDir, copy, { recursive: true, preserveTimestamps: true });
    expect(await scene.run('run', file)).toEndWith(0);
    scene.clocks.pass(nightMs);
    const elsewhere = ['--data-dir', copy];
    const refused = await scene.run('run', file, ...elsewhere);
    expect(await countPaid(scene)).toBe(rowCount);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/is a copy: .*paydrop adopt/);
    // Adopted though the original went on after the copy, and days later: yesterday alone would not show it.
    scene.clocks.pass(2 * dayMs);
    expect(await scene.run('adopt', ...elsewhere)).toEndWith(0);
    expect(await scene.run('run', file, '--wait', '1', ...elsewhere)).toEndWith(4);
    expect(await countPaid(scene)).toBe(rowCount);
  });

  test('that paydrop made, in the place of a lost journal, pays nobody twice', async () => {
    await using scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
    const csv = (start: string, seed: number): string =>
      writeRows(planGoodRows(rowCount, start, new Dice(seed)));
    const first = await scene.addFile('first.csv', csv('K', 7));
    const second = await scene.addFile('second.csv', csv('M', 8));
    const backup = join(scene.folder, 'backup.db');
    const day = formatBangkokDate(scene.clocks.readMs());
    expect(await scene.run('init')).toEndWith(0);
    expect(await scene.run('run', first)).toEndWith(0);
    expect(await scene.run('backup', backup)).toEndWith(0);
    expect(await scene.run('run', second)).toEndWith(0);
    scene.clocks.pass(nightMs);
    await rename(scene.dataDir, join(scene.folder, 'lost'));
    await mkdir(scene.dataDir);
    await copyFile(backup, join(scene.dataDir, 'journal.db'));
    expect(await scene.run('run', second)).toEndWith(2);
    expect(await countPaid(scene)).toBe(2 * rowCount);
    await rm(join(scene.dataDir, 'journal.db'));
    expect(await scene.run('restore', backup, '--since', day)).toEndWith(0);
    expect(await scene.run('run', second, '--wait', '1')).toEndWith(4);
    expect(await scene.run('run', first)).toEndWith(0);
    expect(await countPaid(scene)).toBe(2 * rowCount);
  });
});

describe('two machines with a terminal each, on one day', () => {
  /** Settings of another machine: a journal, folders and a terminal of its own. */
  async function openOther(scene: Scene): Promise<(...args: string[]) => ReturnType<Scene['run']>> {
    const text = await readFile(scene.configPath, 'utf8');
    const path = join(scene.folder, 'other.yaml');
    await writeFile(path, text.replace('./data', './other').replace(/termId: .*/, 'termId: TERM0002'));
    return (...args) => scene.runWith(path, ...args);
  }

  const unresolved = Array.from({ length: rowCount }, () => 'unresolved found-after-loss');

  test.each(['newJournal', 'always', 'never'])(
    'the second asks the bank about each reference before it uses it: %s',
    async (askFirst) => {
      await using scene = await openScene({
        asBank: true,
        settle: { notFoundTrustMs: 200 },
        transfer: { askFirst },
      });
      const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'T', new Dice(9))));
      const runOther = await openOther(scene);
      expect(await scene.run('init')).toEndWith(0);
      expect(await runOther('init', '--sent-from', 'TERM0001')).toEndWith(0);
      expect(await scene.run('run', file)).toEndWith(0);
      const end = await runOther('run', file, '--wait', '1');
      if (askFirst === 'never') {
        // What the setting is for: the bank takes the same reference from another terminal.
        expect(await countPaid(scene)).toBe(2 * rowCount);
        return;
      }
      expect(await countPaid(scene)).toBe(rowCount);
      expect(end).toEndWith(4);
      const lines = await readPresentResult(join(scene.folder, 'other', 'outbox'));
      expect(lines.map(({ status, reasonCode }) => `${status} ${reasonCode}`)).toEqual(unresolved);
    },
  );
});
