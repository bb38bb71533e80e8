/** `paydrop status [BATCH]`: batches with counts and totals. */
import type { CommandModule } from 'yargs';
import type { Batch, Journal } from '../core/ports.ts';
import { exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

interface StatusOptions extends GlobalOptions {
  readonly batch: string | undefined;
}

export const statusCommand: CommandModule<GlobalOptions, StatusOptions> = {
  command: 'status [batch]',
  describe: 'show the batches, or one batch, with counts and totals',
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id' })
      .example('$0 status', 'all batches, the newest first')
      .example('$0 status 7B3KQ0M9ZX --json', 'one batch, for a program'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    const { openJournalBeside } = await import('./adapters.ts');
    await using journal = await openJournalBeside(loaded);
    const batches = journal === undefined ? [] : await findBatches(journal, options.batch);
    if (options.batch !== undefined && batches.length === 0) {
      process.stderr.write(`paydrop: there is no batch ${options.batch}; "paydrop status" lists them all\n`);
      process.exitCode = exitCodes.usage;
      return;
    }
    if (journal !== undefined) await print(journal, batches, options);
    else process.stdout.write(options.json ? '[]\n' : 'No batches yet.\n');
  },
};

async function findBatches(journal: Journal, batchId: string | undefined): Promise<readonly Batch[]> {
  if (batchId === undefined) return journal.batches();
  const batch = await journal.batch(batchId.toUpperCase());
  return batch === undefined ? [] : [batch];
}

async function print(journal: Journal, batches: readonly Batch[], options: StatusOptions): Promise<void> {
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
