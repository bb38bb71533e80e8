import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OutputFileError } from '../../../src/platform/durable-file.ts';
import { openStatementOriginals, type StatementOriginals } from '../../../src/reconcile/file/originals.ts';

let folder = '';
let originals: StatementOriginals;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'paydrop-originals-')), 'statements');
  originals = await openStatementOriginals(folder);
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const permissions = async (path: string) => (await stat(path)).mode & 0o777;

async function keep(bytes: Uint8Array, date = '20261120') {
  await using draft = await originals.draft(date);
  for (let from = 0; from < bytes.length; from += 5) await draft.write(bytes.subarray(from, from + 5));
  return await draft.keep();
}

describe('an original', () => {
  test.each([
    ['plain', 'csv', Buffer.from('NO,AMOUNT\r\n')],
    ['gzip', 'gz', gzipSync('NO,AMOUNT\r\n')],
    ['zip', 'zip', Buffer.from('PK\x03\x04 and so on')],
    ['other', 'bin', Buffer.from('<html>an error</html>')],
    ['other', 'bin', Buffer.from([1, 2, 3])],
    ['other', 'bin', Buffer.alloc(0)],
  ])('of form %s is kept as .%s, to the byte, for its owner only', async (_form, ending, bytes) => {
    const hash = sha256(bytes);
    const path = join(folder, `20261120.${hash.slice(0, 10)}.original.${ending}`);
    expect(await keep(bytes)).toEqual({ path, sha256: hash });
    expect(await readFile(path)).toEqual(bytes);
    expect(await permissions(path)).toBe(0o600);
    expect(await permissions(folder)).toBe(0o700);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('kept twice is one file, another one for the day is a second', async () => {
    const first = await keep(Buffer.from('one'));
    expect(await keep(Buffer.from('one'))).toEqual(first);
    expect(await keep(Buffer.from('two'))).not.toEqual(first);
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('that comes again counts as new', async () => {
    const { path } = await keep(Buffer.from('one'));
    await utimes(path, 1_000, 1_000);
    await keep(Buffer.from('one'));
    expect((await stat(path)).mtimeMs).toBeGreaterThan(1_000_000);
  });

  test('never takes the place of another file', async () => {
    const { path } = await keep(Buffer.from('one'));
    await writeFile(path, 'something else');
    await expect(keep(Buffer.from('one'))).rejects.toThrow(OutputFileError);
    expect(await readFile(path, 'utf8')).toBe('something else');
  });

  test('that is not kept is gone', async () => {
    {
      await using draft = await originals.draft('20261120');
      await draft.write(Buffer.from('half'));
      expect(await readdir(folder)).toHaveLength(1);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test('has a date in its name and nothing else', async () => {
    await expect(originals.draft('../x')).rejects.toThrow(RangeError);
  });
});

test('a file that a person has given is copied, and stays', async () => {
  const path = join(folder, '..', 'mine.csv');
  await writeFile(path, 'NO\r\n');
  expect(await originals.keepFile('20261120', path)).toMatchObject({
    path: expect.stringMatching(/\.csv$/),
    sha256: sha256(Buffer.from('NO\r\n')),
  });
  expect(await readFile(path, 'utf8')).toBe('NO\r\n');
  expect(await originals.keepFile('20261120', `${path}.not`)).toMatchObject({
    kind: 'refused',
    refusal: { code: 'file-missing' },
  });
});

describe('a file that is larger than may be read', () => {
  test('is refused before anything of it is copied', async () => {
    const small = await openStatementOriginals(folder, 4);
    const path = join(folder, '..', 'mine.csv');
    await writeFile(path, 'NO\r\n');
    expect(await small.keepFile('20261120', path)).toMatchObject({ sha256: sha256(Buffer.from('NO\r\n')) });
    await writeFile(path, 'NO\r\n1');
    const refused = { kind: 'refused', refusal: { code: 'bytes-over-limit', line: null } };
    expect(await small.keepFile('20261120', path)).toMatchObject(refused);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test.runIf(process.platform === 'linux')('is refused as it is copied, when it grows', async () => {
    const small = await openStatementOriginals(folder, 4);
    // A regular file by its kind, of size 0, with bytes in it.
    expect(await small.keepFile('20261120', '/proc/self/status')).toMatchObject({
      refusal: { code: 'bytes-over-limit' },
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a key lies beside the original that it did not open, for its owner only', async () => {
  const original = await keep(Buffer.from('PK\x03\x04'));
  const path = await originals.keepKey(original, 'k1');
  expect(path.startsWith(`${original.path}.`)).toBe(true);
  expect(await readFile(path, 'utf8')).toBe('k1');
  expect(await permissions(path)).toBe(0o600);
  expect(await originals.keepKey(original, 'k1')).toBe(path);
  expect(await originals.keepKey(original, 'k2')).not.toBe(path);
});

test('an original is found by its bytes, with the key that came last, and not once they are others', async () => {
  const original = await keep(Buffer.from('PK\x03\x04'));
  expect(await originals.findKept('20261120', original.sha256)).toEqual({ ...original, key: null });
  await utimes(await originals.keepKey(original, 'k1'), 1_000, 1_000);
  await originals.keepKey(original, 'k2');
  expect(await originals.findKept('20261120', original.sha256)).toEqual({ ...original, key: 'k2' });
  expect(await originals.findKept('20261121', original.sha256)).toBeUndefined();
  await writeFile(original.path, 'PK\x03\x05');
  expect(await originals.findKept('20261120', original.sha256)).toBeUndefined();
});

test('what a crash left half written is removed once it is old, and nothing else', async () => {
  const mark = '0123456789ab';
  const old = [`.20261120.original.${mark}.tmp`, `.statement.opened.${mark}.tmp`];
  const others = [`.20261120.v1.breaks.csv.${mark}.tmp`, '20261120.0123456789.original.csv', 'notes.txt'];
  for (const name of [...old, ...others]) {
    await writeFile(join(folder, name), 'x');
    await utimes(join(folder, name), 1_000, 1_000);
  }
  await writeFile(join(folder, `.20261121.original.${mark}.tmp`), 'x');
  await originals.removeLeftovers(2_000_000);
  expect((await readdir(folder)).toSorted()).toEqual(
    [...others, `.20261121.original.${mark}.tmp`].toSorted(),
  );
});

describe('originals that were refused again and again', () => {
  const hourMs = 3_600_000;

  async function keepAged(hours: number, date = '20261120'): Promise<string> {
    const original = await keep(Buffer.from(`PK\x03\x04 of hour ${hours}`), date);
    await originals.keepKey(original, 'k');
    const cameSeconds = (1_000 * hourMs + hours * hourMs) / 1_000;
    await utimes(original.path, cameSeconds, cameSeconds);
    return original.path;
  }

  test('go with their keys, but for the newest three', async () => {
    const paths = [];
    for (const hours of [3, 1, 5, 2, 4]) paths.push(await keepAged(hours));
    const other = await keepAged(1, '20261121');
    await writeFile(join(folder, '20261120.v1.breaks.csv'), 'x');
    await originals.removeRefused('20261120', 2_000 * hourMs, []);
    const left = (await readdir(folder))
      .map((name) => join(folder, name))
      .filter((path) => path.endsWith('.zip'));
    expect(new Set(left)).toEqual(new Set([paths[0], paths[2], paths[4], other]));
    expect(await readdir(folder)).toHaveLength(2 * 4 + 1);
  });

  test('stay where people are to decide on them', async () => {
    const paths = [];
    for (const hours of [1, 2, 3, 4, 5]) paths.push(await keepAged(hours));
    const proposed = sha256(await readFile(paths[0] ?? ''));
    await originals.removeRefused('20261120', 2_000 * hourMs, [proposed]);
    expect(await readdir(folder)).toHaveLength(2 * 4);
    expect(await originals.findKept('20261120', proposed)).toMatchObject({ path: paths[0] });
  });

  test('stay while they are young', async () => {
    for (const hours of [1, 2, 3, 4, 5]) await keepAged(hours);
    await originals.removeRefused('20261120', 1_001 * hourMs, []);
    expect(await readdir(folder)).toHaveLength(10);
    await originals.removeRefused('20261120', 1_001 * hourMs + 1, []);
    expect(await readdir(folder)).toHaveLength(8);
  });
});
