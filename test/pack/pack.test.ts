/** The package as npm makes it, and its installation by docs/install.md: the lock decides which versions it gets. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-pack-'));
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Package;
  // Built already: what is packed is looked at here, and not the program.
  const scripts = { ...own.scripts, build: 'node --version' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...own, scripts }));
  for (const name of ['package-lock.json', '.npmrc']) await cp(join(root, name), join(folder, name));
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist/launch.cjs'), '');
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` };
  await run('npm', ['pack'], { cwd: folder, env });
  const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', packed], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('brings the lock that the tests ran on, and leaves it nowhere else', async () => {
  const lockOf = (path: string) => readFile(join(folder, path), 'utf8');
  expect(await lockOf('package/npm-shrinkwrap.json')).toBe(await lockOf('package-lock.json'));
  // In a clone npm would read it in the place of the other, whatever changes there.
  expect(await readdir(folder)).not.toContain('npm-shrinkwrap.json');
});

test('is installed with the versions of the lock, and with nothing that only the project uses', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const ofProgram = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const planned = await run('npm', ['ci', '--omit=dev', '--dry-run', '--offline', '--prefix', 'package'], {
    cwd: folder,
  });
  const added = planned.stdout.match(/^add \S+ \S+$/gm) ?? [];
  const named = ofProgram.map(
    ([path, { version }]) => `add ${path.replace(/^.*node_modules\//, '')} ${version}`,
  );
  expect(added.toSorted()).toEqual(named.toSorted());
});

test('is installed as the documentation says', async () => {
  const text = await readFile(join(root, 'docs/install.md'), 'utf8');
  expect(text).toMatch(/^npm ci --omit=dev --prefix paydrop /m);
});
