/** `paydrop watch`: works the drop folder until it is stopped; a second one stands by. */
import type { Argv, CommandModule } from 'yargs';
import type { LoadedSettings } from '../config.ts';
import type { Clock } from '../core/ports.ts';
import type { SenderHolder } from '../journal/sender-lock.ts';
import type { Logger } from '../log.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { Sender, SenderOptions } from './sender.ts';
import type { Tell } from './watch-lines.ts';
import type { WatchReport } from './watch-report.ts';

export const watchCommand: CommandModule<GlobalOptions, GlobalOptions> = {
  command: 'watch',
  describe: 'work the drop folder until stopped: pay what is dropped into inbox/, once each',
  builder: (command: Argv<GlobalOptions>) =>
    command
      .default('log-level', 'info')
      .example(
        '$0 watch --config paydrop.yaml',
        'until SIGTERM or Ctrl-C; what is in flight is finished first',
      )
      .example('$0 watch --log-level warn --json', 'one line of JSON for each file and batch, and quiet logs')
      .epilogue(
        'Files are dropped into inbox/ under dataDir, or where the setting folders.inbox says. Their results come to ' +
          'outbox/; the files themselves end in archive/, or in rejected/ with the reason beside them. ' +
          'A second watcher on the same dataDir stands by and takes over. Settings, files and exit codes are explained in README.md.',
      ),
  handler: async (options) => {
    process.exitCode = await watch(options);
  },
};

/** How often a standby tries to take over. */
const standbyLookMs = 500;

async function watch(options: GlobalOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { describeStart, renderWatchEvent } = await import('./watch-lines.ts');
  const { makeLogger } = await import('../log.ts');
  const { systemClock } = await import('../worker/system-clock.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const watchReport = await import('./watch-report.ts');
  const log = makeLogger(options.logLevel);
  const tell: Tell = (news) =>
    void process.stdout.write(`${renderWatchEvent(news, systemClock.now(), options.json)}\n`);
  tell(describeStart(loaded));
  const { graceMs } = loaded.settings.watch;
  using interrupt = listenForInterrupt(() => {
    log.info({ graceMs }, 'stopping: what is in flight is finished');
    tell({ kind: 'stopping', graceMs });
  });
  const report = new watchReport.WatchReport(loaded, log, systemClock);
  await using monitor = await report.listen();
  void monitor?.opened.then((address) => address && tell({ kind: 'health-opened', address }));
  const waiting = { loaded, log, tell, report, clock: systemClock, stop: interrupt.signal };
  const right = await waitForRight(waiting, { onExchange: (record) => report.metrics.countCall(record) });
  if (right === undefined) return exitCodes.ok;
  const { sender, hasTakenOver } = right;
  try {
    const { workFolder } = await import('./watch-folder.ts');
    const isWhole = await workFolder(sender, report, interrupt.signal, { tell, hasTakenOver });
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

/** What a process that waits for the right to send has. */
export interface Waiting {
  readonly loaded: LoadedSettings;
  readonly log: Logger;
  readonly tell: Tell;
  readonly report: Pick<WatchReport, 'diskTrouble'>;
  readonly clock: Clock;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/** What came of the wait. */
export interface Right {
  readonly sender: Sender;
  /** Another process was sending before. */
  readonly hasTakenOver: boolean;
}

/** Takes the right to send, as soon as whoever has it ends; undefined when this process is stopped before. */
export async function waitForRight(waiting: Waiting, options: SenderOptions): Promise<Right | undefined> {
  const { openSender, SenderBusyError } = await import('./sender.ts');
  const { loaded, log, clock, report, stop } = waiting;
  const tellOfHolder = makeHolderTeller(waiting);
  let hasTakenOver = false;
  while (!stop.aborted) {
    try {
      const sender = await openSender(loaded, log, 'watch', { ...options, clock });
      report.diskTrouble = undefined;
      log.info({ hasTakenOver }, 'this process has the right to send');
      return { sender, hasTakenOver };
    } catch (error) {
      const isBusy = error instanceof SenderBusyError;
      if (!isBusy && !isOfTheDisk(error)) throw error;
      if (isBusy) tellOfHolder(error.holder);
      noteDisk(waiting, isBusy ? undefined : (error as Error).message);
      hasTakenOver ||= isBusy;
      await clock.sleep(isBusy ? standbyLookMs : sickDiskMs, stop);
    }
  }
  return undefined;
}

/** Says who is sending, once for each process that is. */
function makeHolderTeller({ log, tell }: Waiting): (holder: SenderHolder | undefined) => void {
  let isTold = false;
  let toldPid: number | undefined;
  return (holder) => {
    // One that has just begun has not said who it is.
    if (isTold && (holder === undefined || holder.pid === toldPid)) return;
    log.info({ holder }, 'standing by');
    tell({ kind: 'standing-by', holder });
    isTold = true;
    toldPid = holder?.pid;
  };
}

/** @param why undefined when nothing is known against the disk */
function noteDisk({ report, clock, log }: Waiting, why: string | undefined): void {
  const { diskTrouble } = report;
  if (why !== undefined && diskTrouble?.why !== why) log.error({ why }, 'the disk refuses writes');
  report.diskTrouble = why === undefined ? undefined : { sinceMs: diskTrouble?.sinceMs ?? clock.now(), why };
}
