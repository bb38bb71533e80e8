/** `paydrop status [BATCH]`: batches with counts and totals. */
import type { CommandModule } from 'yargs';
import type { Batch, BatchReader } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import { exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

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
    const { openJournalBeside } = await import('./adapters.ts');
    await using journal = await openJournalBeside(loaded);
    const { printBanner } = await import('./screen.ts');
    printBanner(loaded, options.json);
    if (options.statements) {
      await printDays(journal, options.json);
      return;
    }
    const batches = journal === undefined ? [] : await findBatches(journal, options.batch);
    if (options.batch !== undefined && batches.length === 0) {
      process.stderr.write(`paydrop: there is no batch ${options.batch}; "paydrop status" lists them all\n`);
      process.exitCode = exitCodes.usage;
      return;
    }
    if (journal !== undefined) {
      if (!options.json) await printSender(loaded.dataDir);
      await print(journal, batches, options);
      if (options.batch === undefined && !options.json) await printDays(journal, false, daysShownMax);
    } else process.stdout.write(options.json ? '[]\n' : 'No batches yet.\n');
  },
};

/** Who is sending now, where somebody is. */
async function printSender(dataDir: string): Promise<void> {
  const { findSender } = await import('../store/locks.ts');
  const { nameSender } = await import('./screen.ts');
  const holder = findSender(dataDir);
  if (holder !== undefined) process.stdout.write(`Sending: ${nameSender(holder)}\n\n`);
}

async function findBatches(journal: BatchReader, batchId: string | undefined): Promise<readonly Batch[]> {
  if (batchId === undefined) return journal.batches();
  const batch = await journal.batch(batchId.toUpperCase());
  return batch === undefined ? [] : [batch];
}

async function print(journal: BatchReader, batches: readonly Batch[], options: StatusOptions): Promise<void> {
  const { describeBatch, renderBatch } = await import('./render-status.ts');
  const rows = await Promise.all(
    batches.map(async (batch) => ({
      batch,
      totals: await journal.totals(batch.batchId),
      holds: await journal.holdTotals(batch.batchId),
    })),
  );
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify(rows.map(({ batch, totals, holds }) => describeBatch(batch, totals, holds)))}\n`,
    );
    return;
  }
  if (rows.length === 0) process.stdout.write('No batches yet.\n');
  for (const { batch, totals, holds } of rows) process.stdout.write(`${renderBatch(batch, totals, holds)}\n`);
}

/** Days that are shown below the batches, beside those with open breaks. */
const daysShownMax = 10;

async function printDays(store: Store | undefined, json: boolean, daysMax = Infinity): Promise<void> {
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
