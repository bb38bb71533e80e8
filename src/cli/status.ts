/** `paydrop status [BATCH]`: batches with counts and totals. */
import type { CommandModule } from 'yargs';
import type { JournalStanding } from '../app/status.ts';
import { SettingsError } from '../settings/secrets.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

interface StatusOptions extends GlobalOptions {
  readonly batch: string | undefined;
  readonly statements: boolean;
}

export const statusCommand: CommandModule<GlobalOptions, StatusOptions> = {
  command: 'status [batch]',
  describe: 'show the batches, or one batch, with counts and totals, and the days that were reconciled',
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id' })
      .option('statements', {
        type: 'boolean',
        default: false,
        describe: 'only the days whose statement was reconciled, all of them',
      })
      .example('$0 status', 'all batches, the newest first')
      .example('$0 status 7B3KQ0M9ZX --json', 'one batch, for a program')
      .example('$0 status --statements', 'days with their version, open breaks and the oldest of them'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    const { openStanding } = await import('../app/status.ts');
    const { printBanner } = await import('./views/shown.ts');
    await using standing = await openStanding(loaded);
    printBanner(loaded, options.json);
    if (options.statements) await printDays(standing, options.json);
    else await printBatches(standing, options);
  },
};

async function printBatches(standing: JournalStanding, { batch, json }: StatusOptions): Promise<void> {
  const { print, showList } = await import('./views/shown.ts');
  const { showBatch } = await import('./views/status.ts');
  const batches = await standing.readBatches(batch);
  if (batches === undefined)
    throw new SettingsError(`there is no batch ${batch}; "paydrop status" lists them all`);
  const { owner } = standing;
  if (owner !== undefined && !json) {
    const { nameOwner } = await import('../app/session.ts');
    process.stdout.write(`Sending: ${nameOwner(owner)}\n\n`);
  }
  print(showList(batches.map(showBatch), 'No batches yet.'), json);
  if (batch === undefined && !json) await printDays(standing, json, daysShownMax);
}

/** Days that are shown below the batches, beside those with open breaks. */
const daysShownMax = 10;

/** @param daysMax with it nothing is said where there is no day */
async function printDays(standing: JournalStanding, json: boolean, daysMax?: number): Promise<void> {
  const { print } = await import('./views/shown.ts');
  const { showDays } = await import('./views/statements.ts');
  const nowMs = Date.now();
  const days = await standing.readDays(nowMs);
  if (daysMax === undefined || days.length > 0) print(showDays(days, nowMs, daysMax), json);
}
