/** Files as evidence: kept once, whole, under their bytes' name, and known when they are gone or changed. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  evidenceBytesMax,
  evidenceFolderOf,
  findEvidenceFault,
  locateEvidence,
  prepareEvidence,
} from '../../src/review/evidence-files.ts';
import type { EvidenceFile } from '../../src/review/rules/proposal.ts';
import { useFolder } from '../support/payout-file-kit.ts';

const folder = useFolder();
let opened = 0;
const openFolder = () => {
  opened += 1;
  return evidenceFolderOf(folder.path(`data-${opened}`));
};

async function* inChunks(...chunks: readonly Buffer[]) {
  yield* chunks;
}

async function keep(place: string, name: string, text: string): Promise<EvidenceFile> {
  const prepared = await prepareEvidence(place, name, inChunks(Buffer.from(text)));
  if (typeof prepared === 'string') throw new Error(prepared);
  await using evidence = prepared;
  await evidence.keep();
  return evidence.file;
}

test('the same bytes are kept once, for their owner alone, whatever they are called', async () => {
  const place = openFolder();
  const sha256 = createHash('sha256').update('a letter').digest('hex');
  expect(await keep(place, 'letter.pdf', 'a letter')).toEqual({ name: 'letter.pdf', sha256, bytes: 8 });
  expect(await keep(place, 'จดหมาย.exe', 'a letter')).toMatchObject({ name: 'จดหมาย.exe', sha256 });
  expect(await readdir(place)).toEqual([sha256]);
  expect(await readFile(join(place, sha256), 'utf8')).toBe('a letter');
  expect((await stat(join(place, sha256))).mode & 0o777).toBe(0o600);
  expect((await stat(place)).mode & 0o777).toBe(0o700);
});

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\letters\\a.pdf', 'a.pdf'],
  ['a\u001B[2J\r\nb.pdf', 'a_[2J__b.pdf'],
  ['.hidden', '_hidden'],
  ['..', '_'],
])('the name %j is no path and steers nothing', async (name, shown) => {
  expect(await keep(openFolder(), name, 'x')).toMatchObject({ name: shown });
});

test('a long name is cut, its ending kept; it may be none at all', async () => {
  const { name } = await keep(openFolder(), `${'ก'.repeat(200)}.pdf`, 'x');
  expect([Buffer.byteLength(name) <= 120, name.endsWith('.pdf')]).toEqual([true, true]);
  expect((await keep(openFolder(), '', 'x')).name).not.toBe('');
});

test('what is empty, cut off or too large is not kept, and leaves nothing behind', async () => {
  const place = openFolder();
  expect(await prepareEvidence(place, 'a', inChunks())).toBe('empty');
  expect(await prepareEvidence(place, 'a', inChunks(Buffer.from('x')), () => true)).toBe('tooLarge');
  const half = Buffer.alloc(evidenceBytesMax / 2 + 1);
  expect(await prepareEvidence(place, 'a', inChunks(half, half))).toBe('tooLarge');
  expect(await readdir(place)).toEqual([]);
});

test('what is not kept after all leaves nothing behind, and nothing of another that has the same bytes', async () => {
  const place = openFolder();
  const prepare = async () => {
    const prepared = await prepareEvidence(place, 'a', inChunks(Buffer.from('a letter')));
    if (typeof prepared === 'string') throw new Error(prepared);
    return prepared;
  };
  await (await prepare())[Symbol.asyncDispose]();
  expect(await readdir(place)).toEqual([]);
  const late = await prepare();
  await late[Symbol.asyncDispose]();
  await expect(late.keep()).rejects.toThrow('was taken away before it was kept');
  const { sha256 } = await keep(place, 'a', 'a letter');
  await (await prepare())[Symbol.asyncDispose]();
  expect(await readdir(place)).toEqual([sha256]);
});

test('one that is gone or was changed is told, and handed out to nobody', async () => {
  const place = openFolder();
  const file = await keep(place, 'letter.pdf', 'a letter');
  expect(findEvidenceFault(place, file)).toBeUndefined();
  expect(await locateEvidence(place, file)).toBe(join(place, file.sha256));
  await writeFile(join(place, file.sha256), 'another letter');
  expect(findEvidenceFault(place, file)).toContain('is not what was kept');
  expect(await locateEvidence(place, file)).toBeUndefined();
  await expect(keep(place, 'letter.pdf', 'a letter')).rejects.toThrow('another file has this name');
  await rm(join(place, file.sha256));
  expect(findEvidenceFault(place, file)).toContain('is gone: put');
  expect(await locateEvidence(place, file)).toBeUndefined();
});
