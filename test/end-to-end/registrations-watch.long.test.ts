/** A watcher whose drop folder of registrations is worked while it is killed; the verdict is the bank's own ledger. */
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { awaitedStatuses } from '../../src/registration/rules/registration.ts';
import type { HealthReason } from '../../src/watch/rules/health.ts';
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

test('an inbox of registrations that is gone is no good health, and is worked again once it is there', async () => {
  await using scene = await openRegisterScene({
    watch: { listen: '127.0.0.1:0', stillMs: 50, rescanMs: 200, probeMs: 200, graceMs: 10_000 },
  });
  const inbox = join(scene.dataDir, 'inbox', 'registrations');
  const watch = scene.start('watch');
  const address = /http:\/\/127\.0\.0\.1:\d+\/healthz/;
  await until(() => address.test(watch.stdout));
  const [url = ''] = address.exec(watch.stdout) ?? [];
  const read = async () => {
    const response = await fetch(url);
    const { reasons } = (await response.json()) as { readonly reasons: readonly HealthReason[] };
    return { status: response.status, reasons };
  };
  await until(async () => (await read()).status === 200);
  await rm(inbox, { recursive: true });
  await until(async () => (await read()).status === 503);
  expect((await read()).reasons).toMatchObject([{ code: 'inbox-gone', command: `mkdir -p ${inbox}` }]);
  await mkdir(inbox);
  await until(async () => (await read()).status === 200);
  await drop(scene, 'reg.csv', `registrationId,customerId,accountNo\nR-1,C-1,${accountOf(1)}\n`);
  await until(async () => (await list(scene.dataDir, 'archive')).some((name) => name.endsWith('reg.csv')));
  watch.kill('SIGTERM');
  expect(await watch.ended).toEndWith(0);
});
