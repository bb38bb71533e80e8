/** `paydrop resume`, `cancel` and `retry`: each names a batch or a payout, and works beside whoever is sending. */
import { toLines } from '../core/outgoing-text.ts';
import type { OperatorOutcome, OperatorVerb } from '../app/operator.ts';
import { SettingsError } from '../settings/secrets.ts';
import { exitCodes } from './exit-codes.ts';
import { type Command, loadCommandSettings, makeCommand } from './options.ts';
import { countOf } from './views/amounts.ts';
import type { Shown } from './views/shown.ts';

const done: Readonly<Record<OperatorVerb, string>> = {
  resume: 'released',
  cancel: 'cancelled',
  retry: 'tried again',
};

/** @param examples two each: one for a batch, one for a payout */
function makeVerb(
  verb: OperatorVerb,
  describe: string,
  examples: readonly (readonly [target: string, why: string])[],
): Command {
  return makeCommand({
    command: `${verb} <target>`,
    describe,
    exits: { 0: 'done', 2: 'nothing is called so, or nothing could be changed' },
    builder: (command) =>
      command
        .positional('target', {
          type: 'string',
          demandOption: true,
          describe: 'a batch id, a payoutId or a transRefNo',
        })
        .example(examples.map(([target, why]): [string, string] => [`$0 ${verb} ${target}`, why])),
    run: async ({ target, json, ...options }) => {
      const loaded = await loadCommandSettings(options);
      const { changeTarget } = await import('../app/operator.ts');
      const { print, printBanner } = await import('./views/shown.ts');
      const outcome = await changeTarget(loaded, verb, target);
      if (outcome === undefined)
        throw new SettingsError(
          `no batch and no payout is called ${target}; "paydrop status" lists the batches`,
        );
      printBanner(loaded, json);
      print(showChange(verb, target, outcome), json);
      return outcome.rowsChanged === 0 && outcome.refusals.length > 0 ? exitCodes.usage : exitCodes.ok;
    },
  });
}

export const resumeCommand = makeVerb(
  'resume',
  'let what is held go on: a halted batch, or one held payout',
  [
    ['7B3KQ0M9ZX', 'the cause of the halt is mended; then run the file again'],
    ['INV-2026-0001', 'you have looked at this row: name, limit or likeness no longer hold it'],
  ],
);

export const cancelCommand = makeVerb('cancel', 'cancel what has not been sent: of a batch, or one payout', [
  ['7B3KQ0M9ZX', 'rows that were sent stay as they are'],
  ['INV-2026-0001', 'this payout is not to be made'],
]);

export const retryCommand = makeVerb(
  'retry',
  'give what failed, is unpayable or was rejected its next attempt',
  [
    ['7B3KQ0M9ZX', 'every such row of the batch; then run the file again'],
    ['INV-2026-0001', 'this payout alone, once the cause is mended'],
  ],
);

/** What an operator, or a program, reads of it. */
export function showChange(
  verb: OperatorVerb,
  target: string,
  { rowsChanged, refusals, notes = [], isLineOpened = false, payerMoved }: OperatorOutcome,
): Shown {
  const lines = [
    `${countOf(rowsChanged, 'row')} ${done[verb]}.`,
    ...refusals,
    ...notes,
    ...(payerMoved === undefined
      ? []
      : [`What is left is paid from account ${payerMoved.to} from now on, instead of ${payerMoved.from}.`]),
    ...(isLineOpened ? ['The halt or pause of its payer account is lifted.'] : []),
    ...(verb !== 'cancel' && rowsChanged > 0
      ? ['They are sent by whoever is sending now, or when the file is run again.']
      : []),
  ];
  return {
    json: { target, rowsChanged, refusals, ...(notes.length === 0 ? {} : { notes }) },
    text: toLines(lines),
  };
}
