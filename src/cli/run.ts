/** `paydrop run FILE..`: pays the files once and waits until everything is settled. */
import type { SessionOptions } from '../app/session.ts';
import { SettingsError } from '../settings/secrets.ts';
import { exitCodes, notedExitCode } from './exit-codes.ts';
import { say } from './output.ts';
import {
  flagOption,
  loadCommandSettings,
  openLog,
  makeCommand,
  numberOption,
  orAnotherSends,
  payoutFiles,
  readSentFrom,
  readSinceOption,
  sentFromOption,
  textOption,
} from './options.ts';
import { workFile } from './work-file.ts';

export const runCommand = makeCommand({
  command: 'run <file..>',
  describe: 'pay files, once each, and wait until everything is settled',
  exits: {
    0: 'all paid, or nothing to do',
    1: 'an error, which the message names; it ends with 4 where transfers are in doubt besides',
    3: 'finished, with exceptions or cancelled rows; 0 with --exceptions-ok, but never when a row bears an alarm',
    4: 'transfers are still in doubt',
    5: 'a file was rejected as a whole: nothing of it was sent',
    6: `stopped short: halted, interrupted, the bank closed or out of reach, ${orAnotherSends}`,
  },
  builder: (command) =>
    command
      .positional('file', payoutFiles)
      .option(
        'wait',
        numberOption(300, 'seconds to wait for what is in doubt, or for the bank, after the last progress'),
      )
      .option(
        'exceptions-ok',
        flagOption(
          'end with 0 even if there are exceptions (a batch that is in doubt or stopped still does not)',
        ),
      )
      .option(
        'journal-lost',
        flagOption(
          'go on although the journal was lost or restored: ask the bank about every payout before it is sent',
        ),
      )
      .option(
        'since',
        textOption(
          'with --journal-lost: the first day (YYYY-MM-DD, Bangkok) of which the journal may miss something; ' +
            'tomorrow says that nothing is missing any more',
        ),
      )
      .option(
        'sent-from',
        sentFromOption(
          'with --journal-lost: a terminal (bank.termId) that the lost journal has sent from, where no journal.mark names it; once for each',
        ),
      )
      .example('$0 run payouts.csv', 'pay a file; run it again at any time: no payee is paid twice')
      .example('$0 run a.csv b.csv --wait 3600', 'two files, waiting up to an hour for the bank')
      .example(
        '$0 run a.csv --journal-lost --since 2026-11-19',
        'the journal is gone, or an older copy was put back',
      )
      .example(
        '$0 run a.csv --journal-lost --since 2026-11-19 --sent-from TERM0001',
        'the folder with its journal.mark is gone, too: TERM0001 is the terminal that was used',
      ),
  run: async ({ file, wait, exceptionsOk, journalLost, since, sentFrom, json, logLevel, ...options }) => {
    const { systemClock } = await import('../platform/clock.ts');
    const lost = await readRecovery(journalLost, since, sentFrom, systemClock.now());
    const loaded = await loadCommandSettings(options);
    const { notifyOnce } = await import('../app/notices/attention.ts');
    const { openNotifier } = await import('../app/notices/notifier.ts');
    const { publishDayHeads } = await import('../app/evidence/day-heads.ts');
    const { runFile } = await import('../app/run-file.ts');
    const { explainLoss, openSession } = await import('../app/session.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    await using session = await openSession(loaded, await openLog({ json, logLevel }), 'run', lost);
    const notices = await openNotifier(session);
    const loss = await explainLoss(session, lost.recovery !== undefined);
    if (loss !== undefined) say(loss, 'warn');
    using interrupt = listenForInterrupt(() =>
      say('Stopping: what is in flight is finished and recorded. Press again to end at once.'),
    );
    const { signal: interrupted } = interrupt;
    const kind = {
      kind: 'payouts',
      countDoubt: () => session.journal.countInDoubt(),
      cure: '"paydrop settle" asks about transfers in doubt.',
    } as const;
    for (const path of file) {
      const asked = { waitMs: wait * 1000, exceptionsOk, interrupted };
      const outcome = await workFile(session, kind, path, json, (progress) =>
        runFile(session, path, { ...asked, progress }),
      );
      await notices.notifyOfOutcome(path, outcome);
      if (interrupted.aborted) break;
    }
    await publishDayHeads(session, notices);
    await notifyOnce(session, session.log, notices);
    await notices.deliverOnce(interrupted);
    return interrupted.aborted ? exitCodes.stoppedShort : notedExitCode();
  },
});

/** @throws SettingsError for an option without the others it needs, and for a day or a terminal that makes no sense */
async function readRecovery(
  journalLost: boolean,
  since: string | undefined,
  terminals: readonly string[] | undefined,
  nowMs: number,
): Promise<Pick<SessionOptions, 'recovery' | 'sentFrom'>> {
  if (!journalLost && terminals !== undefined)
    throw new SettingsError('--sent-from is for --journal-lost: give it with that and --since');
  if (!journalLost && since === undefined) return {};
  if (since === undefined) {
    throw new SettingsError(
      '--journal-lost needs --since YYYY-MM-DD: the first day of which the journal may miss something',
    );
  }
  if (!journalLost) throw new SettingsError('--since is for --journal-lost: give both, or neither');
  return { recovery: await readSinceOption(since, nowMs), sentFrom: await readSentFrom(terminals) };
}
