/** A watcher whose drop folder of registrations is worked while it is killed; the verdict is the bank's own ledger. */
import { appendFile, mkdir, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { awaitedStatuses } from '../../src/registration/rules/registration.ts';
import { accountOf, expectedOf, openRegisterScene } from './register-scene.ts';
import { findReports, readPresentResult, type Scene, until } from './harness.ts';

async function drop(scene: Scene, name: string, csv: string): Promise<void> {
  const inbox = join(scene.dataDir, 'inbox', 'registrations');
  await mkdir(inbox, { recursive: true });
  await writeFile(join(inbox, `${name}.part`), csv);
  await rename(join(inbox, `${name}.part`), join(inbox, name));
}

const list = (...folder: readonly string[]): Promise<string[]> =>
  readdir(join(...folder), { recursive: true }).catch(() => []);

const isAwaited = (status: string | undefined): boolean =>
  awaitedStatuses.some((awaited) => awaited === status);

test('40 registrations dropped, the watcher killed on the way: each is sent once, and every outcome is reported', async () => {
  await using scene = await openRegisterScene({ watch: { stillMs: 50, probeMs: 200, graceMs: 10_000 } });
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
  const rows = numbers.map((rowNo) => `R-${rowNo},C-${rowNo},${accountOf(rowNo)}`);
  await drop(scene, 'reg.csv', `registrationId,customerId,accountNo\n${rows.join('\n')}\n`);
  await drop(scene, 'payouts.csv', 'payoutId,proxyNo,amount\nA-1,0812345678,10.00\n');
  const first = scene.start('watch');
  await until(async () => (await scene.bank.ledger()).registrations.entries.length >= 15);
  first.kill('SIGKILL');
  await first.ended;
  const second = scene.start('watch');
  await until(async () => (await list(scene.dataDir, 'archive')).some((name) => name.endsWith('reg.csv')));
  // The callbacks of the last ones may come after the first report.
  await until(async () => (await readPresentResult(scene.outbox)).every(({ status }) => !isAwaited(status)));
  second.kill('SIGTERM');
  expect(await second.ended).toEndWith(0);
  const [result = ''] = await findReports(scene.outbox, /\.result\.csv$/);
  const batchId = basename(result).split('.').at(-3) ?? '';
  expect(await scene.run('verify', batchId)).toEndWith(0);
  await appendFile(result, ' ');
  expect(await scene.run('verify', batchId)).toEndWith(3);
  await truncate(result, (await stat(result)).size - 1);
  const { registrations, entries } = await scene.bank.ledger();
  expect(entries).toEqual([]);
  expect(registrations).toMatchObject({ duplicatesRefused: 0, repeatedRequestUids: 0 });
  const sentOnce = new Map(registrations.entries.map(({ accountNo, requestUID }) => [accountNo, requestUID]));
  expect(sentOnce.size).toBe(registrations.entries.length);
  for (const line of await readPresentResult(scene.outbox)) {
    const rowNo = Number(line['rowNo']);
    if (sentOnce.has(accountOf(rowNo))) expect([rowNo, line['status']]).toEqual([rowNo, expectedOf(rowNo)]);
  }
  const rejected = await list(scene.dataDir, 'rejected');
  const reason = rejected.find((name) => name.endsWith('.reason.txt')) ?? '';
  expect(await readFile(join(scene.dataDir, 'rejected', reason), 'utf8')).toContain('payout-file');
  expect(first.stdout + second.stdout + second.stderr).not.toContain(accountOf(7));
});
