/** `paydrop watch`: works the drop folder until it is stopped; a second one stands by. */
import type { Argv, CommandModule } from 'yargs';
import type { LoadedSettings } from '../config.ts';
import type { Logger } from '../log.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { Sender, SenderOptions } from './sender.ts';
import type { WatchReport } from './watch-report.ts';

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
  const watchReport = await import('./watch-report.ts');
  const log = makeLogger(options.logLevel);
  using interrupt = listenForInterrupt(() =>
    log.info({ graceMs: loaded.settings.watch.graceMs }, 'stopping: what is in flight is finished'),
  );
  const report = new watchReport.WatchReport(loaded, log, systemClock);
  await using monitor = await report.listen();
  const sender = await waitForRight(loaded, log, interrupt.signal, report, {
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

/** A disk that refuses writes is waited for: there may be nobody else to take over. */
const sickDiskMs = 2_000;
const diskErrors = ['JournalWriteError', 'OutputFileError'];
const isOfTheDisk = (error: unknown): boolean => error instanceof Error && diskErrors.includes(error.name);

/** Takes the right to send, as soon as whoever has it ends; undefined when this process is stopped before. */
async function waitForRight(
  loaded: LoadedSettings,
  log: Logger,
  stop: AbortSignal,
  report: WatchReport,
  options: SenderOptions,
): Promise<Sender | undefined> {
  const { openSender, SenderBusyError } = await import('./sender.ts');
  const { systemClock } = await import('../worker/system-clock.ts');
  let isTold = false;
  while (!stop.aborted) {
    try {
      const sender = await openSender(loaded, log, 'watch', options);
      report.diskTrouble = undefined;
      log.info({ hasTakenOver: isTold }, 'this process has the right to send');
      return sender;
    } catch (error) {
      const isBusy = error instanceof SenderBusyError;
      if (!isBusy && !isOfTheDisk(error)) throw error;
      const why = (error as Error).message;
      if (isBusy && !isTold) log.info({ why }, 'standing by');
      if (!isBusy && report.diskTrouble?.why !== why) log.error({ why }, 'the disk refuses writes');
      report.diskTrouble = isBusy
        ? undefined
        : { sinceMs: report.diskTrouble?.sinceMs ?? systemClock.now(), why };
      isTold ||= isBusy;
      await systemClock.sleep(isBusy ? standbyLookMs : sickDiskMs, stop);
    }
  }
  return undefined;
}
