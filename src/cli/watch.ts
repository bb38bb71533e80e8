/** `paydrop watch`: works the drop folder until it is stopped; a second one stands by. */
import type { Argv, CommandModule } from 'yargs';
import type { WatchNews } from '../app/watch-news.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

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
    process.exitCode = await watchFolder(options);
  },
};

async function watchFolder({ json, logLevel, ...options }: GlobalOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { makeLogger } = await import('../platform/log.ts');
  const { systemClock: clock } = await import('../platform/clock.ts');
  const { watch } = await import('../app/watch.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { outlastOutput } = await import('./output.ts');
  const { print } = await import('./views/shown.ts');
  const { showNews } = await import('./views/watch.ts');
  const log = makeLogger(logLevel);
  const report = (news: WatchNews): void => print(showNews(news, clock.now()), json);
  outlastOutput((why) => log.error({ why }, 'what happens is told in the log alone'));
  const { graceMs } = loaded.settings.watch;
  using interrupt = listenForInterrupt(() => {
    log.info({ graceMs }, 'stopping: what is in flight is finished');
    report({ kind: 'stopping', graceMs });
  });
  const warn = (text: string): void => void process.stderr.write(`${text}\n`);
  await watch({ loaded, log, clock, report, warn, stop: interrupt.signal });
  return exitCodes.ok;
}
