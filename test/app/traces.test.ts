import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
