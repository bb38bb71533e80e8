/** What the command line refuses before a command is begun. */
import { expect, test } from 'vitest';
import { backupCommand, restoreCommand } from '../../src/cli/journal.ts';
import { checkCommand } from '../../src/cli/check.ts';
import { makeCommandLine } from '../../src/cli/options.ts';
import { reconcileCommand } from '../../src/cli/reconcile.ts';
import { runCommand } from '../../src/cli/run.ts';
import { settleCommand } from '../../src/cli/settle.ts';
import { SettingsError } from '../../src/settings/secrets.ts';

const handler = (): void => {};

/** Reads a command line as the program does, without doing what it says. */
async function read(...args: string[]): Promise<unknown> {
  return makeCommandLine(args)
    .command({ ...runCommand, handler })
    .command({ ...checkCommand, handler })
    .command({ ...settleCommand, handler })
    .command({ ...reconcileCommand, handler })
    .command({ ...backupCommand, handler })
    .command({ ...restoreCommand, handler })
    .parseAsync();
}

const waitAllowed = '--wait takes a number of seconds from 0 to 604800 (a week)';

test.each([
  [['reconcile', '--file', 'a', '--file', 'b'], '--file is given more than once: say which is meant'],
  [
    ['reconcile', '--date', '2026-11-01', '--date', '2026-11-02'],
    '--date is given more than once: say which is meant',
  ],
  [['reconcile', '--file', ''], '--file is empty: give it a value or leave it out'],
  [
    ['reconcile', 'a.csv'],
    'Unknown argument: a.csv (a file is given with --file; --help shows what there is)',
  ],
  [['settle', 'A', 'B'], 'Unknown argument: B (--help shows what there is)'],
  [['run', 'a.csv', ''], 'FILE is empty: give it a value or leave it out'],
  [['backup', ''], 'FILE is empty: give it a value or leave it out'],
  [['reconcile', '--date', '2026-11-01', '--wait', '-1'], waitAllowed],
  [['reconcile', '--date', '2026-11-01', '--wait', '1', '--wait', '2'], '--wait is given more than once'],
  [['settle', '--wait', '-0.5'], waitAllowed],
  [['settle', '--wait', 'soon'], waitAllowed],
  [['settle', '--wait='], '--wait is empty: give it a value or leave it out'],
  [['run', 'a.csv', '--wait', ''], '--wait is empty: give it a value or leave it out'],
  [['run', 'a.csv', '--wait', '604801'], waitAllowed],
  [['run', 'a.csv', '--wait', 'Infinity'], waitAllowed],
  [['check', 'a.csv', '--wait', '1e99'], waitAllowed],
  [['backup'], 'FILE is missing: type paydrop backup FILE (paydrop backup --help shows examples)'],
  [['--json', 'run', '--wait', '1'], 'FILE is missing: type paydrop run FILE..'],
  [['restore', 'a.db'], '--since is missing, the first day (YYYY-MM-DD, Bangkok) of which'],
  [['restore', 'a.db'], ': type paydrop restore FILE --since …'],
  [['reconcile', '--date'], '--date is empty: give it a value or leave it out'],
  [
    ['settle', '--log-level', 'loud'],
    '--log-level takes one of silent, error, warn, info, debug, trace, not "loud"',
  ],
])('%j is refused', async (args, message) => {
  const refused = await read(...args).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SettingsError);
  expect((refused as Error).message).toContain(message);
});

test.each([
  [['run', 'a.csv', 'b.csv', '--wait', '0']],
  [['check', 'a.csv', 'b.csv']],
  [['settle', '--wait', '604800']],
  [['reconcile', '--file', 'a', '--wait', '0.5']],
])('%j is taken', async (args) => {
  await expect(read(...args)).resolves.toBeDefined();
});
