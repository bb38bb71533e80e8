/** `paydrop reconcile`: reconciles the bank's statement of a day with the journal. */
import type { Wanted } from '../app/reconcile.ts';
import { readZipKey, SettingsError } from '../settings/secrets.ts';
import {
  flagOption,
  loadCommandSettings,
  openLog,
  makeCommand,
  numberOption,
  readDayOption,
  textOption,
} from './options.ts';

export const reconcileCommand = makeCommand({
  command: 'reconcile',
  describe: "reconcile the bank's statement of a day with the journal",
  exits: {
    0: 'everything ties out, or no break is open so far',
    3: 'breaks are open, or alarms were raised',
    5: "no usable statement, or not a complete one yet, or another company's, or no such file",
    6: 'the bank is out of reach or refuses us, stopped while waiting, or overtaken by another reconciling',
  },
  builder: (command) =>
    command
      .option('date', textOption('the day (YYYY-MM-DD, Bangkok); with --file only if the file does not tell'))
      .option('file', textOption('a statement that you have, instead of asking the bank'))
      .option(
        'key-file',
        textOption(
          'a file with the key of an encrypted ZIP in --file; or the variable PAYDROP_UNZIP_KEY, which wins',
        ),
      )
      .option(
        'wait',
        numberOption(0, 'seconds to go on asking, every minute, while the bank has no file yet'),
      )
      .option(
        'force',
        flagOption('take it though it lacks lines of the one before, is empty, or was superseded before'),
      )
      .example('$0 reconcile --date 2026-11-20', 'fetch the statement of the day and match it')
      .example('$0 reconcile --file PARTNER001_COMP000001_PROXY_20261120.csv', 'match a file that you have')
      .example(
        '$0 reconcile --file 20261120.1a2b3c4d5e.original.csv --force',
        'go back to an earlier version',
      )
      .example('$0 reconcile --file statement.zip --key-file key', 'match an encrypted ZIP that you have')
      .example('$0 reconcile --date 2026-11-20 --wait 3600', 'ask for up to an hour until it is there'),
  run: async ({ date, file, keyFile, wait, force, json, logLevel, ...options }) => {
    const asked = date === undefined ? undefined : readDayOption('--date', date).date;
    const wanted = readWanted(asked, file, keyFile);
    const loaded = await loadCommandSettings(options);
    const { reconcileStatement } = await import('../app/reconcile.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    const { say, sayFailure } = await import('./output.ts');
    const { showNoStatement, showReport } = await import('./views/reconcile.ts');
    const { print } = await import('./views/shown.ts');
    using interrupt = listenForInterrupt(() => say('Stopping: run it again to go on.'));
    const outcome = await reconcileStatement(loaded, wanted, {
      waitMs: wait * 1000,
      isForced: force,
      logger: await openLog({ json, logLevel }),
      warn: (warning) => say(`paydrop: ${warning}`, 'warn'),
      stop: interrupt.signal,
    });
    if (outcome.kind === 'no-statement') {
      const shown = showNoStatement(outcome);
      if (json) print(shown, json);
      else sayFailure(shown.text);
      return shown.exitCode;
    }
    // Reports what was accepted first, then why a result update cannot be written.
    const shown = showReport(outcome);
    print(shown, json);
    if (outcome.failure !== undefined) throw outcome.failure.error;
    return shown.exitCode;
  },
});

function readWanted(date: string | undefined, file: string | undefined, keyFile: string | undefined): Wanted {
  if (file !== undefined) return { date, file, key: readZipKey(keyFile, process.env) };
  if (keyFile !== undefined)
    throw new SettingsError('--key-file is for an encrypted ZIP that you have: give it with --file');
  if (date !== undefined) return { date, file };
  throw new SettingsError('say which day: --date YYYY-MM-DD, or --file with a statement that you have');
}
