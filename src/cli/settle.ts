/** `paydrop settle [BATCH]`: inquires about what is in doubt, now, whether due or not. */
import type { CommandModule } from 'yargs';
import { countAlarms } from '../core/exit-code.ts';
import type { Settled } from '../payout/settle-now.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { Sender } from './sender.ts';

interface SettleOptions extends GlobalOptions {
  readonly batch: string | undefined;
  readonly wait: number;
}

const waitSecondsDefault = 60;

export const settleCommand: CommandModule<GlobalOptions, SettleOptions> = {
  command: 'settle [batch]',
  describe: 'ask the bank what became of the transfers in doubt',
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id; all batches when left out' })
      .option('wait', {
        type: 'number',
        default: waitSecondsDefault,
        requiresArg: true,
        describe: 'seconds after which to give up while the bank tells nothing',
      })
      .example('$0 settle', 'inquire about everything in doubt and write what changed')
      .example('$0 settle 7B3KQ0M9ZX --wait 600', 'one batch, waiting ten minutes for a bank out of reach'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    const { makeLogger } = await import('../platform/log.ts');
    const { openSender } = await import('./sender.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    await using sender = await openSender(loaded, makeLogger(options.logLevel), 'settle');
    using interrupt = listenForInterrupt(() => process.stderr.write('\nStopping after what is in flight.\n'));
    process.exitCode = await settle(sender, options, interrupt.signal);
  },
};

async function settle(sender: Sender, options: SettleOptions, interrupted: AbortSignal): Promise<ExitCode> {
  const { makeContext } = await import('./sender.ts');
  const { printBanner } = await import('./screen.ts');
  const { settleNow } = await import('../payout/settle-now.ts');
  const batchId = options.batch?.toUpperCase();
  if (batchId !== undefined && (await sender.journal.batch(batchId)) === undefined) {
    process.stderr.write(`paydrop: there is no batch ${batchId}; "paydrop status" lists them all\n`);
    return exitCodes.usage;
  }
  const changed = new Set<string>();
  const waitOver = new AbortController();
  const context = makeContext(sender, AbortSignal.any([interrupted, waitOver.signal]), (payout) => {
    if (payout !== undefined && payout.status !== 'submitted') changed.add(payout.batchId);
  });
  const settled = await settleNow(context, { batchId, waitMs: options.wait * 1000, waitOver });
  const touched = new Set([...changed, ...settled.ended]);
  const files = await writeReports(sender, touched);
  const inDoubt = await countLeft(sender, batchId);
  const alarms = await countAlarmsOf(sender, touched);
  printBanner(sender.loaded, options.json);
  process.stdout.write(`${render(settled, inDoubt, alarms, files, options)}\n`);
  if (inDoubt === 0) return alarms > 0 ? exitCodes.exceptions : exitCodes.ok;
  return settled.asked > 0 && settled.told === 0 ? exitCodes.stoppedShort : exitCodes.inDoubt;
}

function render(
  { asked, told, ended }: Settled,
  inDoubt: number,
  alarms: number,
  files: readonly string[],
  { json, wait }: SettleOptions,
): string {
  const settled = Math.max(0, asked - inDoubt);
  if (json) return JSON.stringify({ asked, told, settled, inDoubt, alarms, ended, files });
  const silence =
    asked > 0 && told === 0 ? [`The bank told nothing for ${wait} s: run "paydrop settle" again later.`] : [];
  const lines = [`Inquired about ${asked}: ${settled} settled, ${inDoubt} still in doubt.`, ...silence];
  const done = ended.map((batchId) => `Batch ${batchId} is done: nothing of it is left to send or to ask.`);
  const loud = alarms === 0 ? [] : [`${alarms} rows bear an alarm: look at the exceptions of their batches.`];
  return [...lines, ...loud, ...done, ...files].join('\n');
}

/** What is due for batches that have changed, or come to rest; one that a killed run left goes on first. */
async function writeReports(sender: Sender, batchIds: ReadonlySet<string>): Promise<readonly string[]> {
  const { restBatch } = await import('./run-file.ts');
  const { isAtRest } = await import('../payout/conclude.ts');
  const paths: string[] = [];
  for (const batchId of batchIds) {
    if (!(await isAtRest(sender.journal, batchId))) continue;
    const { files, filesWritten } = await restBatch(sender, batchId, false);
    if (filesWritten > 0) paths.push(...files.slice(-filesWritten).map((file) => file.path));
  }
  return paths;
}

/** Rows that bear an alarm in batches that have changed. */
async function countAlarmsOf({ journal }: Sender, batchIds: ReadonlySet<string>): Promise<number> {
  let alarms = 0;
  for (const batchId of batchIds) alarms += countAlarms(await journal.totals(batchId));
  return alarms;
}

async function countLeft(sender: Sender, batchId: string | undefined): Promise<number> {
  if (batchId === undefined) return sender.journal.countInDoubt();
  const totals = await sender.journal.totals(batchId);
  const inDoubt = totals.filter(({ status }) => status === 'submitted' || status === 'unresolved');
  return inDoubt.reduce((sum, { rows }) => sum + rows, 0);
}
