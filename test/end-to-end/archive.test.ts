/** A journal whose first days were archived, and whatever may come at it afterwards; the bank's ledger judges. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { showDate } from '../../src/payout/rules/lost-journal.ts';
import { findPaidTwice } from './as-bank.ts';
import { openScene, type Scene } from './harness.ts';

const dayMs = 86_400_000;
const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** Rows by payoutId, the last digits of the payee's number, and baht. */
const csvOf = (...rows: readonly (readonly [id: string, payee: string, baht: string])[]): string =>
  `${[header, ...rows.map(([id, payee, baht]) => `${id},MSISDN,08100000${payee},,${baht},INV-${id},`)].join('\n')}\n`;

const first = csvOf(['P1', '01', '1001.25'], ['P2', '02', '1002.25'], ['P3', '03', '1003.25']);
const second = csvOf(['Q1', '11', '2001.25'], ['Q2', '12', '2002.25']);

/** P3 is refused in so many words the first time. */
const openBank = (): Promise<Scene> =>
  openScene({
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

test('files, payoutIds, payees, statements and a backup of before meet what was archived', async () => {
  await using scene = await openBank();
  const dayOfFirst = await payDay(scene, 'first.csv', first);
  const backup = join(scene.folder, 'backup.db');
  expect((await scene.run('backup', backup)).code).toBe(0);
  await payDay(scene, 'second.csv', second);
  expect((await archive(scene)).stays).toMatchObject([
    { code: 'still-compared' },
    { code: 'still-compared' },
  ]);
  const before = await show(scene, 'P1');
  scene.clocks.pass(10 * dayMs);
  const archived = await archive(scene);
  expect([archived.archive, archived.moved.length]).toEqual(['journal-archive-0001.db', 2]);
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
  expect((await scene.run('run', await scene.addFile('again.csv', first))).code).toBe(3);
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
  const paid = { edit: 'alter', match: { reference1: 'INV-P3' }, columns: { STATUS: '010004' } };
  await scene.bank.control({ statement: { edits: [paid] } });
  await scene.run('reconcile', '--date', dayOfFirst);
  expect(await show(scene, 'P3')).toContain('ALARM');

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
    expect((await scene.run('run', await scene.addFile(name, csv))).stdout).toContain('nobody is paid again');
  const third = csvOf(['Q1', '11', '2001.25'], ['Q2', '31', '7.00']);
  expect((await scene.run('run', await scene.addFile('third.csv', third))).stdout).toMatch(/rejected +2 /);
  expect(await countPaid(scene)).toBe(7);
  expect(await show(scene, 'Q2')).toMatch(/row 2 of second.csv .*, which is paid: do not pay it again/s);
});
