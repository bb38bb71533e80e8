/** `paydrop archive --before DATE`: moves batches that are done and reconciled out of the journal. */
import { exitCodes } from '../exit-codes.ts';
import {
  flagOption,
  loadCommandSettings,
  openLog,
  makeCommand,
  orAnotherSends,
  readDayOption,
  textOption,
} from '../options.ts';

export const archiveCommand = makeCommand({
  command: 'archive',
  describe:
    'move batches that are done and reconciled out of the journal into an archive of their own beside it',
  exits: {
    0: 'all that may go has moved, or there is nothing',
    2: 'the day is wrong, or a loss of the journal is in question',
    6: `interrupted: run it again, ${orAnotherSends}, from journal.db`,
  },
  builder: (command) =>
    command
      .option('before', {
        ...textOption('a day (YYYY-MM-DD, Bangkok): batches of which nothing has happened since it began'),
        demandOption: true,
      })
      .option('dry-run', flagOption('say what would move and what would stay, and move nothing'))
      .example('$0 archive --before 2026-09-01 --dry-run', 'which batches may go, and what keeps the others')
      .example('$0 archive --before 2026-09-01', 'from journal.db while no watcher and no run works')
      .epilogue(
        'show, list, status, statements, late proofs and duplicates still find what has moved: keep the files ' +
          'journal-archive-….db beside journal.db, and copy them with it. Of a journal in a database the archive is in tables ' +
          'of that database, needs no copy of its own, and is made while machines work; the connecting role needs the right to archive ' +
          '(docs/operations.md, "Roles").\n',
      ),
  run: async ({ before, dryRun, json, logLevel, ...options }) => {
    const { date: beforeDate } = readDayOption('--before', before);
    const loaded = await loadCommandSettings(options);
    const { archiveBatches } = await import('../../app/archive.ts');
    const { listenForInterrupt } = await import('../interrupt.ts');
    const { say } = await import('../output.ts');
    const { print, printBanner } = await import('../views/shown.ts');
    const { showArchived } = await import('../views/archive.ts');
    using interrupt = listenForInterrupt(() => say('Stopping after the batch that moves now.'));
    const archived = await archiveBatches(loaded, await openLog({ json, logLevel }), {
      beforeDate,
      isDryRun: dryRun,
      stop: interrupt.signal,
    });
    printBanner(loaded, json);
    print(showArchived(archived, dryRun), json);
    return archived.isStopped ? exitCodes.stoppedShort : exitCodes.ok;
  },
});
