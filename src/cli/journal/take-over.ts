/** `paydrop adopt` and `paydrop restore`: continue a journal in a new place. */
import { toLines } from '../../core/outgoing-text.ts';
import {
  loadCommandSettings,
  openLog,
  makeCommand,
  orAnotherSends,
  readSentFrom,
  readSinceOption,
  sentFromOption,
  textOption,
} from '../options.ts';

export const adoptCommand = makeCommand({
  command: 'adopt',
  describe:
    'let a journal go on that was moved here, or gets a new terminal, once the original is stopped for good',
  exits: {
    0: 'the journal is bound to this place and terminal',
    2: 'it is older than what worked here: it was lost, not moved',
    6: orAnotherSends.replace(/^or /, ''),
  },
  builder: (command) =>
    command
      .option(
        'sent-from',
        sentFromOption(
          'a terminal (bank.termId) that the original got after it was copied, and has sent from; once for each',
        ),
      )
      .example('$0 adopt', 'the dataDir was copied to this machine whole, and the old machine is off')
      .epilogue(
        'Two that work the same journal pay twice. A journal that was restored, from a snapshot or a backup, is not ' +
          'adopted: "run --journal-lost" or "restore" ask the bank about what it does not know.\n',
      ),
  run: async ({ sentFrom, json, logLevel, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { adoptJournal } = await import('../../app/take-over.ts');
    const { print } = await import('../views/shown.ts');
    const { place, ...taken } = await adoptJournal(
      loaded,
      await openLog({ json, logLevel }),
      await readSentFrom(sentFrom),
    );
    const { termId } = loaded.settings.bank;
    const { describeArchives } = await import('../../payout/rules/archive.ts');
    const text = toLines([
      `The journal ${taken.journalId} ${place} goes on here, with the terminal ${termId}. What the original may have ` +
        `sent since it was copied is asked about under ${taken.terminals.join(', ')}: if it got another terminal ` +
        'meanwhile, run this again with --sent-from and that one.',
      ...describeArchives(taken.missingArchives, 'It names archives'),
    ]);
    print({ json: { ...taken, termId }, text }, json);
  },
});

export const restoreCommand = makeCommand({
  command: 'restore [file]',
  describe:
    'put a backup in the place of a journal that is lost, or go on with a database that was put back; the bank is asked before anything is paid',
  exits: {
    0: 'it is in place: run the files that were handed over since',
    2: 'a journal is there, or the backup is another’s',
    6: orAnotherSends.replace(/^or /, ''),
  },
  builder: (command) =>
    command
      .positional('file', {
        type: 'string',
        describe:
          'what "paydrop backup" wrote; none where the journal is in PostgreSQL, which was put back before',
      })
      .option('since', {
        ...textOption('the first day (YYYY-MM-DD, Bangkok) of which the backup may miss something'),
        demandOption: true,
      })
      .option(
        'sent-from',
        sentFromOption(
          'a terminal (bank.termId) that it has sent from since the backup, where no journal.mark names it; once for each',
        ),
      )
      .example('$0 restore /backup/journal-2026-11-21.db --since 2026-11-21', 'the day on which it was made')
      .example('$0 restore --since 2026-11-21', 'journal.url names a database that was put back to that day'),
  run: async ({ file, since, sentFrom, json, logLevel, ...options }) => {
    const { systemClock } = await import('../../platform/clock.ts');
    const recovery = await readSinceOption(since, systemClock.now());
    const loaded = await loadCommandSettings(options);
    const { restoreJournal } = await import('../../app/take-over.ts');
    const { print } = await import('../views/shown.ts');
    const { place, ...taken } = await restoreJournal(
      loaded,
      await openLog({ json, logLevel }),
      file,
      recovery,
      await readSentFrom(sentFrom),
    );
    const { describeArchives } = await import('../../payout/rules/archive.ts');
    const text = toLines([
      `The journal ${taken.journalId} is back ${place}. Before a payout is sent, the bank is asked about it ` +
        `on each day that is in question, under the terminals ${taken.terminals.join(', ')}: run the files again that ` +
        'were handed over since.',
      ...describeArchives(taken.missingArchives, 'It names archives'),
    ]);
    print({ json: taken, text }, json);
  },
});
