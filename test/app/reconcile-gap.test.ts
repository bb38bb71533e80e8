/** A day that does not tie out is told outside also when a person reconciles it: once a day, and the command fails. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect, test, vi } from 'vitest';
import { reconcileStatement } from '../../src/app/reconcile.ts';
import { silentLogger } from '../../src/platform/log.ts';
import type * as Tally from '../../src/reconcile/rules/tally.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { partner } from '../support/core-fixtures.ts';
import { csv, row } from '../support/statement-file-kit.ts';

const none = { count: 0, satang: 0n };

// Sound code and a sound journal always tie out.
vi.mock('../../src/reconcile/rules/tally.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof Tally>()),
  findTotalsGaps: () => [{ where: 'paid', counted: none, expected: none }],
}));

test('a day that a person reconciles and that does not tie out is told of once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-gap-'));
  const told = join(folder, 'told.jsonl');
  const [configPath, file] = [join(folder, 'paydrop.yaml'), join(folder, 'mine_20201120.csv')];
  const notices = { command: ['/bin/sh', '-c', 'cat >> "$0"', told] };
  await writeFile(told, '');
  await writeFile(
    configPath,
    stringify({ dataDir: './data', bank: { baseUrl: 'sandbox', ...partner }, notices }),
  );
  await writeFile(file, csv([row(1, { 'EFFECTIVE DATE': '20201120' })]));
  const loaded = loadSettings({ configPath, cwd: folder, env: {} });
  const stop = new AbortController().signal;
  const options = { isForced: false, waitMs: 0, logger: silentLogger, warn: () => undefined, stop };
  try {
    for (const _ of ['today', 'today again'])
      await expect(
        reconcileStatement(loaded, { date: undefined, file, key: null }, options),
      ).rejects.toMatchObject({ name: 'TotalsGapError' });
    const lines = (await readFile(told, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        kind: 'sums',
        severity: 'critical',
        statement: '2020-11-20',
        reasonCode: 'statement-does-not-tie-out',
        reason: expect.stringContaining('the statement does not tie out with the journal (paid: '),
        commands: [expect.stringMatching(/^paydrop reconcile --date 2020-11-20 --config /)],
      }),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
