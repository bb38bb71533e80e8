/** `paydrop decide`, `confirm`, `ack`, `release`: what people decide about payouts, each proved by a personal token. */
import type { DecisionSession, Decided } from '../app/review/decisions.ts';
import { SettingsError } from '../settings/secrets.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { flagOption, type GlobalOptions, loadCommandSettings, makeCommand, textOption } from './options.ts';

export const decisionExits = {
  0: 'applied, or proposed where a second person has to approve',
  2: 'nobody has proved who he is, or it is not possible: nothing was done',
} as const;

export const noteOption = textOption('why it is decided so');

/** Opens the journal, has something decided, and shows what it has come to. */
async function decideAndShow(
  { json, ...options }: Pick<GlobalOptions, 'config' | 'dataDir' | 'json'>,
  decide: (session: DecisionSession) => Promise<Decided>,
): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { openDecisions } = await import('../app/review/decisions.ts');
  const { print, printBanner } = await import('./views/shown.ts');
  const { showDecided } = await import('./views/decisions.ts');
  await using session = await openDecisions(loaded);
  const decided = await decide(session);
  printBanner(loaded, json);
  print(showDecided(decided), json);
  return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
}

export const decideCommand = makeCommand({
  command: 'decide <file>',
  describe: 'apply a filled-in exceptions file (CSV or .xlsx): all of it, or nothing',
  exits: decisionExits,
  builder: (command) =>
    command
      .positional('file', {
        type: 'string',
        demandOption: true,
        describe: 'the file that "paydrop exceptions" wrote',
      })
      .example('$0 decide exceptions.xlsx', 'its decisions are proposed, one proposal for each kind'),
  run: async ({ file, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { decideByFile, openDecisions } = await import('../app/review/decisions.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { refuseFile, showDecided } = await import('./views/decisions.ts');
    await using session = await openDecisions(loaded);
    const decided = await decideByFile(session, file);
    if (decided.kind === 'rejected' || !('undecided' in decided)) throw refuseFile(file, decided);
    printBanner(loaded, json);
    print(showDecided(decided, decided.undecided), json);
    return decided.kind === 'refused' ? exitCodes.usage : exitCodes.ok;
  },
});

export const confirmCommand = makeCommand({
  command: 'confirm <payout>',
  describe: 'say what became of an unresolved payout, with evidence; a second person approves it',
  exits: decisionExits,
  builder: (command) =>
    command
      .positional('payout', { type: 'string', demandOption: true, describe: 'a payoutId or a transRefNo' })
      .option('paid', flagOption('the payee has it'))
      .option('failed', flagOption('no money moved, and none will'))
      .option('evidence', textOption('where the proof stands: a letter, a statement, a case number'))
      .option('note', noteOption)
      .example(
        "$0 confirm INV-2026-0001 --failed --evidence 'bank letter 2026-11-22' --note 'asked by phone'",
        'it may be tried again once another person has approved this',
      ),
  run: ({ payout, paid, failed, evidence = '', note = '', ...options }) => {
    if (paid === failed) throw new SettingsError('confirm needs --paid or --failed, one of the two');
    return decideAndShow(options, async (session) => {
      const { decideOnPayouts } = await import('../app/review/decisions.ts');
      const decision = paid ? 'confirm-paid' : 'confirm-failed';
      return decideOnPayouts(session, decision, [payout], { note, evidence });
    });
  },
});

const manyPayouts = {
  type: 'string',
  array: true,
  demandOption: true,
  describe: 'payoutIds or transRefNos; all of them, or none',
} as const;

export const acknowledgeCommand = makeCommand({
  command: 'ack <payout..>',
  describe: 'take note of an alarm, or of a row that ended otherwise than paid: it leaves the exceptions',
  exits: decisionExits,
  builder: (command) =>
    command
      .positional('payout', manyPayouts)
      .option('note', noteOption)
      .example("$0 ack INV-2026-0001 --note 'returned by the bank on 22 Nov'", 'its alarm ends'),
  run: ({ payout: names, note = '', ...options }) =>
    decideAndShow(options, async (session) => {
      const { decideOnPayouts } = await import('../app/review/decisions.ts');
      return decideOnPayouts(session, 'acknowledge', names, { note, evidence: null });
    }),
});

export const releaseCommand = makeCommand({
  command: 'release <payout..>',
  describe: 'let another file use the payoutId of what was cancelled; a second person approves it',
  exits: decisionExits,
  builder: (command) =>
    command
      .positional('payout', manyPayouts)
      .option('note', noteOption)
      .example(
        "$0 release INV-2026-0001 --note 'the file comes again, corrected'",
        'its number is free then',
      ),
  run: ({ payout: names, note = '', ...options }) =>
    decideAndShow(options, async (session) => {
      const { decideOnPayouts } = await import('../app/review/decisions.ts');
      return decideOnPayouts(session, 'release', names, { note, evidence: null });
    }),
});
