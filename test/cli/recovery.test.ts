import { expect, test } from 'vitest';
import { runPaydrop } from './run-paydrop.ts';

/** A day that is neither too early nor in the future. */
const lost = ['--journal-lost', '--since', new Date().toISOString().slice(0, 10)];

test.each([
  [['--journal-lost'], '--journal-lost needs --since YYYY-MM-DD'],
  [['--since', '2026-11-20'], '--since is for --journal-lost'],
  [['--sent-from', 'TERM0001'], '--sent-from is for --journal-lost'],
  [['--journal-lost', '--since', 'yesterday'], '--since: "yesterday" names no day'],
  [['--journal-lost', '--since', '2199-01-01'], '2199-01-01 is in the future; tomorrow'],
  [['--journal-lost', '--since', '20010101'], '2001-01-01 is more than 90 days ago'],
  [[...lost, '--sent-from', 'TERM 1'], '--sent-from: "TERM 1" must be printable ASCII without spaces'],
  [[...lost, '--sent-from', 'T'.repeat(21)], `--sent-from: "${'T'.repeat(21)}" Too big`],
])('run %j is wrong usage, before anything is opened', async (args, why) => {
  const { code, stdout, stderr } = await runPaydrop(['run', 'payouts.csv', ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(why);
  expect(stderr.split('\n')).toHaveLength(2);
});

test('run --help says how a lost journal goes on', async () => {
  const { stdout } = await runPaydrop(['run', '--help']);
  expect(stdout).toMatch(/--sent-from +with --journal-lost: a terminal/);
  expect(stdout).toMatch(/paydrop run a\.csv --journal-lost --since \d{4}-\d\d-\d\d/);
});
