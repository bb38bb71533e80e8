/** A journal whose first days were archived, and whatever may come at it afterwards; the bank's ledger judges. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { showDate } from '../../src/payout/rules/lost-journal.ts';
import { listArchives } from '../../src/store/archive/archive-file.ts';
import { describePostgres, makeJournalDatabase } from '../support/postgres.ts';
import { findContradictions } from '../support/store-consistency.ts';
import { findPaidTwice } from './as-bank.ts';
import { openScene, type Scene, type SceneSettings, until } from './harness.ts';
import { openSmallDisk } from './small-disk.ts';

const dayMs = 86_400_000;
const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** Rows by payoutId, the last digits of the payee's number, and baht. */
const csvOf = (...rows: readonly (readonly [id: string, payee: string, baht: string])[]): string =>
  `${[header, ...rows.map(([id, payee, baht]) => `${id},MSISDN,08100000${payee},,${baht},INV-${id},`)].join('\n')}\n`;

const first = csvOf(['P1', '01', '1001.25'], ['P2', '02', '1002.25'], ['P3', '03', '1003.25']);
const second = csvOf(['Q1', '11', '2001.25'], ['Q2', '12', '2002.25']);

/** P3 is refused in so many words the first time. */
const openBank = (changes: SceneSettings = {}): Promise<Scene> =>
  openScene({
    ...changes,
    sandbox: {
      behaviours: [{ match: { amount: '1003.25' }, times: 1, money: 'fails', code: 'EM003' }],
      statement: { emptyDays: true },
      control: true,
    },
    settle: { giveUpAfterMs: dayMs },
  });

const today = ({ clocks }: Scene): string => showDate(formatBangkokDate(clocks.readMs()));

/** Pays a file, lets the day end, and reconciles it. @returns the day */
async function payDay(scene: Scene, name: string, csv: string): Promise<string> {
  await scene.run('run', await scene.addFile(name, csv));
  const date = today(scene);
  scene.clocks.pass(dayMs);
  const { code, stderr } = await scene.run('reconcile', '--date', date);
  expect([code, stderr]).toEqual([0, '']);
  return date;
}

async function countPaid({ bank }: Scene): Promise<number> {
  const ledger = await bank.ledger();
  expect(findPaidTwice(ledger)).toEqual([]);
  return ledger.totals.count;
}

