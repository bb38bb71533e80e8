/** `paydrop callbacks`: takes the bank's callbacks about registrations until a request to stop. */
import { SettingsError } from '../../settings/secrets.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadCommandSettings, makeCommand, openLog } from '../options.ts';

const portMax = 65_535;

export const callbacksCommand = makeCommand({
  command: 'callbacks',
  describe: "take the bank's callbacks about direct-debit registrations, until stopped",
  exits: {
    0: 'stopped, as it was asked to',
    2: 'wrong usage or settings, no key, no journal, or the port is taken',
  },
  builder: (command) =>
    command
      .default('log-level', 'info' as const)
      .option('port', {
        type: 'number',
        requiresArg: true,
        describe: 'port to listen on, instead of registration.callbacks.port; 0: a free one',
      })
      .example('$0 callbacks', 'until SIGTERM or Ctrl-C, beside any command that sends')
      .example('$0 callbacks --port 8091 --json', 'on another port, one line of JSON for each callback')
      .epilogue(
        'It needs no right to send and writes no file: outcomes that come after the first report are in the next ' +
          'result-update, which a watcher or "register" writes, and at any time in what "result BATCH" writes. A watcher ' +
          'listens by itself where registration.callbacks.port is set. docs/registration.md says how to expose it.\n',
      ),
  run: async ({ port, json, logLevel, ...options }) => {
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= portMax))
      throw new SettingsError(`--port takes a whole number from 0 to ${portMax}`);
    const loaded = await loadCommandSettings(options);
    const { listenForCallbacks } = await import('../../app/registration/callbacks.ts');
    const { systemClock: clock } = await import('../../platform/clock.ts');
    const { listenForInterrupt } = await import('../interrupt.ts');
    const { countColumns, outlastOutput, recordOnStderr } = await import('../output.ts');
    const { print, printBanner } = await import('../views/shown.ts');
    const { makeHealthView, showTaken } = await import('../views/callbacks.ts');
    const log = await openLog({ json, logLevel });
    // A service's stderr goes where its log goes.
    recordOnStderr('failures, too');
    outlastOutput((why) => log.error({ why }, 'what happens is told in the log alone'));
    // Thousands a second may come: lists them only for a terminal, or for a program that asks.
    const isListed = json || countColumns() !== undefined;
    using interrupt = listenForInterrupt(() => log.info('stopping: what is being taken is finished'));
    const showHealth = makeHealthView(loaded);
    printBanner(loaded, json);
    await listenForCallbacks({
      loaded,
      log,
      clock,
      port,
      stop: interrupt.signal,
      onTaken: (record, taking) => {
        if (isListed) print(showTaken(record, taking, clock.now()), json);
      },
      onHealth: (listener, standing) => {
        const shown = showHealth(listener, standing, clock.now());
        if (shown !== undefined) print(shown, json);
      },
    });
    return exitCodes.ok;
  },
});
