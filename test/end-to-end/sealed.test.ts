/** A journal that somebody edits with sqlite between the seal and the sending: nothing more is paid, and everybody is told. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import { tamper } from '../support/store-fixtures.ts';
import { openScene, type Scene, until } from './harness.ts';

const rows = 20;

/** A file whose rows are sealed and wait for a bank that is not there yet. */
async function sealUnsent(scene: Scene, mark: string): Promise<string> {
  const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rows, mark, new Dice(3))));
  expect(await scene.run('init')).toEndWith(0);
  await scene.bank.kill();
  expect(await scene.run('run', file, '--wait', '0')).toEndWith(6);
  return file;
}

const editAmount = ({ dataDir }: Scene): void =>
  tamper(
    join(dataDir, 'journal.db'),
    'drop trigger payout_amount_never_changes; update payout set amount_satang = amount_satang + 800000 where row_no = 7',
  );

const readNotices = async ({ folder }: Scene): Promise<string> =>
  readFile(join(folder, 'notices.jsonl'), 'utf8').catch(() => '');

test('a run pays nothing, ends with exit 6, and says why', async () => {
  await using scene = await openScene();
  const file = await sealUnsent(scene, 'R');
  editAmount(scene);
  await scene.bank.reopen();
  const end = await scene.run('run', file, '--json');
  expect(end).toEndWith(6);
  expect(JSON.parse(end.stdout)).toMatchObject({ status: 'halted', reasonCode: 'journal-changed' });
  expect(end.stderr).toContain('the journal was changed behind the program');
  expect((await scene.bank.ledger()).totals.count).toBe(0);
  const status = await scene.run('status', '--json');
  expect(status.stdout).toContain('"journal-changed"');
});

test('a watcher pays nothing, is not ready, and sends a notice', async () => {
  const watch = { stillMs: 100, probeMs: 200, listen: '127.0.0.1:0' };
  const notices = { command: ['tee', '-a', 'notices.jsonl'] };
  await using scene = await openScene({ watch, notices });
  await sealUnsent(scene, 'W');
  editAmount(scene);
  await scene.bank.reopen();
  const watcher = scene.start('watch');
  const findHealth = (): string | undefined => /  health: (http:\S+\/healthz)\n/.exec(watcher.stdout)?.[1];
  await until(() => findHealth() !== undefined);
  await until(async () => (await (await fetch(findHealth() ?? '')).text()).includes('journal-changed'));
  expect((await fetch(findHealth() ?? '')).status).toBe(503);
  for (const word of ['journal-changed', 'batch-halted'])
    await until(async () => (await readNotices(scene)).includes(word));
  expect((await scene.bank.ledger()).totals.count).toBe(0);
});
