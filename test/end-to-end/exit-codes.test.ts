/** What a command ends with when something breaks while transfers are in doubt. */
import { hash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { computeBatchId } from '../../src/core/reference.ts';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import { findReports, openScene, type Scene, until } from './harness.ts';

const stuckAmount = '7.77';
const sandbox = { behaviours: [{ match: { amount: stuckAmount }, money: 'stuck' }] };

const good = (start: string, seed: number): string => writeRows(planGoodRows(2, start, new Dice(seed)));

/** Of its two payouts one stays in doubt. */
const stuck = (start: string, seed: number): string => good(start, seed).replace(/\d+\.\d\d/, stuckAmount);

/** After a loss what another journal has left keeps no file back. */
const afterLoss = (scene: Scene): readonly string[] => {
  const today = formatBangkokDate(scene.clocks.readMs());
  return ['--journal-lost', '--since', today, '--sent-from', 'TERM0001'];
};

const alreadyThere = 'another file has this name already';

/** Puts a file where a report of the input file will go. */
async function takeName(scene: Scene, path: string, ending: string): Promise<string> {
  const batchId = computeBatchId(hash('sha256', await readFile(path), 'hex'));
  const [name = ''] = (path.split('/').at(-1) ?? '').split('.');
  await mkdir(scene.outbox, { recursive: true });
  const taken = join(scene.outbox, `${name}.${batchId}.${ending}`);
  await writeFile(taken, 'not ours');
  return taken;
}

test('a file that cannot be reported on hides no doubt of the one before, and is paid once the name is free', async () => {
  await using scene = await openScene({ sandbox, settle: { giveUpAfterMs: 1_500 } });
  const [first, second] = [
    await scene.addFile('first.csv', stuck('F', 1)),
    await scene.addFile('second.csv', good('S', 2)),
  ];
  const taken = await takeName(scene, second, 'summary.json');
  const end = await scene.run('run', first, second, ...afterLoss(scene));
  expect(end).toEndWith(4);
  expect(end.stdout).toContain('first.csv');
  expect(end.stderr).toContain(`cannot publish ${taken}: ${alreadyThere}`);
  expect((await scene.bank.ledger()).totals.count).toBe(1);
  expect(await scene.run('run', second)).toEndWith(4);
  await rename(taken, `${taken}.old`);
  expect(await scene.run('run', second)).toEndWith(0);
  expect((await scene.bank.ledger()).totals.count).toBe(3);
});

test('a result that cannot be written hides no doubt of its own file', async () => {
  await using scene = await openScene({ sandbox, settle: { giveUpAfterMs: 2_500 } });
  const file = await scene.addFile('payouts.csv', stuck('P', 3));
  const program = scene.start('run', file);
  await until(async () => (await scene.bank.ledger()).requests.inquiry > 2);
  const taken = await takeName(scene, file, 'result.csv');
  const end = await program.ended;
  expect(end).toEndWith(4);
  expect(end.stderr).toContain(alreadyThere);
  expect(end.stderr).toContain('In doubt: 1. \\"paydrop settle\\" asks about transfers in doubt.');
  await rename(taken, `${taken}.old`);
  expect(await scene.run('run', file)).toEndWith(4);
  expect(await findReports(scene.outbox, /\.result\.csv$/)).toHaveLength(1);
});

test('an error outweighs exceptions, and without doubt it is 1', async () => {
  await using scene = await openScene();
  const rejected = `${good('R', 4)}R9,MSISDN,0810000009,,no amount\n`;
  const [first, second] = [
    await scene.addFile('first.csv', rejected),
    await scene.addFile('second.csv', good('S', 5)),
  ];
  expect(await scene.run('run', first)).toEndWith(3);
  await takeName(scene, second, 'exceptions.csv');
  expect(await scene.run('run', first, second, ...afterLoss(scene))).toEndWith(1);
});

test('settle tells what it has learnt though an update cannot be written, and hides no doubt', async () => {
  const later = { match: { amount: '8.88' }, money: 'moves-later', afterMs: 2_500 };
  await using scene = await openScene({
    sandbox: { behaviours: [...sandbox.behaviours, later] },
    settle: { giveUpAfterMs: 1_000 },
  });
  const amounts = [stuckAmount, '8.88'];
  const csv = good('L', 6).replaceAll(/\d+\.\d\d/g, () => amounts.pop() ?? '');
  const file = await scene.addFile('late.csv', csv);
  expect(await scene.run('run', file)).toEndWith(4);
  await until(async () => (await scene.bank.ledger()).totals.count === 1);
  const taken = await takeName(scene, file, 'result-update-1.csv');
  const end = await scene.run('settle');
  expect(end).toEndWith(4);
  expect(end.stdout).toContain('1 settled, 1 still in doubt');
  expect(end.stderr).toContain(`cannot publish ${taken}: ${alreadyThere}`);
  await rename(taken, `${taken}.old`);
  expect(await scene.run('run', file)).toEndWith(4);
  expect(await readFile(taken, 'utf8')).toContain(',paid,');
});
