import { expect, test } from 'vitest';
import { runPaydrop } from './run-paydrop.ts';

test.each([
  [['--journal-lost'], '--journal-lost needs --since YYYY-MM-DD'],
  [['--since', '2026-11-20'], '--since is for --journal-lost'],
  [['--journal-lost', '--since', 'yesterday'], '--since: "yesterday" names no day'],
  [['--journal-lost', '--since', '2199-01-01'], '2199-01-01 is in the future; tomorrow'],
  [['--journal-lost', '--since', '20010101'], '2001-01-01 is more than 90 days ago'],
])('run %j is wrong usage, before anything is opened', async (args, why) => {
  const { code, stdout, stderr } = await runPaydrop(['run', 'payouts.csv', ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(why);
  expect(stderr.split('\n')).toHaveLength(2);
});

test('run --help says how a lost journal goes on', async () => {
  const { stdout } = await runPaydrop(['run', '--help']);
  expect(stdout).toMatch(/paydrop run a\.csv --journal-lost --since \d{4}-\d\d-\d\d/);
});
