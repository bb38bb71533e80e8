import fsPromises, { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { TraceSearch } from '../../src/app/traces.ts';
import { computeBatchId } from '../../src/core/reference.ts';

const bytes = 'payoutId,amount\nP1,10.00\n';
const sha256 = createHash('sha256').update(bytes).digest('hex');
const inspection = { sha256, sizeBytes: bytes.length };
const loss = { recoveredAtMs: 1, sinceDate: '20261120', untilDate: '20261121' };

async function openFolders() {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-traces-'));
  const folders = { outbox: join(root, 'outbox'), archive: join(root, 'archive') };
  const write = async (path: string, text: string): Promise<string> => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
    return join(root, path);
  };
  let nowMs = 0;
  const search = new TraceSearch(folders, () => nowMs);
  const find = (...[known]: [typeof loss?]): Promise<string | undefined> => {
    nowMs += 60_000;
    return search.find(inspection, known);
  };
  return { write, find, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

test('nothing is found where there is nothing, or other files only', async () => {
  await using folders = await openFolders();
  expect(await folders.find()).toBeUndefined();
  await folders.write('outbox/payouts.0000000000.result.csv', '');
  await folders.write('outbox/readme.txt', '');
  await folders.write('archive/2026-11-21/payouts.csv', bytes.replace('P1', 'P2'));
  expect(await folders.find()).toBeUndefined();
});

test.each(['result.csv', 'exceptions.csv', 'summary.json', 'result-update-2.csv'])(
  'a report %s of the batch is found, under any name',
  async (ending) => {
    await using folders = await openFolders();
    expect(await folders.find()).toBeUndefined();
    const path = await folders.write(`outbox/other.name.${computeBatchId(sha256)}.${ending}`, '');
    expect(await folders.find()).toBe(path);
  },
);

test('an archived file with the same bytes is found, until it is taken away', async () => {
  await using folders = await openFolders();
  await folders.write('archive/2026-11-20/other.csv', bytes.replace('P1', 'P2'));
  expect(await folders.find()).toBeUndefined();
  const path = await folders.write('archive/2026-11-20/payouts.csv', bytes);
  expect(await folders.find()).toBe(path);
  expect(await readFile(path, 'utf8')).toBe(bytes);
  await rm(path);
  expect(await folders.find()).toBeUndefined();
});

test('nothing is looked for while a loss is in question: the bank is asked', async () => {
  await using folders = await openFolders();
  const path = await folders.write('archive/2026-11-20/payouts.csv', bytes);
  expect(await folders.find(loss)).toBeUndefined();
  expect(await folders.find({ ...loss, sinceDate: '20261122' })).toBe(path);
});

/** The disk answers one kind of question about a path otherwise, for a while. */
function breakDisk(name: 'readdir' | 'open' | 'stat', path: string, code: string): Disposable {
  const whole = fsPromises[name] as (...given: unknown[]) => Promise<unknown>;
  const broken = vi
    .spyOn(fsPromises, name)
    .mockImplementation(((...given: unknown[]) =>
      String(given[0]) === path
        ? Promise.reject(Object.assign(new Error(code), { code }))
        : whole(...given)) as never);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      broken.mockRestore();
      syncBuiltinESMExports();
    },
  };
}

test.each([
  ['readdir', ''],
  ['stat', '/payouts.csv'],
  ['open', '/payouts.csv'],
] as const)('an archive that cannot be read (%s) is no proof that nothing is there', async (name, file) => {
  await using folders = await openFolders();
  const path = await folders.write('archive/2026-11-20/payouts.csv', bytes);
  {
    using _ = breakDisk(name, `${join(path, '..')}${file}`, 'EIO');
    await expect(folders.find()).rejects.toThrow('EIO');
  }
  expect(await folders.find()).toBe(path);
});

test('what is no folder of a day, or leads nowhere, stands in nobody’s way', async () => {
  await using folders = await openFolders();
  const path = await folders.write('archive/2026-11-20/payouts.csv', bytes);
  await folders.write('archive/readme.txt', '');
  await symlink('nowhere', join(path, '..', '..', '2026-11-21'));
  await symlink('nowhere', join(path, '..', 'gone.csv'));
  expect(await folders.find()).toBe(path);
});
