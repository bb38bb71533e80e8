/** `paydrop show PAYOUT`: one payout with its whole history. */
import type { CommandModule } from 'yargs';
import { exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

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
    const { requireJournal } = await import('./adapters.ts');
    const { describePayout, renderPayout } = await import('./render-status.ts');
    await using journal = await requireJournal(loaded);
    const found = await journal.findPayouts(options.payout);
    if (found.length === 0) {
      process.stderr.write(`paydrop: no payout has the payoutId or transRefNo ${options.payout}\n`);
      process.exitCode = exitCodes.usage;
      return;
    }
    const { printBanner } = await import('./screen.ts');
    printBanner(loaded, options.json);
    const text = options.json
      ? JSON.stringify(found.map(describePayout))
      : found.map(renderPayout).join('\n\n');
    process.stdout.write(`${text}\n`);
  },
};
