/** `paydrop watch`: works the drop folder until a request to stop; a second watcher stands by. */
import type { WatchNews } from '../app/watch-status.ts';
import { exitCodes } from './exit-codes.ts';
import { loadCommandSettings, openLog, makeCommand } from './options.ts';

export const watchCommand = makeCommand({
  command: 'watch',
  describe: 'work the drop folder until stopped: pay what is dropped into inbox/, once each',
  exits: {
    0: 'stopped, as it was asked to',
    2: 'wrong usage or settings, or the inbox belongs to another journal',
  },
  builder: (command) =>
    command
      .default('log-level', 'info' as const)
      .example(
        '$0 watch --config paydrop.yaml',
        'until SIGTERM or Ctrl-C; what is in flight is finished first',
      )
      .example('$0 watch --log-level warn --json', 'one line of JSON for each file and batch, and quiet logs')
      .epilogue(
        'Files are dropped into inbox/ under dataDir, or where the setting folders.inbox says. Their results come to ' +
          'outbox/; the files themselves end in archive/, or in rejected/ with the reason beside them. ' +
          "Files of direct-debit registrations are dropped into inbox/registrations/, and the bank's callbacks are " +
          'taken where registration.callbacks.port is set. ' +
          'A second watcher on the same dataDir stands by and takes over. README.md and docs/ tell more.\n',
      ),
  run: async ({ json, logLevel, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { systemClock: clock } = await import('../platform/clock.ts');
    const { watch } = await import('../app/watch.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    const { outlastOutput, progressStream, recordOnStderr, say } = await import('./output.ts');
    const { openProgress } = await import('./views/progress.ts');
    const { print } = await import('./views/shown.ts');
    const { showNews } = await import('./views/watch.ts');
    const log = await openLog({ json, logLevel });
    // A service's stderr goes where its log goes.
    recordOnStderr('failures, too');
    const report = (news: WatchNews): void => print(showNews(news, clock.now()), json);
    outlastOutput((why) => log.error({ why }, 'what happens is told in the log alone'));
    const { graceMs } = loaded.settings.watch;
    await using stack = new AsyncDisposableStack();
    const progress = progressStream().isTTY
      ? stack.adopt(await openProgress(), (one) => one.close())
      : undefined;
    using interrupt = listenForInterrupt(() => {
      log.info({ graceMs }, 'stopping: what is in flight is finished');
      report({ kind: 'stopping', graceMs });
    });
    await watch({
      loaded,
      log,
      clock,
      report,
      progress,
      warn: (text) => say(text, 'warn'),
      stop: interrupt.signal,
    });
    return exitCodes.ok;
  },
});