const archive = async (scene: Scene) => {
  const { code, stdout, stderr } = await scene.run('archive', '--before', today(scene), '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as { archive: string; moved: { file: string }[]; stays: { code: string }[] };
};

const show = async (scene: Scene, payoutId: string): Promise<string> =>
  (await scene.run('show', payoutId)).stdout;

/** Files, payoutIds, payees and statements meet what was archived. @param name of the archive */
async function meetArchived(scene: Scene, dayOfFirst: string, name: string): Promise<void> {
  await payDay(scene, 'second.csv', second);
  expect((await archive(scene)).stays).toMatchObject([
    { code: 'still-compared' },
    { code: 'still-compared' },
  ]);
  const before = await show(scene, 'P1');
  scene.clocks.pass(10 * dayMs);
  const archived = await archive(scene);
  expect([archived.archive, archived.moved.length]).toEqual([name, 2]);
  expect(await show(scene, 'P1')).toBe(before);
  expect((await scene.run('status', '--json')).stdout).toContain('"paid"');
  expect(await countPaid(scene)).toBe(4);

  // What is written of an archived batch is whole.
  const [, batchId = ''] = /batch ([0-9A-Z]{10})/.exec(before) ?? [];
  expect((await scene.run('list', '--batch', batchId)).stdout).toContain('P1');
  const written = await scene.run('result', batchId, '--json');
  expect([written.code, JSON.parse(written.stdout)]).toMatchObject([
    0,
    { rows: 3, files: [{ rows: 3 }, {}, {}] },
  ]);

  // The same file, and the same payoutIds in others; what failed goes again, under its next number.
  expect(await scene.run('run', await scene.addFile('again.csv', first))).toEndWith(3);
  const others = csvOf(['P1', '21', '5.00'], ['P2', '02', '1002.25'], ['p-1', '22', '6.00']);
  expect((await scene.run('run', await scene.addFile('others.csv', others))).stdout).toMatch(
    /rejected +2 .*\n *held +1 /,
  );
  expect(await countPaid(scene)).toBe(4);
  const retried = await scene.run('run', await scene.addFile('retried.csv', csvOf(['P3', '03', '1003.25'])));
  expect([retried.code, await countPaid(scene)]).toEqual([0, 5]);
  expect(await show(scene, 'P3')).toMatch(/02\b/);
  // The same payees under other ids are other payments: nobody compares them with those of so long ago.
  const anew = csvOf(['N1', '01', '1001.25'], ['N2', '11', '2001.25']);
  await scene.run('run', await scene.addFile('anew.csv', anew));
  expect(await countPaid(scene)).toBe(7);

  // A statement that contradicts: P3 was paid the first time, too.
  const paid = {
    edit: 'alter',
    match: { reference1: 'INV-P3' },
    columns: { STATUS: '010004', 'REASON CODE': 'IC000' },
  };
  await scene.bank.control({ statement: { edits: [paid] } });
  await scene.run('reconcile', '--date', dayOfFirst);
  expect(await show(scene, 'P3')).toContain('ALARM');
}

describePostgres('of a journal in a database', () => {
  test('files, payoutIds, payees and statements meet what was archived', async () => {
    await using database = await makeJournalDatabase();
    await using scene = await openBank({ journal: { url: database.url } });
    await meetArchived(scene, await payDay(scene, 'first.csv', first), 'database');
  });

  test('a watcher works on beside the move, and pays again what had failed in a batch that went', async () => {
    await using database = await makeJournalDatabase();
    const watch = { stillMs: 50, rescanMs: 200, probeMs: 200 };
    // The file that is dropped bears the time of the disk.
    const limits = { batchMaxAgeHours: 0 };
    await using scene = await openBank({ journal: { url: database.url }, watch, limits });
    await payDay(scene, 'first.csv', first);
    scene.clocks.pass(10 * dayMs);
    const watcher = scene.start('watch');
    await until(() => watcher.stdout.includes('working; drop files'));
    expect((await archive(scene)).moved).toMatchObject([{ file: 'first.csv' }]);
    const dropped = join(scene.dataDir, 'inbox', 'more.csv');
    await writeFile(
      `${dropped}.part`,
      csvOf(['P2', '02', '1002.25'], ['P3', '03', '1003.25'], ['Q1', '11', '7.00']),
    );
    await rename(`${dropped}.part`, dropped);
    await until(async () => (await countPaid(scene)) === 4);
    expect(await show(scene, 'P3')).toMatch(/02\b/);
    watcher.kill('SIGTERM');
    expect(await watcher.ended).toEndWith(0);
  });
});

test('files, payoutIds, payees, statements and a backup of before meet what was archived', async () => {
  await using scene = await openBank();
  const dayOfFirst = await payDay(scene, 'first.csv', first);
  const backup = join(scene.folder, 'backup.db');
  expect(await scene.run('backup', backup)).toEndWith(0);
  await meetArchived(scene, dayOfFirst, 'journal-archive-0001.db');

  // The backup from before the archive, beside it.
  await mkdir(join(scene.folder, 'old'));
  for (const name of await readdir(scene.dataDir))
    if (name.startsWith('journal.db'))
      await rename(join(scene.dataDir, name), join(scene.folder, 'old', name));
  const restored = await scene.run('restore', backup, '--since', today(scene));
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  for (const [name, csv] of [
    ['first.csv', first],
    ['second.csv', second],
  ] as const)
    expect((await scene.run('run', await scene.addFile(name, csv))).stdout).toContain(
      'no payee is paid again',
    );
  const third = csvOf(['Q1', '11', '2001.25'], ['Q2', '31', '7.00']);
  expect((await scene.run('run', await scene.addFile('third.csv', third))).stdout).toMatch(/rejected +2 /);
  expect(await countPaid(scene)).toBe(7);
  expect(await show(scene, 'Q2')).toMatch(/row 2 of second.csv .*, which is paid: do not pay it again/s);
});

const countArchived = ({ dataDir }: Scene): number => {
  using db = new DatabaseSync(join(dataDir, 'journal.db'), { readOnly: true });
  return Number(db.prepare('select count(*) as batches from archived_batch').get()?.['batches']);
};

/** Every row of both files, wherever it stands. */
const listAll = async (scene: Scene): Promise<string> => {
  const { code, stdout, stderr } = await scene.run('list', '--limit', '0', '--json');
  expect([code, stderr]).toEqual([0, expect.stringContaining('5 payouts')]);
  return stdout;
};

test('an operator whose word changes nothing leaves a batch where it is; others at the same moment find all of it', async () => {
  await using scene = await openBank({ limits: { bahtPerPayout: 2_000 } });
  const limited = csvOf(['P1', '01', '1001.25'], ['P3', '03', '1003.25'], ['P4', '04', '3000.25']);
  await scene.run('run', await scene.addFile('first.csv', limited));
  expect((await scene.run('cancel', 'P4')).stdout).toContain('1 row cancelled');
  const day = await payDay(scene, 'second.csv', second.replaceAll('200', '100'));
  const [, batchId = ''] = /batch ([0-9A-Z]{10})/.exec(await show(scene, 'P1')) ?? [];
  scene.clocks.pass(10 * dayMs);
  expect((await archive(scene)).moved).toHaveLength(2);
  const paid = await countPaid(scene);

  const told = await Promise.all(
    [
      ['cancel', 'P1', 'P3'],
      ['resume', 'P4'],
      ['retry', 'P1', 'P4'],
      ['cancel', batchId],
    ].map(async ([verb = '', ...targets]) => (await scene.run(verb, ...targets)).stdout),
  );
  expect(told.join('')).toMatchInlineSnapshot(`
    "*** SANDBOX: a rehearsal, no real money moves ***

    P1: payout P1 (row 1 of batch N050A63QZB) is paid: only what is ready or held can be cancelled
    P3: payout P3 (row 2 of batch N050A63QZB) is failed: only what is ready or held can be cancelled
    *** SANDBOX: a rehearsal, no real money moves ***

    payout P4 (row 3 of batch N050A63QZB) is cancelled, not held: there is nothing to let go on
    *** SANDBOX: a rehearsal, no real money moves ***

    P1: payout P1 (row 1 of batch N050A63QZB) is paid: only what failed, is unpayable or was rejected can be tried again
    P4: payout P4 (row 3 of batch N050A63QZB) is cancelled: only what failed, is unpayable or was rejected can be tried again
    *** SANDBOX: a rehearsal, no real money moves ***

    nothing of batch N050A63QZB waits to be sent: see "paydrop status N050A63QZB"
    "
  `);
  expect(countArchived(scene)).toBe(2);

  // Moved back and forth while others read and write.
  const copy = join(scene.folder, 'copy.db');
  const ends = await Promise.all([
    scene.run('archive', '--before', today(scene)),
    scene.run('archive', '--before', today(scene)),
    scene.run('reconcile', '--date', day),
    scene.run('backup', copy),
    scene.run('retry', batchId),
  ]);
  const [one, other, reconciled, copied, retried] = ends.map(({ code }) => code);
  expect([reconciled, copied, retried]).toEqual([0, 0, 0]);
  // Whoever has the right to send keeps the other from archiving.
  for (const code of [one, other]) expect([0, 6]).toContain(code);
  for (const path of [copy, join(scene.dataDir, 'journal.db')]) expect(findContradictions(path)).toEqual([]);
  expect(await scene.run('run', join(scene.folder, 'in', 'first.csv'))).toEndWith(3);
  expect(await countPaid(scene)).toBe(paid + 1);

  // What was cancelled stays so; whoever is paid, too.
  const again = csvOf(['P4', '14', '7.00'], ['Q1', '15', '8.00']);
  const rejected = await scene.run('run', await scene.addFile('again.csv', again));
  expect(rejected.stdout).toMatch(/rejected +2 /);
  expect(await show(scene, 'P4')).toMatch(/which is cancelled/);
  expect(await countPaid(scene)).toBe(paid + 1);
});

test('on a full disk each batch has moved whole or stays, and with space the same command goes on', async (context) => {
  await using disk = await openSmallDisk();
  if (!disk.isMounted) return context.skip('no tmpfs can be mounted here: the full disk was not tried');
  await using scene = await openBank({ dataDir: join(disk.path, 'data') });
  await payDay(scene, 'first.csv', first);
  await payDay(scene, 'second.csv', second);
  scene.clocks.pass(10 * dayMs);
  const before = await listAll(scene);
  await disk.fill();
  const words: string[] = [];
  for (let tries = 0; tries < 40; tries += 1) {
    const { code, stderr } = await scene.run('archive', '--before', today(scene), '--json');
    if (code === 0) break;
    words.push(`${code} ${stderr}`);
    await disk.free(256 * 1_024);
    // A batch has moved whole or not at all, and no file without one takes what is left of the disk.
    const archives = listArchives(scene.dataDir);
    expect(archives).toHaveLength(Math.min(countArchived(scene), 1));
    expect(await listAll(scene)).toBe(before);
  }
  expect(words.length).toBeGreaterThan(1);
  for (const said of words) expect(said).toMatch(/^[12] .*the disk is full: free some space/);
  expect(countArchived(scene)).toBe(2);
  expect(await listAll(scene)).toBe(before);
  expect(await countPaid(scene)).toBe(4);
});
