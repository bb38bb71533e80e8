/** Commands about the journal as a whole: it is made, copied, put back, bound to a new place, moved and archived. */
import { printable, toLines } from '../core/outgoing-text.ts';
import { hasPassword } from '../settings/journal-url.ts';
import { exitCodes } from './exit-codes.ts';
import {
  flagOption,
  loadCommandSettings,
  makeCommand,
  openLog,
  orAnotherSends,
  readDayOption,
  readSentFrom,
  readSinceOption,
  sentFromOption,
  textOption,
} from './options.ts';

const usualSettingsFile = 'paydrop.yaml';

const onShare =
  'It stands on a network or FUSE file system, where a copy of it cannot be told by its file: keep one alone.';

/** `paydrop init`: settings to fill in, and the journal. */
export const initCommand = makeCommand({
  command: 'init',
  describe: 'begin: write settings to fill in where there are none, else make the journal',
  exits: {
    0: 'the settings are written, or the journal is made',
    2: 'there is or was a journal, or another one has worked with these folders',
  },
  builder: (command) =>
    command
      .option(
        'sent-from',
        sentFromOption(
          'another terminal (bank.termId) that payouts of this company were, or are, sent from; once for each',
        ),
      )
      .example('$0 init', 'in a new folder: writes paydrop.yaml; once it is filled in: makes the journal')
      .example('$0 init --config /etc/paydrop/paydrop.yaml', 'as the user that paydrop will run as')
      .epilogue(
        'Only a person can tell a first time from a journal that was lost: no service or container should run it.\n',
      ),
  run: async ({ json, config, sentFrom, ...options }) => {
    const { initJournal, writeSettingsIfMissing } = await import('../app/init.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const settingsFile = await writeSettingsIfMissing(config ?? usualSettingsFile);
    if (settingsFile !== undefined) {
      const next = 'fill it in, then run "paydrop init" again: there is no journal yet';
      print(
        { json: { settingsFile, journalId: null }, text: printable(`Wrote ${settingsFile}: ${next}.`) },
        json,
      );
      return;
    }
    const loaded = await loadCommandSettings({ config, ...options });
    const begun = await initJournal(loaded, await readSentFrom(sentFrom));
    printBanner(loaded, json);
    const { journalId, dataDir, bankAddress, companyId, database } = begun;
    const place = database === null ? `in ${dataDir}` : `at ${database}`;
    const made = `Made the journal ${journalId} ${place}, for company ${companyId} at ${bankAddress}.`;
    const text = printable(begun.isBoundToFile || database !== null ? made : `${made} ${onShare}`);
    print({ json: { settingsFile: loaded.path, ...begun }, text }, json);
  },
});

/** `paydrop backup FILE`: copies the journal as it is now, while others write to it. */
export const backupCommand = makeCommand({
  command: 'backup <file>',
  describe: 'copy the journal as it is now into a new file, while others go on sending',
  exits: { 0: 'copied, and read through', 1: 'it cannot be written', 2: 'the file is there already' },
  builder: (command) =>
    command
      .positional('file', { type: 'string', demandOption: true, describe: 'the copy; must not exist yet' })
      .example('$0 backup /backup/journal-2026-11-21.db', 'keep it away from this machine'),
  run: async ({ file, json: asJson, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { backUp } = await import('../app/open-store.ts');
    const { print } = await import('./views/shown.ts');
    const json = await backUp(loaded, file);
    const { path, bytes, latestEventSeq, archives } = json;
    const { describeArchives } = await import('../payout/rules/archive.ts');
    const text = toLines([
      `${path}: ${bytes} bytes, up to event ${latestEventSeq}. It is whole.`,
      ...describeArchives(archives, 'Copy its archives, too, each once'),
    ]);
    print({ json, text }, asJson);
  },
});

/** `paydrop restore`: continues a journal that was lost, from its backup. */
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
    const { systemClock } = await import('../platform/clock.ts');
    const recovery = await readSinceOption(since, systemClock.now());
    const loaded = await loadCommandSettings(options);
    const { restoreJournal } = await import('../app/take-over.ts');
    const { print } = await import('./views/shown.ts');
    const { place, ...taken } = await restoreJournal(
      loaded,
      await openLog({ json, logLevel }),
      file,
      recovery,
      await readSentFrom(sentFrom),
    );
    const { describeArchives } = await import('../payout/rules/archive.ts');
    const text = toLines([
      `The journal ${taken.journalId} is back ${place}. Before a payout is sent, the bank is asked about it ` +
        `on each day that is in question, under the terminals ${taken.terminals.join(', ')}: run the files again that ` +
        'were handed over since.',
      ...describeArchives(taken.missingArchives, 'It names archives'),
    ]);
    print({ json: taken, text }, json);
  },
});

