/** `paydrop check FILE..`: reports every issue of every row, and the rows' future statuses. Sends nothing. */
import type { Asking, Checking, Report } from '../app/check.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { SettingsError } from '../settings/secrets.ts';
import { type ExitCode, exitCodes, weightierOf } from './exit-codes.ts';
import { say } from './output.ts';
import type { CheckReport } from './views/check.ts';
import type { ShownEnd } from './views/shown.ts';
import {
  flagOption,
  loadCommandSettings,
  openLog,
  makeCommand,
  numberOption,
  payoutFiles,
  textOption,
} from './options.ts';

export const checkCommand = makeCommand({
  command: 'check <file..>',
  describe: 'validate files of payouts or registrations and print every issue; sends nothing',
  exits: {
    0: 'everything would be paid, or registered',
    3: 'something would not be',
    5: 'a file would be rejected as a whole',
    6: 'with --payees: the bank could not be asked about every payee',
  },
  builder: (command) =>
    command
      .positional('file', { ...payoutFiles, describe: 'files of payouts or registrations (CSV or .xlsx)' })
      .option(
        'payees',
        flagOption(
          'also ask the bank about each payee and predict what a run would do (moves no money); registrations have none',
        ),
      )
      .option(
        'wait',
        numberOption(300, 'with --payees: seconds to wait for a bank in trouble, after its last answer'),
      )
      .option(
        'digest',
        flagOption(
          'print the digest that an approval of the file names, from the file and the settings alone',
        ),
      )
      .option(
        'without',
        textOption('with --digest: rows that do not wait, such as 3,17; "paydrop status BATCH" names them'),
      )
      .example('$0 check payouts.csv', 'issues with line and column, then totals')
      .example('$0 check registrations.csv', 'the same of direct debits to be registered')
      .example(
        '$0 check payouts.csv --payees',
        'the dry run: what would be paid, held or refused, and in what time',
      )
      .example('$0 check payouts.csv --digest', 'on another machine: is what waits there what stands here?'),
  run: async ({ file, payees, wait, digest, without, json, logLevel, ...options }) => {
    if (digest && payees) throw new SettingsError('--digest and --payees are two things: one of them');
    if (without !== undefined && !digest) throw new SettingsError('--without goes with --digest');
    const leftOut = readRowNos(without);
    const loaded = await loadCommandSettings(options);
    if (digest) return digestAll(loaded, file, leftOut, json);
    const { checkAlone, dryRunFile, isRegistrationFile, openChecking } = await import('../app/check.ts');
    const { CheckReport, showChecked } = await import('./views/check.ts');
    const { showForecast } = await import('./views/forecast.ts');
    const { printBanner } = await import('./views/shown.ts');
    await using checking = await openChecking(loaded);
    printBanner(loaded, json);
    await using stack = new AsyncDisposableStack();
    const asking = payees ? await openAsking() : undefined;
    let exitCode: ExitCode = exitCodes.ok;
    for (const path of file) {
      const report = new CheckReport(path, json);
      const outcome =
        asking === undefined
          ? await checkAlone(checking, path, report.report)
          : await dryRunWatched(asking, path, report.report);
      const end = isRegistrationFile(outcome)
        ? await endOfRegistrations(checking, report, payees)
        : outcome.kind === 'checked'
          ? showChecked(report, outcome)
          : showForecast(report, outcome, loaded);
      exitCode = weightierOf(exitCode, report.end(end));
      if (asking?.interrupted.aborted === true) return exitCodes.stoppedShort;
    }
    return exitCode;

    async function dryRunWatched(way: Omit<Asking, 'progress'>, path: string, report: Report) {
      const { openProgress } = await import('./views/progress.ts');
      const progress = await openProgress();
      return dryRunFile(checking, path, { ...way, progress }, report).finally(() => progress.close());
    }

    /** The bank as a dry run needs it, open until the stack is closed. */
    async function openAsking(): Promise<Omit<Asking, 'progress'>> {
      const { openBank } = await import('../app/open-bank.ts');
      const { listenForInterrupt } = await import('./interrupt.ts');
      const { bank } = await openBank(loaded, await openLog({ json, logLevel }), stack);
      const { signal: interrupted } = stack.use(
        listenForInterrupt(() => say('Stopping: what was learnt is told. Press again to end at once.')),
      );
      return { bank, waitMs: wait * 1_000, interrupted };
    }
  },
});

/** The same for a file that turned out to hold registrations. */
async function endOfRegistrations(
  checking: Checking,
  report: CheckReport,
  payees: boolean,
): Promise<ShownEnd> {
  const { checkRegistrationFile } = await import('../app/check.ts');
  const { showCheckedRegistrations } = await import('./views/check.ts');
  if (payees)
    say(
      `${report.path}: --payees asks about payees of payouts; these are registrations, and the bank is not asked.`,
    );
  return showCheckedRegistrations(report, await checkRegistrationFile(checking, report.path, report.report));
}

/** @throws SettingsError for text that is no list of rows */
function readRowNos(text: string | undefined): ReadonlySet<number> {
  const words = text === undefined ? [] : text.split(',').map((word) => word.trim());
  if (words.some((word) => !/^[1-9]\d{0,8}$/.test(word)))
    throw new SettingsError(`--without ${text ?? ''} is no list of row numbers, such as 3,17`);
  return new Set(words.map(Number));
}

/** Computes digests from the files and the settings alone. */
async function digestAll(
  loaded: LoadedSettings,
  files: readonly string[],
  without: ReadonlySet<number>,
  json: boolean,
): Promise<ExitCode> {
  const { digestFile } = await import('../app/check.ts');
  const { makeReader } = await import('../app/open-store.ts');
  const { CheckReport, showDigest } = await import('./views/check.ts');
  const { printBanner } = await import('./views/shown.ts');
  printBanner(loaded, json);
  const checking = { loaded, reader: await makeReader(loaded) };
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of files) {
    const report = new CheckReport(path, json);
    const end = showDigest(report, await digestFile(checking, path, without), loaded);
    exitCode = weightierOf(exitCode, report.end(end));
  }
  return exitCode;
}
