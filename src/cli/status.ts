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
    if (options.statements) await printDays(standing.store, options.json);
    else await printBatches(standing, options);
  },
};

async function printBatches(standing: JournalStanding, { batch, json }: StatusOptions): Promise<void> {
  const { print, showList } = await import('./views/shown.ts');
  const { showBatch } = await import('./views/status.ts');
  const batches = await standing.readBatches(batch);
  if (batches === undefined)
    throw new SettingsError(`there is no batch ${batch}; "paydrop status" lists them all`);
  const { store, owner } = standing;
  if (owner !== undefined && !json) {
    const { nameOwner } = await import('../app/session.ts');
    process.stdout.write(`Sending: ${nameOwner(owner)}\n\n`);
  }
  print(showList(batches.map(showBatch), 'No batches yet.'), json);
  if (store !== undefined && batch === undefined && !json) await printDays(store, false, daysShownMax);
}

/** Days that are shown below the batches, beside those with open breaks. */
const daysShownMax = 10;

async function printDays(store: JournalStanding['store'], json: boolean, daysMax = Infinity): Promise<void> {
  const { describeDay, readShownDays, renderDay } = await import('./render-statements.ts');
  const nowMs = Date.now();
  const days = store === undefined ? [] : await readShownDays(store, nowMs);
  if (json) {
    process.stdout.write(`${JSON.stringify(days.map((day) => describeDay(day, nowMs)))}\n`);
    return;
  }
  if (days.length === 0) {
    if (daysMax === Infinity) process.stdout.write('No day was reconciled yet.\n');
    return;
  }
  process.stdout.write('\nStatements by day\n');
  const shown = days.filter(({ state }, place) => place < daysMax || (state?.openBreaks ?? 0) > 0);
  for (const day of shown) process.stdout.write(`${renderDay(day, nowMs)}\n`);
  if (shown.length < days.length)
    process.stdout.write(
      `${days.length - shown.length} more without open breaks: paydrop status --statements\n`,
    );
}