/** `paydrop adopt`: continues a journal in a new place. */
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
    const { adoptJournal } = await import('../app/take-over.ts');
    const { print } = await import('./views/shown.ts');
    const { place, ...taken } = await adoptJournal(
      loaded,
      await openLog({ json, logLevel }),
      await readSentFrom(sentFrom),
    );
    const { termId } = loaded.settings.bank;
    const { describeArchives } = await import('../payout/rules/archive.ts');
    const text = toLines([
      `The journal ${taken.journalId} ${place} goes on here, with the terminal ${termId}. What the original may have ` +
        `sent since it was copied is asked about under ${taken.terminals.join(', ')}: if it got another terminal ` +
        'meanwhile, run this again with --sent-from and that one.',
      ...describeArchives(taken.missingArchives, 'It names archives'),
    ]);
    print({ json: { ...taken, termId }, text }, json);
  },
});

/** `paydrop move --to postgres://…`: moves the journal into a database, where several machines may work it. */
export const moveCommand = makeCommand({
  command: 'move',
  describe:
    'carry the journal from its file into a PostgreSQL database, whole, for several machines; the file is closed for good',
  exits: {
    0: 'the journal is in the database, and nowhere else',
    1: 'file or database cannot be written or reached: run it again',
    2: 'it may not go there, or its batches stand in archives: nothing has been done',
    6: orAnotherSends.replace(/^or /, ''),
  },
  builder: (command) =>
    command
      .option('to', textOption('the address of the database, which holds no journal (default: journal.url)'))
      .option('check', flagOption('say what would be moved and whether it could be, and move nothing'))
      .option(
        'recall',
        flagOption('bring archived batches back into the journal first, so that they go along'),
      )
      .example('$0 move --to postgres://paydrop_owner@db.example/paydrop --check', 'while others still work')
      .example('$0 move --to postgres://paydrop_owner@db.example/paydrop', 'while none does')
      .epilogue(
        'Every row is copied, read again on both sides and compared; then the file says that its journal is gone, and only ' +
          'then the database may be used. Interrupted at any moment, run it again: until it ends well there is one journal, ' +
          'or none that sends, and never two. A password belongs into journal.urlFile or PAYDROP_JOURNAL_URL, not into --to, ' +
          'which every user of the machine can read.\n',
      ),
  run: async ({ to, check, recall, json, logLevel, ...options }) => {
    const { say } = await import('./output.ts');
    if (to !== undefined && hasPassword(to))
      say(
        'Every user of this machine can read the password in --to: give it in PAYDROP_JOURNAL_URL or journal.urlFile.',
        'warn',
      );
    const loaded = await loadCommandSettings(options);
    const { moveJournal, planMove } = await import('../app/move/move.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showMoved, showPlan } = await import('./views/move.ts');
    if (check) {
      const plan = await planMove(loaded, { to, recalls: recall });
      printBanner(loaded, json);
      print(showPlan(plan), json);
      return plan.sender === undefined ? exitCodes.ok : exitCodes.stoppedShort;
    }
    const moved = await moveJournal(loaded, await openLog({ json, logLevel }), { to, recalls: recall });
    printBanner(loaded, json);
    print(showMoved(moved), json);
    return exitCodes.ok;
  },
});

/** `paydrop archive --before DATE`: moves batches that are done and reconciled out of the journal. */
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
    const { archiveBatches } = await import('../app/archive.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    const { say } = await import('./output.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showArchived } = await import('./views/archive.ts');
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
