import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { probeFolders } from '../../src/platform/disk-probe.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-probe-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const probeName = '.paydrop-probe.tmp';
const modulePath = fileURLToPath(new URL('../../src/platform/disk-probe.ts', import.meta.url));
const program = `import(process.argv[1]).then(async (m) => console.log(JSON.stringify(await m.probeFolders([process.argv[2]]) ?? null)))`;
/** Probes many times and tells the troubles. */
const manyTimes = `import(process.argv[1]).then(async (m) => {
  const found = [];
  for (let n = 0; n < 40; n += 1) found.push(await m.probeFolders([process.argv[2]]));
  console.log(JSON.stringify(found.filter(Boolean)));
})`;
const runFile = promisify(execFile);

/** What a program of its own finds, begun by a shell that first makes the disk what it is to be. */
async function probeAfter(preparation: string, path: string): Promise<unknown> {
  const script = `${preparation} && exec "$0" -e "$1" "$2" "$3"`;
  const { stdout } = await runFile('sh', ['-c', script, process.execPath, program, modulePath, path]);
  return JSON.parse(stdout) as unknown;
}

describe('folders that take writes', () => {
  test('are no trouble, and are left as they were', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    expect(await probeFolders([folder, other])).toBeUndefined();
    expect(await readdir(folder)).toEqual(['other']);
    expect(await readdir(other)).toEqual([]);
  });

  test('are none when there are none', async () => expect(await probeFolders([])).toBeUndefined());

  test('lose what a crash has left in them', async () => {
    await writeFile(join(folder, probeName), 'half');
    expect(await probeFolders([folder])).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  test('may be probed by two at once', async () => {
    const other = { isOver: false, stdout: '' };
    const end = runFile(process.execPath, ['-e', manyTimes, modulePath, folder])
      .then(({ stdout }) => (other.stdout = stdout))
      .finally(() => (other.isOver = true));
    const found = [];
    while (!other.isOver) found.push(await probeFolders([folder]));
    await end;
    expect(JSON.parse(other.stdout)).toEqual([]);
    expect(found.filter((trouble) => trouble !== undefined)).toEqual([]);
  });
});

describe('a folder that takes none', () => {
  test.each<[string, (path: string) => Promise<unknown>, string]>([
    ['is not there', async () => undefined, 'the folder is not there: create it or set another one'],
    ['is a file', (path) => writeFile(path, ''), 'a part of the path is not a folder: move it away'],
    ['is a link to nothing', (path) => symlink('nowhere', path), 'the folder is not there'],
  ])('because it %s is named with the cure', async (_, make, cure) => {
    const path = join(folder, 'place');
    await make(path);
    const trouble = await probeFolders([folder, path, join(folder, 'never looked at')]);
    expect(trouble?.path).toBe(path);
    expect(trouble?.why).toContain(`cannot write in ${path}: ${cure}`);
  });

  test('is told of by the first trouble, and well again by itself', async () => {
    const path = join(folder, 'inbox');
    expect(await probeFolders([path])).toMatchObject({ path });
    await mkdir(path);
    expect(await probeFolders([path])).toBeUndefined();
  });

  test('because something stands in the way says what to move', async () => {
    await mkdir(join(folder, probeName));
    expect((await probeFolders([folder]))?.why).toBe(
      `cannot write ${join(folder, probeName)}: a folder has this name: move it away`,
    );
  });

  test('never writes through a link that waits for the probe', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    await symlink(victim, join(folder, probeName));
    expect(await probeFolders([folder])).toBeUndefined();
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect(await readdir(folder)).toEqual(['victim']);
  });

  test('because of a limit leaves nothing behind', async () => {
    expect(await probeAfter('ulimit -f 4', folder)).toEqual({
      path: folder,
      why: `cannot write in ${folder}: the file is larger than this user may write: raise the limit (ulimit -f)`,
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

/** A small disk of its own that goes with the program, where this user may have one. */
const inOwnMounts = ['--mount', '--map-root-user', 'sh', '-c'];
const fullDisk = 'mount -t tmpfs -o size=16k none "$3" && head -c 16384 /dev/zero > "$3/filler"';
const mayMount = await runFile('unshare', [...inOwnMounts, 'mount -t tmpfs none /mnt']).then(
  () => true,
  () => false,
);

describe.skipIf(!mayMount)('a disk', () => {
  test.each([
    ['that is full', fullDisk, 'the disk is full: free some space'],
    ['that is read-only', 'mount -t tmpfs -o ro none "$3"', 'the file system is read-only'],
    ['with space again', `${fullDisk} && rm "$3/filler"`, undefined],
  ])('%s', async (_, preparation, why) => {
    const script = `${preparation} && exec "$0" -e "$1" "$2" "$3"`;
    const { stdout } = await runFile('unshare', [
      ...inOwnMounts,
      script,
      process.execPath,
      program,
      modulePath,
      folder,
    ]);
    const trouble = JSON.parse(stdout) as { why: string } | null;
    if (why === undefined) expect(trouble).toBeNull();
    else expect(trouble?.why).toContain(why);
    expect(trouble?.why ?? '').not.toContain('run it again');
  });
});

describe('a folder that does not answer', () => {
  test('is a trouble after a while, is asked by one alone, and comes back', async () => {
    const { promise: answer, resolve: comeBack } = Promise.withResolvers<void>();
    const write = vi.fn(() => answer);
    for (let times = 0; times < 3; times += 1) {
      expect(await probeFolders([folder], 10, write)).toEqual({
        path: folder,
        why: `cannot write in ${folder}: no answer within 10 ms: look at the disk or the share`,
      });
    }
    expect(write).toHaveBeenCalledTimes(1);
    comeBack();
    await answer;
    expect(await probeFolders([folder])).toBeUndefined();
  });
});
