import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fsPromises, {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AtomicFile,
  OutputFileError,
  publishFile,
  readTemporaryName,
} from '../../src/platform/durable-file.ts';
import type { PreparedFile } from '../../src/platform/durable-file.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-atomic-'));
  path = join(folder, 'pay.result.csv');
});
afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const names = () => readdir(folder);

async function prepare(...texts: string[]): Promise<PreparedFile> {
  await using file = await AtomicFile.open(path);
  for (const text of texts) await file.write(text);
  return await file.finish();
}

/** The error of a promise that must fail, with the place it must name. */
async function failure(promise: Promise<unknown>): Promise<OutputFileError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OutputFileError);
  return error as OutputFileError;
}

describe('writing', () => {
  test('goes to a temporary name, for the owner only, hashed on the way', async () => {
    const prepared = await prepare('ก,1\n', '', 'ข,2\n');
    expect(prepared).toMatchObject({ path, sha256: sha256('ก,1\nข,2\n') });
    expect(await readFile(prepared.temporaryPath, 'utf8')).toBe('ก,1\nข,2\n');
    expect((await stat(prepared.temporaryPath)).mode & 0o777).toBe(0o600);
    const [name = '', ...others] = await names();
    expect(others).toEqual([]);
    expect(readTemporaryName(name)).toBe('pay.result.csv');
  });

  test('two at once do not meet', async () => {
    const [one, two] = await Promise.all([prepare('one'), prepare('two')]);
    expect(one.temporaryPath).not.toBe(two.temporaryPath);
  });

  test('leaves nothing when it is given up halfway', async () => {
    const halfway = async () => {
      await using file = await AtomicFile.open(path);
      await file.write('half');
      throw new Error('the journal broke');
    };
    await expect(halfway()).rejects.toThrow('the journal broke');
    expect(await names()).toEqual([]);
  });

  test.each([
    ['a folder that is not there', 'nowhere/pay.csv', /nowhere\/pay\.csv: the folder is not there/],
    ['a name too long', `${'x'.repeat(250)}.csv`, /the name is too long/],
    ['a file instead of a folder', 'file/pay.csv', /not a folder/],
  ])('into %s names the path and the cure', async (_name, target, message) => {
    await writeFile(join(folder, 'file'), '');
    expect((await failure(AtomicFile.open(join(folder, target)))).message).toMatch(message);
  });

  // The limit on a process's file size makes the operating system itself refuse, as a full disk does.
  test('that the disk refuses says so and leaves no half file', async () => {
    const module = new URL('../../src/platform/durable-file.ts', import.meta.url).href;
    const script = `
      process.on('SIGXFSZ', () => {});
      const { AtomicFile } = await import(${JSON.stringify(module)});
      try {
        await using file = await AtomicFile.open(${JSON.stringify(path)});
        for (let i = 0; i < 64; i += 1) await file.write('x'.repeat(1024));
      } catch (error) { console.log(error.name + ': ' + error.message); }`;
    const command = 'ulimit -f 16; exec "$0" --input-type=module -e "$1"';
    // What Node keeps of compiled modules would meet the limit first.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script], { env });
    expect(stdout).toContain(
      `OutputFileError: cannot write ${path}: the file is larger than this user may write`,
    );
    expect(await names()).toEqual([]);
  });
});

describe('publishing', () => {
  test('gives the file its name and takes the temporary one away', async () => {
    const prepared = await prepare('whole');
    expect(await publishFile(prepared)).toBe('published');
    expect(await names()).toEqual(['pay.result.csv']);
    expect(await readFile(path, 'utf8')).toBe('whole');
  });

  test('a second time, beside the same bytes, changes nothing', async () => {
    const first = await prepare('whole');
    await publishFile(first);
    const { ino } = await stat(path);
    expect(await publishFile(await prepare('whole'))).toBe('already-there');
    expect(await names()).toEqual(['pay.result.csv']);
    expect((await stat(path)).ino).toBe(ino);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a file with other bytes', () => writeFile(path, 'theirs')],
    ['an empty file', () => writeFile(path, '')],
    ['a folder', () => mkdir(path)],
    ['a link that leads nowhere', () => symlink(join(folder, 'nowhere'), path)],
    ['a link to the same bytes', () => symlink('elsewhere', path)],
  ])('never overwrites %s', async (_name, occupy) => {
    await writeFile(join(folder, 'elsewhere'), 'ours');
    await occupy();
    const before = await stat(path).catch(() => undefined);
    const prepared = await prepare('ours');
    const { message } = await failure(publishFile(prepared));
    expect(message).toBe(
      `cannot publish ${path}: another file has this name already; move it away and run it again`,
    );
    expect((await stat(path).catch(() => undefined))?.mtimeMs).toBe(before?.mtimeMs);
    expect(await readFile(prepared.temporaryPath, 'utf8')).toBe('ours');
  });

  test('into a folder that has become read-only keeps the bytes for later', async () => {
    const prepared = await prepare('whole');
    await chmod(folder, 0o500);
    if (process.getuid?.() !== 0) {
      expect((await failure(publishFile(prepared))).message).toMatch(/permission is denied/);
      await chmod(folder, 0o700);
    }
    expect(await publishFile(prepared)).toBe('published');
  });
});

describe('publishing after a crash', () => {
  test.each<[string, (prepared: PreparedFile) => Promise<unknown>, string, string[]]>([
    ['nothing happened yet', async () => {}, 'published', ['pay.result.csv']],
    ['it was linked only', (file) => link(file.temporaryPath, path), 'already-there', ['pay.result.csv']],
    ['it was published', (file) => publishFile(file), 'already-there', ['pay.result.csv']],
    [
      'it was published and taken away',
      async (file) => {
        await publishFile(file);
        await rm(path);
      },
      'gone',
      [],
    ],
  ])('when %s', async (_name, happen, state, left) => {
    const prepared = await prepare('whole');
    await happen(prepared);
    expect(await publishFile(prepared)).toBe(state);
    expect(await names()).toEqual(left);
    expect(await publishFile(prepared)).toBe(state === 'published' ? 'already-there' : state);
  });

  test.each([
    ['left by a crash between the two steps is filled', '', 'published', 'whole'],
    ['that holds something is never overwritten', 'theirs', /another file has this name/, 'theirs'],
  ])('without hard links, a name %s', async (_name, there, outcome, text) => {
    const prepared = await prepare('whole');
    await writeFile(path, there);
    vi.spyOn(fsPromises, 'link').mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    syncBuiltinESMExports();
    try {
      const state = await publishFile(prepared).catch((error: unknown) => (error as Error).message);
      expect(state).toMatch(outcome);
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('never publishes bytes that are not the recorded ones', async () => {
    const prepared = await prepare('whole');
    await writeFile(prepared.temporaryPath, 'who');
    expect(await publishFile(prepared)).toBe('gone');
    expect(await names()).not.toContain('pay.result.csv');
  });
});

test.each([
  ['.pay.csv.0123456789ab.tmp', 'pay.csv'],
  ['.pay\n.csv.0123456789ab.tmp', 'pay\n.csv'],
  ['pay.csv.0123456789ab.tmp', undefined],
  ['.pay.csv.0123.tmp', undefined],
  ['.pay.csv', undefined],
])('the temporary name %j stands for %j', (name, expected) => {
  expect(readTemporaryName(name)).toBe(expected);
});
