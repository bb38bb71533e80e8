/** Batches that wait for approval, by `run` and by a watcher; the bank's ledger judges. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPaidTwice } from './as-bank.ts';
import { openScene, type Scene } from './harness.ts';
import { addPeople } from './scene-people.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const csvOf = (id: string): string =>
  `${[header, ...[1, 2, 3].map((no) => `${id}-${no},MSISDN,081000000${no},,${no}00.25,INV-${id}-${no},`)].join('\n')}\n`;

const sets = async ({ configPath }: Scene, text: string): Promise<void> =>
  writeFile(configPath, `${await readFile(configPath, 'utf8')}\n${text}\n`);

const batchIdIn = (text: string): string => /--batch ([0-9A-Z]{10})/.exec(text)?.[1] ?? '';

async function waitFor<Found>(find: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('nothing of a batch is paid before two people have approved it, by run or by a watcher', async () => {
  await using scene = await openScene({ watch: { stillMs: 50, rescanMs: 200 } });
  await sets(scene, 'approval: { when: always, people: 2 }');
  const file = await scene.addFile('b.csv', csvOf('B'));
  // Nobody could ever approve it.
  expect(await scene.run('run', file)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/approval\.when is "always".*paydrop user add NAME --role admin/s),
  });
  const become = await addPeople(scene);
  await become('mali');
  const waiting = await scene.run('run', file);
  expect(waiting).toEndWith(6);
  const batchId = batchIdIn(waiting.stdout);
  expect(waiting.stdout).toContain('It waits for approval.');
  expect((await scene.run('resume', batchId)).stdout).toContain('it waits for approval');

  const digest = /digest ([0-9a-f]{64})/.exec((await scene.run('status', batchId)).stdout)?.[1];
  expect((await scene.run('check', file, '--digest')).stdout).toContain(`digest ${digest}`);

  // A watcher has nothing of it to send, nor of another file that comes now.
  const watcher = scene.start('watch');
  await mkdir(join(scene.dataDir, 'inbox'), { recursive: true });
  await rename(await scene.addFile('c.csv', csvOf('C')), join(scene.dataDir, 'inbox', 'c.csv'));
  const ids = await waitFor(async () => {
    const { stdout } = await scene.run('status', '--json');
    const found = new Set([...stdout.matchAll(/approve --batch ([0-9A-Z]{10})/g)].map(([, id]) => id ?? ''));
    return found.size === 2 ? [...found] : undefined;
  });
  expect(ids).toContain(batchId);
  expect((await scene.bank.ledger()).totals.count).toBe(0);
  for (const id of ids) expect(await scene.run('approve', '--batch', id)).toEndWith(0);
  await become('nok');
  for (const id of ids) expect(await scene.run('approve', '--batch', id)).toEndWith(0);
  const ledger = await waitFor(async () => {
    const read = await scene.bank.ledger();
    return read.totals.count === 6 ? read : undefined;
  });
  watcher.kill('SIGTERM');
  await watcher.ended;
  expect(findPaidTwice(ledger)).toEqual([]);
}, 120_000);
