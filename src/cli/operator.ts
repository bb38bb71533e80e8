/** `paydrop resume`, `cancel` and `retry`: each names a batch or a payout, and works beside whoever is sending. */
import type { CommandModule } from 'yargs';
import type { OperatorVerb } from '../app/operator.ts';
import { SettingsError } from '../settings/secrets.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

interface TargetOptions extends GlobalOptions {
  readonly target: string;
}

type Example = readonly [target: string, why: string];

/** Two examples each: one for a batch, one for a payout. */
function makeCommand(
  verb: OperatorVerb,
  describe: string,
  examples: readonly Example[],
): CommandModule<GlobalOptions, TargetOptions> {
  return {
    command: `${verb} <target>`,
    describe,
    builder: (command) =>
      command
        .positional('target', {
          type: 'string',
          demandOption: true,
          describe: 'a batch id, a payoutId or a transRefNo',
        })
        .example(examples.map(([target, why]): [string, string] => [`$0 ${verb} ${target}`, why])),
    handler: async (options) => {
      process.exitCode = await act(verb, options);
    },
  };
}

export const resumeCommand = makeCommand(
  'resume',
  'let what is held go on: a halted batch, or one held payout',
  [
    ['7B3KQ0M9ZX', 'the cause of the halt is mended; then run the file again'],
    ['INV-2026-0001', 'you have looked at this row: name, limit or likeness no longer hold it'],
  ],
);

export const cancelCommand = makeCommand(
  'cancel',
  'cancel what has not been sent: of a batch, or one payout',
  [
    ['7B3KQ0M9ZX', 'rows that were sent stay as they are'],
    ['INV-2026-0001', 'this payout is not to be made'],
  ],
);

export const retryCommand = makeCommand(
  'retry',
  'give what failed, is unpayable or was rejected its next attempt',
  [
    ['7B3KQ0M9ZX', 'every such row of the batch; then run the file again'],
    ['INV-2026-0001', 'this payout alone, once the cause is mended'],
  ],
);

async function act(verb: OperatorVerb, { target, json, ...options }: TargetOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { changeTarget } = await import('../app/operator.ts');
  const { print, printBanner } = await import('./views/shown.ts');
  const { showChange } = await import('./views/operator.ts');
  const outcome = await changeTarget(loaded, verb, target);
  if (outcome === undefined)
    throw new SettingsError(`no batch and no payout is called ${target}; "paydrop status" lists the batches`);
  printBanner(loaded, json);
  print(showChange(verb, target, outcome), json);
  return outcome.rowsChanged === 0 && outcome.refusals.length > 0 ? exitCodes.usage : exitCodes.ok;
}
