/** What is dropped on a machine that helps, and only the one that sends takes. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WaitingDrops } from '../../../src/app/machines/own-inbox.ts';

test('is told of when it is there at two looks, once, and again when it was dropped again', async () => {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-waiting-'));
  try {
    const [folder, away] = [join(root, 'registrations'), join(root, 'none')];
    await mkdir(join(folder, '.paydrop'), { recursive: true });
    const path = join(folder, 'a.csv');
    const waiting = new WaitingDrops([folder, away]);
    await writeFile(path, 'a');
    await writeFile(join(folder, 'b.csv.part'), 'b');
    expect(await waiting.look()).toEqual([]);
    expect(await waiting.look()).toEqual([path]);
    expect(await waiting.look()).toEqual([]);
    await rm(path);
    expect(await waiting.look()).toEqual([]);
    await writeFile(path, 'a');
    expect([await waiting.look(), await waiting.look()]).toEqual([[], [path]]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
