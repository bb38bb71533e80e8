/** `paydrop check FILE..`: every issue of every row, and what the rows would become. Sends no transfer. */
import type { CommandModule } from 'yargs';
import type { Checking, DryRunOptions } from '../app/check.ts';
import { type ExitCode, exitCodes, higherOf } from './exit-codes.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

interface CheckOptions extends GlobalOptions {
  readonly file: string[];
  readonly payees: boolean;
  readonly wait: number;
}

const waitSecondsDefault = 300;

export const checkCommand: CommandModule<GlobalOptions, CheckOptions> = {
  command: 'check <file..>',
  describe: 'validate files and print every issue; sends no transfer',
  builder: (command) =>
    command
      .positional('file', { type: 'string', array: true, demandOption: true, describe: 'payout files (CSV)' })
      .option('payees', {
        type: 'boolean',
        default: false,
        describe: 'also ask the bank about each payee and predict what a run would do (moves no money)',
      })
      .option('wait', {
        type: 'number',
        default: waitSecondsDefault,
        requiresArg: true,
        describe: 'with --payees: seconds to wait for a bank in trouble, after its last answer',
      })
      .example('$0 check payouts.csv', 'issues with line and column, then totals')
      .example(
        '$0 check payouts.csv --payees',
        'the dry run: what would be paid, held or refused, and in what time',
      ),
  handler: async (options) => {
    process.exitCode = await checkFiles(options);
  },
};

/** The work is loaded when it is done: --help does without it. Of several files the highest exit code applies. */
async function checkFiles({
  file,
  payees,
  wait,
  json,
  logLevel,
  ...options
}: CheckOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { openChecking } = await import('../app/check.ts');
  const { printBanner } = await import('./views/shown.ts');
  await using checking = await openChecking(loaded);
  printBanner(loaded, json);
  if (!payees) return await checkAllAlone(checking, file, json);
  const { makeLogger } = await import('../platform/log.ts');
  const { openBank } = await import('../app/open-bank.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  await using stack = new AsyncDisposableStack();
  const { bank } = await openBank(loaded, makeLogger(logLevel), stack);
  using interrupt = listenForInterrupt(() =>
    process.stderr.write('\nStopping: what was learnt is told. Press again to end at once.\n'),
  );
  return await dryRunAll(checking, file, json, { bank, waitMs: wait * 1_000, interrupted: interrupt.signal });
}

async function checkAllAlone(checking: Checking, paths: readonly string[], json: boolean): Promise<ExitCode> {
  const { checkAlone } = await import('../app/check.ts');
  const { CheckReport, showChecked } = await import('./views/check.ts');
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of paths) {
    const report = new CheckReport(path, json);
    const outcome = await checkAlone(checking, path, (found) => report.reportIssues(found));
    exitCode = higherOf(exitCode, report.end(showChecked(report, outcome)));
  }
  return exitCode;
}

async function dryRunAll(
  checking: Checking,
  paths: readonly string[],
  json: boolean,
  asking: Pick<DryRunOptions, 'bank' | 'waitMs' | 'interrupted'>,
): Promise<ExitCode> {
  const { dryRunFile } = await import('../app/check.ts');
  const { CheckReport, showRejected } = await import('./views/check.ts');
  const { showForecast } = await import('./views/forecast.ts');
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of paths) {
    const report = new CheckReport(path, json);
    const outcome = await dryRunFile(checking, path, {
      ...asking,
      reportIssues: (found) => report.reportIssues(found),
      reportNotes: (found) => report.reportNotes(found),
    });
    const end =
      outcome.kind === 'rejected'
        ? showRejected(report, outcome)
        : showForecast(report, outcome, checking.loaded);
    exitCode = higherOf(exitCode, report.end(end));
    if (asking.interrupted.aborted) return exitCodes.stoppedShort;
  }
  return exitCode;
}
