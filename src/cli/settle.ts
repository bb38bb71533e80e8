/** `paydrop settle [BATCH]`: inquires about what is in doubt, now, whether due or not. */
import type { CommandModule } from 'yargs';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { Sender } from './sender.ts';

interface SettleOptions extends GlobalOptions {
  readonly batch: string | undefined;
}

export const settleCommand: CommandModule<GlobalOptions, SettleOptions> = {
  command: 'settle [batch]',
  describe: 'ask the bank what became of the transfers in doubt',
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id; all batches when left out' })
      .example('$0 settle', 'inquire about everything in doubt and write what changed'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    const { makeLogger } = await import('../log.ts');
    const { openSender } = await import('./sender.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    await using sender = await openSender(loaded, makeLogger(options.logLevel), 'settle');
    using interrupt = listenForInterrupt(() => process.stderr.write('\nStopping after what is in flight.\n'));
    process.exitCode = await settle(sender, options, interrupt.signal);
  },
};

async function settle(sender: Sender, options: SettleOptions, stop: AbortSignal): Promise<ExitCode> {
  const { makeContext } = await import('./sender.ts');
  const { settleOnce } = await import('../worker/settle.ts');
  const batchId = options.batch?.toUpperCase();
  if (batchId !== undefined && (await sender.journal.batch(batchId)) === undefined) {
    process.stderr.write(`paydrop: there is no batch ${batchId}; "paydrop status" lists them all\n`);
    return exitCodes.usage;
  }
  const changed = new Set<string>();
  const context = makeContext(sender, stop, (payout) => {
    if (payout !== undefined && payout.status !== 'submitted') changed.add(payout.batchId);
  });
  const asked = await settleOnce(context, 'all', batchId);
  const files = await writeUpdates(sender, changed);
  const left = await countLeft(sender, batchId);
  const settled = Math.max(0, asked - left);
  const shown = { asked, settled, inDoubt: left, files };
  const lines = [`Inquired about ${asked}: ${settled} settled, ${left} still in doubt.`, ...files];
  process.stdout.write(`${options.json ? JSON.stringify(shown) : lines.join('\n')}\n`);
  return left > 0 ? exitCodes.inDoubt : exitCodes.ok;
}

/** Rows that changed go into an update of their batch's result, where it has one. */
async function writeUpdates(sender: Sender, batchIds: ReadonlySet<string>): Promise<readonly string[]> {
  const { restBatch } = await import('./run-file.ts');
  const paths: string[] = [];
  for (const batchId of batchIds) {
    const { files, filesWritten } = await restBatch(sender, batchId, false);
    if (filesWritten > 0) paths.push(...files.slice(-filesWritten).map((file) => file.path));
  }
  return paths;
}

async function countLeft(sender: Sender, batchId: string | undefined): Promise<number> {
  if (batchId === undefined) return sender.journal.countInDoubt();
  const totals = await sender.journal.totals(batchId);
  const inDoubt = totals.filter(({ status }) => status === 'submitted' || status === 'unresolved');
  return inDoubt.reduce((sum, { rows }) => sum + rows, 0);
}
