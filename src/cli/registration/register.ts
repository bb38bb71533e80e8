/** `paydrop register FILE..`: registers direct debits, and waits for the bank's callbacks. */
import type { Session } from '../../app/session.ts';
import { exitCodes, notedExitCode } from '../exit-codes.ts';
import {
  flagOption,
  loadCommandSettings,
  makeCommand,
  numberOption,
  openLog,
  orAnotherSends,
} from '../options.ts';
import { say } from '../output.ts';
import { workFile } from '../work-file.ts';

export const registerCommand = makeCommand({
  command: 'register <file..>',
  describe: "register direct debits from files, once each, and wait for the bank's callbacks",
  exits: {
    0: 'all registered, or nothing to do',
    1: 'an error, which the message names; it ends with 4 where outcomes are awaited besides',
    3: 'finished, with exceptions or cancelled rows; 0 with --exceptions-ok, but never when a row bears an alarm',
    4: 'outcomes are still awaited',
    5: 'a file was rejected as a whole: nothing of it was sent',
    6: `stopped short: halted, interrupted, the bank out of reach or its limit used up, ${orAnotherSends}`,
  },
  builder: (command) =>
    command
      .positional('file', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'registration files (CSV or .xlsx)',
      })
      .option(
        'wait',
        numberOption(300, 'seconds to wait for callbacks, or for the bank, after the last progress'),
      )
      .option(
        'exceptions-ok',
        flagOption(
          'end with 0 even if there are exceptions (a batch that is awaited or stopped still does not)',
        ),
      )
      .example(
        '$0 register registrations.csv',
        'register a file; run it again at any time: nothing is sent twice',
      )
      .example(
        '$0 register a.csv --wait 0',
        'send alone; "paydrop callbacks" or a watcher takes the callbacks',
      ),
  run: async ({ file, wait, exceptionsOk, json, logLevel, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { openSession } = await import('../../app/session.ts');
    const { notifyOnce } = await import('../../app/notices/attention.ts');
    const { openNotifier } = await import('../../app/notices/notifier.ts');
    const { openRegistering, registerFile } = await import('../../app/registration/register-file.ts');
    const { listenForInterrupt } = await import('../interrupt.ts');
    await using session = await openSession(loaded, await openLog({ json, logLevel }), 'register');
    const notices = await openNotifier(session);
    const registering = await openRegistering(session);
    await using stack = new AsyncDisposableStack();
    await listen(session, stack);
    using interrupt = listenForInterrupt(() =>
      say('Stopping: what is in flight is finished and recorded. Press again to end at once.'),
    );
    const { signal: interrupted } = interrupt;
    const kind = {
      kind: 'registrations',
      countDoubt: () => session.journal.countAwaitedRegistrations(),
      cure: '"paydrop callbacks" takes what the bank calls back with.',
    } as const;
    for (const path of file) {
      const asked = { waitMs: wait * 1000, exceptionsOk, interrupted };
      const outcome = await workFile(session, kind, path, json, (progress) =>
        registerFile(registering, path, { ...asked, progress }),
      );
      await notices.notifyOfRegisterOutcome(path, outcome);
      if (interrupted.aborted) break;
    }
    await notifyOnce(session, session.log, notices);
    await notices.deliverOnce(interrupted);
    return interrupted.aborted ? exitCodes.stoppedShort : notedExitCode();
  },
});

/**
 * Takes callbacks while it waits. While another process of the journal takes them, it only stands by for the port; without
 * a port in the settings it takes none.
 * @throws SettingsError where another program has the port: nothing has been sent
 */
async function listen(session: Session, stack: AsyncDisposableStack): Promise<void> {
  const { loaded, journal, clock, log } = session;
  if (loaded.settings.registration.callbacks.port === 0) {
    say(
      'registration.callbacks.port is not set: "paydrop callbacks" or a watcher has to take the callbacks.',
    );
    return;
  }
  const { openCallbackListener, portTaken } = await import('../../app/registration/callbacks.ts');
  const listener = await openCallbackListener({ loaded, journal, log, clock });
  if (listener.kind === 'taken') throw portTaken(listener);
  if (listener.kind === 'listening') stack.use(listener);
  else {
    say(
      `Callbacks are left to the process of this journal that listens on port ${listener.port} of ${listener.address}.`,
    );
    await takeOver(session, stack);
  }
}

/** Listens as soon as the process that listens has ended: it may be stopped while outcomes are awaited. */
async function takeOver(
  { loaded, journal, clock, log }: Session,
  stack: AsyncDisposableStack,
): Promise<void> {
  const { openCallbackListener } = await import('../../app/registration/callbacks.ts');
  const { keepListening } = await import('../../app/registration/watch.ts');
  const { toLog } = await import('../../app/session.ts');
  const ended = new AbortController();
  const tell = toLog(log);
  const listening = keepListening({
    open: () => openCallbackListener({ loaded, journal, log, clock }),
    onListening: () => say('Callbacks are taken here now: the process that took them has ended.'),
    clock,
    // That another process listens has been said.
    log: (level, ...said) => tell(level === 'warn' ? 'debug' : level, ...said),
    stop: ended.signal,
  });
  stack.defer(async () => {
    ended.abort();
    await listening;
  });
}
