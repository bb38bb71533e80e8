/** How the program is started: by one launcher, which any Node can read, with the same doors closed everywhere. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNode } from './run-paydrop.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const launcher = join(root, 'src/launch.cts');

test.each([
  ['config/Containerfile', 'dist/launch.cjs'],
  ['package.json', 'src/launch.cts'],
  ['package.json', '"paydrop": "dist/launch.cjs"'],
])('%s: starts %s', (path, expected) => {
  expect(read(path)).toContain(expected);
});

test('the unit leaves no core dump, which would hold secrets', () => {
  expect(read('config/paydrop.service')).toMatch(/^LimitCORE=0$/m);
});

test('the launcher hands the command line on, and closes the debugger', async () => {
  const shown = await runNode([launcher, '--version']);
  expect(shown).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
  expect(read('src/launch.cts')).toContain("'--disable-sigusr1'");
  expect(await runNode([launcher, 'no-such-command'])).toMatchObject({ code: 2, stdout: '' });
});

test('the launcher starts no second program to tell of help or version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-launch-'));
  try {
    const noSecond = join(folder, 'no-second.cjs');
    await writeFile(noSecond, "process.execve = () => { throw new Error('started again'); };\n");
    const launch = (...words: string[]) => runNode(['--require', noSecond, launcher, ...words]);
    expect(await launch('-v')).toMatchObject({ code: 0, stderr: '' });
    expect(await launch('status', '--help')).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await launch('status');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('started again') });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an older Node is told what is needed, with 2', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-launch-'));
  try {
    const older = join(folder, 'older.cjs');
    await writeFile(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\n");
    const { code, stdout, stderr } = await runNode(['--require', older, launcher, 'run', 'a.csv']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^paydrop needs Node 24 or later, this is 20\.20\.2 \(.+\)\.\n/);
    expect(stderr).toContain('run the same command again');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the launcher has no word that an old Node cannot read', () => {
  const code = read('src/launch.cts').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'/gm, '');
  expect(code).not.toMatch(/\b(const|let|class|async|await|require)\b|=>|\?\.|\?\?|`|\.\.\./);
});
