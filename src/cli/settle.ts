/** `paydrop settle [BATCH]`: inquires about payouts in doubt now, whether due or not. */
import { listOf, viewOf } from '../core/view.ts';
import { toLines } from '../core/outgoing-text.ts';
import type { SettleOutcome } from '../app/settle.ts';
import { type ExitCode, exitCodes, noteExitCode, notedExitCode } from './exit-codes.ts';
import { loadCommandSettings, openLog, makeCommand, numberOption } from './options.ts';
import { noSuchBatch } from './status.ts';
import { countOf, showCount } from './views/amounts.ts';
import { type Shown, showPath } from './views/shown.ts';

export const settleCommand = makeCommand({
  command: 'settle [batch]',
  describe: 'ask the bank what became of the transfers in doubt',
  exits: {
    0: 'nothing is in doubt',
    1: 'an error, which the message names; it ends with 4 where transfers are in doubt besides',
    2: 'there is no such batch',
    3: 'nothing is in doubt, and rows bear an alarm',
    4: 'transfers are still in doubt',
    6: 'the bank told nothing at all, or another process than a run or a watcher is sending',
  },
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id; all batches when left out' })
      .option('wait', numberOption(60, 'seconds after which to give up while the bank tells nothing'))
      .example('$0 settle', 'inquire about everything in doubt and write what changed')
      .example('$0 settle 7B3KQ0M9ZX --wait 600', 'one batch, waiting ten minutes for a bank out of reach'),
  run: async ({ batch, wait, json, logLevel, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { settleOrRequest } = await import('../app/settle.ts');
    const { listenForInterrupt } = await import('./interrupt.ts');
    const { say } = await import('./output.ts');
    const { openProgress } = await import('./views/progress.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    using interrupt = listenForInterrupt(() => say('Stopping after what is in flight.'));
    const batchId = batch?.toUpperCase();
    const progress = await openProgress();
    const limits = { batchId, waitMs: wait * 1000, interrupted: interrupt.signal, progress };
    const outcome = await settleOrRequest(loaded, await openLog({ json, logLevel }), limits).finally(
      progress.close,
    );
    if (outcome === undefined) throw noSuchBatch(batchId);
    printBanner(loaded, json);
    print(showSettled(outcome, wait), json);
    noteExitCode(exitCodeOf(outcome));
    if (outcome.failure !== undefined) throw outcome.failure;
    return notedExitCode();
  },
});

function exitCodeOf({ asked, answers, unasked = 0, inDoubt, alarms }: SettleOutcome): ExitCode {
  if (inDoubt === 0) return alarms > 0 ? exitCodes.exceptions : exitCodes.ok;
  return asked + unasked > 0 && answers === 0 ? exitCodes.stoppedShort : exitCodes.inDoubt;
}

const leftView = viewOf<SettleOutcome['left'][number]>()('rows left in doubt', {
  batchId: ({ batchId }) => batchId,
  rows: ({ rows }) => rows,
});

/** The result of `settle`. @forTests */
export const settledView = viewOf<SettleOutcome>()('settling', {
  asked: ['number', 'rows that the bank was asked about'],
  told: ['number', 'answers of the bank', ({ answers }) => answers],
  settled: ['number', 'rows whose outcome is known now'],
  inDoubt: ['number', 'rows that are still in doubt'],
  alarms: ({ alarms }) => alarms,
  ended: ['texts', 'batches of which nothing is left'],
  left: [listOf(leftView), 'batches at rest with rows in doubt'],
  files: ['texts', 'paths of the reports that were written'],
  askedBy: ['text', 'the process that sends and has asked instead', ({ askedBy }) => askedBy],
  unasked: ['number', 'rows that it has not asked about in time', ({ unasked }) => unasked],
});

/** @param wait seconds after which it gave up @forTests */
export function showSettled(outcome: SettleOutcome, wait: number): Shown {
  const { asked, answers, unasked = 0, settled, inDoubt, alarms, ended, left, files, askedBy } = outcome;
  const isWhole = (batchId: string): boolean => !left.some((one) => one.batchId === batchId);
  const isSilent = asked > 0 && answers === 0;
  const lines = [
    ...(askedBy === undefined ? [] : [`${askedBy} is the process that sends: it asked the bank.`]),
    asked === 0 && inDoubt === 0
      ? 'Nothing is in doubt.'
      : `Inquired about ${countOf(asked, 'row')}: ${showCount(settled)} settled, ${showCount(inDoubt)} still in doubt.`,
    ...(isSilent ? [`The bank told nothing for ${wait} s: run "paydrop settle" again later.`] : []),
    ...(unasked === 0
      ? []
      : [`${countOf(unasked, 'row was', 'rows were')} not asked about for ${wait} s: look again later.`]),
    ...(alarms === 0
      ? []
      : [`${countOf(alarms, 'row bears', 'rows bear')} an alarm: see "paydrop list --alarms".`]),
    ...left.map(
      ({ batchId, rows }) =>
        `Batch ${batchId} has come to rest, and ${countOf(rows, 'row stays', 'rows stay')} in doubt: "paydrop status ${batchId}" says what settles ${rows === 1 ? 'it' : 'them'}.`,
    ),
    ...ended
      .filter(isWhole)
      .map((batchId) => `Batch ${batchId} is done: nothing of it is left to send or to ask.`),
    ...files.map(showPath),
  ];
  return { json: settledView.json(outcome), text: toLines(lines) };
}
