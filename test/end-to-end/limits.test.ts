/** A limit of the day before a real process that is killed, and before two batches; the bank's ledger judges. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseBaht } from '../../src/core/money.ts';
import { findPaidTwice } from './as-bank.ts';
import { openScene, type Scene, until } from './harness.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** Rows of 100 baht, each to a payee of its own. */
function writeRows(mark: string, count: number, from: number): string {
  const rows = Array.from({ length: count }, (_, place) => {
    const no = from + place;
    return `${mark}${no},MSISDN,08${10_000_000 + no},,100.00,${mark}${no},`;
  });
  return `${[header, ...rows].join('\n')}\n`;
}

/** What the bank has entered, whatever paydrop believes, in satang. */
async function entered({ bank }: Scene): Promise<bigint> {
  const { entries } = await bank.ledger();
  return entries.reduce((sum, { amount }) => sum + (parseBaht(amount) ?? 0n), 0n);
}

/** Kills a run once the bank has entered so many transfers. */
async function killAfter(scene: Scene, file: string, transfers: number): Promise<void> {
  const program = scene.start('run', file, '--json');
  await until(async () => {
    const lines = await readFile(scene.bankStatePath, 'utf8').catch(() => '');
    return lines.split('\n').length > transfers + 2;
  });
  program.kill('SIGKILL');
  await program.ended;
}

test('a day’s limit is never passed by a run that is killed, at 16 transfers at once, nor by another file', async () => {
  await using scene = await openScene({
    sandbox: { latencyMs: 10 },
    transfer: { concurrency: 16 },
    limits: { bahtPerDay: '2550', similarDays: 0, likeFileDays: 0 },
  });
  const first = await scene.addFile('first.csv', writeRows('A', 40, 1));
  await killAfter(scene, first, 9);
  expect(await scene.run('run', first, '--json')).toEndWith(3);
  expect(await entered(scene)).toBe(255_000n - 5_000n);
  const second = await scene.addFile('second.csv', writeRows('B', 3, 101));
  const check = await scene.run('check', second);
  expect(check.stdout).toMatch(/with it 2,600\.00 baht would be sent on [-\d]+, more than 2,550\.00/);
  expect(await scene.run('run', second, '--json')).toEndWith(3);
  expect(await entered(scene)).toBe(250_000n);
  // A person lets one row go on in spite of it.
  expect(await scene.run('resume', 'B102')).toEndWith(0);
  expect(await scene.run('run', second, '--json')).toEndWith(3);
  expect(await entered(scene)).toBe(260_000n);
  expect(findPaidTwice(await scene.bank.ledger())).toEqual([]);
});
