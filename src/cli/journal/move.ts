/** `paydrop move --to postgres://…`: moves the journal into a database, where several machines may work it. */
import { hasPassword } from '../../settings/journal-url.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  flagOption,
  loadCommandSettings,
  makeCommand,
  openLog,
  orAnotherSends,
  textOption,
} from '../options.ts';

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
    const { say } = await import('../output.ts');
    if (to !== undefined && hasPassword(to))
      say(
        'Every user of this machine can read the password in --to: give it in PAYDROP_JOURNAL_URL or journal.urlFile.',
        'warn',
      );
    const loaded = await loadCommandSettings(options);
    const { moveJournal, planMove } = await import('../../app/move/move.ts');
    const { print, printBanner } = await import('../views/shown.ts');
    const { showMoved, showPlan } = await import('../views/move.ts');
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
