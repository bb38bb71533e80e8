import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { renderBatch, renderPayout } from '../../src/cli/render-status.ts';
import { statusCommand } from '../../src/cli/status.ts';
import { makeBatch, makeRow } from '../support/report-fixtures.ts';

const fileName = 'two\nlines\u001B[31m\u2028.csv';

test('a name keeps to its line and steers no terminal', () => {
  const batch = makeBatch({ fileName });
  expect(renderBatch(batch, [], [])).toMatch(/ {2}two\?lines\?\[31m\?\.csv$/);
  const [first = ''] = renderBatch(batch, [], []).split('\n');
  expect(first).toContain('.csv');
});

test('nor does what a file or the bank says of a payout', () => {
  const row = makeRow({ cells: { ...makeRow().cells, payoutId: 'A\tB' }, reason: 'no\rmoney' });
  const text = renderPayout({ row, batch: makeBatch({ fileName }), attempts: [], events: [] });
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^A\?B {2}/),
    expect.stringContaining('of two?lines?[31m?.csv, batch '),
    '  paid (IC000: no?money)',
    '  remedy: Nothing to do',
  ]);
});

test('a rehearsal says so', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-status-'));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const config = join(import.meta.dirname, '../../config/sandbox.yaml');
  const options = {
    config,
    dataDir,
    json: false,
    logLevel: 'silent',
    batch: undefined,
    statements: false,
  } as const;
  try {
    await statusCommand.handler({ ...options, _: [], $0: 'paydrop' });
    expect(write.mock.calls.map(([text]) => text).join('')).toBe(
      '*** SANDBOX: a rehearsal, no real money moves ***\n\nNo batches yet.\n',
    );
  } finally {
    write.mockRestore();
    await rm(dataDir, { recursive: true });
  }
});
