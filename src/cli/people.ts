/** `paydrop resume`, `cancel` and `retry`: each names a batch or a payout, and works beside whoever is sending. */
import type { Argv, CommandModule } from 'yargs';
import type { PeopleResult } from '../payout/operator.ts';
import type { PayoutJournal } from '../payout/ports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

interface TargetOptions extends GlobalOptions {
  readonly target: string;
}

const withTarget = (command: Argv<GlobalOptions>): Argv<TargetOptions> =>
  command.positional('target', {
    type: 'string',
    demandOption: true,
    describe: 'a batch id, a payoutId or a transRefNo',
  });

export const resumeCommand: CommandModule<GlobalOptions, TargetOptions> = {
  command: 'resume <target>',
  describe: 'let what is held go on: a halted batch, or one held payout',
  builder: (command) =>
    withTarget(command)
      .example('$0 resume 7B3KQ0M9ZX', 'the cause of the halt is mended; then run the file again')
      .example(
        '$0 resume INV-2026-0001',
        'you have looked at this row: name, limit or likeness no longer hold it',
      ),
  handler: async (options) => {
    process.exitCode = await act('resume', options);
  },
};

export const cancelCommand: CommandModule<GlobalOptions, TargetOptions> = {
  command: 'cancel <target>',
  describe: 'cancel what has not been sent: of a batch, or one payout',
  builder: (command) =>
    withTarget(command)
      .example('$0 cancel 7B3KQ0M9ZX', 'rows that were sent stay as they are')
      .example('$0 cancel INV-2026-0001', 'this payout is not to be made'),
  handler: async (options) => {
    process.exitCode = await act('cancel', options);
  },
};

export const retryCommand: CommandModule<GlobalOptions, TargetOptions> = {
  command: 'retry <target>',
  describe: 'give what failed, is unpayable or was rejected its next attempt',
  builder: (command) =>
    withTarget(command)
      .example('$0 retry 7B3KQ0M9ZX', 'every such row of the batch; then run the file again')
      .example('$0 retry INV-2026-0001', 'this payout alone, once the cause is mended'),
  handler: async (options) => {
    process.exitCode = await act('retry', options);
  },
};

type Verb = 'resume' | 'cancel' | 'retry';

async function act(verb: Verb, options: TargetOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { requireJournal } = await import('./adapters.ts');
  await using journal = await requireJournal(loaded);
  const result = await change(journal, verb, options.target, loaded);
  if (result === undefined) {
    process.stderr.write(
      `paydrop: no batch and no payout is called ${options.target}; "paydrop status" lists the batches\n`,
    );
    return exitCodes.usage;
  }
  const { printBanner } = await import('./screen.ts');
  printBanner(loaded, options.json);
  print(verb, options, result);
  return result.rowsChanged === 0 && result.refusals.length > 0 ? exitCodes.usage : exitCodes.ok;
}

async function change(
  journal: PayoutJournal,
  verb: Verb,
  target: string,
  { limits }: LoadedSettings,
): Promise<PeopleResult | undefined> {
  const people = await import('../payout/operator.ts');
  const { systemClock } = await import('../platform/clock.ts');
  const nowMs = systemClock.now();
  const batch = await journal.batch(target.toUpperCase());
  const found = batch === undefined ? await journal.findPayouts(target) : [];
  if (batch === undefined && found.length === 0) return undefined;
  const seqs = found.map(({ row }) => row.seq);
  switch (verb) {
    case 'resume':
      return batch === undefined
        ? people.resumePayouts(journal, seqs, nowMs)
        : people.resumeBatch(journal, batch, nowMs);
    case 'cancel':
      return batch === undefined
        ? people.cancelPayouts(journal, seqs, nowMs)
        : people.cancelBatch(journal, batch, nowMs);
    case 'retry': {
      const { retryBatch, retryPayouts } = await import('../payout/retry.ts');
      const rules = { payoutSatangMax: limits.satangPerPayout };
      return batch === undefined
        ? retryPayouts(journal, found, rules, nowMs)
        : retryBatch(journal, batch, rules, nowMs);
    }
  }
}

function print(
  verb: Verb,
  options: TargetOptions,
  { rowsChanged, refusals, isLineOpened = false }: PeopleResult,
): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ target: options.target, rowsChanged, refusals })}\n`);
    return;
  }
  const done = { resume: 'may go on', cancel: 'cancelled', retry: 'tried again' }[verb];
  process.stdout.write(`${rowsChanged} ${rowsChanged === 1 ? 'row' : 'rows'} ${done}.\n`);
  for (const refusal of refusals) process.stdout.write(`${refusal}\n`);
  if (isLineOpened) process.stdout.write('The line of its payer account had stopped, and is open again.\n');
  if (verb !== 'cancel' && rowsChanged > 0) {
    process.stdout.write('They are sent by whoever is sending now, or when the file is run again.\n');
  }
}
