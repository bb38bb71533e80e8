/** `paydrop check FILE..`: every issue of every row, and what the rows would become. Sends no transfer. */
import type { CommandModule } from 'yargs';
import type { ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

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

/** The work is loaded when it is done: --help does without it. */
async function checkFiles({ file, payees, wait, json, ...options }: CheckOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { makeReader, openJournalBeside } = await import('./adapters.ts');
  const { printBanner } = await import('./screen.ts');
  const reader = await makeReader(loaded);
  await using journal = await openJournalBeside(loaded);
  printBanner(loaded, json);
  if (!payees) {
    const { checkFilesAlone } = await import('./check-alone.ts');
    return await checkFilesAlone(file, { reader, journal, companyId: loaded.settings.bank.companyId, json });
  }
  const { makeLogger } = await import('../platform/log.ts');
  const { openBank } = await import('./bank.ts');
  const { predictFiles } = await import('./check-payees.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  await using stack = new AsyncDisposableStack();
  const { bank } = await openBank(loaded, makeLogger(options.logLevel), stack);
  using interrupt = listenForInterrupt(() =>
    process.stderr.write('\nStopping: what was learnt is told. Press again to end at once.\n'),
  );
  const interrupted = interrupt.signal;
  return await predictFiles(file, { loaded, reader, journal, bank, interrupted, waitMs: wait * 1_000, json });
}
