/** `paydrop show PAYOUT`: one payout with its whole history. */
import type { CommandModule } from 'yargs';
import { SettingsError } from '../settings/secrets.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

interface ShowOptions extends GlobalOptions {
  readonly payout: string;
}

export const showCommand: CommandModule<GlobalOptions, ShowOptions> = {
  command: 'show <payout>',
  describe: 'show one payout with its whole history',
  builder: (command) =>
    command
      .positional('payout', { type: 'string', demandOption: true, describe: 'a payoutId or a transRefNo' })
      .example('$0 show INV-2026-0001', 'everything that happened to it')
      .example('$0 show PD8S3K0Q2M7XW1VZ5T01', 'the same, found by the reference that the bank knows'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    const { findPayouts } = await import('../app/status.ts');
    const { print, printBanner, showList } = await import('./views/shown.ts');
    const { showPayout } = await import('./views/status.ts');
    const none = `no payout has the payoutId or transRefNo ${options.payout}`;
    const found = await findPayouts(loaded, options.payout);
    if (found.length === 0) throw new SettingsError(none);
    printBanner(loaded, options.json);
    print(showList(found.map(showPayout), none, '\n\n'), options.json);
  },
};
