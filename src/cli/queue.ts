/** `paydrop queue`: items, other than payouts, that need a person. */
import { SettingsError } from '../settings/secrets.ts';
import { exitCodes } from './exit-codes.ts';
import { flagOption, loadCommandSettings, makeCommand, textOption } from './options.ts';

/** Items read to find a name. */
const itemsMax = 10_000;

export const queueCommand = makeCommand({
  command: 'queue [item..]',
  describe:
    'show what needs a person and is no payout: breaks, days without a statement, refused files, halts, registrations, proposals; take it, or take note of it',
  exits: { 0: 'shown, or done', 2: 'there is no such item, or it cannot be taken so' },
  builder: (command) =>
    command
      .positional('item', { type: 'string', array: true, describe: 'names as the list shows them' })
      .option('kind', textOption('only those of one kind, and more of them'))
      .option('take', flagOption('look after them yourself; payout:INV-1 names a payout'))
      .option('give-back', flagOption('look after them no more'))
      .option(
        'ack',
        flagOption('acknowledge days without a statement, refused files and unknown callbacks, with --note'),
      )
      .option('note', textOption('why'))
      .example('$0 queue', 'all of it, with what can be decided')
      .example('$0 queue day:2026-11-20 --take', 'others see that you look after it')
      .example("$0 queue day:2026-11-20 --ack --note 'the bank was closed'", 'no statement will come'),
  run: async ({ item: names = [], kind, take, giveBack, ack, note = '', json, ...options }) => {
    const asked = [take, giveBack, ack].filter(Boolean).length;
    if (asked > 1) throw new SettingsError('--take, --give-back and --ack are three things: one of them');
    if ((asked === 1) !== names.length > 0)
      throw new SettingsError('items are named with --take, --give-back or --ack, and these need some');
    const loaded = await loadCommandSettings(options);
    const { print, printBanner } = await import('./views/shown.ts');
    const { showQueue, showTaken } = await import('./views/queue.ts');
    const { acknowledgeNamed, takeNamed } = await import('../review/shell/queue.ts');
    const { openDecisions, readEntries, readWaitingItems } = await import('../app/decide/open.ts');
    if (asked === 0) {
      const { queueKinds } = await import('../review/rules/queue.ts');
      const one = queueKinds.find((name) => name === kind);
      if (kind !== undefined && one === undefined)
        throw new SettingsError(`--kind takes one of ${queueKinds.join(', ')}, not ${kind}`);
      const entries = await readEntries(loaded);
      const items = await readWaitingItems(
        loaded,
        one === undefined ? {} : { kinds: [one], limit: itemsMax },
      );
      printBanner(loaded, json);
      print(showQueue({ entries, items }, one, Date.now()), json);
      return exitCodes.ok;
    }
    const { showDecided } = await import('./views/decisions.ts');
    await using session = await openDecisions(loaded);
    if (ack) {
      const decided = await acknowledgeNamed(session, names, note);
      printBanner(loaded, json);
      print(showDecided(decided), json);
      return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
    }
    const taken = await takeNamed(session, names, take ? 'taken' : 'given-back', async () =>
      readWaitingItems(loaded, { limit: itemsMax }),
    );
    printBanner(loaded, json);
    print(showTaken(taken, take ? 'you look after it' : 'it has no owner'), json);
    return taken.some(({ whyNot }) => whyNot !== undefined) ? exitCodes.usage : exitCodes.ok;
  },
});
