import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, runPaydrop } from './run-paydrop.ts';

const sandboxSettings = join(import.meta.dirname, '../../config/sandbox.yaml');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-arguments-'));
  for (const name of ['A', 'B', 'C']) {
    const csv = `payoutId,proxyType,proxyNo,payeeName,amount\n${name}1,MSISDN,0812345678,,${name === 'A' ? 5 : name === 'B' ? 6 : 7}.00\n`;
    await writeFile(join(folder, `${name}.csv`), csv);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const paydrop = (...args: string[]): Promise<Ended> =>
  runPaydrop([...args, '--config', sandboxSettings, '--data-dir', join(folder, 'journal')], { cwd: folder });

describe('several files', () => {
  test('are all run, in their order, each once', async () => {
    const { code, stdout } = await paydrop('run', 'B.csv', 'A.csv', 'C.csv', 'A.csv', '--json');
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly file: string; readonly isRepeat: boolean });
    expect(code).toBe(0);
    expect(outcomes.map(({ file, isRepeat }) => [file, isRepeat])).toEqual([
      ['B.csv', false],
      ['A.csv', false],
      ['C.csv', false],
      ['A.csv', true],
    ]);
  });

  test('are all checked', async () => {
    const { code, stdout } = await paydrop('check', 'A.csv', 'B.csv');
    expect(code).toBe(0);
    expect(stdout).toMatch(/A\.csv: 1 row,[\s\S]*B\.csv: 1 row,/);
  });
});

describe('arguments that nobody can have meant', () => {
  test.each([
    [['run', 'A.csv', '--wait', '1', '--wait', '2'], /--wait is given more than once/],
    [['run', 'A.csv', ''], /FILE is empty/],
    [['run', 'A.csv', '--wait', 'soon'], /--wait takes a number/],
    [['run'], /FILE is missing: type paydrop run FILE\.\. \(paydrop run --help shows examples\)/],
    [['run', '--wiat', '3'], /unknown option --wiat: did you mean --wait\?/],
    [['restore', '--jsn', '--since', '2026-11-19'], /unknown option --jsn: did you mean --json\?/],
    [['confirm', 'P-1', 'paid'], /paid is an option: write it with two hyphens, --paid/],
    [['run', '-x'], /Unknown argument: x /],
  ])('%j are refused before anything is done', async (args, message) => {
    const { code, stderr, stdout } = await paydrop(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
