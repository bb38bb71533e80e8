/** `paydrop run FILE..`: pays the files once and waits until everything is settled. */
import { basename } from 'node:path';
import type { CommandModule } from 'yargs';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { Notifier } from './notice-desk.ts';
import type { GlobalOptions } from './options.ts';
import type { FileOutcome } from './run-file.ts';
import type { Sender } from './sender.ts';

interface RunOptions extends GlobalOptions {
  readonly file: string[];
  readonly wait: number;
  readonly exceptionsOk: boolean;
  readonly journalLost: boolean;
  readonly since: string | undefined;
}

const waitSecondsDefault = 300;

export const runCommand: CommandModule<GlobalOptions, RunOptions> = {
  command: 'run <file..>',
  describe: 'pay files, once each, and wait until everything is settled',
  builder: (command) =>
    command
      .positional('file', { type: 'string', array: true, demandOption: true, describe: 'payout files (CSV)' })
      .option('wait', {
        type: 'number',
        default: waitSecondsDefault,
        requiresArg: true,
        describe: 'seconds to wait for what is in doubt, or for the bank, after the last progress',
      })
      .option('exceptions-ok', {
        type: 'boolean',
        default: false,
        describe:
          'end with 0 even if there are exceptions (a batch that is in doubt or stopped still does not)',
      })
      .option('journal-lost', {
        type: 'boolean',
        default: false,
        describe:
          'go on although the journal was lost or restored: ask the bank about every payout before it is sent',
      })
      .option('since', {
        type: 'string',
        requiresArg: true,
        describe:
          'with --journal-lost: the first day (YYYY-MM-DD, Bangkok) of which the journal may miss something; ' +
          'tomorrow says that nothing is missing any more',
      })
      .example('$0 run payouts.csv', 'pay a file; run it again at any time: nobody is paid twice')
      .example('$0 run a.csv b.csv --wait 3600', 'two files, waiting up to an hour for the bank')
      .example(
        '$0 run a.csv --journal-lost --since 2026-11-19',
        'the journal is gone, or an older copy was put back',
      ) as never,
  handler: async (options) => {
    process.exitCode = await runFiles(options);
  },
};

async function runFiles(options: RunOptions): Promise<ExitCode> {
  const { systemClock } = await import('../platform/clock.ts');
  const { readRecovery, tellOfLoss } = await import('./recovery.ts');
  const recovery = readRecovery(options, systemClock.now());
  const loaded = await loadCommandSettings(options);
  const { makeLogger } = await import('../platform/log.ts');
  const { openSender } = await import('./sender.ts');
  const { runFile } = await import('./run-file.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { openProgress } = await import('./progress.ts');
  const log = makeLogger(options.logLevel);
  await using sender = await openSender(loaded, log, 'run', { recovery });
  const { openNotifier } = await import('./notice-desk.ts');
  const notices = await openNotifier(loaded, sender.journal, log, sender.clock);
  tellOfLoss(sender, recovery !== undefined);
  using interrupt = listenForInterrupt(() =>
    process.stderr.write(
      '\nStopping: what is in flight is finished and recorded. Press again to end at once.\n',
    ),
  );
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of options.file) {
    const progress = await openProgress();
    let outcome: FileOutcome;
    try {
      const { wait, exceptionsOk } = options;
      const interrupted = interrupt.signal;
      outcome = await runFile(sender, path, { waitMs: wait * 1000, exceptionsOk, interrupted, progress });
    } finally {
      progress.close();
    }
    const code = await printOutcome(sender, path, outcome, options.json);
    await tellOfOutcome(notices, path, outcome);
    exitCode = code > exitCode ? code : exitCode;
    if (interrupt.signal.aborted) break;
  }
  await notices.notifyOfDoubt().catch(() => undefined);
  await notices.deliverOnce(noticesWaitMs, interrupt.signal);
  return interrupt.signal.aborted ? exitCodes.stoppedShort : exitCode;
}

/** How long a run that has ended waits for its notices to be taken; the next process tries what is left. */
const noticesWaitMs = 5_000;

/** A notice that cannot be made changes nothing about what was paid. */
async function tellOfOutcome(notices: Notifier, path: string, outcome: FileOutcome): Promise<void> {
  const fileName = basename(path);
  try {
    if (outcome.kind === 'rested' && !outcome.isRepeat) await notices.notifyOfBatch(outcome.reports);
    if (outcome.kind === 'rejected') await notices.notifyOfRejection(fileName, outcome.rejection);
  } catch (error) {
    notices.noteFailure(error);
  }
}

async function printOutcome(
  sender: Sender,
  path: string,
  outcome: FileOutcome,
  json: boolean,
): Promise<ExitCode> {
  const { renderOutcome } = await import('./render-outcome.ts');
  const { text, exitCode } = renderOutcome(sender, path, outcome, json);
  process.stdout.write(`${text}\n`);
  if (outcome.kind === 'rested' && !outcome.reports.summary.addsUp) {
    throw new Error(`${path}: the rows by status do not add up to the file; nothing of it can be trusted`);
  }
  return exitCode;
}
