/** A batch's files against their recorded hashes, as a shell sees it. */
import { appendFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csvOf, rowOf } from '../support/payout-csv.ts';
import { findReports, openScene, type Scene, until } from './harness.ts';

interface Verified {
  readonly isWhole: boolean;
  readonly files: readonly { readonly kind: string; readonly state: string }[];
}

async function verify(scene: Scene, batchId: string, ...more: string[]) {
  const { code, stdout } = await scene.run('verify', batchId, '--json', ...more);
  const { isWhole, files } = JSON.parse(stdout) as Verified;
  return [code, isWhole, files.map(({ kind, state }) => `${kind} ${state}`)];
}

const reports = (state: string) => ['exceptions as-recorded', 'result as-recorded', `summary ${state}`];

test('a batch of the watcher: whole, then with a changed archive, then with a missing report', async () => {
  await using scene = await openScene({ watch: { stillMs: 100 } });
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  await writeFile(join(inbox, 'a.part'), csvOf('A', 2));
  await rename(join(inbox, 'a.part'), join(inbox, 'a.csv'));
  const watch = scene.start('watch', '--json');
  await until(() => watch.stdout.includes('"file-ended"'));
  watch.kill('SIGTERM');
  await watch.ended;
  const [{ batchId = '' } = {}] = JSON.parse((await scene.run('status', '--json')).stdout) as {
    batchId?: string;
  }[];
  expect(await verify(scene, batchId)).toEqual([0, true, ['input as-recorded', ...reports('as-recorded')]]);
  const archive = join(scene.dataDir, 'archive');
  const [day = ''] = await readdir(archive);
  await appendFile(join(archive, day, 'a.csv'), `${rowOf('B1')}\n`);
  expect(await verify(scene, batchId)).toEqual([3, false, ['input changed', ...reports('as-recorded')]]);
  const [summary = ''] = await findReports(scene.outbox, /summary\.json$/);
  await rm(summary);
  expect(await verify(scene, batchId, '--seen')).toEqual([
    3,
    false,
    ['input changed', ...reports('missing')],
  ]);
  const table = await scene.run('verify', batchId);
  expect(table.stdout).toMatch(/input +CHANGED +\S+a\.csv\n/);
  expect(await scene.run('verify', 'NOSUCH')).toEndWith(2);
});

test('a batch of a run: its file stays where it was', async () => {
  await using scene = await openScene();
  await scene.run('run', await scene.addFile('a.csv', csvOf('A', 2)));
  const [{ batchId = '' } = {}] = JSON.parse((await scene.run('status', '--json')).stdout) as {
    batchId?: string;
  }[];
  expect(await verify(scene, batchId)).toEqual([0, true, ['input not-archived', ...reports('as-recorded')]]);
});
