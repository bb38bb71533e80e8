/** `paydrop watch`: works the drop folder until it is stopped; a second one stands by. */
import type { Argv, CommandModule } from 'yargs';
import type { LoadedSettings } from '../config.ts';
import type { Logger } from '../log.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { Sender, SenderOptions } from './sender.ts';

export const watchCommand: CommandModule<GlobalOptions, GlobalOptions> = {
  command: 'watch',
  describe: 'work the drop folder until stopped: pay what is dropped, once each',
  builder: (command: Argv<GlobalOptions>) =>
    command
      .default('log-level', 'info')
      .example(
        '$0 watch --config paydrop.yaml',
        'until SIGTERM or Ctrl-C; what is in flight is finished first',
      )
      .example(
        '$0 watch --log-level warn --json',
        'one line of JSON for each file and batch, and quiet logs',
      ),
  handler: async (options) => {
    process.exitCode = await watch(options);
  },
};

/** How often a standby tries to take over. */
const standbyLookMs = 500;

async function watch(options: GlobalOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { makeLogger } = await import('../log.ts');
  const { systemClock } = await import('../worker/system-clock.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { WatchReport } = await import('./watch-report.ts');
  const log = makeLogger(options.logLevel);
  using interrupt = listenForInterrupt(() =>
    log.info({ graceMs: loaded.settings.watch.graceMs }, 'stopping: what is in flight is finished'),
  );
  const report = new WatchReport(loaded, log, systemClock);
  await using monitor = await report.listen();
  const sender = await waitForRight(loaded, log, interrupt.signal, {
    onExchange: (record) => report.metrics.countCall(record),
  });
  if (sender === undefined) return exitCodes.ok;
  try {
    const { workFolder } = await import('./watch-folder.ts');
    const isWhole = await workFolder(sender, report, interrupt.signal, options.json);
    if (!isWhole) {
      log.warn('the time of grace is over: what is still in flight is settled at the next start');
      // What hangs would keep the process: its intents are recorded, and the next start inquires about them.
      // oxlint-disable-next-line unicorn/no-process-exit
      process.exit(exitCodes.ok);
    }
  } finally {
    await sender[Symbol.asyncDispose]();
    await monitor?.close();
  }
  return exitCodes.ok;
}

/** Takes the right to send, as soon as whoever has it ends; undefined when this process is stopped before. */
async function waitForRight(
  loaded: LoadedSettings,
  log: Logger,
  stop: AbortSignal,
  options: SenderOptions,
): Promise<Sender | undefined> {
  const { openSender, SenderBusyError } = await import('./sender.ts');
  const { systemClock } = await import('../worker/system-clock.ts');
  let isTold = false;
  while (!stop.aborted) {
    try {
      const sender = await openSender(loaded, log, 'watch', options);
      log.info({ hasTakenOver: isTold }, 'this process has the right to send');
      return sender;
    } catch (error) {
      if (!(error instanceof SenderBusyError)) throw error;
      if (!isTold) log.info({ why: error.message }, 'standing by');
      isTold = true;
      await systemClock.sleep(standbyLookMs, stop);
    }
  }
  return undefined;
}
