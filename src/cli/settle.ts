/** `paydrop settle [BATCH]`: inquires about what is in doubt, now, whether due or not. */
import type { CommandModule } from 'yargs';
import { SettingsError } from '../settings/secrets.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

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
    process.exitCode = await settleInDoubt(options);
  },
};

async function settleInDoubt({ batch, wait, json, logLevel, ...options }: SettleOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { makeLogger } = await import('../platform/log.ts');
  const { openSession } = await import('../app/session.ts');
  const { settle } = await import('../app/settle.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { showSettled } = await import('./views/settle.ts');
  const { print, printBanner } = await import('./views/shown.ts');
  await using session = await openSession(loaded, makeLogger(logLevel), 'settle');
  using interrupt = listenForInterrupt(() => process.stderr.write('\nStopping after what is in flight.\n'));
  const batchId = batch?.toUpperCase();
  const outcome = await settle(session, { batchId, waitMs: wait * 1000, interrupted: interrupt.signal });
  if (outcome === undefined)
    throw new SettingsError(`there is no batch ${batchId}; "paydrop status" lists them all`);
  printBanner(loaded, json);
  print(showSettled(outcome, wait), json);
  const { asked, told, inDoubt, alarms } = outcome;
  if (inDoubt === 0) return alarms > 0 ? exitCodes.exceptions : exitCodes.ok;
  return asked > 0 && told === 0 ? exitCodes.stoppedShort : exitCodes.inDoubt;
}
