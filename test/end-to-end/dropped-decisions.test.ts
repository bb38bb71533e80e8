/** A filled-in exceptions file that is dropped for the watcher: nobody's, until a maker confirms it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { decisionFolders, listDropped } from '../../src/review/dropped/waiting.ts';
import { openScene, until } from './harness.ts';
import { addPeople } from './scene-people.ts';

test('nothing comes of a dropped file by itself; a maker confirms it, and rows that have changed refuse it', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: { amount: '1001.25' }, times: 1, money: 'fails', code: 'EM003' }] },
    watch: { stillMs: 100 },
  });
  const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
  await scene.run('run', await scene.addFile('a.csv', `${header}\nP1,MSISDN,0810000001,,1001.25,INV-1,\n`));
  const out = join(scene.folder, 'review.csv');
  await scene.run('exceptions', '--out', out);
  const records = parse<Record<string, string>>(await readFile(out), { bom: true, columns: true });
  const filled = stringify(
    records.map((record) => ({ ...record, decision: 'retry', note: 'asked' })),
    { header: true },
  );
  const become = await addPeople(scene);
  const folder = join(scene.dataDir, 'decisions');
  await mkdir(folder);
  const [first, second] = ['ผล วันที่ 1.csv', 'again.csv'];
  await writeFile(join(folder, first), filled);
  await writeFile(join(folder, second), `${filled}\n`);
  const watch = scene.start('watch', '--json');
  await until(async () => (await listDropped(scene.dataDir)).length === 2);
  watch.kill('SIGTERM');
  await watch.ended;

  await become('nok');
  expect((await scene.run('proposals', '--json')).stdout.trim()).toBe('[]');
  expect((await scene.bank.ledger()).totals).toMatchObject({ count: 0 });
  expect((await scene.run('decide', '--waiting')).stdout).toContain('Retry: 1 row, 1,001.25 baht');
  expect(await scene.run('decide', '--dropped', first)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a checker may not propose'),
  });
  await become('mali');
  expect(await scene.run('decide', '--dropped', first)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"paydrop approve 1" by another person'),
  });
  await become('nok');
  expect(await scene.run('approve', '1')).toEndWith(0);
  await become('mali');
  expect(await scene.run('decide', '--dropped', second)).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Nothing was decided'),
  });
  const [{ itemId } = { itemId: '' }] = await listDropped(scene.dataDir);
  await writeFile(join(decisionFolders(scene.dataDir).work, itemId, second), filled);
  expect((await scene.run('decide', '--dropped', second)).stderr).toContain('is not as it was dropped');
  expect(await scene.run('decide', '--dropped', itemId, '--discard', '--note', 'stale')).toMatchObject({
    code: 0,
  });
  expect(await listDropped(scene.dataDir)).toEqual([]);
});
