/** `paydrop resume`, `cancel` and `retry`: act on the batches or payouts named, alongside the sender. */
import { inEnglish, verbatim } from '../core/message.ts';
import { printable, toLines } from '../core/outgoing-text.ts';
import { recordOf, viewOf } from '../core/view.ts';
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

/** @param examples three each: for a batch, for a payout, for several */
function makeVerb(
  verb: OperatorVerb,
  describe: string,
  examples: readonly (readonly [targets: string, why: string])[],
): Command {
  return makeCommand({
    command: `${verb} <target..>`,
    describe,
    exits: {
      0: 'done',
      2: 'nothing is called so, or nothing of it could be changed: of several, of one of them',
    },
    builder: (command) =>
      command
        .positional('target', {
          type: 'string',
          array: true,
          demandOption: true,
          describe:
            "batch ids, payoutIds or registrationIds, or the bank's references; each is done or refused by itself",
        })
        .example(examples.map(([targets, why]): [string, string] => [`$0 ${verb} ${targets}`, why])),
    run: async ({ target: targets, json, ...options }) => {
      const loaded = await loadCommandSettings(options);
      const { changeTargets } = await import('../app/operator.ts');
      const { printText } = await import('./output.ts');
      const { print, printBanner } = await import('./views/shown.ts');
      const isOne = targets.length === 1;
      const ends: OperatorOutcome[] = [];
      let [isAnyRefused, isAnyShown] = [false, false];
      for await (const { target, outcome, decided } of changeTargets(loaded, verb, targets)) {
        if (decided !== undefined) {
          const { showDecided } = await import('./views/decisions.ts');
          if (ends.length === 0 && !isAnyShown) printBanner(loaded, json);
          isAnyShown = true;
          isAnyRefused ||= decided.kind === 'refused';
          print(showDecided(decided), json);
          continue;
        }
        if (isOne && outcome === undefined) throw new SettingsError(noSuchTarget(target));
        if (ends.length === 0) printBanner(loaded, json);
        const end = outcome ?? { rowsChanged: 0, refusals: [verbatim(noSuchTarget(target))] };
        ends.push(end);
        print(showChange(verb, target, end, !isOne), json);
      }
      const rowsChanged = ends.reduce((rows, end) => rows + end.rowsChanged, 0);
      if (verb !== 'cancel' && rowsChanged > 0 && !json) printText(printable(showSentLater(rowsChanged)));
      return isAnyRefused || ends.some(isRefused) ? exitCodes.usage : exitCodes.ok;
    },
  });
}

const noSuchTarget = (target: string): string =>
  `no batch, payout or registration is called ${target}; "paydrop list" finds payouts, "paydrop status" batches`;

const isRefused = ({ rowsChanged, refusals }: OperatorOutcome): boolean =>
  rowsChanged === 0 && refusals.length > 0;

const showSentLater = (rows: number): string =>
  `The running sender sends ${rows === 1 ? 'it' : 'them'}, or the next run of the file.`;

export const resumeCommand = makeVerb(
  'resume',
  'let what is held go on: a halted batch, or one held payout or registration',
  [
    ['7B3KQ0M9ZX', 'the cause of the halt is mended; then run the file again'],
    ['INV-2026-0001', 'you have looked at this row: name, limit or likeness no longer hold it'],
    ['INV-2026-0001 INV-2026-0007', 'you have looked at these two'],
  ],
);

export const cancelCommand = makeVerb(
  'cancel',
  'cancel what is ready or held: of a batch, or one payout or registration; the bank is asked first about what was sent',
  [
    ['7B3KQ0M9ZX', 'rows that are with the bank, or paid, stay as they are'],
    ['INV-2026-0001', 'this payout is not to be made'],
    ['INV-2026-0001 INV-2026-0007', 'these two are not'],
  ],
);

export const retryCommand = makeVerb(
  'retry',
  'give what failed, is unpayable, refused, unanswered or rejected its next attempt',
  [
    ['7B3KQ0M9ZX', 'every such row of the batch; then run the file again'],
    ['INV-2026-0001', 'this payout alone, once the cause is mended'],
    ['INV-2026-0001 INV-2026-0007', 'these two; one that cannot be does not keep the other'],
  ],
);

const movedView = viewOf<NonNullable<OperatorOutcome['payerMoved']>>()('moved account', {
  from: ['text', 'account before'],
  to: ['text', 'account from now on'],
});

/** The outcome of one target of `resume`, `cancel` and `retry`. @forTests */
export const changeView = viewOf<{ readonly target: string; readonly outcome: OperatorOutcome }>()('change', {
  target: ['text', 'batch, payout or registration as it was named'],
  rowsChanged: ['number', 'rows that were changed', ({ outcome }) => outcome.rowsChanged],
  refusals: ['messages', 'why rows were not', ({ outcome }) => outcome.refusals],
  notes: ['messages', 'remarks', ({ outcome }) => outcome.notes ?? []],
  payerMoved: [
    recordOf(movedView),
    'the account that what is left is paid from',
    ({ outcome }) => outcome.payerMoved,
  ],
  isLineOpened: [
    'flag',
    'whether the halt or pause of the account was lifted',
    ({ outcome }) => outcome.isLineOpened ?? false,
  ],
});

/**
 * Outcome of one target, for an operator or a program.
 * @param isNamed true for one of several targets: its name precedes its lines @forTests
 */
export function showChange(
  verb: OperatorVerb,
  target: string,
  outcome: OperatorOutcome,
  isNamed = false,
): Shown {
  const { rowsChanged, refusals, notes = [], isLineOpened = false, payerMoved } = outcome;
  const moved =
    payerMoved &&
    `What is left is paid from account ${payerMoved.to} from now on, instead of ${payerMoved.from}.`;
  const [first = '', ...lines] = [
    // A refusal or a note already says that nothing was done.
    ...(rowsChanged === 0 && (refusals.length > 0 || notes.length > 0)
      ? []
      : [`${countOf(rowsChanged, 'row')} ${done[verb]}.`]),
    ...refusals.map(inEnglish),
    ...notes.map(inEnglish),
    ...(moved === undefined ? [] : [moved]),
    ...(isLineOpened ? ['The halt or pause of its payer account is lifted.'] : []),
  ];
  return {
    json: changeView.json({ target, outcome }),
    text: toLines(isNamed ? [`${target}: ${first}`, ...lines.map((line) => `  ${line}`)] : [first, ...lines]),
  };
}
