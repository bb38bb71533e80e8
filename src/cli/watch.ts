/** `paydrop watch`: works the drop folder until it is stopped; a second one stands by. */
import type { Argv, CommandModule } from 'yargs';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { Tell } from './watch-lines.ts';
import type { WatchReport } from './watch-report.ts';
import type { Waiting } from './watch-right.ts';

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
          'A second watcher on the same dataDir stands by and takes over. README.md and docs/ tell more.\n',
      ),
  handler: async (options) => {
    process.exitCode = await watch(options);
  },
};

async function watch(options: GlobalOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { describeStart, renderWatchEvent } = await import('./watch-lines.ts');
  const { makeLogger } = await import('../platform/log.ts');
  const { systemClock } = await import('../platform/clock.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const watchReport = await import('./watch-report.ts');
  const { endNow, endWithin } = await import('./watch-end.ts');
  const { outlastOutput } = await import('./output.ts');
  const log = makeLogger(options.logLevel);
  const tell: Tell = (news) =>
    void process.stdout.write(`${renderWatchEvent(news, systemClock.now(), options.json)}\n`);
  outlastOutput((why) => log.error({ why }, 'what happens is told in the log alone'));
  tell(describeStart(loaded));
  const { graceMs } = loaded.settings.watch;
  using interrupt = listenForInterrupt(() => {
    log.info({ graceMs }, 'stopping: what is in flight is finished');
    tell({ kind: 'stopping', graceMs });
  });
  const stop = interrupt.signal;
  const report = new watchReport.WatchReport(loaded, log, systemClock);
  stop.addEventListener('abort', () => (report.isStopping = true), { once: true });
  await using monitor = await report.listen();
  void monitor?.opened.then((address) => address && tell({ kind: 'health-opened', address }));
  let lock: Disposable | undefined;
  const work = workAsSender({ loaded, log, tell, report, clock: systemClock, stop }, (held) => (lock = held));
  const isWhole = await endWithin(graceMs, stop, systemClock, work);
  if (!isWhole) await endNow({ log, clock: systemClock, release: () => lock?.[Symbol.dispose]() });
  return exitCodes.ok;
}

/** Waits for the right to send, then works the folder until it is asked to stop. */
async function workAsSender(
  waiting: Waiting & { readonly report: WatchReport },
  onLock: (lock: Disposable) => void,
): Promise<void> {
  const { report, stop, tell } = waiting;
  const { waitForRight } = await import('./watch-right.ts');
  const right = await waitForRight(waiting, {
    onExchange: (record) => report.metrics.countCall(record),
    onLock,
  });
  if (right === undefined) return;
  await using sender = right.sender;
  const { workFolder } = await import('./watch-folder.ts');
  await workFolder(sender, report, stop, { tell, hasTakenOver: right.hasTakenOver });
}
