/** `paydrop init`: settings to fill in, and the journal. */
import { printable } from '../core/outgoing-text.ts';
import { loadCommandSettings, makeCommand, readSentFrom, sentFromOption } from './options.ts';

const usualSettingsFile = 'paydrop.yaml';

const onShare =
  'It stands on a network or FUSE file system, where a copy of it cannot be told by its file: keep one alone.';

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
