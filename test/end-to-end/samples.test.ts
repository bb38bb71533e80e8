import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, runPaydrop } from '../cli/run-paydrop.ts';

const root = join(import.meta.dirname, '../..');
let dataDir = '';

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'paydrop-samples-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const paydrop = (command: string, sample: string, ...more: string[]): Promise<Ended> =>
  runPaydrop([command, join(root, 'samples', sample), '--data-dir', dataDir, ...more]);
const sandbox = ['--config', join(root, 'config/sandbox.yaml')];

describe('the samples', () => {
  test('payouts.csv is paid, and run again pays nobody and shows the same summary', async () => {
    const first = await paydrop('run', 'payouts.csv', ...sandbox, '--exceptions-ok');
    expect(first).toEndWith(0);
    expect(first.stdout).toMatch(/adds up to the file/);
    // A second high-water mark lies hidden beside the reports.
    const reports = (await readdir(join(dataDir, 'outbox'))).filter((name) => !name.startsWith('.'));
    expect(reports.map((name) => name.replace(/^payouts\.[0-9A-Z]{10}\./, ''))).toEqual([
      'exceptions.csv',
      'result.csv',
      'summary.json',
    ]);
    const again = await paydrop('run', 'payouts.csv', ...sandbox, '--exceptions-ok');
    expect(again).toEndWith(0);
    expect(again.stdout).toMatch(/no payee is paid again/);
    const tableOf = ({ stdout }: Ended): string | undefined => /^Status[\s\S]*^total.*$/m.exec(stdout)?.[0];
    expect(tableOf(again)).toBe(tableOf(first));
    expect(tableOf(first)).toBeDefined();
  });

  test('payouts-trailer-mismatch.csv is rejected as a whole', async () => {
    const config = ['--config', join(root, 'samples/payouts-with-trailer.yaml')];
    expect(await paydrop('run', 'payouts-trailer-mismatch.csv', ...config)).toEndWith(5);
    expect(await paydrop('run', 'payouts-with-trailer.csv', ...config)).toEndWith(0);
  });

  test('payouts-thai-windows-874.csv is read with its own settings', async () => {
    const config = ['--config', join(root, 'samples/payouts-thai-windows-874.yaml')];
    const ended = await paydrop('run', 'payouts-thai-windows-874.csv', ...config);
    expect(ended).toEndWith(0);
  });

  test.each(['payouts-broken-rows.csv', 'payouts-excel-damaged.csv'])(
    'check of %s prints every issue with its line and sends nothing',
    async (sample) => {
      const ended = await paydrop('check', sample, ...sandbox);
      expect(ended).toEndWith(3);
      const issues = ended.stdout
        .split('\n')
        .filter((line) => line.includes(`${sample}:`) && /:\d+:/.test(line));
      expect(issues.length).toBeGreaterThan(3);
      expect(ended.stdout).toMatch(/Nothing was sent/);
      expect(await readdir(dataDir)).toEqual([]);
    },
  );
});
